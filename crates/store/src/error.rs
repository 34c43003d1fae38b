//! Why the store cannot do something.

use std::{fmt, io, path::Path};

use rusqlite::ffi;

/// The closed list of what can be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// A newer svc made the store, or changed it.
    Newer,
    /// The file is something else than a store.
    Foreign,
    /// What is there contradicts itself, or a part of it is missing.
    Corrupt,
    /// The file or its folder may not be written.
    ReadOnly,
    /// Another process keeps the store busy.
    Locked,
    /// There is no space left, on the disk or within the store's page limit.
    Full,
    /// The file was deleted or replaced while it was open.
    Gone,
    /// Another process works on the run.
    Claimed { pid: Option<u32> },
    /// There is no such run.
    NotFound,
    /// More than one run is meant.
    Ambiguous,
    /// What would be made is there already.
    Exists,
    /// The system failed in another way.
    Io,
    /// The code that calls the store, or the store itself, is wrong.
    Bug,
}

/// A failure of the store. It is cheap to clone, because one failed commit is told to
/// everyone who shared it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    pub kind: StoreErrorKind,
    pub message: String,
    /// What can be done about it.
    pub help: Option<String>,
}

pub(super) type Result<T> = std::result::Result<T, StoreError>;

impl StoreError {
    pub(super) fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with the name of the store that it is about.
    pub(super) fn at(mut self, file: &Path) -> Self {
        if let Some(rest) = self.message.strip_prefix("the store ") {
            self.message = format!("the store `{}` {rest}", file.display());
        }
        self
    }

    pub fn corrupt(why: impl fmt::Display) -> Self {
        Self::new(StoreErrorKind::Corrupt, format!("the store is damaged: {why}"))
            .help("`svc doctor` says more, and can set the damaged file aside")
    }

    /// For what nobody but us can have done wrong.
    pub(super) fn bug(why: impl fmt::Display) -> Self {
        Self::new(StoreErrorKind::Bug, format!("bug in the store: {why}"))
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::NotFound, message).help("`svc runs` lists all")
    }

    fn of_kind(kind: StoreErrorKind, why: impl fmt::Display) -> Self {
        let (what, help) = match kind {
            StoreErrorKind::ReadOnly => (
                "the store cannot be written",
                "`--store FILE` names another one, and `--no-store` does without",
            ),
            StoreErrorKind::Locked => {
                ("the store is kept busy by another process", "try again when that one is done")
            }
            StoreErrorKind::Full => (
                "the store has no space left",
                "`svc runs prune` removes old runs, and `--store FILE` names another place",
            ),
            StoreErrorKind::Corrupt => return Self::corrupt(why),
            StoreErrorKind::Bug => return Self::bug(why),
            _ => (
                "the store failed",
                "see whether its disk has space and is sound, and whether a limit holds for the \
                 size of files; `svc doctor` says whether the store is whole",
            ),
        };
        Self::new(kind, format!("{what}: {why}")).help(help)
    }

    /// Whether only this one entry is wrong, and others can still be written.
    pub(super) fn is_of_entry(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Bug | StoreErrorKind::NotFound)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(err: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(cause, _) = &err else {
            // A column of another type than the schema says.
            return Self::corrupt(err);
        };
        let kind = match cause.extended_code & 0xff {
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => StoreErrorKind::Corrupt,
            ffi::SQLITE_READONLY | ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM => {
                StoreErrorKind::ReadOnly
            }
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => StoreErrorKind::Locked,
            ffi::SQLITE_FULL => StoreErrorKind::Full,
            ffi::SQLITE_CONSTRAINT | ffi::SQLITE_MISUSE | ffi::SQLITE_ERROR => StoreErrorKind::Bug,
            _ => StoreErrorKind::Io,
        };
        Self::of_kind(kind, err)
    }
}

impl From<io::Error> for StoreError {
    fn from(err: io::Error) -> Self {
        let kind = match err.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreErrorKind::ReadOnly
            }
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => StoreErrorKind::Full,
            _ => StoreErrorKind::Io,
        };
        Self::of_kind(kind, err)
    }
}
