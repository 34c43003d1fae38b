//! What people say about jobs.

use std::collections::BTreeSet;

use svc_bias::{Biases, Work};
use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Io, Op, OpError, Scheme, Scope, Tool,
        params, record,
    },
    value::{Text, Value},
};
use svc_store::book::{JobRow, NewNote};

use super::{Bench, WRITES, outside, view::JobView};
use crate::components::KeptStore;

/// A rating is a note of a job, and a score of the components that worked for it.
const RATES: &[Effect] = &[
    Effect::Writes { scope: Scope::Named("jobs"), idempotent: true },
    Effect::Writes { scope: Scope::Named("bias"), idempotent: true },
];

const ERRORS: &[ErrorKind] =
    &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed, ErrorKind::InvalidInput];

/// The longest note in bytes.
const LONGEST: usize = 64 << 10;

record! {
    /// A rating that was written down.
    struct Recorded {
        /// Whether it was.
        recorded: bool,
    }
}

params! {
    /// Rates a job from 1, bad, to 5, good. The same rating with the same comment counts once.
    ///
    /// The rating also counts for the components that did the work, as they were tuned then: the guard of
    /// self-tuning compares versions by such scores. Of several ratings of a job, the last one counts there.
    pub(super) struct Feedback {
        /// The job.
        job_id: Text,
        /// From 1 to 5.
        #[range(1..=5)]
        rating: i64,
        /// What was good or bad.
        comment: Option<Text> = None,
    }
}

impl Op for Feedback {
    const NAME: &'static str = "feedback";
    const YIELDS: Scheme = Recorded::SCHEME;
    const EFFECTS: &'static [Effect] = RATES;
    const SAYS: &'static [&'static str] =
        &["rate a job", "say whether a result was good", "give feedback on submitted work"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_feedback"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.feedback("job_1", rating: 4)"#);
}

impl Io for Feedback {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let rating = u8::try_from(self.rating).ok();
        let text = short(self.comment.as_deref().unwrap_or_default(), "comment")?;
        let job = add(&bench, &self.job_id, |it| NewNote { rating, text, ..it })?;
        count(cx, &bench, &job, self.rating).await?;
        Ok(Recorded { recorded: true }.encode())
    }
}

/// Counts a rating for the components that worked for a job, if biases are kept.
async fn count(cx: &Cx, bench: &Bench, job: &JobRow, rating: i64) -> Result<(), OpError> {
    let (Ok(biases), Ok(store)) = (cx.lent::<Biases>(), cx.lent::<KeptStore>()) else {
        return Ok(());
    };
    let Some(began) = job.started else { return Ok(()) };
    let nodes = store.0.nodes(&job.run).map_err(|err| OpError::failed(err.to_string()))?;
    let components: BTreeSet<String> = nodes.into_iter().map(|it| it.component).collect();
    #[expect(clippy::cast_precision_loss, reason = "from 1 to 5")]
    let score = (rating - 1) as f64 / 4.0;
    let work = Work::new(biases, bench.engine.clone());
    work.rated(&components, began, score, &format!("run {}", job.run)).await?;
    Ok(())
}

params! {
    /// Adds a note to a place of the result of a job. The same note is added once.
    pub(super) struct Annotate {
        /// The job.
        job_id: Text,
        /// The place: `items[2].total`; empty for the whole job.
        path: Text,
        /// The note.
        text: Text,
    }
}

impl Op for Annotate {
    const NAME: &'static str = "annotate";
    const YIELDS: Scheme = JobView::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const SAYS: &'static [&'static str] =
        &["add a note to a job", "comment on a part of a result", "mark a figure of a deliverable"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_annotate"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] =
        outside!(r#"workbench.annotate("job_1", path: "total", text: "too high")"#);
}

impl Compute for Annotate {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let text = short(&self.text, "text")?;
        let path = Some(short(&self.path, "path")?);
        add(&bench, &self.job_id, |it| NewNote { path, text, ..it })?;
        let row = bench.jobs()?.job(&bench.owner, &self.job_id, None)?;
        Ok(bench.view(&row)?.encode())
    }
}

fn short(text: &str, field: &str) -> Result<String, OpError> {
    if text.len() <= LONGEST {
        return Ok(text.to_owned());
    }
    let message = format!("`{field}` is too long: {} bytes (limit {LONGEST})", text.len());
    Err(OpError::invalid_input(message))
}

fn add(bench: &Bench, id: &str, note: impl FnOnce(NewNote) -> NewNote) -> Result<JobRow, OpError> {
    let jobs = bench.jobs()?;
    let row = jobs.job(&bench.owner, id, None)?;
    let empty =
        NewNote { job: row.no, at: jobs.now(), path: None, rating: None, text: String::new() };
    jobs.add_note(note(empty))?;
    Ok(row)
}
