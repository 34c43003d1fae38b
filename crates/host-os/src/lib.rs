//! The real world. No other module of the crate may call the operating system.
#![expect(clippy::disallowed_methods, reason = "only this module accesses the operating system")]

use std::{
    fs, io,
    io::{Read, Write as _},
    path::{Path, PathBuf},
    pin::Pin,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use etcetera::BaseStrategy;
use svc_contract::host::{
    Access, Answering, DirEntry, Fill, Host, Machine, Resolving, Server, Stat, WorkerError,
    WorkerLimits, guard, http,
    program::{OpenProgram, ProgramCall, ProgramError, RunningProgram},
};
use tokio_util::sync::CancellationToken;

mod append;
mod ask;
mod browser;
#[cfg(unix)]
mod machine;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(feature = "http")]
mod names;
#[cfg(feature = "http")]
mod net;
#[cfg(not(feature = "http"))]
#[path = "no_net.rs"]
mod net;
mod part;
mod process;
#[cfg(feature = "exec")]
mod programs;
#[cfg(not(feature = "exec"))]
#[path = "no_programs.rs"]
mod programs;
mod real;
pub mod test;
mod workers;

use part::Part;

pub use append::append;
pub use ask::is_asking;
pub use browser::open_in_browser;
#[cfg(unix)]
pub use process::command_line;
pub use process::without_core_dumps;
pub use process::{is_ignored, output_is_free};
pub use programs::kill_programs;
use workers::Workers;
pub use workers::is_worker;

/// The machine that this process runs on.
#[derive(Debug, Default)]
pub struct OsHost {
    cache: Option<PathBuf>,
    net: net::Net,
    workers: Workers,
}

impl OsHost {
    /// Uses another folder for the cache.
    #[must_use]
    pub fn with_cache(folder: impl Into<PathBuf>) -> Self {
        Self { cache: Some(folder.into()), ..Self::default() }
    }

    /// Uses another program for worker processes: one that calls `svc::is_worker` first of
    /// all, such as `svc` of the same version. By default it is this program, if it makes that
    /// call.
    #[must_use]
    pub fn working_in(mut self, program: impl Into<PathBuf>) -> Self {
        self.workers = Workers::of(program.into());
        self
    }

    /// Uses `resolve` to resolve host names.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn resolving(
        mut self,
        resolve: impl Fn(&str) -> io::Result<Vec<std::net::IpAddr>> + Send + Sync + 'static,
    ) -> Self {
        self.net = net::Net::resolving(names::Names::of(resolve));
        self
    }
}

impl Host for OsHost {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        readable(fs::File::open(path)?)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        fs::metadata(path).map(|it| stat(&it))
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        let walk = ignore::WalkBuilder::new(root)
            .require_git(false)
            .sort_by_file_name(Ord::cmp)
            .build()
            .filter_map(|it| match it {
                Ok(found) if found.file_type().is_some_and(|it| it.is_dir()) => None,
                Ok(found) => entry(&found).transpose(),
                Err(err) => Some(Err(walk_error(err))),
            });
        Box::new(walk)
    }

    fn list(&self, folder: &Path, limit: usize) -> io::Result<Vec<DirEntry>> {
        let mut walk = ignore::WalkBuilder::new(folder);
        walk.require_git(false).max_depth(Some(1)).sort_by_file_name(Ord::cmp);
        let found = walk.build().filter_map(Result::ok).filter(|it| it.depth() == 1);
        Ok(found.filter_map(|it| listed(&it)).take(limit).collect())
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.write_with(path, &mut |file| file.write_all(content))
    }

    fn write_with(&self, path: &Path, fill: Fill<'_>) -> io::Result<()> {
        let folder = match path.parent() {
            Some(it) if !it.as_os_str().is_empty() => it,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)?;
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let there = fs::symlink_metadata(path).ok();
        if let Some(there) = &there {
            replaceable(there)?;
        }
        part::sweep_path(folder);
        let part = Part::of(name, |it| fs::File::create_new(folder.join(it)))?;
        let unfinished = folder.join(&part.name);
        let written = like(&part.file, there.as_ref())
            .and_then(|()| fill_durably(&part.file, fill))
            .and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            // The first error matters; the partial file is only litter.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        real::remove(&guard::place(self, path)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        real::rename(&guard::place(self, from)?, &guard::place(self, to)?)
    }

    fn append(&self, path: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        real::append(&guard::place(self, path)?, content, limit)
    }

    fn write_temporary(&self, suffix: &str, content: &[u8]) -> io::Result<PathBuf> {
        let mut file = tempfile::Builder::new().prefix("svc-").suffix(suffix).tempfile()?;
        file.write_all(content)?;
        Ok(file.into_temp_path().keep()?)
    }

    fn library_file(&self, path: &Path, access: Access) -> io::Result<PathBuf> {
        if access == Access::Read {
            return real::path(path);
        }
        let place = guard::place(self, path)?;
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(place)
    }

    fn library_server(&self, server: Server) -> Resolving {
        self.net.addresses(server)
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        if let Some(dir) = self.cache.clone().or_else(|| self.env("SVC_CACHE").map(Into::into)) {
            return Ok(dir);
        }
        etcetera::choose_base_strategy()
            .map(|it| it.cache_dir().join("svc"))
            .map_err(|err| io::Error::other(format!("no home directory: {err}")))
    }

    fn data_dir(&self) -> io::Result<PathBuf> {
        etcetera::choose_base_strategy()
            .map(|it| it.data_dir().join("svc"))
            .map_err(|err| io::Error::other(format!("no home directory: {err}")))
    }

    fn modules_dir(&self) -> io::Result<PathBuf> {
        if let Some(dir) = self.env("SVC_MODULES") {
            return Ok(dir.into());
        }
        etcetera::choose_base_strategy()
            .map(|it| it.config_dir().join("svc").join("modules"))
            .map_err(|err| io::Error::other(format!("no home directory: {err}")))
    }

    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|it| !it.is_empty())
    }

    fn http(&self, request: http::Request) -> http::Answer {
        self.net.send(request)
    }

    fn now(&self) -> i64 {
        i64::try_from(nanos(SystemTime::now()) / 1_000_000).unwrap_or(i64::MAX)
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn ask_person(&self, question: &str, details: &str) -> Answering {
        Box::pin(ask::ask(question.to_owned(), details.to_owned()))
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        real::path(path)
    }

    fn open_real(&self, real: &Path) -> io::Result<Box<dyn Read + Send>> {
        readable(real::open(real)?)
    }

    fn stat_real(&self, real: &Path) -> io::Result<Stat> {
        real::stat(real).map(|it| stat(&it))
    }

    fn write_real(&self, real: &Path, content: &[u8]) -> io::Result<()> {
        real::write(real, content)
    }

    fn remove_real(&self, real: &Path) -> io::Result<()> {
        real::remove(real)
    }

    fn rename_real(&self, from: &Path, to: &Path) -> io::Result<()> {
        real::rename(from, to)
    }

    fn append_real(&self, real: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        real::append(real, content, limit)
    }

    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        getrandom::fill(bytes).map_err(io::Error::other)
    }

    fn chance(&self) -> f64 {
        fastrand::f64()
    }

    #[cfg(target_os = "linux")]
    fn memory(&self) -> Option<u64> {
        let pages = fs::read_to_string("/proc/self/statm").ok()?;
        let mut pages = pages.split(' ').map(|it| it.parse::<u64>().ok());
        // Shared pages belong to files, and the system reclaims them when needed.
        let (resident, shared) = (pages.nth(1)??, pages.next()??);
        Some(resident.saturating_sub(shared) * rustix::param::page_size() as u64)
    }

    #[cfg(target_os = "linux")]
    fn memory_share(&self) -> Option<u64> {
        memory::share()
    }

    fn machine(&self, folder: &Path) -> Machine {
        #[cfg(unix)]
        return machine::below(folder);
        #[cfg(not(unix))]
        {
            let _ = folder;
            Machine::default()
        }
    }

    fn run_program(&self, call: ProgramCall, cancel: CancellationToken) -> RunningProgram {
        programs::run(call, cancel)
    }

    fn open_program(&self, call: ProgramCall) -> Result<OpenProgram, ProgramError> {
        programs::open(&call)
    }

    fn run_in_worker(
        &self,
        work: Vec<u8>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        self.workers.run(work, limits)
    }
}

/// The terminal of this process, wherever its streams are redirected.
#[cfg(unix)]
fn terminal() -> io::Result<fs::File> {
    fs::File::options().read(true).write(true).open("/dev/tty")
}

fn readable(file: fs::File) -> io::Result<Box<dyn Read + Send>> {
    if file.metadata()?.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Ok(Box::new(file))
    }
}

/// Whether a file may replace this one. Folders cannot be replaced anyway.
fn replaceable(there: &fs::Metadata) -> io::Result<()> {
    if there.is_file() || there.is_symlink() || there.is_dir() {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a device, a pipe or a socket, not a file",
        ))
    }
}

/// Copies the permissions of the replaced file to a new one.
fn like(new: &fs::File, old: Option<&fs::Metadata>) -> io::Result<()> {
    match old.filter(|it| it.is_file()) {
        Some(old) => new.set_permissions(old.permissions()),
        None => Ok(()),
    }
}

fn fill_durably(file: &fs::File, fill: Fill<'_>) -> io::Result<()> {
    let mut file = io::BufWriter::new(file);
    fill(&mut file)?;
    file.into_inner()?.sync_all()
}

/// A file; `None` for other entries: a link to a folder, or a pipe, which would block its
/// reader forever.
fn entry(found: &ignore::DirEntry) -> io::Result<Option<DirEntry>> {
    let path = found.path().to_owned();
    // Follows links: the file that would be read counts.
    match fs::metadata(&path) {
        Ok(it) => {
            let is_link = found.path_is_symlink();
            Ok(it.is_file().then(|| DirEntry { stat: stat(&it), path, is_link }))
        }
        Err(err) => Err(io::Error::new(err.kind(), format!("{}: {err}", path.display()))),
    }
}

/// A file or folder; `None` for a pipe, a link that leads nowhere, and the like.
fn listed(found: &ignore::DirEntry) -> Option<DirEntry> {
    let path = found.path().to_owned();
    let known = fs::metadata(&path).ok().filter(|it| it.is_file() || it.is_dir())?;
    Some(DirEntry { stat: stat(&known), path, is_link: found.path_is_symlink() })
}

fn walk_error(err: ignore::Error) -> io::Error {
    let text = err.to_string();
    let kind = err.into_io_error().map_or(io::ErrorKind::Other, |it| it.kind());
    io::Error::new(kind, text)
}

fn stat(it: &fs::Metadata) -> Stat {
    let modified = it.modified().unwrap_or(UNIX_EPOCH);
    Stat {
        is_dir: it.is_dir(),
        is_file: it.is_file(),
        size: it.len(),
        modified: nanos(modified),
        changed: changed(it),
        inode: inode(it),
    }
}

fn nanos(time: SystemTime) -> i128 {
    let signed = |it: Duration| i128::try_from(it.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => signed(after),
        Err(before) => -signed(before.duration()),
    }
}

#[cfg(unix)]
fn changed(it: &fs::Metadata) -> i128 {
    use std::os::unix::fs::MetadataExt as _;
    i128::from(it.ctime()) * 1_000_000_000 + i128::from(it.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_: &fs::Metadata) -> i128 {
    0
}

#[cfg(unix)]
fn inode(it: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(it)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}
