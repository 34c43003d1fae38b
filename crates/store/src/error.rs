//! Errors of `SQLite` as errors of the store.

use std::io;

use rusqlite::ffi;
use svc_contract::store::{StoreError, StoreErrorKind};

pub(super) type Result<T> = std::result::Result<T, StoreError>;

/// The result of a function that uses `SQLite`.
pub(super) type SqlResult<T> = std::result::Result<T, SqlError>;

/// A [`StoreError`] to which `?` also converts errors of `SQLite`. A [`StoreError`] itself cannot
/// have that conversion here, because both types belong to other crates.
#[derive(Debug)]
pub(super) struct SqlError(pub(super) StoreError);

impl From<SqlError> for StoreError {
    fn from(err: SqlError) -> Self {
        err.0
    }
}

impl From<StoreError> for SqlError {
    fn from(err: StoreError) -> Self {
        Self(err)
    }
}

impl From<io::Error> for SqlError {
    fn from(err: io::Error) -> Self {
        Self(err.into())
    }
}

impl From<rusqlite::Error> for SqlError {
    fn from(err: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(cause, _) = &err else {
            // A column of another type than in the schema.
            return Self(StoreError::corrupt(err));
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
        Self(StoreError::of_kind(kind, err))
    }
}
