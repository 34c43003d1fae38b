//! What a run tells those who watch it.

use std::time::Duration;

use svc_contract::registry::{OpError, Usage};
use svc_lang::plan::Plan;

use super::ledger::Cap;

/// Something that happened to a node.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The run begins. `cap` is what it may take at the most, and `spent` what was taken of
    /// that before, when it ran for the first time and each time that it went on.
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
    },
    /// The call was made before, and gives what it gave then; `usage` is what of that counts
    /// against the caps of this run, and is a part of what was spent when it began.
    Reused {
        component: &'a str,
        usage: Usage,
    },
    Failed {
        component: &'a str,
        took: Duration,
        error: &'a OpError,
    },
    /// The most that an attempt can use was taken from every cap around it.
    Reserved {
        component: &'a str,
        most: Usage,
    },
    /// An attempt has ended, however it did: what was reserved for it is free again, and
    /// what it used, or may have used, is spent.
    Settled {
        component: &'a str,
        reserved: Usage,
        used: Usage,
    },
    /// An attempt failed and another one comes after `wait`.
    Retrying {
        component: &'a str,
        attempt: u32,
        wait: Duration,
        error: &'a OpError,
    },
    /// A `?` or a `fallback` went on without what failed.
    Swallowed {
        error: &'a OpError,
    },
    /// An `each` begins, over so many items.
    Items {
        total: usize,
    },
    /// An item of an `each` begins; the path is its own: `each[3]`.
    ItemStarted,
    ItemEnded {
        failed: bool,
    },
    /// How far a long call is.
    Progress {
        what: &'a str,
        done: u64,
        total: Option<u64>,
    },
    /// Something was left out, and the call goes on.
    Notice {
        message: &'a str,
    },
    /// A cancelled computation did not end within its grace; its result is dropped.
    Straggler {
        component: &'a str,
    },
}

/// Whoever watches a run. Called from several threads; must return at once.
pub trait Observer: Send + Sync + 'static {
    /// `path` names the node: `found/web/search`.
    fn event(&self, path: &str, event: &Event<'_>);

    /// Whether it is told anything.
    fn listens(&self) -> bool {
        true
    }
}

/// Nobody.
#[derive(Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    fn event(&self, _: &str, _: &Event<'_>) {}

    fn listens(&self) -> bool {
        false
    }
}
