//! The world as the runs of one owner see it: the owner's own files as `/`, and nothing of the
//! machine.

use std::{
    io::{self, Read},
    path::{Component, Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use svc_contract::{
    host::{
        Access, Answering, DirEntry, Fill, Host, Resolving, Server, Stat, WorkerError,
        WorkerLimits,
        http::{Answer, Request},
        program::{OpenProgram, ProgramCall, ProgramError, RunningProgram},
    },
    value::paths::tidy,
};
use tokio_util::sync::CancellationToken;

/// A folder of the machine that every owner can read, under a name of its own.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    /// Where owners see it: `docs`.
    pub(crate) name: PathBuf,
    /// Where it is, with every link followed.
    pub(crate) folder: PathBuf,
}

/// The folders of one owner.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    pub(crate) files: PathBuf,
    pub(crate) cache: PathBuf,
    pub(crate) state: PathBuf,
}

/// The host of an owner's runs. Its paths begin at `/`, which is the folder of the owner's files;
/// the shared folders are in it, for reading. So no path of the machine can be named, and none is
/// shown. Symbolic links out of these folders lead nowhere.
pub(crate) struct OwnerHost {
    base: Arc<dyn Host>,
    folders: Folders,
    mounts: Vec<Mount>,
    /// Whether the operator wrote what runs: then it has the secrets and the programs of the server.
    is_published: bool,
}

/// A place of the machine.
enum Place {
    /// Among the owner's files.
    Own(PathBuf),
    /// In a shared folder.
    Shared(PathBuf),
}

impl OwnerHost {
    pub(crate) fn new(
        base: Arc<dyn Host>,
        folders: Folders,
        mounts: Vec<Mount>,
        is_published: bool,
    ) -> Self {
        Self { base, folders, mounts, is_published }
    }

    /// Where a path of the owner is. A file of the owner hides a shared one of the same path.
    fn place(&self, path: &Path) -> io::Result<Place> {
        let inside = inside(path);
        let own = self.folders.files.join(&inside);
        let shared = self.mounts.iter().find_map(|mount| {
            let rest = inside.strip_prefix(&mount.name).ok()?;
            Some((mount, mount.folder.join(rest)))
        });
        let Some((mount, there)) = shared.filter(|_| self.base.stat(&own).is_err()) else {
            return Ok(Place::Own(self.checked(&own, &self.folders.files)?));
        };
        Ok(Place::Shared(self.checked(&there, &mount.folder)?))
    }

    /// The real path, if it is in its folder.
    fn checked(&self, path: &Path, folder: &Path) -> io::Result<PathBuf> {
        let real = self.base.real_path(path).map_err(plain)?;
        let root = self.base.real_path(folder).map_err(plain)?;
        if real.starts_with(root) { Ok(real) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// The real path of something to be read.
    fn readable(&self, path: &Path) -> io::Result<PathBuf> {
        match self.place(path)? {
            Place::Own(it) | Place::Shared(it) => Ok(it),
        }
    }

    /// The real path of something to be written. A link with its name is replaced, not followed.
    fn writable(&self, path: &Path) -> io::Result<PathBuf> {
        let inside = inside(path);
        let name = inside.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        // A folder that is shared as `/` is hidden by the owner's files, and not the other way round.
        let is_named = |it: &&Mount| !it.name.as_os_str().is_empty();
        if self.mounts.iter().filter(is_named).any(|it| inside.starts_with(&it.name)) {
            let message = format!("`{}` is shared, and can only be read", shown(&inside));
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        let folder = inside.parent().unwrap_or(Path::new(""));
        let folder = self.folders.files.join(folder);
        Ok(self.checked(&folder, &self.folders.files)?.join(name))
    }

    /// The shared folders that are seen below a folder of the owner, and not hidden by it.
    fn mounts_in(&self, folder: &Path) -> impl Iterator<Item = &Mount> {
        let inside = inside(folder);
        self.mounts.iter().filter(move |it| {
            let is_below = it.name.starts_with(&inside) && it.name != inside;
            is_below && self.base.stat(&self.folders.files.join(&it.name)).is_err()
        })
    }
}

/// An entry of a folder of the machine, as the owner sees it below `root`. A link that leads out is
/// not seen.
fn seen(base: &dyn Host, root: &Path, real: &Path, entry: DirEntry) -> Option<DirEntry> {
    if entry.is_link && !base.real_path(&entry.path).is_ok_and(|it| it.starts_with(real)) {
        return None;
    }
    let rest = entry.path.strip_prefix(real).ok()?;
    let path = if rest.as_os_str().is_empty() { root.to_owned() } else { root.join(rest) };
    Some(DirEntry { path, ..entry })
}

/// A path of the owner, from `/`, without anything that leads out.
pub(super) fn inside(path: &Path) -> PathBuf {
    let full = tidy(&Path::new("/").join(path));
    full.components().filter(|it| matches!(it, Component::Normal(_))).collect()
}

fn shown(inside: &Path) -> String {
    format!("/{}", inside.display())
}

/// An error without a path of the machine.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn plain(err: io::Error) -> io::Error {
    err.kind().into()
}

fn is_missing(err: &io::Error) -> bool {
    err.kind() == io::ErrorKind::NotFound
}

const FOLDER: Stat =
    Stat { is_dir: true, is_file: false, size: 0, modified: 0, changed: 0, inode: 0 };

impl Host for OwnerHost {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.base.open_real(&self.readable(path)?).map_err(plain)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        match self.base.stat_real(&self.readable(path)?) {
            // The folder of the files is created by the first of them.
            Err(err) if is_missing(&err) && inside(path).as_os_str().is_empty() => Ok(FOLDER),
            found => found.map_err(plain),
        }
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        let real = match self.readable(root) {
            Ok(it) => it,
            Err(err) => return Box::new(std::iter::once(Err(err))),
        };
        let is_there = self.base.stat_real(&real).is_ok();
        let mut all: Vec<(PathBuf, PathBuf)> = Vec::new();
        if is_there {
            all.push((root.to_owned(), real));
        }
        for mount in self.mounts_in(root) {
            let name = mount.name.strip_prefix(inside(root)).unwrap_or(&mount.name);
            all.push((root.join(name), mount.folder.clone()));
        }
        if all.is_empty() && !inside(root).as_os_str().is_empty() {
            return Box::new(std::iter::once(Err(io::ErrorKind::NotFound.into())));
        }
        let base = self.base.clone();
        Box::new(all.into_iter().flat_map(move |(root, real)| {
            let (base, found) = (base.clone(), base.walk(&real));
            found.filter_map(move |it| match it {
                Ok(entry) => seen(base.as_ref(), &root, &real, entry).map(Ok),
                Err(err) => Some(Err(plain(err))),
            })
        }))
    }

    fn list(&self, folder: &Path, limit: usize) -> io::Result<Vec<DirEntry>> {
        let real = self.readable(folder)?;
        let mut found = match self.base.list(&real, limit) {
            Err(err) if is_missing(&err) => Vec::new(),
            found => found.map_err(plain)?,
        };
        let base = self.base.as_ref();
        found = found.into_iter().filter_map(|it| seen(base, folder, &real, it)).collect();
        for mount in self.mounts_in(folder) {
            let name = mount.name.strip_prefix(inside(folder)).unwrap_or(&mount.name);
            let Some(first) = name.components().next() else { continue };
            let path = folder.join(first);
            if !found.iter().any(|it| it.path == path) {
                found.push(DirEntry { path, stat: FOLDER, is_link: false });
            }
        }
        found.sort_by(|one, two| one.path.cmp(&two.path));
        found.truncate(limit);
        Ok(found)
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.base.write_real(&self.writable(path)?, content).map_err(plain)
    }

    fn write_with(&self, path: &Path, fill: Fill<'_>) -> io::Result<()> {
        self.base.write_with(&self.writable(path)?, fill).map_err(plain)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.base.remove_real(&self.writable(path)?).map_err(plain)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.base.rename_real(&self.writable(from)?, &self.writable(to)?).map_err(plain)
    }

    fn append(&self, path: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        self.base.append_real(&self.writable(path)?, content, limit).map_err(plain)
    }

    fn write_temporary(&self, suffix: &str, content: &[u8]) -> io::Result<PathBuf> {
        self.base.write_temporary(suffix, content)
    }

    fn library_file(&self, path: &Path, access: Access) -> io::Result<PathBuf> {
        let real = match access {
            Access::Read => self.readable(path)?,
            Access::Write => self.writable(path)?,
        };
        self.base.library_file(&real, access).map_err(plain)
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from("/"))
    }

    // The cache and the state are not among the files: only components use them.
    fn cache_dir(&self) -> io::Result<PathBuf> {
        Ok(self.folders.cache.clone())
    }

    fn data_dir(&self) -> io::Result<PathBuf> {
        Ok(self.folders.state.clone())
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        let real = self.readable(path)?;
        let roots = self.mounts.iter().map(|it| (it.name.as_path(), it.folder.as_path()));
        let own = (Path::new(""), self.folders.files.as_path());
        for (name, folder) in roots.chain([own]) {
            let root = self.base.real_path(folder).map_err(plain)?;
            if let Ok(rest) = real.strip_prefix(root) {
                return Ok(Path::new("/").join(name).join(rest).components().collect());
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn env(&self, name: &str) -> Option<String> {
        // Providers and models are those of the server; its secrets belong to published scripts.
        if name.starts_with("SVC_SECRET_") && !self.is_published {
            return None;
        }
        self.base.env(name)
    }

    fn secret(&self, name: &str) -> io::Result<Option<String>> {
        if self.is_published { self.base.secret(name) } else { Ok(None) }
    }

    fn open_configured(&self, variable: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.base.open_configured(variable)
    }

    fn http(&self, request: Request) -> Answer {
        self.base.http(request)
    }

    fn library_server(&self, server: Server) -> Resolving {
        self.base.library_server(server)
    }

    fn now(&self) -> i64 {
        self.base.now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.base.sleep(duration)
    }

    // Questions of the service go another way; no one at the server answers for a caller.
    fn ask_person(&self, question: &str, details: &str) -> Answering {
        let _ = (question, details);
        let message = "no person is available: this run belongs to a caller of the service";
        Box::pin(std::future::ready(Err(io::Error::new(io::ErrorKind::Unsupported, message))))
    }

    fn chance(&self) -> f64 {
        self.base.chance()
    }

    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.base.random(bytes)
    }

    fn memory(&self) -> Option<u64> {
        self.base.memory()
    }

    fn memory_share(&self) -> Option<u64> {
        self.base.memory_share()
    }

    fn run_program(&self, call: ProgramCall, cancel: CancellationToken) -> RunningProgram {
        if self.is_published {
            return self.base.run_program(call, cancel);
        }
        Box::pin(std::future::ready(Err(ProgramError::Unsupported)))
    }

    fn open_program(&self, call: ProgramCall) -> Result<OpenProgram, ProgramError> {
        if self.is_published {
            self.base.open_program(call)
        } else {
            Err(ProgramError::Unsupported)
        }
    }

    fn run_in_worker(
        &self,
        work: Vec<u8>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        self.base.run_in_worker(work, limits)
    }
}
