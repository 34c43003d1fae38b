//! The place of an index: a folder of the cache directory, guarded by a lock file.
//!
//! Readers take no lock: tantivy's commits replace one small file, and a file that a reader has
//! open outlives its removal. An updating process holds the lock, and seals its files
//! ([`super::seal`]): tantivy never reads a file that changed after it was written. The vectors of
//! the documents are in a folder next to it, with a lock of their own ([`super::vectors`]).
#![expect(clippy::disallowed_methods, reason = "the index owns its directory")]

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use svc_contract::registry::Cx;
use tantivy::{Directory, Index, ReloadPolicy, Searcher};

use super::{
    manifest::Manifest,
    schema::{self, fields},
    seal::Seal,
    trouble::Trouble,
};

/// The folder of all indexes, as an absolute path.
pub(super) fn all(cx: &Cx) -> io::Result<PathBuf> {
    Ok(cx.host().current_dir()?.join(cx.host().cache_dir()?).join("search"))
}

/// The folder of one index.
pub(super) struct Place {
    dir: PathBuf,
}

/// The right to change an index; dropping it releases the lock.
pub(super) struct Lock {
    _file: File,
}

/// An index as of one commit.
pub(super) struct Snapshot {
    pub(super) index: Index,
    pub(super) searcher: Searcher,
    pub(super) manifest: Manifest,
}

impl Place {
    /// Returns the place of the index of the source at `root`.
    pub(super) fn of(all: &Path, root: &Path) -> Self {
        let mut key = blake3::Hasher::new();
        key.update(&schema::VERSION.to_le_bytes()).update(root.as_os_str().as_encoded_bytes());
        let name: String = key.finalize().to_hex().chars().take(32).collect();
        Self { dir: all.join(name) }
    }

    fn index(&self) -> PathBuf {
        self.dir.join("index")
    }

    /// The folder of the vectors of its documents.
    pub(super) fn vectors(&self) -> PathBuf {
        self.dir.join("vectors")
    }

    /// Waits until no other process updates the index.
    pub(super) fn lock(&self, cx: &Cx) -> Result<Lock, Trouble> {
        Lock::of(&self.dir, cx)
    }

    /// Waits until no other process changes the vectors.
    pub(super) fn lock_vectors(&self, cx: &Cx) -> Result<Lock, Trouble> {
        Lock::of(&self.vectors(), cx)
    }

    /// Opens the existing index if its files are known to be unchanged since they were written.
    /// Without a lock, another process may be writing the index at this moment.
    pub(super) fn open(&self, now: i64) -> Result<Option<Snapshot>, Trouble> {
        let seal = Seal::read(&self.seal())?;
        let Some(seal) = seal.filter(|it| it.holds(&self.index())) else { return Ok(None) };
        if !seal.is_settled(now) {
            self.seal_again(&seal, now);
        }
        self.opened().map(Some)
    }

    /// Seals files that have not changed for a while, so that their metadata is enough from now on.
    /// If that fails, as in a folder that cannot be written, their content is compared each time.
    fn seal_again(&self, seal: &Seal, now: i64) {
        if let Ok(Some(lock)) = Lock::free(&self.dir)
            && seal.holds(&self.index())
        {
            let _ = self.seal_up(&lock, now);
        }
    }

    /// Opens the existing index under the lock: then changed files mean damage. An index that
    /// another version left unfinished is rebuilt.
    pub(super) fn open_locked(&self, lock: &Lock, now: i64) -> Result<Option<Snapshot>, Trouble> {
        if !self.index().join("meta.json").is_file() {
            return Ok(None);
        }
        let Some(seal) = Seal::read(&self.seal())? else { return Ok(None) };
        if !seal.holds(&self.index()) {
            return Err(Trouble::Damaged("its files changed after they were written".to_owned()));
        }
        if !seal.is_settled(now) {
            self.seal_up(lock, now)?;
        }
        self.opened().map(Some)
    }

    /// Seals the current state of the files.
    pub(super) fn seal_up(&self, _: &Lock, now: i64) -> Result<(), Trouble> {
        let known = Seal::read(&self.seal()).ok().flatten().unwrap_or_default();
        Seal::of(&self.index(), &known, now)?.write(&self.seal())?;
        Ok(())
    }

    fn seal(&self) -> PathBuf {
        self.dir.join("seal.json")
    }

    fn opened(&self) -> Result<Snapshot, Trouble> {
        let index = Index::open(folder(&self.index())?)?;
        if index.schema() != fields().schema {
            return Err(Trouble::Damaged("unexpected fields".to_owned()));
        }
        Snapshot::of(schema::prepared(index))
    }

    /// Creates an empty index in place of an existing one.
    pub(super) fn create(&self, _: &Lock) -> Result<Index, Trouble> {
        let place = |err: io::Error| Trouble::Place(err.to_string());
        // Without the seal, the existing files do not count as an index.
        let _ = fs::remove_file(self.seal());
        match fs::remove_dir_all(self.index()) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(place(err)),
            _ => fs::create_dir_all(self.index()).map_err(place)?,
        }
        let dir = folder(&self.index())?;
        let builder = Index::builder().schema(fields().schema.clone());
        Ok(schema::prepared(builder.open_or_create(dir)?))
    }
}

/// The files of an index.
#[cfg(not(target_family = "wasm"))]
fn folder(path: &Path) -> Result<Box<dyn Directory>, Trouble> {
    use tantivy::{TantivyError, directory::MmapDirectory};
    Ok(Box::new(MmapDirectory::open(path).map_err(TantivyError::from)?))
}

/// A browser has no folders.
#[cfg(target_family = "wasm")]
fn folder(path: &Path) -> Result<Box<dyn Directory>, Trouble> {
    Err(Trouble::Place(format!("{} cannot be opened here", path.display())))
}

impl Lock {
    /// The lock of a folder, if no other process has it.
    fn free(folder: &Path) -> io::Result<Option<Self>> {
        let path = folder.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(err)) => Err(err),
        }
    }

    /// Waits for the lock of a folder, which is created if it is missing.
    pub(super) fn of(folder: &Path, cx: &Cx) -> Result<Self, Trouble> {
        const PAUSE: Duration = Duration::from_millis(20);
        let place = |err: io::Error| Trouble::Place(err.to_string());
        fs::create_dir_all(folder).map_err(place)?;
        let path = folder.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(path);
        let file = file.map_err(place)?;
        loop {
            cx.check()?;
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(err)) => return Err(place(err)),
            }
        }
    }
}

impl Snapshot {
    /// Reads the last commit: the documents, and the manifest that has their positions. Reads both
    /// again if another process commits in between.
    pub(super) fn of(index: Index) -> Result<Self, Trouble> {
        loop {
            let metas = index.load_metas()?;
            let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
            if index.load_metas()?.opstamp != metas.opstamp {
                continue;
            }
            let manifest = match metas.payload {
                Some(payload) => Manifest::read(&payload)?,
                None => Manifest::default(),
            };
            return Ok(Self { searcher: reader.searcher(), manifest, index });
        }
    }
}

/// An index in memory, for one search.
pub(super) fn in_memory() -> Index {
    schema::prepared(Index::create_in_ram(fields().schema.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise the first searches after an index was written would be slow for ever.
    #[test]
    fn an_index_that_stays_is_sealed_again() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::of(folder.path(), Path::new("docs"));
        fs::create_dir_all(&place.dir).unwrap();
        let lock = Lock::free(&place.dir).unwrap().unwrap();
        place.create(&lock).unwrap();
        let written = fs::metadata(place.index().join("meta.json")).unwrap().modified().unwrap();
        let written = written.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
        let now = i64::try_from(written).unwrap();
        place.seal_up(&lock, now).unwrap();
        drop(lock);

        let sealed = |place: &Place| Seal::read(&place.seal()).unwrap().unwrap();
        let later = now + 60_000;
        let before = sealed(&place);
        assert!(before.is_settled(now) && !before.is_settled(later));
        // The manifest is missing, since nothing was committed; the seal is what matters.
        let _ = place.open(now);
        assert_eq!(sealed(&place), before);
        let _ = place.open(later);
        assert!(sealed(&place).is_settled(later + 60_000));
        assert!(sealed(&place).holds(&place.index()));
    }
}
