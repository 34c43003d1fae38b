//! Opening a store only to look into it: nothing of it is written, and one that may not be
//! written can be read.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and what lies beside it")]

use std::{fs, io, path::Path, sync::Arc};

use super::{
    Store,
    claim::Claims,
    error::{Result, StoreError, StoreErrorKind},
    mark::Mark,
    open,
    place::{self, HEADER, OF_SQLITE, Place},
    pool::{Access, Pool},
    queue::Queue,
    schema,
};

impl Store {
    /// Opens the store of a file to read it, also where it cannot be written, and while others
    /// write it. Whoever writes to it all the same is refused. A store of an older svc is
    /// brought up to date first, at the time `now`.
    pub fn open_reading(file: &Path, now: i64) -> Result<Self> {
        match pool(file).map_err(|err| err.at(file))? {
            Some(pool) => Ok(Self::that_reads(Place::File(file.to_owned()), pool)),
            None => Self::open(file, now),
        }
    }

    fn that_reads(place: Place, pool: Pool) -> Self {
        let queue = Arc::new(Queue::default());
        let why = StoreErrorKind::ReadOnly;
        queue.abandon(StoreError::new(why, "the store was opened only to be read"));
        Self { place, files: None, queue, writer: None, pool, claims: Claims::default() }
    }
}

/// The connections to a store that is up to date. None where it is of an older svc.
fn pool(file: &Path) -> Result<Option<Pool>> {
    place::refuse_foreign(file)?;
    let len = fs::metadata(file).map_err(|err| absent(err, file))?.len();
    let mark = Mark::look(&place::beside(file, "-mark"))?;
    match (looked(file, len, mark.as_ref()), &mark) {
        // Somebody may be about to make it. Who only looks at a store that is whole takes no
        // lock, because without it the mark of a commit cannot be raised.
        (Err(err), Some(mark)) if may_be_unmade(&err) => {
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

fn looked(file: &Path, len: u64, mark: Option<&Mark>) -> Result<Option<Pool>> {
    if len < HEADER {
        return Err(StoreError::corrupt("its file is too short"));
    }
    // The mark is read first: it may rise while the database is looked at.
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

/// A store that nobody has open, in a place that cannot be written, is read as it lies there:
/// `SQLite` cannot make the files by which processes agree.
fn connected(file: &Path) -> Result<Pool> {
    let place = Place::File(file.to_owned());
    match Pool::new(place.clone(), Access::Reading).and_then(asked) {
        Ok(pool) => Ok(pool),
        Err(err) if err.kind != StoreErrorKind::ReadOnly => Err(err),
        Err(_) if is_closed(file)? => Pool::new(place, Access::Alone),
        Err(err) => Err(StoreError::new(
            err.kind,
            "the store was not closed, and cannot be read \
            where nothing can be written",
        )
        .help(format!(
            "copy `{0}` and `{0}-wal` to another place, and name the copy with `--store FILE`",
            file.display()
        ))),
    }
}

/// Asks something: only then `SQLite` opens what lies beside the file.
fn asked(pool: Pool) -> Result<Pool> {
    schema::version(&*pool.reader()?)?;
    Ok(pool)
}

/// Whether everything stands in the database, and nothing in a log beside it.
fn is_closed(file: &Path) -> Result<bool> {
    match fs::metadata(place::beside(file, OF_SQLITE[0])) {
        Ok(log) => Ok(log.len() == 0),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(err) => Err(err.into()),
    }
}

fn absent(err: io::Error, file: &Path) -> StoreError {
    match err.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            let message = format!("there is no store of runs `{}`", file.display());
            StoreError::new(StoreErrorKind::NotFound, message).help("`svc run` makes it")
        }
        _ => err.into(),
    }
}
