//! Calls that must not be made twice.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Book, Written};
use crate::error::{Result, SqlResult};

/// Which call it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnceKey {
    /// Who calls.
    pub caller: String,
    /// What is called.
    pub route: String,
    /// The key that the caller chose.
    pub key: String,
}

/// A call that is or was made. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnceRow {
    /// The hash of what was asked.
    pub asked: [u8; 32],
    pub at: i64,
    /// The process that makes it.
    pub holder: String,
    /// The stored run that it became.
    pub run: Option<String>,
    pub answer: Option<OnceAnswer>,
}

/// The answer of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnceAnswer {
    pub status: u16,
    /// The media type of the text.
    pub format: String,
    pub text: String,
}

/// The most calls that one write forgets.
const FORGOTTEN: i64 = 1000;

impl Book {
    /// Notes a call that begins, unless it is known; then what is known is returned. Calls from
    /// before `oldest` are forgotten.
    pub fn enter_once(&self, key: OnceKey, row: OnceRow, oldest: i64) -> Written<Option<OnceRow>> {
        self.write(move |own| {
            let sql = "DELETE FROM once WHERE (caller, route, key) IN
                (SELECT caller, route, key FROM once WHERE at < ?1 LIMIT ?2)";
            own.prepare_cached(sql)?.execute([oldest, FORGOTTEN])?;
            // This call may be older than those that were removed.
            let known = one(own, &key)?.filter(|it| it.at >= oldest);
            if known.is_none() {
                put(own, &key, &row)?;
            }
            Ok(known)
        })
    }

    /// Notes that another process makes a call from now on, if it is as it was.
    pub fn take_once(&self, key: OnceKey, was: OnceRow, holder: String) -> Written<bool> {
        self.write(move |own| {
            let sql = "UPDATE once SET holder = ?1 WHERE caller = ?2 AND route = ?3 AND key = ?4
                AND holder = ?5 AND status IS NULL";
            let OnceKey { caller, route, key } = &key;
            let changed = own
                .prepare_cached(sql)?
                .execute(params![holder, caller, route, key, was.holder])?;
            Ok(changed > 0)
        })
    }

    /// Notes the stored run that a call became.
    pub fn started_once(&self, key: OnceKey, run: String) -> Written<()> {
        self.write(move |own| {
            let sql = "UPDATE once SET run = ?1 WHERE caller = ?2 AND route = ?3 AND key = ?4";
            own.prepare_cached(sql)?.execute([&run, &key.caller, &key.route, &key.key])?;
            Ok(())
        })
    }

    /// Notes the answer of a call.
    pub fn answered_once(&self, key: OnceKey, answer: OnceAnswer) -> Written<()> {
        self.write(move |own| {
            let sql = "UPDATE once SET status = ?1, format = ?2, answer = ?3
                WHERE caller = ?4 AND route = ?5 AND key = ?6";
            let OnceAnswer { status, format, text } = &answer;
            let OnceKey { caller, route, key } = &key;
            own.prepare_cached(sql)?.execute(params![status, format, text, caller, route, key])?;
            Ok(())
        })
    }

    /// Forgets a call of which nothing was made, without waiting.
    pub fn forget_once(&self, key: OnceKey, holder: String) -> Result<()> {
        self.append(move |own| {
            let sql = "DELETE FROM once WHERE caller = ?1 AND route = ?2 AND key = ?3
                AND holder = ?4 AND status IS NULL";
            let OnceKey { caller, route, key } = &key;
            own.prepare_cached(sql)?.execute([caller, route, key, &holder])?;
            Ok(())
        })
    }
}

fn put(own: &Connection, key: &OnceKey, row: &OnceRow) -> SqlResult<()> {
    let sql = "INSERT OR REPLACE INTO once (caller, route, key, asked, at, holder)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let OnceKey { caller, route, key } = key;
    own.prepare_cached(sql)?.execute(params![caller, route, key, row.asked, row.at, row.holder])?;
    Ok(())
}

fn one(own: &Connection, key: &OnceKey) -> SqlResult<Option<OnceRow>> {
    let sql = "SELECT asked, at, holder, run, status, format, answer FROM once
        WHERE caller = ?1 AND route = ?2 AND key = ?3";
    let OnceKey { caller, route, key } = key;
    Ok(own.prepare_cached(sql)?.query_row([caller, route, key], row).optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<OnceRow> {
    let status: Option<u16> = row.get(4)?;
    let answer = match status {
        Some(status) => Some(OnceAnswer { status, format: row.get(5)?, text: row.get(6)? }),
        None => None,
    };
    Ok(OnceRow {
        asked: row.get(0)?,
        at: row.get(1)?,
        holder: row.get(2)?,
        run: row.get(3)?,
        answer,
    })
}
