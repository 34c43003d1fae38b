//! A host with nothing but a clock.

use std::{
    future::{self, Future},
    io::{self, Read},
    path::{Path, PathBuf},
    pin::Pin,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use svc_contract::host::{DirEntry, Host, Stat, http, refusal};

/// A host without files, network, environment and secrets: scripts can compute and wait.
///
/// It is the host of [`engine`](crate::engine) without the feature `os`. A program gives its
/// scripts a world of its own with [`Engine::with_host`](crate::Engine::with_host).
#[derive(Clone, Copy, Debug, Default)]
pub struct Isolated;

fn refused<T>() -> io::Result<T> {
    Err(refusal("scripts of this program have no access to the outside world"))
}

impl Host for Isolated {
    fn open(&self, _: &Path) -> io::Result<Box<dyn Read + Send>> {
        refused()
    }

    fn stat(&self, _: &Path) -> io::Result<Stat> {
        refused()
    }

    fn walk(&self, _: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        Box::new(std::iter::once(refused()))
    }

    fn write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        refused()
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from("/"))
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        refused()
    }

    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn http(&self, _: http::Request) -> http::Answer {
        Box::pin(future::ready(refused()))
    }

    #[expect(clippy::disallowed_methods, reason = "the clock is all that this host has")]
    fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn chance(&self) -> f64 {
        fastrand::f64()
    }
}
