//! The journal of runs, and earlier results: one `SQLite` file.
//!
//! One thread writes ([`Store::append`], [`Store::commit`], [`Store::flush`]), and all pending
//! entries share one transaction and one sync. Several connections read, each one the state
//! committed when its query began. Several processes may use one file; only the holder of its
//! [`Claim`] works on a run.
//!
//! All files are readable only by their owner. [`Store::open_reading`] writes nothing.
//!
//! Contents are identified by their hash and stored once ([`Blob`]). Next to `FILE` are
//! `SQLite`'s own `FILE-wal` and `FILE-shm`, the high-water mark `FILE-mark`, contents over 1
//! MiB in `FILE-blobs`, and the locks of active runs in `FILE-claims`.
//!
//! **Invariant:** everything that a commit acknowledged is read back, after a crash of the
//! process and after a power cut; or the store reports that it is damaged. It never loses data
//! silently.

use std::{
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread::{self, JoinHandle},
};

use tokio::{runtime::Handle, sync::oneshot};

use self::{
    claim::Claims,
    place::{Files, Place},
    pool::{Access, Pool},
    queue::Queue,
};

mod backup;
mod blobs;
mod check;
mod claim;
mod error;
mod history;
mod id;
mod insert;
mod mark;
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
mod rows;
mod salvage;
mod schema;
mod survey;
mod whole;
mod writer;

pub use check::{Health, Size};
pub use claim::Claim;
pub use error::{StoreError, StoreErrorKind};
pub use history::{History, Spread};
pub use id::RunId;
pub use open::Options;
pub use payments::Payment;
pub use prune::{Old, Pruned};
pub use read::Filter;
pub use rows::{Args, Attempt, Blob, End, Entry, Hash, Node, NodeState, Run, RunState};
pub use salvage::Recovered;

use error::Result;

/// An open store. Dropping it writes the appended entries.
#[derive(Debug)]
pub struct Store {
    place: Place,
    /// The files that were opened.
    files: Option<Files>,
    queue: Arc<Queue>,
    writer: Option<JoinHandle<()>>,
    pool: Pool,
    claims: Claims,
}

/// The pending result of a commit: a future, or [`Receipt::wait`] outside of async code.
#[derive(Debug)]
#[must_use = "a commit that is not awaited may fail unnoticed"]
pub struct Receipt(oneshot::Receiver<Result<()>>);

impl Store {
    /// Opens the store in a file, and creates it if necessary. `now` is in milliseconds since
    /// 1970.
    pub fn open(file: &Path, now: i64) -> Result<Self> {
        Self::open_with(file, Options { now, ..Options::default() })
    }

    /// Opens the store with further options.
    pub fn open_with(file: &Path, options: Options) -> Result<Self> {
        Self::start(open::file(file, options).map_err(|err| err.at(file))?)
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

    /// Queues an entry to be written within about 20 ms, together with others. Blocks only if
    /// the queue is full. An error belongs to an earlier entry, or means that nothing can be
    /// written at present; then this entry is not accepted.
    pub fn append(&self, entry: Entry) -> Result<()> {
        self.queue.append(entry)
    }

    /// Writes an entry, and all that were appended before. It is durable once the receipt
    /// resolves.
    pub fn commit(&self, entry: Entry) -> Receipt {
        Receipt(self.queue.commit(Some(entry)))
    }

    /// Writes all appended entries. They are durable once the receipt resolves.
    pub fn flush(&self) -> Receipt {
        Receipt(self.queue.commit(None))
    }

    /// Creates the name of a run that begins `now`. Later runs sort later, even if the clock
    /// was set back meanwhile.
    pub fn new_id(&self, now: i64) -> RunId {
        // If the store cannot be read, recording the run will report it.
        match self.latest() {
            Ok(Some(latest)) if latest.time() >= now => RunId::new(latest.time() + 1),
            _ => RunId::new(now),
        }
    }

    /// Whether the run is in the store, and the store is still at its place.
    pub fn keeps(&self, run: &RunId) -> bool {
        self.place.is_still(self.files).is_ok() && self.run(run.as_str()).is_ok()
    }

    /// Claims a run. Only one process can hold the claim, and one part of this process.
    pub fn claim(&self, run: &RunId) -> Result<Claim> {
        self.claims.take(&self.place, run)
    }
}

impl Drop for Store {
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
