//! The rows of jobs and of approvals.

use rusqlite::{Connection, OptionalExtension as _, Row, params, types::Type};
use svc_contract::{registry::Usage, store::RunId, value::Money};

use super::state::{ApprovalState, JobState};
use crate::error::SqlResult;

/// One version of a job. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Its place in the queue.
    pub no: i64,
    pub id: String,
    /// From 1.
    pub version: u32,
    pub owner: String,
    pub kind: JobKind,
    /// The tool or the script.
    pub name: String,
    /// The arguments, as JSON.
    pub input: String,
    /// The bounds of the caller, as JSON.
    pub bounds: String,
    pub session: Option<String>,
    /// The job whose calls it takes over.
    pub parent: Option<i64>,
    pub state: JobState,
    /// Whether a worker may take it.
    pub is_ready: bool,
    pub run: RunId,
    /// Whether the run is in the store: then it must never begin again.
    pub has_begun: bool,
    pub worker: Option<RunId>,
    pub lease: Option<i64>,
    /// How often a worker has taken it.
    pub attempts: u32,
    /// How often its worker has died.
    pub deaths: u32,
    pub created: i64,
    pub started: Option<i64>,
    pub ended: Option<i64>,
    /// Why it failed, as JSON.
    pub error: Option<String>,
    pub used: Usage,
    /// The address that its end is reported to.
    pub notify: Option<String>,
}

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    Tool,
    Script,
}

/// A job to be queued.
#[derive(Clone, Debug)]
pub struct NewJob {
    pub id: String,
    pub owner: String,
    pub kind: JobKind,
    pub name: String,
    pub input: String,
    pub bounds: String,
    pub session: Option<String>,
    pub parent: Option<i64>,
    pub run: RunId,
    pub created: i64,
    /// The address that its end is reported to.
    pub notify: Option<String>,
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRow {
    pub id: String,
    pub owner: String,
    /// The place of its job in the queue.
    pub job: i64,
    pub kind: AskKind,
    pub run: RunId,
    /// The call that asks.
    pub path: String,
    pub question: String,
    pub details: String,
    pub state: ApprovalState,
    pub asked: i64,
    pub expires: i64,
    pub answered: Option<i64>,
    pub comment: Option<String>,
    /// Whether the answer was followed.
    pub is_used: bool,
}

/// Why a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskKind {
    /// The script asks.
    Ask,
    /// A write was started, and it is unknown whether it happened.
    Write,
}

impl JobKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Script => "script",
        }
    }
}

impl AskKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Write => "write",
        }
    }
}

pub(super) const JOB: &str = "SELECT no, id, version, owner, kind, name, input, bounds, session, \
    parent, state, ready, run, worker, lease, attempts, deaths, created, started, ended, error, \
    tokens, cost, begun, notify FROM jobs";

pub(super) const APPROVAL: &str = "SELECT id, owner, job, kind, run, path, question, details, \
    state, asked, expires, answered, comment, used FROM approvals";

pub(super) fn job(row: &Row<'_>) -> rusqlite::Result<JobRow> {
    let worker: Option<String> = row.get(13)?;
    Ok(JobRow {
        no: row.get(0)?,
        id: row.get(1)?,
        version: row.get(2)?,
        owner: row.get(3)?,
        kind: kind(row, 4)?,
        name: row.get(5)?,
        input: row.get(6)?,
        bounds: row.get(7)?,
        session: row.get(8)?,
        parent: row.get(9)?,
        state: JobState::parse(&row.get::<_, String>(10)?).ok_or_else(|| unknown(10))?,
        is_ready: row.get(11)?,
        run: run(row, 12)?,
        has_begun: row.get(23)?,
        worker: worker.map(|it| RunId::parse(&it).map_err(|_| unknown(13))).transpose()?,
        lease: row.get(14)?,
        attempts: row.get(15)?,
        deaths: row.get(16)?,
        created: row.get(17)?,
        started: row.get(18)?,
        ended: row.get(19)?,
        error: row.get(20)?,
        used: Usage {
            tokens: row.get::<_, i64>(21)?.cast_unsigned(),
            cost: Money::from_nanos(row.get(22)?),
        },
        notify: row.get(24)?,
    })
}

pub(super) fn approval(row: &Row<'_>) -> rusqlite::Result<ApprovalRow> {
    Ok(ApprovalRow {
        id: row.get(0)?,
        owner: row.get(1)?,
        job: row.get(2)?,
        kind: match row.get::<_, String>(3)?.as_str() {
            "ask" => AskKind::Ask,
            "write" => AskKind::Write,
            _ => return Err(unknown(3)),
        },
        run: run(row, 4)?,
        path: row.get(5)?,
        question: row.get(6)?,
        details: row.get(7)?,
        state: ApprovalState::parse(&row.get::<_, String>(8)?).ok_or_else(|| unknown(8))?,
        asked: row.get(9)?,
        expires: row.get(10)?,
        answered: row.get(11)?,
        comment: row.get(12)?,
        is_used: row.get(13)?,
    })
}

pub(super) fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<JobKind> {
    match row.get::<_, String>(column)?.as_str() {
        "tool" => Ok(JobKind::Tool),
        "script" => Ok(JobKind::Script),
        _ => Err(unknown(column)),
    }
}

fn run(row: &Row<'_>, column: usize) -> rusqlite::Result<RunId> {
    RunId::parse(&row.get::<_, String>(column)?).map_err(|_| unknown(column))
}

/// A value that this version does not know.
fn unknown(column: usize) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, "an unknown value".into())
}

/// The job at a place of the queue.
pub(super) fn by_no(reader: &Connection, no: i64) -> SqlResult<Option<JobRow>> {
    let mut found = reader.prepare_cached(&format!("{JOB} WHERE no = ?1"))?;
    Ok(found.query_row([no], job).optional()?)
}

/// A version of a job, or the latest one.
pub(super) fn by_id(
    reader: &Connection,
    owner: &str,
    id: &str,
    version: Option<u32>,
) -> SqlResult<Option<JobRow>> {
    let sql = format!(
        "{JOB} WHERE id = ?1 AND owner = ?2 AND (?3 IS NULL OR version = ?3)
            ORDER BY version DESC LIMIT 1"
    );
    let mut found = reader.prepare_cached(&sql)?;
    Ok(found.query_row(params![id, owner, version], job).optional()?)
}
