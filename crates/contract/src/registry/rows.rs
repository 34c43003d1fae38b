//! Tables as params: lists of records, or JSON that is one.

use svc_columns::Table;

use super::{Field, Max, OpError, Scheme};
use crate::value::{List, Value};

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
pub fn columns_of(rows: &List) -> Result<Table<Value>, OpError> {
    rows.columns()
        .map_err(|err| OpError::invalid_input(err.to_string()).help("a table is a list of records"))
}
