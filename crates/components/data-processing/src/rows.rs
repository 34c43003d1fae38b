//! Tables as ops take and return them: lists of records.

use std::sync::Arc;

use svc_columns::{Builder, Cell, Column, Kind, Other as _, Table};
use svc_contract::{
    registry::{Field, Max, Scheme},
    value::Value,
};

/// The result of an op whose columns only the run knows.
pub(crate) const ROWS_OUT: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);

/// A table of values of the language.
pub(crate) type Frame = Table<Value>;

/// The column as floats, if its values are ints and floats, as numbers of JSON are; else as it is.
pub(crate) fn unified(column: &Arc<Column<Value>>) -> Arc<Column<Value>> {
    let is_number = |it: Cell<'_, Value>| {
        matches!(Value::of(it), Value::Null | Value::Int(_) | Value::Float(_))
    };
    if column.kind() != Kind::Other || !column.cells().all(is_number) || !column.has_values() {
        return column.clone();
    }
    let mut builder = Builder::default();
    for cell in column.cells() {
        match f64::decode(Value::of(cell)) {
            Some(it) => builder.push(Cell::Float(it)),
            None => builder.push_null(),
        }
    }
    Arc::new(builder.finish())
}
