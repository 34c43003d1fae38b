//! Where a store is: its file, and what lies beside it.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and what lies beside it")]

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    error::{Result, StoreError, StoreErrorKind},
    id::RunId,
    rows::Hash,
};

/// What `SQLite` keeps beside its file.
pub(super) const OF_SQLITE: [&str; 2] = ["-wal", "-shm"];

/// A file, or a name in memory that no other store has.
#[derive(Clone, Debug)]
pub(super) enum Place {
    File(PathBuf),
    Memory(String),
}

/// Which file a path leads to, so that another one in its place is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Place {
    /// A place in memory that goes with its last connection.
    pub(super) fn in_memory() -> Self {
        Self::Memory(format!("file:/svc-{:032x}?vfs=memdb", fastrand::u128(..)))
    }

    /// Opens the database; `flags` say how.
    pub(super) fn connect(&self, flags: OpenFlags) -> Result<Connection> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = match self {
            Self::File(file) => Connection::open_with_flags(file, flags),
            Self::Memory(uri) => {
                Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
            }
        };
        Ok(opened?)
    }

    /// The file, unless the store is in memory.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::Memory(_) => None,
        }
    }

    /// The file of a large content.
    pub(super) fn blob(&self, hash: Hash) -> Option<PathBuf> {
        let name = hash.to_string();
        self.file().map(|it| beside(it, "-blobs").join(&name[..2]).join(&name[2..]))
    }

    /// The folder of large contents.
    pub(super) fn blobs(&self) -> Option<PathBuf> {
        self.file().map(|it| beside(it, "-blobs"))
    }

    /// The lock file of a run.
    pub(super) fn claim(&self, run: &RunId) -> Option<PathBuf> {
        self.file().map(|it| beside(it, "-claims").join(run.as_str()))
    }

    /// Which file is there now.
    pub(super) fn identity(&self) -> Result<Option<Identity>> {
        let Some(file) = self.file() else { return Ok(None) };
        match fs::metadata(file) {
            Ok(found) => Ok(Some(identity(&found))),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Err(gone(file)),
            Err(err) => Err(err.into()),
        }
    }

    /// Fails where the file is no longer the one that was opened.
    pub(super) fn is_still(&self, opened: Option<Identity>) -> Result<()> {
        match (self.identity()?, self.file()) {
            (now, Some(file)) if now != opened => Err(gone(file)),
            _ => Ok(()),
        }
    }
}

fn gone(file: &Path) -> StoreError {
    let message = format!("the store `{}` was deleted or replaced while in use", file.display());
    StoreError::new(StoreErrorKind::Gone, message)
        .help("what was not yet written is lost; the next run makes a new store")
}

/// `FILE` with more to its name.
pub(super) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    name.into()
}

/// Which file something is known of.
#[cfg(unix)]
pub(super) fn identity(found: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    Identity { device: found.dev(), inode: found.ino() }
}

/// Elsewhere a file cannot be replaced while it is open.
#[cfg(not(unix))]
pub(super) fn identity(_: &fs::Metadata) -> Identity {
    Identity { device: 0, inode: 0 }
}
