//! Removes old runs.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::fs;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use svc_contract::store::{Hash, RunId, StoreError, StoreErrorKind};

use super::{
    SqliteStore,
    check::{self, NAMED},
    claim::RunClaim,
    error::{Result, SqlResult},
    mark::Mark,
    open::{self, Options},
    place::{self, Place},
    writer,
};

/// Selects the old runs: all conditions must hold, so without conditions all runs are old.
/// Claimed runs never are.
#[derive(Clone, Debug, Default)]
pub struct Old {
    /// Started before this time, in milliseconds since 1970.
    pub before: Option<i64>,
    /// Not among this many latest runs.
    pub but_last: Option<usize>,
    /// None of these.
    pub but: Vec<RunId>,
}

/// The removed items, or those that would be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub runs: Vec<RunId>,
    /// Contents that no other run refers to.
    pub contents: usize,
    /// The stored size of those contents, in bytes.
    pub bytes: u64,
}

/// The maximum number of runs removed, and claimed meanwhile, in one transaction; each claim
/// keeps a file open.
const AT_ONCE: usize = 100;

impl SqliteStore {
    /// Removes old runs, and the contents that no other run refers to.
    pub fn prune(&self, old: &Old) -> Result<Pruned> {
        Ok(self.pruned(old)?)
    }

    /// Returns what [`SqliteStore::prune`] would remove.
    pub fn would_prune(&self, old: &Old) -> Result<Pruned> {
        Ok(self.prunable(old)?)
    }

    fn pruned(&self, old: &Old) -> SqlResult<Pruned> {
        let mut connection = self.maintenance()?;
        let mut pruned = Pruned::default();
        for some in candidates(&connection, old)?.chunks(AT_ONCE) {
            let own = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let claims = self.remove(&own, some, &mut pruned)?;
            writer::count(&own)?;
            own.commit()?;
            drop(claims);
        }
        let own = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        remove_unnamed(&own, &self.place, &mut pruned)?;
        writer::count(&own)?;
        own.commit()?;
        if let Some(file) = self.place.file() {
            Mark::open(&place::sibling(file, "-mark"))?.raise(open::seen(&connection)?)?;
        }
        self.sweep(&mut connection)?;
        // Returns free pages to the file system.
        connection.execute_batch("PRAGMA incremental_vacuum")?;
        Ok(pruned)
    }

    fn prunable(&self, old: &Old) -> SqlResult<Pruned> {
        let mut connection = self.maintenance()?;
        let own = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut pruned = Pruned::default();
        for some in candidates(&own, old)?.chunks(AT_ONCE) {
            self.remove(&own, some, &mut pruned)?;
        }
        remove_unnamed(&own, &self.place, &mut pruned)?;
        own.rollback()?;
        Ok(pruned)
    }

    fn maintenance(&self) -> SqlResult<Connection> {
        let connection = self.place.connect(open::for_writing())?;
        open::prepare(&connection, Options::default())?;
        Ok(connection)
    }

    /// Removes runs, and returns the claims on them: until the removal is committed, no other
    /// process may work on them.
    fn remove(
        &self,
        own: &Transaction<'_>,
        runs: &[(i64, RunId)],
        pruned: &mut Pruned,
    ) -> SqlResult<Vec<RunClaim>> {
        let mut claims = Vec::new();
        for (no, id) in runs {
            match self.claims.take(&self.place, id) {
                Ok(claim) => claims.push(claim),
                Err(err) if matches!(err.kind, StoreErrorKind::Claimed { .. }) => continue,
                Err(err) => return Err(err.into()),
            }
            // The number may belong to another run by now.
            let sql = "DELETE FROM runs WHERE no = ?1 AND id = ?2";
            if own.execute(sql, params![no, id.as_str()])? > 0 {
                pruned.runs.push(id.clone());
            }
        }
        Ok(claims)
    }

    /// Removes the files of contents without a row. No other process writes files meanwhile,
    /// because that requires the lock that is held here.
    fn sweep(&self, connection: &mut Connection) -> SqlResult<()> {
        let own = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let named = check::in_files(&own)?;
        for file in check::files(&self.place)? {
            if file.hash.is_none_or(|it| !named.contains(&it)) {
                fs::remove_file(file.path)?;
            }
        }
        Ok(own.rollback()?)
    }
}

/// Removes the contents that no run refers to.
fn remove_unnamed(own: &Transaction<'_>, place: &Place, pruned: &mut Pruned) -> SqlResult<()> {
    let unnamed = format!("hash NOT IN ({NAMED})");
    let mut found =
        own.prepare(&format!("SELECT hash, length(data) FROM blobs WHERE {unnamed}"))?;
    let mut rows = found.query([])?;
    while let Some(row) = rows.next()? {
        pruned.contents += 1;
        let bytes: Option<u64> = row.get(1)?;
        pruned.bytes += match bytes {
            Some(bytes) => bytes,
            None => place.blob(Hash(row.get(0)?)).map_or(0, |it| len(&it)),
        };
    }
    own.execute(&format!("DELETE FROM blobs WHERE {unnamed}"), [])?;
    Ok(())
}

fn candidates(own: &Connection, old: &Old) -> SqlResult<Vec<(i64, RunId)>> {
    let sql = "SELECT no, id FROM runs WHERE (?1 IS NULL OR started < ?1)
        AND no NOT IN (SELECT no FROM runs ORDER BY id DESC LIMIT ?2) ORDER BY id";
    let mut found = own.prepare(sql)?;
    let mut rows = found.query(params![old.before, old.but_last.unwrap_or(0)])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        let id = RunId::parse(&row.get::<_, String>(1)?);
        let id = id.map_err(|err| StoreError::corrupt(err.message))?;
        if !old.but.contains(&id) {
            runs.push((row.get(0)?, id));
        }
    }
    Ok(runs)
}

fn len(path: &std::path::Path) -> u64 {
    fs::metadata(path).map_or(0, |it| it.len())
}
