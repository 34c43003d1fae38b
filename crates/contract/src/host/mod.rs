//! The outside world, as one trait: files, network, time, environment, chance.
//!
//! Components reach it through their `Cx`, so that a test or an embedding program can
//! put another world in its place. `svc_host_os::OsHost` is the real one; `svc_host_os::test::TestHost`
//! keeps its files in memory and fails where it is told to.
//!
//! **Invariant:** only `os` touches the operating system; `clippy.toml` bans the
//! calls elsewhere, but for the index and the store, which own their directories.

use std::{
    fmt,
    future::Future,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    pin::Pin,
    time::Duration,
};

use crate::value::paths;

pub mod address;
mod apart;
pub mod guard;
pub mod http;
pub mod offline;
mod retry_after;

pub use apart::{Apart, Process, Unanswered};

/// What a process can see and do outside itself.
pub trait Host: Send + Sync + 'static {
    /// Opens a file for reading from its start.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>>;

    /// The hash of what a file holds, if that is at most `limit` bytes.
    fn hash(&self, path: &Path, limit: u64) -> io::Result<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        let read = io::copy(&mut self.open(path)?.take(limit.saturating_add(1)), &mut hasher)?;
        if read > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(hasher.finalize()) }
    }

    /// What is known of a file or folder without reading it.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// The files below a folder in a fixed order, or the file itself. Ignore files
    /// (`.gitignore`, `.ignore`) are obeyed, hidden files are left out.
    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<Entry>> + Send>;

    /// Writes a whole file: afterwards it has either all of the new content or all of
    /// the old. Folders on the way are made.
    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()>;

    /// The same of a content that need not be in memory: `fill` writes it piece by piece.
    fn write_with(&self, path: &Path, fill: Fill<'_>) -> io::Result<()> {
        let mut content = Vec::new();
        fill(&mut content)?;
        self.write(path, &content)
    }

    /// The folder that relative paths start from.
    fn current_dir(&self) -> io::Result<PathBuf>;

    /// Where things may be kept that can be made again.
    fn cache_dir(&self) -> io::Result<PathBuf>;

    /// Where things are kept that cannot be made again. An error where there is no such
    /// place, which is so unless a host says otherwise.
    fn data_dir(&self) -> io::Result<PathBuf> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "there is no folder for data"))
    }

    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;

    /// The text of a secret that a script declares.
    fn secret(&self, name: &str) -> io::Result<Option<String>> {
        let variable = secret_variable(name);
        if let Some(file) = self.open_configured(&format!("{variable}_FILE"))? {
            let mut text = String::new();
            file.take(LARGEST_SECRET).read_to_string(&mut text)?;
            return Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()));
        }
        Ok(self.env(&variable))
    }

    /// Sends a request. Nothing is followed and nothing is tried again. An open request
    /// that leads to something else than the open internet is refused, for its address
    /// ([`http::Request::look`]) or for what its name resolves to.
    fn http(&self, request: http::Request) -> http::Answer;

    /// Milliseconds since 1970. The clock of a machine can be set back.
    fn now(&self) -> i64;

    /// Waits. Tests with a paused clock wait no time at all.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Shows a person some details and asks for a yes or a no. An error where nobody can be
    /// asked, which is so unless a host says otherwise.
    fn ask_person(&self, question: &str, details: &str) -> Answering {
        let _ = (question, details);
        let nobody = io::Error::new(io::ErrorKind::Unsupported, "there is nobody to ask");
        Box::pin(std::future::ready(Err(nobody)))
    }

    /// Where a path leads: absolute, with every `.`, `..` and symbolic link followed. What is
    /// not there keeps its name. A host without symbolic links has nothing to follow.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(paths::tidy(&self.current_dir()?.join(path)))
    }

    /// Opens a file at its real path. A host with symbolic links follows none here, so that
    /// one that has come to stand on the way since the path was looked at leads nowhere.
    fn open_real(&self, real: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.open(real)
    }

    /// What is known of a file or folder at its real path. Follows no symbolic link.
    fn stat_real(&self, real: &Path) -> io::Result<Stat> {
        self.stat(real)
    }

    /// Writes a whole file at its real path. Follows no symbolic link.
    fn write_real(&self, real: &Path, content: &[u8]) -> io::Result<()> {
        self.write(real, content)
    }

    /// Opens the file that an environment variable names. Whoever set it may use any file.
    fn open_configured(&self, variable: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.env(variable).map(|file| self.open(Path::new(&file))).transpose()
    }

    /// A number from 0 to 1, for spreading retries.
    fn chance(&self) -> f64;

    /// How many bytes of memory this process has, where that can be known.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// How many bytes of memory a run may take for which nothing is said: a share of the
    /// machine's, where that can be known.
    fn memory_share(&self) -> Option<u64> {
        None
    }

    /// Has a process of its own do some work, and waits for its answer. There is no such
    /// process unless a host says otherwise.
    fn apart(&self, work: Vec<u8>, apart: &Apart<'_>) -> Result<Vec<u8>, Unanswered> {
        let _ = (work, apart);
        Err(Unanswered::Unsupported)
    }
}

const LARGEST_SECRET: u64 = 1 << 20;

/// The environment variable that holds a script's secret.
pub fn secret_variable(name: &str) -> String {
    format!("SVC_SECRET_{}", name.to_uppercase())
}

/// Writes the content of a file.
pub type Fill<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// The answer of a person, to come.
pub type Answering = Pin<Box<dyn Future<Output = io::Result<bool>> + Send>>;

/// What is known of a file without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    pub is_dir: bool,
    /// Neither a folder nor a pipe, a device and the like.
    pub is_file: bool,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i128,
    /// The same of the last change of anything about it, which nobody can set; 0 where that
    /// is not known.
    pub changed: i128,
    /// The file's identity on its file system, 0 where there is none.
    pub inode: u64,
}

/// One file that a walk came by.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: PathBuf,
    pub stat: Stat,
    /// Whether it is a symbolic link, of whose target `stat` tells.
    pub is_link: bool,
}

/// Why a host does not do what it could: an error of kind `PermissionDenied` with a reason.
pub fn refusal(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, Refused(why.into()))
}

/// The reason of a refusal, if an error is one.
pub fn refused(err: &io::Error) -> Option<&str> {
    err.get_ref().and_then(|it| it.downcast_ref::<Refused>()).map(|it| it.0.as_str())
}

#[derive(Debug)]
struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Reads a whole file of at most `limit` bytes.
pub fn read(host: &dyn Host, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_all(host.open(path)?, limit)
}

/// Reads an opened file to its end, of at most `limit` bytes.
pub fn read_all(file: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        let size = crate::value::units::show_size(limit);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {size}")));
    }
    Ok(content)
}
