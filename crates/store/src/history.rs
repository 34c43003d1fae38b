//! The past usage of operations, for estimates of the next run.

use svc_contract::store::{History, Spread};

use super::{SqliteStore, error::SqlResult, read::count};

impl SqliteStore {
    /// The usage of an operation, over its latest thousand finished nodes.
    pub(super) fn read_history(&self, component: &str, op: &str) -> SqlResult<History> {
        let reader = self.pool.reader()?;
        let mut found = reader.prepare_cached(
            "SELECT nodes.tokens, nodes.cost, nodes.took
                FROM nodes JOIN ops ON ops.no = nodes.op
                WHERE ops.component = ?1 AND ops.op = ?2 AND nodes.state = 'done'
                    AND nodes.origin IS NULL
                ORDER BY nodes.no DESC LIMIT 1000",
        )?;
        let mut rows = found.query([component, op])?;
        let [mut tokens, mut cost, mut took] = [const { Vec::new() }; 3];
        while let Some(row) = rows.next()? {
            tokens.push(count(row, 0)?);
            cost.push(count(row, 1)?);
            took.push(count(row, 2)?);
        }
        let count = tokens.len();
        let [tokens, cost, took] = [tokens, cost, took].map(Spread::of);
        Ok(History { count, tokens, cost, took })
    }
}
