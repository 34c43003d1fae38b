//! Jobs as people look for them: by id, by state, with results and notes.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    super::{Book, Written},
    rows::{JOB, JobRow, by_id, by_no, job},
    state::JobState,
};
use crate::error::{Result, SqlResult};

/// Selects jobs, the latest first.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    pub state: Option<JobState>,
    /// The tool or the script.
    pub name: Option<String>,
    /// Only jobs before this place in the queue.
    pub before: Option<i64>,
    pub limit: u32,
}

/// What a person says about a job.
#[derive(Clone, Debug)]
pub struct NewNote {
    pub job: i64,
    pub at: i64,
    /// A place of the result.
    pub path: Option<String>,
    /// 1 to 5.
    pub rating: Option<u8>,
    pub text: String,
}

/// What a person said about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRow {
    pub at: i64,
    pub path: Option<String>,
    pub rating: Option<u8>,
    pub text: String,
}

/// The jobs of a session, the first one first.
pub(in super::super) fn of_session(
    own: &Connection,
    owner: &str,
    session: &str,
) -> SqlResult<Vec<JobRow>> {
    let sql = format!("{JOB} WHERE session = ?1 AND owner = ?2 ORDER BY no");
    let mut found = own.prepare_cached(&sql)?;
    let rows = found.query_map([session, owner], job)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

impl Book {
    /// A version of a job, or the latest one.
    pub fn job(&self, owner: &str, id: &str, version: Option<u32>) -> Result<Option<JobRow>> {
        self.read(|it| by_id(it, owner, id, version))
    }

    /// The job at a place of the queue, of any owner.
    pub fn job_at(&self, no: i64) -> Result<Option<JobRow>> {
        self.read(|it| by_no(it, no))
    }

    /// The latest job with this run.
    pub fn job_of_run(&self, owner: &str, run: &str) -> Result<Option<JobRow>> {
        self.read(|it| {
            let sql = format!("{JOB} WHERE run = ?1 AND owner = ?2 ORDER BY no DESC LIMIT 1");
            Ok(it.prepare_cached(&sql)?.query_row(params![run, owner], job).optional()?)
        })
    }

    /// The latest versions of jobs. Archived ones are listed only if they are asked for.
    pub fn jobs(&self, owner: &str, filter: &JobFilter) -> Result<Vec<JobRow>> {
        self.read(|it| {
            let sql = format!(
                "{JOB} AS one WHERE owner = ?1 AND (?2 IS NULL AND state <> 'archived' OR state = ?2)
                    AND (?3 IS NULL OR name = ?3) AND (?4 IS NULL OR no < ?4)
                    AND NOT EXISTS (SELECT 1 FROM jobs AS later
                        WHERE later.id = one.id AND later.version > one.version)
                    ORDER BY no DESC LIMIT ?5"
            );
            let mut found = it.prepare_cached(&sql)?;
            let state = filter.state.map(JobState::name);
            let of = params![owner, state, filter.name, filter.before, filter.limit];
            let rows = found.query_map(of, job)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// All versions of a job, the first one first.
    pub fn job_versions(&self, owner: &str, id: &str) -> Result<Vec<JobRow>> {
        self.read(|it| {
            let sql = format!("{JOB} WHERE id = ?1 AND owner = ?2 ORDER BY version");
            let mut found = it.prepare_cached(&sql)?;
            let rows = found.query_map(params![id, owner], job)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The result of a job, as JSON.
    pub fn job_result(&self, no: i64) -> Result<Option<String>> {
        self.read(|it| {
            let mut found = it.prepare_cached("SELECT value FROM job_results WHERE job = ?1")?;
            Ok(found.query_row([no], |it| it.get(0)).optional()?)
        })
    }

    /// Adds a note to a job, unless it is there already.
    pub fn add_note(&self, new: NewNote) -> Written<()> {
        self.write(move |own| {
            own.prepare_cached(
                "INSERT INTO job_notes (job, at, path, rating, text) SELECT ?1, ?2, ?3, ?4, ?5
                    WHERE NOT EXISTS (SELECT 1 FROM job_notes WHERE job = ?1 AND path IS ?3
                        AND rating IS ?4 AND text = ?5)",
            )?
            .execute(params![new.job, new.at, new.path, new.rating, new.text])?;
            Ok(())
        })
    }

    /// The notes of a job, the first one first.
    pub fn notes(&self, job: i64) -> Result<Vec<NoteRow>> {
        self.read(|it| {
            let sql = "SELECT at, path, rating, text FROM job_notes WHERE job = ?1 ORDER BY no";
            let mut found = it.prepare_cached(sql)?;
            let note = |it: &rusqlite::Row<'_>| {
                Ok(NoteRow {
                    at: it.get(0)?,
                    path: it.get(1)?,
                    rating: it.get(2)?,
                    text: it.get(3)?,
                })
            };
            let rows = found.query_map([job], note)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
