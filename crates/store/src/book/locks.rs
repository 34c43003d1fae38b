//! Failed attempts by address, and the locks that follow from them.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use svc_contract::store::StoreError;

use super::{Book, Written, changed};
use crate::error::{Result, SqlResult};

/// The attempts from one address. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockRow {
    /// The network that they come from.
    pub address: String,
    /// The key that they are about; empty for the address as a whole.
    pub key: String,
    /// The times of the latest failures.
    pub failures: Vec<i64>,
    /// The number of locks so far.
    pub level: u32,
    /// The end of the latest lock; 0 if there was none.
    pub until: i64,
}

const LOCK: &str = "SELECT address, key, failures, level, until FROM locks";

impl Book {
    /// The number of removals of locks so far, by any process.
    pub fn lock_changes(&self) -> Result<u64> {
        self.changes("locks")
    }

    /// Everything that is known about attempts.
    pub fn locks(&self) -> Result<Vec<LockRow>> {
        self.read(|it| {
            let mut found = it.prepare_cached(&format!("{LOCK} ORDER BY address, key"))?;
            let mut rows = found.query([])?;
            let mut locks = Vec::new();
            while let Some(row) = rows.next()? {
                locks.push(lock(row)?);
            }
            Ok(locks)
        })
    }

    /// What is known about the attempts from an address for a key.
    pub fn lock(&self, address: &str, key: &str) -> Result<Option<LockRow>> {
        self.read(|it| one(it, address, key))
    }

    /// Writes the attempts from one address.
    pub fn keep_lock(&self, row: LockRow) -> Written<()> {
        self.write(move |own| put(own, &row))
    }

    /// Forgets the attempts from an address for a key, without waiting.
    pub fn drop_lock(&self, address: String, key: String) -> Result<()> {
        self.append(move |own| {
            let sql = "DELETE FROM locks WHERE address = ?1 AND key = ?2";
            own.prepare_cached(sql)?.execute([&address, &key])?;
            Ok(())
        })
    }

    /// Forgets attempts: those for a key, those from an address, or all. Returns their number.
    pub fn unlock(&self, key: Option<String>, address: Option<String>) -> Written<usize> {
        self.write(move |own| {
            let sql = "DELETE FROM locks WHERE (?1 IS NULL OR key = ?1)
                AND (?2 IS NULL OR address = ?2)";
            let removed = own.prepare_cached(sql)?.execute(params![key, address])?;
            changed(own, "locks")?;
            Ok(removed)
        })
    }

    /// Removes what ended before a time, without waiting.
    pub fn forget_locks(&self, before: i64) -> Result<()> {
        self.append(move |own| {
            let mut found = own.prepare_cached(&format!("{LOCK} WHERE until < ?1"))?;
            let mut rows = found.query([before])?;
            let mut old = Vec::new();
            while let Some(row) = rows.next()? {
                let row = lock(row)?;
                if row.failures.iter().all(|it| *it < before) {
                    old.push((row.address, row.key));
                }
            }
            let mut delete =
                own.prepare_cached("DELETE FROM locks WHERE address = ?1 AND key = ?2")?;
            for (address, key) in old {
                delete.execute([address, key])?;
            }
            Ok(())
        })
    }
}

fn put(own: &Connection, row: &LockRow) -> SqlResult<()> {
    const SQL: &str = "INSERT INTO locks (address, key, failures, level, until)
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (address, key)
        DO UPDATE SET failures = ?3, level = ?4, until = ?5";
    let failures: Vec<u8> = row.failures.iter().flat_map(|it| it.to_le_bytes()).collect();
    own.prepare_cached(SQL)?.execute(params![
        row.address,
        row.key,
        failures,
        row.level,
        row.until
    ])?;
    Ok(())
}

fn one(reader: &Connection, address: &str, key: &str) -> SqlResult<Option<LockRow>> {
    let mut found = reader.prepare_cached(&format!("{LOCK} WHERE address = ?1 AND key = ?2"))?;
    let row = found.query_row([address, key], |it| Ok(lock(it).map_err(|err| err.0)));
    Ok(row.optional()?.transpose()?)
}

fn lock(row: &Row<'_>) -> SqlResult<LockRow> {
    let failures: Vec<u8> = row.get(2)?;
    let (failures, rest) = failures.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(StoreError::corrupt("the times of failed attempts are damaged").into());
    }
    Ok(LockRow {
        address: row.get(0)?,
        key: row.get(1)?,
        failures: failures.iter().map(|it| i64::from_le_bytes(*it)).collect(),
        level: row.get(3)?,
        until: row.get(4)?,
    })
}
