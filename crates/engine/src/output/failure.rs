//! A failed run as one object for programs.
//!
//! Its shape is part of the interface: `failure.json` in this folder describes it, and a test
//! keeps both in sync.

use serde::Serialize;
use svc_contract::{registry::Usage, value::Value};
use svc_lang::diag::{Source, Span};

use crate::{
    Error,
    error::code_of,
    run::{Partial, RunError},
};

/// The JSON Schema of an object whose only field `error` is a [`Failure`].
pub const FAILURE_SCHEMA: &str = include_str!("failure.json");

/// The failure of a run, with its partial results.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// `budget`, `timeout`, ..: the value of `error.kind` in a script.
    pub kind: &'static str,
    pub code: &'static str,
    pub message: String,
    pub help: Option<String>,
    /// The node that failed, as `found/web/search`; empty for the whole run.
    pub path: String,
    pub component: Option<String>,
    #[serde(flatten)]
    pub place: FilePlace,
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
    /// The failure as an object; `None` for a script that does not pass the check, which
    /// [`verdict`](super::verdict) describes.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Self::Check(_) => None,
            Self::Input { source, error } | Self::Run { source, error } => {
                Some(Failure::of(source, error))
            }
        }
    }
}

impl Failure {
    fn of(script: &Source, error: &RunError) -> Self {
        let place =
            |source: &Option<Source>, span| FilePlace::of(source.as_ref().unwrap_or(script), span);
        Self {
            kind: error.kind().name(),
            code: code_of(error.kind()).as_str(),
            message: error.to_string(),
            help: error.error.help.clone(),
            path: error.path.clone(),
            component: error.component.clone(),
            place: place(&error.source, error.span),
            cap: error.cap.as_ref().map(|it| place(&it.source, it.span)),
            usage: error.usage.into(),
            partial: error.partial.as_deref().map(Kept::of),
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
