//! Partial files: files are written under a temporary name, and renamed to the real one at the
//! end.
//!
//! The writer of a partial file holds a lock on it, which the system releases when the process
//! dies. So a partial file without a lock was left by a killed process, and the next write into
//! its folder removes it.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, TryLockError},
    io,
};

/// The number of attempts to create a file that another process removes before it is locked;
/// more in a row cannot be a coincidence.
const TRIES: usize = 8;

const SUFFIX: &str = ".svc.part";

/// A file that is being written.
pub(super) struct Part {
    pub(super) name: OsString,
    pub(super) file: File,
    /// The same open file: the lock lasts until the part is renamed.
    _lock: File,
}

impl Part {
    /// A partial file for `name`. `create` creates an empty file, and fails if it exists.
    pub(super) fn of(
        name: &OsStr,
        create: impl Fn(&OsStr) -> io::Result<File>,
    ) -> io::Result<Self> {
        for _ in 0..TRIES {
            let name = part_name(name);
            let file = create(&name)?;
            if is_held(&file)? {
                let lock = file.try_clone()?;
                return Ok(Self { name, file, _lock: lock });
            }
        }
        Err(io::Error::other("its partial files are removed while they are written"))
    }
}

/// `.NAME.0123456789abcdef.svc.part`
fn part_name(name: &OsStr) -> OsString {
    format!(".{}.{:016x}{SUFFIX}", name.to_string_lossy(), fastrand::u64(..)).into()
}

/// Whether a new file is locked and still exists: another process may have removed it in
/// between. A system without locks leaves partial files, and they are never removed.
fn is_held(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(_)) => Ok(true),
        Ok(()) => Ok(has_name(&file.metadata()?)),
    }
}

#[cfg(unix)]
fn has_name(it: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(it) > 0
}

#[cfg(not(unix))]
fn has_name(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
pub(super) use swept::{sweep, sweep_path};

/// If names cannot be removed from an open folder, partial files stay.
#[cfg(not(unix))]
pub(super) fn sweep_path(_: &std::path::Path) {}

#[cfg(unix)]
mod swept {
    use std::{
        collections::HashMap,
        ffi::OsStr,
        fs::File,
        os::{
            fd::{AsFd, OwnedFd},
            unix::{ffi::OsStrExt, fs::MetadataExt},
        },
        path::Path,
        sync::{LazyLock, Mutex, PoisonError},
        time::{Duration, Instant},
    };

    use rustix::{
        fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, statat, unlinkat},
        process::geteuid,
    };

    use super::SUFFIX;

    /// The minimum time between two sweeps of a folder.
    const PAUSE: Duration = Duration::from_mins(1);

    /// The maximum number of entries visited in one folder.
    const MOST: usize = 100_000;

    /// Removes the partial files of killed processes from a folder, unless it was swept
    /// recently. Errors are ignored: it is only litter.
    pub(in super::super) fn sweep(folder: impl AsFd) {
        if is_needed(&folder) {
            let _ = remove_dead(&folder);
        }
    }

    pub(in super::super) fn sweep_path(folder: &Path) {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        if let Ok(folder) = openat(CWD, folder, flags, Mode::empty()) {
            sweep(folder);
        }
    }

    fn is_needed(folder: &impl AsFd) -> bool {
        static SWEPT: LazyLock<Mutex<HashMap<(u64, u64), Instant>>> = LazyLock::new(Mutex::default);
        let known = folder.as_fd().try_clone_to_owned().and_then(|it| File::from(it).metadata());
        let Ok(known) = known else { return false };
        let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        swept.retain(|_, last| now.duration_since(*last) < PAUSE);
        swept.insert((known.dev(), known.ino()), now).is_none()
    }

    fn remove_dead(folder: &impl AsFd) -> rustix::io::Result<()> {
        // A folder handle that was opened for path lookup only cannot be read.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let readable = openat(folder, ".", flags, Mode::empty())?;
        for entry in Dir::read_from(readable)?.take(MOST) {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if let Some(_lock) = Some(name).filter(|it| is_part(it)).and_then(|it| dead(folder, it))
            {
                unlinkat(folder, name, AtFlags::empty())?;
            }
        }
        Ok(())
    }

    /// Whether only this program creates names like this.
    fn is_part(name: &OsStr) -> bool {
        let stem = name.to_str().and_then(|it| it.strip_prefix('.')?.strip_suffix(SUFFIX));
        let digits = stem.and_then(|it| it.rsplit_once('.')).filter(|(name, _)| !name.is_empty());
        let is_digit = |it: u8| it.is_ascii_digit() || (b'a'..=b'f').contains(&it);
        digits.is_some_and(|(_, it)| it.len() == 16 && it.bytes().all(is_digit))
    }

    /// Locks a partial file if no other process holds its lock, and if it belongs to this user
    /// and has only this name. While it is locked, the name cannot be mistaken for a file being
    /// written.
    fn dead(folder: &impl AsFd, name: &OsStr) -> Option<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file: OwnedFd = openat(folder, name, flags, Mode::empty()).ok()?;
        let file = File::from(file);
        let known = file.metadata().ok()?;
        if !known.is_file() || known.nlink() != 1 || known.uid() != geteuid().as_raw() {
            return None;
        }
        file.try_lock().ok()?;
        let there = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        // File numbers have other types on other systems.
        let is_same = i128::from(there.st_ino) == i128::from(known.ino());
        is_same.then_some(file)
    }

    #[cfg(test)]
    mod tests {
        use std::{fs, os::unix::fs::symlink};

        use super::{super::Part, *};

        #[test]
        fn only_abandoned_parts_are_removed() {
            let place = tempfile::tempdir().unwrap();
            let inside = |name: &str| place.path().join(name);
            let part = |name: &str| inside(&format!(".{name}.0123456789abcdef{SUFFIX}"));
            fs::write(part("dead"), "half").unwrap();
            fs::write(part("dead.txt"), "half").unwrap();
            // Names that only look similar, and files that are not ours to remove.
            let others = [
                ".x.0123456789abcde.svc.part",
                ".0123456789abcdef.svc.part",
                "x.part",
                ".x.0123456789ABCDEF.svc.part",
                ".x.12.part",
                "a.0123456789abcdef.svc.part",
            ];
            for name in others {
                fs::write(inside(name), "kept").unwrap();
            }
            fs::write(inside("target"), "kept").unwrap();
            symlink(inside("target"), part("link")).unwrap();
            fs::hard_link(inside("target"), part("hard")).unwrap();
            fs::create_dir(part("folder")).unwrap();
            let held = Part::of(OsStr::new("held"), |it| File::create_new(place.path().join(it)));
            let held = held.unwrap();
            // Not with `sweep`: an earlier folder may have had the same number.
            remove_dead(&File::open(place.path()).unwrap()).unwrap();
            assert!(!part("dead").exists() && !part("dead.txt").exists());
            assert!(others.iter().all(|it| inside(it).exists()));
            assert!(part("link").exists() && part("hard").exists() && part("folder").exists());
            assert!(inside(held.name.to_str().unwrap()).exists(), "it is being written");
        }
    }
}
