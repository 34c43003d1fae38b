//! Reasons why a file has no readable text.

use std::{fmt, io};

use svc_contract::registry::{ErrorKind, OpError};

/// Why a file has no readable text.
#[derive(Debug)]
pub enum Unreadable {
    Encrypted,
    /// The file does not have its format, is incomplete, or takes too many resources to read.
    Damaged(String),
    /// The pages of the file are images, or empty.
    Textless,
    /// The file must be read in a worker process, which the program does not provide.
    Unsupported,
    /// The file was not read, for a reason outside the file.
    Unread(io::Error),
}

impl Unreadable {
    /// The error of an op that reads this: `the page`, or a name.
    pub fn error(&self, what: impl fmt::Display) -> OpError {
        let message = format!("cannot read {what}: {self}");
        match self {
            Self::Encrypted => OpError::new(ErrorKind::Unsupported, message)
                .help("save it without a password first"),
            Self::Damaged(_) | Self::Textless => OpError::invalid_input(message),
            Self::Unsupported => OpError::new(ErrorKind::Unsupported, message).help(
                "run it with the `svc` program, or set up a worker process as in docs/embedding.md",
            ),
            Self::Unread(_) => OpError::failed(message),
        }
    }

    /// Returns an error for the reader if the cause is outside the file.
    pub(super) fn io(self) -> Result<Self, io::Error> {
        match self {
            Self::Encrypted | Self::Damaged(_) | Self::Textless => Ok(self),
            Self::Unsupported => Err(io::Error::new(io::ErrorKind::Unsupported, self.to_string())),
            Self::Unread(err) => Err(err),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encrypted => f.write_str("it is encrypted"),
            Self::Damaged(why) => f.write_str(why),
            Self::Textless => f.write_str("it contains no text"),
            Self::Unsupported => f.write_str(
                "it must be read in a worker process, which this program does not provide: call `svc::is_worker()` first of all in its `main`",
            ),
            Self::Unread(err) => write!(f, "it was not read: {err}"),
        }
    }
}
