//! The queue of pending writes, between the appending threads and the writing one: entries of runs,
//! or the writes of a book.
//!
//! Appending does not wait for the disk, unless the queue is so full that memory would run out.
//! Those who wait for a result share one commit with all earlier entries.

use std::{
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use svc_contract::store::{Entry, StoreError};
use tokio::sync::oneshot;

use super::error::Result;

/// The time that an appended entry waits for others.
const PATIENCE: Duration = Duration::from_millis(20);

/// The maximum size of the queue, in entries and in bytes.
const MOST_ENTRIES: usize = 16_384;
const MOST_BYTES: usize = 64 << 20;

/// What can be queued.
pub(super) trait Pending {
    /// From this share of the maximum size on, writing begins at once: 2 for half of it.
    const ENOUGH: usize;

    /// Its size in bytes.
    fn weight(&self) -> usize;
}

/// An entry, and the channel for the result of its commit.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Option<Entry>,
    pub(super) reply: Option<oneshot::Sender<Result<()>>>,
}

impl Pending for Item {
    const ENOUGH: usize = 2;

    fn weight(&self) -> usize {
        self.entry.as_ref().map_or(0, Entry::weight)
    }
}

pub(super) struct Queue<I> {
    state: Mutex<State<I>>,
    /// Signals that entries are to be written.
    filled: Condvar,
    /// Signals that the queue has room again.
    drained: Condvar,
}

struct State<I> {
    items: Vec<I>,
    bytes: usize,
    /// Whether a commit is awaited.
    is_urgent: bool,
    /// Whether the queue is closed to new entries.
    is_closed: bool,
    /// The error of the last commit, until one succeeds.
    failing: Option<StoreError>,
    /// The error of an entry whose result was not awaited.
    lost: Option<StoreError>,
}

impl<I> State<I> {
    fn is_over(&self, share: usize) -> bool {
        self.items.len() >= MOST_ENTRIES / share || self.bytes >= MOST_BYTES / share
    }
}

impl<I> Default for Queue<I> {
    fn default() -> Self {
        let state = State {
            items: Vec::new(),
            bytes: 0,
            is_urgent: false,
            is_closed: false,
            failing: None,
            lost: None,
        };
        Self { state: Mutex::new(state), filled: Condvar::new(), drained: Condvar::new() }
    }
}

impl<I> fmt::Debug for Queue<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("pending", &self.lock().items.len()).finish_non_exhaustive()
    }
}

impl<I> Queue<I> {
    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State<I>> {
        let state = self.lock();
        let is_full = |it: &mut State<I>| it.is_over(1) && !it.is_closed;
        self.drained.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the result of the last commit.
    pub(super) fn report(&self, failing: Option<StoreError>) {
        self.lock().failing = failing;
    }

    /// Keeps the error of an entry for the next caller.
    pub(super) fn lose(&self, err: StoreError) {
        self.lock().lost = Some(err);
    }

    /// Closes the queue to new entries.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
        self.drained.notify_all();
    }

    /// The writer is gone: reports an error to everyone who waits.
    pub(super) fn abandon(&self, err: StoreError) {
        let mut state = self.lock();
        state.failing = Some(err);
        state.is_closed = true;
        state.items.clear();
        self.drained.notify_all();
    }
}

impl<I: Pending> Queue<I> {
    /// Queues a write that no one waits for, to be done soon. While commits fail it is refused
    /// instead, and writing is retried.
    pub(super) fn append(&self, item: I) -> Result<()> {
        let mut state = self.wait_for_room();
        if let Some(err) = state.lost.take() {
            return Err(err);
        }
        self.test_commits(&mut state)?;
        self.push(&mut state, item);
        Ok(())
    }

    /// The error of the last commit, until one succeeds; writing is retried.
    pub(super) fn test(&self) -> Result<()> {
        self.test_commits(&mut self.lock())
    }

    fn test_commits(&self, state: &mut State<I>) -> Result<()> {
        let Some(err) = state.failing.clone() else { return Ok(()) };
        state.is_urgent = true;
        self.filled.notify_one();
        Err(err)
    }

    /// Queues a write to be done now; `item` makes it with the channel for its result.
    pub(super) fn commit<T>(
        &self,
        item: impl FnOnce(oneshot::Sender<Result<T>>) -> I,
    ) -> oneshot::Receiver<Result<T>> {
        let (reply, receiver) = oneshot::channel();
        let mut state = self.wait_for_room();
        let closed = state.failing.clone().filter(|_| state.is_closed);
        match state.lost.take().or(closed) {
            // The receiver still exists: this function holds it.
            Some(err) => drop(reply.send(Err(err))),
            None => {
                state.is_urgent = true;
                self.push(&mut state, item(reply));
            }
        }
        receiver
    }

    fn push(&self, state: &mut State<I>, item: I) {
        let was_idle = state.items.is_empty();
        state.bytes += item.weight();
        state.items.push(item);
        if was_idle || state.is_urgent || state.is_over(I::ENOUGH) {
            self.filled.notify_one();
        }
    }

    /// Waits for the next items to write. Returns `None` once the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Vec<I>> {
        let idle = |it: &mut State<I>| it.items.is_empty() && !it.is_urgent && !it.is_closed;
        let state = self.filled.wait_while(self.lock(), idle);
        let waits = |it: &mut State<I>| !it.is_urgent && !it.is_closed && !it.is_over(I::ENOUGH);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let waited = self.filled.wait_timeout_while(state, PATIENCE, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.items.is_empty() && state.is_closed {
            return None;
        }
        state.is_urgent = false;
        state.bytes = 0;
        self.drained.notify_all();
        Some(std::mem::take(&mut state.items))
    }
}

impl Queue<Item> {
    /// Queues an entry to be written soon.
    pub(super) fn append_entry(&self, entry: Entry) -> Result<()> {
        self.append(Item { entry: Some(entry), reply: None })
    }

    /// Queues an entry, or nothing, to be written now.
    pub(super) fn commit_entry(&self, entry: Option<Entry>) -> oneshot::Receiver<Result<()>> {
        self.commit(|reply| Item { entry, reply: Some(reply) })
    }
}
