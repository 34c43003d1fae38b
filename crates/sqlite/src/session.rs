//! A database that is open during one call.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, Statement, config::DbConfig,
    fallible_iterator::FallibleIterator, limits::Limit,
};
use svc_contract::{
    host::Access,
    registry::{Cx, ErrorKind, OpError},
};

use crate::{
    error::{Known, Trouble},
    rules::{Allowed, Rules},
};

/// The most bytes of one text or blob.
const LARGEST_CELL: i32 = 256 << 20;

/// The instructions between two looks whether the call is cancelled: well below a millisecond.
const INSTRUCTIONS: i32 = 10_000;

/// How long another program may hold the lock of a database, in steps of [`STEP`].
const PATIENCE: u32 = 50;
const STEP: Duration = Duration::from_millis(100);

/// One open database.
pub struct Session<'a> {
    pub(crate) db: Connection,
    pub(crate) cx: &'a Cx,
    /// The path that the script names; empty for a database in memory.
    pub(crate) shown: PathBuf,
    pub(crate) rules: Rules,
}

impl<'a> Session<'a> {
    /// Opens an existing database, only for reading.
    pub fn reading(cx: &'a Cx, path: &Path) -> Result<Self, OpError> {
        let stat = cx.host().stat(path).map_err(|err| unusable(err, path))?;
        let file = cx.host().library_file(path, Access::Read).map_err(|err| unusable(err, path))?;
        if stat.is_dir {
            return Err(unusable(std::io::ErrorKind::IsADirectory.into(), path));
        }
        let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | COMMON);
        Self::of(db, cx, path, Allowed::Reads)
    }

    /// Opens a database for reading and writing, and creates it if it is missing.
    pub fn writing(cx: &'a Cx, path: &Path) -> Result<Self, OpError> {
        let file =
            cx.host().library_file(path, Access::Write).map_err(|err| unusable(err, path))?;
        if file.is_dir() {
            return Err(unusable(std::io::ErrorKind::IsADirectory.into(), path));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | COMMON;
        Self::of(Connection::open_with_flags(file, flags), cx, path, Allowed::Writes)
    }

    /// A database in memory, which ends with the session.
    pub fn in_memory(cx: &'a Cx) -> Result<Self, OpError> {
        Self::of(Connection::open_in_memory(), cx, Path::new(""), Allowed::Writes)
    }

    fn of(
        db: rusqlite::Result<Connection>,
        cx: &'a Cx,
        path: &Path,
        allowed: Allowed,
    ) -> Result<Self, OpError> {
        let bare = |err| Trouble::of(err, path, cx).explained(&Known::default());
        let mut db = db.map_err(bare)?;
        let rules = prepared(&mut db, cx, allowed).map_err(bare)?;
        let session = Self { db, cx, shown: path.to_owned(), rules };
        // The file is read only now.
        let look = "SELECT count(*) FROM sqlite_schema";
        session.patiently(|db| db.query_row(look, [], |_| Ok(())))?;
        Ok(session)
    }

    /// Does something that another program may delay, as it writes at the same time.
    pub(crate) fn patiently<T>(
        &self,
        run: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, OpError> {
        for _ in 1..PATIENCE {
            match run(&self.db) {
                Err(err) if err.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    self.cx.check()?;
                }
                done => return done.map_err(|err| self.trouble(err)),
            }
        }
        run(&self.db).map_err(|err| self.trouble(err))
    }

    /// Runs `work` in a transaction: all of it is kept, or nothing.
    pub(crate) fn all_or_nothing<T>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, OpError>,
    ) -> Result<T, OpError> {
        self.unguarded("BEGIN IMMEDIATE")?;
        let done = work(self).and_then(|it| self.unguarded("COMMIT").map(|()| it));
        if done.is_err() && !self.db.is_autocommit() {
            // The first error matters. Without the rollback, closing the database does the same.
            let _ = self.unguarded("ROLLBACK");
        }
        done
    }

    /// Runs a statement of this crate.
    pub(crate) fn unguarded(&self, sql: &str) -> Result<(), OpError> {
        self.by_itself(|it| it.patiently(|db| db.execute_batch(sql)))
    }

    /// Does something that the rules for the caller's statements do not concern.
    pub(crate) fn by_itself<T>(&self, run: impl FnOnce(&Self) -> T) -> T {
        let rules = self.rules.set(None);
        let done = run(self);
        self.rules.set(rules);
        done
    }

    /// Sets what the caller's statements may do from now on.
    pub fn allow(&self, allowed: Allowed) {
        self.rules.set(Some(allowed));
    }

    /// The error of the database as one of the op.
    pub(crate) fn trouble(&self, err: rusqlite::Error) -> OpError {
        let refused = self.rules.take_refused();
        let names = self.by_itself(|it| crate::schema::known_names(&it.db));
        Trouble::of(err, &self.shown, self.cx).refused(refused).explained(&names)
    }

    /// The only statement of a text.
    pub(crate) fn one(&self, sql: &str) -> Result<Statement<'_>, OpError> {
        let mut all = rusqlite::Batch::new(&self.db, sql);
        let first = all.next().map_err(|err| self.trouble(err))?;
        let first = first.ok_or_else(|| {
            OpError::invalid_input("expected an SQL statement, found an empty text")
        })?;
        if all.next().is_ok_and(|it| it.is_none()) {
            return Ok(first);
        }
        Err(several())
    }
}

pub(crate) fn several() -> OpError {
    OpError::invalid_input("expected one SQL statement, found several")
        .help("`database.execute` runs several statements")
}

/// Not the path as a URI, no lock of its own, no links, and precise codes of errors.
const COMMON: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX
    .union(OpenFlags::SQLITE_OPEN_NOFOLLOW)
    .union(OpenFlags::SQLITE_OPEN_EXRESCODE);

fn prepared(db: &mut Connection, cx: &Cx, allowed: Allowed) -> rusqlite::Result<Rules> {
    db.busy_timeout(STEP)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    // `"name"` is a column, and never a text.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LARGEST_CELL)?;
    let call = cx.clone();
    db.progress_handler(INSTRUCTIONS, Some(move || call.check().is_err()))?;
    Rules::install(db, allowed)
}

fn unusable(err: std::io::Error, path: &Path) -> OpError {
    let help = match err.kind() {
        std::io::ErrorKind::NotFound => {
            "check the path: in a script file it is relative to the script's folder, elsewhere to the current folder; `database.import` and `database.migrate` create a database"
        }
        std::io::ErrorKind::IsADirectory => "name the file of the database",
        std::io::ErrorKind::Unsupported => {
            let message = format!("cannot use `{}`: {err}", path.display());
            return OpError::new(ErrorKind::Unsupported, message);
        }
        _ => return OpError::io(err, path),
    };
    OpError::io(err, path).help(help)
}
