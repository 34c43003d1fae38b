//! The door: calls in, answers out.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use svc_contract::{
    registry::{CallerTier, Tier},
    store::RunId,
};
use svc_engine::{CancellationToken, Engine};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Answer, Call, Fault, Folder, Live, Resolved, Served, Why, components,
    runs::{Registry, Start},
};

/// Who calls. It is lent to the components of this crate.
#[derive(Clone, Debug)]
pub struct Caller {
    pub tier: Tier,
    /// Whether the experimental tools are included.
    pub is_experimental: bool,
    /// The version of the program.
    pub version: String,
}

impl Caller {
    /// The person at this machine: everything but what is for administrators.
    pub fn local(version: &str) -> Self {
        Self { tier: Tier::Builder, is_experimental: true, version: version.to_owned() }
    }

    /// Whether a tool of this tier is included.
    pub fn may_call(&self, tier: Tier) -> bool {
        match tier {
            Tier::Bias => self.is_experimental,
            other => other <= self.tier,
        }
    }
}

/// What a service offers, and how much of it at once.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of scripts to serve.
    pub folder: Option<PathBuf>,
    /// How many runs are computed at the same time.
    pub at_once: usize,
    /// How many calls may wait for that.
    pub waiting: usize,
    pub caller: Caller,
}

impl Options {
    /// Four runs for each core, and at least eight.
    pub fn new(version: &str) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let at_once = (4 * cores).max(8);
        Self { folder: None, at_once, waiting: 256, caller: Caller::local(version) }
    }
}

/// How long cancelled runs may take to end.
const CANCELLED: Duration = Duration::from_millis(1500);

/// Makes calls from outside, for every entry layer. Cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    /// For calls that are not recorded.
    engine: Engine,
    /// With the store of runs, if there is one.
    kept: Engine,
    has_store: bool,
    caller: Caller,
    folder: Option<Folder>,
    slots: Arc<Semaphore>,
    at_once: usize,
    waiting: AtomicUsize,
    most_waiting: usize,
    runs: Registry,
    stopping: CancellationToken,
    started: Instant,
}

impl Service {
    /// A service on an engine; `kept` is the same engine with a store of runs.
    pub fn new(engine: Engine, kept: Option<Engine>, options: Options) -> Self {
        let store = kept.as_ref().and_then(|it| it.store().cloned());
        let tier = CallerTier(options.caller.tier);
        let prepared = |it: Engine| {
            let it = it.with(components::ALL).lend(Arc::new(options.caller.clone()));
            let it = it.lend(Arc::new(tier));
            match &store {
                Some(store) => it.lend(Arc::new(components::KeptStore(store.clone()))),
                None => it,
            }
        };
        let has_store = kept.is_some();
        let kept = prepared(kept.unwrap_or_else(|| engine.clone()));
        let folder = options.folder.map(|it| Folder::new(it, kept.clone()));
        Self(Arc::new(Inner {
            engine: prepared(engine),
            kept,
            has_store,
            caller: options.caller,
            folder,
            slots: Arc::new(Semaphore::new(options.at_once)),
            at_once: options.at_once,
            waiting: AtomicUsize::new(0),
            most_waiting: options.waiting,
            runs: Registry::default(),
            stopping: CancellationToken::new(),
            started: Instant::now(),
        }))
    }

    /// The engine of calls that are not recorded, with the components of this crate.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The engine with the store of runs.
    pub fn kept(&self) -> Option<&Engine> {
        self.0.has_store.then_some(&self.0.kept)
    }

    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// Whether calls are accepted, or why not.
    pub fn accepts(&self) -> Result<(), Fault> {
        if self.0.slots.is_closed() { Err(stopping()) } else { Ok(()) }
    }

    /// The time since the start of the service.
    pub fn uptime(&self) -> Duration {
        self.0.started.elapsed()
    }

    /// The served folder.
    pub fn folder(&self) -> Option<&Folder> {
        self.0.folder.as_ref()
    }

    /// A served script.
    pub fn served(&self, name: &str) -> Result<Arc<Served>, Fault> {
        match &self.0.folder {
            Some(folder) => folder.find(name),
            None => Err(Fault::not_found(format!("unknown script `{name}`"))
                .help("no folder of scripts is served: start the server with one")),
        }
    }

    /// What a call means, if its caller may make it. Nothing has run.
    pub fn resolve(&self, call: Call) -> Result<Resolved, Fault> {
        let engine = &self.0.engine;
        let resolved = Resolved::of(call, engine, &|name| self.served(name))?;
        resolved.authorise(engine, self.0.caller.tier)?;
        Ok(resolved)
    }

    /// Makes a call and waits for its answer. Dropping the future cancels the run.
    pub async fn call(&self, call: Call) -> Result<Answer, Fault> {
        let resolved = self.resolve(call)?;
        if resolved.is_kept || resolved.reports().len() > 1 {
            let live = self.start(resolved)?;
            let guard = live.cancelling();
            let answer = live.ended().await;
            guard.keep();
            return answer;
        }
        let _slot = self.slot().await?;
        let begun = Instant::now();
        let engine = &self.0.engine;
        let request = resolved.request(engine).cancelled_by(self.0.stopping.child_token());
        let response = request.await.map_err(|err| resolved.failure(engine, err))?;
        resolved.answered(Answer {
            value: response.value,
            run: None,
            usage: response.usage,
            took: begun.elapsed(),
            steps: resolved.reports(),
        })
    }

    /// Starts a call as a run that outlives its caller. A script is recorded, if there is a store.
    pub fn start(&self, resolved: Resolved) -> Result<Arc<Live>, Fault> {
        let place = self.place()?;
        let engine = if resolved.is_kept { &self.0.kept } else { &self.0.engine };
        let service = self.clone();
        let slot = async move { service.slot_at(place).await };
        let cancel = self.0.stopping.child_token();
        Ok(self.0.runs.start(Start { engine: engine.clone(), resolved, cancel }, slot))
    }

    /// A run that goes on, or has ended a while ago.
    pub fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.0.runs.find(id)
    }

    /// The runs that go on.
    pub fn running(&self) -> Vec<Arc<Live>> {
        self.0.runs.running()
    }

    /// Continues a stored run where it stopped.
    pub fn resume(&self, id: &RunId) -> Result<Arc<Live>, Fault> {
        if let Some(live) = self.live(id.as_str())
            && live.outcome().is_none()
        {
            return Err(Fault::new(Why::Conflict, format!("the run {id} is still running")));
        }
        let place = self.place()?;
        let service = self.clone();
        let slot = async move { service.slot_at(place).await };
        let cancel = self.0.stopping.child_token();
        self.0.runs.resume(&self.0.kept, id, cancel, slot)
    }

    /// Accepts nothing more, lets runs end for a while, then cancels them: a stored one can be
    /// resumed.
    pub async fn stop(&self, drain: Duration) {
        self.0.slots.close();
        if tokio::time::timeout(drain, self.idle()).await.is_err() {
            self.0.stopping.cancel();
            let _ = tokio::time::timeout(CANCELLED, self.idle()).await;
        }
    }

    /// Waits until nothing runs.
    async fn idle(&self) {
        while self.0.slots.available_permits() < self.0.at_once || !self.running().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn slot(&self) -> Result<OwnedSemaphorePermit, Fault> {
        let place = self.place()?;
        self.slot_at(place).await
    }

    /// A place in the queue for a slot; too many waiting calls are refused.
    fn place(&self) -> Result<Waiting, Fault> {
        if self.0.slots.is_closed() {
            return Err(stopping());
        }
        let before = self.0.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Waiting(self.clone());
        if before >= self.0.most_waiting && self.0.slots.available_permits() == 0 {
            let message = "too many calls wait for a free place";
            return Err(Fault::new(Why::Busy, message).retry_after(Duration::from_secs(1)));
        }
        Ok(place)
    }

    async fn slot_at(&self, place: Waiting) -> Result<OwnedSemaphorePermit, Fault> {
        let slot = self.0.slots.clone().acquire_owned().await.map_err(|_| stopping());
        drop(place);
        slot
    }
}

fn stopping() -> Fault {
    Fault::new(Why::Stopping, "the server is stopping").retry_after(Duration::from_secs(1))
}

/// A place in the queue, which is given back when it is dropped.
struct Waiting(Service);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
