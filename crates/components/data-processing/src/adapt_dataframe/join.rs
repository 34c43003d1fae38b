//! Rows of two tables that belong together.

use std::{collections::HashSet, sync::Arc};

use svc_columns::{Column, How as Kind, Pairs, asof, join};
use svc_contract::{
    choices,
    registry::{CheckCall, Compute, Cx, ErrorKind, Example, Generic, Op, OpError, Scheme, params},
    value::{Text, Value, arithmetic::LONGEST_LIST},
};

use super::{Frame, ROWS_OUT, Rows, given, wrong};

choices! {
    /// Which rows a join keeps.
    pub(super) enum How {
        Inner = "inner",
        Left = "left",
        Full = "full",
        Semi = "semi",
        Anti = "anti",
        Asof = "asof",
    }
}

params! {
    /// Joins two tables on columns that are equal in both.
    ///
    /// `inner` keeps the pairs of rows that match, `left` also rows without a match, `full` those of both sides;
    /// `semi` keeps the rows on the left that match something, `anti` those that match nothing. `asof` gives each
    /// row on the left the last row of `other` that is equal in all columns but the last of `on`, and not
    /// after it in that one: prices at the time of an order. Null matches nothing.
    ///
    /// A column of `other` whose name the left side has gets `_right` at its end. The rows are in the order
    /// of the left table. A join of more than 10,000,000 rows is refused with its size, before
    /// any row is made.
    pub(super) struct Join {
        /// The rows on the left.
        rows: Rows,
        /// The rows on the right.
        other: Rows,
        /// The columns that must be equal.
        #[filled]
        on: Vec<Text>,
        /// Which rows are kept.
        how: How = How::Inner,
    }
}

impl Op for Join {
    const NAME: &'static str = "join";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const CHECK: Option<CheckCall> = Some(super::known::join);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "join two tables on a key",
        "left join of orders and customers",
        "rows of one table that are not in the other",
        "look up columns in another table",
        "price at the time of each trade, asof join",
        "merge data frames",
        "sql join of two lists of records",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Left",
            r#"let towns = [{ id: 1, town: "Oslo" }]
[{ id: 1, n: 5 }, { id: 2, n: 6 }] >> table.join(other: towns, on: ["id"], how: "left")"#,
            r#"[{"id":1,"n":5,"town":"Oslo"},{"id":2,"n":6,"town":null}]"#,
        ),
        Example::ok(
            "The last price before each order",
            r#"let prices = [{ t: 1, price: 10 }, { t: 5, price: 12 }]
[{ t: 4 }, { t: 6 }] >> table.join(other: prices, on: ["t"], how: "asof")"#,
            r#"[{"t":4,"t_right":1,"price":10},{"t":6,"t_right":5,"price":12}]"#,
        ),
        Example::err(
            "An unknown column",
            r#"[{ id: 1 }] >> table.join(other: [{ key: 1 }], on: ["id"])"#,
            "`other`: missing column `id`, found `key`",
        ),
        Example::err(
            "A join that explodes",
            r#"let rows = range(1, 4001) >> each { { a: 1 } }
rows >> table.join(other: rows, on: ["a"])"#,
            "the join would have 16000000 rows (limit 10000000)",
        ),
    ];
}

impl Compute for Join {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (left, right) = (self.rows.columns()?, self.other.columns()?);
        let joined = joined(&left, &right, &self.on, self.how, cx)?;
        given(joined, cx)
    }
}

fn joined(left: &Frame, right: &Frame, on: &[Text], how: How, cx: &Cx) -> Result<Frame, OpError> {
    let of = |table: &Frame| -> Result<Vec<Arc<Column<Value>>>, svc_columns::TableError> {
        // A table without rows has no columns that could be missing.
        let null = || Arc::new(Column::nulls(0));
        let find = |it: &Text| {
            if table.is_empty() && table.names.is_empty() {
                return Ok(null());
            }
            table.column(it).cloned()
        };
        on.iter().map(find).collect()
    };
    let left_keys = of(left).map_err(wrong)?;
    let right_keys = of(right).map_err(|err| {
        let message = format!("`other`: {}", err.message);
        wrong(svc_columns::TableError { message, ..err })
    })?;
    let a: Vec<&Column<Value>> = left_keys.iter().map(AsRef::as_ref).collect();
    let b: Vec<&Column<Value>> = right_keys.iter().map(AsRef::as_ref).collect();
    cx.check()?;
    let kind = match how {
        How::Inner => Kind::Inner,
        How::Left => Kind::Left,
        How::Full => Kind::Full,
        How::Semi => Kind::Semi,
        How::Anti => Kind::Anti,
        How::Asof => {
            let (Some((a_at, a)), Some((b_at, b))) = (a.split_last(), b.split_last()) else {
                return Err(OpError::invalid_input(
                    "expected at least one item for `on`, found none",
                ));
            };
            let pairs = asof((a, a_at), (b, b_at));
            return Ok(paired(left, right, on, &pairs, how));
        }
    };
    let pairs = join(&a, &b, (left.len(), right.len()), kind, LONGEST_LIST).map_err(|size| {
        let message = format!("the join would have {size} rows (limit {LONGEST_LIST})");
        OpError::invalid_input(message)
            .help("join on more columns, or make one side unique with `table(by: ..)` before")
    })?;
    Ok(paired(left, right, on, &pairs, how))
}

/// The columns of both sides, for these pairs of rows.
fn paired(left: &Frame, right: &Frame, on: &[Text], pairs: &Pairs, how: How) -> Frame {
    let rows: Vec<u32> = pairs.left.iter().flatten().copied().collect();
    if matches!(how, How::Semi | How::Anti) {
        return left.take(&rows);
    }
    // Where every row of the left table is there once, its columns are those of the result.
    let is_whole =
        rows.len() == pairs.left.len() && rows.iter().zip(0..).all(|(row, at)| *row == at);
    let is_whole = is_whole && rows.len() == left.len();
    let left_rows = (rows.len() == pairs.left.len()).then_some(rows);
    let right_rows: Option<Vec<u32>> = pairs.right.iter().copied().collect();
    let mut names: Vec<Text> = left.names.to_vec();
    let mut columns: Vec<Arc<Column<Value>>> = Vec::new();
    for (name, column) in left.names.iter().zip(&left.columns) {
        if is_whole {
            columns.push(column.clone());
            continue;
        }
        let mut taken = side(column, &pairs.left, left_rows.as_deref());
        // The key of a row that only the right side has.
        if how == How::Full
            && on.contains(name)
            && let Some(other) = right.get(name)
        {
            taken = either(&taken, &other.take_some(&pairs.right), &pairs.left);
        }
        columns.push(Arc::new(taken));
    }
    let at = on.last().filter(|_| how == How::Asof);
    let mut used: HashSet<Text> = names.iter().cloned().collect();
    for (name, column) in right.names.iter().zip(&right.columns) {
        if on.contains(name) && at != Some(name) {
            continue;
        }
        let mut free = name.clone();
        while !used.insert(free.clone()) {
            free = format!("{free}_right").into();
        }
        names.push(free);
        columns.push(Arc::new(side(column, &pairs.right, right_rows.as_deref())));
    }
    Frame::new(names.into(), columns, pairs.left.len())
}

/// The rows of a column: `rows` if each pair has one on this side.
fn side(column: &Column<Value>, pairs: &[Option<u32>], rows: Option<&[u32]>) -> Column<Value> {
    match rows {
        Some(rows) => column.take(rows),
        None => column.take_some(pairs),
    }
}

fn either(left: &Column<Value>, right: &Column<Value>, rows: &[Option<u32>]) -> Column<Value> {
    let mut builder = svc_columns::Builder::default();
    for (row, it) in rows.iter().enumerate() {
        builder.push(if it.is_some() { left.cell(row) } else { right.cell(row) });
    }
    builder.finish()
}
