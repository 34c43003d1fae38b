//! The failure of a run, and its place.

use std::fmt;

use svc_contract::registry::{ErrorKind, OpError, Usage};
use svc_lang::{
    check::FAILS_SEGMENT,
    diag::{Source, Span},
};

use super::{partial::Partial, records::InDoubt};

/// A failure of a run: the op's error, with the place added by the engine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunError {
    pub error: OpError,
    /// The place in the script.
    pub span: Span,
    /// The node that failed, as `found/web/search`; empty for the whole run.
    pub path: String,
    /// The param of the script or of the called flow that was given wrongly or not at all, if that
    /// is the failure.
    pub param: Option<String>,
    /// The component that raised it, under the name used in the script.
    pub component: Option<String>,
    /// The file of `span`, if it is not the script itself.
    pub source: Option<Source>,
    /// The cap in the script that could not fund a call; a cap of the run has no place.
    pub cap: Option<CapPlace>,
    /// The parts that were finished when a call could not be funded.
    pub partial: Option<Box<Partial>>,
    /// The actual or possible usage of the whole run.
    pub usage: Usage,
    /// The depth of the bound whose time or budget was used up. Nothing inside that bound can
    /// catch the failure.
    pub(super) bound: Option<usize>,
}

/// The place of a cap.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CapPlace {
    pub span: Span,
    /// The file of `span`, if it is not the script itself.
    pub source: Option<Source>,
}

/// Failures are rare and large, so they travel boxed.
pub(super) type Result<T> = std::result::Result<T, Box<RunError>>;

impl RunError {
    pub fn kind(&self) -> ErrorKind {
        self.error.kind
    }

    /// A failure before the first node, caused by the inputs.
    pub fn outside(error: OpError, span: Span) -> Box<Self> {
        Self::new(error, span)
    }

    /// Adds the param that was given wrongly.
    #[must_use]
    pub(crate) fn of_param(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.param = Some(name.to_owned());
        self
    }

    pub(super) fn new(error: OpError, span: Span) -> Box<Self> {
        Box::new(Self {
            error,
            span,
            path: String::new(),
            param: None,
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

    /// Marks the failure as caused by the bound at a depth.
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

    /// This failure at the place of another one, which it has caused.
    pub(super) fn in_place_of(mut self: Box<Self>, other: &Self) -> Box<Self> {
        self.path.clone_from(&other.path);
        self.component.clone_from(&other.component);
        self.source.clone_from(&other.source);
        self
    }

    /// Adds the part of the path around the failure: an item, a branch, a `let`.
    pub(super) fn below(mut self: Box<Self>, segment: impl fmt::Display) -> Box<Self> {
        self.path = match self.path.as_str() {
            "" => segment.to_string(),
            inner => format!("{segment}/{inner}"),
        };
        self
    }

    /// Adds the file of the flow it happened in; the innermost file wins.
    pub(super) fn in_file(mut self: Box<Self>, source: &Source) -> Box<Self> {
        self.source.get_or_insert_with(|| source.clone());
        if let Some(cap) = &mut self.cap {
            cap.source.get_or_insert_with(|| source.clone());
        }
        self
    }

    /// Adds the failure of the previous attempt to an attempt that cannot be funded.
    pub(super) fn after(mut self: Box<Self>, before: Option<String>) -> Box<Self> {
        if let Some(before) = before.filter(|_| self.kind() == ErrorKind::Budget) {
            let help = self.error.help.take().map_or_else(String::new, |it| format!("{it}; "));
            self.error.help = Some(format!("{help}the previous attempt failed: {before}"));
        }
        self
    }

    /// Adds the place of the caps of the bound at a depth, if one of them could not fund the
    /// call.
    pub(super) fn at_cap(mut self: Box<Self>, depth: usize, span: Option<Span>) -> Box<Self> {
        if self.kind() == ErrorKind::Budget && self.bound == Some(depth) {
            self.cap = span.map(|span| CapPlace { span, source: None });
        }
        self
    }

    /// Whether `?`, `each?` or `fallback` may swallow the failure at a place inside `depth`
    /// bounds.
    ///
    /// A cancelled run, a bug, an interrupted write that may have happened, and a bound around the construct always
    /// pass through.
    pub(super) fn is_caught_at(&self, depth: usize) -> bool {
        let passes = matches!(self.kind(), ErrorKind::Cancelled | ErrorKind::Bug);
        !passes && !self.is_interrupted_write() && self.bound.is_none_or(|bound| bound > depth)
    }

    /// Whether an earlier run was interrupted in a write, which no part of the script can know of.
    fn is_interrupted_write(&self) -> bool {
        let cause = self.error.source.as_ref().and_then(|it| it.downcast_ref::<InDoubt>());
        cause.is_some_and(|it| !it.has_failed)
    }

    /// Whether the `fallback` or `fails` of this segment may swallow the failure.
    pub(super) fn is_met_by(&self, segment: &str, depth: usize) -> bool {
        let ends_a_test = segment.starts_with(FAILS_SEGMENT) && self.kind() == ErrorKind::Budget;
        ends_a_test || self.is_caught_at(depth)
    }

    /// Whether a cap around a place inside `depth` bounds could not fund a call, and so will
    /// not fund the next similar call either.
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
