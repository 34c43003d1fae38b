//! A disk that can be cut off: rows in the order in which they were written, of which a part is
//! durable.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use svc_contract::{
    store::{
        Attempt, Claim, Committed, Entry as Row, Filter, Hash, History, Node, Payment, Run, RunId,
        Store, StoreError,
    },
    value::ModelId,
};

type Result<T> = std::result::Result<T, StoreError>;

/// A store of nodes and payments, as the real store keeps them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) all: Vec<Row>,
    /// The number of rows that no kill can lose.
    pub(super) durable: usize,
}

#[derive(Debug, Default)]
pub(super) struct Disk(Mutex<Rows>);

impl Disk {
    /// What is left if only the first rows were written.
    pub(super) fn of(mut rows: Rows, kept: usize) -> Self {
        rows.all.truncate(kept);
        rows.durable = rows.all.len();
        Self(Mutex::new(rows))
    }

    pub(super) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Disk {
    fn append(&self, entry: Row) -> Result<()> {
        self.rows().all.push(entry);
        Ok(())
    }

    fn commit(&self, entry: Row) -> Committed {
        let mut rows = self.rows();
        rows.all.push(entry);
        rows.durable = rows.all.len();
        Box::pin(std::future::ready(Ok(())))
    }

    fn flush(&self) -> Committed {
        let mut rows = self.rows();
        rows.durable = rows.all.len();
        Box::pin(std::future::ready(Ok(())))
    }

    fn is_durable(&self) -> bool {
        true
    }

    fn new_id(&self, now: i64) -> RunId {
        RunId::new(now)
    }

    fn keeps(&self, _: &RunId) -> bool {
        true
    }

    fn claim(&self, _: &RunId) -> Result<Box<dyn Claim>> {
        Err(missing())
    }

    fn runs(&self, _: &Filter) -> Result<Vec<Run>> {
        Err(missing())
    }

    fn run(&self, _: &str) -> Result<Run> {
        Err(missing())
    }

    fn model_named(&self, _: &str) -> Result<Option<ModelId>> {
        Err(missing())
    }

    fn imports(&self, _: &RunId) -> Result<Vec<(String, Hash)>> {
        Err(missing())
    }

    fn nodes(&self, run: &RunId) -> Result<Vec<Node>> {
        let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
        for row in &self.rows().all {
            if let Row::Node { node, .. } = row
                && node.run == *run
            {
                nodes.insert(node.path.clone(), (**node).clone());
            }
        }
        Ok(nodes.into_values().collect())
    }

    fn node(&self, run: &RunId, path: &str) -> Result<Option<Node>> {
        Ok(self.nodes(run)?.into_iter().find(|it| it.path == path))
    }

    fn done(&self, _: [u8; 32], _: &str, _: &RunId) -> Result<Vec<Node>> {
        Ok(Vec::new())
    }

    fn attempts(&self, _: &RunId, _: &str) -> Result<Vec<Attempt>> {
        Ok(Vec::new())
    }

    fn all_attempts(&self, _: &RunId) -> Result<Vec<(String, Attempt)>> {
        Ok(Vec::new())
    }

    fn payments(&self, run: &RunId) -> Result<Vec<Payment>> {
        let mut payments: BTreeMap<u64, Payment> = BTreeMap::new();
        for row in &self.rows().all {
            match row {
                Row::Payment(it) if it.run == *run => {
                    payments.insert(it.number, (**it).clone());
                }
                Row::Settled { run: of, number, used } if of == run => {
                    if let Some(payment) = payments.get_mut(number) {
                        payment.used = Some(*used);
                    }
                }
                Row::TakenOver { run: of, payments: taken } if of == run => {
                    payments.retain(|_, it| it.origin.is_none());
                    payments.extend(taken.iter().map(|it| (it.number, it.clone())));
                }
                _ => {}
            }
        }
        Ok(payments.into_values().collect())
    }

    fn history(&self, _: &str, _: &str) -> Result<History> {
        Err(missing())
    }

    fn blob(&self, hash: Hash) -> Result<Option<Vec<u8>>> {
        for row in &self.rows().all {
            if let Row::Node { blobs, .. } = row
                && let Some(blob) = blobs.iter().find(|it| it.hash() == hash)
            {
                return Ok(Some(blob.data().to_vec()));
            }
        }
        Ok(None)
    }
}

fn missing() -> StoreError {
    StoreError::not_found("a simulated disk has only calls and payments")
}
