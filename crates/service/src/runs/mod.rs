//! Runs that were started from outside, by their names.

mod live;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use svc_contract::{store::RunId, value::Money};
use svc_engine::{CancellationToken, Engine, Request};
use svc_store::book::JobRow;
use tokio::sync::OwnedSemaphorePermit;

pub(crate) use self::live::Halt;
pub use self::live::{Live, Numbered, RunEnd, Seen};
use crate::{
    Fault, Resolved,
    jobs::{Asking, Jobs},
    metrics::{Ending, Metrics},
    permit::{Permit, settle},
};

/// How many ended runs are kept in memory for readers that come late.
const MOST_ENDED: usize = 1000;

/// How long an ended run is kept in memory.
const KEPT: Duration = Duration::from_mins(10);

/// How many runs are added before those to forget are looked for again: that looks at all of them.
const BETWEEN: usize = 64;

/// The runs of a service.
#[derive(Default)]
pub(crate) struct Registry {
    all: Mutex<All>,
    pub(crate) metrics: Arc<Metrics>,
}

#[derive(Default)]
struct All {
    runs: HashMap<String, Arc<Live>>,
    /// How many were added since some were forgotten.
    added: usize,
}

/// The wait for a place among the runs that are computed at the same time.
pub(crate) trait Slot:
    Future<Output = Result<OwnedSemaphorePermit, Fault>> + Send + 'static
{
}

impl<F> Slot for F where F: Future<Output = Result<OwnedSemaphorePermit, Fault>> + Send + 'static {}

/// Whose run it is.
pub(crate) struct Of {
    pub(crate) owner: String,
    /// The job whose run it is.
    pub(crate) job: Option<JobRow>,
}

/// What is needed to start a run.
pub(crate) struct Start {
    pub(crate) engine: Engine,
    pub(crate) resolved: Resolved,
    pub(crate) cancel: CancellationToken,
    /// The name of the run, if it is stored.
    pub(crate) id: Option<RunId>,
    pub(crate) permit: Permit,
    /// What other runs have paid for the calls that it takes over.
    pub(crate) paid: Money,
    pub(crate) jobs: Option<Jobs>,
    pub(crate) of: Of,
    /// The run whose calls it takes over.
    pub(crate) over: Option<RunId>,
}

/// What is needed to resume a run.
pub(crate) struct Continued {
    pub(crate) engine: Engine,
    pub(crate) id: RunId,
    pub(crate) cancel: CancellationToken,
    pub(crate) permit: Permit,
    /// The cap by the limits of its caller.
    pub(crate) cap: Option<Money>,
    /// What other runs have paid for the calls that it took over.
    pub(crate) paid: Money,
    pub(crate) jobs: Option<Jobs>,
    pub(crate) of: Of,
    /// The call that began it, if it is known.
    pub(crate) resolved: Option<Resolved>,
    /// The writes that may be repeated.
    pub(crate) retry: Vec<String>,
}

/// What is needed at the end of a run.
struct After {
    permit: Permit,
    paid: Money,
    engine: Engine,
    resolved: Option<Resolved>,
}

impl Registry {
    /// Starts a run, which waits for its slot first.
    pub(crate) fn start(&self, start: Start, slot: impl Slot) -> Result<Arc<Live>, Fault> {
        let Start { engine, resolved, cancel, id, permit, paid, jobs, of, over } = start;
        let asking = Asking::default();
        let engine = lending(engine, jobs.filter(|_| id.is_some()), &asking);
        let mut request = resolved.request(&engine).acknowledged();
        let is_stored = id.is_some();
        if let Some(id) = &id {
            request = request.named(id.clone());
        }
        if let Some(over) = over {
            request = request.taking_over(over.as_str())?;
        }
        let request = request.cancelled_by(cancel.clone()).into_owned();
        let id = id.unwrap_or_else(|| RunId::new(engine.host().now()));
        let live = Live::new(id, Some(&resolved), is_stored, cancel, of);
        asking.of(&live);
        let after = After { permit, paid, engine, resolved: Some(resolved) };
        Ok(self.follow(live, request, slot, after))
    }

    /// Resumes a stored run.
    pub(crate) fn resume(&self, it: Continued, slot: impl Slot) -> Result<Arc<Live>, Fault> {
        let Continued { engine, id, cancel, permit, cap, paid, jobs, of, resolved, retry } = it;
        let asking = Asking::default();
        let engine = lending(engine, jobs, &asking);
        let mut request = engine.resume(id.as_str())?.acknowledged().cancelled_by(cancel.clone());
        if let Some(resolved) = &resolved {
            request = resolved.unmasked(request);
        }
        if let Some(cap) = cap {
            request = request.at_most(cap);
        }
        let request = retry.iter().fold(request, |it, path| it.retry_write(path)).into_owned();
        let live = Live::new(id, resolved.as_ref(), true, cancel, of);
        asking.of(&live);
        Ok(self.follow(live, request, slot, After { permit, paid, engine, resolved }))
    }

    /// Follows a run to its end, in a task of its own.
    fn follow(
        &self,
        live: Arc<Live>,
        request: Request<'static>,
        slot: impl Slot,
        after: After,
    ) -> Arc<Live> {
        self.add(live.clone());
        let (run, metrics) = (live.clone(), self.metrics.clone());
        tokio::spawn(async move {
            let After { mut permit, paid, engine, resolved } = after;
            permit.begin();
            let ended = run.run(request, resolved.as_ref(), slot, &metrics).await;
            let largest = permit.largest_result();
            settle(permit, &ended, paid).await;
            let ended = match ended {
                Ok(Ok(answer)) => Ok(Ok(answer.rated(&engine, resolved.as_ref()).await)),
                other => other,
            };
            let ended = run.outcome_of(ended, resolved.as_ref(), &engine);
            let ended = ended.and_then(|it| it.within(largest));
            metrics.ended(Ending::of(&ended));
            run.end(ended);
        });
        live
    }

    /// The run of this name.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Live>> {
        self.all().runs.get(id).cloned()
    }

    /// The runs that have not ended.
    pub(crate) fn running(&self) -> Vec<Arc<Live>> {
        self.all().runs.values().filter(|it| it.outcome().is_none()).cloned().collect()
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, live: Arc<Live>) {
        let mut all = self.all();
        if all.added >= BETWEEN {
            all.forget();
        }
        all.added += 1;
        all.runs.insert(live.id().to_string(), live);
    }
}

/// The engine of one run, whose questions are kept.
fn lending(engine: Engine, jobs: Option<Jobs>, asking: &Asking) -> Engine {
    match jobs {
        Some(jobs) => engine.lend(Arc::new(asking.lent(jobs))),
        None => engine,
    }
}

impl All {
    /// Forgets the ended runs that are old, and the oldest ones beyond the limit.
    fn forget(&mut self) {
        let now = Instant::now();
        let is_old = |at: Instant| now.saturating_duration_since(at) >= KEPT;
        self.added = 0;
        self.runs.retain(|_, it| it.ended_at().is_none_or(|at| !is_old(at)));
        let Some(many) = self.runs.len().checked_sub(MOST_ENDED) else { return };
        let ended = |(id, it): (&String, &Arc<Live>)| Some((it.ended_at()?, id.clone()));
        let mut old: Vec<(Instant, String)> = self.runs.iter().filter_map(ended).collect();
        old.sort();
        for (_, id) in old.into_iter().take(many) {
            self.runs.remove(&id);
        }
    }
}
