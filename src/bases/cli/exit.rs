//! Exit codes, and failures that end a command.

use std::io;

use svc_api::page::PageError;
use svc_contract::registry::OpError;

use super::{keeping, terminal::Terminal};

pub(super) const OK: u8 = 0;
pub(super) const FAILED: u8 = 1;
pub(super) const USAGE: u8 = 2;
pub(super) const NOT_FOUND: u8 = 6;
/// The script does not check.
pub(super) const INVALID: u8 = 7;
pub(super) const INTERRUPTED: u8 = 130;

pub(super) type Result<T> = std::result::Result<T, Failure>;

/// A failure that ends a command. Without a message, the command ends silently.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: u8,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Failure {
    pub(super) fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A failure to read a file that the user named.
    pub(super) fn reading(err: OpError) -> Self {
        Self { code: err.kind.exit_code(), message: err.message, help: err.help }
    }

    /// Writes the message to standard error and returns the exit code.
    pub(super) fn report(&self, terminal: Terminal) -> u8 {
        if !self.message.is_empty() {
            terminal.print_error(&self.message, self.help.as_deref());
        }
        self.code
    }
}

/// A failure to write output.
impl From<io::Error> for Failure {
    fn from(err: io::Error) -> Self {
        match err.kind() {
            // The reader closed the pipe, which is not an error.
            io::ErrorKind::BrokenPipe => Self::new(OK, ""),
            _ => Self::new(FAILED, format!("cannot write the output: {err}")),
        }
    }
}

impl From<PageError> for Failure {
    fn from(err: PageError) -> Self {
        match err {
            PageError::Store(err) => keeping::failure(err),
            PageError::Output(err) => err.into(),
        }
    }
}
