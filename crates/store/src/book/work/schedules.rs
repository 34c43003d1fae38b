//! Work that is queued again and again.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    super::{Book, Written},
    MOST_QUEUED, insert, queued,
    rows::{JobKind, JobRow, NewJob, by_no, kind},
};
use crate::error::{Result, SqlResult};

/// The most schedules of an owner.
pub const MOST_SCHEDULES: u32 = 100;

/// Work that is queued again and again. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRow {
    pub id: String,
    pub owner: String,
    pub kind: JobKind,
    /// The tool or the script.
    pub name: String,
    /// The arguments, as JSON.
    pub input: String,
    /// The bounds, as JSON.
    pub bounds: String,
    /// The times, as a cron pattern in UTC.
    pub times: String,
    pub next: i64,
    pub created: i64,
    /// The place in the queue of the job that it queued last.
    pub last: Option<i64>,
}

/// What became of a schedule whose time has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fired {
    Queued(Box<JobRow>),
    /// The job before has not ended, or its owner has too many queued ones.
    Skipped,
    /// Another process was first, or it was removed.
    Gone,
}

const SCHEDULE: &str =
    "SELECT id, owner, kind, name, input, bounds, times, next, created, last FROM schedules";

impl Book {
    /// Adds a schedule. Returns whether its owner may have another one.
    pub fn add_schedule(&self, new: ScheduleRow) -> Written<bool> {
        self.write(move |own| {
            let sql = "SELECT count(*) FROM schedules WHERE owner = ?1";
            let count: u32 = own.prepare_cached(sql)?.query_row([&new.owner], |it| it.get(0))?;
            if count >= MOST_SCHEDULES {
                return Ok(false);
            }
            own.prepare_cached(
                "INSERT INTO schedules (id, owner, kind, name, input, bounds, times, next, created)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                new.id,
                new.owner,
                new.kind.name(),
                new.name,
                new.input,
                new.bounds,
                new.times,
                new.next,
                new.created,
            ])?;
            Ok(true)
        })
    }

    /// The schedules of an owner, the first one first.
    pub fn schedules(&self, owner: &str) -> Result<Vec<ScheduleRow>> {
        self.read(|it| {
            let sql = format!("{SCHEDULE} WHERE owner = ?1 ORDER BY created, id");
            let mut found = it.prepare_cached(&sql)?;
            let rows = found.query_map([owner], schedule)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Removes a schedule. Returns whether it was there.
    pub fn remove_schedule(&self, owner: String, id: String) -> Written<bool> {
        self.write(move |own| {
            let sql = "DELETE FROM schedules WHERE id = ?1 AND owner = ?2";
            Ok(own.prepare_cached(sql)?.execute(params![id, owner])? > 0)
        })
    }

    /// The schedules of all owners whose time has come.
    pub fn due_schedules(&self, now: i64) -> Result<Vec<ScheduleRow>> {
        self.read(|it| {
            let sql = format!("{SCHEDULE} WHERE next <= ?1 ORDER BY next, id");
            let mut found = it.prepare_cached(&sql)?;
            let rows = found.query_map([now], schedule)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Queues the job of a schedule, and sets its next time. Of several processes, one does.
    pub fn fire(&self, due: ScheduleRow, next: i64, job: NewJob) -> Written<Fired> {
        self.write(move |own| {
            let Some(row) = by_id(own, &due.id)?.filter(|it| it.next == due.next) else {
                return Ok(Fired::Gone);
            };
            let last = row.last.map(|it| by_no(own, it)).transpose()?.flatten();
            let is_busy = last.is_some_and(|it| !it.state.is_over());
            let fired = if is_busy || queued(own, &row.owner)? >= MOST_QUEUED {
                Fired::Skipped
            } else {
                Fired::Queued(Box::new(insert(own, &job, 1, None)?))
            };
            let last = match &fired {
                Fired::Queued(job) => Some(job.no),
                _ => row.last,
            };
            let sql = "UPDATE schedules SET next = ?2, last = ?3 WHERE id = ?1";
            own.prepare_cached(sql)?.execute(params![row.id, next, last])?;
            Ok(fired)
        })
    }
}

fn by_id(reader: &Connection, id: &str) -> SqlResult<Option<ScheduleRow>> {
    let mut found = reader.prepare_cached(&format!("{SCHEDULE} WHERE id = ?1"))?;
    Ok(found.query_row([id], schedule).optional()?)
}

fn schedule(row: &Row<'_>) -> rusqlite::Result<ScheduleRow> {
    Ok(ScheduleRow {
        id: row.get(0)?,
        owner: row.get(1)?,
        kind: kind(row, 2)?,
        name: row.get(3)?,
        input: row.get(4)?,
        bounds: row.get(5)?,
        times: row.get(6)?,
        next: row.get(7)?,
        created: row.get(8)?,
        last: row.get(9)?,
    })
}
