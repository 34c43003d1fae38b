//! Why a call has no result, as every base reports it.

use std::{fmt, time::Duration};

use svc_contract::{
    registry::{Conflict, ErrorKind, OpError},
    store::{StoreError, StoreErrorKind},
};
use svc_engine::Error;
use svc_lang::diag::{Code, Problem, Report, Span};

/// The wait until there may be space again.
const ROOM: Duration = Duration::from_secs(10);

/// A call without a result.
#[derive(Clone, Debug)]
pub struct Fault {
    pub why: Why,
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// The fields of the request that are wrong.
    pub fields: Vec<FieldFault>,
    /// The wait after which the same call may succeed.
    pub retry_after: Option<Duration>,
    /// How a caller gets what lets it in, as the header `WWW-Authenticate` says it.
    pub challenge: Option<Box<Challenge>>,
}

/// A value of the header `WWW-Authenticate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge(pub String);

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The op or the run failed with this kind.
    Op(ErrorKind),
    /// The script of the call does not pass the check.
    Check,
    /// The request cannot be read.
    Malformed,
    /// No key, or one that is not accepted.
    Unauthorized,
    /// The caller has passed a limit of its role.
    Rate,
    /// Too much runs at the same time, or no space is left.
    Busy,
    /// The server is about to stop.
    Stopping,
    /// It contradicts the state of what it names.
    Conflict,
    /// More was sent than is accepted.
    TooLarge,
    /// The body has a format that is not accepted.
    Format,
    /// The path exists, with other methods.
    Method,
    /// The caller took too long to send the request.
    Slow,
}

/// A wrong field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    /// Its path: `steps[1].params.top_k`; empty for the whole request.
    pub field: String,
    pub message: String,
}

impl Why {
    /// The name that programs see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Op(kind) => kind.name(),
            Self::Check => "check",
            Self::Malformed => "malformed",
            Self::Unauthorized => "unauthorized",
            Self::Rate => "rate_limit",
            Self::Busy => "busy",
            Self::Stopping => "stopping",
            Self::Conflict => "conflict",
            Self::TooLarge => "too_large",
            Self::Format => "unsupported_format",
            Self::Method => "method_not_allowed",
            Self::Slow => "request_timeout",
        }
    }

    /// The HTTP status with the same meaning.
    pub fn status(self) -> u16 {
        match self {
            Self::Op(kind) => kind.status(),
            Self::Check => 422,
            Self::Malformed => 400,
            Self::Unauthorized => 401,
            Self::Method => 405,
            Self::Slow => 408,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::Format => 415,
            Self::Rate => 429,
            Self::Busy | Self::Stopping => 503,
        }
    }
}

impl Fault {
    pub fn new(why: Why, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { why, message, help: None, fields: Vec::new(), retry_after: None, challenge: None }
    }

    /// The same with a value of `WWW-Authenticate`.
    #[must_use]
    pub(crate) fn challenge(self, challenge: String) -> Self {
        Self { challenge: Some(Box::new(Challenge(challenge))), ..self }
    }

    /// The value of the header `WWW-Authenticate`, if its answer has one.
    pub fn authenticate(&self) -> Option<&str> {
        let plain = (self.why == Why::Unauthorized).then_some("Bearer");
        self.challenge.as_deref().map(|it| it.0.as_str()).or(plain)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Why::Op(ErrorKind::NotFound), message)
    }

    /// The book of the service cannot be used now.
    pub(crate) fn of_book(error: StoreError) -> Self {
        let fault = Self::from(error);
        match fault.why {
            Why::Op(ErrorKind::Failed) => {
                Self { why: Why::Busy, ..fault }.retry_after(Duration::from_secs(1))
            }
            _ => fault,
        }
    }

    /// A wrong field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        let (field, message) = (field.into(), message.into());
        let whole = if field.is_empty() { message.clone() } else { format!("{field}: {message}") };
        let fields = vec![FieldFault { field, message }];
        Self { fields, ..Self::new(Why::Op(ErrorKind::InvalidInput), whole) }
    }

    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    #[must_use]
    pub fn help_opt(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }

    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// The fault of a script.
    pub fn of_run(error: &Error) -> Self {
        match error {
            Error::Check(report) => Self::of_check(report),
            Error::Input { error, .. } => {
                let fault = Self::from(&error.error);
                let field = error.param.clone().unwrap_or_default();
                let message = fault.message.clone();
                Self { fields: vec![FieldFault { field, message }], ..fault }
            }
            Error::Run { source, error } => {
                let fault = Self::from(&error.error);
                let source = error.source.as_ref().unwrap_or(source);
                if error.span == Span::default() {
                    return fault;
                }
                let (line, column) = source.position(error.span.start);
                let message = format!("{}:{line}:{column}: {}", source.name(), fault.message);
                Self { message, ..fault }
            }
            // A new way to fail is one of the run.
            other => {
                Self::new(Why::Op(other.kind().unwrap_or(ErrorKind::Failed)), other.to_string())
            }
        }
    }

    pub(crate) fn of_check(report: &Report) -> Self {
        let name = report.source.name();
        let field = |problem: &Problem| {
            let (line, column) = report.source.position(problem.span().start);
            let help = problem.help.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
            FieldFault {
                field: format!("{name}:{line}:{column}"),
                message: format!("{}: {}{help}", problem.code.as_str(), problem.message),
            }
        };
        let fields: Vec<FieldFault> = report.errors().map(field).collect();
        let message = match fields.as_slice() {
            [one] => format!("the script has an error: {}", one.message),
            all => format!("the script has {} errors", all.len()),
        };
        let why = report.errors().next().map_or(Why::Check, why);
        Self { fields, ..Self::new(why, message) }
    }
}

/// The kind of a problem: what a policy refuses is denied, and a cap that cannot be kept has not
/// enough.
fn why(problem: &Problem) -> Why {
    Why::Op(match problem.code {
        Code::E315 => ErrorKind::Denied,
        Code::E309 if problem.message.contains("timeout") => ErrorKind::Timeout,
        Code::E309 | Code::E310 | Code::E311 => ErrorKind::Budget,
        _ => return Why::Check,
    })
}

/// The error of the store because of which an op or a run failed.
pub(crate) fn store_error(error: &OpError) -> Option<&StoreError> {
    let cause: &(dyn std::error::Error + 'static) = error.source.as_deref()?;
    cause.downcast_ref()
}

impl From<&OpError> for Fault {
    fn from(error: &OpError) -> Self {
        let is_full = store_error(error).is_some_and(|it| it.kind == StoreErrorKind::Full);
        let why = match error.kind {
            _ if is_full => Why::Busy,
            ErrorKind::Failed if Conflict::is_in(error) => Why::Conflict,
            kind => Why::Op(kind),
        };
        Self {
            why,
            message: error.message.clone(),
            help: error.help.clone(),
            fields: Vec::new(),
            retry_after: error.retry_after.or(is_full.then_some(ROOM)),
            challenge: None,
        }
    }
}

/// A fault of the service inside of an op.
impl From<Fault> for OpError {
    fn from(fault: Fault) -> Self {
        let kind = match fault.why {
            Why::Op(kind) => kind,
            Why::Busy | Why::Stopping => ErrorKind::Unavailable,
            _ => ErrorKind::Failed,
        };
        let error = Self::new(kind, fault.message);
        let error = if fault.why == Why::Conflict { error.because(Conflict) } else { error };
        match fault.help {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

impl From<OpError> for Fault {
    fn from(error: OpError) -> Self {
        Self::from(&error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let why = match error.kind {
            StoreErrorKind::NotFound | StoreErrorKind::Ambiguous => Why::Op(ErrorKind::NotFound),
            StoreErrorKind::Claimed { .. } => Why::Conflict,
            StoreErrorKind::Full => Why::Busy,
            _ => Why::Op(ErrorKind::Failed),
        };
        let retry_after = (why == Why::Busy).then_some(ROOM);
        Self { retry_after, ..Self::new(why, error.message).help_opt(error.help) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
