//! Errors of ops, worded so that a caller can act on them.

use std::{fmt, io, sync::Arc, time::Duration};

use super::{Advice, Hint};
use crate::{host, value::memory::Full};

macro_rules! kinds {
    ($($kind:ident $name:literal $exit:literal $status:literal $doc:literal,)*) => {
        /// The closed list of error kinds. All bases map them by this one table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $(#[doc = $doc] $kind,)*
        }

        impl ErrorKind {
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The name that scripts use, in `retry_on` and `error.kind`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The exit code of a process whose run failed with this kind.
            pub fn exit_code(self) -> u8 {
                match self {
                    $(Self::$kind => $exit,)*
                }
            }

            /// The HTTP status of a request that failed with this kind. Only a bug is an error of
            /// the server itself; 502 to 504 are those of services that it uses.
            pub fn status(self) -> u16 {
                match self {
                    $(Self::$kind => $status,)*
                }
            }
        }
    };
}

kinds! {
    InvalidInput "invalid_input" 1 422 "The op does not accept a value.",
    NotFound "not_found" 6 404 "A file, record or other named thing does not exist.",
    Unsupported "unsupported" 1 422 "The op does not support this, here or in general.",
    Denied "denied" 1 403 "The host or a policy does not allow it.",
    Timeout "timeout" 8 504 "It took longer than its bound.",
    RateLimit "rate_limit" 1 503 "An external service asks to wait.",
    Unavailable "unavailable" 1 502 "An external service failed; trying again may help.",
    InvalidOutput "invalid_output" 1 502 "The result does not fit the request.",
    Budget "budget" 1 402 "Not enough is left of a cap.",
    Exhausted "exhausted" 1 422 "The turns of a loop, or the memory of a bound, are used up.",
    Cancelled "cancelled" 130 499 "The run was cancelled.",
    Failed "failed" 1 422 "The op or the script reported a failure.",
    Bug "bug" 1 500 "A bug of this program; a script cannot catch it.",
}

impl ErrorKind {
    /// The kinds that are retried by default.
    pub const RETRIED: &'static [Self] =
        &[Self::Timeout, Self::RateLimit, Self::Unavailable, Self::InvalidOutput];

    /// The kinds that an op can raise; the engine raises the others.
    pub const RAISED: &'static [Self] = &[
        Self::InvalidInput,
        Self::NotFound,
        Self::Unsupported,
        Self::Denied,
        Self::Timeout,
        Self::RateLimit,
        Self::Unavailable,
        Self::InvalidOutput,
        Self::Exhausted,
        Self::Failed,
    ];

    /// The kind that a status of an HTTP server means, if it is not a success.
    pub fn of_status(status: u16) -> Self {
        match status {
            404 | 410 => Self::NotFound,
            401 | 403 | 407 | 451 => Self::Denied,
            429 => Self::RateLimit,
            408 | 425 | 500..=599 => Self::Unavailable,
            400..=499 => Self::InvalidInput,
            _ => Self::Failed,
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }
}

impl ErrorKind {
    /// The kinds with which a call of a server of others can fail.
    pub const OF_SERVERS: &'static [Self] = &[
        Self::NotFound,
        Self::Unsupported,
        Self::Denied,
        Self::RateLimit,
        Self::Unavailable,
        Self::InvalidOutput,
        Self::Failed,
    ];
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error of an op. It has no place: the engine adds it.
#[derive(Clone, Debug)]
pub struct OpError {
    pub kind: ErrorKind,
    pub message: String,
    /// The help line, if any.
    pub help: Option<String>,
    /// What the help line is about, if a program may word it.
    pub hint: Option<Box<Hint>>,
    /// The wait before the next attempt that the other side asks for.
    pub retry_after: Option<Duration>,
    pub source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl OpError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            hint: None,
            retry_after: None,
            source: None,
        }
    }

    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "cancelled")
    }

    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Bug, message)
    }

    /// An error of the file system, with the affected path.
    pub fn io(err: std::io::Error, path: &std::path::Path) -> Self {
        use std::io::ErrorKind as Io;
        let path = path.display();
        let (kind, why) = match err.kind() {
            Io::NotFound => (ErrorKind::NotFound, "it does not exist".to_owned()),
            Io::NotADirectory => (ErrorKind::NotFound, "a part of it is a file".to_owned()),
            Io::PermissionDenied => {
                let why = host::refused(&err).unwrap_or("permission denied").to_owned();
                (ErrorKind::Denied, why)
            }
            Io::IsADirectory => (ErrorKind::InvalidInput, "it is a folder".to_owned()),
            Io::FileTooLarge | Io::InvalidInput => (ErrorKind::InvalidInput, err.to_string()),
            Io::StorageFull | Io::QuotaExceeded => (ErrorKind::Failed, "no space left".to_owned()),
            _ => (ErrorKind::Failed, err.to_string()),
        };
        Self::new(kind, format!("cannot use `{path}`: {why}")).because(err)
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<Advice>) -> Self {
        let (help, hint) = help.into().parts();
        (self.help, self.hint) = (Some(help), hint.map(Box::new));
        self
    }

    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Adds the cause, for logs.
    #[must_use]
    pub fn because(mut self, err: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(err));
        self
    }
}

/// The source of an error because of which a state contradicts what was asked: a second answer, a change
/// that came too late. For a script it is a failure like others; a service says that it is a conflict.
#[derive(Clone, Copy, Debug)]
pub struct Conflict;

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the state contradicts this")
    }
}

impl std::error::Error for Conflict {}

impl Conflict {
    /// Whether an error, or one of its sources, is one.
    pub fn is_in(error: &OpError) -> bool {
        let first = error.source.as_deref().map(|it| it as &(dyn std::error::Error + 'static));
        std::iter::successors(first, |it| it.source()).any(<dyn std::error::Error>::is::<Self>)
    }
}

/// The kind follows that of the error; the message is its text.
impl From<io::Error> for OpError {
    fn from(err: io::Error) -> Self {
        use io::ErrorKind as Io;
        let kind = match err.kind() {
            Io::NotFound => ErrorKind::NotFound,
            Io::PermissionDenied => ErrorKind::Denied,
            Io::TimedOut => ErrorKind::Timeout,
            Io::ConnectionRefused | Io::ConnectionReset | Io::HostUnreachable => {
                ErrorKind::Unavailable
            }
            _ => ErrorKind::Failed,
        };
        Self::new(kind, err.to_string()).because(err)
    }
}

/// An error of the program that an op belongs to.
impl From<Box<dyn std::error::Error + Send + Sync>> for OpError {
    fn from(err: Box<dyn std::error::Error + Send + Sync>) -> Self {
        let failed = Self::failed(err.to_string());
        Self { source: Some(err.into()), ..failed }
    }
}

/// An op fails when the memory is exhausted. The engine adds which bound it was.
impl From<Full> for OpError {
    fn from(full: Full) -> Self {
        Self::new(ErrorKind::Exhausted, full.to_string())
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OpError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|it| it.as_ref() as _)
    }
}
