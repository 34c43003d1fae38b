//! Claims: only one process at a time works on a run.
//!
//! A claim is an operating system lock on a small file, so it ends with its process, however
//! that ends. The file contains the process id, for the error message of other processes.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    collections::HashSet,
    fs::{self, File, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use svc_contract::store::{Claim, RunId, StoreError, StoreErrorKind};

use super::{
    error::Result,
    place::{self, Place},
    private,
};

/// The claim on a run of this store.
#[derive(Debug)]
pub(super) struct RunClaim {
    run: RunId,
    kept: Kept,
}

#[derive(Debug)]
enum Kept {
    File { path: PathBuf, _file: File },
    Memory(Claims),
}

/// The claims of a store in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims(Arc<Mutex<HashSet<RunId>>>);

impl Claims {
    fn lock(&self) -> MutexGuard<'_, HashSet<RunId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a run, unless it is claimed already.
    pub(super) fn take(&self, place: &Place, run: &RunId) -> Result<RunClaim> {
        let kept = match place.claim(run) {
            Some(path) => {
                let file = lock(&path, run)?;
                Kept::File { path, _file: file }
            }
            None if self.lock().insert(run.clone()) => Kept::Memory(self.clone()),
            None => return Err(claimed(run, Some(std::process::id()))),
        };
        Ok(RunClaim { run: run.clone(), kept })
    }

    /// Whether a run is claimed.
    pub(super) fn is_taken(&self, place: &Place, run: &RunId) -> Result<bool> {
        let Some(path) = place.claim(run) else { return Ok(self.lock().contains(run)) };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(err) => return Err(err.into()),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(err)) => Err(err.into()),
        }
    }
}

impl Claim for RunClaim {
    fn run(&self) -> &RunId {
        &self.run
    }
}

impl Drop for RunClaim {
    fn drop(&mut self) {
        match &self.kept {
            // A file that remains is not locked, and so claims nothing.
            Kept::File { path, .. } if cfg!(unix) => drop(fs::remove_file(path)),
            Kept::File { .. } => {}
            Kept::Memory(claims) => drop(claims.lock().remove(&self.run)),
        }
    }
}

/// Locks the file of a claim. Readers hold the lock only for an instant, so a held lock is
/// tried again; its holder may not have written its number yet, or may be about to go.
fn lock(path: &Path, run: &RunId) -> Result<File> {
    const PAUSE: Duration = Duration::from_millis(2);
    const TRIES: u32 = 10;
    const MOST: u32 = 250;
    if let Some(folder) = path.parent() {
        private::create_folder(folder)?;
    }
    for tries in 1..=MOST {
        let mut file = private::options().create(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) if is_still(&file, path)? => {
                file.set_len(0)?;
                write!(file, "{}", std::process::id())?;
                return Ok(file);
            }
            // It was released, and so removed, between opening and locking.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if let Some(pid) = holder(path).filter(|_| tries >= TRIES) {
                    return Err(claimed(run, Some(pid)));
                }
                std::thread::sleep(PAUSE);
            }
            Err(TryLockError::Error(err)) => return Err(err.into()),
        }
    }
    Err(claimed(run, None))
}

fn is_still(file: &File, path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Ok(there) => Ok(place::identity(&there) == place::identity(&file.metadata()?)),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(err) => Err(err.into()),
    }
}

fn holder(path: &Path) -> Option<u32> {
    const LONGEST: u64 = 20;
    let mut text = String::new();
    File::open(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

fn claimed(run: &RunId, pid: Option<u32>) -> StoreError {
    let who = pid.map_or_else(|| "another process".to_owned(), |it| format!("process {it}"));
    StoreError::new(
        StoreErrorKind::Claimed { pid },
        format!("{who} is already working on run `{run}`"),
    )
    .help("wait until it is done, or end it")
}
