//! Reports of what is wrong, with their comments.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Book, Written};
use crate::error::{Result, SqlResult};

/// The columns of a report.
const BUG: &str = "SELECT id, owner, title, description, run, at, is_open FROM bugs";

/// The most reports of an owner.
pub const MOST_BUGS: i64 = 1_000;

/// The most comments of a report.
pub const MOST_COMMENTS: i64 = 200;

/// A report. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BugRow {
    pub id: String,
    pub owner: String,
    pub title: String,
    pub description: String,
    /// The run that it is about.
    pub run: Option<String>,
    pub at: i64,
    pub is_open: bool,
}

/// What became of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BugChange {
    Done,
    /// No report of this owner has the id.
    Unknown,
    /// The report has too many comments.
    Full,
}

impl Book {
    /// Adds a report, unless an open one says the same. Returns the report; `None` if its owner has
    /// too many.
    pub fn add_bug(&self, bug: BugRow) -> Written<Option<BugRow>> {
        self.write(move |own| {
            let sql = format!(
                "{BUG} WHERE owner = ?1 AND title = ?2 AND description = ?3 AND run IS ?4
                    AND is_open = 1"
            );
            let BugRow { owner, title, description, run, .. } = &bug;
            let known = own
                .prepare_cached(&sql)?
                .query_row(params![owner, title, description, run], row)
                .optional()?;
            if known.is_some() {
                return Ok(known);
            }
            let sql = "SELECT count(*) FROM bugs WHERE owner = ?1";
            let count: i64 = own.prepare_cached(sql)?.query_row([&bug.owner], |it| it.get(0))?;
            if count >= MOST_BUGS {
                return Ok(None);
            }
            let BugRow { id, owner, title, description, run, at, is_open } = &bug;
            let sql = "INSERT INTO bugs (id, owner, title, description, run, at, is_open)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            own.prepare_cached(sql)?.execute(params![
                id,
                owner,
                title,
                description,
                run,
                at,
                is_open
            ])?;
            Ok(Some(bug.clone()))
        })
    }

    /// Adds a comment to a report, which is open or closed from then on. The same comment counts
    /// once if nothing was said since.
    pub fn comment_bug(
        &self,
        owner: String,
        id: String,
        (at, text): (i64, String),
        is_open: bool,
    ) -> Written<BugChange> {
        self.write(move |own| {
            if bug(own, &owner, &id)?.is_none() {
                return Ok(BugChange::Unknown);
            }
            let sql = "SELECT text FROM bug_comments WHERE bug = ?1 ORDER BY no DESC LIMIT 1";
            let last: Option<String> =
                own.prepare_cached(sql)?.query_row([&id], |it| it.get(0)).optional()?;
            if last.as_ref() != Some(&text) {
                let sql = "SELECT count(*) FROM bug_comments WHERE bug = ?1";
                let count: i64 = own.prepare_cached(sql)?.query_row([&id], |it| it.get(0))?;
                if count >= MOST_COMMENTS {
                    return Ok(BugChange::Full);
                }
                let sql = "INSERT INTO bug_comments (bug, at, text) VALUES (?1, ?2, ?3)";
                own.prepare_cached(sql)?.execute(params![id, at, text])?;
            }
            let sql = "UPDATE bugs SET is_open = ?1 WHERE id = ?2";
            own.prepare_cached(sql)?.execute(params![is_open, id])?;
            Ok(BugChange::Done)
        })
    }

    /// A report of an owner.
    pub fn bug(&self, owner: &str, id: &str) -> Result<Option<BugRow>> {
        self.read(|own| bug(own, owner, id))
    }

    /// The reports of an owner, the latest first: all, or those that are open or closed.
    pub fn bugs(&self, owner: &str, is_open: Option<bool>) -> Result<Vec<BugRow>> {
        self.read(|own| {
            let sql = format!(
                "{BUG} WHERE owner = ?1 AND is_open = coalesce(?2, is_open)
                    ORDER BY at DESC, id DESC"
            );
            let mut found = own.prepare_cached(&sql)?;
            let rows = found.query_map(params![owner, is_open], row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The comments of a report, the first one first: their times and texts.
    pub fn bug_comments(&self, id: &str) -> Result<Vec<(i64, String)>> {
        self.read(|own| {
            let sql = "SELECT at, text FROM bug_comments WHERE bug = ?1 ORDER BY no";
            let mut found = own.prepare_cached(sql)?;
            let rows = found.query_map([id], |it| Ok((it.get(0)?, it.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn bug(own: &Connection, owner: &str, id: &str) -> SqlResult<Option<BugRow>> {
    let sql = format!("{BUG} WHERE owner = ?1 AND id = ?2");
    Ok(own.prepare_cached(&sql)?.query_row([owner, id], row).optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<BugRow> {
    Ok(BugRow {
        id: row.get(0)?,
        owner: row.get(1)?,
        title: row.get(2)?,
        description: row.get(3)?,
        run: row.get(4)?,
        at: row.get(5)?,
        is_open: row.get(6)?,
    })
}
