//! The state of an index's files when they were written. A library that reads a damaged index may
//! panic or use all memory, so damaged files are never opened.
#![expect(clippy::disallowed_methods, reason = "the index owns its directory")]

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

use super::{manifest::is_settled, trouble::Trouble};

/// The files of an index at a point in time.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seal {
    /// In milliseconds since 1970.
    at: i64,
    files: BTreeMap<String, Sealed>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sealed {
    looks: Looks,
    /// The BLAKE3 hash of the content.
    hash: String,
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Looks {
    size: u64,
    inode: u64,
    /// The time of the last change of any kind, in nanoseconds since 1970.
    last: i64,
}

impl Seal {
    /// Reads the seal from a file, if it exists.
    pub(super) fn read(file: &Path) -> Result<Option<Self>, Trouble> {
        match fs::read(file) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|err| Trouble::Damaged(format!("invalid seal: {err}"))),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(err) => Err(err.into()),
        }
    }

    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let part = file.with_extension("new");
        let mut written = File::create(&part)?;
        written.write_all(&serde_json::to_vec(self)?)?;
        drop(written);
        fs::rename(part, file)
    }

    /// Seals the existing files. Files that look the same as in `known` are not read again.
    pub(super) fn of(folder: &Path, known: &Self, at: i64) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for (name, looks) in list(folder)? {
            let hash = match known.files.get(&name) {
                Some(it) if it.looks == looks && is_settled(looks.last, known.at) => {
                    it.hash.clone()
                }
                _ => hash(&folder.join(&name))?,
            };
            files.insert(name, Sealed { looks, hash });
        }
        Ok(Self { at, files })
    }

    /// Whether the folder has exactly these files with the same content.
    pub(super) fn holds(&self, folder: &Path) -> bool {
        let Ok(there) = list(folder) else { return false };
        let is_whole = |(name, looks): (&String, &Looks)| {
            self.files.get(name).is_some_and(|it| {
                (it.looks == *looks && is_settled(looks.last, self.at))
                    || hash(&folder.join(name)).is_ok_and(|hash| hash == it.hash)
            })
        };
        there.len() == self.files.len() && there.iter().all(is_whole)
    }

    /// Whether a write from now on would change the metadata of every file.
    pub(super) fn is_settled(&self, now: i64) -> bool {
        let is_needed =
            |it: &Sealed| !is_settled(it.looks.last, self.at) && is_settled(it.looks.last, now);
        !self.files.values().any(is_needed)
    }
}

/// The files of an index except locks.
fn list(folder: &Path) -> io::Result<BTreeMap<String, Looks>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_none_or(|it| it != "lock") {
            files.insert(name, looks(&entry.metadata()?));
        }
    }
    Ok(files)
}

fn looks(it: &fs::Metadata) -> Looks {
    let modified = it.modified().ok().and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    let modified = modified.map_or(0, |it| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX));
    let (inode, changed) = of_system(it);
    Looks { size: it.len(), inode, last: modified.max(changed) }
}

/// The inode, and the time of the last change of any kind.
#[cfg(unix)]
pub(super) fn of_system(it: &fs::Metadata) -> (u64, i64) {
    use std::os::unix::fs::MetadataExt as _;
    (it.ino(), it.ctime().saturating_mul(1_000_000_000).saturating_add(it.ctime_nsec()))
}

#[cfg(not(unix))]
pub(super) fn of_system(_: &fs::Metadata) -> (u64, i64) {
    (0, 0)
}

fn hash(file: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut File::open(file)?, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}
