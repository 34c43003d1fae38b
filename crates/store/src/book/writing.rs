//! The writing thread of a book. All pending writes share one transaction and one sync.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
};

use rusqlite::TransactionBehavior;
use svc_contract::store::StoreError;

use super::{
    failure,
    jobs::{JobQueue, Jobs},
};
use crate::{
    error::{Result, SqlError, SqlResult},
    writer::{Writer, committed},
};

/// Writes everything from the queue, until it is closed.
pub(super) fn spawn(writer: Writer, queue: Arc<JobQueue>) -> Result<JoinHandle<()>> {
    let thread = thread::Builder::new().name("svc-book".to_owned());
    Ok(thread.spawn(move || {
        let run = catch_unwind(AssertUnwindSafe(|| run(writer, &queue)));
        let why = if run.is_ok() { "it is closed" } else { "its writer panicked" };
        queue.abandon(StoreError::bug(why));
    })?)
}

fn run(mut writer: Writer, queue: &JobQueue) {
    // Writes that no one waits for, and that could not be done yet.
    let mut pending = Jobs::new();
    while let Some(jobs) = queue.next() {
        pending = write(&mut writer, pending, jobs, queue);
    }
    if !pending.is_empty() {
        write(&mut writer, pending, Jobs::new(), queue);
    }
    writer.close();
}

/// Commits all writes. If that fails, those with a waiter are reported, and the others stay pending.
fn write(writer: &mut Writer, mut pending: Jobs, jobs: Jobs, queue: &JobQueue) -> Jobs {
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
            writer.keep_if_damaged(&err);
            let err = failure::of_book(err, writer.place.file());
            queue.report(Some(err.clone()));
            let (awaited, rest): (Jobs, Jobs) = pending.into_iter().partition(|it| it.is_awaited());
            for job in awaited {
                job.answer(Err(err.clone()));
            }
            rest
        }
    }
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
    committed(own, writer.mark.as_ref(), writer.store)
}
