//! Many jobs: lists and search.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError, Scheme, Tool, params,
        record,
    },
    value::{Text, Value, json},
};
use svc_store::book::{JobFilter, JobRow, JobState};
use svc_text::search::{Page, Search as Index};

use super::{
    Bench, READS, outside,
    view::{JobStatus, status},
};
use crate::Fault;

/// The most jobs that are searched, the latest ones.
const SEARCHED: u32 = 1000;

/// The longest part of a result that is searched, in bytes.
const LONGEST: usize = 20_000;

const ERRORS: &[ErrorKind] =
    &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed, ErrorKind::InvalidInput];

record! {
    /// Some jobs.
    pub(super) struct Jobs {
        /// The jobs, the latest first.
        jobs: Vec<JobStatus>,
        /// What to ask for the next ones with, if there are more.
        next_cursor: Option<String>,
    }
}

params! {
    /// Lists the jobs of the caller, the latest first.
    pub(super) struct List {
        /// Only jobs in this state. Archived ones are listed only with `archived`.
        state: Option<Text> = None,
        /// Only jobs of this tool or script.
        job: Option<Text> = None,
        /// The maximum number of jobs.
        #[range(1..=500)]
        limit: i64 = 50,
        /// `next_cursor` of the list before.
        cursor: Option<Text> = None,
    }
}

impl Op for List {
    const NAME: &'static str = "list";
    const YIELDS: Scheme = Jobs::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["list my jobs", "which jobs failed", "what is in the queue"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_list"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.list(state: "failed")"#);
}

impl Compute for List {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let limit = u32::try_from(self.limit).unwrap_or(50);
        let before = self.cursor.as_deref().map(place).transpose()?;
        let filter = JobFilter {
            state: self.state.as_deref().map(state).transpose()?,
            name: self.job.map(|it| it.to_string()),
            before,
            limit: limit + 1,
        };
        let mut rows = bench.jobs()?.list(&bench.owner, &filter)?;
        let has_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let last = rows.last().map(|it| it.no.to_string()).filter(|_| has_more);
        Ok(Jobs { jobs: rows.iter().map(status).collect(), next_cursor: last }.encode())
    }
}

fn place(cursor: &str) -> Result<i64, OpError> {
    cursor.parse().map_err(|_| {
        let message = format!("expected a cursor of an earlier list, found `{cursor}`");
        OpError::invalid_input(message)
    })
}

fn state(name: &str) -> Result<JobState, OpError> {
    JobState::parse(name).ok_or_else(|| {
        let names = JobState::ALL.map(JobState::name).join(", ");
        OpError::invalid_input(format!("expected one of {names}, found `{name}`"))
    })
}

params! {
    /// Returns the states of some jobs, or of those that have not ended.
    pub(super) struct Status {
        /// The jobs; those that have not ended if it is left out.
        ids: Option<Vec<Text>> = None,
    }
}

impl Op for Status {
    const NAME: &'static str = "status";
    const YIELDS: Scheme = Jobs::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["state of my jobs", "which jobs still run", "progress of submitted work"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_status"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!("workbench.status()");
}

impl Compute for Status {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let jobs = bench.jobs()?;
        let rows: Vec<JobRow> = match self.ids {
            Some(ids) => {
                let found = ids.iter().map(|it| jobs.job(&bench.owner, it, None));
                found.collect::<Result<_, Fault>>()?
            }
            None => {
                let open = [JobState::Waiting, JobState::Running, JobState::Queued];
                let of = |state| {
                    let filter = JobFilter { state: Some(state), limit: 500, ..Default::default() };
                    jobs.list(&bench.owner, &filter)
                };
                open.map(of).into_iter().collect::<Result<Vec<_>, Fault>>()?.concat()
            }
        };
        Ok(Jobs { jobs: rows.iter().map(status).collect(), next_cursor: None }.encode())
    }
}

record! {
    /// A job that was found.
    struct JobHit {
        /// The job.
        job_id: String,
        /// Its latest version.
        version: i64,
        /// The tool or the script.
        job: String,
        /// Its state.
        state: String,
        /// Higher is better, within one search.
        score: f64,
    }
}

record! {
    /// The jobs that were found.
    struct JobHits {
        /// The jobs, the best first.
        jobs: Vec<JobHit>,
    }
}

params! {
    /// Finds jobs by words of their inputs, results and notes.
    pub(super) struct Search {
        /// The words.
        query: Text,
        /// The maximum number of jobs.
        #[range(1..=200)]
        limit: i64 = 20,
    }
}

impl Op for Search {
    const NAME: &'static str = "search";
    const YIELDS: Scheme = JobHits::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] = &[
        "find a job by its input",
        "search in the results of jobs",
        "which job was about this topic",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_search"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.search("quarterly report")"#);
}

impl Compute for Search {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let jobs = bench.jobs()?;
        let filter = JobFilter { limit: SEARCHED, ..JobFilter::default() };
        let rows = jobs.list(&bench.owner, &filter)?;
        let mut pages = Vec::with_capacity(rows.len());
        for row in &rows {
            cx.check()?;
            pages.push(page(jobs, row)?);
        }
        let limit = usize::try_from(self.limit).unwrap_or(20);
        let found = Index::of(pages).find(&self.query).into_iter().take(limit);
        let hit = |it: svc_text::search::Found| {
            let row = rows.get(it.page)?;
            Some(JobHit {
                job_id: row.id.clone(),
                version: row.version.into(),
                job: row.name.clone(),
                state: row.state.name().to_owned(),
                score: it.score,
            })
        };
        Ok(JobHits { jobs: found.filter_map(hit).collect() }.encode())
    }
}

fn page(jobs: &crate::jobs::Jobs, row: &JobRow) -> Result<Page, Fault> {
    let mut result = jobs.result(row)?.map(|it| json::write(&it)).unwrap_or_default();
    let end = (0..=LONGEST.min(result.len())).rev().find(|it| result.is_char_boundary(*it));
    result.truncate(end.unwrap_or(0));
    let notes = jobs.book().notes(row.no)?;
    Ok(Page {
        names: row.name.replace('_', " "),
        phrases: notes.into_iter().map(|it| it.text).collect(),
        summary: row.input.clone(),
        details: result,
    })
}
