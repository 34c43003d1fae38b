//! A database that need not be looked at again: it was whole when it was looked at page by
//! page, and since then nothing but a store has changed it.
//!
//! The look takes 2 ms a megabyte, so that a run of a few milliseconds would pay twenty for a
//! store of 10 MB. Whoever closes a store as the last one therefore signs what the system says
//! of its file, beside the mark. A file of which it says anything else is looked at, and so is
//! one with a log that was left behind, or whose last look is a day ago.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and what lies beside it")]

use std::{
    fs::{self, Metadata},
    path::Path,
};

use super::{
    mark::{Mark, SLOT},
    place::{self, OF_SQLITE},
};

/// What is damaged below the file system, where nobody is told, is noticed after a day.
const GOOD_FOR: i64 = 24 * 60 * 60 * 1_000;

/// When the database was last looked at, in milliseconds since 1970, where that is still good.
/// Asked before the database is opened, and only by who holds the lock of the mark.
pub(super) fn looked(mark: &Mark, file: &Path, now: i64) -> Option<i64> {
    let signed = mark.signature().ok().flatten()?;
    let (looked, _) = signed.split_first_chunk()?;
    let looked = i64::from_le_bytes(*looked);
    let is_recent = now.checked_sub(looked).is_some_and(|it| (0..GOOD_FOR).contains(&it));
    (is_recent && signature(file, looked) == Some(signed)).then_some(looked)
}

/// Signs a database that was looked at then. Nothing is signed while others have it open.
pub(super) fn sign(mark: &Mark, file: &Path, looked: i64) {
    // What is not signed is looked at the next time.
    let _ = mark.sign(|| signature(file, looked));
}

/// Nothing where the file has a log, and so is changed by whoever opens it next, or where
/// anybody can set back all times of a file.
fn signature(file: &Path, looked: i64) -> Option<[u8; SLOT]> {
    if !cfg!(unix) || fs::exists(place::beside(file, OF_SQLITE[0])).unwrap_or(true) {
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

/// Which file it is, how long, and when it and what is known of it changed. The last of these
/// nobody can set back.
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
