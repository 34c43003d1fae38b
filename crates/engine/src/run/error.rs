//! Why a run failed, and where.

use std::fmt;

use svc_contract::registry::{ErrorKind, OpError, Usage};
use svc_lang::diag::{Source, Span};

use super::partial::Partial;

/// A failure of a run: the op's own, with the place that the engine adds.
#[derive(Clone, Debug)]
pub struct RunError {
    pub error: OpError,
    /// The place in the script.
    pub span: Span,
    /// The node that failed, as `found/web/search`; empty for the whole run.
    pub path: String,
    /// The component that raised it, by the name that the script uses.
    pub component: Option<String>,
    /// The file that `span` is a place of, where it is not the script itself.
    pub source: Option<Source>,
    /// The cap of the script that could not fund a call; a cap of the run has no place.
    pub cap: Option<CapPlace>,
    /// What was finished when a call could not be funded.
    pub partial: Option<Box<Partial>>,
    /// What the whole run used, or may have used.
    pub usage: Usage,
    /// How deep the bound lies whose time or budget was used up. Whoever stands inside
    /// that bound cannot catch the failure.
    pub(super) bound: Option<usize>,
}

/// Where a cap stands.
#[derive(Clone, Debug)]
pub struct CapPlace {
    pub span: Span,
    /// The file that `span` is a place of, where it is not the script itself.
    pub source: Option<Source>,
}

/// Failures are rare and large, so they travel boxed.
pub(super) type Result<T> = std::result::Result<T, Box<RunError>>;

impl RunError {
    pub fn kind(&self) -> ErrorKind {
        self.error.kind
    }

    /// A failure before the first node: of what the caller gave.
    pub fn outside(error: OpError, span: Span) -> Box<Self> {
        Self::new(error, span)
    }

    pub(super) fn new(error: OpError, span: Span) -> Box<Self> {
        Box::new(Self {
            error,
            span,
            path: String::new(),
            component: None,
            source: None,
            cap: None,
            partial: None,
            usage: Usage::default(),
            bound: None,
        })
    }

    pub(super) fn failed(message: impl Into<String>, span: Span) -> Box<Self> {
        Self::new(OpError::failed(message), span)
    }

    pub(super) fn cancelled(span: Span) -> Box<Self> {
        Self::new(OpError::cancelled(), span)
    }

    /// Says that the bound at a depth caused it.
    pub(super) fn at_bound(mut self: Box<Self>, depth: usize) -> Box<Self> {
        self.bound = Some(depth);
        self
    }

    pub(super) fn at_node(mut self: Box<Self>, path: String, component: Option<&str>) -> Box<Self> {
        if self.path.is_empty() {
            self.path = path;
            self.component = component.map(str::to_owned);
        }
        self
    }

    /// Says that it happened below a part of the paths: an item, a branch, a `let`.
    pub(super) fn below(mut self: Box<Self>, segment: impl fmt::Display) -> Box<Self> {
        self.path = match self.path.as_str() {
            "" => segment.to_string(),
            inner => format!("{segment}/{inner}"),
        };
        self
    }

    /// Says which file's flow it happened in; the innermost one is where its place is.
    pub(super) fn in_file(mut self: Box<Self>, source: &Source) -> Box<Self> {
        self.source.get_or_insert_with(|| source.clone());
        if let Some(cap) = &mut self.cap {
            cap.source.get_or_insert_with(|| source.clone());
        }
        self
    }

    /// Tells why the try before failed, of one that cannot be funded.
    pub(super) fn after(mut self: Box<Self>, before: Option<String>) -> Box<Self> {
        if let Some(before) = before.filter(|_| self.kind() == ErrorKind::Budget) {
            let help = self.error.help.take().map_or_else(String::new, |it| format!("{it}; "));
            self.error.help = Some(format!("{help}the try before it failed: {before}"));
        }
        self
    }

    /// Says where the caps of the bound at a depth stand, if it is one of them that lacks
    /// what a call needs.
    pub(super) fn at_cap(mut self: Box<Self>, depth: usize, span: Option<Span>) -> Box<Self> {
        if self.kind() == ErrorKind::Budget && self.bound == Some(depth) {
            self.cap = span.map(|span| CapPlace { span, source: None });
        }
        self
    }

    /// Whether `?`, `each?` or `fallback` may swallow it where bounds are `depth` deep.
    ///
    /// A cancelled run, a bug, and a bound around the construct always pass through.
    pub(super) fn is_caught_at(&self, depth: usize) -> bool {
        let passes = matches!(self.kind(), ErrorKind::Cancelled | ErrorKind::Bug);
        !passes && self.bound.is_none_or(|bound| bound > depth)
    }

    /// Whether a cap around where bounds are `depth` deep could not fund a call, so that it
    /// will not fund the next one like it.
    pub(super) fn is_declined_at(&self, depth: usize) -> bool {
        self.kind() == ErrorKind::Budget && self.bound.is_some_and(|it| it <= depth)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.component {
            Some(component) => write!(f, "`{component}` failed: {}", self.error),
            None => self.error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
