//! A repaired copy of a damaged store, which can be read as far as possible.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    fs::{self, File},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use svc_contract::store::StoreError;

use super::{
    error::SqlResult,
    open::{self, Options},
    place::{self, HEADER, OF_SQLITE, Place},
    private, schema,
};

/// The fixed bytes at the start of every store, with their offsets. A damaged one would make
/// all the rest unreadable.
const FIXED: [(u64, &[u8]); 5] = [
    (0, b"SQLite format 3\0"),
    // Page size 4096, write-ahead log, no reserved space per page; payload fractions.
    (16, &[16, 0, 2, 2, 0, 64, 32, 32]),
    // The schema format.
    (44, &[0, 0, 0, 4]),
    // UTF-8.
    (56, &[0, 0, 0, 1]),
    (68, &schema::APPLICATION.to_be_bytes()),
];

/// The copy; deleted when dropped.
pub(super) struct RepairedCopy {
    pub(super) connection: Connection,
    _files: Files,
}

impl RepairedCopy {
    /// Copies a store that was set aside, and migrates its tables.
    pub(super) fn copy(aside: &Path, now: i64) -> SqlResult<Self> {
        let copy = place::sibling(aside, &format!("-{:08x}.part", fastrand::u32(..)));
        let files = Files(copy.clone());
        duplicate(aside, &copy)?;
        if fs::metadata(&copy)?.len() < HEADER {
            return Err(StoreError::corrupt("its file is too short").into());
        }
        repair(&copy)?;
        let _ =
            duplicate(&place::sibling(aside, OF_SQLITE[0]), &place::sibling(&copy, OF_SQLITE[0]));
        let mut connection = Place::File(copy).connect(open::for_writing())?;
        open::prepare(&connection, Options::default())?;
        // Tables that cannot be migrated may have the current schema nevertheless.
        let _ = schema::migrate(&mut connection, now);
        Ok(Self { connection, _files: files })
    }
}

fn duplicate(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    let mut to = private::options().create_new(true).write(true).open(to)?;
    io::copy(&mut from, &mut to)?;
    Ok(())
}

fn repair(copy: &Path) -> io::Result<()> {
    let mut file = File::options().write(true).open(copy)?;
    for (at, bytes) in FIXED {
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
    }
    Ok(())
}

struct Files(PathBuf);

impl Drop for Files {
    fn drop(&mut self) {
        for suffix in OF_SQLITE.into_iter().chain(["", "-journal"]) {
            // Files that do not exist need not be removed.
            let _ = fs::remove_file(place::sibling(&self.0, suffix));
        }
    }
}
