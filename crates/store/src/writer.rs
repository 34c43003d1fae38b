//! The one thread that writes. Everything that waits shares one transaction and one sync.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
};

use rusqlite::{Connection, TransactionBehavior, config::DbConfig};
use tokio::sync::oneshot;

use super::{
    error::{Result, StoreError, StoreErrorKind},
    insert::Batch,
    mark::{Mark, Seen},
    place::{Files, Place},
    queue::{Item, Queue},
    rows::Entry,
    whole,
};

/// What a writer writes to.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) place: Place,
    /// Which files were opened.
    pub(super) files: Option<Files>,
    /// The number that the mark names the store by.
    pub(super) store: u64,
    pub(super) mark: Option<Mark>,
    /// When the database was last looked at page by page, as long as it seems whole.
    pub(super) looked: Option<i64>,
}

/// Entries that nobody waits for, and that could not be written yet.
type Pending = Vec<Entry>;

type Told = oneshot::Sender<Result<()>>;

impl Writer {
    /// Writes whatever enters the queue, until that is closed.
    pub(super) fn spawn(self, queue: Arc<Queue>) -> Result<JoinHandle<()>> {
        let thread = thread::Builder::new().name("svc-store".to_owned());
        Ok(thread.spawn(move || {
            let run = catch_unwind(AssertUnwindSafe(|| self.run(&queue)));
            let why = if run.is_ok() { "it is closed" } else { "its writer panicked" };
            queue.abandon(StoreError::bug(why));
        })?)
    }

    fn run(mut self, queue: &Queue) {
        let mut pending = Pending::new();
        while let Some(items) = queue.next() {
            self.write(items, &mut pending, queue);
        }
        if !pending.is_empty() {
            self.write(Vec::new(), &mut pending, queue);
        }
        self.close();
    }

    /// Closing writes the log back, so only afterwards the file stays as it is.
    fn close(self) {
        let Self { connection, place, mark, looked, .. } = self;
        // What was acknowledged is in the log, from which the next one recovers it.
        let is_closed = connection.close().is_ok();
        if let (true, Some(mark), Some(file), Some(looked)) =
            (is_closed, mark, place.file(), looked)
        {
            whole::sign(&mark, file, looked);
        }
    }

    /// Commits all items, and what was pending. Where that fails, who waits is told and
    /// forgets, and what nobody waits for stays pending.
    fn write(&mut self, items: Vec<Item>, pending: &mut Pending, queue: &Queue) {
        match self.commit(pending, &items) {
            Ok(wrong) => {
                pending.clear();
                queue.report(None);
                tell_each(items, wrong, queue);
            }
            Err(err) => {
                let err = self.of_file(err);
                queue.report(Some(err.clone()));
                for Item { entry, told } in items {
                    match told {
                        Some(told) => tell(told, Err(err.clone())),
                        None => pending.extend(entry),
                    }
                }
            }
        }
    }

    /// The failure with the name of the store. Nothing of a damaged one is written over, also
    /// not when it is closed.
    fn of_file(&mut self, err: StoreError) -> StoreError {
        if err.kind == StoreErrorKind::Corrupt {
            self.looked = None;
            // The error that matters is that of the commit.
            let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
        match self.place.file() {
            Some(file) => err.at(file),
            None => err,
        }
    }

    /// One transaction. Gives the items that are wrong by themselves, with the reasons.
    fn commit(&mut self, pending: &Pending, items: &[Item]) -> Result<Vec<(usize, StoreError)>> {
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
        let commits = count(&own)?;
        own.commit()?;
        if let Some(mark) = &self.mark {
            // A mark that stays behind is no harm; the commit is made.
            let _ = mark.raise(Seen { store: self.store, commits });
        }
        Ok(wrong)
    }
}

/// Writes one entry. Gives why, where only that one is wrong.
fn attempt(batch: &mut Batch<'_>, entry: &Entry) -> Result<Option<StoreError>> {
    match batch.entry(entry) {
        Ok(()) => Ok(None),
        Err(err) if err.is_of_entry() => Ok(Some(err)),
        Err(err) => Err(err),
    }
}

/// Counts the commit that is being made.
pub(super) fn count(own: &Connection) -> Result<u64> {
    let sql = "UPDATE mark SET commits = commits + 1 WHERE one = 1 RETURNING commits";
    let commits: i64 = own.prepare_cached(sql)?.query_row([], |it| it.get(0))?;
    u64::try_from(commits).map_err(|_| StoreError::corrupt("its count of commits is negative"))
}

/// Tells everyone who waits. What went wrong with entries that nobody waits for, whoever
/// flushes is told, or else whoever comes next.
fn tell_each(items: Vec<Item>, wrong: Vec<(usize, StoreError)>, queue: &Queue) {
    let is_lost = |(idx, _): &&(usize, StoreError)| items[*idx].told.is_none();
    let mut lost = wrong.iter().find(is_lost).map(|(_, err)| err.clone());
    let for_flush = lost.clone();
    let mut wrong = wrong.into_iter().peekable();
    for (idx, item) in items.into_iter().enumerate() {
        let own = wrong.next_if(|(at, _)| *at == idx).map(|(_, err)| err);
        let Some(told) = item.told else { continue };
        let is_flush = item.entry.is_none();
        let err = own.or_else(|| for_flush.clone().filter(|_| is_flush));
        if is_flush {
            lost = None;
        }
        tell(told, err.map_or(Ok(()), Err));
    }
    if let Some(err) = lost {
        queue.lose(err);
    }
}

/// Whoever no longer waits need not be told.
fn tell(told: Told, how: Result<()>) {
    let _ = told.send(how);
}
