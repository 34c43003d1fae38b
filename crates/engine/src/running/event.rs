//! Events of one run, as a program that watches it receives them.

use std::time::Duration;

use serde::{Serialize, Serializer};
use svc_contract::{registry::OpError, store::RunId, value::Value};

use crate::{
    output::{failure::Used, report::ErrorReport},
    run::{Event, place_of},
};

/// Something that happened in a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunEvent {
    /// The run: its name in the store, if it is stored.
    #[serde(serialize_with = "shown")]
    pub run: RunId,
    /// The call, with the numbers of items and turns: `each[3]/summary`; empty for the whole run.
    pub path: String,
    /// The path of its node in the plan: `each[]/summary`.
    pub node: String,
    #[serde(flatten)]
    pub what: Happened,
}

/// What happened to a node, or to the whole run.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Happened {
    /// The run begins.
    Begun,
    /// A call begins.
    Started { component: String },
    /// A call has its result. A result that is larger than 64 KiB is left out.
    Finished { component: String, took_ms: u64, usage: Used, value: Option<Value> },
    /// The result of an earlier call is reused.
    Reused { component: String, usage: Used, value: Option<Value> },
    /// A call failed.
    Failed { component: String, took_ms: u64, error: OpFailure },
    /// An attempt failed, and the next one starts after a wait.
    Retrying { component: String, attempt: u32, wait_ms: u64, error: OpFailure },
    /// A `?` or a `fallback` swallowed failures: the first one, and how many there were at its place.
    Swallowed { error: OpFailure, count: u64 },
    /// An attempt has ended, and this was spent.
    Spent { component: String, usage: Used },
    /// An `each` begins, over this many items.
    Items { total: usize },
    /// An item of an `each` begins.
    ItemStarted,
    /// An item of an `each` has ended.
    ItemEnded { failed: bool },
    /// The progress of a long call.
    Progress { what: String, done: u64, total: Option<u64> },
    /// Something was left out, and the call continues.
    Notice { message: String },
    /// A cancelled computation did not stop; its result is dropped.
    Straggler { component: String },
    /// The reader was too slow: this many events were dropped, the oldest first.
    Missed { count: u64 },
    /// The run has ended: with its value, or with an error. The last event; a run that is dropped
    /// has none.
    Ended { value: Option<Value>, usage: Option<Used>, error: Option<Box<ErrorReport>> },
}

/// The failure of a call.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OpFailure {
    /// `timeout`, `not_found`, ..: the value of `error.kind` in a script.
    pub kind: &'static str,
    pub message: String,
    pub help: Option<String>,
}

/// Larger values are left out of events: they would count as memory of the run.
const LARGEST_VALUE: u64 = 64 << 10;

/// The size of a value in bytes, about.
pub(super) fn size(value: &Value) -> u64 {
    value.weight().saturating_mul(8)
}

impl RunEvent {
    pub(super) fn of(run: &RunId, path: &str, what: Happened) -> Self {
        Self { run: run.clone(), path: path.to_owned(), node: place_of(path), what }
    }

    /// The size of what it holds, in bytes, about.
    pub(super) fn size(&self) -> u64 {
        match &self.what {
            Happened::Finished { value, .. } | Happened::Reused { value, .. } => {
                value.as_ref().map_or(0, size)
            }
            _ => 0,
        }
    }
}

impl Happened {
    /// What a reader gets of an event; `None` if it is about the accounts of the run only.
    pub(super) fn of(event: &Event<'_>) -> Option<Self> {
        let owned = |it: &str| it.to_owned();
        Some(match *event {
            Event::Begun { .. } => Self::Begun,
            Event::Started { component } => Self::Started { component: owned(component) },
            Event::Finished { component, took, usage, value } => Self::Finished {
                component: owned(component),
                took_ms: millis(took),
                usage: usage.into(),
                value: small(value),
            },
            Event::Reused { component, usage, value } => Self::Reused {
                component: owned(component),
                usage: usage.into(),
                value: small(value),
            },
            Event::Failed { component, took, error } => Self::Failed {
                component: owned(component),
                took_ms: millis(took),
                error: error.into(),
            },
            Event::Retrying { component, attempt, wait, error } => Self::Retrying {
                component: owned(component),
                attempt,
                wait_ms: millis(wait),
                error: error.into(),
            },
            Event::Swallowed { error, count, .. } => Self::Swallowed { error: error.into(), count },
            Event::Settled { component, used, .. } => {
                Self::Spent { component: owned(component), usage: used.into() }
            }
            Event::Items { total } => Self::Items { total },
            Event::ItemStarted => Self::ItemStarted,
            Event::ItemEnded { failed } => Self::ItemEnded { failed },
            Event::Progress { what, done, total } => {
                Self::Progress { what: owned(what), done, total }
            }
            Event::Notice { message } => Self::Notice { message: owned(message) },
            Event::Straggler { component } => Self::Straggler { component: owned(component) },
            Event::Reserved { .. } => return None,
        })
    }
}

impl From<&OpError> for OpFailure {
    fn from(error: &OpError) -> Self {
        Self { kind: error.kind.name(), message: error.message.clone(), help: error.help.clone() }
    }
}

fn small(value: &Value) -> Option<Value> {
    (size(value) <= LARGEST_VALUE).then(|| value.clone())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn shown<S: Serializer>(run: &RunId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(run.as_str())
}
