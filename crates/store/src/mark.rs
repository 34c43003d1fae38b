//! The high-water mark: the number of commits of a store, kept outside the database.
//!
//! `SQLite` reads a write-ahead log up to the first frame with a wrong checksum, and silently
//! drops the rest: after one flipped bit, later commits that were acknowledged are gone. So
//! every commit counts itself in the database, and afterwards writes its number here. A
//! database whose count is below its mark has lost commits.
//!
//! The mark is not synced separately, because that would double the cost of a commit: after a
//! power cut it may be behind, never ahead. Two slots alternate, so that a torn write leaves
//! the other slot intact.

use std::{
    fs::{File, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    time::Duration,
};

use svc_contract::store::{StoreError, StoreErrorKind};

use super::{error::Result, private};

pub(super) const SLOT: usize = 32;

/// The signature of an intact database, after the two slots.
const SIGNATURE: u64 = 2 * SLOT as u64;

/// The mark's open file. Its lock also ensures that one process at a time opens the store.
#[derive(Debug)]
pub(super) struct Mark {
    file: File,
}

/// The content of a mark: the number of commits of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) store: u64,
    pub(super) commits: u64,
}

impl Mark {
    /// Opens the mark next to a store, and creates it if necessary.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = private::options().create(true).read(true).write(true).open(path)?;
        Ok(Self { file })
    }

    /// Opens the mark for reading; `None` if it does not exist.
    pub(super) fn look(path: &Path) -> Result<Option<Self>> {
        match File::options().read(true).open(path) {
            Ok(file) => Ok(Some(Self { file })),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(err) => Err(err.into()),
        }
    }

    /// Waits until no other process is opening this store.
    pub(super) fn lock(&self) -> Result<()> {
        const PAUSE: Duration = Duration::from_millis(5);
        const PAUSES: u32 = 2_000;
        for _ in 0..PAUSES {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(err)) => return Err(err.into()),
            }
        }
        let message = "the store is locked by another process that opens it";
        Err(StoreError::new(StoreErrorKind::Locked, message))
    }

    pub(super) fn unlock(&self) -> Result<()> {
        Ok(self.file.unlock()?)
    }

    /// The highest intact slot.
    pub(super) fn read(&self) -> Result<Option<Seen>> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        file.take(SIGNATURE).read_to_end(&mut bytes)?;
        Ok(bytes.chunks_exact(SLOT).filter_map(Seen::decode).max_by_key(|it| it.commits))
    }

    /// Writes a mark unless it already has a higher one of the same store. While another
    /// process holds the file nothing is written: the next commit catches up.
    pub(super) fn raise(&self, seen: Seen) -> Result<()> {
        match self.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(err)) => return Err(err.into()),
        }
        let raised = self.raise_locked(seen);
        self.unlock()?;
        raised
    }

    /// The same while holding the lock.
    pub(super) fn raise_locked(&self, seen: Seen) -> Result<()> {
        match self.read()? {
            Some(known) if known.store == seen.store && known.commits >= seen.commits => Ok(()),
            Some(known) if known.store == seen.store => Ok(self.write(seen)?),
            _ => self.replace(seen),
        }
    }

    /// The latest signature of [`super::whole`].
    pub(super) fn signature(&self) -> io::Result<Option<[u8; SLOT]>> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(SIGNATURE))?;
        file.take(SLOT as u64).read_to_end(&mut bytes)?;
        Ok(bytes.try_into().ok())
    }

    /// Writes a signature that is true as long as no other process opens the store. If one is
    /// opening it now, that process will sign.
    pub(super) fn sign(&self, signature: impl FnOnce() -> Option<[u8; SLOT]>) -> io::Result<()> {
        let Ok(()) = self.file.try_lock() else { return Ok(()) };
        let signed = match signature() {
            Some(signature) => self.put(SIGNATURE, &signature),
            None => Ok(()),
        };
        self.file.unlock()?;
        signed
    }

    /// Overwrites the previous content, such as the mark of another store.
    pub(super) fn replace(&self, seen: Seen) -> Result<()> {
        self.file.set_len(0)?;
        self.write(seen)?;
        Ok(self.file.sync_data()?)
    }

    fn write(&self, seen: Seen) -> io::Result<()> {
        self.put(seen.commits % 2 * SLOT as u64, &seen.encode())
    }

    fn put(&self, at: u64, slot: &[u8; SLOT]) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(slot)
    }
}

impl Seen {
    fn encode(self) -> [u8; SLOT] {
        let mut slot = [0; SLOT];
        slot[..8].copy_from_slice(&self.store.to_le_bytes());
        slot[8..16].copy_from_slice(&self.commits.to_le_bytes());
        let sum = blake3::hash(&slot[..16]);
        slot[16..].copy_from_slice(&sum.as_bytes()[..16]);
        slot
    }

    fn decode(slot: &[u8]) -> Option<Self> {
        let (said, sum) = slot.split_at_checked(16)?;
        if blake3::hash(said).as_bytes()[..16] != *sum {
            return None;
        }
        let (store, commits) = said.split_at_checked(8)?;
        Some(Self {
            store: u64::from_le_bytes(store.try_into().ok()?),
            commits: u64::from_le_bytes(commits.try_into().ok()?),
        })
    }
}
