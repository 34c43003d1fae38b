//! The location of a store: its file, and the files next to it.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    ffi::OsString,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};
use svc_contract::{
    registry::HintId,
    store::{Hash, RunId, StoreError, StoreErrorKind},
};

use super::error::{Result, SqlResult};

/// The files that `SQLite` keeps next to the database.
pub(super) const OF_SQLITE: [&str; 2] = ["-wal", "-shm"];

/// A file, or a unique name in memory.
#[derive(Clone, Debug)]
pub(super) enum Place {
    File(PathBuf),
    Memory(String),
}

/// Every database is longer.
pub(super) const HEADER: u64 = 512;

/// The first bytes of every database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Refuses a file that never was a store: it does not begin like one, and has no mark next to
/// it. Nothing may be written next to such a file, and it must not be set aside.
pub(super) fn refuse_foreign(file: &Path) -> Result<()> {
    let mut start = Vec::new();
    match fs::File::open(file) {
        Ok(it) => drop(it.take(MAGIC.len() as u64).read_to_end(&mut start)),
        // Opening the file will report the error.
        Err(_) => return Ok(()),
    }
    let is_marked = fs::metadata(sibling(file, "-mark")).is_ok_and(|it| it.len() > 0);
    if start.is_empty() || start == MAGIC || is_marked {
        return Ok(());
    }
    let message = format!("`{}` is not a store of svc", file.display());
    Err(StoreError::new(StoreErrorKind::Foreign, message).help(HintId::StoreFile))
}

/// The identity of a file, to notice when another file takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

/// The files of a store in use: the database, its log, and their index.
pub(super) type Files = [Identity; 3];

impl Place {
    /// A place in memory that ends with its last connection.
    pub(super) fn in_memory() -> Self {
        Self::Memory(format!("file:/svc-{:032x}?vfs=memdb", fastrand::u128(..)))
    }

    /// Opens the database with `flags`.
    pub(super) fn connect(&self, flags: OpenFlags) -> SqlResult<Connection> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = match self {
            Self::File(file) => Connection::open_with_flags(file, flags),
            Self::Memory(uri) => {
                Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
            }
        };
        Ok(opened?)
    }

    /// Opens a database without writers, in a read-only place.
    pub(super) fn connect_alone(&self) -> SqlResult<Connection> {
        let Self::File(file) = self else { return self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY) };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Connection::open_with_flags(format!("{}?immutable=1", uri(file)), flags)?)
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
        self.file().map(|it| sibling(it, "-blobs").join(&name[..2]).join(&name[2..]))
    }

    /// The folder of large contents.
    pub(super) fn blobs(&self) -> Option<PathBuf> {
        self.file().map(|it| sibling(it, "-blobs"))
    }

    /// The lock file of a run.
    pub(super) fn claim(&self, run: &RunId) -> Option<PathBuf> {
        self.file().map(|it| sibling(it, "-claims").join(run.as_str()))
    }

    /// The files that exist now.
    pub(super) fn files(&self) -> Result<Option<Files>> {
        let Some(file) = self.file() else { return Ok(None) };
        let [log, index] = OF_SQLITE.map(|it| sibling(file, it));
        Ok(Some([whole(file)?, there(&log)?, there(&index)?]))
    }

    /// Fails if the files are not the opened ones any more.
    pub(super) fn is_still(&self, opened: Option<Files>) -> Result<()> {
        let (Some(opened), Some(now), Some(file)) = (opened, self.files()?, self.file()) else {
            return Ok(());
        };
        let names = ["", OF_SQLITE[0], OF_SQLITE[1]];
        let mut pairs = names.into_iter().zip(opened.into_iter().zip(now));
        match pairs.find(|(_, (opened, now))| opened != now) {
            Some((name, _)) => Err(gone(&sibling(file, name))),
            None => Ok(()),
        }
    }
}

/// The identity of the database file. A truncated file is an error.
fn whole(file: &Path) -> Result<Identity> {
    match found(file)? {
        found if found.len() < HEADER => {
            Err(StoreError::corrupt("its file was cut short while in use"))
        }
        found => Ok(identity(&found)),
    }
}

fn there(file: &Path) -> Result<Identity> {
    Ok(identity(&found(file)?))
}

fn found(file: &Path) -> Result<fs::Metadata> {
    fs::metadata(file).map_err(|err| match err.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => gone(file),
        _ => err.into(),
    })
}

fn gone(file: &Path) -> StoreError {
    let message =
        format!("`{}` was deleted or replaced while the store was in use", file.display());
    StoreError::new(StoreErrorKind::Gone, message).help(HintId::StoreGone)
}

/// A path as part of a `SQLite` URI.
fn uri(file: &Path) -> String {
    let plain = |it: u8| it.is_ascii_alphanumeric() || b"/-_.".contains(&it);
    let bytes = file.as_os_str().as_encoded_bytes().iter();
    let path =
        bytes.map(|it| if plain(*it) { char::from(*it).to_string() } else { format!("%{it:02x}") });
    format!("file:{}", path.collect::<String>())
}

/// `FILE` with a suffix.
pub(super) fn sibling(file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    name.into()
}

/// The identity of a file.
#[cfg(unix)]
pub(super) fn identity(found: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    Identity { device: found.dev(), inode: found.ino() }
}

/// On other systems a file cannot be replaced while it is open.
#[cfg(not(unix))]
pub(super) fn identity(_: &fs::Metadata) -> Identity {
    Identity { device: 0, inode: 0 }
}
