//! Opens a store read-only: nothing in it is written, and a store without write permission can
//! be read.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{fs, io, path::Path, sync::Arc};

use svc_contract::{
    registry::{Hint, HintId},
    store::{StoreError, StoreErrorKind},
};

use super::{
    SqliteStore,
    claim::Claims,
    error::{Result, SqlError, SqlResult},
    mark::Mark,
    open,
    place::{self, HEADER, OF_SQLITE, Place},
    pool::{Access, Pool},
    queue::Queue,
    schema,
};

impl SqliteStore {
    /// Opens the store in a file for reading, even if it is not writable, and while others
    /// write it. Writing to it is an error. A store of an older svc is migrated first, at the
    /// time `now`.
    pub fn open_reading(file: &Path, now: i64) -> Result<Self> {
        match pool(file).map_err(|err| err.0.at(file))? {
            Some(pool) => Ok(Self::that_reads(Place::File(file.to_owned()), pool)),
            None => Self::open(file, now),
        }
    }

    fn that_reads(place: Place, pool: Pool) -> Self {
        let queue = Arc::new(Queue::default());
        let why = StoreErrorKind::ReadOnly;
        queue.abandon(StoreError::new(why, "the store was opened read-only"));
        Self { place, files: None, queue, writer: None, pool, claims: Claims::default() }
    }
}

/// The connections to an up-to-date store; `None` if it is of an older svc.
fn pool(file: &Path) -> SqlResult<Option<Pool>> {
    place::refuse_foreign(file)?;
    let len = fs::metadata(file).map_err(|err| absent(err, file))?.len();
    let mark = Mark::look(&place::sibling(file, "-mark"))?;
    match (looked(file, len, mark.as_ref()), &mark) {
        // Another process may be creating it. Readers of an intact store take no lock, because
        // holding it would prevent commits from raising the mark.
        (Err(err), Some(mark)) if may_be_unmade(&err.0) => {
            mark.lock()?;
            let len = fs::metadata(file).map_err(|err| absent(err, file))?.len();
            looked(file, len, Some(mark))
        }
        (looked, _) => looked,
    }
}

fn may_be_unmade(err: &StoreError) -> bool {
    matches!(err.kind, StoreErrorKind::Corrupt | StoreErrorKind::Foreign)
}

fn looked(file: &Path, len: u64, mark: Option<&Mark>) -> SqlResult<Option<Pool>> {
    if len < HEADER {
        return Err(StoreError::corrupt("its file is too short").into());
    }
    // The mark is read first: it may rise while the database is read.
    let seen = mark.map(Mark::read).transpose()?.flatten();
    let pool = connected(file)?;
    let is_current = {
        let reader = pool.reader()?;
        let is_current = schema::is_current(&reader)?;
        if is_current {
            open::compare(&reader, seen)?;
        }
        is_current
    };
    Ok(is_current.then_some(pool))
}

/// A store that is not open anywhere, in a read-only place, is read without locking: `SQLite`
/// cannot create its shared files there.
fn connected(file: &Path) -> SqlResult<Pool> {
    let place = Place::File(file.to_owned());
    match Pool::new(place.clone(), Access::Reading).and_then(asked) {
        Ok(pool) => Ok(pool),
        Err(err) if err.0.kind != StoreErrorKind::ReadOnly => Err(err),
        Err(_) if is_closed(file)? => Pool::new(place, Access::Alone),
        Err(SqlError(err)) => Err(StoreError::new(
            err.kind,
            "the store was not closed properly, and cannot be read \
            in a read-only folder",
        )
        .help(Hint::new(HintId::StoreCopy).with("file", file.display()))
        .into()),
    }
}

/// Runs a query: only then `SQLite` opens the files next to the database.
fn asked(pool: Pool) -> SqlResult<Pool> {
    schema::version(&*pool.reader()?)?;
    Ok(pool)
}

/// Whether all data is in the database, and none in a log next to it.
fn is_closed(file: &Path) -> Result<bool> {
    match fs::metadata(place::sibling(file, OF_SQLITE[0])) {
        Ok(log) => Ok(log.len() == 0),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(err) => Err(err.into()),
    }
}

fn absent(err: io::Error, file: &Path) -> StoreError {
    match err.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            let message = format!("store of runs `{}` not found", file.display());
            StoreError::new(StoreErrorKind::NotFound, message).help(HintId::StoreMissing)
        }
        _ => err.into(),
    }
}
