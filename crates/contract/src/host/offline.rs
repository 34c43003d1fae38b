//! The host of dry runs: recorded results replace the outside world.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use super::{DirEntry, Host, Resolving, Server, Stat, http, refusal};

/// Wraps another host: its environment and the metadata of its files are visible, but nothing
/// can be read, changed or requested. Its secrets are masked.
pub struct Offline(pub Arc<dyn Host>);

fn refused() -> io::Error {
    refusal("a dry run has no access to the outside world")
}

impl Host for Offline {
    fn open(&self, _: &Path) -> io::Result<Box<dyn Read + Send>> {
        Err(refused())
    }

    fn hash(&self, path: &Path, limit: u64) -> io::Result<blake3::Hash> {
        self.0.hash(path, limit)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.0.stat(path)
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        self.0.walk(root)
    }

    fn write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(refused())
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        self.0.current_dir()
    }

    fn modules_dir(&self) -> io::Result<PathBuf> {
        self.0.modules_dir()
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        Err(refused())
    }

    fn env(&self, name: &str) -> Option<String> {
        self.0.env(name)
    }

    fn secret(&self, _: &str) -> io::Result<Option<String>> {
        Ok(Some("***".to_owned()))
    }

    fn http(&self, _: http::Request) -> http::Answer {
        Box::pin(std::future::ready(Err(refused())))
    }

    fn library_server(&self, _: Server) -> Resolving {
        Box::pin(std::future::ready(Err(refused())))
    }

    fn now(&self) -> i64 {
        self.0.now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }

    /// Price tables are configured, so they may be read.
    fn open_configured(&self, variable: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.0.open_configured(variable)
    }

    fn chance(&self) -> f64 {
        0.0
    }
}
