//! The events that a run reports to its observer.

use std::time::Duration;

use svc_contract::{
    registry::{OpError, Usage},
    value::Value,
};
use svc_lang::{
    diag::{Source, Span},
    plan::Plan,
};

use super::{error::RunError, ledger::Cap};

/// Something that happened to a node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run begins. `cap` is its limit, and `spent` the part of it that was used before,
    /// when the run first ran and each time it was resumed.
    Begun {
        plan: &'a Plan,
        cap: Cap,
        spent: Usage,
    },
    Started {
        component: &'a str,
    },
    Finished {
        component: &'a str,
        took: Duration,
        usage: Usage,
        value: &'a Value,
    },
    /// The call was made before and its result is reused; `usage` is the part of its usage that
    /// counts against the caps of this run, and is included in the `spent` of [`Event::Begun`].
    Reused {
        component: &'a str,
        usage: Usage,
        value: &'a Value,
    },
    Failed {
        component: &'a str,
        took: Duration,
        error: &'a OpError,
    },
    /// The maximum usage of an attempt was reserved from every enclosing cap.
    Reserved {
        component: &'a str,
        most: Usage,
    },
    /// An attempt has ended, successfully or not: its reservation is released, and its actual
    /// or possible usage is spent.
    Settled {
        component: &'a str,
        reserved: Usage,
        used: Usage,
    },
    /// An attempt failed, and the next one starts after `wait`.
    Retrying {
        component: &'a str,
        attempt: u32,
        wait: Duration,
        error: &'a OpError,
    },
    /// A `?` or a `fallback` swallowed failures.
    Swallowed {
        /// The first one.
        error: &'a OpError,
        /// The number of failures at its place: an `each?` that calls no slow component reports
        /// them together.
        count: u64,
        /// The place of the failure, and its file if it is not the script itself.
        span: Span,
        source: Option<&'a Source>,
    },
    /// An `each` begins, over this many items.
    Items {
        total: usize,
    },
    /// An item of an `each` begins; the path is that of the item: `each[3]`.
    ItemStarted,
    ItemEnded {
        failed: bool,
    },
    /// The progress of a long call.
    Progress {
        what: &'a str,
        done: u64,
        total: Option<u64>,
    },
    /// Something was left out, and the call continues.
    Notice {
        message: &'a str,
    },
    /// A cancelled computation did not stop within its grace period; its result is dropped.
    Straggler {
        component: &'a str,
    },
}

impl<'a> Event<'a> {
    pub(super) fn swallowed(failure: &'a RunError, count: u64) -> Self {
        let RunError { error, span, source, .. } = failure;
        Self::Swallowed { error, count, span: *span, source: source.as_ref() }
    }
}

/// The observer of a run. Called from several threads; must return at once.
pub trait Observer: Send + Sync + 'static {
    /// `path` names the node: `found/web/search`.
    fn event(&self, path: &str, event: &Event<'_>);

    /// Whether events should be sent at all.
    fn listens(&self) -> bool {
        true
    }
}

/// An observer that ignores everything.
#[derive(Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    fn event(&self, _: &str, _: &Event<'_>) {}

    fn listens(&self) -> bool {
        false
    }
}
