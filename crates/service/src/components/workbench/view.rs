//! A job as its owner sees it.

use std::{sync::Arc, time::SystemTime};

use svc_contract::{
    registry::{Field as _, OpError, record},
    value::{Money, Value},
};
use svc_store::book::{JobRow, JobState};

use super::{super::time, Bench};
use crate::{
    Fault,
    jobs::Jobs,
    quality::{self, Quality, Rated},
};

record! {
    /// A test of a result.
    pub(super) struct Check {
        /// Its name.
        name: String,
        /// Whether it passed.
        passed: bool,
        /// What was found.
        message: String,
    }
}

record! {
    /// What a job used.
    pub(super) struct Used {
        /// The tokens of language models.
        tokens: i64,
        /// The cost in dollars.
        cost_usd: f64,
    }
}

record! {
    /// What a person said about a job.
    pub(super) struct Note {
        /// When.
        at: SystemTime,
        /// The place of the result.
        path: Option<String>,
        /// From 1 to 5.
        rating: Option<i64>,
        /// What.
        text: String,
    }
}

record! {
    /// A job.
    pub(super) struct JobView {
        /// The job.
        job_id: String,
        /// Its version, from 1.
        version: i64,
        /// The tool or the script.
        job: String,
        /// `queued`, `running`, `waiting`, `ok`, `failed`, `cancelled`, `stuck` or `archived`.
        state: String,
        /// What it was given.
        inputs: Value,
        /// Its result.
        result: Value,
        /// Why it has none.
        error: Value,
        /// Tests of the result, and of its bounds.
        checks: Vec<Check>,
        /// What it used.
        usage: Used,
        /// How good the result is, if anything is known of that.
        quality: Option<Quality>,
        /// When it was submitted.
        created_at: SystemTime,
        /// When it ended.
        ended_at: Option<SystemTime>,
        /// Its run, for the commands and endpoints of runs.
        run_id: String,
        /// The questions that a person has to answer.
        approvals: Vec<String>,
        /// Notes and ratings.
        notes: Vec<Note>,
    }
}

record! {
    /// A job of a list.
    pub(super) struct JobStatus {
        /// The job.
        job_id: String,
        /// Its latest version.
        version: i64,
        /// The tool or the script.
        job: String,
        /// Its state.
        state: String,
        /// When it was submitted.
        created_at: SystemTime,
        /// When it ended.
        ended_at: Option<SystemTime>,
        /// Its run.
        run_id: String,
    }
}

impl Bench {
    /// Everything about a job. Blocks.
    pub(super) fn view(&self, row: &JobRow) -> Result<JobView, Fault> {
        let jobs = self.jobs()?;
        let result = jobs.result(row)?;
        let error = row.error.as_deref().map(crate::jobs::read).transpose()?;
        let asked = jobs.questions(row)?;
        Ok(JobView {
            job_id: row.id.clone(),
            version: row.version.into(),
            job: row.name.clone(),
            state: row.state.name().to_owned(),
            inputs: jobs.input(row)?,
            checks: checks(row, result.as_ref())?,
            quality: result.as_ref().and_then(|it| self.quality(row, it)),
            result: result.unwrap_or_default(),
            error: error.unwrap_or_default(),
            usage: used(row),
            created_at: time(row.created),
            ended_at: row.ended.map(time),
            run_id: row.run.to_string(),
            approvals: asked.into_iter().map(|it| it.id).collect(),
            notes: notes(jobs, row)?,
        })
    }

    /// A job as it is reported when it came into a state. Blocks.
    pub(crate) fn reported(&self, row: &JobRow, state: JobState) -> Result<Value, Fault> {
        let view = self.view(row)?;
        Ok(JobView { state: state.name().to_owned(), ..view }.encode())
    }

    /// The same, on a thread that may wait.
    pub(super) async fn viewed(self: Arc<Self>, row: JobRow) -> Result<Value, OpError> {
        let view = tokio::task::spawn_blocking(move || self.view(&row)).await;
        let view = view.map_err(|err| OpError::bug(format!("cannot show the job: {err}")))?;
        Ok(view?.encode())
    }

    /// The quality of the result of a job, from its stored run.
    fn quality(&self, row: &JobRow, result: &Value) -> Option<Quality> {
        let jobs = self.jobs().ok()?;
        let engine = self.engine.clone().with_store(jobs.shared_runs());
        quality::of_stored(&engine, &row.run, result, Rated::of_job(row))
    }
}

pub(super) fn status(row: &JobRow) -> JobStatus {
    JobStatus {
        job_id: row.id.clone(),
        version: row.version.into(),
        job: row.name.clone(),
        state: row.state.name().to_owned(),
        created_at: time(row.created),
        ended_at: row.ended.map(time),
        run_id: row.run.to_string(),
    }
}

fn used(row: &JobRow) -> Used {
    let tokens = i64::try_from(row.used.tokens).unwrap_or(i64::MAX);
    Used { tokens, cost_usd: row.used.cost.dollars() }
}

fn notes(jobs: &Jobs, row: &JobRow) -> Result<Vec<Note>, Fault> {
    let note = |it: crate::jobs::NoteRow| Note {
        at: time(it.at),
        path: it.path,
        rating: it.rating.map(i64::from),
        text: it.text,
    };
    Ok(jobs.book().notes(row.no)?.into_iter().map(note).collect())
}

/// The tests that the result contains itself, and those of the bounds of the job.
pub(super) fn checks(row: &JobRow, result: Option<&Value>) -> Result<Vec<Check>, Fault> {
    let mut checks = result.map(own_checks).unwrap_or_default();
    if row.state != JobState::Ok {
        return Ok(checks);
    }
    let bounds = crate::jobs::bounds_of(row)?;
    if let Some(most) = bounds.max_cost {
        let used = row.used.cost;
        checks.push(bound("max_cost", used <= most, &shown(used), &shown(most)));
    }
    if let Some(most) = bounds.max_tokens {
        let used = row.used.tokens;
        checks.push(bound("max_tokens", used <= most, &used.to_string(), &most.to_string()));
    }
    Ok(checks)
}

fn bound(name: &str, passed: bool, used: &str, most: &str) -> Check {
    Check { name: name.to_owned(), passed, message: format!("{used} of {most}") }
}

fn shown(money: Money) -> String {
    money.to_string()
}

/// The field `checks` of a result: records with `name` and `passed`.
fn own_checks(result: &Value) -> Vec<Check> {
    let found = result.as_record().and_then(|it| it.get("checks"));
    let Some(Value::List(all)) = found else { return Vec::new() };
    let check = |it: &Value| {
        let of = it.as_record()?;
        let Some(Value::Bool(passed)) = of.get("passed") else { return None };
        let text = |name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Check { name: text("name"), passed: *passed, message: text("message") })
    };
    all.iter().filter_map(check).collect()
}
