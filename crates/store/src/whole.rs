//! Skips the integrity check of a database: it passed a page-by-page check before, and since
//! then only a store has changed it.
//!
//! The check takes 2 ms per megabyte, so a run of a few milliseconds would pay twenty for a
//! store of 10 MB. The last process to close a store therefore signs the metadata of its file,
//! next to the mark. A file with other metadata is checked, and so is a file with a leftover
//! log, or whose last check is a day ago.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    fs::{self, Metadata},
    path::Path,
};

use super::{
    mark::{Mark, SLOT},
    place::{self, OF_SQLITE},
};

/// Damage below the file system, which does not change metadata, is noticed after a day.
const GOOD_FOR: i64 = 24 * 60 * 60 * 1_000;

/// The time of the last check of the database, in milliseconds since 1970, if it is still
/// valid. Called before the database is opened, while holding the lock of the mark.
pub(super) fn looked(mark: &Mark, file: &Path, now: i64) -> Option<i64> {
    let signed = mark.signature().ok().flatten()?;
    let (looked, _) = signed.split_first_chunk()?;
    let looked = i64::from_le_bytes(*looked);
    let is_recent = now.checked_sub(looked).is_some_and(|it| (0..GOOD_FOR).contains(&it));
    (is_recent && signature(file, looked) == Some(signed)).then_some(looked)
}

/// Signs a database that was checked at that time. Nothing is signed while other processes have
/// it open.
pub(super) fn sign(mark: &Mark, file: &Path, looked: i64) {
    // An unsigned database is checked the next time.
    let _ = mark.sign(|| signature(file, looked));
}

/// Returns `None` if the file has a log, so that the next process to open it changes it, or if
/// all times of a file can be set back.
fn signature(file: &Path, looked: i64) -> Option<[u8; SLOT]> {
    if !cfg!(unix) || fs::exists(place::sibling(file, OF_SQLITE[0])).unwrap_or(true) {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&looked.to_le_bytes());
    for number in said(&fs::metadata(file).ok()?) {
        hasher.update(&number.to_le_bytes());
    }
    let mut signature = [0; SLOT];
    let (time, sum) = signature.split_at_mut(size_of::<i64>());
    time.copy_from_slice(&looked.to_le_bytes());
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..sum.len()]);
    Some(signature)
}

/// The identity of the file, its size, and the times when its content and its metadata changed.
/// The last of these cannot be set back.
#[cfg(unix)]
fn said(file: &Metadata) -> [i64; 7] {
    use std::os::unix::fs::MetadataExt as _;
    [
        file.dev().cast_signed(),
        file.ino().cast_signed(),
        file.size().cast_signed(),
        file.mtime(),
        file.mtime_nsec(),
        file.ctime(),
        file.ctime_nsec(),
    ]
}

#[cfg(not(unix))]
fn said(_: &Metadata) -> [i64; 7] {
    [0; 7]
}
