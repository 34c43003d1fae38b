//! The writing thread. All pending entries share one transaction and one sync.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
};

use rusqlite::{Connection, Transaction, TransactionBehavior, config::DbConfig};
use svc_contract::store::{Entry, StoreError, StoreErrorKind};
use tokio::sync::oneshot;

use super::{
    error::{Result, SqlError, SqlResult},
    insert::Batch,
    mark::{Mark, Seen},
    place::{Files, Place},
    queue::{Item, Queue},
    whole,
};

/// The target of a writer.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) place: Place,
    /// The files that were opened.
    pub(super) files: Option<Files>,
    /// The identity of the store in the mark.
    pub(super) store: u64,
    pub(super) mark: Option<Mark>,
    /// The time of the last page-by-page check, as long as the database seems intact.
    pub(super) looked: Option<i64>,
}

/// Entries whose result is not awaited, and that could not be written yet.
type Pending = Vec<Entry>;

type Reply = oneshot::Sender<Result<()>>;

impl Writer {
    /// Writes everything from the queue, until it is closed.
    pub(super) fn spawn(self, queue: Arc<Queue<Item>>) -> Result<JoinHandle<()>> {
        let thread = thread::Builder::new().name("svc-store".to_owned());
        Ok(thread.spawn(move || {
            let run = catch_unwind(AssertUnwindSafe(|| self.run(&queue)));
            let why = if run.is_ok() { "it is closed" } else { "its writer panicked" };
            queue.abandon(StoreError::bug(why));
        })?)
    }

    fn run(mut self, queue: &Queue<Item>) {
        let mut pending = Pending::new();
        while let Some(items) = queue.next() {
            self.write(items, &mut pending, queue);
        }
        if !pending.is_empty() {
            self.write(Vec::new(), &mut pending, queue);
        }
        self.close();
    }

    /// Closing writes the log back, so the file is final only afterwards.
    pub(super) fn close(self) {
        let Self { connection, place, mark, looked, .. } = self;
        // Acknowledged commits are in the log, from which the next process recovers them.
        let is_closed = connection.close().is_ok();
        if let (true, Some(mark), Some(file), Some(looked)) =
            (is_closed, mark, place.file(), looked)
        {
            whole::sign(&mark, file, looked);
        }
    }

    /// Commits all items, and the pending entries. If that fails, awaited items are reported
    /// and dropped, and the others stay pending.
    fn write(&mut self, items: Vec<Item>, pending: &mut Pending, queue: &Queue<Item>) {
        match self.commit(pending, &items) {
            Ok(wrong) => {
                pending.clear();
                queue.report(None);
                answer_each(items, wrong, queue);
            }
            Err(SqlError(err)) => {
                let err = self.of_file(err);
                queue.report(Some(err.clone()));
                for Item { entry, reply } in items {
                    match reply {
                        Some(reply) => answer(reply, Err(err.clone())),
                        None => pending.extend(entry),
                    }
                }
            }
        }
    }

    /// A damaged file is not overwritten, not even when it is closed.
    pub(super) fn keep_if_damaged(&mut self, err: &StoreError) {
        if err.kind == StoreErrorKind::Corrupt {
            self.looked = None;
            // The error of the commit matters.
            let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }

    /// Adds the name of the store to an error. A damaged store is not overwritten.
    fn of_file(&mut self, err: StoreError) -> StoreError {
        self.keep_if_damaged(&err);
        match self.place.file() {
            Some(file) => err.at(file),
            None => err,
        }
    }

    /// Runs one transaction. Returns the items that are invalid by themselves, with the
    /// reasons.
    fn commit(&mut self, pending: &Pending, items: &[Item]) -> SqlResult<Vec<(usize, StoreError)>> {
        self.place.is_still(self.files)?;
        let own = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut batch = Batch::new(&own, &self.place);
        for entry in pending {
            attempt(&mut batch, entry)?;
        }
        let mut wrong = Vec::new();
        for (idx, item) in items.iter().enumerate() {
            let Some(entry) = &item.entry else { continue };
            if let Some(err) = attempt(&mut batch, entry)? {
                wrong.push((idx, err));
            }
        }
        committed(own, self.mark.as_ref(), self.store)?;
        Ok(wrong)
    }
}

/// Writes one entry. Returns an error if only this entry is invalid.
fn attempt(batch: &mut Batch<'_>, entry: &Entry) -> SqlResult<Option<StoreError>> {
    match batch.entry(entry) {
        Ok(()) => Ok(None),
        Err(SqlError(err)) if err.is_of_entry() => Ok(Some(err)),
        Err(err) => Err(err),
    }
}

/// Counts and commits a transaction, and raises the mark.
pub(super) fn committed(own: Transaction<'_>, mark: Option<&Mark>, store: u64) -> SqlResult<()> {
    let commits = count(&own)?;
    own.commit()?;
    if let Some(mark) = mark {
        // A mark that stays behind does no harm; the commit is done.
        let _ = mark.raise(Seen { store, commits });
    }
    Ok(())
}

/// Counts the current commit.
pub(super) fn count(own: &Connection) -> SqlResult<u64> {
    let sql = "UPDATE mark SET commits = commits + 1 WHERE one = 1 RETURNING commits";
    let commits: i64 = own.prepare_cached(sql)?.query_row([], |it| it.get(0))?;
    Ok(u64::try_from(commits)
        .map_err(|_| StoreError::corrupt("its count of commits is negative"))?)
}

/// Reports to everyone who waits. Errors of entries without a waiter are reported to the next
/// flush, or else to the next caller.
fn answer_each(items: Vec<Item>, wrong: Vec<(usize, StoreError)>, queue: &Queue<Item>) {
    let is_lost = |(idx, _): &&(usize, StoreError)| items[*idx].reply.is_none();
    let mut lost = wrong.iter().find(is_lost).map(|(_, err)| err.clone());
    let for_flush = lost.clone();
    let mut wrong = wrong.into_iter().peekable();
    for (idx, item) in items.into_iter().enumerate() {
        let own = wrong.next_if(|(at, _)| *at == idx).map(|(_, err)| err);
        let Some(reply) = item.reply else { continue };
        let is_flush = item.entry.is_none();
        let err = own.or_else(|| for_flush.clone().filter(|_| is_flush));
        if is_flush {
            lost = None;
        }
        answer(reply, err.map_or(Ok(()), Err));
    }
    if let Some(err) = lost {
        queue.lose(err);
    }
}

/// The receiver may have been dropped.
fn answer(reply: Reply, how: Result<()>) {
    let _ = reply.send(how);
}
