//! The store as the engine sees it: its methods, with errors of the contract.

use svc_contract::store::{
    Claim, Committed, Entry, Filter, Hash, History, Node, Payment, Run, RunId, Store,
};

use super::{SqliteStore, error::Result};

impl Store for SqliteStore {
    fn append(&self, entry: Entry) -> Result<()> {
        self.queue.append(entry)
    }

    fn commit(&self, entry: Entry) -> Committed {
        Box::pin(self.commit(entry))
    }

    fn flush(&self) -> Committed {
        Box::pin(self.flush())
    }

    fn is_durable(&self) -> bool {
        self.file().is_some()
    }

    fn new_id(&self, now: i64) -> RunId {
        // If the store cannot be read, recording the run will report it.
        match self.latest() {
            Ok(Some(latest)) if latest.time() >= now => RunId::new(latest.time() + 1),
            _ => RunId::new(now),
        }
    }

    fn keeps(&self, run: &RunId) -> bool {
        self.place.is_still(self.files).is_ok() && self.run(run.as_str()).is_ok()
    }

    fn claim(&self, run: &RunId) -> Result<Box<dyn Claim>> {
        Ok(Box::new(self.claims.take(&self.place, run)?))
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<Run>> {
        Ok(self.runs(filter)?)
    }

    fn run(&self, name: &str) -> Result<Run> {
        Ok(self.run(name)?)
    }

    fn imports(&self, run: &RunId) -> Result<Vec<(String, Hash)>> {
        Ok(self.imports(run)?)
    }

    fn nodes(&self, run: &RunId) -> Result<Vec<Node>> {
        Ok(self.nodes(run)?)
    }

    fn node(&self, run: &RunId, path: &str) -> Result<Option<Node>> {
        Ok(self.node(run, path)?)
    }

    fn done(&self, key: [u8; 32], path: &str, but: &RunId) -> Result<Vec<Node>> {
        Ok(self.done(key, path, but)?)
    }

    fn payments(&self, run: &RunId) -> Result<Vec<Payment>> {
        Ok(self.payments(run)?)
    }

    fn history(&self, component: &str, op: &str) -> Result<History> {
        Ok(self.history(component, op)?)
    }

    fn blob(&self, hash: Hash) -> Result<Option<Vec<u8>>> {
        Ok(self.blob(hash)?)
    }
}
