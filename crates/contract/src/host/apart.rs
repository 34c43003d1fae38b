//! Work for a process of its own: what it may use up, and why it may give no answer.

use std::{io, time::Duration};

/// Which process does a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// One that did nothing before and does nothing afterwards.
    Fresh,
    /// One that does further work of the same kind afterwards.
    Kept,
}

/// What a process that works apart may use.
pub struct Apart<'a> {
    pub process: Process,
    /// The bytes of its address space.
    pub memory: u64,
    /// How long it may compute.
    pub processor: Duration,
    /// How long whoever asks waits for the answer.
    pub time: Duration,
    /// The most bytes of the answer.
    pub answer: u64,
    /// Whether the answer is still wanted.
    pub goes_on: &'a dyn Fn() -> bool,
}

/// Why a process that works apart gave no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// No such process can be started: the program does not begin by asking whether it is one.
    Unsupported,
    /// The answer is not wanted any more.
    Cancelled,
    /// The process needed more memory than it may have.
    Memory,
    /// It computed for longer than it may.
    Processor,
    /// It had no answer in time.
    Late,
    /// Its answer was larger than it may be.
    TooLarge,
    Crashed,
    /// It could not be started, or somebody ended it.
    Lost(io::Error),
}
