//! Work for worker processes: its limits, and the reasons for a missing answer.

use std::{io, time::Duration};

/// The process for a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// A process that did no work before and does none afterwards.
    Fresh,
    /// A process that may do further work of the same kind afterwards.
    Kept,
}

/// The limits of a worker process.
pub struct WorkerLimits<'a> {
    pub process: Process,
    /// The address space in bytes.
    pub memory: u64,
    /// The CPU time.
    pub processor: Duration,
    /// The time that the caller waits for the answer.
    pub time: Duration,
    /// The maximum size of the answer in bytes.
    pub answer: u64,
    /// Returns whether the answer is still wanted.
    pub goes_on: &'a dyn Fn() -> bool,
}

/// The reason why a worker process returned no answer.
#[derive(Debug)]
pub enum WorkerError {
    /// The program cannot be started as a worker, because it does not call
    /// `svc::is_worker`.
    Unsupported,
    /// The answer is not wanted any more.
    Cancelled,
    /// The process exceeded its memory limit.
    Memory,
    /// The process exceeded its CPU time.
    Processor,
    /// The answer was not ready in time.
    Late,
    /// The answer exceeded its size limit.
    TooLarge,
    Crashed,
    /// The process could not be started, or was killed.
    Lost(io::Error),
}
