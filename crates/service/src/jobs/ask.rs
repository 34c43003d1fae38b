//! Questions of runs: they are kept, and a run that only waits for answers ends for now.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::Duration,
};

use svc_contract::registry::{Asks, Question};
use svc_engine::{Happened, RunEvent};
use svc_store::book::{ApprovalRow, ApprovalState, AskKind, JobRow, NewApproval};

use super::{Jobs, OPEN, after};
use crate::{Fault, Live};

/// How long nothing else happens before a run that waits for answers ends for now.
pub(crate) const QUIET: Duration = Duration::from_millis(200);

/// The open questions of a run, and its calls that have not ended.
#[derive(Default)]
pub(crate) struct Asked {
    /// The ids of the questions, by the paths of their calls.
    open: Mutex<BTreeMap<String, String>>,
    changed: tokio::sync::Notify,
}

/// Where the questions of one run go.
#[derive(Clone, Default)]
pub(crate) struct Asking(Arc<OnceLock<Weak<Live>>>);

impl Asking {
    /// What is lent to the components of the run.
    pub(crate) fn lent(&self, jobs: Jobs) -> Asks {
        let own = self.clone();
        Asks::new(move |question| {
            let live = own.0.get().and_then(Weak::upgrade);
            let jobs = jobs.clone();
            Box::pin(async move {
                let gone = || io::Error::other("the run has ended");
                jobs.asked(&live.ok_or_else(gone)?, question).await
            })
        })
    }

    pub(crate) fn of(&self, live: &Arc<Live>) {
        // It is set once, before the run begins.
        let _ = self.0.set(Arc::downgrade(live));
    }
}

/// For runs that are not recorded: no answer could find them later.
pub(crate) fn none() -> Asks {
    Asks::new(|_| {
        let message = "only a run that is recorded can wait for a person";
        let help = "submit the work with `job_submit`, or call a served script";
        Box::pin(std::future::ready(Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("{message}: {help}"),
        ))))
    })
}

/// A question is open until this is dropped.
struct Open {
    asked: Arc<Asked>,
    path: String,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.asked.open().remove(&self.path);
        self.asked.changed.notify_one();
    }
}

impl Asked {
    fn open(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(self: &Arc<Self>, path: &str, id: &str) -> Open {
        self.open().insert(path.to_owned(), id.to_owned());
        self.changed.notify_one();
        Open { asked: self.clone(), path: path.to_owned() }
    }

    /// The ids of the open questions.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.open().values().cloned().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open().is_empty()
    }

    /// Waits until a question is asked or answered.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

/// The calls of a run that have begun and not ended.
#[derive(Default)]
pub(crate) struct Busy {
    /// The paths of calls, and whether each may be a question that waits for its turn.
    calls: BTreeMap<String, bool>,
    /// Whether events were missed: then it is not known what goes on.
    is_unsure: bool,
}

impl Busy {
    pub(crate) fn note(&mut self, event: &RunEvent) {
        match &event.what {
            Happened::Started { component } => {
                let asks = matches!(component.as_str(), "approve" | "approval.approve");
                self.calls.insert(event.path.clone(), asks);
            }
            Happened::Finished { .. } | Happened::Failed { .. } => {
                self.calls.remove(&event.path);
            }
            Happened::Missed { .. } => self.is_unsure = true,
            _ => {}
        }
    }

    /// Whether every call waits for an answer: it asks itself, or contains a call that does.
    pub(crate) fn only_asks(&self, asked: &Asked) -> bool {
        let open = asked.open();
        let waits =
            |(path, asks): (&String, &bool)| *asks || open.keys().any(|it| is_within(it, path));
        !open.is_empty() && !self.is_unsure && self.calls.iter().all(waits)
    }
}

/// Whether a call is another one, or inside of it.
fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|it| it.is_empty() || it.starts_with(['/', '[']))
}

impl Jobs {
    /// Asks a question of a run, and waits for the answer.
    async fn asked(&self, live: &Arc<Live>, question: Question) -> io::Result<bool> {
        let refused = |fault: Fault| io::Error::other(fault.message);
        let job = self.adopted(live).await.map_err(refused)?;
        let row = self.kept_question(&job, AskKind::Ask, question).await.map_err(refused)?;
        let mut changed = self.0.changed.subscribe();
        // As long as it is there, the run may end for now.
        let mut open = None;
        loop {
            let found = self.book().approval(&row.owner, &row.id);
            let found = found.map_err(|err| io::Error::other(err.message))?;
            match found.map(|it| it.state) {
                Some(ApprovalState::Approved) => return Ok(true),
                Some(ApprovalState::Rejected) => return Ok(false),
                Some(ApprovalState::Open) => {}
                Some(ApprovalState::Expired) | None => {
                    let message = "no one answered in time";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, message));
                }
            }
            open.get_or_insert_with(|| live.asked.begin(&row.path, &row.id));
            Self::next_change(&mut changed, Duration::from_secs(1)).await;
        }
    }

    /// Asks a question for a job, or finds it if it was asked before.
    pub(super) async fn kept_question(
        &self,
        job: &JobRow,
        kind: AskKind,
        question: Question,
    ) -> Result<ApprovalRow, Fault> {
        let now = self.now();
        let new = NewApproval {
            id: self.new_id("apr_"),
            owner: job.owner.clone(),
            job: job.no,
            kind,
            run: job.run.clone(),
            path: question.path,
            question: question.text,
            details: question.details,
            asked: now,
            expires: after(now, OPEN),
        };
        let row = self.book().ask(new).await?;
        self.tell();
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_contains_only_what_is_below_it() {
        for inner in ["each", "each[3]", "each[3]/approve", "each/approve"] {
            assert!(is_within(inner, "each"), "{inner}");
        }
        for (inner, outer) in [("each10/approve", "each1"), ("approve", "approve2"), ("a", "b")] {
            assert!(!is_within(inner, outer), "{inner} {outer}");
        }
    }
}
