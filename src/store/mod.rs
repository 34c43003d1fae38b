//! The journal of runs, and earlier results: one `SQLite` file.
//!
//! One thread writes ([`Store::append`], [`Store::commit`], [`Store::flush`]), and what waits
//! at the same time shares one transaction and one sync. Several connections read, each what
//! was committed when it began. Several processes may use one file; a run is worked on by who
//! holds its [`Claim`].
//!
//! Contents are known by their hash and kept once ([`Blob`]). Beside `FILE` lie `SQLite`'s own
//! `FILE-wal` and `FILE-shm`, the high-water mark `FILE-mark`, contents over 1 MiB in
//! `FILE-blobs`, and the locks of running runs in `FILE-claims`.
//!
//! **Invariant:** what a commit acknowledged is read back, after a crash of the process and
//! after a power cut; or the store says that it is damaged. It never forgets in silence.

use std::{
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread::JoinHandle,
};

use tokio::sync::oneshot;

use self::{claim::Claims, place::Place, pool::Pool, queue::Queue};

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
mod place;
mod pool;
mod prune;
mod queue;
mod read;
mod rows;
mod schema;
mod survey;
mod writer;

pub use check::{Health, Size};
pub use claim::Claim;
pub use error::{StoreError, StoreErrorKind};
pub use history::{History, Spread};
pub use id::RunId;
pub use open::Options;
pub use prune::{Old, Pruned};
pub use read::Filter;
pub use rows::{Args, Attempt, Blob, End, Entry, Hash, Node, NodeState, Run, RunState};

use error::Result;

/// A store that is open. Dropping it writes what was appended.
#[derive(Debug)]
pub struct Store {
    place: Place,
    queue: Arc<Queue>,
    writer: Option<JoinHandle<()>>,
    pool: Pool,
    claims: Claims,
}

/// The answer to come to a commit: a future, or [`Receipt::wait`] outside of async code.
#[derive(Debug)]
#[must_use = "a commit that nobody waits for may fail unseen"]
pub struct Receipt(oneshot::Receiver<Result<()>>);

impl Store {
    /// Opens the store of a file, and makes it where there is none. `now` is in milliseconds
    /// since 1970.
    pub fn open(file: &Path, now: i64) -> Result<Self> {
        Self::open_with(file, Options { now, ..Options::default() })
    }

    /// The same with more said.
    pub fn open_with(file: &Path, options: Options) -> Result<Self> {
        Self::start(open::file(file, options)?)
    }

    /// A store that goes with the process.
    pub fn in_memory() -> Result<Self> {
        Self::start(open::memory(Options::default())?)
    }

    /// Sets a damaged store aside and opens a fresh one in its place. Gives also where the
    /// damaged one is now. Nothing is deleted; large contents serve both.
    pub fn recover(file: &Path, now: i64) -> Result<(Self, PathBuf)> {
        let aside = open::set_aside(file, now)?;
        Ok((Self::open(file, now)?, aside))
    }

    fn start(writer: writer::Writer) -> Result<Self> {
        let place = writer.place.clone();
        let queue = Arc::new(Queue::default());
        let pool = Pool::new(place.clone())?;
        let writer = Some(writer.spawn(queue.clone())?);
        Ok(Self { place, queue, writer, pool, claims: Claims::default() })
    }

    /// The file, unless the store is in memory.
    pub fn file(&self) -> Option<&Path> {
        self.place.file()
    }

    /// Leaves an entry to be written within some 20 ms, together with others. Waits only where
    /// too much waits already. An error is of an earlier entry, or says that nothing can be
    /// written now; then this one is not taken.
    pub fn append(&self, entry: Entry) -> Result<()> {
        self.queue.append(entry)
    }

    /// Writes an entry, and all that were appended before. It is durable once the receipt
    /// says so.
    pub fn commit(&self, entry: Entry) -> Receipt {
        Receipt(self.queue.commit(Some(entry)))
    }

    /// Writes all that was appended. It is durable once the receipt says so.
    pub fn flush(&self) -> Receipt {
        Receipt(self.queue.commit(None))
    }

    /// Takes a run to work on it. Only one process has it, and one part of this process.
    pub fn claim(&self, run: &RunId) -> Result<Claim> {
        self.claims.take(&self.place, run)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(writer) = self.writer.take() {
            // The thread catches its own panics, and has told whoever waited.
            let _ = writer.join();
        }
    }
}

impl Receipt {
    /// Waits on this thread. Not for async code, which awaits the receipt.
    pub fn wait(self) -> Result<()> {
        self.0.blocking_recv().unwrap_or_else(|_| Err(abandoned()))
    }
}

impl Future for Receipt {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|it| it.unwrap_or_else(|_| Err(abandoned())))
    }
}

fn abandoned() -> StoreError {
    StoreError::bug("its writer ended before it could answer")
}
