//! The error of a script without a result.

use std::fmt;

use svc_contract::registry::{ErrorKind, OpError, Usage};
use svc_lang::diag::{Code, Problem, Report, Source, Span, Style, visible};

use crate::run::{InDoubt, Partial, RunError};

/// The error of a script without a result: it does not pass the check, its inputs are wrong, or
/// its run failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// Nothing ran.
    Check(Report),
    /// The given values do not fit the script's inputs, or the run needs another runtime.
    /// Nothing ran.
    Input { source: Source, error: Box<RunError> },
    /// The run failed at a place of the script.
    Run { source: Source, error: Box<RunError> },
}

impl Error {
    /// The kind of a run's failure; `None` for a script that does not pass the check.
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Check(_) => None,
            Self::Input { error, .. } | Self::Run { error, .. } => Some(error.kind()),
        }
    }

    /// What was used until then.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Check(_) => Usage::default(),
            Self::Input { error, .. } | Self::Run { error, .. } => error.usage,
        }
    }

    /// The whole message, with the affected lines of the script. Terminal control characters
    /// and invisible characters are escaped.
    pub fn render(&self, style: Style) -> String {
        match self {
            Self::Check(report) => report.render(style),
            Self::Input { error, .. } if error.span == Span::default() => placeless(error),
            Self::Input { source, error } | Self::Run { source, error } => {
                let source = error.source.as_ref().unwrap_or(source);
                Report::new(source.clone(), vec![run_problem(error)]).render(style)
            }
        }
    }

    /// The write that an earlier run started, and whose outcome is unknown, if the run failed
    /// because of that: [`Request::retry_write`](crate::Request::retry_write) allows it to be
    /// repeated.
    pub fn write_in_doubt(&self) -> Option<&str> {
        let Self::Run { error, .. } = self else { return None };
        let cause: &(dyn std::error::Error + 'static) = error.error.source.as_deref()?;
        cause.downcast_ref::<InDoubt>().map(|it| it.path.as_str())
    }

    /// The parts that were finished when a call could not be funded.
    pub fn partial(&self) -> Option<&Partial> {
        match self {
            Self::Run { error, .. } => error.partial.as_deref(),
            Self::Check(_) | Self::Input { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(report) => report.fmt(f),
            Self::Input { source, error } | Self::Run { source, error } => {
                let source = error.source.as_ref().unwrap_or(source);
                let (line, column) = source.position(error.span.start);
                write!(f, "{}:{line}:{column}: {}: {error}", source.name(), error.kind())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Check(_) => None,
            Self::Input { error, .. } | Self::Run { error, .. } => Some(error.as_ref()),
        }
    }
}

/// A failure without a place in the script.
fn placeless(error: &RunError) -> String {
    let help = error.error.help.as_ref().map_or_else(String::new, |it| format!("  help: {it}\n"));
    let text = format!("  × error[{}]: {error}\n{help}", code_of(error.kind()));
    visible(&text).into_owned()
}

/// A failure of a run as a problem of the script.
pub(super) fn run_problem(error: &RunError) -> Problem {
    let OpError { help, hint, .. } = &error.error;
    let label =
        if error.path.is_empty() { "here".to_owned() } else { format!("in `{}`", error.path) };
    let mut problem = Problem::error(code_of(error.kind()), error.span, error.to_string())
        .label(label)
        .help_opt(help.clone());
    problem.hint.clone_from(hint);
    match exceeded_cap(error) {
        Some(span) => problem.also(span, "this cap cannot fund it"),
        None => problem,
    }
}

/// The cap that could not fund a call, if it is in the same file.
fn exceeded_cap(error: &RunError) -> Option<Span> {
    let name = |it: &Option<Source>| it.as_ref().map(|it| it.name().to_owned());
    let cap = error.cap.as_ref()?;
    (name(&cap.source) == name(&error.source)).then_some(cap.span)
}

/// The code of an error kind, so that a run's failure can be looked up like any other problem.
pub(super) fn code_of(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::InvalidInput => Code::E401,
        ErrorKind::NotFound => Code::E402,
        ErrorKind::Unsupported => Code::E403,
        ErrorKind::Denied => Code::E404,
        ErrorKind::Timeout => Code::E405,
        ErrorKind::RateLimit => Code::E406,
        ErrorKind::Unavailable => Code::E407,
        ErrorKind::InvalidOutput => Code::E408,
        ErrorKind::Budget => Code::E409,
        ErrorKind::Exhausted => Code::E410,
        ErrorKind::Cancelled => Code::E411,
        ErrorKind::Failed => Code::E412,
        ErrorKind::Bug => Code::E413,
    }
}
