//! Opening a store: makes it, brings it up to date, and refuses one that cannot be trusted.
//!
//! **Invariant:** nothing of a store is changed before its mark has been compared. `SQLite`
//! would write over what it dropped of a damaged log.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and what lies beside it")]

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{
    error::{Result, StoreError, StoreErrorKind},
    mark::{Mark, Seen},
    place::{self, HEADER, OF_SQLITE, Place},
    private, schema, whole,
    writer::Writer,
};

/// How long one process waits for the others.
const PATIENCE: Duration = Duration::from_secs(30);

/// Larger stores are checked page by page only when asked.
const QUICK_CHECK_UP_TO: i64 = 16 << 20;

/// KiB, as `SQLite` counts them, so that one transaction seldom writes a page twice.
const CACHE: i32 = -32_768;

/// So many pages of the log are written back at once; those that changed often, once.
const CHECKPOINT: u32 = 4_000;

/// How a store is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Milliseconds since 1970.
    pub now: i64,
    /// So many pages of 4096 bytes at most, without large contents.
    pub page_limit: Option<u32>,
}

/// Opens the store of a file for writing.
pub(super) fn file(file: &Path, options: Options) -> Result<Writer> {
    place::refuse_foreign(file)?;
    if let Some(folder) = file.parent() {
        private::create_folder(folder)?;
    }
    let mark = Mark::open(&place::beside(file, "-mark"))?;
    mark.lock()?;
    let opened = opened(Place::File(file.to_owned()), &mark, options);
    mark.unlock()?;
    let Opened { connection, place, seen, looked } = opened.map_err(|err| match err.kind {
        // What every store can be asked is asked here, so the file is at fault.
        StoreErrorKind::Bug => StoreError::corrupt(err.message),
        _ => err,
    })?;
    let files = place.files()?;
    Ok(Writer { connection, place, files, store: seen.store, mark: Some(mark), looked })
}

/// Opens a store in memory for writing.
pub(super) fn memory(options: Options) -> Result<Writer> {
    let place = Place::in_memory();
    let mut connection = place.connect(for_writing())?;
    prepare(&connection, options)?;
    schema::migrate(&mut connection, options.now)?;
    let store = schema::identity(&connection)?;
    Ok(Writer { connection, place, files: None, store, mark: None, looked: None })
}

/// The database of a file.
struct Opened {
    connection: Connection,
    place: Place,
    seen: Seen,
    /// When it was last looked at page by page.
    looked: Option<i64>,
}

fn opened(place: Place, mark: &Mark, options: Options) -> Result<Opened> {
    let was_there = mark.read()?;
    let looked = place.file().and_then(|it| whole::looked(mark, it, options.now));
    let len = place.file().and_then(|it| fs::metadata(it).ok()).map(|it| it.len());
    // `SQLite` takes a file without a whole header for an empty one, and begins it anew.
    if len.is_some_and(|it| it < HEADER && (it > 0 || was_there.is_some())) {
        return Err(StoreError::corrupt("its file is too short"));
    }
    if let (Some(file), None) = (place.file(), len) {
        private::create(file)?;
    }
    let mut connection = place.connect(for_writing())?;
    // Closing a store that is refused must not write over its log.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    prepare(&connection, options)?;
    if schema::is_ours(&connection)? {
        compare(&connection, was_there)?;
    } else if len.is_some() && was_there.is_some() {
        return Err(StoreError::corrupt("its file has lost what it held"));
    } else {
        // Lets a prune give pages back; only an empty file takes it.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    schema::migrate(&mut connection, options.now)?;
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

/// Sets what `SQLite` does not remember by itself.
pub(super) fn prepare(connection: &Connection, options: Options) -> Result<()> {
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

fn log_ahead(connection: &Connection) -> Result<()> {
    const LARGEST_LOG: i64 = 64 << 20;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |it| it.get(0))?;
    if mode != "wal" {
        let message = "the store's file system cannot keep a write-ahead log";
        return Err(
            StoreError::new(StoreErrorKind::Io, message).help("`--store FILE` names another place")
        );
    }
    connection.pragma_update_and_check(None, "journal_size_limit", LARGEST_LOG, |_| Ok(()))?;
    Ok(())
}

/// What the database itself says of its commits.
pub(super) fn seen(connection: &Connection) -> Result<Seen> {
    let store = schema::identity(connection)?;
    Ok(Seen { store, commits: schema::commits(connection)? })
}

/// Refuses a database that has fewer commits than its mark has seen.
pub(super) fn compare(connection: &Connection, mark: Option<Seen>) -> Result<()> {
    let own = seen(connection)?;
    match mark.filter(|it| it.store == own.store) {
        Some(mark) if mark.commits > own.commits => {
            let lost = mark.commits - own.commits;
            Err(StoreError::corrupt(format_args!("its last {lost} commits are missing")))
        }
        _ => Ok(()),
    }
}

/// Looks at a store page by page. Tells whether it did, or left a large one alone.
fn quick_check(connection: &Connection) -> Result<bool> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |it| it.get(0))?;
    let size: i64 = connection.pragma_query_value(None, "page_size", |it| it.get(0))?;
    if pages.saturating_mul(size) > QUICK_CHECK_UP_TO {
        return Ok(false);
    }
    let said: String = connection.pragma_query_value(None, "quick_check", |it| it.get(0))?;
    match said.as_str() {
        "ok" => Ok(true),
        _ => Err(StoreError::corrupt(said.trim_start_matches("*** in database main ***\n"))),
    }
}

/// Sets a damaged store aside, whole, under a name that says when. Gives that name. The
/// claims stay: whoever works on a run still does.
pub(super) fn set_aside(file: &Path, now: i64) -> Result<PathBuf> {
    let mark = Mark::open(&place::beside(file, "-mark"))?;
    mark.lock()?;
    let mut aside = place::beside(file, &format!(".corrupt-{now}"));
    while fs::exists(&aside)? {
        aside = place::beside(&aside, "-again");
    }
    // The mark goes last: as long as it is there, a store without its log counts as damaged.
    for suffix in OF_SQLITE.into_iter().chain(["-blobs", "", "-mark"]) {
        let (from, to) = (place::beside(file, suffix), place::beside(&aside, suffix));
        match fs::rename(from, to) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err.into()),
            _ => {}
        }
    }
    Ok(aside)
}
