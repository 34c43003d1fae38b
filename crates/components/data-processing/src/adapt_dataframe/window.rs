//! Columns that depend on the rows around each row.

use std::sync::Arc;

use svc_columns::{
    Column, Groups, Key, Measure, TableError, Window as Kind,
    expr::{self, Expr},
    first_within, groups, order_within, ties, window,
};
use svc_contract::{
    registry::{CheckCall, Compute, Cx, ErrorKind, Example, Generic, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::{Exprs, Frame, ROWS_OUT, Rows, frame_for, given, sorted_names, wrong};

params! {
    /// Adds columns that look at the other rows of a partition.
    ///
    /// `partition` has the columns whose values make a partition, `order` the order in it, where a name
    /// after `-` descends. `measures` has a function for each new column: `row_number()`, `rank()`, `dense_rank()`,
    /// `lag(x)` and `lag(x, 2)`, `lead(x)`, `running_sum(x)`, `moving_avg(x, 7)` over the last seven rows up to this one, and
    /// `sum`, `avg`, `min`, `max`, `count`, `first`, `last`, `median`, `stddev`, `variance` and `distinct` of the whole partition. The rows stay in their
    /// order. With `keep`, only the first rows of each partition stay: the best three of each group, for example.
    pub(super) struct Window {
        /// The rows.
        rows: Rows,
        /// The columns that make a partition; none for the whole table.
        partition: Vec<Text> = Vec::new(),
        /// The columns that order a partition.
        order: Vec<Text> = Vec::new(),
        /// The new columns, each with its function.
        measures: Exprs = Exprs::none(),
        /// The maximum number of rows of each partition that stay; 0 keeps all.
        #[range(0..=1_000_000_000)]
        keep: i64 = 0,
    }
}

impl Op for Window {
    const NAME: &'static str = "window";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const CHECK: Option<CheckCall> = Some(super::known::window);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "running total per customer",
        "rank rows within a group",
        "value of the previous row",
        "moving average over seven days",
        "share of each row in its group",
        "sql window functions, over partition by",
        "number the rows of each group",
        "top 3 rows of each group",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A running sum, and the row before",
            r#"[{ d: 1, v: 5 }, { d: 2, v: 7 }] >> table.window(order: ["d"], measures: { sum: "running_sum(v)", last: "lag(v)" })"#,
            r#"[{"d":1,"v":5,"sum":5,"last":null},{"d":2,"v":7,"sum":12,"last":5}]"#,
        ),
        Example::ok(
            "The first of each group",
            r#"[{ k: "a", v: 1 }, { k: "a", v: 3 }, { k: "b", v: 2 }]
  >> table.window(partition: ["k"], order: ["-v"], keep: 1)"#,
            r#"[{"k":"a","v":3},{"k":"b","v":2}]"#,
        ),
        Example::err(
            "No function",
            r#"[{ a: 1 }] >> table.window(measures: { b: "a + 1" })"#,
            "expected a function of a window",
        ),
    ];
}

impl Compute for Window {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let measures = self.measures.parsed("measures")?;
        let names = sorted_names(&self.order);
        let needed = self.partition.iter().chain(names.iter().map(|(name, _)| name));
        let mut table = frame_for(&self.rows.0, needed, measures.iter().map(|(_, it)| it))?;
        let functions: Result<Vec<Kind>, OpError> =
            measures.iter().map(|(name, it)| Ok(function(name, it, &table)?.0)).collect();
        let looks_back = functions?.into_iter().all(Kind::looks_back);
        if let Some(most) = self.most().filter(|_| looks_back) {
            // What is not kept decides nothing.
            table = self.kept(&table, &names, most)?;
        }
        let sort = Order::of(&names, &table)?;
        let by = self.partitions(&table)?;
        let sorted = order_within(&sort.keys(), &by);
        let tied = ties(&sort.columns());
        let mut result = table.clone();
        for (name, measure) in &measures {
            cx.check()?;
            let (of, input) = function(name, measure, &table)?;
            let made = window(of, input.as_deref(), &by, &sorted, &tied);
            result = result.with_column(name.clone(), Arc::new(made.map_err(wrong)?));
        }
        if let Some(most) = self.most().filter(|_| !looks_back) {
            result = result.take(&first_within(&sort.keys(), &by, most));
        }
        given(result, cx)
    }
}

impl Window {
    fn most(&self) -> Option<usize> {
        usize::try_from(self.keep).ok().filter(|it| *it > 0)
    }

    fn partitions(&self, table: &Frame) -> Result<Groups, OpError> {
        Ok(groups(&table.columns_of(&self.partition).map_err(wrong)?, table.len()))
    }

    /// The first rows of each partition.
    fn kept(&self, table: &Frame, names: &[(Text, bool)], most: usize) -> Result<Frame, OpError> {
        let sort = Order::of(names, table)?;
        Ok(table.take(&first_within(&sort.keys(), &self.partitions(table)?, most)))
    }
}

/// The columns that order a partition, and whether each descends.
struct Order<'a>(Vec<(&'a Column<Value>, bool)>);

impl<'a> Order<'a> {
    fn of(names: &[(Text, bool)], table: &'a Frame) -> Result<Self, OpError> {
        let column = |(name, descends): &(Text, bool)| {
            let column: &Column<Value> = table.column(name).map_err(wrong)?;
            Ok((column, *descends))
        };
        names.iter().map(column).collect::<Result<_, _>>().map(Self)
    }

    fn keys(&self) -> Vec<Key<'a, Value>> {
        self.0.iter().map(|(column, descends)| Key { column, descends: *descends }).collect()
    }

    fn columns(&self) -> Vec<&'a Column<Value>> {
        self.0.iter().map(|(column, _)| *column).collect()
    }
}

/// The function of a window, and the column that it looks at.
type Found = (Kind, Option<Arc<Column<Value>>>);

/// What `count()` counts.
static EVERY_ROW: Expr = Expr::Bool(true);

/// The function that a measure names, and the expression that it looks at.
pub(super) fn shape<'e>(
    name: &Text,
    measure: &'e Expr,
) -> Result<(Kind, Option<&'e Expr>), TableError> {
    let Expr::Call(function, args) = measure else { return Err(no_function(name)) };
    let rows = |it: &Expr| match it {
        Expr::Int(it @ 1..) => Ok(*it),
        _ => {
            let message =
                format!("`measures.{name}`: expected a number of rows that is at least 1");
            Err(TableError::new(message))
        }
    };
    Ok(match (function.as_ref(), args.as_slice()) {
        ("row_number", []) => (Kind::RowNumber, None),
        ("rank", []) => (Kind::Rank, None),
        ("dense_rank", []) => (Kind::DenseRank, None),
        ("lag", [it]) => (Kind::Lag(1), Some(it)),
        ("lag", [it, n]) => (Kind::Lag(rows(n)?), Some(it)),
        ("lead", [it]) => (Kind::Lag(-1), Some(it)),
        ("lead", [it, n]) => (Kind::Lag(-rows(n)?), Some(it)),
        ("running_sum", [it]) => (Kind::RunningSum, Some(it)),
        ("moving_avg", [it, n]) => {
            let rows = usize::try_from(rows(n)?).unwrap_or(usize::MAX);
            (Kind::MovingAvg(rows), Some(it))
        }
        ("count", []) => (Kind::Whole(Measure::Count), Some(&EVERY_ROW)),
        (other, [it]) => match Measure::named(other) {
            Some(measure) => (Kind::Whole(measure), Some(it)),
            None => return Err(no_function(name)),
        },
        _ => return Err(no_function(name)),
    })
}

/// The function that a measure names, and the column that it looks at.
fn function(name: &Text, measure: &Expr, table: &Frame) -> Result<Found, OpError> {
    let (kind, of) = shape(name, measure).map_err(wrong)?;
    let column = of.map(|it| expr::each_row(it, table)).transpose().map_err(wrong)?;
    Ok((kind, column))
}

pub(super) fn no_function(name: &Text) -> TableError {
    TableError::new(format!("`measures.{name}`: expected a function of a window"))
        .help("write for example `row_number()`, `lag(x)`, `running_sum(x)` or `sum(x)`")
}
