//! What becomes of a job when its run ends.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    registry::{ErrorKind, Question, Usage},
    value::{Text, Value, json},
};
use svc_store::book::{ApprovalState, AskKind, Finish, JobEvent, JobRow};

use super::Jobs;
use crate::{
    Fault, Live, Why,
    runs::{Halt, RunEnd},
};

/// The wait before a change of the book is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// How many times this long a job waits for space.
const ROOM: u32 = 3;

impl Jobs {
    /// The job of a run. A run that has none, such as a call of a script whose caller waits, becomes
    /// one.
    pub(crate) async fn adopted(&self, live: &Arc<Live>) -> Result<JobRow, Fault> {
        if let Some(job) = live.job.get() {
            return Ok(job.clone());
        }
        let (jobs, live) = (self.clone(), live.clone());
        // The caller may go away in the middle; what is written must be followed.
        let made =
            tokio::spawn(
                async move { live.job.get_or_try_init(|| jobs.adopt(&live)).await.cloned() },
            );
        made.await.unwrap_or_else(|err| {
            let why = Why::Op(ErrorKind::Bug);
            Err(Fault::new(why, format!("cannot make a job of the run: {err}")))
        })
    }

    /// Makes a job of a run that its caller does not wait for any more, if it can be one.
    pub async fn adopt_run(&self, live: &Arc<Live>) -> Result<(), Fault> {
        match live.work {
            Some(_) => self.adopted(live).await.map(drop),
            None => Ok(()),
        }
    }

    async fn adopt(&self, live: &Arc<Live>) -> Result<JobRow, Fault> {
        let work = live.work.as_ref().ok_or_else(|| {
            let why = Why::Op(ErrorKind::Unsupported);
            Fault::new(why, "this run cannot wait for a person")
                .help("call the script again, or submit it with `job_submit`")
        })?;
        let new = work.row(&live.owner, self.new_id("job_"), live.id().clone(), self.now());
        let row = self.book().adopt(new, self.lease()).await?;
        self.hold(&row, live);
        let (jobs, live, of) = (self.clone(), live.clone(), row.clone());
        tokio::spawn(async move { jobs.follow(&of, &live).await });
        self.tell();
        Ok(row)
    }

    /// Keeps the lease of a job, and ends its run if the job is cancelled.
    pub(super) fn hold(&self, row: &JobRow, live: &Live) {
        self.held().insert(row.no, live.cancel_token().clone());
    }

    /// Waits for the end of the run of a job, and writes down what becomes of the job.
    pub(super) async fn follow(&self, row: &JobRow, live: &Live) {
        live.begun().await;
        // A run that was cut off before it began is begun by the next worker, and so is one that is
        // not recorded, since it changed nothing.
        if live.is_stored() && live.is_recorded() {
            // If it is lost, the run is found in the store.
            let _ = self.book().note_begun(row.no);
        }
        let outcome = live.ended().await;
        while self.close(row, live, &outcome).await.is_err() {
            if self.is_stopping() {
                // Another worker takes it when the lease is over.
                break;
            }
            tokio::time::sleep(AGAIN).await;
        }
        self.let_go(row);
    }

    pub(super) fn let_go(&self, row: &JobRow) {
        self.held().remove(&row.no);
        self.tell();
    }

    async fn close(&self, row: &JobRow, live: &Live, outcome: &RunEnd) -> Result<(), Fault> {
        let worker = self.0.worker.clone();
        let fault = match outcome {
            Ok(answer) => {
                let result = Some(json::write(&answer.value));
                return self.finish(row, JobEvent::Succeeded, result, None, answer.usage).await;
            }
            Err(fault) => fault,
        };
        match live.halt() {
            Some(Halt::Asked(ids)) if is_cancelled(fault) => {
                self.book().park(row.no, worker, ids, self.now()).await?;
                return Ok(());
            }
            Some(Halt::InDoubt(path)) => return self.doubted(row, path, fault).await,
            Some(Halt::Claimed) => {
                // Another process still works on the run.
                tokio::time::sleep(AGAIN).await;
                self.book().release(row.no, worker).await?;
                return Ok(());
            }
            Some(Halt::Full) => {
                // What could not be recorded was not made: it goes on when there is space.
                self.rest().await;
                self.book().release(row.no, worker).await?;
                return Ok(());
            }
            _ => {}
        }
        let is_cut_off = is_cancelled(fault) || fault.why == Why::Stopping;
        if is_cut_off && self.is_stopping() {
            self.book().release(row.no, worker).await?;
            return Ok(());
        }
        let event = if is_cancelled(fault) { JobEvent::Cancelled } else { JobEvent::Failed };
        self.finish(row, event, None, Some(fault), live.used()).await
    }

    /// Waits for a while, unless the service stops.
    async fn rest(&self) {
        for _ in 0..ROOM {
            if self.is_stopping() {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Ends a job that cannot be started.
    pub(super) async fn fail(&self, row: &JobRow, fault: &Fault) -> Result<(), Fault> {
        self.finish(row, JobEvent::Failed, None, Some(fault), Usage::default()).await
    }

    async fn finish(
        &self,
        row: &JobRow,
        event: JobEvent,
        result: Option<String>,
        fault: Option<&Fault>,
        used: Usage,
    ) -> Result<(), Fault> {
        let error = fault.map(|it| json::write(&of_fault(it)));
        let finish = Finish { event, result, error, used, at: self.now() };
        self.book().finish(row.no, self.0.worker.clone(), finish).await?;
        Ok(())
    }

    /// A write was started, and no one knows whether it happened: a person decides whether it is
    /// repeated.
    async fn doubted(&self, row: &JobRow, path: String, fault: &Fault) -> Result<(), Fault> {
        let question = Question {
            path: path.clone(),
            text: format!("`{path}` was started, and may have happened already. Repeat it?"),
            details: fault.message.clone(),
        };
        let asked = self.kept_question(row, AskKind::Write, question).await?;
        match asked.state {
            ApprovalState::Open | ApprovalState::Approved => {
                let worker = self.0.worker.clone();
                self.book().park(row.no, worker, vec![asked.id], self.now()).await?;
                Ok(())
            }
            ApprovalState::Rejected | ApprovalState::Expired => {
                self.finish(row, JobEvent::Failed, None, Some(fault), Usage::default()).await
            }
        }
    }
}

fn is_cancelled(fault: &Fault) -> bool {
    fault.why == Why::Op(ErrorKind::Cancelled)
}

/// A fault as it is kept.
fn of_fault(fault: &Fault) -> Value {
    let field = |name: &str, it: &str| (Text::from(name), Value::from(it));
    let mut fields = vec![field("kind", fault.why.name()), field("message", &fault.message)];
    fields.extend(fault.help.as_deref().map(|it| field("help", it)));
    Value::Record(fields.into_iter().collect())
}
