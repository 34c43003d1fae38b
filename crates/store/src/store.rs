//! The store as the engine sees it: its methods, with errors of the contract.

use svc_contract::{
    store::{
        Attempt, Claim, Committed, Entry, Filter, Hash, History, Node, Payment, Run, RunId, Store,
    },
    value::ModelId,
};

use super::{Receipt, SqliteStore, error::Result};

impl Store for SqliteStore {
    fn append(&self, entry: Entry) -> Result<()> {
        self.queue.append_entry(entry)
    }

    fn commit(&self, entry: Entry) -> Committed {
        let receipt: Receipt = self.commit(entry);
        Box::pin(receipt)
    }

    fn flush(&self) -> Committed {
        let receipt: Receipt = self.flush();
        Box::pin(receipt)
    }

    fn is_durable(&self) -> bool {
        self.file().is_some()
    }

    fn problems(&self) -> Result<Option<Vec<String>>> {
        /// Larger stores take more than a moment to read.
        const QUICK: u64 = 32 << 20;
        let size = self.size()?;
        if size.database.saturating_add(size.files) > QUICK {
            return Ok(None);
        }
        Ok(Some(self.check()?.problems))
    }

    fn new_id(&self, now: i64) -> RunId {
        // If the store cannot be read, recording the run will report it.
        match self.latest() {
            Ok(Some(latest)) if latest.time() >= now => RunId::new(latest.time() + 1),
            _ => RunId::new(now),
        }
    }

    fn keeps(&self, run: &RunId) -> bool {
        self.place.is_still(self.files).is_ok() && self.read_run(run.as_str()).is_ok()
    }

    fn claim(&self, run: &RunId) -> Result<Box<dyn Claim>> {
        Ok(Box::new(self.claims.take(&self.place, run)?))
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<Run>> {
        Ok(self.read_runs(filter)?)
    }

    fn run(&self, name: &str) -> Result<Run> {
        Ok(self.read_run(name)?)
    }

    fn model_named(&self, name: &str) -> Result<Option<ModelId>> {
        Ok(self.read_model_named(name)?)
    }

    fn imports(&self, run: &RunId) -> Result<Vec<(String, Hash)>> {
        Ok(self.read_imports(run)?)
    }

    fn nodes(&self, run: &RunId) -> Result<Vec<Node>> {
        Ok(self.read_nodes(run)?)
    }

    fn node(&self, run: &RunId, path: &str) -> Result<Option<Node>> {
        Ok(self.read_node(run, path)?)
    }

    fn done(&self, key: [u8; 32], path: &str, but: &RunId) -> Result<Vec<Node>> {
        Ok(self.read_done(key, path, but)?)
    }

    fn attempts(&self, run: &RunId, path: &str) -> Result<Vec<Attempt>> {
        Ok(self.read_attempts(run, path)?)
    }

    fn all_attempts(&self, run: &RunId) -> Result<Vec<(String, Attempt)>> {
        Ok(self.read_all_attempts(run)?)
    }

    fn payments(&self, run: &RunId) -> Result<Vec<Payment>> {
        Ok(self.read_payments(run)?)
    }

    fn history(&self, component: &str, op: &str) -> Result<History> {
        Ok(self.read_history(component, op)?)
    }

    fn blob(&self, hash: Hash) -> Result<Option<Vec<u8>>> {
        Ok(self.read_blob(hash)?)
    }
}
