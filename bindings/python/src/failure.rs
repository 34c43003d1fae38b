//! Errors of the engine, for Python.

use std::error::Error as _;

use pyo3::prelude::*;
use svc::{Error, diag::Style, registry::OpError};

/// An error as Python gets it: its report as JSON, its text, and the exception of an op that
/// caused it.
pub(crate) type Failure = (String, String, Option<Py<PyAny>>);

pub(crate) fn failure(py: Python<'_>, error: &Error) -> Failure {
    let report = serde_json::to_string(&error.report()).unwrap_or_default();
    let cause = cause(error).map(|it| it.clone_ref(py).into_value(py).into_any());
    (report, error.render(Style::Plain), cause)
}

/// The same for a call that is wrong itself.
pub(crate) fn wrong_call(py: Python<'_>, error: OpError) -> Failure {
    failure(py, &svc_bindings::call_error(error))
}

/// The exception that an op raised.
fn cause(error: &Error) -> Option<&PyErr> {
    let mut next = error.source();
    while let Some(it) = next {
        if let Some(raised) = it.downcast_ref::<PyErr>() {
            return Some(raised);
        }
        next = it.source();
    }
    None
}
