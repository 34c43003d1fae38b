//! Rows of a result as a param of a script of this crate.

use svc_columns::{Column, Data, Kind, Table};
use svc_contract::{
    registry::OpError,
    value::{NotRows, Text, Value},
};
use svc_engine::Engine;

/// A script over the param `rows`, whose type is that of the table: `json` would make texts of dates.
pub(crate) fn script_over(table: &Table<Value>, rest: &str, engine: &Engine) -> String {
    let of = |row: &str| format!("param rows: [{row}]  {rest}");
    match of(&row_type(table)) {
        it if engine.check(it.as_str()).is_ok() => it,
        // A type cannot spell every name of a column.
        _ => of("json"),
    }
}

/// Why a list is not a table; `no_table` is the error for what was found instead of a record: `int as row 1`.
pub(crate) fn refused(err: NotRows, no_table: impl FnOnce(&str) -> OpError) -> OpError {
    match err {
        NotRows::Item { idx, kind } => no_table(&format!("{kind} as row {}", idx + 1)),
        other => other.into(),
    }
}

/// The type of the rows of a table, as text. What a stored run returned has the types of JSON.
pub(crate) fn row_type(table: &Table<Value>) -> String {
    let fields = table.names.iter().zip(&table.columns);
    let fields: Vec<String> =
        fields.map(|(name, column)| format!("{name}: {}?", type_of(column))).collect();
    if fields.is_empty() { "json".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
}

/// The type of the values of a column.
fn type_of(column: &Column<Value>) -> &'static str {
    match (column.kind(), &column.data) {
        _ if !column.has_values() => "json",
        (Kind::Int, _) => "int",
        (Kind::Float, _) => "float",
        (Kind::Bool, _) => "bool",
        (Kind::Text, _) => "string",
        (Kind::Money, _) => "money",
        (Kind::Duration, _) => "duration",
        (Kind::Time, _) => "time",
        (Kind::Other, Data::Other(values)) => {
            let mut there =
                values.iter().enumerate().filter(|it| column.is_valid(it.0)).map(|it| it.1);
            let first = there.next().map_or("json", of_value);
            if there.all(|it| of_value(it) == first) { first } else { "json" }
        }
        (Kind::Other, _) => "json",
    }
}

fn of_value(value: &Value) -> &'static str {
    match value {
        Value::Date(_) => "date",
        Value::Size(_) => "size",
        Value::Path(_) => "path",
        Value::Bytes(_) => "bytes",
        _ => "json",
    }
}

/// The names of the columns with the types of their values.
pub(crate) fn typed(table: &Table<Value>) -> impl Iterator<Item = (&Text, &'static str)> {
    table.names.iter().zip(table.columns.iter().map(|it| type_of(it)))
}
