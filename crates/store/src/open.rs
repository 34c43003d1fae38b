//! Opens a store: creates it, migrates it, and refuses a store that cannot be trusted.
//!
//! **Invariant:** nothing in a store is changed before its mark has been compared: `SQLite`
//! would overwrite the dropped part of a damaged log.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use svc_contract::{
    registry::HintId,
    store::{StoreError, StoreErrorKind},
};

use super::{
    error::{Result, SqlError, SqlResult},
    mark::{Mark, Seen},
    place::{self, HEADER, OF_SQLITE, Place},
    private,
    schema::{self, Tables},
    whole,
    writer::Writer,
};

/// The time that one process waits for the others.
const PATIENCE: Duration = Duration::from_secs(30);

/// Larger stores are checked page by page only on request.
const QUICK_CHECK_UP_TO: i64 = 16 << 20;

/// In KiB, as `SQLite` counts; large enough that a transaction seldom writes a page twice, and small
/// enough for the databases of many owners.
const CACHE: i32 = -8_192;

/// The number of log pages written back at once; frequently changed pages are written once.
const CHECKPOINT: u32 = 4_000;

/// The options for opening a store.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Milliseconds since 1970.
    pub now: i64,
    /// The maximum number of pages of 4096 bytes, without large contents.
    pub page_limit: Option<u32>,
}

/// Opens the store of runs in a file for writing.
pub(super) fn file(file: &Path, options: Options) -> SqlResult<Writer> {
    file_of(&schema::RUNS, file, options)
}

/// Opens a database of some kind in a file for writing.
pub(super) fn file_of(tables: &Tables<'_>, file: &Path, options: Options) -> SqlResult<Writer> {
    place::refuse_foreign(file)?;
    if let Some(folder) = file.parent() {
        private::create_folder(folder)?;
    }
    let mark = Mark::open(&place::sibling(file, "-mark"))?;
    mark.lock()?;
    let opened = opened(tables, Place::File(file.to_owned()), &mark, options);
    mark.unlock()?;
    let Opened { connection, place, seen, looked } =
        opened.map_err(|SqlError(err)| match err.kind {
            // These statements work for every intact store, so the file is at fault.
            StoreErrorKind::Bug => StoreError::corrupt(err.message),
            _ => err,
        })?;
    let files = place.files()?;
    Ok(Writer { connection, place, files, store: seen.store, mark: Some(mark), looked })
}

/// Opens a store of runs in memory for writing.
pub(super) fn memory(options: Options) -> SqlResult<Writer> {
    memory_of(&schema::RUNS, options)
}

/// Opens a database of some kind in memory for writing.
pub(super) fn memory_of(tables: &Tables<'_>, options: Options) -> SqlResult<Writer> {
    let place = Place::in_memory();
    let mut connection = place.connect(for_writing())?;
    prepare(&connection, options)?;
    schema::migrate_by(tables, &mut connection, options.now)?;
    let store = schema::identity(&connection)?;
    Ok(Writer { connection, place, files: None, store, mark: None, looked: None })
}

/// The opened database of a file.
struct Opened {
    connection: Connection,
    place: Place,
    seen: Seen,
    /// The time of the latest page-by-page check.
    looked: Option<i64>,
}

fn opened(tables: &Tables<'_>, place: Place, mark: &Mark, options: Options) -> SqlResult<Opened> {
    let was_there = mark.read()?;
    let looked = place.file().and_then(|it| whole::looked(mark, it, options.now));
    let len = place.file().and_then(|it| fs::metadata(it).ok()).map(|it| it.len());
    // `SQLite` treats a file without a complete header as empty, and initialises it again.
    if len.is_some_and(|it| it < HEADER && (it > 0 || was_there.is_some())) {
        return Err(StoreError::corrupt("its file is too short").into());
    }
    if let (Some(file), None) = (place.file(), len) {
        private::create(file)?;
    }
    let mut connection = place.connect(for_writing())?;
    // Closing a refused store must not overwrite its log.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    prepare(&connection, options)?;
    if tables.own(&connection)? {
        compare(&connection, was_there)?;
    } else if len.is_some() && was_there.is_some() {
        return Err(StoreError::corrupt("its file has lost its content").into());
    } else {
        // Allows pruning to release pages; can only be set for an empty file.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    schema::migrate_by(tables, &mut connection, options.now)?;
    log_ahead(&connection)?;
    let looked = match looked {
        Some(looked) => Some(looked),
        None => quick_check(&connection)?.then_some(options.now),
    };
    let seen = seen(&connection)?;
    mark.raise_locked(seen)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(Opened { connection, place, seen, looked })
}

pub(super) fn for_writing() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
}

/// Sets the options that `SQLite` does not store in the file.
pub(super) fn prepare(connection: &Connection, options: Options) -> SqlResult<()> {
    const STATEMENTS: usize = 32;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    for (name, value) in [
        ("synchronous", "FULL"),
        ("foreign_keys", "ON"),
        ("cell_size_check", "ON"),
        ("trusted_schema", "OFF"),
        ("temp_store", "MEMORY"),
    ] {
        connection.pragma_update(None, name, value)?;
    }
    connection.pragma_update(None, "cache_size", CACHE)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT, |_| Ok(()))?;
    if let Some(pages) = options.page_limit {
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    Ok(())
}

fn log_ahead(connection: &Connection) -> SqlResult<()> {
    const LARGEST_LOG: i64 = 64 << 20;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |it| it.get(0))?;
    if mode != "wal" {
        let message = "the store's file system cannot keep a write-ahead log";
        return Err(StoreError::new(StoreErrorKind::Io, message).help(HintId::StorePlace).into());
    }
    connection.pragma_update_and_check(None, "journal_size_limit", LARGEST_LOG, |_| Ok(()))?;
    Ok(())
}

/// The count of commits in the database itself.
pub(super) fn seen(connection: &Connection) -> SqlResult<Seen> {
    let store = schema::identity(connection)?;
    Ok(Seen { store, commits: schema::commits(connection)? })
}

/// Refuses a database with fewer commits than its mark.
pub(super) fn compare(connection: &Connection, mark: Option<Seen>) -> SqlResult<()> {
    let own = seen(connection)?;
    match mark.filter(|it| it.store == own.store) {
        Some(mark) if mark.commits > own.commits => {
            let lost = mark.commits - own.commits;
            Err(StoreError::corrupt(format_args!("its last {lost} commits are missing")).into())
        }
        _ => Ok(()),
    }
}

/// Checks a store page by page. Returns false if it skipped a large store.
fn quick_check(connection: &Connection) -> SqlResult<bool> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |it| it.get(0))?;
    let size: i64 = connection.pragma_query_value(None, "page_size", |it| it.get(0))?;
    if pages.saturating_mul(size) > QUICK_CHECK_UP_TO {
        return Ok(false);
    }
    let said: String = connection.pragma_query_value(None, "quick_check", |it| it.get(0))?;
    match said.as_str() {
        "ok" => Ok(true),
        _ => Err(StoreError::corrupt(said.trim_start_matches("*** in database main ***\n")).into()),
    }
}

/// Sets a damaged store aside, complete, under a name with the time. Returns that name. The
/// claims stay: claimed runs are still being worked on.
pub(super) fn set_aside(file: &Path, now: i64) -> Result<PathBuf> {
    let mark = Mark::open(&place::sibling(file, "-mark"))?;
    mark.lock()?;
    let mut aside = place::sibling(file, &format!(".corrupt-{now}"));
    while fs::exists(&aside)? {
        aside = place::sibling(&aside, "-again");
    }
    // The mark goes last: as long as it exists, a store without its log counts as damaged.
    for suffix in OF_SQLITE.into_iter().chain(["-blobs", "", "-mark"]) {
        let (from, to) = (place::sibling(file, suffix), place::sibling(&aside, suffix));
        match fs::rename(from, to) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err.into()),
            _ => {}
        }
    }
    Ok(aside)
}
