//! Work that would keep the thread of the run for too long: it moves to a thread of its own.
//!
//! A computation begins on the thread of the run, where most end within microseconds. One that
//! does not is given up and started again on another thread. It is pure, so nothing happens
//! twice, and the time that it had is short.

use std::{
    future::pending,
    panic::resume_unwind,
    sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

use svc_contract::{
    registry::OpError,
    value::{Value, memory},
};
use svc_lang::{
    check::{Term, TermKind},
    diag::Span,
    plan::GRACE,
};
use tokio::{sync::OwnedSemaphorePermit, task::JoinError};

use super::{
    Run,
    env::OwnedEnv,
    error::{Result, RunError},
    eval_async::Place,
    eval_sync::Now,
    events::Event,
    pace::{LIGHT, Pace},
    scope::Scope,
    swallowed::Continued,
};

/// The time that a run keeps its thread before it lets others work.
const SLICE: Duration = Duration::from_millis(1);

/// The time that a computation has before it moves, in a run where many move: somewhat more
/// than moving takes.
const SHORTEST: Duration = Duration::from_micros(60);

/// Values of this weight take long to free.
const BULKY: u64 = 64 << 10;

/// Since when the run has its thread.
pub(super) struct ThreadTime {
    begun: Instant,
    /// When the executor called the run last, in nanoseconds from `begun`.
    called: AtomicU64,
    /// The number of computations that moved.
    moved: AtomicU32,
}

impl ThreadTime {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), called: AtomicU64::new(0), moved: AtomicU32::new(0) }
    }

    /// Notes that the executor calls the run.
    pub(super) fn begins(&self) {
        let called = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.called.store(called, Relaxed);
    }

    /// Returns when a computation that begins now has to end; `None` if others have to work first.
    fn brief(&self) -> Option<Pace> {
        let now = Instant::now();
        let called = self.begun + Duration::from_nanos(self.called.load(Relaxed));
        let share = SLICE / (1 + self.moved.load(Relaxed));
        (now < called + SLICE).then(|| Pace::brief(now + share.max(SHORTEST)))
    }
}

/// The pace of a computation that gives up soon.
pub(super) fn brief_pace() -> Pace {
    Pace::brief(Instant::now() + SLICE)
}

impl Run {
    /// The value of a term without slow calls.
    pub(super) async fn at_once(&self, term: &Term, place: Place<'_>) -> Result<Value> {
        match &term.kind {
            TermKind::Const(value) => return Ok(value.clone()),
            TermKind::Var(var) => return Ok(place.env.get(*var).clone()),
            _ => {}
        }
        let ended = match self.briefly(term, place) {
            Some(ended) => ended,
            None => Box::pin(self.at_length(term, place)).await,
        };
        ended.map_err(|err| placed(err, place))
    }

    async fn at_length(&self, term: &Term, place: Place<'_>) -> Result<Value> {
        if self.thread_time.brief().is_none() {
            tokio::task::yield_now().await;
            if let Some(ended) = self.briefly(term, place) {
                return ended;
            }
        }
        self.thread_time.moved.fetch_add(1, Relaxed);
        self.on_its_thread(term, place).await
    }

    /// The value of a term without slow calls that takes long.
    pub(super) async fn moved(&self, term: &Term, place: Place<'_>) -> Result<Value> {
        self.on_its_thread(term, place).await.map_err(|err| placed(err, place))
    }

    async fn on_its_thread(&self, term: &Term, place: Place<'_>) -> Result<Value> {
        let (term, env, scope) = (term.clone(), OwnedEnv::of(place.env), place.scope.clone());
        let span = term.span;
        let work = move || {
            let pace = Pace::patient();
            let ended = env.lend(|env| Now { scope: &scope, pace: &pace }.eval(&term, env));
            Ok((scope.unless_full(ended, span), pace.swallowed.take()))
        };
        let (ended, swallowed) = self.aside(place.scope, span, work).await?;
        self.tell(&swallowed, place);
        ended
    }

    /// Reports the failures that a computation swallowed.
    fn tell(&self, swallowed: &[Continued], place: Place<'_>) {
        for Continued { error, count } in swallowed {
            self.emit(place.path, &Event::swallowed(error, *count));
        }
    }

    /// The value of a term that is computed within its time.
    fn briefly(&self, term: &Term, place: Place<'_>) -> Option<Result<Value>> {
        let pace = self.thread_time.brief()?;
        let ended = Now { scope: place.scope, pace: &pace }.eval(term, place.env);
        if pace.has_given_up() {
            return None;
        }
        self.tell(&pace.swallowed.take(), place);
        Some(ended)
    }

    /// Does work over values of this weight: at once if that is brief, or else aside.
    pub(super) async fn weighed<T: Send + 'static>(
        &self,
        weight: u64,
        scope: &Scope,
        span: Span,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if weight <= LIGHT { work() } else { Box::pin(self.aside(scope, span, work)).await }
    }

    /// Does work on a thread of its own, when a worker is free.
    pub(super) async fn aside<T: Send + 'static>(
        &self,
        scope: &Scope,
        span: Span,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let worker = self.worker(scope, span).await?;
        match on_thread(Some(worker), scope, work).await {
            Some(Ok(ended)) => ended,
            Some(Err(_)) => Err(RunError::new(OpError::bug("the engine panicked"), span)),
            None => Err(RunError::cancelled(span)),
        }
    }

    /// Waits for a worker.
    pub(super) async fn worker(&self, scope: &Scope, span: Span) -> Result<OwnedSemaphorePermit> {
        let free = scope.cancel.run_until_cancelled(self.workers.clone().acquire_owned()).await;
        free.and_then(std::result::Result::ok).ok_or_else(|| RunError::cancelled(span))
    }
}

/// A failure inside an immediate computation, with the whole path of its node.
fn placed(mut err: Box<RunError>, place: Place<'_>) -> Box<RunError> {
    err.path = match err.path.as_str() {
        "" => place.path.to_string(),
        inner => place.path.name(inner).to_string(),
    };
    err
}

/// Does work over values of this weight that no cancel may stop, such as recording a result that
/// was paid for.
pub(crate) async fn finish<T: Send + 'static>(
    weight: u64,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if weight <= LIGHT {
        return work();
    }
    match tokio::task::spawn_blocking(work).await.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        // The executor shuts down, and does not call the run again.
        Err(Err(_)) => pending().await,
    }
}

/// Frees a value: on another thread if that takes long.
pub(super) async fn free(value: Value) {
    if value.weight() > BULKY {
        // At shutdown, the executor frees the value itself.
        let _ = tokio::task::spawn_blocking(move || drop(value)).await;
    }
}

pub(super) fn weight_of(values: &[Value]) -> u64 {
    values.iter().map(Value::weight).fold(0, u64::saturating_add)
}

/// Does work on a thread of its own, which keeps the worker until the work ends. Returns `None`
/// if it does not end within its grace period after a cancel.
pub(super) async fn on_thread<T: Send + 'static>(
    worker: Option<OwnedSemaphorePermit>,
    scope: &Scope,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<std::result::Result<T, JoinError>> {
    let memory = scope.memory.clone();
    let mut task = tokio::task::spawn_blocking(move || {
        let _worker = worker;
        let _entered = memory::enter(&memory);
        work()
    });
    let watched = scope.cancel.run_until_cancelled(while_it_fits(&mut task, &scope.memory));
    match watched.await.flatten() {
        Some(joined) => Some(joined),
        // It was cancelled, or notices by itself that no memory is left.
        None => tokio::time::timeout(GRACE, &mut task).await.ok(),
    }
}

/// Waits for a computation as long as its memory fits.
async fn while_it_fits<T>(
    mut task: impl Future<Output = T> + Unpin,
    memory: &memory::Account,
) -> Option<T> {
    /// The interval between two measurements.
    const MEASURED: Duration = Duration::from_millis(20);
    loop {
        match tokio::time::timeout(MEASURED, &mut task).await {
            Ok(ended) => return Some(ended),
            Err(_) if memory.look().is_some() => return None,
            Err(_) => {}
        }
    }
}
