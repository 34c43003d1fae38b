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

use svc_contract::{registry::ErrorKind, value::Money};
use svc_engine::{CancellationToken, Engine};
use svc_lang::plan::Policy;
use svc_store::SqliteStore;
use tokio::sync::Semaphore;

use crate::{
    Answer, Begun, Call, Caller, Entrance, Fault, Folder, Live, Resolved, Served, Turned, Visitor,
    Why, Work,
    access::{
        key::KeyId,
        keys::KeyInfo,
        rates::Window,
        roles::{AccessPolicy, PolicyError},
    },
    components,
    desk::ProjectRuns,
    gate::Gate,
    jobs::{self, Jobs, NewWork},
    metrics::{Ending, Gauges, Metrics},
    once,
    owner::Owners,
    permit::Spending,
    refused::{Refused, test},
    runs::Registry,
    side::{Side, lent_to},
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
    /// The jobs of this machine's user, if they are kept.
    pub jobs: Option<Jobs>,
    /// The hosts and ports that reports of jobs may be sent to, besides the public internet.
    pub notify: Vec<(String, u16)>,
    /// The folder with the files of the projects of the desktop, if it is served.
    pub projects: Option<PathBuf>,
    /// This machine's user.
    pub caller: Caller,
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
            jobs: None,
            notify: Vec::new(),
            projects: None,
            caller: Caller::local(version),
        }
    }
}

/// How long those who wait for a run may take to make a job of it.
const PARTING: Duration = Duration::from_millis(200);

/// How long cancelled runs may take to end.
const CANCELLED: Duration = Duration::from_millis(1500);

/// The most keys whose engines are kept ready.
const MOST_SIDES: usize = 1024;

/// The jobs of one owner that run at the same time.
const JOBS_OF_OWNER: usize = 4;

/// Makes calls from outside, for every entry layer, on behalf of one caller. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    pub(crate) shared: Arc<Shared>,
    pub(crate) side: Arc<Side>,
    /// Where the caller came from, for the audit.
    pub(crate) surface: &'static str,
}

/// What all callers share.
pub(crate) struct Shared {
    folder: Option<Folder>,
    /// The runs of the projects of the desktop, if it is served.
    pub(crate) projects: Option<ProjectRuns>,
    pub(crate) gate: Option<Arc<Gate>>,
    owners: Option<Owners>,
    sides: Mutex<HashMap<KeyId, Arc<Side>>>,
    pub(crate) slots: Arc<Semaphore>,
    at_once: usize,
    pub(crate) waiting: AtomicUsize,
    pub(crate) most_waiting: usize,
    /// The places of jobs, which leave some for calls.
    pub(crate) job_places: Arc<Semaphore>,
    /// Where reports may be sent, besides the public internet.
    pub(crate) notify: Vec<(String, u16)>,
    pub(crate) runs: Registry,
    /// Announces to callers who wait that their runs go on later.
    parting: CancellationToken,
    stopping: CancellationToken,
    started: Instant,
    /// The engine of the server, without a caller.
    pub(crate) engine: Engine,
    pub(crate) version: String,
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
        let engine = match &gate {
            Some(gate) => engine.clone().lend(Arc::new(gate.roles_file(engine.shared_host()))),
            None => engine,
        };
        let owners = gate.as_ref().map(|gate| {
            let folder = options.folder.as_deref();
            Owners::new(engine.clone(), gate.data(), &options.shared, folder)
        });
        let caller = options.caller;
        // The folder only plans, so its engine lends no jobs, which know the folder.
        let plain = lent_to(&engine, &caller);
        let planning = match &store {
            Some(store) => plain.clone().with_store(store.clone()),
            None => plain.clone(),
        };
        let folder = options.folder.map(|it| Folder::new(it, planning));
        let jobs = options.jobs.filter(|_| store.is_some());
        let version = caller.version.clone();
        let side = Side::local(&plain, caller, store, jobs, folder.clone());
        let shared = Shared {
            folder,
            projects: options.projects.map(ProjectRuns::new),
            gate,
            owners,
            sides: Mutex::default(),
            slots: Arc::new(Semaphore::new(options.at_once)),
            at_once: options.at_once,
            waiting: AtomicUsize::new(0),
            most_waiting: options.waiting,
            job_places: Arc::new(Semaphore::new(options.at_once.div_ceil(2).max(1))),
            notify: options.notify,
            runs: Registry::default(),
            parting: CancellationToken::new(),
            stopping: CancellationToken::new(),
            started: Instant::now(),
            engine,
            version,
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

    /// The served scripts that the caller may run.
    pub fn scripts(&self) -> Vec<Arc<Served>> {
        let all = self.folder().map(Folder::scripts).unwrap_or_default();
        all.into_iter().filter(|it| self.caller().may_run(&it.name)).collect()
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

    /// The same service with the rights that its owner has now: those of the owner's newest key.
    pub(crate) fn as_now(&self) -> Result<Self, Fault> {
        let Some(gate) = self.shared.gate.as_ref().filter(|_| !self.side.caller.is_local()) else {
            return Ok(self.clone());
        };
        let key = gate.newest_key(self.owner(), self.shared.engine.host())?;
        let side = self.side_of(gate, &key).map_err(|it| *it.fault)?;
        Ok(Self { side, ..self.clone() })
    }

    /// The engines of a key's holder. They are made again when the rights change.
    pub(crate) fn side_of(&self, gate: &Gate, key: &KeyInfo) -> Result<Arc<Side>, Turned> {
        let Some(owners) = &self.shared.owners else {
            return Err(Fault::not_found("this service has no owners").into());
        };
        let may_tune = gate.may_tune(key, self.shared.engine.host().now());
        let policy = gate.policy();
        let (owner, evicted) = owners.find(&key.owner)?;
        if let Some(evicted) = evicted {
            self.sides().retain(|_, it| *it.caller.owner != *evicted);
        }
        let is_same = |it: &&Arc<Side>| {
            it.caller.policy == policy.version()
                && it.caller.is_experimental == may_tune
                && it.owner.as_ref().is_some_and(|it| Arc::ptr_eq(it, &owner))
        };
        if let Some(side) = self.sides().get(&key.id).filter(is_same) {
            return Ok(side.clone());
        }
        let caller = gate.caller(key, may_tune, &self.shared.version)?;
        let side = Arc::new(Side::of_owner(caller, owner, self.shared.folder.clone()));
        let mut sides = self.sides();
        if sides.len() >= MOST_SIDES {
            sides.clear();
        }
        sides.insert(key.id, side.clone());
        drop(sides);
        self.employ(&side, JOBS_OF_OWNER);
        Ok(side)
    }

    fn sides(&self) -> MutexGuard<'_, HashMap<KeyId, Arc<Side>>> {
        self.shared.sides.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine of calls that are not recorded, with the components of this crate.
    pub fn engine(&self) -> &Engine {
        &self.side.sent
    }

    /// The engine with the store of runs.
    pub fn kept(&self) -> Option<&Engine> {
        self.side.store.as_ref().map(|_| &self.side.kept)
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

    /// Whose runs, jobs and questions the caller has.
    pub fn owner(&self) -> &str {
        &self.side.caller.owner
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

    /// The jobs of the caller, or the fault of a service without any.
    pub fn jobs(&self) -> Result<&Jobs, Fault> {
        self.side.jobs.as_ref().ok_or_else(jobs::none)
    }

    /// Takes queued jobs until the service stops: a share of the runs at once is theirs. Owners
    /// whose jobs were left by another process are looked for first.
    pub async fn work(&self) {
        if let (Some(gate), Some(owners)) = (&self.shared.gate, &self.shared.owners) {
            for name in owners.names() {
                // Without a valid key, the jobs of an owner wait.
                if let Ok(key) = gate.newest_key(&name, self.shared.engine.host()) {
                    let _ = self.side_of(gate, &key);
                }
            }
        }
        if self.side.jobs.as_ref().is_some_and(Jobs::claim_workers) {
            jobs::run_workers(self.clone(), self.shared.at_once.div_ceil(2)).await;
        }
    }

    /// Starts the workers of an owner's jobs, if there are none.
    fn employ(&self, side: &Arc<Side>, at_once: usize) {
        if side.jobs.as_ref().is_some_and(Jobs::claim_workers) {
            let service = Self { side: side.clone(), surface: "jobs", ..self.clone() };
            tokio::spawn(jobs::run_workers(service, at_once));
        }
    }

    pub(crate) fn cancelling(&self) -> CancellationToken {
        self.shared.stopping.child_token()
    }

    /// What a call means, if its caller may make it. Nothing has run.
    pub fn resolve(&self, call: Call) -> Result<Resolved, Fault> {
        self.tuned()?.resolve_now(call)
    }

    fn resolve_now(&self, call: Call) -> Result<Resolved, Fault> {
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
        if let Some(queued) = jobs::submission(self, &call)? {
            return Ok(queued);
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

    /// Whether the caller may do what a tool does, for a base that does it in another way. Recorded.
    pub fn entitled(&self, tool: &str, work: &str) -> Result<(), Fault> {
        let registry = self.side.sent.registry();
        let (tool, work) = (tool.to_owned(), work.to_owned());
        match test(self.side.caller.rights().of_tool(&tool, registry)) {
            Ok(rule) => {
                if let Some(note) = self.note(tool, work, rule, String::new()) {
                    note.record("allow", "ok", Money::ZERO);
                }
                Ok(())
            }
            Err(refused) => Err(self.refused(refused, tool, work, String::new())),
        }
    }

    /// Refuses a tool that the caller may not call, before anything of the call is looked at. Only
    /// a refusal is recorded: what is allowed is recorded as a call.
    pub fn test_tool(&self, tool: &str) -> Result<(), Fault> {
        let registry = self.side.sent.registry();
        if registry.find_tool(tool).is_none() {
            return Ok(());
        }
        match test(self.side.caller.rights().of_tool(tool, registry)) {
            Ok(_) => Ok(()),
            Err(refused) => {
                Err(self.refused(refused, tool.to_owned(), String::new(), String::new()))
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

    /// The same on a thread of its own, if it takes more than a moment: a script is checked, or drafts
    /// for a goal are tried.
    async fn resolved(&self, call: Call) -> Result<Resolved, Fault> {
        let is_long = match &call.work {
            Work::Script { .. } => true,
            Work::Tool { name, .. } => ["run_pipeline", "compose_and_run"].contains(&name.as_str()),
            _ => false,
        };
        if !is_long {
            return self.resolve_now(call);
        }
        let own = self.clone();
        let resolved = tokio::task::spawn_blocking(move || own.resolve_now(call)).await;
        resolved.unwrap_or_else(|err| {
            Err(Fault::new(Why::Op(ErrorKind::Bug), format!("cannot read the call: {err}")))
        })
    }

    /// Makes a call and waits for its answer. Dropping the future cancels the run.
    pub async fn call(&self, call: Call) -> Result<Answer, Fault> {
        let own = self.tuned()?;
        let resolved = own.resolved(call).await?;
        own.made(resolved).await
    }

    /// The same for a call that neither waits for others nor writes, since no caller leaves one as a
    /// job; none for any other call, if there are jobs.
    pub async fn call_if_brief(&self, call: Call) -> Option<Result<Answer, Fault>> {
        let own = match self.tuned() {
            Ok(own) => own,
            Err(fault) => return Some(Err(fault)),
        };
        let resolved = match own.resolved(call).await {
            Ok(resolved) => resolved,
            Err(fault) => return Some(Err(fault)),
        };
        let is_brief =
            resolved.queues() || own.jobs().is_err() || resolved.is_brief(&own.side.sent);
        if is_brief { Some(own.made(resolved).await) } else { None }
    }

    /// Starts a call whose caller may leave it to go on as a job.
    pub async fn begin(&self, call: Call) -> Result<Begun, Fault> {
        let job = NewWork::of_tool(&call);
        let own = self.tuned()?;
        let resolved = own.resolved(call).await?;
        if resolved.queues() || own.jobs().is_err() {
            return own.made(resolved).await.map(Begun::Ended);
        }
        let resolved = resolved.leavable(job, &own.side.sent);
        own.start(resolved).await.map(Begun::Running)
    }

    async fn made(&self, mut resolved: Resolved) -> Result<Answer, Fault> {
        if let Some(queued) = resolved.queued.take() {
            let described = resolved.described();
            let answer = self.jobs()?.submit(self.owner(), queued).await?;
            let (tool, work) = described;
            if let Some(note) = self.note(tool, work, resolved.rule, resolved.arguments) {
                note.record("allow", "queued", Money::ZERO);
            }
            return Ok(answer);
        }
        if resolved.is_kept || resolved.reports().len() > 1 || self.is_charged(&resolved)? {
            // A task of its own, since what it costs is settled whatever becomes of the caller.
            let live = self.start(resolved).await?;
            let guard = live.cancelling();
            let answer = live.ended().await;
            guard.keep();
            return answer;
        }
        let mut permit = self.permit(&mut resolved, None).await?;
        let _slot = self.slot().await?;
        once::begins();
        permit.begin();
        let begun = Instant::now();
        let engine = &self.side.sent;
        let request = resolved.request(engine).cancelled_by(self.cancelling());
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
            let quality = resolved.quality_of(&response.value, engine);
            let answer = resolved.answered(Answer {
                value: response.value,
                run: None,
                usage: response.usage,
                output_tokens: response.output_tokens,
                took: begun.elapsed(),
                steps: resolved.reports(),
                quality,
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

    /// A run of this caller that goes on, or has ended a while ago.
    pub fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.shared.runs.find(id).filter(|it| it.owner() == self.owner())
    }

    /// The runs of this caller that go on.
    pub fn running(&self) -> Vec<Arc<Live>> {
        let mut all = self.shared.runs.running();
        all.retain(|it| it.owner() == self.owner());
        all
    }

    /// Accepts nothing more, lets runs end for a while, then cancels them: a stored one can be
    /// resumed, and that of a job is at the next start.
    pub async fn stop(&self, drain: Duration) {
        let owners = self.shared.owners.as_ref().map(Owners::jobs).unwrap_or_default();
        let all: Vec<Jobs> = owners.into_iter().chain(self.side.jobs.clone()).collect();
        all.iter().for_each(Jobs::stop);
        self.shared.slots.close();
        if tokio::time::timeout(drain, self.idle()).await.is_err() {
            self.shared.parting.cancel();
            tokio::time::sleep(PARTING).await;
            self.shared.stopping.cancel();
            let _ = tokio::time::timeout(CANCELLED, self.idle()).await;
        }
        let settled = async {
            for jobs in &all {
                jobs.settled().await;
            }
        };
        let _ = tokio::time::timeout(CANCELLED, settled).await;
    }

    /// Waits until the service is about to cut off what still runs.
    pub async fn parting(&self) {
        self.shared.parting.cancelled().await;
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
}

pub(crate) fn stopping() -> Fault {
    Fault::new(Why::Stopping, "the server is stopping").retry_after(Duration::from_secs(1))
}
