//! The keys of a service, without their secrets.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use svc_contract::store::{StoreError, StoreErrorKind};

use super::{Book, Written, changed};
use crate::error::{Result, SqlResult};

/// A key as it is stored. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    pub id: String,
    /// `live`, `test` or `adm`.
    pub kind: String,
    pub owner: String,
    pub role: String,
    /// Whether it may call the tools for tuning.
    pub bias: bool,
    /// The HMAC of the whole key.
    pub tag: [u8; 32],
    pub created: i64,
    /// When the first of the keys whose place it took was created.
    pub began: i64,
    pub expires: i64,
    /// The key that took its place, and the time until which both are valid.
    pub successor: Option<(String, i64)>,
    pub revoked: Option<i64>,
}

/// The replacement of a key by a new one.
#[derive(Clone, Debug)]
pub struct Rotation {
    pub old: String,
    pub new: KeyRow,
    /// When the old key ends.
    pub ends: i64,
}

const KEY: &str = "SELECT id, kind, owner, role, bias, tag, created, expires, successor, ends, \
    revoked, began FROM keys";

impl Book {
    /// The number of changes of keys so far, by any process.
    pub fn key_changes(&self) -> Result<u64> {
        self.changes("keys")
    }

    /// All keys, the latest first.
    pub fn keys(&self) -> Result<Vec<KeyRow>> {
        self.read(|it| {
            let mut found = it.prepare_cached(&format!("{KEY} ORDER BY created DESC, id"))?;
            let rows = found.query_map([], key)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The key with this id.
    pub fn key(&self, id: &str) -> Result<Option<KeyRow>> {
        self.read(|it| one(it, id))
    }

    /// Adds a key.
    pub fn add_key(&self, row: KeyRow) -> Written<()> {
        self.write(move |own| {
            insert(own, &row)?;
            changed(own, "keys")
        })
    }

    /// Adds the successor of a key, which itself is valid for some more time. Returns the reason if
    /// it does not: the key has one already, or is not valid any more when the new one is created.
    pub fn rotate_key(&self, rotation: Rotation) -> Written<Option<String>> {
        self.write(move |own| {
            let Rotation { old, new, ends } = &rotation;
            let row = known(own, old)?;
            if let Some(why) = row.unusable(new.created) {
                return Ok(Some(why));
            }
            insert(own, new)?;
            let sql = "UPDATE keys SET successor = ?2, ends = ?3 WHERE id = ?1";
            own.prepare_cached(sql)?.execute(params![old, new.id, ends])?;
            changed(own, "keys")?;
            Ok(None)
        })
    }

    /// Ends a key. Returns whether it was valid until now.
    pub fn revoke_key(&self, id: String, now: i64) -> Written<bool> {
        self.write(move |own| {
            let was_valid = known(own, &id)?.revoked.is_none();
            let sql = "UPDATE keys SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL";
            own.prepare_cached(sql)?.execute(params![id, now])?;
            changed(own, "keys")?;
            Ok(was_valid)
        })
    }
}

impl KeyRow {
    /// Why it cannot be rotated.
    fn unusable(&self, now: i64) -> Option<String> {
        match &self.successor {
            _ if self.revoked.is_some() => Some("it is revoked".to_owned()),
            Some((successor, _)) => Some(format!("`{successor}` has taken its place")),
            None if self.expires <= now => Some("it has expired".to_owned()),
            None => None,
        }
    }
}

fn insert(own: &Connection, row: &KeyRow) -> SqlResult<()> {
    const SQL: &str = "INSERT INTO keys (id, kind, owner, role, bias, tag, created, expires,
            successor, ends, revoked, began)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let (successor, ends) = row.successor.clone().unzip();
    own.prepare_cached(SQL)?.execute(params![
        row.id,
        row.kind,
        row.owner,
        row.role,
        row.bias,
        row.tag,
        row.created,
        row.expires,
        successor,
        ends,
        row.revoked,
        row.began,
    ])?;
    Ok(())
}

fn one(reader: &Connection, id: &str) -> SqlResult<Option<KeyRow>> {
    let mut found = reader.prepare_cached(&format!("{KEY} WHERE id = ?1"))?;
    Ok(found.query_row([id], key).optional()?)
}

fn known(reader: &Connection, id: &str) -> SqlResult<KeyRow> {
    Ok(one(reader, id)?
        .ok_or_else(|| StoreError::new(StoreErrorKind::NotFound, format!("unknown key `{id}`")))?)
}

fn key(row: &Row<'_>) -> rusqlite::Result<KeyRow> {
    let (successor, ends): (Option<String>, Option<i64>) = (row.get(8)?, row.get(9)?);
    Ok(KeyRow {
        id: row.get(0)?,
        kind: row.get(1)?,
        owner: row.get(2)?,
        role: row.get(3)?,
        bias: row.get(4)?,
        tag: row.get(5)?,
        created: row.get(6)?,
        expires: row.get(7)?,
        successor: successor.zip(ends),
        revoked: row.get(10)?,
        began: row.get(11)?,
    })
}
