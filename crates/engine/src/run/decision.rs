//! What a run decided by time, and not by values: a resumed run decides likewise.

use std::time::Duration;

use svc_contract::{
    registry::{OpError, Usage},
    value::{Text, Value, Written},
};
use svc_lang::check::Term;

use super::{
    Run, calls,
    path::{Path, by_input},
    records::{About, Earlier, Ended, Entry, Key, Records, Taken},
};

/// A decision at a place, which is recorded like a call.
pub(super) struct Decision {
    path: String,
    key: Key,
    construct: &'static str,
    what: &'static str,
}

impl Decision {
    /// `parts` are what makes it the same decision in a resumed run.
    pub(super) fn new(
        construct: &'static str,
        what: &'static str,
        path: &Path<'_>,
        parts: impl IntoIterator<Item = Text>,
    ) -> Self {
        let mut hasher = blake3::Hasher::new();
        // Every call of a flow by an op has decisions of its own.
        let place: Text = by_input(&format!("{path:#}")).into();
        for part in parts.into_iter().chain([place]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self { path: path.to_string(), key: *hasher.finalize().as_bytes(), construct, what }
    }

    /// The decision of the earlier run.
    pub(super) fn before(&self, records: &dyn Records) -> Result<Option<Value>, OpError> {
        Ok(match records.earlier(&self.entry())? {
            Earlier::Done { value, .. } => value.value(),
            _ => None,
        })
    }

    /// Records the decision. Nothing that follows from it may begin earlier.
    pub(super) async fn record(
        self,
        records: &dyn Records,
        decided: &Value,
    ) -> Result<(), OpError> {
        let result = Ok(Written::of(decided));
        let usage = Usage::default();
        let taken = Taken { tries: 1, log: Vec::new(), usage, took: Duration::ZERO };
        records.ended(self.entry(), Ended { result, taken }).await
    }

    fn entry(&self) -> Entry {
        Entry {
            path: self.path.clone(),
            key: self.key,
            component: self.construct,
            op: self.what,
            version: 1,
            args: Vec::new(),
            is_dear: true,
            is_pure: false,
            is_inline: false,
            max_age: None,
            looks_outside: false,
            is_decision: true,
            about: About::default(),
        }
    }
}

impl Run {
    /// Everything in a term that determines what it does, except the texts of its files.
    pub(super) fn parts_of(&self, term: &Term) -> Vec<Text> {
        calls::parts_of(term, &self.host.current_dir().unwrap_or_default())
    }
}
