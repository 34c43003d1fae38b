//! The pending writes of a book: each is a function over the connection of the writing thread.

use rusqlite::Connection;
use svc_contract::store::StoreError;
use tokio::sync::oneshot;

use crate::{
    error::{Result, SqlError, SqlResult},
    queue::{Pending, Queue},
};

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

/// The queue of a book.
pub(super) type JobQueue = Queue<Box<dyn Job>>;

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

impl Pending for Box<dyn Job> {
    const ENOUGH: usize = 4;

    /// Only the number of writes counts: they are small.
    fn weight(&self) -> usize {
        0
    }
}

impl JobQueue {
    /// Queues a write whose result is awaited.
    pub(super) fn write<F, T>(&self, write: F) -> oneshot::Receiver<Result<T>>
    where
        F: FnMut(&Connection) -> SqlResult<T> + Send + 'static,
        T: Send + 'static,
    {
        self.commit(|reply| Box::new(Task { write, done: None, reply: Some(reply) }))
    }

    /// Queues a write that no one waits for. Fails while the previous commit has failed.
    pub(super) fn write_soon<F>(&self, write: F) -> Result<()>
    where
        F: FnMut(&Connection) -> SqlResult<()> + Send + 'static,
    {
        self.append(Box::new(Task { write, done: None, reply: None }))
    }
}
