//! A host that restricts access to what its rules allow.
//!
//! Access to a file is decided by its real path, and then exactly that real path is opened,
//! without following symbolic links. So neither `..`, nor a symbolic link, nor
//! `/proc/self/root`, nor a link that is swapped between check and use can escape. Hard links
//! cannot be detected from the file itself.

mod rules;

use std::{
    io::{self, Read},
    path::{Component, Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use tokio_util::sync::CancellationToken;

pub use rules::{By, Fence, Rules, Site, Web};

use super::{
    Access, Answering, DirEntry, Host, Machine, Resolving, Server, Stat, WorkerError, WorkerLimits,
    http::{Answer, Request, Trust},
    program::{OpenProgram, ProgramCall, ProgramError, RunningProgram},
    refusal, refused,
};

/// A host with access rules.
#[derive(Clone)]
pub struct Guard {
    inner: Arc<dyn Host>,
    rules: Arc<Rules>,
}

impl Guard {
    pub fn new(inner: Arc<dyn Host>, rules: Rules) -> Self {
        Self { inner, rules: Arc::new(rules) }
    }

    fn is_named(&self, path: &Path) -> bool {
        matches!(&self.rules.by, By::Call(named) if named.iter().any(|it| it == path))
    }

    /// Uses a file that may be read, by its real path.
    fn reading<T>(
        &self,
        path: &Path,
        read: impl Fn(&dyn Host, &Path) -> io::Result<T>,
    ) -> io::Result<T> {
        let host = self.inner.as_ref();
        // Most paths are real already. Using them proves it, because no link is followed, and
        // saves resolving links beforehand.
        if let Some(plain) = self.plain(path)?.filter(|it| self.rules.reads.allows(it)) {
            match read(host, &plain) {
                Err(err) if refused(&err).is_some() => {}
                done => return done,
            }
        }
        let real = host.real_path(path)?;
        self.check(&self.rules.reads, &real, "read")?;
        read(host, &real)
    }

    /// The absolute path, if it contains no `..`.
    fn plain(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        let goes_back = path.components().any(|it| it == Component::ParentDir);
        if goes_back { Ok(None) } else { Ok(Some(self.inner.current_dir()?.join(path))) }
    }

    fn check(&self, fence: &Fence, real: &Path, done: &str) -> io::Result<()> {
        if fence.allows(real) { Ok(()) } else { Err(self.refuses("it", real, done)) }
    }

    /// The real path of a file that may be written. A link with its name is replaced, not
    /// followed.
    fn writable(&self, path: &Path) -> io::Result<PathBuf> {
        let real = place(self.inner.as_ref(), path)?;
        self.check(&self.rules.writes, &real, "written")?;
        Ok(real)
    }

    fn refuses(&self, what: &str, real: &Path, done: &str) -> io::Error {
        let real = real.display();
        refusal(match self.rules.by {
            By::Policy => format!("the policy does not allow {what} to be {done}: it is `{real}`"),
            By::Use => format!("the policy does not allow {what} to be used: it is `{real}`"),
            By::Call(_) => {
                format!("{what} is `{real}`, which is outside the paths named by the call")
            }
        })
    }

    /// An open request that may be sent.
    fn sendable(&self, mut request: Request) -> io::Result<Request> {
        if request.trust == Trust::Configured {
            return Ok(request);
        }
        let address = request.address()?;
        let (web, done) = match request.method {
            "GET" | "HEAD" | "OPTIONS" => (&self.rules.web, "read"),
            _ => (&self.rules.web_writes, "written"),
        };
        let (host, port) = (address.host(), address.port());
        if !web.allows(host, port) {
            let message = format!("the policy does not allow `{address}` to be {done}");
            return Err(refusal(message));
        }
        if web.names(host, port) {
            request.trust = Trust::Configured;
        }
        Ok(request)
    }

    /// A server that may be used. Rules that allow the web mean the open internet: another server is
    /// allowed by its name and port, wherever its address comes from.
    fn usable(&self, mut server: Server) -> io::Result<Server> {
        let (web, done) = match server.access {
            Access::Read => (&self.rules.web, "read"),
            Access::Write => (&self.rules.web_writes, "written"),
        };
        if !web.allows(&server.host, server.port) {
            let message = format!("the policy does not allow `{server}` to be {done}");
            return Err(refusal(message));
        }
        if web.inside.is_some() {
            let is_named = web.names(&server.host, server.port);
            server.trust = if is_named { Trust::Configured } else { Trust::Open };
        }
        Ok(server)
    }
}

/// The place where a file would be written: the real path of its folder, and its name.
pub fn place(host: &dyn Host, path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    Ok(host.real_path(folder.unwrap_or(Path::new(".")))?.join(name))
}

impl Host for Guard {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        if self.is_named(path) {
            self.inner.open(path)
        } else {
            self.reading(path, Host::open_real)
        }
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        if self.is_named(path) {
            self.inner.stat(path)
        } else {
            self.reading(path, Host::stat_real)
        }
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        let real = self.inner.real_path(root);
        if let Err(err) = real.and_then(|it| self.check(&self.rules.reads, &it, "read")) {
            return Box::new(std::iter::once(Err(err)));
        }
        let mut folders = Folders { guard: self.clone(), last: None };
        Box::new(self.inner.walk(root).map(move |found| folders.keep(found?)))
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.inner.write_real(&self.writable(path)?, content)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_real(&self.writable(path)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename_real(&self.writable(from)?, &self.writable(to)?)
    }

    fn append(&self, path: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        self.inner.append_real(&self.writable(path)?, content, limit)
    }

    fn write_temporary(&self, suffix: &str, content: &[u8]) -> io::Result<PathBuf> {
        self.inner.write_temporary(suffix, content)
    }

    // The library follows no link, so the file is the one that was checked.
    fn library_file(&self, path: &Path, access: Access) -> io::Result<PathBuf> {
        match access {
            Access::Write => self.inner.library_file(&self.writable(path)?, access),
            Access::Read if self.is_named(path) => self.inner.library_file(path, access),
            Access::Read => {
                let real = self.inner.real_path(path)?;
                self.check(&self.rules.reads, &real, "read")?;
                self.inner.library_file(&real, access)
            }
        }
    }

    fn library_server(&self, server: Server) -> Resolving {
        match self.usable(server) {
            Ok(server) => self.inner.library_server(server),
            Err(err) => Box::pin(std::future::ready(Err(err))),
        }
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        self.inner.current_dir()
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        self.inner.cache_dir()
    }

    fn data_dir(&self) -> io::Result<PathBuf> {
        self.inner.data_dir()
    }

    fn modules_dir(&self) -> io::Result<PathBuf> {
        self.inner.modules_dir()
    }

    fn env(&self, name: &str) -> Option<String> {
        self.inner.env(name)
    }

    fn secret(&self, name: &str) -> io::Result<Option<String>> {
        self.inner.secret(name)
    }

    fn http(&self, request: Request) -> Answer {
        match self.sendable(request) {
            Ok(request) => self.inner.http(request),
            Err(err) => Box::pin(std::future::ready(Err(err))),
        }
    }

    fn now(&self) -> i64 {
        self.inner.now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.inner.sleep(duration)
    }

    fn ask_person(&self, question: &str, details: &str) -> Answering {
        self.inner.ask_person(question, details)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.real_path(path)
    }

    // With nested guards, the outer one passes on a real path, or a path that fails because it
    // is not real. Both guards check it.

    fn open_real(&self, real: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.check(&self.rules.reads, real, "read")?;
        self.inner.open_real(real)
    }

    fn stat_real(&self, real: &Path) -> io::Result<Stat> {
        self.check(&self.rules.reads, real, "read")?;
        self.inner.stat_real(real)
    }

    fn write_real(&self, real: &Path, content: &[u8]) -> io::Result<()> {
        self.check(&self.rules.writes, real, "written")?;
        self.inner.write_real(real, content)
    }

    fn remove_real(&self, real: &Path) -> io::Result<()> {
        self.check(&self.rules.writes, real, "written")?;
        self.inner.remove_real(real)
    }

    fn rename_real(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(&self.rules.writes, from, "written")?;
        self.check(&self.rules.writes, to, "written")?;
        self.inner.rename_real(from, to)
    }

    fn append_real(&self, real: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        self.check(&self.rules.writes, real, "written")?;
        self.inner.append_real(real, content, limit)
    }

    fn open_configured(&self, variable: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.inner.open_configured(variable)
    }

    fn chance(&self) -> f64 {
        self.inner.chance()
    }

    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.inner.random(bytes)
    }

    fn memory(&self) -> Option<u64> {
        self.inner.memory()
    }

    fn memory_share(&self) -> Option<u64> {
        self.inner.memory_share()
    }

    fn machine(&self, folder: &Path) -> Machine {
        self.inner.machine(folder)
    }

    // Which programs may run is decided before the run: what they do is not restricted.
    fn run_program(&self, call: ProgramCall, cancel: CancellationToken) -> RunningProgram {
        self.inner.run_program(call, cancel)
    }

    fn open_program(&self, call: ProgramCall) -> Result<OpenProgram, ProgramError> {
        self.inner.open_program(call)
    }

    fn run_in_worker(
        &self,
        work: Vec<u8>,
        apart: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        self.inner.run_in_worker(work, apart)
    }
}

/// Checks the entries of a walk one after the other.
struct Folders {
    guard: Guard,
    /// The last folder, and its real path: most files are in the same folder as the previous
    /// one.
    last: Option<(PathBuf, PathBuf)>,
}

impl Folders {
    fn keep(&mut self, entry: DirEntry) -> io::Result<DirEntry> {
        let real = self.real(&entry)?;
        if self.guard.rules.reads.allows(&real) {
            Ok(entry)
        } else {
            let what = format!("`{}`", entry.path.display());
            Err(self.guard.refuses(&what, &real, "read"))
        }
    }

    fn real(&mut self, entry: &DirEntry) -> io::Result<PathBuf> {
        let host = &self.guard.inner;
        let parts = entry.path.parent().zip(entry.path.file_name());
        let Some((folder, name)) = parts.filter(|_| !entry.is_link) else {
            return host.real_path(&entry.path);
        };
        if self.last.as_ref().is_none_or(|(it, _)| it != folder) {
            self.last = Some((folder.to_owned(), place(host.as_ref(), &entry.path)?));
        }
        let real = self.last.as_ref().map(|(_, it)| it.with_file_name(name));
        Ok(real.unwrap_or_default())
    }
}
