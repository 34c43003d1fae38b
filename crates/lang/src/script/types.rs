//! What the checker and the engine know of inline code, whether this program can run it or not.

use std::sync::Arc;

use svc_contract::{
    host::Host,
    registry::{ErrorKind, OpError},
    value::memory::Account,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A mistake that rhai finds when it compiles code, and its place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub message: String,
    /// The label of the place.
    pub label: &'static str,
    pub help: Option<String>,
    /// The word most likely meant.
    pub meant: Option<String>,
    /// Whether only that word can be meant.
    pub is_sure: bool,
    pub place: (usize, usize),
}

/// The limits and the host of one evaluation.
#[derive(Clone)]
pub struct Watch {
    /// The most operations; never more than [`OPERATIONS`](super::limits::OPERATIONS).
    pub operations: u64,
    pub deadline: Option<Instant>,
    pub cancel: CancellationToken,
    /// The host, which knows the memory of the process.
    pub host: Option<Arc<dyn Host>>,
    /// The memory account of the run, whose limit may be lower than that of code.
    pub memory: Option<Arc<Account>>,
}

/// A failure of inline code, and its place in the file.
#[derive(Clone, Debug)]
pub struct Failure {
    pub error: OpError,
    /// The bytes in the file; the whole code if the place is unknown.
    pub place: (usize, usize),
}

impl Failure {
    /// Whether this program does not support it.
    pub fn is_unsupported(&self) -> bool {
        self.error.kind == ErrorKind::Unsupported
    }
}

/// The end of a run of inline code that did not succeed.
#[derive(Clone, Debug)]
pub enum Ended {
    /// It took more operations than this watch allows, but fewer than the limit.
    Unfinished,
    Failed(Failure),
}
