//! The door: calls in, answers out.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use svc_contract::{
    registry::ErrorKind,
    store::{Run, RunId, Store as _},
    value::Money,
};
use svc_engine::{CancellationToken, Engine};
use svc_lang::plan::Policy;
use svc_store::SqliteStore;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::{
    Answer, Call, Caller, Entrance, Fault, Folder, Live, Resolved, Served, Turned, Visitor, Why,
    Work,
    access::{
        key::KeyId,
        rates::Window,
        roles::{AccessPolicy, PolicyError},
    },
    components,
    gate::Gate,
    metrics::{Ending, Gauges, Metrics},
    once,
    owner::Owners,
    permit::{self, Note, Permit, Spending, Wish},
    refused::{Refused, test},
    runs::{Registry, Resume, Start},
};

/// What a service offers, and how much of it at once.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of scripts to serve.
    pub folder: Option<PathBuf>,
    /// The folders that every owner can read.
    pub shared: Vec<PathBuf>,
    /// How many runs are computed at the same time.
    pub at_once: usize,
    /// How many calls may wait for that.
    pub waiting: usize,
    /// Whose calls are answered; without it, only those of this process.
    pub entrance: Option<Entrance>,
    pub version: String,
}

impl Options {
    /// Four runs for each core, and at least eight.
    pub fn new(version: &str) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let at_once = (4 * cores).max(8);
        Self {
            folder: None,
            shared: Vec::new(),
            at_once,
            waiting: 256,
            entrance: None,
            version: version.to_owned(),
        }
    }
}

/// How long cancelled runs may take to end.
const CANCELLED: Duration = Duration::from_millis(1500);

/// The most keys whose engines are kept ready.
const MOST_SIDES: usize = 1024;

/// Makes calls from outside, for every entry layer, on behalf of one caller. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    shared: Arc<Shared>,
    side: Arc<Side>,
    /// Where the caller came from, for the audit.
    surface: &'static str,
}

/// What all callers share.
struct Shared {
    folder: Option<Folder>,
    gate: Option<Arc<Gate>>,
    owners: Option<Owners>,
    sides: Mutex<HashMap<KeyId, Arc<Side>>>,
    slots: Arc<Semaphore>,
    at_once: usize,
    waiting: AtomicUsize,
    most_waiting: usize,
    runs: Registry,
    stopping: CancellationToken,
    started: Instant,
    /// The engine of the server, without a caller.
    engine: Engine,
    version: String,
}

/// What one caller has: engines with its rights, its files and its store.
struct Side {
    caller: Caller,
    /// For what the caller sends.
    sent: Engine,
    /// The same with the store of runs, if there is one.
    kept: Engine,
    /// For what the operator published, with that store.
    published: Engine,
    store: Option<Arc<SqliteStore>>,
}

impl Service {
    /// A service on an engine, with the store of the runs of this machine's user.
    pub fn new(
        engine: Engine,
        store: Option<Arc<SqliteStore>>,
        options: Options,
    ) -> Result<Self, PolicyError> {
        let engine = engine.with(components::ALL);
        let host = engine.host();
        let gate = options.entrance.map(|it| Gate::open(it, host)).transpose()?.map(Arc::new);
        let owners = gate.as_ref().map(|gate| {
            let folder = options.folder.as_deref();
            Owners::new(engine.clone(), gate.data(), &options.shared, folder)
        });
        let side = Side::local(&engine, store, &options.version);
        let folder = options.folder.map(|it| Folder::new(it, side.kept.clone()));
        let shared = Shared {
            folder,
            gate,
            owners,
            sides: Mutex::default(),
            slots: Arc::new(Semaphore::new(options.at_once)),
            at_once: options.at_once,
            waiting: AtomicUsize::new(0),
            most_waiting: options.waiting,
            runs: Registry::default(),
            stopping: CancellationToken::new(),
            started: Instant::now(),
            engine,
            version: options.version,
        };
        Ok(Self { shared: Arc::new(shared), side: Arc::new(side), surface: "local" })
    }

    /// The service for a visitor, or why they are not let in; and what is left of the tightest
    /// limit. Without keys, everybody at this machine is its user.
    pub async fn enter(&self, visitor: Visitor<'_>) -> Result<(Self, Option<Window>), Turned> {
        let Some(gate) = &self.shared.gate else { return Ok((self.clone(), None)) };
        let host = self.shared.engine.host();
        let Some(key) = gate.verify(visitor, host).await? else { return Ok((self.clone(), None)) };
        let side = self.side_of(gate, &key)?;
        let window = gate.admit(&side.caller, host).await?;
        let shared = self.shared.clone();
        Ok((Self { shared, side, surface: visitor.surface }, window))
    }

    /// Whether callers need a key now.
    pub fn needs_keys(&self) -> Result<bool, Fault> {
        match &self.shared.gate {
            Some(gate) => Ok(gate.needed(self.shared.engine.host())?.is_some()),
            None => Ok(false),
        }
    }

    /// Reads the policy file again. If it has a mistake, the old roles stay. Runs keep the roles
    /// with which they began.
    pub fn reload_policy(&self) -> Result<Option<AccessPolicy>, PolicyError> {
        let Some(gate) = &self.shared.gate else { return Ok(None) };
        gate.reload(self.shared.engine.host()).map(Some)
    }

    /// The engines of a key's holder. They are made again when the rights change.
    fn side_of(
        &self,
        gate: &Gate,
        key: &crate::access::keys::KeyInfo,
    ) -> Result<Arc<Side>, Turned> {
        let may_tune = gate.may_tune(key, self.shared.engine.host().now());
        let policy = gate.policy();
        let is_same = |it: &Caller| {
            it.policy == policy.version()
                && it.is_experimental == may_tune
                && *it.owner == *key.owner
        };
        if let Some(side) = self.sides().get(&key.id).filter(|it| is_same(&it.caller)) {
            return Ok(side.clone());
        }
        let caller = gate.caller(key, may_tune, &self.shared.version)?;
        let side = Arc::new(self.made(caller)?);
        let mut sides = self.sides();
        if sides.len() >= MOST_SIDES {
            sides.clear();
        }
        sides.insert(key.id, side.clone());
        Ok(side)
    }

    fn made(&self, caller: Caller) -> Result<Side, Turned> {
        let Some(owners) = &self.shared.owners else {
            return Err(Fault::not_found("this service has no owners").into());
        };
        let owner = owners.find(&caller.owner)?;
        let policy = caller.role.policy();
        let lent = Arc::new(caller.clone());
        let with = |it: &Engine| it.clone().with_policy(policy.clone()).lend(lent.clone());
        let stored = |it: Engine| it.with_store(owner.store.clone());
        let sent = with(&owner.sent);
        let (kept, published) = (stored(sent.clone()), stored(with(&owner.published)));
        Ok(Side { caller, sent, kept, published, store: Some(owner.store.clone()) })
    }

    fn sides(&self) -> MutexGuard<'_, HashMap<KeyId, Arc<Side>>> {
        self.shared.sides.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine of calls that are not recorded, with the components of this crate.
    pub fn engine(&self) -> &Engine {
        &self.side.sent
    }

    /// The engine of scripts of the served folder.
    pub fn published(&self) -> &Engine {
        &self.side.published
    }

    /// The store of the caller's runs.
    pub fn store(&self) -> Option<Arc<SqliteStore>> {
        self.side.store.clone()
    }

    pub fn caller(&self) -> &Caller {
        &self.side.caller
    }

    /// Whether calls are accepted, or why not.
    pub fn accepts(&self) -> Result<(), Fault> {
        if self.shared.slots.is_closed() { Err(stopping()) } else { Ok(()) }
    }

    /// What this service counts.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.runs.metrics
    }

    /// What it counted, in the text format of Prometheus.
    pub fn metrics_text(&self) -> String {
        let free = self.shared.slots.available_permits();
        self.metrics().text(&Gauges {
            running: self.shared.at_once.saturating_sub(free),
            waiting: self.shared.waiting.load(Ordering::Relaxed),
            uptime: self.uptime(),
            version: &self.shared.version,
        })
    }

    /// The time since the start of the service.
    pub fn uptime(&self) -> Duration {
        self.shared.started.elapsed()
    }

    /// The served folder.
    pub fn folder(&self) -> Option<&Folder> {
        self.shared.folder.as_ref()
    }

    /// A served script.
    pub fn served(&self, name: &str) -> Result<Arc<Served>, Fault> {
        match &self.shared.folder {
            Some(folder) => folder.find(name),
            None => Err(Fault::not_found(format!("unknown script `{name}`"))
                .help("no folder of scripts is served: start the server with one")),
        }
    }

    /// What a call means, if its caller may make it. Nothing has run.
    pub fn resolve(&self, call: Call) -> Result<Resolved, Fault> {
        let engine = &self.side.sent;
        // Only the audit needs them.
        let is_recorded = !self.side.caller.is_local();
        let arguments = if is_recorded { call.work.arguments() } else { String::new() };
        let caller = &self.side.caller;
        if let Work::Tool { name, .. } = &call.work
            && engine.registry().find_tool(name).is_some()
            && let Err(refused) = test(caller.rights().of_tool(name, engine.registry()))
        {
            // Before its arguments are looked at.
            return Err(self.refused(refused, name.clone(), String::new(), arguments));
        }
        let mut resolved = Resolved::of(call, engine, &|name| self.served(name))?;
        resolved.arguments = arguments;
        let none = Policy::default();
        let outer = if caller.is_local() { &none } else { self.shared.engine.policy() };
        match resolved.authorise(engine, &caller.rights(), outer) {
            Ok(rule) => {
                resolved.rule = rule;
                Ok(resolved)
            }
            Err(refused) => {
                let ((tool, work), arguments) = (resolved.described(), resolved.arguments);
                Err(self.refused(refused, tool, work, arguments))
            }
        }
    }

    /// Records a refusal, and returns its fault.
    fn refused(&self, refused: Refused, tool: String, work: String, arguments: String) -> Fault {
        let Refused { fault, rule } = refused;
        if let Some(note) = self.note(tool, work, rule, arguments) {
            note.record("refuse", fault.why.name(), Money::ZERO);
        }
        *fault
    }

    /// Makes a call and waits for its answer. Dropping the future cancels the run.
    pub async fn call(&self, call: Call) -> Result<Answer, Fault> {
        let mut resolved = self.resolve(call)?;
        if resolved.is_kept || resolved.reports().len() > 1 || self.is_charged(&resolved)? {
            // A task of its own, since what it costs is settled whatever becomes of the caller.
            let live = self.start(resolved).await?;
            let guard = live.cancelling();
            let answer = live.ended().await;
            guard.keep();
            return answer;
        }
        let permit = self.permit(&mut resolved).await?;
        let _slot = self.slot().await?;
        once::begins();
        let begun = Instant::now();
        let engine = &self.side.sent;
        let request = resolved.request(engine).cancelled_by(self.shared.stopping.child_token());
        let ended = request.await;
        let status = match &ended {
            Ok(_) => "ok",
            Err(error) => error.kind().map_or("check", ErrorKind::name),
        };
        let largest = permit.largest_result();
        permit.settle(status, Money::ZERO).await;
        let ended = ended.map_err(|err| resolved.failure(engine, err));
        let ended = ended.and_then(|response| {
            self.metrics().used(response.usage.tokens, response.usage.cost);
            let answer = resolved.answered(Answer {
                value: response.value,
                run: None,
                usage: response.usage,
                took: begun.elapsed(),
                steps: resolved.reports(),
            })?;
            answer.within(largest)
        });
        self.metrics().ended(Ending::of(&ended));
        ended
    }

    /// Whether money is reserved for a call.
    fn is_charged(&self, resolved: &Resolved) -> Result<bool, Fault> {
        Ok(!self.side.caller.is_local() && resolved.spending(&self.side.sent)? != Spending::Nothing)
    }

    /// Starts a call as a run that outlives its caller. A script is recorded, if there is a store.
    pub async fn start(&self, mut resolved: Resolved) -> Result<Arc<Live>, Fault> {
        // First, since what is granted must be settled.
        let place = self.place()?;
        let permit = self.permit(&mut resolved).await?;
        let engine = self.side.engine_of(&resolved);
        let (named, name) = oneshot::channel();
        let slot = self.noted_slot(place, async move { name.await.ok() });
        let cancel = self.shared.stopping.child_token();
        let owner = self.side.caller.owner.clone();
        let start = Start { engine: engine.clone(), owner, resolved, cancel, permit };
        let live = self.shared.runs.start(start, slot);
        if live.is_stored() {
            // Without a reader the run has ended already.
            let _ = named.send(live.id().clone());
        }
        Ok(live)
    }

    /// The permission of a call by the limits of its caller. Its cap becomes that of the call.
    async fn permit(&self, resolved: &mut Resolved) -> Result<Permit, Fault> {
        if self.side.caller.is_local() {
            return Ok(Permit::default());
        }
        let ((tool, work), rule) = (resolved.described(), resolved.rule.clone());
        let Some(note) = self.note(tool, work, rule, resolved.arguments.clone()) else {
            return Ok(Permit::default());
        };
        let engine = self.side.engine_of(&resolved);
        let run = random_name(note.host.as_ref());
        let wish = Wish {
            weight: resolved.weight(engine).saturating_sub(1),
            run: &run,
            spending: resolved.spending(engine)?,
            cap: resolved.cap(),
        };
        let (permit, cap) = permit::ask(note, wish).await?;
        resolved.limit(cap);
        Ok(permit)
    }

    /// What is recorded of a call; nothing of those of this machine's user.
    fn note(&self, tool: String, work: String, rule: String, arguments: String) -> Option<Note> {
        let gate = self.shared.gate.clone().filter(|_| !self.side.caller.is_local())?;
        let caller = self.side.caller.clone();
        let (host, surface) = (self.shared.engine.shared_host(), self.surface);
        let begun = Instant::now();
        Some(Note { gate, host, caller, surface, tool, work, rule, arguments, begun })
    }

    /// A run of this caller that goes on, or has ended a while ago.
    pub fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.shared.runs.find(id).filter(|it| it.owner() == &*self.side.caller.owner)
    }

    /// The runs of this caller that go on.
    pub fn running(&self) -> Vec<Arc<Live>> {
        let mut all = self.shared.runs.running();
        all.retain(|it| it.owner() == &*self.side.caller.owner);
        all
    }

    /// Continues a stored run where it stopped. Its caps are those of its first part.
    pub async fn resume(&self, id: &RunId) -> Result<Arc<Live>, Fault> {
        if let Some(live) = self.live(id.as_str())
            && live.outcome().is_none()
        {
            return Err(Fault::new(Why::Conflict, format!("the run {id} is still running")));
        }
        let store = self.side.store.as_ref();
        let store = store.ok_or_else(|| Fault::not_found(format!("unknown run `{id}`")))?;
        let run = store.run(id.as_str())?;
        let paid = run.used.cost;
        let place = self.place()?;
        let permit = self.permit_to_resume(id).await?;
        let name = id.clone();
        let slot = self.noted_slot(place, async move { Some(name) });
        let cancel = self.shared.stopping.child_token();
        let owner = self.side.caller.owner.clone();
        let engine = if self.is_published(&run) { &self.side.published } else { &self.side.kept };
        let resume = Resume { engine, owner, id, cancel, permit, paid };
        self.shared.runs.resume(resume, slot)
    }

    /// Whether a run is that of a served script. No caller chooses the name of a script.
    fn is_published(&self, run: &Run) -> bool {
        let scripts = self.shared.folder.as_ref().map(Folder::scripts).unwrap_or_default();
        scripts.iter().any(|it| it.plan.program().source.name() == run.script)
    }

    async fn permit_to_resume(&self, id: &RunId) -> Result<Permit, Fault> {
        let rule = "the run is that of its owner".to_owned();
        let Some(note) = self.note("resume".to_owned(), id.to_string(), rule, String::new()) else {
            return Ok(Permit::default());
        };
        let run = random_name(note.host.as_ref());
        let wish = Wish { weight: 0, run: &run, spending: Spending::Unlimited, cap: None };
        Ok(permit::ask(note, wish).await?.0)
    }

    /// Accepts nothing more, lets runs end for a while, then cancels them: a stored one can be
    /// resumed.
    pub async fn stop(&self, drain: Duration) {
        self.shared.slots.close();
        if tokio::time::timeout(drain, self.idle()).await.is_err() {
            self.shared.stopping.cancel();
            let _ = tokio::time::timeout(CANCELLED, self.idle()).await;
        }
    }

    /// Waits until nothing runs.
    async fn idle(&self) {
        let is_idle = || {
            let is_free = self.shared.slots.available_permits() >= self.shared.at_once;
            is_free && self.shared.runs.running().is_empty()
        };
        while !is_idle() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn slot(&self) -> Result<OwnedSemaphorePermit, Fault> {
        let place = self.place()?;
        self.slot_at(place).await
    }

    /// A place in the queue for a slot; too many waiting calls are refused.
    fn place(&self) -> Result<Waiting, Fault> {
        if self.shared.slots.is_closed() {
            return Err(stopping());
        }
        let before = self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Waiting(self.clone());
        if before >= self.shared.most_waiting && self.shared.slots.available_permits() == 0 {
            let message = "too many calls wait for a free place";
            return Err(Fault::new(Why::Busy, message).retry_after(Duration::from_secs(1)));
        }
        Ok(place)
    }

    /// A slot for a run; a call that must be made once notes the name of its stored run first, so that
    /// no crash lets it run twice.
    fn noted_slot(
        &self,
        place: Waiting,
        name: impl Future<Output = Option<RunId>> + Send + 'static,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, Fault>> + Send + 'static {
        let (service, noting) = (self.clone(), once::begins());
        async move {
            if let Some(noting) = noting
                && let Some(name) = name.await
            {
                noting.run(&name).await?;
            }
            service.slot_at(place).await
        }
    }

    async fn slot_at(&self, place: Waiting) -> Result<OwnedSemaphorePermit, Fault> {
        let slot = self.shared.slots.clone().acquire_owned().await.map_err(|_| stopping());
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
        self.0.shared.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Side {
    /// The user of this machine.
    fn local(engine: &Engine, store: Option<Arc<SqliteStore>>, version: &str) -> Self {
        let caller = Caller::local(version);
        let sent = engine.clone().lend(Arc::new(caller.clone()));
        let kept = match &store {
            Some(store) => sent.clone().with_store(store.clone()),
            None => sent.clone(),
        };
        Self { caller, sent, published: kept.clone(), kept, store }
    }

    /// The engine of a call.
    fn engine_of(&self, call: &Resolved) -> &Engine {
        match call {
            it if it.is_published() => &self.published,
            it if it.is_kept => &self.kept,
            _ => &self.sent,
        }
    }
}

/// A name that nothing else has.
fn random_name(host: &dyn svc_contract::host::Host) -> String {
    let mut bytes = [0; 16];
    // Without randomness the time is left.
    if host.random(&mut bytes).is_err() {
        return host.now().to_string();
    }
    format!("{:032x}", u128::from_le_bytes(bytes))
}
