//! What a function of the interface returns.

use std::{
    ffi::c_char,
    panic::{AssertUnwindSafe, catch_unwind},
};

use svc::{Error, registry::OpError};
use svc_bindings::call_error;

use crate::text::give;

/// The result of a function.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvcStatus {
    /// It worked.
    Ok = 0,
    /// The script is wrong. Nothing ran.
    Check = 1,
    /// The arguments are wrong. Nothing ran.
    Input = 2,
    /// The run failed.
    Run = 3,
    /// The time of the wait is over. The run continues.
    Waiting = 4,
    /// A bug of this library.
    Bug = 5,
}

/// What a function of the interface can fail with.
pub(crate) enum Failure {
    /// The error as its report.
    Error(Box<Error>),
    /// A script that does not check, with its verdict.
    Verdict(String),
    Waiting,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<OpError> for Failure {
    fn from(error: OpError) -> Self {
        call_error(error).into()
    }
}

/// Calls a function of the interface: its text or that of its failure is written to `out`, and
/// nothing unwinds.
pub(crate) fn guarded(
    out: *mut *mut c_char,
    call: impl FnOnce() -> Result<Option<String>, Failure>,
) -> SvcStatus {
    let (status, text) = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(text)) => (SvcStatus::Ok, text),
        Ok(Err(Failure::Waiting)) => (SvcStatus::Waiting, None),
        Ok(Err(Failure::Verdict(verdict))) => (SvcStatus::Check, Some(verdict)),
        Ok(Err(Failure::Error(error))) => failed(&error),
        Err(_) => {
            let bug = call_error(OpError::bug("svc panicked; this is a bug of svc"));
            (SvcStatus::Bug, failed(&bug).1)
        }
    };
    give(out, text);
    status
}

fn failed(error: &Error) -> (SvcStatus, Option<String>) {
    let status = match error {
        Error::Check(_) => SvcStatus::Check,
        Error::Input { .. } => SvcStatus::Input,
        _ => SvcStatus::Run,
    };
    (status, serde_json::to_string(&error.report()).ok())
}
