//! Tables as ops take and return them: lists of records.

use svc_columns::Table;
use svc_contract::{
    registry::{Max, Scheme},
    value::Value,
};

/// The result of an op whose columns only the run knows.
pub(crate) const ROWS_OUT: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);

/// A table of values of the language.
pub(crate) type Frame = Table<Value>;
