//! The outside world as a trait: files, network, time, environment, randomness.
//!
//! Components reach it through their `Cx`, so a test or an embedding program can replace it.
//! `svc_host_os::OsHost` is the real one; `svc_host_os::test::TestHost` keeps its files in memory and simulates
//! errors.
//!
//! **Invariant:** only `os` calls the operating system; `clippy.toml` bans such calls
//! elsewhere, except in the index and the store, which own their directories.

use std::{
    fmt::{self, Write as _},
    future::Future,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    pin::Pin,
    time::Duration,
};

use program::{OpenProgram, ProgramCall, ProgramError, RunningProgram};
use tokio_util::sync::CancellationToken;

use crate::value::paths;

pub mod address;
pub mod guard;
pub mod http;
mod memory_files;
pub mod offline;
pub mod program;
mod retry_after;
mod server;
mod worker;

pub use memory_files::{MemoryFiles, WithFiles};
pub use server::{Resolving, Server};
pub use worker::{Process, WorkerError, WorkerLimits};

/// The access of a process to the world outside.
pub trait Host: Send + Sync + 'static {
    /// Opens a file for reading from its start.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>>;

    /// The hash of a file's content, if it has at most `limit` bytes.
    fn hash(&self, path: &Path, limit: u64) -> io::Result<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        let read = io::copy(&mut self.open(path)?.take(limit.saturating_add(1)), &mut hasher)?;
        if read > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(hasher.finalize()) }
    }

    /// The metadata of a file or folder.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// The files below a folder in a fixed order, or the file itself. Ignore files
    /// (`.gitignore`, `.ignore`) are respected, hidden files are skipped.
    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send>;

    /// The files and folders directly in a folder, in a fixed order, at most `limit` of them. Hidden
    /// and ignored ones are skipped. By default unsupported.
    fn list(&self, folder: &Path, limit: usize) -> io::Result<Vec<DirEntry>> {
        let _ = (folder, limit);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Writes a whole file atomically: afterwards it has either the complete new content or the
    /// complete old one. Missing folders are created.
    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()>;

    /// Like [`Host::write`], for content that need not be in memory: `fill` writes it in
    /// pieces.
    fn write_with(&self, path: &Path, fill: Fill<'_>) -> io::Result<()> {
        let mut content = Vec::new();
        fill(&mut content)?;
        self.write(path, &content)
    }

    /// Removes a file, or a symbolic link without its target. By default unsupported.
    fn remove(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Renames a file atomically, and replaces a file of that name. Missing folders are created. By
    /// default unsupported.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let _ = (from, to);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Appends to a file atomically, and creates it if it is missing: afterwards it has either the
    /// complete new content or the complete old one. Others that append at the same time lose
    /// nothing. Fails if the file would be larger than `limit` bytes. By default unsupported.
    fn append(&self, path: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        let _ = (path, content, limit);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Creates a file in the folder for temporary files, which only this user can read, with a name
    /// that ends in `suffix`. By default unsupported.
    fn write_temporary(&self, suffix: &str, content: &[u8]) -> io::Result<PathBuf> {
        let _ = (suffix, content);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The path under which a library finds a file that it opens by itself, such as a database: real,
    /// and without links. The files next to it whose names begin with its name, such as `x.db-wal`,
    /// belong to it. Missing folders of a file that is to be written are created. By default
    /// unsupported.
    fn library_file(&self, path: &Path, access: Access) -> io::Result<PathBuf> {
        let _ = (path, access);
        Err(io::Error::new(io::ErrorKind::Unsupported, "this program has no files on a disk"))
    }

    /// The addresses of a server that a library connects to by itself, such as one of a database. By
    /// default unsupported.
    fn library_server(&self, server: Server) -> Resolving {
        let _ = server;
        let message = "this program connects to no servers";
        Box::pin(std::future::ready(Err(io::Error::new(io::ErrorKind::Unsupported, message))))
    }

    /// The folder that relative paths start from.
    fn current_dir(&self) -> io::Result<PathBuf>;

    /// The folder for data that can be created again.
    fn cache_dir(&self) -> io::Result<PathBuf>;

    /// The folder of the user's own modules, `use "user:name"`. By default an error.
    fn modules_dir(&self) -> io::Result<PathBuf> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this program has no folder of modules"))
    }

    /// The folder for data that cannot be created again. By default an error.
    fn data_dir(&self) -> io::Result<PathBuf> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "no data folder available"))
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

    /// Sends a request, without following redirects and without retries. An open request that
    /// does not lead to the open internet is refused, because of its address
    /// ([`http::Request::look`]) or because of its resolved IP addresses.
    fn http(&self, request: http::Request) -> http::Answer;

    /// Milliseconds since 1970. The clock of a machine can be set back.
    fn now(&self) -> i64;

    /// Waits. In tests with a paused clock, waiting takes no time.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Shows details to a person and asks for yes or no. By default an error.
    fn ask_person(&self, question: &str, details: &str) -> Answering {
        let _ = (question, details);
        let nobody = io::Error::new(io::ErrorKind::Unsupported, "no person is available");
        Box::pin(std::future::ready(Err(nobody)))
    }

    /// Resolves a path: absolute, with every `.`, `..` and symbolic link followed. Missing
    /// parts keep their names. A host without symbolic links has nothing to follow.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(paths::tidy(&self.current_dir()?.join(path)))
    }

    /// Opens a file at its real path. A host with symbolic links follows none here, so a link
    /// that was created on the path since it was checked leads nowhere.
    fn open_real(&self, real: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.open(real)
    }

    /// The metadata of a file or folder at its real path. Follows no symbolic links.
    fn stat_real(&self, real: &Path) -> io::Result<Stat> {
        self.stat(real)
    }

    /// Writes a whole file at its real path. Follows no symbolic links.
    fn write_real(&self, real: &Path, content: &[u8]) -> io::Result<()> {
        self.write(real, content)
    }

    /// Removes a file at its real path. Follows no symbolic links.
    fn remove_real(&self, real: &Path) -> io::Result<()> {
        self.remove(real)
    }

    /// Renames a file between real paths. Follows no symbolic links.
    fn rename_real(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename(from, to)
    }

    /// Appends to a file at its real path. Follows no symbolic links.
    fn append_real(&self, real: &Path, content: &[u8], limit: u64) -> io::Result<()> {
        self.append(real, content, limit)
    }

    /// Opens the file named by an environment variable. Such a file is trusted.
    fn open_configured(&self, variable: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.env(variable).map(|file| self.open(Path::new(&file))).transpose()
    }

    /// A random number from 0 to 1, to spread retries.
    fn chance(&self) -> f64;

    /// Fills `bytes` with random ones. By default from [`Host::chance`], so a host with a seed repeats
    /// them.
    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
        bytes.fill_with(|| (self.chance() * 256.0) as u8);
        Ok(())
    }

    /// The memory of this process in bytes, if it is known.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// The default memory limit of a run in bytes: a share of the machine's memory, if it is
    /// known.
    fn memory_share(&self) -> Option<u64> {
        None
    }

    /// What is known of the machine below a folder, or below the first parent that exists. By
    /// default nothing.
    fn machine(&self, folder: &Path) -> Machine {
        let _ = folder;
        Machine::default()
    }

    /// Runs a program until it ends or `cancel` is cancelled. By default unsupported.
    fn run_program(&self, call: ProgramCall, cancel: CancellationToken) -> RunningProgram {
        let _ = (call, cancel);
        Box::pin(std::future::ready(Err(ProgramError::Unsupported)))
    }

    /// Starts a program that this process talks to while it runs; `stdin` and `max_output` of the call
    /// are not used. To be called in a runtime of Tokio. By default unsupported.
    fn open_program(&self, call: ProgramCall) -> Result<OpenProgram, ProgramError> {
        let _ = call;
        Err(ProgramError::Unsupported)
    }

    /// Runs some work in a worker process, and waits for the answer. By default unsupported.
    fn run_in_worker(
        &self,
        work: Vec<u8>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        let _ = (work, limits);
        Err(WorkerError::Unsupported)
    }
}

const LARGEST_SECRET: u64 = 1 << 20;

/// The environment variable for a script's secret.
pub fn secret_variable(name: &str) -> String {
    format!("SVC_SECRET_{}", name.to_uppercase())
}

/// Writes the content of a file.
pub type Fill<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// The future answer of a person.
pub type Answering = Pin<Box<dyn Future<Output = io::Result<bool>> + Send>>;

/// What a host knows of its machine; `None` where it knows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The bytes that this process may still write there.
    pub free_space: Option<u64>,
    /// Whether this process may create files there.
    pub is_writable: Option<bool>,
    /// The open files of this process, and the most that it may have.
    pub open_files: Option<(u64, u64)>,
}

/// What is done with a file that a library opens by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Reads and writes it, and creates it if it is missing.
    Write,
}

/// The metadata of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    pub is_dir: bool,
    /// Whether it is a regular file: not a folder, a pipe, a device and the like.
    pub is_file: bool,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i128,
    /// The time of the last change to the file or its metadata, which cannot be set; 0 if
    /// unknown.
    pub changed: i128,
    /// The identity of the file on its file system; 0 if there isn't one.
    pub inode: u64,
}

/// A file found by a walk, or a file or folder of a list.
#[derive(Clone, Debug)]
pub struct DirEntry {
    pub path: PathBuf,
    pub stat: Stat,
    /// Whether it is a symbolic link; `stat` then describes its target.
    pub is_link: bool,
}

/// Bytes as hexadecimal digits.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut all, it| {
        // Writing to a string cannot fail.
        let _ = write!(all, "{it:02x}");
        all
    })
}

/// A secret of `count` random bytes, as hexadecimal digits.
pub fn secret(host: &dyn Host, count: usize) -> io::Result<String> {
    let mut bytes = vec![0; count];
    host.random(&mut bytes)?;
    Ok(digits(&bytes))
}

/// A refusal: an error of kind `PermissionDenied` with a reason.
pub fn refusal(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, Refused(why.into()))
}

/// The reason of a refusal, if the error is a refusal.
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

/// Reads an opened file to its end, at most `limit` bytes.
pub fn read_all(file: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        let size = crate::value::units::show_size(limit);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {size}")));
    }
    Ok(content)
}
