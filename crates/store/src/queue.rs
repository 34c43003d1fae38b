//! The queue of pending writes, between the appending threads and the writing one.
//!
//! Appending does not wait for the disk, unless the queue is so full that memory would run out.
//! Those who wait for a result share one commit with all earlier entries.

use std::{
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

/// From half of that on, writing begins at once.
const ENOUGH: usize = 2;

/// An entry, and the channel for the result of its commit.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Option<Entry>,
    pub(super) reply: Option<oneshot::Sender<Result<()>>>,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Signals that entries are to be written.
    filled: Condvar,
    /// Signals that the queue has room again.
    drained: Condvar,
}

#[derive(Debug, Default)]
struct State {
    items: Vec<Item>,
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

impl State {
    fn is_over(&self, share: usize) -> bool {
        self.items.len() >= MOST_ENTRIES / share || self.bytes >= MOST_BYTES / share
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues an entry to be written soon. While commits fail it is refused instead, and
    /// writing is retried.
    pub(super) fn append(&self, entry: Entry) -> Result<()> {
        let mut state = self.wait_for_room();
        if let Some(err) = state.lost.take() {
            return Err(err);
        }
        if let Some(err) = state.failing.clone() {
            state.is_urgent = true;
            self.filled.notify_one();
            return Err(err);
        }
        self.push(&mut state, Item { entry: Some(entry), reply: None });
        Ok(())
    }

    /// Queues an entry, or nothing, to be written now.
    pub(super) fn commit(&self, entry: Option<Entry>) -> oneshot::Receiver<Result<()>> {
        let (reply, receiver) = oneshot::channel();
        let mut state = self.wait_for_room();
        let closed = state.failing.clone().filter(|_| state.is_closed);
        match state.lost.take().or(closed) {
            // The receiver still exists: this function holds it.
            Some(err) => drop(reply.send(Err(err))),
            None => {
                state.is_urgent = true;
                self.push(&mut state, Item { entry, reply: Some(reply) });
            }
        }
        receiver
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        let state = self.lock();
        let is_full = |it: &mut State| it.is_over(1) && !it.is_closed;
        self.drained.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, state: &mut State, item: Item) {
        let was_idle = state.items.is_empty();
        state.bytes += item.entry.as_ref().map_or(0, Entry::weight);
        state.items.push(item);
        if was_idle || state.is_urgent || state.is_over(ENOUGH) {
            self.filled.notify_one();
        }
    }

    /// Waits for the next items to write. Returns `None` once the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Vec<Item>> {
        let idle = |it: &mut State| it.items.is_empty() && !it.is_urgent && !it.is_closed;
        let state = self.filled.wait_while(self.lock(), idle);
        let waits = |it: &mut State| !it.is_urgent && !it.is_closed && !it.is_over(ENOUGH);
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
