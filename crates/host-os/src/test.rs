//! An in-memory host, for tests and examples.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
    pin::Pin,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use svc_contract::host::{
    Access, Answering, DirEntry, Host, Resolving, Server, Stat, WorkerError, WorkerLimits, http,
    program::{OpenProgram, ProgramCall, ProgramError, RunningProgram},
};
use tokio_util::sync::CancellationToken;

use crate::{OsHost, Workers};

/// Has files in memory, simulated errors, a simulated network, and a temporary cache folder
/// that is removed with it. Time is tokio's, which a test may pause.
pub struct TestHost {
    files: Mutex<BTreeMap<PathBuf, File>>,
    failing: BTreeMap<PathBuf, io::ErrorKind>,
    env: BTreeMap<String, String>,
    network: Option<Network>,
    cache: PathBuf,
    person: Mutex<Person>,
    dice: Mutex<Option<fastrand::Rng>>,
    now: i64,
    workers: Workers,
}

/// Answers questions.
#[derive(Debug, Default)]
struct Person {
    answers: VecDeque<bool>,
    asked: Vec<String>,
}

/// Answers requests.
type Network = Box<dyn Fn(http::Request) -> http::Answer + Send + Sync>;

#[derive(Clone, Debug)]
struct File {
    content: Vec<u8>,
    version: u64,
}

impl fmt::Debug for TestHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestHost").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Default for TestHost {
    fn default() -> Self {
        Self::new()
    }
}

impl TestHost {
    /// The folder that relative paths start from.
    pub const HOME: &'static str = "/home";

    pub fn new() -> Self {
        let unique = format!("svc-test-{}-{}", std::process::id(), fastrand::u64(..));
        Self {
            files: Mutex::default(),
            failing: BTreeMap::new(),
            env: BTreeMap::new(),
            network: None,
            #[expect(clippy::disallowed_methods, reason = "the cache is a real folder")]
            cache: std::env::temp_dir().join(unique),
            person: Mutex::default(),
            dice: Mutex::default(),
            // A fixed day in 2026.
            now: 1_790_000_000_000,
            workers: Workers::default(),
        }
    }

    /// Moves the clock forward by `later` milliseconds.
    #[must_use]
    pub fn at(mut self, later: i64) -> Self {
        self.now += later;
        self
    }

    /// Adds a file; a relative path starts from [`Self::HOME`].
    #[must_use]
    pub fn file(self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.put(Path::new(path), content.into());
        self
    }

    /// Makes every access to `path` fail.
    #[must_use]
    pub fn failing(mut self, path: &str, kind: io::ErrorKind) -> Self {
        self.failing.insert(absolute(Path::new(path)), kind);
        self
    }

    /// Sets an environment variable; no others are set.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// Answers every request with `answer`; without it the host has no network.
    #[must_use]
    pub fn answering(
        mut self,
        answer: impl Fn(http::Request) -> http::Answer + Send + Sync + 'static,
    ) -> Self {
        self.network = Some(Box::new(answer));
        self
    }

    /// Seeds the random numbers; without a seed they are always in the middle.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        *self.dice.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(fastrand::Rng::with_seed(seed));
        self
    }

    /// Uses another program for worker processes ([`OsHost::working_in`]).
    #[must_use]
    pub fn working_in(mut self, program: impl Into<PathBuf>) -> Self {
        self.workers = Workers::of(program.into());
        self
    }

    /// Uses this binary of unit tests for worker processes: the test with this name, which must
    /// call [`is_worker`](crate::is_worker) first of all.
    #[must_use]
    pub fn working_in_test(mut self, name: &str) -> Self {
        self.workers = Workers::of_test(name).expect("this program has a path");
        self
    }

    /// Answers questions with these values, one after the other; further questions fail.
    #[must_use]
    pub fn approving(self, answers: impl IntoIterator<Item = bool>) -> Self {
        self.person().answers.extend(answers);
        self
    }

    /// The questions that were asked, each with its details on the line before.
    pub fn asked(&self) -> Vec<String> {
        self.person().asked.clone()
    }

    fn person(&self) -> std::sync::MutexGuard<'_, Person> {
        self.person.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current content of a file.
    pub fn content(&self, path: &str) -> Option<Vec<u8>> {
        self.locked().get(&absolute(Path::new(path))).map(|it| it.content.clone())
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) {
        self.locked().remove(&absolute(Path::new(path)));
    }

    /// Adds or replaces a file.
    pub fn put(&self, path: &Path, content: Vec<u8>) {
        let mut files = self.locked();
        let path = absolute(path);
        let version = files.get(&path).map_or(1, |it| it.version + 1);
        files.insert(path, File { content, version });
    }

    /// The real file of one that a library opens.
    fn real(&self, path: &Path) -> PathBuf {
        self.cache.join("files").join(path.strip_prefix("/").unwrap_or(path))
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn allowed(&self, path: &Path) -> io::Result<PathBuf> {
        let path = absolute(path);
        match self.failing.get(&path) {
            Some(kind) => Err((*kind).into()),
            None => Ok(path),
        }
    }
}

impl Drop for TestHost {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "the cache is a real folder")]
        let _ = std::fs::remove_dir_all(&self.cache);
    }
}

impl Host for TestHost {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let path = self.allowed(path)?;
        match self.locked().get(&path).cloned() {
            Some(file) => Ok(Box::new(Cursor::new(file.content))),
            None => OsHost::default().open(&self.real(&path)),
        }
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let path = self.allowed(path)?;
        let files = self.locked();
        if let Some(file) = files.get(&path) {
            return Ok(stat(file));
        }
        if path == Path::new(Self::HOME) || files.keys().any(|it| it.starts_with(&path)) {
            return Ok(Stat {
                is_dir: true,
                is_file: false,
                size: 0,
                modified: 0,
                changed: 0,
                inode: 0,
            });
        }
        drop(files);
        OsHost::default().stat(&self.real(&path))
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        let root = match self.allowed(root) {
            Ok(root) => root,
            Err(err) => return Box::new(std::iter::once(Err(err))),
        };
        let found: Vec<_> = self
            .locked()
            .iter()
            .filter(|(path, _)| path.starts_with(&root))
            .map(|(path, file)| {
                Ok(DirEntry { path: path.clone(), stat: stat(file), is_link: false })
            })
            .collect();
        Box::new(found.into_iter())
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let path = self.allowed(path)?;
        self.put(&path, content.to_vec());
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let path = self.allowed(path)?;
        let removed = self.locked().remove(&path);
        removed.map(|_| ()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.allowed(from)?, self.allowed(to)?);
        let file = self.locked().remove(&from).ok_or(io::ErrorKind::NotFound)?;
        self.put(&to, file.content);
        Ok(())
    }

    fn append(&self, path: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        let path = self.allowed(path)?;
        let mut whole = self.locked().get(&path).map(|it| it.content.clone()).unwrap_or_default();
        whole.extend(content);
        if whole.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.put(&path, whole);
        Ok(())
    }

    fn write_temporary(&self, suffix: &str, content: &[u8]) -> io::Result<PathBuf> {
        let count = self.locked().len();
        let path = PathBuf::from(format!("/tmp/svc-{count}{suffix}"));
        self.put(&path, content.to_vec());
        Ok(path)
    }

    /// A real file in the temporary folder, at first with the content of the one in memory. What is
    /// written to it does not appear in memory.
    #[expect(clippy::disallowed_methods, reason = "the cache is a real folder")]
    fn library_file(&self, path: &Path, access: Access) -> io::Result<PathBuf> {
        let path = self.allowed(path)?;
        let real = self.real(&path);
        if real.exists() {
            return Ok(real);
        }
        let content = self.locked().get(&path).map(|it| it.content.clone());
        if content.is_none() && access == Access::Read {
            return Err(io::ErrorKind::NotFound.into());
        }
        if let Some(folder) = real.parent() {
            std::fs::create_dir_all(folder)?;
        }
        if let Some(content) = content {
            std::fs::write(&real, content)?;
        }
        Ok(real)
    }

    fn modules_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from("/modules"))
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(Self::HOME.into())
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        self.allowed(Path::new("/cache"))?;
        Ok(self.cache.clone())
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }

    fn http(&self, request: http::Request) -> http::Answer {
        match &self.network {
            _ if let Err(err) = request.look() => Box::pin(std::future::ready(Err(err))),
            Some(answer) => answer(request),
            None => Box::pin(async { Err(io::Error::other("this host has no network")) }),
        }
    }

    /// Finds a server of this machine.
    fn library_server(&self, server: Server) -> Resolving {
        OsHost::default().library_server(server)
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        OsHost::default().sleep(duration)
    }

    fn ask_person(&self, question: &str, details: &str) -> Answering {
        let mut person = self.person();
        person.asked.push(format!("{details}\n{question}"));
        let nobody = || io::Error::new(io::ErrorKind::Unsupported, "no person is available");
        Box::pin(std::future::ready(person.answers.pop_front().ok_or_else(nobody)))
    }

    fn chance(&self) -> f64 {
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        dice.as_mut().map_or(0.5, fastrand::Rng::f64)
    }

    /// Runs a program of this machine, in a folder of this machine.
    fn run_program(&self, call: ProgramCall, cancel: CancellationToken) -> RunningProgram {
        OsHost::default().run_program(call, cancel)
    }

    fn open_program(&self, call: ProgramCall) -> Result<OpenProgram, ProgramError> {
        OsHost::default().open_program(call)
    }

    fn run_in_worker(
        &self,
        work: Vec<u8>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        self.workers.run(work, limits)
    }
}

fn stat(file: &File) -> Stat {
    let (size, modified) = (file.content.len() as u64, i128::from(file.version));
    Stat { is_dir: false, is_file: true, size, modified, changed: modified, inode: 1 }
}

fn absolute(path: &Path) -> PathBuf {
    let mut whole = PathBuf::from(TestHost::HOME);
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                whole.pop();
            }
            other => whole.push(other),
        }
    }
    whole
}
