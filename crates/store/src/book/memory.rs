//! Notes that people and agents keep for later.

use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, params};

use super::{Book, Written, failure};
use crate::error::{Result, SqlResult};

/// The most notes that are kept.
pub const MOST_NOTES: i64 = 100_000;

/// A note. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptNote {
    pub id: String,
    pub at: i64,
    pub source: String,
    pub tags: Vec<String>,
    pub text: String,
    /// The hash of what it says, by which the same note is kept once.
    pub digest: [u8; 32],
    /// When it was recalled, the first time first.
    pub used: Vec<i64>,
}

/// The most times of a note that are kept.
const MOST_USED: usize = 32;

/// What is freed is overwritten with zeros, also where a change moves a row.
const OVERWRITE: &str = "PRAGMA secure_delete = ON";

/// How long readers of earlier states of pages are waited for.
const PATIENCE: Duration = Duration::from_secs(5);

const NOTE: &str = "SELECT id, at, source, tags, text, digest, used FROM notes_kept";

impl Book {
    /// Keeps a note, unless one says the same. Returns the id of the note that is kept, and whether it
    /// was known; `None` if there are too many.
    pub fn keep_note(&self, note: KeptNote) -> Written<Option<(String, bool)>> {
        self.write(move |own| {
            own.execute_batch(OVERWRITE)?;
            let known: Option<String> = own
                .prepare_cached("SELECT id FROM notes_kept WHERE digest = ?1")?
                .query_row([note.digest], |it| it.get(0))
                .optional()?;
            if let Some(known) = known {
                return Ok(Some((known, true)));
            }
            let count: i64 = own
                .prepare_cached("SELECT count(*) FROM notes_kept")?
                .query_row([], |it| it.get(0))?;
            if count >= MOST_NOTES {
                return Ok(None);
            }
            insert(own, &note)?;
            Ok(Some((note.id.clone(), false)))
        })
    }

    /// All notes, the oldest first.
    pub fn kept_notes(&self) -> Result<Vec<KeptNote>> {
        self.read(|own| {
            let mut found = own.prepare_cached(&format!("{NOTE} ORDER BY at, id"))?;
            let rows = found.query_map([], note)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes that they were recalled.
    pub fn use_notes(&self, ids: Vec<String>, at: i64) -> Result<()> {
        let done = self.write(move |own| {
            own.execute_batch(OVERWRITE)?;
            for id in &ids {
                let sql = format!("{NOTE} WHERE id = ?1");
                let found = own.prepare_cached(&sql)?.query_row([id], note).optional()?;
                let Some(mut found) = found else { continue };
                found.used.push(at);
                let from = found.used.len().saturating_sub(MOST_USED);
                let used = serde_json::to_string(&found.used[from..]).unwrap_or_default();
                own.prepare_cached("UPDATE notes_kept SET used = ?2 WHERE id = ?1")?
                    .execute(params![id, used])?;
            }
            Ok(())
        });
        done.wait()
    }

    /// Removes notes, and overwrites their bytes. Returns how many there were.
    pub fn forget_notes(&self, ids: Vec<String>) -> Result<u64> {
        let removed = self.write(move |own| {
            own.execute_batch(OVERWRITE)?;
            let mut removed = 0;
            for id in &ids {
                removed += delete(own, id)?;
            }
            Ok(removed)
        });
        let removed = removed.wait()?;
        self.empty_log()?;
        Ok(removed)
    }

    /// Puts one note in the place of others, in one transaction, and overwrites their bytes.
    pub fn merge_notes(&self, merged: KeptNote, ids: Vec<String>) -> Result<()> {
        let done = self.write(move |own| {
            own.execute_batch(OVERWRITE)?;
            for id in &ids {
                delete(own, id)?;
            }
            insert(own, &merged)
        });
        done.wait()?;
        self.empty_log()
    }

    /// Empties the write-ahead log, which has earlier states of pages.
    fn empty_log(&self) -> Result<()> {
        let emptied = self.place.connect(OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|own| {
            own.busy_timeout(PATIENCE)?;
            own.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            Ok(())
        });
        emptied.map_err(|err| failure::of_book(err.into(), self.file()))
    }
}

fn delete(own: &Connection, id: &str) -> SqlResult<u64> {
    let removed = own.prepare_cached("DELETE FROM notes_kept WHERE id = ?1")?.execute([id])?;
    Ok(removed as u64)
}

fn insert(own: &Connection, note: &KeptNote) -> SqlResult<()> {
    let KeptNote { id, at, source, tags, text, digest, used } = note;
    let tags = serde_json::to_string(tags).unwrap_or_default();
    let used = serde_json::to_string(used).unwrap_or_default();
    let sql = "INSERT OR REPLACE INTO notes_kept (id, at, source, tags, text, digest, used)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    own.prepare_cached(sql)?.execute(params![id, at, source, tags, text, digest, used])?;
    Ok(())
}

fn note(row: &Row<'_>) -> rusqlite::Result<KeptNote> {
    let list = |it: String| serde_json::from_str(&it).unwrap_or_default();
    Ok(KeptNote {
        id: row.get(0)?,
        at: row.get(1)?,
        source: row.get(2)?,
        tags: serde_json::from_str(&row.get::<_, String>(3)?).unwrap_or_default(),
        text: row.get(4)?,
        digest: row.get(5)?,
        used: list(row.get(6)?),
    })
}
