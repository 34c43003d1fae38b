//! Access to files at their real paths: opens one folder after the other, without following
//! links.
//!
//! Between the check of a path and its use, a folder may be replaced by a symbolic link. So
//! each part is opened relative to the folder before it, and links are refused; Linux can do
//! that in one call. Opening first and then checking the location of the opened file
//! (`/proc/self/fd`) would work for reading, but needs `/proc` and cannot create files; a crate
//! such as cap-std does the same as this module, but within folders that must be opened
//! beforehand, while the rules here are about paths.

use std::{fs, io, path::Path};

/// The absolute path without links; missing parts keep their names.
pub(super) fn path(path: &Path) -> io::Result<std::path::PathBuf> {
    match fs::canonicalize(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            let parts = path.parent().zip(path.file_name());
            // A dangling link leads to no place that could be checked.
            let Some((folder, name)) = parts.filter(|_| fs::symlink_metadata(path).is_err()) else {
                return Err(err);
            };
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            Ok(self::path(folder)?.join(name))
        }
        found => found,
    }
}

pub(super) use walked::{append, open, remove, rename, stat, write};

#[cfg(unix)]
mod walked {
    use std::{
        ffi::OsStr,
        fs::{File, Metadata, TryLockError},
        io::{self, Write as _},
        os::fd::OwnedFd,
        path::{Component, Path},
        time::{Duration, Instant},
    };

    use rustix::{
        fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, renameat, unlinkat},
        io::Errno,
    };

    use super::super::{
        part::{self, Part},
        replaceable,
    };
    use svc_contract::host::refusal;

    /// Opens a file only for metadata or path lookup, if the system supports that; else at
    /// least without blocking on a pipe.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const LOOK: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);

    const STEP: OFlags = LOOK.union(OFlags::DIRECTORY);

    /// The permissions of new files, less those that the user masks.
    const MODE: Mode = Mode::from_raw_mode(0o666);

    /// The time to wait for others that append to a file, and between two attempts.
    const LOCKED: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(2);

    /// Opens a file for reading.
    pub(in super::super) fn open(real: &Path) -> io::Result<File> {
        at(real, OFlags::NOFOLLOW)
    }

    pub(in super::super) fn stat(real: &Path) -> io::Result<Metadata> {
        let found = at(real, LOOK)?.metadata()?;
        // When opened for metadata only, a link is not followed.
        if found.is_symlink() { Err(changed(real)) } else { Ok(found) }
    }

    fn at(real: &Path, flags: OFlags) -> io::Result<File> {
        let opened = at_once(real, flags).unwrap_or_else(|| by_steps(real, flags));
        Ok(opened?.into())
    }

    fn by_steps(real: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let Some(name) = real.file_name() else { return root() };
        let folder = folder(real, |_, _| Err(Errno::NOENT))?;
        opened(&folder, name, flags, real)
    }

    /// The same in one call, if the system can refuse links by itself.
    #[cfg(target_os = "linux")]
    fn at_once(real: &Path, flags: OFlags) -> Option<io::Result<OwnedFd>> {
        use rustix::fs::{ResolveFlags, openat2};
        let flags = flags | OFlags::CLOEXEC;
        match openat2(CWD, real, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // An old system lacks the call, a sandbox may forbid it.
            Err(Errno::NOSYS | Errno::PERM) => None,
            opened => Some(opened.map_err(|err| failed(err, real))),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn at_once(_: &Path, _: OFlags) -> Option<io::Result<OwnedFd>> {
        None
    }

    /// Writes a whole file, and creates missing folders.
    pub(in super::super) fn write(real: &Path, content: &[u8]) -> io::Result<()> {
        let name = real.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let folder = folder(real, make)?;
        if let Ok(there) = opened(&folder, name, LOOK, real) {
            replaceable(&File::from(there).metadata()?)?;
        }
        replace(&folder, name, |part| part.write_all(content))
    }

    /// Removes a file, or a link without its target.
    pub(in super::super) fn remove(real: &Path) -> io::Result<()> {
        let name = real.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let folder = folder(real, |_, _| Err(Errno::NOENT))?;
        not_a_folder(&opened(&folder, name, LOOK, real)?)?;
        Ok(unlinkat(&folder, name, AtFlags::empty())?)
    }

    /// Renames a file, and creates missing folders.
    pub(in super::super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
        let name_of = |it: &Path| it.file_name().map(OsStr::to_owned);
        let (from_name, to_name) =
            name_of(from).zip(name_of(to)).ok_or(io::ErrorKind::InvalidFilename)?;
        let source = folder(from, |_, _| Err(Errno::NOENT))?;
        not_a_folder(&opened(&source, &from_name, LOOK, from)?)?;
        let target = folder(to, make)?;
        if let Ok(there) = opened(&target, &to_name, LOOK, to) {
            not_a_folder(&there)?;
        }
        Ok(renameat(&source, from_name, &target, to_name)?)
    }

    /// Appends to a file, and creates it and missing folders.
    ///
    /// The file is replaced as a whole, so that it never has a part of the content. A lock on it
    /// makes others wait; one that got the lock of a file that was replaced meanwhile starts again.
    pub(in super::super) fn append(real: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        let name = real.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let folder = folder(real, make)?;
        let started = Instant::now();
        // A pipe must not block.
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        while started.elapsed() < LOCKED {
            if let Ok(there) = opened(&folder, name, LOOK, real) {
                not_a_folder(&there)?;
            }
            let file: File =
                openat(&folder, name, flags, MODE).map_err(|err| failed(err, real))?.into();
            let is_free = match file.try_lock() {
                Err(TryLockError::WouldBlock) => false,
                // A system without locks has none to wait for.
                _ => is_at(&file, &folder, name, real),
            };
            if is_free {
                let size = file.metadata()?.len().saturating_add(content.len() as u64);
                if size > limit {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                return replace(&folder, name, |part| {
                    part.set_permissions(file.metadata()?.permissions())?;
                    io::copy(&mut &file, part)?;
                    part.write_all(content)
                });
            }
            std::thread::sleep(PAUSE);
        }
        Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process has locked it"))
    }

    /// Whether a file still has its name.
    fn is_at(file: &File, folder: &OwnedFd, name: &OsStr, real: &Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let there = opened(folder, name, LOOK, real).and_then(|it| File::from(it).metadata());
        let identity = |it: Metadata| (it.dev(), it.ino());
        file.metadata().is_ok_and(|it| there.is_ok_and(|there| identity(it) == identity(there)))
    }

    /// Refuses folders, and devices, pipes and sockets.
    fn not_a_folder(there: &OwnedFd) -> io::Result<()> {
        let there = File::from(there.try_clone()?).metadata()?;
        if there.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { replaceable(&there) }
    }

    fn make(at: &OwnedFd, name: &OsStr) -> rustix::io::Result<()> {
        mkdirat(at, name, Mode::from_raw_mode(0o777))
    }

    /// Replaces a file by a new one with the content that `fill` writes.
    fn replace(
        folder: &OwnedFd,
        name: &OsStr,
        fill: impl FnOnce(&mut &File) -> io::Result<()>,
    ) -> io::Result<()> {
        part::sweep(folder);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let part = Part::of(name, |it| Ok(openat(folder, it, flags, MODE)?.into()))?;
        let written = fill(&mut &part.file)
            .and_then(|()| part.file.sync_all())
            .and_then(|()| Ok(renameat(folder, &part.name, folder, name)?));
        if written.is_err() {
            // The first error matters; the partial file is only litter.
            let _ = unlinkat(folder, &part.name, AtFlags::empty());
        }
        written
    }

    /// The folder of a real path. A missing folder is created by `make`, which may also return
    /// an error.
    fn folder(
        real: &Path,
        make: impl Fn(&OwnedFd, &OsStr) -> rustix::io::Result<()>,
    ) -> io::Result<OwnedFd> {
        let mut folder = root()?;
        for part in real.parent().into_iter().flat_map(Path::components) {
            match part {
                Component::RootDir => {}
                Component::Normal(name) => {
                    let next = opened(&folder, name, STEP, real);
                    folder = match next {
                        Err(err) if err.kind() == io::ErrorKind::NotFound => {
                            match make(&folder, name) {
                                // Another process created it meanwhile.
                                Ok(()) | Err(Errno::EXIST) => opened(&folder, name, STEP, real)?,
                                Err(err) => return Err(err.into()),
                            }
                        }
                        next => next?,
                    };
                }
                _ => return Err(refusal(format!("`{}` is not a real path", real.display()))),
            }
        }
        Ok(folder)
    }

    fn root() -> io::Result<OwnedFd> {
        Ok(openat(CWD, "/", STEP | OFlags::CLOEXEC, Mode::empty())?)
    }

    fn opened(folder: &OwnedFd, name: &OsStr, flags: OFlags, real: &Path) -> io::Result<OwnedFd> {
        let opened = openat(folder, name, flags | OFlags::CLOEXEC, Mode::empty());
        opened.map_err(|err| failed(err, real))
    }

    fn failed(err: Errno, real: &Path) -> io::Error {
        match err {
            Errno::LOOP | Errno::MLINK | Errno::NOTDIR => changed(real),
            err => err.into(),
        }
    }

    fn changed(real: &Path) -> io::Error {
        let real = real.display();
        refusal(format!("a symbolic link appeared on `{real}` while it was opened"))
    }

    #[cfg(test)]
    mod tests {
        use std::os::unix::fs::symlink;

        use super::*;
        use svc_contract::host::refused;

        /// One system call and step-by-step opening behave the same.
        #[test]
        fn links_are_refused_wherever_they_stand() {
            let place = tempfile::tempdir().unwrap();
            let root = std::fs::canonicalize(place.path()).unwrap();
            write(&root.join("a/b/x"), b"text").unwrap();
            symlink("a/b", root.join("folder")).unwrap();
            symlink("a/b/x", root.join("file")).unwrap();
            for open in [at, |real: &Path, flags| Ok(by_steps(real, flags)?.into())] {
                let opens = |path: &str| open(&root.join(path), OFlags::NOFOLLOW);
                assert_eq!(io::read_to_string(opens("a/b/x").unwrap()).unwrap(), "text");
                assert!(opens("a").unwrap().metadata().unwrap().is_dir());
                for link in ["folder/x", "file", "folder", "a/b/x/y"] {
                    assert!(refused(&opens(link).unwrap_err()).is_some(), "{link}");
                }
                assert_eq!(opens("a/none").unwrap_err().kind(), io::ErrorKind::NotFound);
            }
        }
    }
}

/// If folders cannot be opened one after the other, the path is checked before and after.
#[cfg(not(unix))]
mod walked {
    use std::{
        fs::{File, Metadata},
        io,
        path::Path,
    };

    use crate::OsHost;
    use svc_contract::host::{Host as _, refusal};

    pub(in super::super) fn open(real: &Path) -> io::Result<File> {
        let file = File::open(real)?;
        unchanged(real)?;
        Ok(file)
    }

    pub(in super::super) fn stat(real: &Path) -> io::Result<Metadata> {
        unchanged(real)?;
        std::fs::metadata(real)
    }

    pub(in super::super) fn write(real: &Path, content: &[u8]) -> io::Result<()> {
        unchanged(real)?;
        OsHost::default().write(real, content)
    }

    pub(in super::super) fn remove(real: &Path) -> io::Result<()> {
        unchanged(real)?;
        std::fs::remove_file(real)
    }

    pub(in super::super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
        unchanged(from)?;
        unchanged(to)?;
        std::fs::rename(from, to)
    }

    pub(in super::super) fn append(real: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        let mut whole = if real.exists() { std::fs::read(real)? } else { Vec::new() };
        whole.extend(content);
        if whole.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        write(real, &whole)
    }

    fn unchanged(real: &Path) -> io::Result<()> {
        if super::path(real)? == real {
            Ok(())
        } else {
            Err(refusal(format!("`{}` is not a real path any more", real.display())))
        }
    }
}
