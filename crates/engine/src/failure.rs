//! A failed run as one object for programs.
//!
//! Its shape is part of the interface: `failure.json` beside this file describes it, and a
//! test holds both together.

use serde::Serialize;
use svc_contract::value::Value;
use svc_lang::diag::{Source, Span};

use super::{Error, error::code_of};
use crate::run::{Partial, RunError};

/// The JSON Schema of an object whose one field `error` is a [`Failure`].
pub const FAILURE_SCHEMA: &str = include_str!("failure.json");

/// Why a run gave no value, and what is left of it.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// `budget`, `timeout`, ..: what `error.kind` is in a script.
    pub kind: &'static str,
    pub code: &'static str,
    pub message: String,
    pub help: Option<String>,
    /// The node that failed, as `found/web/search`; empty for the whole run.
    pub path: String,
    pub component: Option<String>,
    #[serde(flatten)]
    pub place: Place,
    /// The cap of the script that could not fund a call.
    pub cap: Option<Place>,
    pub usage: Used,
    pub partial: Option<Kept>,
}

/// Where in which file; what the caller gave has no place in it.
#[derive(Debug, Serialize)]
pub struct Place {
    pub file: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
}

/// What the whole run used, or may have used.
#[derive(Debug, Serialize)]
pub struct Used {
    pub tokens: u64,
    pub cost: String,
}

/// What was finished when a call could not be funded.
#[derive(Debug, Serialize)]
pub struct Kept {
    pub path: String,
    /// `items`, `branches`, `turns`, `fields`, `lets` or `stages`.
    pub parts: &'static str,
    pub done: usize,
    pub of: usize,
    /// The numbers of the finished items, counted from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<usize>,
    pub value: Value,
    /// What was finished of the parts that were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<Kept>,
}

impl Error {
    /// The failure as an object; nothing for a script that does not check, of which
    /// [`verdict`](super::verdict) tells everything.
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
            |source: &Option<Source>, span| Place::of(source.as_ref().unwrap_or(script), span);
        Self {
            kind: error.kind().name(),
            code: code_of(error.kind()).as_str(),
            message: error.to_string(),
            help: error.error.help.clone(),
            path: error.path.clone(),
            component: error.component.clone(),
            place: place(&error.source, error.span),
            cap: error.cap.as_ref().map(|it| place(&it.source, it.span)),
            usage: Used { tokens: error.usage.tokens, cost: error.usage.cost.to_string() },
            partial: error.partial.as_deref().map(Kept::of),
        }
    }
}

impl Place {
    fn of(source: &Source, span: Span) -> Self {
        let position = (span != Span::default()).then(|| source.position(span.start));
        let (line, column) = position.unzip();
        Self { file: source.name().to_owned(), line, column }
    }
}

impl Kept {
    fn of(partial: &Partial) -> Self {
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
