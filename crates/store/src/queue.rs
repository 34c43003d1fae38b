//! What waits to be written, between those who append and the one who writes.
//!
//! Nobody who appends waits for the disk, unless so much waits already that memory would
//! run full. Who wants to be told shares one commit with everyone who came before.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

use super::{
    error::{Result, StoreError},
    rows::Entry,
};

/// How long an appended entry waits for others.
const PATIENCE: Duration = Duration::from_millis(20);

/// So much at most waits, in entries and in bytes.
const MOST_ENTRIES: usize = 16_384;
const MOST_BYTES: usize = 64 << 20;

/// From half of that on, writing begins at once.
const ENOUGH: usize = 2;

/// An entry, and who wants to be told of it.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Option<Entry>,
    pub(super) told: Option<oneshot::Sender<Result<()>>>,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Something is to be written.
    filled: Condvar,
    /// There is room again.
    drained: Condvar,
}

#[derive(Debug, Default)]
struct State {
    items: Vec<Item>,
    bytes: usize,
    /// Somebody waits for a commit.
    is_urgent: bool,
    /// Nothing more comes.
    is_closed: bool,
    /// Why the last commit failed, until one succeeds.
    failing: Option<StoreError>,
    /// What was wrong with an entry that nobody waited for.
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

    /// Leaves an entry to be written soon. While commits fail it is refused instead, and
    /// writing is tried anew.
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
        self.push(&mut state, Item { entry: Some(entry), told: None });
        Ok(())
    }

    /// Leaves an entry, or nothing, to be written now.
    pub(super) fn commit(&self, entry: Option<Entry>) -> oneshot::Receiver<Result<()>> {
        let (told, receiver) = oneshot::channel();
        let mut state = self.wait_for_room();
        let closed = state.failing.clone().filter(|_| state.is_closed);
        match state.lost.take().or(closed) {
            // The receiver is in this function's own hands.
            Some(err) => drop(told.send(Err(err))),
            None => {
                state.is_urgent = true;
                self.push(&mut state, Item { entry, told: Some(told) });
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

    /// Waits for what is to be written next. Nothing once the queue is closed and empty.
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

    /// Says how the last commit went.
    pub(super) fn report(&self, failing: Option<StoreError>) {
        self.lock().failing = failing;
    }

    /// Keeps what was wrong with an entry for whoever comes next.
    pub(super) fn lose(&self, err: StoreError) {
        self.lock().lost = Some(err);
    }

    /// Nothing more comes.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
        self.drained.notify_all();
    }

    /// The writer is gone: whoever waits is told so.
    pub(super) fn abandon(&self, err: StoreError) {
        let mut state = self.lock();
        state.failing = Some(err);
        state.is_closed = true;
        state.items.clear();
        self.drained.notify_all();
    }
}
