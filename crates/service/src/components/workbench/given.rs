//! One job: its view, the wait for it, and its end.

use std::time::Duration;

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Io, Limits, Op, OpError, Scheme, Tool,
        params,
    },
    value::{Text, Value},
};

use super::{Bench, READS, WRITES, outside, view::JobView};

/// The longest wait for a result.
const LONGEST: Duration = Duration::from_secs(30);

const ERRORS: &[ErrorKind] =
    &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed, ErrorKind::InvalidInput];

params! {
    /// Returns a job with its result, and waits for it for up to 30 seconds.
    ///
    /// The wait ends when the job has ended, or when a person has to answer a question.
    pub(super) struct GetResult {
        /// The job.
        job_id: Text,
        /// How long to wait, at most 30 s.
        wait: Duration = Duration::ZERO,
    }
}

impl Op for GetResult {
    const NAME: &'static str = "get_result";
    const YIELDS: Scheme = JobView::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const LIMITS: Limits = Limits { max_retries: 0, ..Limits::DEFAULT };
    const SAYS: &'static [&'static str] =
        &["is my job done", "fetch the result of a job", "wait for a job to finish"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_get_result"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.get_result("job_1", wait: 5s)"#);
}

impl Io for GetResult {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        if self.wait > LONGEST {
            let message = format!("expected a wait of at most 30s, found {:?}", self.wait);
            return Err(OpError::invalid_input(message));
        }
        let bench = cx.lent::<Bench>()?;
        let ended = bench.jobs()?.ended(&bench.owner, &self.job_id, self.wait);
        let row = cx.cancel.run_until_cancelled(ended).await.ok_or_else(OpError::cancelled)??;
        bench.viewed(row).await
    }
}

params! {
    /// Returns a version of a job with everything that is known of it.
    pub(super) struct Open {
        /// The job.
        job_id: Text,
        /// A version; the latest one if it is left out.
        version: Option<u32> = None,
    }
}

impl Op for Open {
    const NAME: &'static str = "open";
    const YIELDS: Scheme = JobView::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["open a job", "look at an earlier version of a job", "show everything about a job"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_open"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.open("job_1", version: 2)"#);
}

impl Compute for Open {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let row = bench.jobs()?.job(&bench.owner, &self.job_id, self.version)?;
        Ok(bench.view(&row)?.encode())
    }
}

params! {
    /// Ends a job that has not ended: what runs is stopped, and nothing new starts.
    pub(super) struct Cancel {
        /// The job.
        job_id: Text,
    }
}

impl Op for Cancel {
    const NAME: &'static str = "cancel";
    const YIELDS: Scheme = JobView::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const SAYS: &'static [&'static str] =
        &["stop a job", "cancel work that was submitted", "end a background job early"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_cancel"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.cancel("job_1")"#);
}

impl Io for Cancel {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let row = bench.jobs()?.cancel(&bench.owner, &self.job_id).await?;
        bench.viewed(row).await
    }
}

params! {
    /// Archives a job that has ended: lists leave it out.
    pub(super) struct Archive {
        /// The job.
        job_id: Text,
    }
}

impl Op for Archive {
    const NAME: &'static str = "archive";
    const YIELDS: Scheme = JobView::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const SAYS: &'static [&'static str] =
        &["archive a job", "hide a job that is done", "clean up the list of jobs"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_archive"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.archive("job_1")"#);
}

impl Io for Archive {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let row = bench.jobs()?.archive(&bench.owner, &self.job_id).await?;
        bench.viewed(row).await
    }
}
