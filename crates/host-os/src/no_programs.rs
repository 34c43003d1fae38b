//! The programs of a program that was compiled without the feature `exec`: none.

use svc_contract::host::program::{OpenProgram, ProgramCall, ProgramError, RunningProgram};
use tokio_util::sync::CancellationToken;

pub(super) fn run(_: ProgramCall, _: CancellationToken) -> RunningProgram {
    Box::pin(std::future::ready(Err(ProgramError::Unsupported)))
}

pub(super) fn open(_: &ProgramCall) -> Result<OpenProgram, ProgramError> {
    Err(ProgramError::Unsupported)
}

/// Nothing runs.
pub fn kill_programs() {}
