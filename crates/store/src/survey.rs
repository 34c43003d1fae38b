//! Queries about all nodes of a run at once.

use svc_contract::store::{Attempt, RunId};

use super::{SqliteStore, error::SqlResult, read::attempt};

impl SqliteStore {
    /// The attempts of all nodes of a run, with the paths of their nodes, in order.
    pub(super) fn read_all_attempts(&self, run: &RunId) -> SqlResult<Vec<(String, Attempt)>> {
        let reader = self.pool.reader()?;
        let mut found = reader.prepare_cached(
            "SELECT number, attempts.started, attempts.took, attempts.tokens, attempts.cost,
                    attempts.error, nodes.path
                FROM runs JOIN nodes ON nodes.run = runs.no
                JOIN attempts ON attempts.node = nodes.no
                WHERE runs.id = ?1 ORDER BY nodes.no, number",
        )?;
        let mut rows = found.query([run.as_str()])?;
        let mut attempts = Vec::new();
        while let Some(row) = rows.next()? {
            attempts.push((row.get(6)?, attempt(row)?));
        }
        Ok(attempts)
    }
}
