//! The journal: what a run wrote down in the store, and how a later one goes on from it.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{
    host::Host,
    registry::{ErrorKind, OpError, Usage},
    run::{Earlier, Ended, Entry, Kept, Key, Records, Taken},
    store::{
        Args, Blob, Entry as Row, Hash, Node, NodeState, RunId, Store, StoreError, StoreErrorKind,
    },
};

/// The records of one run.
pub(super) struct Journal {
    store: Arc<Store>,
    run: RunId,
    host: Arc<dyn Host>,
    /// What was written down before, by place.
    known: HashMap<String, Known>,
    /// Places of writes that a person lets happen again.
    may_repeat: BTreeSet<String>,
}

struct Known {
    key: Key,
    state: NodeState,
    output: Option<Hash>,
    used: Usage,
}

impl Journal {
    /// That of a run which begins, or goes on from what is known of it.
    pub(super) fn open(
        store: Arc<Store>,
        run: RunId,
        host: Arc<dyn Host>,
        may_repeat: BTreeSet<String>,
    ) -> Result<Self, StoreError> {
        let known = store.nodes(&run)?.into_iter().map(|node| {
            let Node { path, key, state, output, used, .. } = node;
            (path, Known { key, state, output, used })
        });
        let known = known.collect();
        Ok(Self { store, run, host, known, may_repeat })
    }

    /// What calls that ended badly have used: it is spent, though nothing came of it.
    pub(super) fn lost(&self) -> Usage {
        let failed = self.known.values().filter(|it| it.state == NodeState::Failed);
        failed.fold(Usage::default(), |sum, it| Usage {
            tokens: sum.tokens.saturating_add(it.used.tokens),
            cost: sum.cost.checked_add(it.used.cost).unwrap_or(sum.cost),
        })
    }

    fn row(&self, entry: Entry, state: NodeState) -> (Node, Vec<Blob>) {
        let mut blobs = Vec::new();
        let node = Node {
            run: self.run.clone(),
            path: entry.path,
            key: entry.key,
            component: entry.component.to_owned(),
            op: entry.op.to_owned(),
            version: entry.version,
            state,
            attempts: 0,
            started: self.host.now(),
            took: 0,
            used: Usage::default(),
            output: None,
            error: None,
            args: Args::of(entry.args, &mut blobs),
            input: None,
        };
        (node, blobs)
    }

    fn ended_row(&self, entry: Entry, ended: Ended) -> Row {
        let state = if ended.result.is_ok() { NodeState::Done } else { NodeState::Failed };
        let (mut node, mut blobs) = self.row(entry, state);
        let Taken { tries, usage, took } = ended.taken;
        let millis = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        node.started = node.started.saturating_sub(millis);
        node.took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        (node.used, node.attempts) = (usage, tries);
        match ended.result {
            Ok(value) => {
                let blob = Blob::new(value.into_bytes());
                node.output = Some(blob.hash());
                blobs.push(blob);
            }
            Err(err) => node.error = Some(told(&err)),
        }
        Row::Node { node: Box::new(node), blobs }
    }
}

impl Records for Journal {
    fn earlier(&self, path: &str, key: &Key) -> Result<Earlier, OpError> {
        let Some(known) = self.known.get(path).filter(|it| it.key == *key) else {
            return Ok(Earlier::Nothing);
        };
        match (known.state, known.output) {
            (NodeState::Done, Some(hash)) => {
                let blob = self.store.blob(hash).map_err(failed)?;
                let value = blob.and_then(|it| String::from_utf8(it).ok());
                Ok(value
                    .map_or(Earlier::Nothing, |value| Earlier::Done { value, usage: known.used }))
            }
            // What failed may have had its effect all the same.
            (NodeState::Intended | NodeState::Failed, _) if !self.may_repeat.contains(path) => {
                Ok(Earlier::Begun)
            }
            _ => Ok(Earlier::Nothing),
        }
    }

    fn begins(&self, entry: Entry) -> Kept<'_> {
        let (node, blobs) = self.row(entry, NodeState::Intended);
        let row = Row::Node { node: Box::new(node), blobs };
        Box::pin(async move { self.store.commit(row).await.map_err(failed) })
    }

    fn ended(&self, entry: Entry, ended: Ended) -> Kept<'_> {
        let is_dear = entry.is_dear;
        let row = self.ended_row(entry, ended);
        Box::pin(async move {
            match is_dear {
                true => self.store.commit(row).await.map_err(failed),
                false => self.store.append(row).map_err(failed),
            }
        })
    }
}

fn told(err: &OpError) -> String {
    serde_json::json!({ "kind": err.kind.name(), "message": err.message }).to_string()
}

/// A failure of the store as one of the run: it must not go on unrecorded.
pub(super) fn failed(err: StoreError) -> OpError {
    let kind = match err.kind {
        StoreErrorKind::Bug => ErrorKind::Bug,
        StoreErrorKind::ReadOnly => ErrorKind::Denied,
        _ => ErrorKind::Failed,
    };
    let message = match err.kind {
        // Nothing is wrong with the store.
        StoreErrorKind::Claimed { .. } | StoreErrorKind::NotFound => err.message.clone(),
        _ => format!("the run cannot be recorded: {}", err.message),
    };
    let error = OpError::new(kind, message);
    match &err.help {
        Some(help) => error.help(help.clone()),
        None => error,
    }
    .because(err)
}
