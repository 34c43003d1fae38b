//! Why a file gives no text.

use std::{fmt, io};

/// Why a file gives no text.
#[derive(Debug)]
pub enum Unreadable {
    Encrypted,
    /// It is not of its format, or not whole, or reading it takes more than it may.
    Damaged(String),
    /// Its pages are pictures, or empty.
    Textless,
    /// It would be read in a process of its own, and the program has none.
    Unsupported,
    /// It was not read, for a reason that is not its own.
    Unread(io::Error),
}

impl Unreadable {
    /// The error of whoever reads it, where that is not the file's own fault.
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
            Self::Textless => f.write_str("it holds no text"),
            Self::Unsupported => f.write_str(
                "it can be hostile and is read in a process of its own, which this program does not provide: call `svc::is_worker()` first of all in its `main`",
            ),
            Self::Unread(err) => write!(f, "it was not read: {err}"),
        }
    }
}
