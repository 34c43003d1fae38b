//! Groups of rows, and what is measured of them.

use std::sync::Arc;

use svc_columns::{Groups, expr, groups};
use svc_contract::{
    registry::{CheckCall, Compute, Cx, ErrorKind, Example, Generic, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::{Exprs, Frame, ROWS_OUT, Rows, frame_for, given, one_expr, wrong};

params! {
    /// Groups the rows of a table by some columns, and measures each group.
    ///
    /// `measures` has an expression for each new column: `{ total: "sum(price * qty)", n: "count()" }`. The
    /// measures are `count()`, `count(x)`, `distinct(x)`, `sum(x)`, `avg(x)`, `min(x)`, `max(x)`, `first(x)`, `last(x)`,
    /// `median(x)`, `quantile(x, 0.9)`, `variance(x)`, `stddev(x)` and `corr(x, y)`; rows without a value do
    /// not count. `having` is a condition for groups. Without `by`, all rows are one group; without
    /// `measures`, the result has each combination once. The groups are in the order of their first rows.
    ///
    /// `table<Row>` also checks that the rows are a `Row`. A missing column, an invalid expression and
    /// a sum beyond the range of an int are errors of kind `invalid_input`.
    pub(super) struct Infer {
        /// The rows.
        rows: Rows,
        /// The columns whose values make a group.
        by: Vec<Text> = Vec::new(),
        /// The new columns, each with its expression.
        measures: Exprs = Exprs::none(),
        /// The groups to keep.
        having: Option<Text> = None,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const CHECK: Option<CheckCall> = Some(super::known::groups);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "group rows by a column and sum another one",
        "total revenue per region",
        "group by with sum, average, median and count",
        "aggregate a table",
        "sql group by and having",
        "number of orders per customer",
        "correlation of two columns in each group",
        "standard deviation per category",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Totals by region",
            r#"[{ region: "n", v: 1 }, { region: "s", v: 2 }, { region: "n", v: 4 }]
  >> table(by: ["region"], measures: { total: "sum(v)", n: "count()" })"#,
            r#"[{"region":"n","total":5,"n":2},{"region":"s","total":2,"n":1}]"#,
        ),
        Example::ok(
            "Typed rows of large groups",
            r#"[{ k: "a", v: 1 }, { k: "b", v: 5 }] >> table<{ k: string, top: float }>(by: ["k"], measures: { top: "max(v) * 1.5" }, having: "max(v) > 2")"#,
            r#"[{"k":"b","top":7.5}]"#,
        ),
        Example::err(
            "An unknown column",
            r#"[{ a: 1 }] >> table(by: ["b"])"#,
            "missing column `b`, found `a`",
        ),
        Example::err(
            "No measure",
            r#"[{ a: 1, b: 2 }] >> table(by: ["a"], measures: { b: "b" })"#,
            "column `b` has several values in a group",
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let measures = self.measures.parsed("measures")?;
        let having = self.having.as_ref().map(|it| one_expr("having", it)).transpose()?;
        let exprs = measures.iter().map(|(_, it)| it).chain(&having);
        let table = frame_for(&self.rows.0, &self.by, exprs)?;
        cx.check()?;
        let grouped = grouped(&table, &self.by, &measures, having.as_ref(), cx)?;
        given(grouped, cx)
    }
}

/// A row for each group: the columns `by`, and the measures.
pub(super) fn grouped(
    table: &Frame,
    by: &[Text],
    measures: &[(Text, expr::Expr)],
    having: Option<&expr::Expr>,
    cx: &Cx,
) -> Result<Frame, OpError> {
    test_names(by, measures)?;
    let keys = table.columns_of(by).map_err(wrong)?;
    let groups = groups(&keys, table.len());
    let groups = if by.is_empty() { one_group(table.len()) } else { groups };
    let mut columns = Vec::with_capacity(by.len() + measures.len());
    for key in keys {
        columns.push(Arc::new(key.take(&groups.firsts)));
    }
    for (name, measure) in measures {
        cx.check()?;
        let column = expr::each_group(measure, table, &groups, by);
        columns.push(column.map_err(|err| {
            let message = format!("`measures.{name}`: {}", err.message);
            wrong(svc_columns::TableError { message, ..err })
        })?);
    }
    let names = by.iter().chain(measures.iter().map(|(name, _)| name)).cloned().collect();
    let result = Frame::new(names, columns, groups.count());
    let Some(having) = having else { return Ok(result) };
    let kept = expr::each_group(having, table, &groups, by).map_err(wrong)?;
    Ok(result.take(&kept.trues().map_err(wrong)?))
}

/// All rows as one group, also if there are none: their number is then 0.
fn one_group(len: usize) -> Groups {
    Groups { codes: vec![0; len], firsts: vec![0] }
}

fn test_names(by: &[Text], measures: &[(Text, expr::Expr)]) -> Result<(), OpError> {
    let names: Vec<&Text> = by.iter().chain(measures.iter().map(|(name, _)| name)).collect();
    for (idx, name) in names.iter().enumerate() {
        if names[..idx].contains(name) {
            let message = format!("duplicate column `{name}` in the result");
            return Err(OpError::invalid_input(message).help("give each measure a name of its own"));
        }
    }
    Ok(())
}
