//! Jobs: runs that wait for their turn, and questions that wait for a person.
//!
//! A job is queued in the book of the service, and a worker starts its run when it gets to it. What
//! was accepted survives the process: a job whose process has died is taken again, and its run is
//! resumed, so that nothing is paid or written twice. A run that asks a person ends its work in the
//! process, and is resumed with the answer.
//!
//! Every lookup is by owner and id: the job of another owner does not exist.

mod approvals;
mod ask;
mod follow;
mod given;
mod queue;
mod schedule;
#[cfg(test)]
mod tests;
mod work;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use svc_contract::{
    host::{
        Host,
        http::{self, Request},
    },
    store::{Claim, RunId, Store, StoreError},
};
use svc_engine::{CancellationToken, Engine};
use svc_store::book::{ApprovalRow, Book, Changed, Lease};
use tokio::sync::watch;

use crate::{Fault, Why};

pub(crate) use approvals::OfOwner;
pub(crate) use ask::{Asked, Asking, Busy, QUIET, none as asks_no_one};
pub use given::NewWork;
pub(crate) use given::{bounds_of, call_of, read};
pub(crate) use queue::{IdView, Queued, SubmittedView, VersionView, none, submission, tested};
pub(crate) use schedule::next;
pub use svc_store::book::{
    ApprovalState, AskKind, JobFilter, JobKind, JobRow, JobState, NewNote, NoteRow, ScheduleRow,
};
pub use work::run as run_workers;

/// How often a worker shows that it lives, and how long it counts as alive after that.
const BEAT: Duration = Duration::from_secs(5);
const LEASE: Duration = Duration::from_secs(20);

/// How long a question is open.
const OPEN: Duration = Duration::from_hours(72);

/// The jobs of a service. Cheap to clone.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    book: Arc<Book>,
    runs: Arc<dyn Store>,
    /// For the clock.
    engine: Engine,
    worker: RunId,
    /// Shows other processes that this worker lives.
    _alive: Box<dyn Claim>,
    /// The jobs that run here, by their places in the queue.
    held: Mutex<HashMap<i64, CancellationToken>>,
    /// Counts what happens to jobs and questions in this process.
    changed: watch::Sender<u64>,
    is_stopping: AtomicBool,
    /// Whether workers take them.
    has_workers: AtomicBool,
}

impl Jobs {
    /// The runs that jobs still need.
    pub fn needed_runs(&self) -> Result<Vec<RunId>, StoreError> {
        self.book().needed_runs()
    }

    /// The jobs of a book, whose runs are in a store; `engine` is any engine.
    pub fn open(book: Arc<Book>, runs: Arc<dyn Store>, engine: Engine) -> Result<Self, StoreError> {
        let worker = RunId::new(engine.host().now());
        let alive = book.enter_worker(&worker)?;
        let (changed, _) = watch::channel(0);
        Ok(Self(Arc::new(Inner {
            book,
            runs,
            engine,
            worker,
            _alive: alive,
            held: Mutex::default(),
            changed,
            is_stopping: AtomicBool::new(false),
            has_workers: AtomicBool::new(false),
        })))
    }

    /// Whether nothing is queued, runs, waits or is scheduled. A book that cannot be read is not idle.
    pub(crate) fn are_idle(&self) -> bool {
        self.held().is_empty() && self.book().has_work().is_ok_and(|it| !it)
    }

    /// Takes them for workers, unless others did.
    pub(crate) fn claim_workers(&self) -> bool {
        !self.0.has_workers.swap(true, Ordering::Relaxed)
    }

    /// The book, for others that keep something in it.
    pub fn shared_book(&self) -> Arc<Book> {
        self.0.book.clone()
    }

    pub fn book(&self) -> &Book {
        &self.0.book
    }

    pub(crate) fn runs(&self) -> &dyn Store {
        self.0.runs.as_ref()
    }

    pub(crate) fn shared_runs(&self) -> Arc<dyn Store> {
        self.0.runs.clone()
    }

    fn host(&self) -> &dyn Host {
        self.0.engine.host()
    }

    pub(crate) fn now(&self) -> i64 {
        self.host().now()
    }

    /// A new id with a prefix, such as `job_`.
    fn new_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", RunId::new(self.now()))
    }

    /// What happens to jobs and questions from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// The worker of this process.
    pub(crate) fn worker(&self) -> RunId {
        self.0.worker.clone()
    }

    pub(crate) fn is_own(&self, worker: &RunId) -> bool {
        *worker == self.0.worker
    }

    pub(crate) fn chance(&self) -> f64 {
        self.host().chance()
    }

    /// A time from now on.
    pub(crate) fn after(&self, time: Duration) -> i64 {
        after(self.now(), time)
    }

    /// Sends a request of the server itself.
    pub(crate) fn http(&self, request: Request) -> http::Answer {
        self.host().http(request)
    }

    pub(crate) fn lease(&self) -> Lease {
        let now = self.now();
        Lease { worker: self.0.worker.clone(), now, until: after(now, LEASE) }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<i64, CancellationToken>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports to everyone who waits that something happened.
    pub(crate) fn tell(&self) {
        self.0.changed.send_modify(|it| *it = it.wrapping_add(1));
    }

    /// Waits until something happens in this process, or for a while: another one may have changed
    /// the book.
    pub(crate) async fn next_change(changed: &mut watch::Receiver<u64>, most: Duration) {
        // The sender lives as long as the jobs.
        let _ = tokio::time::timeout(most, changed.changed()).await;
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.0.is_stopping.load(Ordering::Relaxed)
    }

    /// From now on, no job is taken, and one whose run is cancelled goes back to the queue.
    pub(crate) fn stop(&self) {
        self.0.is_stopping.store(true, Ordering::Relaxed);
        self.tell();
    }

    /// Waits until the ends of all runs of jobs are written.
    pub(crate) async fn settled(&self) {
        let mut changed = self.0.changed.subscribe();
        while !self.held().is_empty() {
            Self::next_change(&mut changed, Duration::from_millis(50)).await;
        }
    }

    /// A version of a job, or the latest one.
    pub fn job(&self, owner: &str, id: &str, version: Option<u32>) -> Result<JobRow, Fault> {
        let found = self.book().job(owner, id, version)?;
        found.ok_or_else(|| match version {
            Some(version) => Fault::not_found(format!("unknown version {version} of job `{id}`")),
            None => unknown_job(id),
        })
    }

    /// The job of a run, if it has one.
    pub fn of_run(&self, owner: &str, run: &str) -> Result<Option<JobRow>, Fault> {
        Ok(self.book().job_of_run(owner, run)?)
    }

    /// The call of an earlier job with this run.
    pub(crate) fn call_of_run(&self, owner: &str, run: &RunId) -> Option<crate::Call> {
        let row = self.of_run(owner, run.as_str()).ok()??;
        call_of(&row).ok()
    }

    /// The result of a job.
    pub fn result(&self, job: &JobRow) -> Result<Option<svc_contract::value::Value>, Fault> {
        let text = self.book().job_result(job.no)?;
        text.map(|it| given::read(&it)).transpose()
    }

    /// Waits until a job has ended or waits for a person, at most for a while.
    pub async fn ended(&self, owner: &str, id: &str, most: Duration) -> Result<JobRow, Fault> {
        let mut changed = self.0.changed.subscribe();
        let until = tokio::time::Instant::now() + most;
        loop {
            let row = self.job(owner, id, None)?;
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            let waits = row.state == JobState::Waiting && !row.is_ready;
            if row.state.is_over() || waits || left.is_zero() {
                return Ok(row);
            }
            Self::next_change(&mut changed, left.min(Duration::from_millis(500))).await;
        }
    }

    /// Cancels a job that has not ended: what runs ends, and nothing new starts.
    pub async fn cancel(&self, owner: &str, id: &str) -> Result<JobRow, Fault> {
        let changed = self.book().cancel(owner.to_owned(), id.to_owned(), self.now()).await?;
        let row = done(changed, id, "cancelled")?;
        if let Some(cancel) = self.held().get(&row.no) {
            cancel.cancel();
        }
        self.tell();
        Ok(row)
    }

    /// Archives a job that has ended.
    pub async fn archive(&self, owner: &str, id: &str) -> Result<JobRow, Fault> {
        let changed = self.book().archive(owner.to_owned(), id.to_owned()).await?;
        done(changed, id, "archived")
    }

    /// The jobs of an owner, the latest first.
    pub fn list(&self, owner: &str, filter: &JobFilter) -> Result<Vec<JobRow>, Fault> {
        Ok(self.book().jobs(owner, filter)?)
    }

    /// Adds a note to a job. Blocks.
    pub(crate) fn add_note(&self, note: NewNote) -> Result<(), Fault> {
        Ok(self.book().add_note(note).wait()?)
    }

    /// The open questions of a job.
    pub fn questions(&self, job: &JobRow) -> Result<Vec<ApprovalRow>, Fault> {
        Ok(self.book().open_approvals(job.no)?)
    }
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jobs").field("worker", &self.0.worker).finish_non_exhaustive()
    }
}

fn done(changed: Changed, id: &str, what: &str) -> Result<JobRow, Fault> {
    match changed {
        Changed::Done(row) => Ok(row),
        Changed::Unknown => Err(unknown_job(id)),
        Changed::Refused(row) => {
            let state = row.state.name();
            let fault = Fault::new(
                Why::Conflict,
                format!("the job `{id}` cannot be {what}: its state is {state}"),
            );
            if row.state.is_over() {
                return Err(fault);
            }
            Err(fault.help("wait for its end, or cancel it first"))
        }
    }
}

fn unknown_job(id: &str) -> Fault {
    Fault::not_found(format!("unknown job `{id}`")).help("`job_workbench_list` lists the jobs")
}

fn after(now: i64, time: Duration) -> i64 {
    now.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}
