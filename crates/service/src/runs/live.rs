//! A run that was started: its events, its end, and how to stop it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use svc_contract::{
    registry::{ErrorKind, Usage},
    store::{RunId, StoreErrorKind},
};
use svc_engine::{
    CancellationToken, Engine, Error, Happened, Request, Response, RunEvent, Running,
};
use svc_store::book::JobRow;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, watch};

use super::{Of, Slot};
use crate::{
    Answer, Fault, Resolved, StepReport, Why,
    fault::store_error,
    jobs::{Asked, Busy, NewWork, QUIET},
    metrics::Metrics,
};

/// The most events of a run that a late reader can still get.
const MOST_EVENTS: usize = 1000;

/// A run that was started.
pub struct Live {
    id: RunId,
    name: String,
    is_stored: bool,
    cancel: CancellationToken,
    state: Mutex<State>,
    /// Whose job it becomes.
    pub(crate) owner: String,
    /// What would make a job of it.
    pub(crate) work: Option<NewWork>,
    /// Its job.
    pub(crate) job: OnceCell<JobRow>,
    /// The questions that it waits for.
    pub(crate) asked: Arc<Asked>,
    /// Counts the events and the end, so that readers can wait for the next one.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    events: VecDeque<Numbered>,
    /// The number of the next event.
    next: u64,
    has_begun: bool,
    outcome: Option<RunEnd>,
    ended: Option<Instant>,
    steps: Vec<StepReport>,
    halt: Option<Halt>,
    /// What a failed run used.
    used: Usage,
}

/// Why a run ended, if it goes on later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// It waits for the answers to these questions.
    Asked(Vec<String>),
    /// It is unknown whether this call wrote.
    InDoubt(String),
    /// Another process works on it.
    Claimed,
    /// It cannot be recorded, since no space is left.
    Full,
}

impl Halt {
    fn of(error: &Error) -> Option<Self> {
        if let Some(path) = error.write_in_doubt() {
            return Some(Self::InDoubt(path.to_owned()));
        }
        let Error::Run { error, .. } = error else { return None };
        match store_error(&error.error)?.kind {
            StoreErrorKind::Claimed { .. } => Some(Self::Claimed),
            StoreErrorKind::Full => Some(Self::Full),
            _ => None,
        }
    }
}

/// An event with its number, from 1.
#[derive(Clone, Debug)]
pub struct Numbered {
    pub number: u64,
    pub event: Arc<RunEvent>,
}

/// The end of a run.
pub type RunEnd = Result<Answer, Fault>;

/// What a reader gets next.
#[derive(Clone, Debug)]
pub enum Seen {
    Event(Numbered),
    /// The reader came too late for some events: the next one is this.
    Gap(u64),
    Ended(Box<RunEnd>),
}

impl Live {
    pub(super) fn new(
        id: RunId,
        resolved: Option<&Resolved>,
        is_stored: bool,
        cancel: CancellationToken,
        of: Of,
    ) -> Arc<Self> {
        let Of { owner, job } = of;
        let work = resolved.and_then(Resolved::as_job);
        let (job, asked) = (OnceCell::new_with(job), Arc::default());
        let name = resolved.map(Resolved::name).unwrap_or_default();
        let steps = resolved.map(Resolved::reports).unwrap_or_default();
        let state = Mutex::new(State { next: 1, steps, ..State::default() });
        let (changed, _) = watch::channel(0);
        Arc::new(Self { id, name, is_stored, cancel, state, owner, work, job, asked, changed })
    }

    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Whose run it is.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The script or the ops that run.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the run is in the store.
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// `queued`, `running`, `waiting`, `done`, `failed` or `cancelled`.
    pub fn word(&self) -> &'static str {
        let state = self.state();
        match &state.outcome {
            None if state.has_begun => "running",
            None => "queued",
            Some(Ok(_)) => "done",
            Some(Err(_)) if state.is_waiting() => "waiting",
            Some(Err(fault)) if fault.why == Why::Op(ErrorKind::Cancelled) => "cancelled",
            Some(Err(_)) => "failed",
        }
    }

    /// The end, if the run has ended.
    pub fn outcome(&self) -> Option<RunEnd> {
        self.state().outcome.clone()
    }

    /// Ends the run: nothing new starts, and its result is the error `cancelled`.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether it has ended for now, since a person has to answer.
    pub fn is_waiting(&self) -> bool {
        self.state().is_waiting()
    }

    /// The job of the run, if it has one.
    pub fn job_id(&self) -> Option<&str> {
        self.job.get().map(|it| it.id.as_str())
    }

    pub(crate) fn halt(&self) -> Option<Halt> {
        self.state().halt.clone()
    }

    /// What a failed run used.
    pub(crate) fn used(&self) -> Usage {
        self.state().used
    }

    pub(crate) fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Ends the run for now if nothing happens in it but questions.
    fn park(&self, busy: &Busy) {
        if !busy.only_asks(&self.asked) {
            return;
        }
        self.state().halt = Some(Halt::Asked(self.asked.ids()));
        self.cancel.cancel();
    }

    /// Cancels the run when the guard is dropped.
    pub(crate) fn cancelling(&self) -> Cancelling {
        Cancelling(Some(self.cancel.clone()))
    }

    /// Waits until the run has begun, and a stored one can be resumed whatever happens, or until
    /// it has ended.
    pub async fn begun(&self) {
        let mut changed = self.changed.subscribe();
        let is_over = |state: &State| state.outcome.is_some() || state.next > 1;
        loop {
            if is_over(&self.state()) {
                return;
            }
            // The sender lives as long as this run.
            let _ = changed.changed().await;
        }
    }

    /// The number of the last event so far.
    pub fn latest(&self) -> u64 {
        self.state().next - 1
    }

    /// Whether its start is in the store.
    pub(crate) fn is_recorded(&self) -> bool {
        self.state().next > 1
    }

    /// Waits for the end.
    pub async fn ended(&self) -> RunEnd {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            // The sender lives as long as this run.
            let _ = changed.changed().await;
        }
    }

    /// The next event after the one with this number, or the end; waits for it.
    pub async fn next(&self, after: u64) -> Seen {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(seen) = self.seen(after) {
                return seen;
            }
            let _ = changed.changed().await;
        }
    }

    fn seen(&self, after: u64) -> Option<Seen> {
        let state = self.state();
        let first = state.events.front().map(|it| it.number);
        match first {
            Some(first) if first > after + 1 => return Some(Seen::Gap(first)),
            _ => {}
        }
        let wanted = state.events.iter().find(|it| it.number > after);
        match (wanted, &state.outcome) {
            (Some(event), _) => Some(Seen::Event(event.clone())),
            (None, Some(outcome)) => Some(Seen::Ended(Box::new(outcome.clone()))),
            (None, None) => None,
        }
    }

    /// When it ended.
    pub(super) fn ended_at(&self) -> Option<Instant> {
        self.state().ended
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: RunEvent) {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.events.push_back(Numbered { number, event: Arc::new(event) });
        if state.events.len() > MOST_EVENTS {
            state.events.pop_front();
        }
        drop(state);
        self.changed.send_modify(|it| *it += 1);
    }

    fn begin(&self) {
        self.state().has_begun = true;
        self.changed.send_modify(|it| *it += 1);
    }

    pub(super) fn end(&self, outcome: RunEnd) {
        let mut state = self.state();
        state.outcome = Some(outcome);
        state.ended = Some(Instant::now());
        drop(state);
        self.changed.send_modify(|it| *it += 1);
    }
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live")
            .field("id", &self.id)
            .field("state", &self.word())
            .finish_non_exhaustive()
    }
}

impl State {
    fn is_waiting(&self) -> bool {
        let is_cancelled =
            |it: &RunEnd| matches!(it, Err(fault) if fault.why == Why::Op(ErrorKind::Cancelled));
        matches!(self.halt, Some(Halt::Asked(_))) && self.outcome.as_ref().is_some_and(is_cancelled)
    }
}

/// Cancels a run when it is dropped.
pub(crate) struct Cancelling(Option<CancellationToken>);

impl Cancelling {
    /// Lets the run go on.
    pub(crate) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Cancelling {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.cancel();
        }
    }
}

impl Live {
    /// Waits for a slot, then runs to the end: the answer, or why the run has none.
    pub(super) async fn run(
        &self,
        request: Request<'static>,
        resolved: Option<&Resolved>,
        slot: impl Slot,
        metrics: &Metrics,
    ) -> Result<Result<Answer, Error>, Fault> {
        let slot = waited(slot, &self.cancel).await?;
        self.begin();
        let begun = Instant::now();
        let mut running = request.start();
        watch_events(self, &mut running, resolved, metrics).await;
        let ended = running.await;
        drop(slot);
        Ok(ended.map(|it| self.answer(it, begun.elapsed())))
    }

    /// The end of the run in the shape of the call.
    pub(super) fn outcome_of(
        &self,
        ended: Result<Result<Answer, Error>, Fault>,
        resolved: Option<&Resolved>,
        engine: &Engine,
    ) -> RunEnd {
        let error = match (ended?, resolved) {
            (Ok(answer), Some(resolved)) => return resolved.answered(answer),
            (Ok(answer), None) => return Ok(answer),
            (Err(error), _) => error,
        };
        {
            let mut state = self.state();
            state.halt = state.halt.take().or_else(|| Halt::of(&error));
            if let Error::Run { error, .. } = &error {
                state.used = error.usage;
            }
        }
        Err(match resolved {
            Some(resolved) => resolved.failure(engine, error),
            None => Fault::of_run(&error),
        })
    }

    /// Adds what an event says about a step.
    fn count(&self, event: &RunEvent, resolved: &Resolved) {
        let Some(idx) = resolved.step_of(&event.node) else { return };
        let mut state = self.state();
        let Some(step) = state.steps.get_mut(idx) else { return };
        match &event.what {
            Happened::Finished { took_ms, .. } => step.took += Duration::from_millis(*took_ms),
            Happened::Failed { took_ms, error, .. } => {
                step.took += Duration::from_millis(*took_ms);
                (step.ok, step.error) = (false, Some(error.message.clone()));
            }
            _ => {}
        }
    }

    fn answer(&self, response: Response, took: Duration) -> Answer {
        Answer {
            value: response.value,
            run: self.is_stored.then(|| self.id.clone()),
            usage: response.usage,
            output_tokens: response.output_tokens,
            took,
            steps: self.state().steps.clone(),
            quality: None,
        }
    }
}

/// Waits for a slot, unless the run is cancelled first.
async fn waited(
    slot: impl Slot,
    cancel: &CancellationToken,
) -> Result<OwnedSemaphorePermit, Fault> {
    let cancelled = || Fault::new(Why::Op(ErrorKind::Cancelled), "cancelled before it began");
    cancel.run_until_cancelled(slot).await.unwrap_or_else(|| Err(cancelled()))
}

async fn watch_events(
    run: &Live,
    running: &mut Running,
    resolved: Option<&Resolved>,
    metrics: &Metrics,
) {
    let mut busy = Busy::default();
    loop {
        let is_asking = !run.asked.is_empty() && run.halt().is_none();
        let event = tokio::select! {
            event = running.events().next() => event,
            () = run.asked.changed() => continue,
            () = tokio::time::sleep(QUIET), if is_asking => {
                run.park(&busy);
                continue;
            }
        };
        let Some(event) = event else { return };
        metrics.seen(&event);
        busy.note(&event);
        if let Some(resolved) = resolved {
            run.count(&event, resolved);
        }
        let is_end = matches!(event.what, Happened::Ended { .. });
        // The outcome, which has the shape of the call, is the end.
        if !is_end {
            run.push(event);
        }
    }
}
