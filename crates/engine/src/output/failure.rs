//! A script without a result as one object for programs, as the commands print it.
//!
//! Its shape is part of the interface: `failure.json` in this folder describes it, and a test
//! keeps both in sync.

use serde::Serialize;
use svc_contract::{
    registry::{ErrorKind, Usage},
    value::Value,
};
use svc_lang::diag::{Severity, Source, Span};

use super::{report::ErrorReport, verdict::Problem};
use crate::{Error, error::code_of, run::Partial};

/// The JSON Schema of an object whose only field `error` is a [`Failure`].
pub const FAILURE_SCHEMA: &str = include_str!("failure.json");

/// The reason why a result is missing, with the partial results of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// `command`, `check`, `input` or `run`: what failed. Only a failed `run` can have had effects.
    pub phase: &'static str,
    /// `budget`, `timeout`, ..: the value of `error.kind` in a script; `None` for a check.
    pub kind: Option<&'static str>,
    /// The code of the first error.
    pub code: &'static str,
    /// The message of the first error.
    pub message: String,
    pub help: Option<String>,
    /// The node that failed, as `found/web/search`; empty for the whole run.
    pub path: String,
    /// The param that was given wrongly or not at all, for an `input` error about one.
    pub param: Option<String>,
    pub component: Option<String>,
    /// The place of the first error; `None` if no script was read.
    pub file: Option<String>,
    pub line: Option<usize>,
    pub column: Option<usize>,
    /// Every problem; a failed run has one.
    pub problems: Vec<Problem>,
    /// The cap in the script that could not fund a call.
    pub cap: Option<FilePlace>,
    pub usage: Used,
    pub partial: Option<Kept>,
}

/// A place and its file; inputs from the caller have no place.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FilePlace {
    pub file: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
}

/// The actual or possible usage of the whole run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Used {
    pub tokens: u64,
    pub cost: String,
}

/// The parts that were finished when a call could not be funded.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Kept {
    pub path: String,
    /// `items`, `branches`, `turns`, `fields`, `lets` or `stages`.
    pub parts: &'static str,
    pub done: usize,
    pub of: usize,
    /// The indexes of the finished items, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<usize>,
    pub value: Value,
    /// The finished parts inside the unfinished ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<Kept>,
}

impl Error {
    /// The error as an object that the commands print.
    pub fn failure(&self) -> Failure {
        let ErrorReport {
            phase,
            kind,
            code,
            message,
            path,
            param,
            component,
            problems,
            cap,
            usage,
            partial,
        } = self.report();
        let first = problems.iter().find(|it| it.severity == Severity::Error.word());
        let place = first.and_then(|it| it.span.as_ref());
        Failure {
            phase,
            kind,
            code,
            message,
            help: first.and_then(|it| it.help.clone()),
            path,
            param,
            component,
            file: first.map(|it| it.file.clone()),
            line: place.map(|it| it.line),
            column: place.map(|it| it.column),
            problems,
            cap,
            usage: usage.unwrap_or_else(|| Usage::default().into()),
            partial,
        }
    }
}

impl Failure {
    /// A command that could not begin: a file is missing, or an option is wrong.
    pub fn of_command(kind: ErrorKind, message: impl Into<String>, help: Option<String>) -> Self {
        Self {
            phase: "command",
            kind: Some(kind.name()),
            code: code_of(kind).as_str(),
            message: message.into(),
            help,
            path: String::new(),
            param: None,
            component: None,
            file: None,
            line: None,
            column: None,
            problems: Vec::new(),
            cap: None,
            usage: Usage::default().into(),
            partial: None,
        }
    }
}

impl From<Usage> for Used {
    fn from(usage: Usage) -> Self {
        Self { tokens: usage.tokens, cost: usage.cost.to_string() }
    }
}

impl FilePlace {
    pub(crate) fn of(source: &Source, span: Span) -> Self {
        let position = (span != Span::default()).then(|| source.position(span.start));
        let (line, column) = position.unzip();
        Self { file: source.name().to_owned(), line, column }
    }
}

impl Kept {
    pub(crate) fn of(partial: &Partial) -> Self {
        Self {
            path: partial.path.clone(),
            parts: partial.parts.name(),
            done: partial.done,
            of: partial.of,
            items: partial.items.clone(),
            value: partial.value.clone(),
            inside: partial.inside.iter().map(Self::of).collect(),
        }
    }
}
