//! The queue of jobs: work that waits for its turn, who works on it, and what became of it.
//!
//! A job is a run that a worker starts when it gets to it. Each refinement is a version of its own.
//! A worker holds a lease, which it renews as long as it lives; a job whose worker has died is taken
//! by another one, which resumes the run. Every change of state is one transaction, and
//! [`JobState::next`] decides it: of two that contradict each other, the second one does nothing.

mod approvals;
mod deliveries;
mod list;
mod rows;
mod schedules;
mod state;

use rusqlite::{Connection, OptionalExtension as _, params};
use svc_contract::{registry::Usage, store::RunId};

use self::rows::{JOB, by_id, by_no, job};
use super::{Book, Written};
use crate::error::{Result, SqlResult};

pub use approvals::{Answered, NewApproval};
pub use deliveries::{DeliveryEvent, DeliveryFilter, DeliveryRow, DeliveryState, TRIED_FOR, Tried};
pub(super) use list::of_session;
pub use list::{JobFilter, NewNote, NoteRow};
pub use rows::{ApprovalRow, AskKind, JobKind, JobRow, NewJob};
pub use schedules::{Fired, MOST_SCHEDULES, ScheduleRow};
pub use state::{ApprovalEvent, ApprovalState, JobEvent, JobState, MOST_DEATHS};

/// The most queued jobs of an owner.
pub const MOST_QUEUED: u32 = 1000;

/// What became of a job that is to be queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submitted {
    Queued(Box<JobRow>),
    /// Its owner has too many queued jobs.
    Full,
    /// The version before it has not ended; this is its state.
    Busy(JobState),
}

/// A worker on a job.
#[derive(Clone, Debug)]
pub struct Lease {
    pub worker: RunId,
    pub now: i64,
    /// When it ends without another sign of life.
    pub until: i64,
}

/// The end of a job.
#[derive(Clone, Debug)]
pub struct Finish {
    pub event: JobEvent,
    /// The result, as JSON.
    pub result: Option<String>,
    /// Why there is none, as JSON.
    pub error: Option<String>,
    pub used: Usage,
    pub at: i64,
}

/// What became of a change of state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    Done(JobRow),
    /// It cannot happen in the state of the job.
    Refused(JobRow),
    Unknown,
}

impl Book {
    /// Queues a job, unless its owner has too many: the first version, or one after a version that
    /// has ended.
    pub fn submit(&self, new: NewJob) -> Written<Submitted> {
        self.write(move |own| {
            if queued(own, &new.owner)? >= MOST_QUEUED {
                return Ok(Submitted::Full);
            }
            let last = by_id(own, &new.owner, &new.id, None)?;
            if let Some(state) = last.as_ref().map(|it| it.state).filter(|it| !it.is_over()) {
                return Ok(Submitted::Busy(state));
            }
            let version = last.map_or(1, |it| it.version.saturating_add(1));
            insert(own, &new, version, None).map(|it| Submitted::Queued(Box::new(it)))
        })
    }

    /// Adds a job whose run has begun already.
    pub fn adopt(&self, new: NewJob, lease: Lease) -> Written<JobRow> {
        self.write(move |own| insert(own, &new, 1, Some(&lease)))
    }

    /// Gives the next job to a worker.
    pub fn take(&self, lease: Lease) -> Written<Option<JobRow>> {
        self.write(move |own| {
            let sql = format!("{JOB} WHERE ready = 1 ORDER BY no LIMIT 1");
            let next = own.prepare_cached(&sql)?.query_row([], job).optional()?;
            let Some(row) = next else { return Ok(None) };
            let Some(state) = row.state.next(JobEvent::Taken) else { return Ok(None) };
            own.prepare_cached(
                "UPDATE jobs SET state = ?2, ready = 0, worker = ?3, lease = ?4,
                    attempts = attempts + 1, started = coalesce(started, ?5) WHERE no = ?1",
            )?
            .execute(params![
                row.no,
                state.name(),
                lease.worker.as_str(),
                lease.until,
                lease.now
            ])?;
            by_no(own, row.no)
        })
    }

    /// Notes that the run of a job is in the store.
    pub fn note_begun(&self, no: i64) -> Result<()> {
        self.append(move |own| {
            own.prepare_cached("UPDATE jobs SET begun = 1 WHERE no = ?1")?.execute([no])?;
            Ok(())
        })
    }

    /// Renews the leases of a worker. Returns those that it still has: a job may have been
    /// cancelled, or taken by another worker.
    pub fn beat(&self, lease: Lease, jobs: Vec<i64>) -> Written<Vec<i64>> {
        self.write(move |own| {
            let sql = "UPDATE jobs SET lease = ?3 WHERE no = ?1 AND worker = ?2";
            let mut renew = own.prepare_cached(sql)?;
            let mut held = Vec::new();
            for no in &jobs {
                if renew.execute(params![no, lease.worker.as_str(), lease.until])? > 0 {
                    held.push(*no);
                }
            }
            Ok(held)
        })
    }

    /// Ends a job, if the worker still has it. Returns whether it had.
    pub fn finish(&self, no: i64, worker: RunId, finish: Finish) -> Written<bool> {
        self.write(move |own| {
            let Some(row) = held(own, no, &worker)? else { return Ok(false) };
            let Some(state) = row.state.next(finish.event) else { return Ok(false) };
            own.prepare_cached(
                "UPDATE jobs SET state = ?2, worker = NULL, lease = NULL, ended = ?3, error = ?4,
                    tokens = ?5, cost = ?6 WHERE no = ?1",
            )?
            .execute(params![
                no,
                state.name(),
                finish.at,
                finish.error,
                i64::try_from(finish.used.tokens).unwrap_or(i64::MAX),
                finish.used.cost.nanos(),
            ])?;
            if let Some(result) = &finish.result {
                let sql = "INSERT OR REPLACE INTO job_results (job, value) VALUES (?1, ?2)";
                own.prepare_cached(sql)?.execute(params![no, result])?;
            }
            approvals::drop_open(own, no, finish.at)?;
            deliveries::add(own, no, state, finish.at)?;
            Ok(true)
        })
    }

    /// Lets a job wait for the answers of persons. If one of them has come meanwhile, a worker may
    /// take it at once.
    pub fn park(&self, no: i64, worker: RunId, asked: Vec<String>, at: i64) -> Written<bool> {
        self.write(move |own| {
            let Some(row) = held(own, no, &worker)? else { return Ok(false) };
            let Some(state) = row.state.next(JobEvent::Asked) else { return Ok(false) };
            let mut is_ready = asked.is_empty();
            for id in &asked {
                is_ready |= !approvals::is_open(own, id)?;
            }
            own.prepare_cached(
                "UPDATE jobs SET state = ?2, ready = ?3, worker = NULL, lease = NULL WHERE no = ?1",
            )?
            .execute(params![no, state.name(), is_ready])?;
            if !is_ready {
                deliveries::add(own, no, state, at)?;
            }
            Ok(true)
        })
    }

    /// Gives a job back, so that another worker takes it.
    pub fn release(&self, no: i64, worker: RunId) -> Written<bool> {
        self.write(move |own| {
            let Some(row) = held(own, no, &worker)? else { return Ok(false) };
            return_to_queue(own, &row, JobEvent::Released, 0)
        })
    }

    /// Takes jobs from workers that gave no sign of life until `now`, and from those that are
    /// `gone`. A job whose worker died too often is stuck since `at`.
    pub fn reclaim(&self, now: i64, gone: Vec<RunId>, at: i64) -> Written<Vec<JobRow>> {
        self.write(move |own| {
            let sql = format!("{JOB} WHERE state = 'running' ORDER BY no");
            let running: Vec<JobRow> =
                own.prepare_cached(&sql)?.query_map([], job)?.collect::<rusqlite::Result<_>>()?;
            let is_dead = |row: &&JobRow| {
                row.lease.is_none_or(|it| it <= now)
                    || row.worker.as_ref().is_none_or(|it| gone.contains(it))
            };
            let mut died = Vec::new();
            for row in running.iter().filter(is_dead) {
                let too_often = row.deaths >= MOST_DEATHS;
                return_to_queue(own, row, JobEvent::Died { too_often }, at)?;
                died.extend(by_no(own, row.no)?);
            }
            Ok(died)
        })
    }

    /// The workers that have jobs, and when the first lease of each ends.
    pub fn leases(&self) -> Result<Vec<(RunId, i64)>> {
        self.read(|it| {
            let sql = "SELECT worker, min(lease) FROM jobs WHERE state = 'running' GROUP BY worker";
            let mut found = it.prepare_cached(sql)?;
            let all = found.query_map([], |it| Ok((it.get::<_, String>(0)?, it.get(1)?)))?;
            let all = all.collect::<rusqlite::Result<Vec<_>>>()?;
            let known = |(name, until): (String, i64)| Some((RunId::parse(&name).ok()?, until));
            Ok(all.into_iter().filter_map(known).collect())
        })
    }

    /// The jobs of a worker, by their places in the queue.
    pub fn held_by(&self, worker: &RunId) -> Result<Vec<i64>> {
        self.read(|it| {
            let sql = "SELECT no FROM jobs WHERE state = 'running' AND worker = ?1";
            let mut found = it.prepare_cached(sql)?;
            let rows = found.query_map([worker.as_str()], |it| it.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The runs of the jobs that have not ended, and those whose calls these take over.
    pub fn needed_runs(&self) -> Result<Vec<RunId>> {
        self.read(|it| {
            let sql = "WITH going AS (SELECT no, parent FROM jobs
                    WHERE state IN ('queued', 'running', 'waiting'))
                SELECT run FROM jobs
                WHERE no IN (SELECT no FROM going UNION SELECT parent FROM going)";
            let mut found = it.prepare_cached(sql)?;
            let rows = found.query_map([], |it| it.get::<_, String>(0))?;
            let names: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
            Ok(names.iter().filter_map(|it| RunId::parse(it).ok()).collect())
        })
    }

    /// Whether there is a job that has not ended, a schedule, or something to be sent.
    pub fn has_work(&self) -> Result<bool> {
        self.read(|it| {
            let sql = "SELECT EXISTS (SELECT 1 FROM jobs
                    WHERE state IN ('queued', 'running', 'waiting'))
                OR EXISTS (SELECT 1 FROM schedules)
                OR EXISTS (SELECT 1 FROM deliveries WHERE state = 'pending')";
            Ok(it.prepare_cached(sql)?.query_row([], |it| it.get(0))?)
        })
    }

    /// Whether a worker may take a job.
    pub fn has_ready(&self) -> Result<bool> {
        self.read(|it| {
            let sql = "SELECT EXISTS (SELECT 1 FROM jobs WHERE ready = 1)";
            Ok(it.prepare_cached(sql)?.query_row([], |it| it.get(0))?)
        })
    }

    /// Ends a job that has not ended.
    pub fn cancel(&self, owner: String, id: String, now: i64) -> Written<Changed> {
        self.write(move |own| {
            let Some(row) = by_id(own, &owner, &id, None)? else { return Ok(Changed::Unknown) };
            let Some(state) = row.state.next(JobEvent::Cancelled) else {
                return Ok(Changed::Refused(row));
            };
            own.prepare_cached(
                "UPDATE jobs SET state = ?2, ready = 0, worker = NULL, lease = NULL, ended = ?3
                    WHERE no = ?1",
            )?
            .execute(params![row.no, state.name(), now])?;
            approvals::drop_open(own, row.no, now)?;
            deliveries::add(own, row.no, state, now)?;
            Ok(by_no(own, row.no)?.map_or(Changed::Unknown, Changed::Done))
        })
    }

    /// Archives a job with all its versions, if the latest one has ended.
    pub fn archive(&self, owner: String, id: String) -> Written<Changed> {
        self.write(move |own| {
            let Some(row) = by_id(own, &owner, &id, None)? else { return Ok(Changed::Unknown) };
            let Some(state) = row.state.next(JobEvent::Archived) else {
                return Ok(Changed::Refused(row));
            };
            let sql = "UPDATE jobs SET state = ?3 WHERE id = ?1 AND owner = ?2";
            own.prepare_cached(sql)?.execute(params![id, owner, state.name()])?;
            Ok(by_no(own, row.no)?.map_or(Changed::Unknown, Changed::Done))
        })
    }
}

/// The number of queued jobs of an owner.
fn queued(own: &Connection, owner: &str) -> SqlResult<u32> {
    let sql = "SELECT count(*) FROM jobs WHERE ready = 1 AND state = 'queued' AND owner = ?1";
    Ok(own.prepare_cached(sql)?.query_row([owner], |it| it.get(0))?)
}

/// A job that the worker still has.
fn held(own: &Connection, no: i64, worker: &RunId) -> SqlResult<Option<JobRow>> {
    Ok(by_no(own, no)?.filter(|it| it.worker.as_ref() == Some(worker)))
}

fn return_to_queue(own: &Connection, row: &JobRow, event: JobEvent, at: i64) -> SqlResult<bool> {
    let Some(state) = row.state.next(event) else { return Ok(false) };
    let has_died = matches!(event, JobEvent::Died { .. });
    let error = (state == JobState::Stuck).then(|| {
        format!(
            "{{\"kind\":\"failed\",\"message\":\"the process that ran it has died {} times\"}}",
            row.deaths + 1
        )
    });
    own.prepare_cached(
        "UPDATE jobs SET state = ?2, ready = ?3, worker = NULL, lease = NULL,
            deaths = deaths + ?4, error = ?5, ended = ?6 WHERE no = ?1",
    )?
    .execute(params![
        row.no,
        state.name(),
        state == JobState::Queued,
        has_died,
        error,
        error.is_some().then_some(at),
    ])?;
    if error.is_some() {
        approvals::drop_open(own, row.no, at)?;
        deliveries::add(own, row.no, state, at)?;
    }
    Ok(true)
}

fn insert(
    own: &Connection,
    new: &NewJob,
    version: u32,
    lease: Option<&Lease>,
) -> SqlResult<JobRow> {
    let state = if lease.is_some() { JobState::Running } else { JobState::Queued };
    own.prepare_cached(
        "INSERT INTO jobs (id, version, owner, kind, name, input, bounds, session, parent, state,
            ready, run, worker, lease, attempts, created, started, notify)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                ?18)",
    )?
    .execute(params![
        new.id,
        version,
        new.owner,
        new.kind.name(),
        new.name,
        new.input,
        new.bounds,
        new.session,
        new.parent,
        state.name(),
        lease.is_none(),
        new.run.as_str(),
        lease.map(|it| it.worker.as_str()),
        lease.map(|it| it.until),
        lease.is_some(),
        new.created,
        lease.map(|it| it.now),
        new.notify,
    ])?;
    let row = by_no(own, own.last_insert_rowid())?;
    Ok(row.ok_or_else(|| svc_contract::store::StoreError::bug("a job was not written"))?)
}
