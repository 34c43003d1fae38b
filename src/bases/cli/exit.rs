//! Exit codes, and failures that end a command.

use std::io;

use svc_api::{page::PageError, run::FailedJson};
use svc_contract::registry::{ErrorKind, OpError};
use svc_engine::{Error, output};

use super::{
    given, keeping,
    terminal::{self, Terminal},
};

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
    kind: ErrorKind,
    /// The script that does not check, or the input that does not fit.
    error: Option<Box<Error>>,
}

impl Failure {
    pub(super) fn new(code: u8, message: impl Into<String>) -> Self {
        let kind = match code {
            USAGE | INVALID => ErrorKind::InvalidInput,
            NOT_FOUND => ErrorKind::NotFound,
            _ => ErrorKind::Failed,
        };
        Self { code, message: message.into(), help: None, kind, error: None }
    }

    /// A failure that standard error shows already.
    pub(super) fn shown(code: u8, error: Error) -> Self {
        Self { error: Some(Box::new(error)), ..Self::new(code, "") }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A failure to read a file that the user named.
    pub(super) fn reading(err: OpError) -> Self {
        let failure = Self::new(err.kind.exit_code(), err.message);
        Self { help: err.help, kind: err.kind, ..failure }
    }

    /// The failure as an object; `None` if there is nothing to say.
    fn answer(&self) -> Option<output::failure::Failure> {
        if let Some(error) = &self.error {
            return Some(given::answer(error));
        }
        let of_command = || {
            let (message, help) = (self.message.clone(), self.help.clone());
            output::failure::Failure::of_command(self.kind, message, help)
        };
        (!self.message.is_empty()).then(of_command)
    }

    /// Writes the message to standard error and returns the exit code.
    pub(super) fn report(&self, terminal: Terminal) -> u8 {
        if !self.message.is_empty() {
            terminal.print_error(&self.message, self.help.as_deref());
        }
        self.code
    }
}

/// Prints why a command has no result, if it prints JSON.
pub(super) fn answered<T>(json: bool, done: Result<T>) -> Result<T> {
    let failure = done.as_ref().err().filter(|_| json);
    if let Some(error) = failure.and_then(Failure::answer) {
        terminal::print_json(&FailedJson { error })?;
    }
    done
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
