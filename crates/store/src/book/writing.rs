//! The writing thread of a book. All pending writes share one transaction and one sync.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
};

use rusqlite::{TransactionBehavior, config::DbConfig};
use svc_contract::store::{StoreError, StoreErrorKind};

use super::{
    failure,
    jobs::{Jobs, Queue},
};
use crate::{
    error::{Result, SqlError, SqlResult},
    mark::Seen,
    whole,
    writer::{Writer, count},
};

/// Writes everything from the queue, until it is closed.
pub(super) fn spawn(writer: Writer, queue: Arc<Queue>) -> Result<JoinHandle<()>> {
    let thread = thread::Builder::new().name("svc-book".to_owned());
    Ok(thread.spawn(move || {
        let run = catch_unwind(AssertUnwindSafe(|| run(writer, &queue)));
        let why = if run.is_ok() { "it is closed" } else { "its writer panicked" };
        queue.abandon(StoreError::bug(why));
    })?)
}

fn run(mut writer: Writer, queue: &Queue) {
    // Writes that no one waits for, and that could not be done yet.
    let mut pending = Jobs::new();
    while let Some(jobs) = queue.next() {
        pending = write(&mut writer, pending, jobs, queue);
    }
    if !pending.is_empty() {
        write(&mut writer, pending, Jobs::new(), queue);
    }
    close(writer);
}

/// Closing writes the log back, so the file is final only afterwards.
fn close(writer: Writer) {
    let Writer { connection, place, mark, looked, .. } = writer;
    let is_closed = connection.close().is_ok();
    if let (true, Some(mark), Some(file), Some(looked)) = (is_closed, mark, place.file(), looked) {
        whole::sign(&mark, file, looked);
    }
}

/// Commits all writes. If that fails, those with a waiter are reported, and the others stay pending.
fn write(writer: &mut Writer, mut pending: Jobs, jobs: Jobs, queue: &Queue) -> Jobs {
    pending.extend(jobs);
    match commit(writer, &mut pending) {
        Ok(()) => {
            queue.report(None);
            for job in pending {
                job.answer(Ok(()));
            }
            Jobs::new()
        }
        Err(SqlError(err)) => {
            let err = of_file(writer, err);
            queue.report(Some(err.clone()));
            let (awaited, rest): (Jobs, Jobs) = pending.into_iter().partition(|it| it.is_awaited());
            for job in awaited {
                job.answer(Err(err.clone()));
            }
            rest
        }
    }
}

/// A damaged file is not overwritten, not even when it is closed.
fn of_file(writer: &mut Writer, err: StoreError) -> StoreError {
    if err.kind == StoreErrorKind::Corrupt {
        writer.looked = None;
        // The error of the commit matters.
        let _ = writer.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
    failure::of_book(err, writer.place.file())
}

/// Runs one transaction. A write that is wrong by itself is undone, and keeps its error.
fn commit(writer: &mut Writer, jobs: &mut Jobs) -> SqlResult<()> {
    writer.place.is_still(writer.files)?;
    let own = writer.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in jobs.iter_mut() {
        own.prepare_cached("SAVEPOINT job")?.execute([])?;
        if let Err(SqlError(err)) = job.run(&own) {
            if !err.is_of_entry() {
                return Err(err.into());
            }
            own.prepare_cached("ROLLBACK TO job")?.execute([])?;
        }
        own.prepare_cached("RELEASE job")?.execute([])?;
    }
    let commits = count(&own)?;
    own.commit()?;
    if let Some(mark) = &writer.mark {
        // A mark that stays behind does no harm; the commit is done.
        let _ = mark.raise(Seen { store: writer.store, commits });
    }
    Ok(())
}
