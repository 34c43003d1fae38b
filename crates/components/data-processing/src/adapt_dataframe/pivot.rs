//! Values of a column as columns, and columns as values of a column.

use std::{collections::HashSet, sync::Arc};

use svc_columns::{Builder, Cell, Column, Measure, Other as _, TableError, groups, measure, order};
use svc_contract::{
    registry::{CheckCall, Compute, Cx, ErrorKind, Example, Generic, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::{Frame, ROWS_OUT, Rows, frame_for, given, test_len, wrong};
use crate::rows::unified;

/// The most columns of a result.
const WIDEST: usize = 10_000;

params! {
    /// Makes a column of each value of a column: a cross table.
    ///
    /// The result has a row for each combination of `rows`, and a column for each value of `columns`, in
    /// their order; a cell is the `measure` of `values` in the rows of both, or null if there are none. The
    /// measures are those of `table(..)` with one column: `sum`, `avg`, `count`, `min`, `max`, `first`, `last`, `median`, and so on.
    pub(super) struct Pivot {
        /// The rows of the table.
        table: Rows,
        /// The columns that stay columns.
        rows: Vec<Text>,
        /// The column whose values become columns.
        columns: Text,
        /// The column that is measured.
        values: Text,
        /// What is measured.
        measure: Text = "sum".into(),
    }
}

impl Op for Pivot {
    const NAME: &'static str = "pivot";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const CHECK: Option<CheckCall> = Some(super::known::pivot);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "pivot table of region and year",
        "cross tabulation",
        "one column for each month",
        "turn the values of a column into columns",
        "long to wide",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Years as columns",
            r#"[{ r: "n", y: "2025", v: 1 }, { r: "n", y: "2026", v: 2 }, { r: "s", y: "2026", v: 3 }]
  >> table.pivot(rows: ["r"], columns: "y", values: "v")"#,
            r#"[{"r":"n","2025":1,"2026":2},{"r":"s","2025":null,"2026":3}]"#,
        ),
        Example::err(
            "An unknown measure",
            r#"[{ r: 1, y: 2, v: 3 }] >> table.pivot(rows: ["r"], columns: "y", values: "v", measure: "total")"#,
            "unknown measure `total`",
        ),
    ];
}

impl Compute for Pivot {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let of = Measure::named(&self.measure);
        let of = of.ok_or_else(|| wrong(unknown_measure(&self.measure)))?;
        let table = self.table.columns()?;
        if table.is_empty() {
            let keys = if table.names.is_empty() { &[] } else { self.rows.as_slice() };
            return given(table.select(keys).map_err(wrong)?, cx);
        }
        given(pivoted(&self, of, &table, cx)?, cx)
    }
}

pub(super) fn unknown_measure(name: &str) -> TableError {
    let names = Measure::NAMES.join(", ");
    TableError::new(format!("unknown measure `{name}`")).help(format!("measures: {names}"))
}

fn pivoted(params: &Pivot, of: Measure, table: &Frame, cx: &Cx) -> Result<Frame, OpError> {
    let keys = table.columns_of(&params.rows).map_err(wrong)?;
    let heads = table.column(&params.columns).map_err(wrong)?;
    let values = unified(table.column(&params.values).map_err(wrong)?);
    let rows = groups(&keys, table.len());
    let columns = groups(&[heads.as_ref()], table.len());
    if columns.count() > WIDEST {
        let message = format!(
            "column `{}` has {} values (limit {WIDEST} columns)",
            params.columns,
            columns.count()
        );
        return Err(OpError::invalid_input(message).help("group or filter the rows before"));
    }
    test_len((rows.count() * columns.count()) as u64 / 100)?;
    cx.check()?;
    let row_ids = ids(&rows.codes);
    let column_ids = ids(&columns.codes);
    let cells = groups(&[&row_ids, &column_ids], table.len());
    let measured = measure(of, &values, &cells).map_err(wrong)?;
    let mut places = vec![vec![None; rows.count()]; columns.count()];
    for (cell, first) in cells.firsts.iter().enumerate() {
        let (row, column) = (rows.codes[*first as usize], columns.codes[*first as usize]);
        places[column as usize][row as usize] = u32::try_from(cell).ok();
    }
    let mut names: Vec<Text> = params.rows.clone();
    let mut seen: HashSet<Text> = names.iter().cloned().collect();
    let mut made: Vec<Arc<Column<Value>>> =
        keys.iter().map(|it| Arc::new(it.take(&rows.firsts))).collect();
    let head_values = heads.take(&columns.firsts);
    for column in
        order(&[svc_columns::Key { column: &head_values, descends: false }], columns.count())
    {
        let name = name_of(head_values.cell(column as usize));
        if !seen.insert(name.clone()) {
            let message = format!("duplicate column `{name}` in the result");
            return Err(OpError::invalid_input(message).help("rename a column with `table.derive`"));
        }
        names.push(name);
        made.push(Arc::new(measured.take_some(&places[column as usize])));
    }
    Ok(Frame::new(names.into(), made, rows.count()))
}

fn ids(codes: &[u32]) -> Column<Value> {
    Column::new(svc_columns::Data::Int(codes.iter().map(|it| i64::from(*it)).collect()))
}

/// The text of a cell as a name.
fn name_of(cell: Cell<'_, Value>) -> Text {
    match Value::of(cell) {
        Value::Text(it) | Value::Path(it) => it,
        other => other.to_string().into(),
    }
}

params! {
    /// Makes rows of columns: each of the columns becomes a row with its name and its value.
    ///
    /// The other columns are repeated. The rows of one row of the table follow each other, in the order of
    /// `columns`.
    pub(super) struct Unpivot {
        /// The rows.
        rows: Rows,
        /// The columns that become rows.
        #[filled]
        columns: Vec<Text>,
        /// The column for their names.
        name: Text = "name".into(),
        /// The column for their values.
        value: Text = "value".into(),
    }
}

impl Op for Unpivot {
    const NAME: &'static str = "unpivot";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const CHECK: Option<CheckCall> = Some(super::known::unpivot);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "wide to long",
        "melt a table",
        "months as rows instead of columns",
        "turn columns into rows",
        "one row for each measurement",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two columns",
            r#"[{ id: 1, a: 5, b: 6 }] >> table.unpivot(columns: ["a", "b"])"#,
            r#"[{"id":1,"name":"a","value":5},{"id":1,"name":"b","value":6}]"#,
        ),
        Example::err(
            "An unknown column",
            r#"[{ id: 1 }] >> table.unpivot(columns: ["a"])"#,
            "missing column `a`, found `id`",
        ),
    ];
}

impl Compute for Unpivot {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = frame_for(&self.rows.0, &self.columns, [])?;
        let melted = table.columns_of(&self.columns).map_err(wrong)?;
        let width = melted.len();
        test_len(table.len() as u64 * width as u64)?;
        cx.check()?;
        let len = table.len() * width;
        let repeated: Vec<u32> =
            (0..len).map(|it| u32::try_from(it / width).unwrap_or(u32::MAX)).collect();
        let (mut names, mut columns) = (vec![], vec![]);
        let is_melted: HashSet<&Text> = self.columns.iter().collect();
        for (name, column) in table.names.iter().zip(&table.columns) {
            if !is_melted.contains(name) {
                names.push(name.clone());
                columns.push(Arc::new(column.take(&repeated)));
            }
        }
        for new in [&self.name, &self.value] {
            if names.contains(new) {
                let message = format!("duplicate column `{new}` in the result");
                return Err(
                    OpError::invalid_input(message).help("choose another `name` or `value`")
                );
            }
            names.push(new.clone());
        }
        let (mut heads, mut values) = (Builder::default(), Builder::default());
        for row in 0..table.len() {
            for (name, column) in self.columns.iter().zip(&melted) {
                heads.push_text(name);
                values.push(column.cell(row));
            }
        }
        columns.extend([Arc::new(heads.finish()), Arc::new(values.finish())]);
        given(Frame::new(names.into(), columns, len), cx)
    }
}
