//! The queue of pending writes: each is a function over the connection of the writing thread.

use std::{
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::Connection;
use svc_contract::store::StoreError;
use tokio::sync::oneshot;

use crate::error::{Result, SqlError, SqlResult};

/// The time that a write without a waiter waits for others.
const PATIENCE: Duration = Duration::from_millis(20);

/// The maximum number of pending writes. Callers wait for room.
const MOST: usize = 16_384;

/// From here on, writing begins at once.
const ENOUGH: usize = MOST / 4;

/// A pending write.
pub(super) trait Job: Send {
    /// Writes, inside a transaction. May be called again after a failed commit.
    fn run(&mut self, own: &Connection) -> SqlResult<()>;

    /// Whether someone waits for the result.
    fn is_awaited(&self) -> bool;

    /// Reports the result of the commit.
    fn answer(self: Box<Self>, done: Result<()>);
}

pub(super) type Jobs = Vec<Box<dyn Job>>;

/// A write and its result.
struct Task<F, T> {
    write: F,
    done: Option<Result<T>>,
    reply: Option<oneshot::Sender<Result<T>>>,
}

impl<F, T> Job for Task<F, T>
where
    F: FnMut(&Connection) -> SqlResult<T> + Send,
    T: Send,
{
    fn run(&mut self, own: &Connection) -> SqlResult<()> {
        match (self.write)(own) {
            Ok(it) => {
                self.done = Some(Ok(it));
                Ok(())
            }
            Err(SqlError(err)) => {
                self.done = Some(Err(err.clone()));
                Err(err.into())
            }
        }
    }

    fn is_awaited(&self) -> bool {
        self.reply.is_some()
    }

    fn answer(self: Box<Self>, done: Result<()>) {
        let Self { done: own, reply, .. } = *self;
        let result = match (done, own) {
            (Err(err), _) => Err(err),
            (Ok(()), Some(own)) => own,
            (Ok(()), None) => Err(StoreError::bug("a write was not done")),
        };
        if let Some(reply) = reply {
            // The receiver may have been dropped.
            let _ = reply.send(result);
        }
    }
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    drained: Condvar,
}

#[derive(Default)]
struct State {
    jobs: Jobs,
    is_urgent: bool,
    is_closed: bool,
    /// The error of the last commit, until one succeeds.
    failing: Option<StoreError>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a write whose result is awaited.
    pub(super) fn commit<F, T>(&self, write: F) -> oneshot::Receiver<Result<T>>
    where
        F: FnMut(&Connection) -> SqlResult<T> + Send + 'static,
        T: Send + 'static,
    {
        let (reply, receiver) = oneshot::channel();
        let mut state = self.wait_for_room();
        match state.failing.clone().filter(|_| state.is_closed) {
            Some(err) => drop(reply.send(Err(err))),
            None => {
                state.jobs.push(Box::new(Task { write, done: None, reply: Some(reply) }));
                state.is_urgent = true;
                self.filled.notify_one();
            }
        }
        receiver
    }

    /// Queues a write that no one waits for. Fails while the previous commit has failed.
    pub(super) fn append<F>(&self, write: F) -> Result<()>
    where
        F: FnMut(&Connection) -> SqlResult<()> + Send + 'static,
    {
        let mut state = self.wait_for_room();
        if let Some(err) = state.failing.clone() {
            state.is_urgent = true;
            self.filled.notify_one();
            return Err(err);
        }
        let was_idle = state.jobs.is_empty();
        state.jobs.push(Box::new(Task { write, done: None, reply: None }));
        if was_idle || state.jobs.len() >= ENOUGH {
            self.filled.notify_one();
        }
        Ok(())
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        let is_full = |it: &mut State| it.jobs.len() >= MOST && !it.is_closed;
        self.drained.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next writes. Returns `None` once the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Jobs> {
        let idle = |it: &mut State| it.jobs.is_empty() && !it.is_urgent && !it.is_closed;
        let state = self.filled.wait_while(self.lock(), idle);
        let waits = |it: &mut State| !it.is_urgent && !it.is_closed && it.jobs.len() < ENOUGH;
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let waited = self.filled.wait_timeout_while(state, PATIENCE, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.jobs.is_empty() && state.is_closed {
            return None;
        }
        state.is_urgent = false;
        self.drained.notify_all();
        Some(std::mem::take(&mut state.jobs))
    }

    /// Reports the result of the last commit.
    pub(super) fn report(&self, failing: Option<StoreError>) {
        self.lock().failing = failing;
    }

    /// Closes the queue to new writes.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
        self.drained.notify_all();
    }

    /// The writer is gone: everyone who waits gets an error.
    pub(super) fn abandon(&self, err: StoreError) {
        let mut state = self.lock();
        state.failing = Some(err);
        state.is_closed = true;
        state.jobs.clear();
        self.drained.notify_all();
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("pending", &self.lock().jobs.len()).finish()
    }
}
