//! The store of runs as one `SQLite` file: [`SqliteStore`] is a [`Store`] of the contract. Opening,
//! checking, copying and pruning it are its own.
//!
//! One thread writes ([`Store::append`], [`Store::commit`], [`Store::flush`]), and all pending
//! entries share one transaction and one sync; an appended entry waits about 20 ms for others.
//! Several connections read, each one the state committed when its query began. Several
//! processes may use one file; only the holder of its [`Claim`] works on a run.
//!
//! All files are readable only by their owner. [`SqliteStore::open_reading`] writes nothing.
//!
//! [`book`] is the database of a service, which is kept in the same way.
//!
//! Contents are identified by their hash and stored once. Next to `FILE` are
//! `SQLite`'s own `FILE-wal` and `FILE-shm`, the high-water mark `FILE-mark`, contents over 1
//! MiB in `FILE-blobs`, and the locks of active runs in `FILE-claims`.
//!
//! **Invariant:** everything that a commit acknowledged is read back, after a crash of the
//! process and after a power cut; or the store reports that it is damaged. It never loses data
//! silently.
//!
//! [`Store`]: svc_contract::store::Store
//! [`Store::append`]: svc_contract::store::Store::append
//! [`Store::commit`]: svc_contract::store::Store::commit
//! [`Store::flush`]: svc_contract::store::Store::flush
//! [`Claim`]: svc_contract::store::Claim

use std::{
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread::{self, JoinHandle},
};

use svc_contract::store::{Entry, StoreError};
use tokio::{runtime::Handle, sync::oneshot};

use self::{
    claim::Claims,
    place::{Files, Place},
    pool::{Access, Pool},
    queue::{Item, Queue},
};

mod backup;
mod blobs;
pub mod book;
mod check;
mod claim;
mod error;
mod held;
mod history;
mod insert;
mod mark;
mod models;
mod open;
mod payments;
mod place;
mod pool;
mod private;
mod prune;
mod queue;
mod read;
mod reading;
mod repaired;
mod salvage;
mod schema;
mod store;
mod survey;
mod token;
mod whole;
mod writer;

pub use check::{Health, Size};
pub use held::{Held, hold};
pub use models::StoredModel;
pub use open::Options;
pub use prune::{Old, Pruned};
pub use salvage::Recovered;
pub use token::token_in;

use error::Result;

/// An open store. Dropping it writes the appended entries.
#[derive(Debug)]
pub struct SqliteStore {
    place: Place,
    /// The files that were opened.
    files: Option<Files>,
    queue: Arc<Queue<Item>>,
    writer: Option<JoinHandle<()>>,
    pool: Pool,
    claims: Claims,
}

/// The pending result of a commit: a future, or [`Receipt::wait`] outside of async code.
#[derive(Debug)]
#[must_use = "a commit that is not awaited may fail unnoticed"]
pub struct Receipt(oneshot::Receiver<Result<()>>);

impl SqliteStore {
    /// Opens the store in a file, and creates it if necessary. `now` is in milliseconds since
    /// 1970.
    pub fn open(file: &Path, now: i64) -> Result<Self> {
        Self::open_with(file, Options { now, ..Options::default() })
    }

    /// Opens the store with further options.
    pub fn open_with(file: &Path, options: Options) -> Result<Self> {
        Self::start(open::file(file, options).map_err(|err| err.0.at(file))?)
    }

    /// Opens a store in memory, which ends with the process.
    pub fn in_memory() -> Result<Self> {
        Self::start(open::memory(Options::default())?)
    }

    fn start(writer: writer::Writer) -> Result<Self> {
        let (place, files) = (writer.place.clone(), writer.files);
        let queue = Arc::new(Queue::default());
        let pool = Pool::new(place.clone(), Access::Sharing)?;
        let writer = Some(writer.spawn(queue.clone())?);
        Ok(Self { place, files, queue, writer, pool, claims: Claims::default() })
    }

    /// The file, unless the store is in memory.
    pub fn file(&self) -> Option<&Path> {
        self.place.file()
    }

    /// Writes an entry, and all that were appended before. It is durable once the receipt
    /// resolves.
    pub fn commit(&self, entry: Entry) -> Receipt {
        Receipt(self.queue.commit_entry(Some(entry)))
    }

    /// Writes all appended entries. They are durable once the receipt resolves.
    pub fn flush(&self) -> Receipt {
        Receipt(self.queue.commit_entry(None))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.pool.close();
        self.queue.close();
        if let Some(writer) = self.writer.take() {
            // The thread catches its own panics, and has reported to everyone who waits.
            let _ = writer.join();
        }
    }
}

impl Receipt {
    /// Blocks this thread. In async code, await the receipt instead.
    pub fn wait(self) -> Result<()> {
        let wait = || self.0.blocking_recv().unwrap_or_else(|_| Err(abandoned()));
        match Handle::try_current() {
            Err(_) => wait(),
            // A thread that drives async code must not block on a channel itself.
            Ok(_) => thread::scope(|it| it.spawn(wait).join().unwrap_or_else(|_| Err(abandoned()))),
        }
    }
}

impl Future for Receipt {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|it| it.unwrap_or_else(|_| Err(abandoned())))
    }
}

fn abandoned() -> StoreError {
    StoreError::bug("the writer ended before it could answer")
}
