//! Tables as params: lists of records, or JSON that is one.

use svc_columns::Table;

use super::{Cx, Field, Foreseen, KnownCall, Max, Misuse, OpError, Part, Scheme};
use crate::value::{List, NotRows, Text, Type, Value};

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

impl Scheme {
    /// Whether it is that of [`AnyRows`].
    pub const fn is_any_rows(self) -> bool {
        matches!(self, Self::OneOf([Self::List(Self::Var('R'), _), Self::Json]))
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
    rows.columns().map_err(Into::into)
}

/// The same for a call that may be cancelled.
pub fn columns_of_call(rows: &List, cx: &Cx) -> Result<Table<Value>, OpError> {
    rows.columns_unless(&|| cx.cancel.is_cancelled()).map_err(Into::into)
}

impl From<NotRows> for OpError {
    fn from(err: NotRows) -> Self {
        match err {
            NotRows::Item { .. } => {
                Self::invalid_input(err.to_string()).help("a table is a list of records")
            }
            NotRows::Sparse { .. } => Self::invalid_input(err.to_string())
                .help("write the names that change as values: `{ name: .., value: .. }`"),
            NotRows::Full(full) => full.into(),
            NotRows::Stopped => Self::cancelled(),
        }
    }
}

/// Tests that the arguments `params`, which are names of columns or lists of such, name columns of
/// the argument `rows`, as far as its type has them.
///
/// # Errors
///
/// The first name that no column has.
pub fn check_columns(call: &KnownCall<'_>, rows: &str, params: &[&'static str]) -> Foreseen {
    for param in params {
        match call.value(param) {
            Some(Value::Text(name)) => check_column(call, rows, param, Part::Whole, name)?,
            Some(Value::List(all)) => {
                for (idx, it) in all.iter().enumerate() {
                    let Value::Text(name) = it else { continue };
                    check_column(call, rows, param, Part::Item(idx), name)?;
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Checks the name of one column, which stands in a part of an argument.
///
/// # Errors
///
/// No column has the name.
pub fn check_column(
    call: &KnownCall<'_>,
    rows: &str,
    param: &'static str,
    part: Part,
    name: &Text,
) -> Result<(), Box<Misuse>> {
    let Some(Type::List(row, _)) = call.ty(rows) else { return Ok(()) };
    let Type::Record(of) = row.as_ref() else { return Ok(()) };
    if of.get(name).is_some() {
        return Ok(());
    }
    let known: Vec<Text> = of.fields.iter().map(|(name, _)| name.clone()).collect();
    Err(Box::new(Misuse::no_column(param, part, name, &known)))
}
