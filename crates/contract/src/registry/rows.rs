//! Tables as params: lists of records, or JSON that is one.

use std::sync::Arc;

use svc_columns::{Builder, Cell, Column, Data, Other as _, Table};

use super::{Field, Max, OpError, Scheme};
use crate::value::{List, Text, Value};

/// The type of any record: a record without fields is narrower than all others.
pub const ANY_RECORD: Scheme = Scheme::Record("record", &[]);

/// The rows of a table.
#[derive(Clone, Debug)]
pub struct Rows(pub List);

/// The same for an op that is a tool: its schema says no more than that it is a list.
#[derive(Clone, Debug)]
pub struct AnyRows(pub List);

impl Rows {
    /// The table as columns.
    pub fn columns(&self) -> Result<Table<Value>, OpError> {
        columns_of(&self.0)
    }
}

impl AnyRows {
    /// The table as columns.
    pub fn columns(&self) -> Result<Table<Value>, OpError> {
        columns_of(&self.0)
    }
}

impl Field for Rows {
    const SCHEME: Scheme = Scheme::OneOf(&[
        Scheme::List(&ANY_RECORD, Max::Unknown),
        Scheme::List(&Scheme::Json, Max::Unknown),
        Scheme::Json,
    ]);

    fn decode(value: Value) -> Option<Self> {
        value.as_list().cloned().map(Self)
    }

    fn encode(self) -> Value {
        Value::List(self.0)
    }
}

impl Field for AnyRows {
    const SCHEME: Scheme =
        Scheme::OneOf(&[Scheme::List(&Scheme::Var('R'), Max::Unknown), Scheme::Json]);

    fn decode(value: Value) -> Option<Self> {
        value.as_list().cloned().map(Self)
    }

    fn encode(self) -> Value {
        Value::List(self.0)
    }
}

/// A list of records as columns; an error that names the first item that is something else.
///
/// JSON has no money and no durations: a column of their texts has amounts. A column of ints and
/// floats has floats.
pub fn columns_of(rows: &List) -> Result<Table<Value>, OpError> {
    let table = rows.columns().map_err(|err| {
        OpError::invalid_input(err.to_string()).help("a table is a list of records")
    })?;
    let columns = table.columns.iter().map(amounts).collect();
    let (names, len) = (table.names.clone(), table.len());
    Ok(Table::new(names, columns, len))
}

/// The column as amounts, if it is one of their texts or of numbers of two kinds; else as it is.
fn amounts(column: &Arc<Column<Value>>) -> Arc<Column<Value>> {
    match &column.data {
        Data::Text(words) => {
            let mut used = words.words.iter();
            let is_amount = |it: &Text| Value::amount(it).is_some();
            if !column.has_values() || !used.next().is_some_and(is_amount) || !used.all(is_amount) {
                return column.clone();
            }
        }
        Data::Other(_) => {
            let is_number = |it: Cell<'_, Value>| {
                matches!(Value::of(it), Value::Null | Value::Int(_) | Value::Float(_))
            };
            if !column.has_values() || !column.cells().all(is_number) {
                return column.clone();
            }
        }
        _ => return column.clone(),
    }
    let mut builder = Builder::default();
    for cell in column.cells() {
        let amount = match cell {
            Cell::Text(it) => Value::amount(it),
            other => f64::decode(Value::of(other)).map(Value::Float),
        };
        match amount {
            Some(it) => builder.push(it.cell()),
            None => builder.push_null(),
        }
    }
    Arc::new(builder.finish())
}
