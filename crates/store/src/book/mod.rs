//! The book of a service: its keys, lockouts, quotas, audit, jobs and approvals, as one `SQLite`
//! file.
//!
//! It is opened, migrated and written like a store of runs: one thread writes, pending writes share
//! one transaction and one sync, and a mark next to the file notices lost commits. Several processes
//! may use one book. All SQL of a service is here.
//!
//! Next to `service.db` is `pepper`, which only its owner can read. A copy of the database alone
//! verifies no key.

use std::{
    fmt,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread::{self, JoinHandle},
};

use rusqlite::Connection;
use svc_contract::{
    host::Host,
    store::{Claim, RunId, StoreError},
};
use tokio::{runtime::Handle, sync::oneshot};

use self::jobs::JobQueue;
use crate::{
    Options, abandoned,
    claim::Claims,
    error::{Result, SqlResult},
    open,
    place::Place,
    pool::{Access, Pool},
    schema::Tables,
};

mod audit;
mod bias_log;
mod biases;
mod bugs;
mod desk;
mod failure;
mod hooks;
mod jobs;
mod keys;
mod locks;
mod memory;
mod once;
mod pepper;
mod quotas;
#[cfg(test)]
mod tests;
mod work;
mod writing;

pub use audit::{AuditHead, AuditRow, Break};
pub use biases::{
    BiasEntry, BiasResult, BiasRow, BiasScore, BiasVersion, Change, Changing, Frontier,
    MOST_SCORES, MOST_TRACES,
};
pub use bugs::{BugChange, BugRow, MOST_BUGS, MOST_COMMENTS};
pub use desk::{DeskAdded, DeskFilter, DeskKind, DeskRow, NewDeskRow};
pub use hooks::{HookForm, HookRow};
pub use keys::{KeyRow, Rotation};
pub use locks::LockRow;
pub use memory::{KeptNote, MOST_NOTES};
pub use once::{OnceAnswer, OnceKey, OnceRow};
pub use pepper::Pepper;
pub use quotas::{Reserved, TakenCalls};
pub use work::{
    Answered, ApprovalEvent, ApprovalRow, ApprovalState, AskKind, Changed, DeliveryEvent,
    DeliveryFilter, DeliveryRow, DeliveryState, Finish, Fired, JobEvent, JobFilter, JobKind,
    JobRow, JobState, Lease, MOST_DEATHS, MOST_QUEUED, MOST_SCHEDULES, NewApproval, NewJob,
    NewNote, NoteRow, ScheduleRow, Submitted, TRIED_FOR, Tried,
};

/// The name of the database in its folder.
const FILE: &str = "service.db";

/// The name of the file with the pepper.
const PEPPER: &str = "pepper";

/// Its tables: "svcb".
const TABLES: Tables<'static> = Tables {
    application: 0x7376_6362,
    migrations: &[
        include_str!("schema/1.sql"),
        include_str!("schema/2.sql"),
        include_str!("schema/3.sql"),
        include_str!("schema/4.sql"),
        include_str!("schema/5.sql"),
        include_str!("schema/6.sql"),
        include_str!("schema/7.sql"),
        include_str!("schema/8.sql"),
    ],
};

/// An open book. Dropping it writes everything that is pending.
#[derive(Debug)]
pub struct Book {
    file: Option<PathBuf>,
    queue: Arc<JobQueue>,
    writer: Option<JoinHandle<()>>,
    pool: Pool,
    pepper: Pepper,
    place: Place,
    /// The workers of this process, if the book is in memory.
    claims: Claims,
}

/// The pending result of a write: a future, or [`Written::wait`] outside of async code. It resolves
/// once the write is durable.
#[must_use = "a write that is not awaited may fail unnoticed"]
pub struct Written<T>(oneshot::Receiver<Result<T>>);

impl Book {
    /// Opens the book in a folder, and creates it if necessary.
    pub fn open(folder: &Path, host: &dyn Host) -> Result<Self> {
        Self::open_with(folder, host, None)
    }

    /// Opens it with a maximum number of pages of 4096 bytes.
    pub fn open_with(folder: &Path, host: &dyn Host, page_limit: Option<u32>) -> Result<Self> {
        let file = folder.join(FILE);
        let options = Options { now: host.now(), page_limit };
        let opened = open::file_of(&TABLES, &file, options).map_err(StoreError::from);
        let started = opened.and_then(|writer| {
            let is_new = pepper::is_new(&writer.connection)?;
            let pepper = Pepper::open(&folder.join(PEPPER), host, is_new)?;
            pepper::compare(&writer.connection, &pepper)?;
            Self::start(writer, pepper)
        });
        started.map_err(|err| failure::of_book(err, Some(&file)))
    }

    /// Opens a book in memory, which ends with the process.
    pub fn in_memory(host: &dyn Host) -> Result<Self> {
        let options = Options { now: host.now(), ..Options::default() };
        Self::start(open::memory_of(&TABLES, options)?, Pepper::new(host)?)
    }

    /// The file of the book in a folder.
    pub fn file_in(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    fn start(writer: crate::writer::Writer, pepper: Pepper) -> Result<Self> {
        let own = &writer.connection;
        let is_unsealed =
            own.query_row("SELECT EXISTS (SELECT 1 FROM unsealed)", [], |it| it.get(0));
        if is_unsealed.map_err(crate::error::SqlError::from)? {
            audit::seal_empty(own, &pepper)?;
            bias_log::seal_empty(own, &pepper)?;
            own.execute("DELETE FROM unsealed", []).map_err(crate::error::SqlError::from)?;
        }
        let place = writer.place.clone();
        let file = place.file().map(Path::to_owned);
        let queue = Arc::new(JobQueue::default());
        let pool = Pool::new(place.clone(), Access::Sharing)?;
        let writer = Some(writing::spawn(writer, queue.clone())?);
        Ok(Self { file, queue, writer, pool, pepper, place, claims: Claims::default() })
    }

    /// The file, unless the book is in memory.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    pub fn pepper(&self) -> &Pepper {
        &self.pepper
    }

    /// Says that a worker lives, until the claim is dropped or its process ends.
    pub fn enter_worker(&self, worker: &RunId) -> Result<Box<dyn Claim>> {
        Ok(Box::new(self.claims.take(&self.place, worker)?))
    }

    /// Whether a worker lives on this machine.
    pub fn is_alive(&self, worker: &RunId) -> Result<bool> {
        self.claims.is_taken(&self.place, worker)
    }

    /// Waits until everything that was written before is durable.
    pub fn flush(&self) -> Written<()> {
        self.write(|_| Ok(()))
    }

    /// The number of changes of one kind of thing, by any process.
    fn changes(&self, what: &'static str) -> Result<u64> {
        self.read(|it| {
            let sql = "SELECT count FROM changes WHERE what = ?1";
            let count: i64 = it.prepare_cached(sql)?.query_row([what], |it| it.get(0))?;
            Ok(count.cast_unsigned())
        })
    }

    fn write<T: Send + 'static>(
        &self,
        write: impl FnMut(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Written<T> {
        Written(self.queue.write(write))
    }

    fn append(
        &self,
        write: impl FnMut(&Connection) -> SqlResult<()> + Send + 'static,
    ) -> Result<()> {
        self.queue.write_soon(write)
    }

    /// Why nothing can be written at present; that is tried again.
    pub fn test_writing(&self) -> Result<()> {
        self.queue.test()
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> SqlResult<T>) -> Result<T> {
        let found = self.pool.reader().and_then(|it| read(&it));
        found.map_err(|err| failure::of_book(err.into(), self.file()))
    }
}

/// Notes that something changed, for other processes.
fn changed(own: &Connection, what: &str) -> SqlResult<()> {
    own.prepare_cached("UPDATE changes SET count = count + 1 WHERE what = ?1")?.execute([what])?;
    Ok(())
}

impl Drop for Book {
    fn drop(&mut self) {
        self.pool.close();
        self.queue.close();
        if let Some(writer) = self.writer.take() {
            // The thread catches its own panics, and has reported to everyone who waits.
            let _ = writer.join();
        }
    }
}

impl<T: Send> Written<T> {
    /// Blocks this thread. In async code, await the result instead.
    pub fn wait(self) -> Result<T> {
        let wait = || self.0.blocking_recv().unwrap_or_else(|_| Err(abandoned()));
        match Handle::try_current() {
            Err(_) => wait(),
            // A thread that drives async code must not block on a channel itself.
            Ok(_) => thread::scope(|it| it.spawn(wait).join().unwrap_or_else(|_| Err(abandoned()))),
        }
    }
}

impl<T> Future for Written<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|it| it.unwrap_or_else(|_| Err(abandoned())))
    }
}

impl<T> fmt::Debug for Written<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Written(..)")
    }
}
