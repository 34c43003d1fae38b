//! A host without an outside, which notes who reaches for one.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use svc_contract::{
    host::{DirEntry, Host, MemoryFiles, Stat, WithFiles, http, refusal},
    registry::Example,
};

/// Has no files and no network. The secret of every name is [`SECRET`].
#[derive(Default)]
pub(super) struct Quiet {
    env: &'static [(&'static str, &'static str)],
    answers: Mutex<Vec<&'static str>>,
    touched: Mutex<Vec<String>>,
    now: AtomicI64,
}

/// A secret that no message may contain.
pub(super) const SECRET: &str = "planted-canary-7d41";

impl Quiet {
    /// The host of an example, with its files.
    pub(super) fn of(example: &'static Example) -> Arc<dyn Host> {
        let answers = example.answers.iter().rev().copied().collect();
        let host = Self { env: example.env, answers: Mutex::new(answers), ..Self::default() };
        let files: MemoryFiles = example.files.iter().copied().collect();
        Arc::new(WithFiles::new(files, Arc::new(host)))
    }

    /// What was reached for.
    pub(super) fn touched(&self) -> Vec<String> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, what: impl Into<String>) -> io::Error {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).push(what.into());
        refusal("nothing is outside of a check")
    }
}

impl Host for Quiet {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Err(self.note(format!("opens {}", path.display())))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        Err(self.note(format!("looks at {}", path.display())))
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        Box::new(std::iter::once(Err(self.note(format!("walks {}", root.display())))))
    }

    fn write(&self, path: &Path, _: &[u8]) -> io::Result<()> {
        Err(self.note(format!("writes {}", path.display())))
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from("/"))
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        Err(self.note("uses the cache"))
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.iter().find(|it| it.0 == name).map(|it| it.1.to_owned())
    }

    fn secret(&self, _: &str) -> io::Result<Option<String>> {
        Ok(Some(SECRET.to_owned()))
    }

    fn http(&self, request: http::Request) -> http::Answer {
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let answer = match next {
            Some(body) => Ok(http::Response::whole(200, body)),
            None => Err(self.note(format!("requests {}", request.url))),
        };
        Box::pin(std::future::ready(answer))
    }

    fn now(&self) -> i64 {
        1_700_000_000_000 + self.now.fetch_add(1, Ordering::Relaxed)
    }

    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::ready(()))
    }

    fn chance(&self) -> f64 {
        0.5
    }
}
