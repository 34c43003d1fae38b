//! Stored runs: how they begin, resume and end in the store.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value as Json, json};
use svc_contract::{
    registry::{ErrorKind, Hint, HintId, OpRef, Usage},
    store::{Blob, Claim, End, Entry, Run, RunId, RunState, Spread, Store, StoreError},
    value::{Money, Text, Value, Written, json as values},
};
use svc_lang::{
    check::CalledFlow,
    diag::{Source, Span},
    plan::{Caps, Past, Plan},
    stdlib,
};

use super::{
    journal::{self, Asked, From, Journal},
    prior_spending::Edit,
};
use crate::{
    Engine, Error, Request, Unsaved,
    inputs::{Given, Inputs},
    output::failure::FilePlace,
    run::{Outcome, RunError, place_of},
};

/// The run to resume.
#[derive(Clone, Debug)]
struct Earlier {
    run: Run,
    /// Whether it is resumed with another script: then it is a separate run.
    is_edited: bool,
}

/// Options of a stored run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOptions {
    asked: Asked,
    /// Boxed, because most runs have none.
    earlier: Option<Box<Earlier>>,
    /// Whether the start is durable before anything runs.
    pub(crate) is_acknowledged: bool,
}

impl RunOptions {
    pub(crate) fn resumes(&self) -> bool {
        self.earlier.is_some()
    }
}

/// A run in the store.
pub(crate) struct StoredRun {
    store: Arc<dyn Store>,
    pub(crate) journal: Arc<Journal>,
    /// Start time, in milliseconds since 1970.
    started: i64,
    /// Prevents others from working on the run, and on the run that it resumes.
    _claims: Vec<Box<dyn Claim>>,
}

impl Engine {
    /// Returns the engine with a store for its runs, so that they can be resumed.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Returns the engine without a store: its runs are not recorded.
    #[must_use]
    pub fn without_store(mut self) -> Self {
        self.store = None;
        self
    }

    /// The store of its runs, if it has one.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// The average usage of an op in the stored runs. A failing store is treated as empty.
    pub(crate) fn past(&self, op: OpRef) -> Option<Past> {
        let known = self.store.as_ref()?.history(op.component.name, op.op.name).ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "means of counts do not exceed these"
        )]
        let whole = |it: Spread| it.mean.round() as u64;
        let cost = i64::try_from(whole(known.cost)).unwrap_or(i64::MAX);
        let usage = Usage { tokens: whole(known.tokens), cost: Money::from_nanos(cost) };
        let took = std::time::Duration::from_micros(whole(known.took));
        Some(Past { calls: known.count, usage, took })
    }

    /// Resumes the run of that name, or the latest one for `last`: with its script, its inputs
    /// and its caps. Finished calls are not repeated.
    pub fn resume(&self, name: &str) -> Result<Request<'_>, StoreError> {
        let store = self.kept()?.as_ref();
        let run = store.run(name)?;
        if run.is_partial() {
            return Err(partial(&run));
        }
        let request = Request::new(self, self.plan_of(store, &run)?.map(Arc::new));
        request.going_on(Earlier { run, is_edited: false })
    }

    /// Resumes a run with another script: a separate run, which takes over the unchanged calls.
    pub fn resume_with(
        &self,
        name: &str,
        script: impl Into<Source>,
    ) -> Result<Request<'_>, StoreError> {
        let run = self.kept()?.run(name)?;
        if run.is_partial() {
            return Err(partial(&run));
        }
        Request::new(self, self.replanned(&run, script).map(Arc::new))
            .going_on(Earlier { run, is_edited: true })
    }

    /// The plan of a run's script, with its files and its tunings at that time.
    pub(crate) fn plan_of(
        &self,
        store: &dyn Store,
        run: &Run,
    ) -> Result<Result<Plan, Error>, StoreError> {
        let (source, used) = script(self, store, run)?;
        let about: Json = serde_json::from_str(&run.about).unwrap_or_default();
        let then = about["tuned"].as_object().into_iter().flatten();
        let then = then.filter_map(|(name, it)| Some((name, values::read(it.as_str()?).ok()?)));
        // Current tunings take precedence; a removed tunable cannot be tuned.
        let now: Vec<_> = self.tuning.iter().map(|(name, it)| (name, it.clone())).collect();
        let all = then.map(|(name, it)| (name.clone(), it)).chain(now);
        let engine = all.fold(self.clone(), |engine, (name, value)| {
            engine.clone().tuned(&name, value).unwrap_or(engine)
        });
        Ok(match called_flow(run) {
            Some(flow) => engine.flow_plan_with(&source, &used, &flow),
            None => engine.plan_with(&source, &used).map_err(Error::Check),
        })
    }

    /// The plan of a run with another script: of its main pipeline, or of the flow that the run
    /// called.
    pub(crate) fn replanned(&self, run: &Run, script: impl Into<Source>) -> Result<Plan, Error> {
        match called_flow(run) {
            Some(flow) => self.flow_plan(script, &flow),
            None => self.plan_before_inputs(script).map_err(Error::Check),
        }
    }

    /// A stored run: by its name, a prefix of it, or `last`.
    pub fn kept_run(&self, name: &str) -> Result<Run, StoreError> {
        self.kept()?.run(name)
    }

    /// Whether a run is stored, so that it can be resumed.
    pub fn knows(&self, run: &RunId) -> bool {
        self.store.as_ref().is_some_and(|it| it.keeps(run))
    }

    /// The result of a run, as JSON.
    pub fn value_of(&self, run: &Run) -> Result<Option<String>, StoreError> {
        let text = run.value.map(|it| self.kept()?.text(it)).transpose()?;
        Ok(text.flatten())
    }

    pub(crate) fn kept(&self) -> Result<&Arc<dyn Store>, StoreError> {
        self.store.as_ref().ok_or_else(|| StoreError::not_found("this engine does not store runs"))
    }
}

/// The flow that a run called, if it ran no main pipeline.
fn called_flow(run: &Run) -> Option<Text> {
    let about: Json = serde_json::from_str(&run.about).unwrap_or_default();
    about["flow"].as_str().map(Into::into)
}

/// The script of a run, and the files that it used, as they were then.
fn script(engine: &Engine, store: &dyn Store, run: &Run) -> Result<(Source, Unsaved), StoreError> {
    let text = |hash, what: &str| {
        let missing = format!("{what} of the run {} is not in the store", run.id);
        store.text(hash)?.ok_or_else(|| StoreError::not_found(missing))
    };
    let source = Source::new(run.script.as_str(), text(run.text, "the script")?);
    let here = engine.host.current_dir().ok().filter(|_| !run.folder.is_empty());
    let folder = named_then(engine, run);
    let source = match (run.folder.as_str(), &folder) {
        ("", _) => source,
        (_, Some(folder)) => source.in_folder(folder.clone()),
        (folder, None) => source.in_folder(folder),
    };
    let mut used = Unsaved::new();
    for (name, hash) in store.imports(&run.id)? {
        let text: Arc<str> = text(hash, &format!("the file `{name}`"))?.into();
        // Under the name that the script finds it by, too.
        let short = here.as_deref().and_then(|it| Path::new(&name).strip_prefix(it).ok());
        if let Some(short) = short.filter(|_| folder.is_some()) {
            used.insert(short.to_string_lossy().into_owned(), text.clone());
        }
        used.insert(name, text);
    }
    Ok((source, used))
}

/// The folder of a script as its run named it, if it means the same here: the paths of a resumed
/// run are those that the run began with.
fn named_then(engine: &Engine, run: &Run) -> Option<PathBuf> {
    let folder = Path::new(&run.script).parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    (absolute(engine, folder) == run.folder).then(|| folder.to_owned())
}

impl Request<'_> {
    /// The name of the run in the store, if it is stored.
    pub fn id(&self) -> Option<&RunId> {
        self.id.as_ref()
    }

    /// Allows a write to be repeated that an earlier run started, and whose outcome is unknown.
    /// `path` is its node.
    pub fn retry_write(mut self, path: &str) -> Self {
        self.options.asked.retry.insert(path.to_owned());
        self
    }

    /// Writes the start of a stored run to the disk before anything runs, so that
    /// [`Happened::Begun`](crate::Happened::Begun) means that the run can be resumed whatever
    /// happens. By default that is so for runs that may spend money.
    pub fn acknowledged(mut self) -> Self {
        self.options.is_acknowledged = true;
        self
    }

    /// Makes a call again although its result is known. `path` is its node.
    pub fn again(mut self, path: &str) -> Self {
        self.options.asked.again.insert(path.to_owned());
        self
    }

    /// Reuses results of other runs that are at most this old: for calls that change nothing
    /// and ask no one, unless the script sets its own `max_age`.
    pub fn reuse(mut self, max_age: Duration) -> Self {
        self.caps.max_age = Some(max_age);
        self
    }

    /// Sets the name of the run in the store, which must be a new one. Without a store it has no
    /// meaning.
    pub fn named(mut self, id: RunId) -> Self {
        if self.id.is_some() {
            self.id = Some(id);
        }
        self
    }

    /// Takes over the calls of another run that are the same in this one: they are not made again,
    /// also if they wrote something. What they used counts for the caps of this run. The inputs
    /// and the caps stay as they are.
    pub fn taking_over(mut self, name: &str) -> Result<Self, StoreError> {
        let run = self.engine.kept_run(name)?;
        if run.is_partial() {
            return Err(partial(&run));
        }
        self.options.earlier = Some(Box::new(Earlier { run, is_edited: true }));
        Ok(self)
    }

    fn going_on(mut self, earlier: Earlier) -> Result<Self, StoreError> {
        let run = &earlier.run;
        let damaged = || StoreError::corrupt(format_args!("the run {} cannot be read", run.id));
        if !earlier.is_edited {
            self.id = Some(run.id.clone());
        }
        if let Ok(plan) = &self.plan {
            self.inputs = Inputs::named(inputs_of(run, plan)?);
        }
        self.flow = called_flow(run).map(CalledFlow::Named);
        self.caps = caps(&run.bounds).ok_or_else(damaged)?;
        self.options.earlier = Some(Box::new(earlier));
        Ok(self)
    }
}

/// The inputs of a run, restricted to those of a plan.
pub(crate) fn inputs_of(run: &Run, plan: &Plan) -> Result<BTreeMap<Text, Given>, StoreError> {
    let damaged = || StoreError::corrupt(format_args!("the run {} cannot be read", run.id));
    let mut given = given(&run.params).ok_or_else(damaged)?;
    let declared = &plan.program().inputs;
    given.retain(|name, _| declared.iter().any(|it| it.name == *name));
    Ok(given)
}

/// A damaged store may have lost a call that wrote or was paid for.
fn partial(run: &Run) -> StoreError {
    let message = format!("records of the run {} are lost: resuming it could repeat calls", run.id);
    StoreError::not_found(message).help(Hint::new(HintId::RunAgain).with("run", &run.id))
}

/// The inputs as recorded.
fn given(params: &str) -> Option<BTreeMap<Text, Given>> {
    let params = values::read(params).ok()?;
    let params = params.as_record()?.iter();
    Some(params.map(|(name, value)| (name.clone(), Given::Value(value.clone()))).collect())
}

/// The caps as recorded. An unreadable cap must not count as no cap.
fn caps(bounds: &str) -> Option<Caps> {
    let bounds: Json = serde_json::from_str(bounds).ok()?;
    Some(Caps {
        cost: bounds["max_cost_nanos"].as_i64().map(Money::from_nanos),
        tokens: bounds["max_tokens"].as_u64(),
        time: bounds["timeout_ms"].as_u64().map(Duration::from_millis),
        memory: bounds["max_memory"].as_u64(),
        max_age: bounds["max_age_ms"].as_u64().map(Duration::from_millis),
    })
}

fn written(caps: Caps) -> String {
    let millis = |it: Duration| u64::try_from(it.as_millis()).unwrap_or(u64::MAX);
    json!({
        "max_cost_nanos": caps.cost.map(Money::nanos),
        "max_tokens": caps.tokens,
        "max_memory": caps.memory,
        "timeout_ms": caps.time.map(millis),
        "max_age_ms": caps.max_age.map(millis),
    })
    .to_string()
}

impl StoredRun {
    /// Records that a run begins or resumes.
    pub(crate) fn begin(
        engine: &Engine,
        store: Arc<dyn Store>,
        id: RunId,
        plan: &Plan,
        inputs: &BTreeMap<Text, Value>,
        caps: Caps,
        options: &RunOptions,
    ) -> Result<Self, Error> {
        let source = &plan.program().source;
        let failed = |err| outside(source, err);
        let earlier = options.earlier.as_deref();
        let origin = earlier.and_then(Earlier::origin);
        let claims = [&id].into_iter().chain(&origin).map(|it| store.claim(it));
        let claims = claims.collect::<Result<_, _>>().map_err(failed)?;
        if let Some(known) = earlier {
            // It may have been removed before it was claimed; then nothing of it is known.
            store.run(known.run.id.as_str()).map_err(failed)?;
        }
        let from = earlier.map(|it| it.before(engine, &*store, plan)).unwrap_or_default();
        let (host, asked) = (engine.host.clone(), options.asked.clone());
        let mut journal =
            Journal::open(store.clone(), id.clone(), host, &from, asked).map_err(failed)?;
        if let Some(known) = earlier {
            journal.knows_asked(&known.run.id, &from).map_err(failed)?;
        }
        let taken_over = journal.taken_over();
        let text = Blob::new(source.text().as_bytes());
        let params =
            Value::Record(inputs.iter().map(|(name, it)| (name.clone(), it.clone())).collect());
        let started = earlier.filter(|it| !it.is_edited).map(|it| it.run.started);
        let started = started.unwrap_or_else(|| engine.host.now());
        let run = Run {
            id: id.clone(),
            script: source.name().to_owned(),
            text: text.hash(),
            folder: source.folder().map(|it| absolute(engine, it)).unwrap_or_default(),
            params: values::write(&params),
            bounds: written(caps),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            state: RunState::Running,
            started,
            ended: None,
            used: Usage::default(),
            value: None,
            error: None,
            origin,
            about: about(engine, plan, earlier),
        };
        let used = &plan.program().used;
        // A module of the standard library has no folder.
        let name = |it: &Source| {
            if it.name().starts_with(stdlib::PREFIX) {
                it.name().to_owned()
            } else {
                absolute(engine, Path::new(it.name()))
            }
        };
        let imports = used.iter().map(|it| (name(it), blob(it)));
        let row = Entry::Run { run: Box::new(run), text, imports: imports.collect() };
        // It is durable before the first call that writes or pays; nothing else waits for it.
        store.append(row).map_err(failed)?;
        if let Some(payments) = taken_over {
            store.append(Entry::TakenOver { run: id, payments }).map_err(failed)?;
        }
        Ok(Self { store, journal: Arc::new(journal), started, _claims: claims })
    }

    /// Makes sure that the run is recorded: nothing may be paid for that cannot be recorded.
    pub(crate) async fn is_durable(&self, plan: &Plan) -> Result<(), Error> {
        self.store.flush().await.map_err(|err| outside(&plan.program().source, err))
    }

    /// Records the end of the run. The clock may have been set back since its start.
    pub(crate) async fn end(
        &self,
        id: RunId,
        at: i64,
        script: &Source,
        ended: &Result<Outcome, Box<RunError>>,
    ) -> Result<(), StoreError> {
        let at = at.max(self.started);
        let (state, used, value, error) = match ended {
            Ok(outcome) => {
                let value = Blob::new(Written::of(&outcome.value).into_bytes());
                (RunState::Ok, outcome.usage, Some(value), None)
            }
            Err(err) => {
                let state = match err.kind() {
                    ErrorKind::Cancelled => RunState::Cancelled,
                    _ => RunState::Failed,
                };
                let FilePlace { file, line, column } =
                    FilePlace::of(err.source.as_ref().unwrap_or(script), err.span);
                let failure = json!({
                    "kind": err.kind().name(), "message": err.to_string(), "path": err.path,
                    "file": file, "line": line, "column": column,
                });
                (state, err.usage, None, Some(failure.to_string()))
            }
        };
        self.store
            .commit(Entry::End(Box::new(End { run: id, state, at, used, value, error })))
            .await
    }
}

impl Earlier {
    /// The run whose results it takes over without replacing it.
    fn origin(&self) -> Option<RunId> {
        if self.is_edited { Some(self.run.id.clone()) } else { self.run.origin.clone() }
    }

    /// `origin` may have been removed; then the payments taken over from it stay as they are.
    fn edit(&self, engine: &Engine, store: &dyn Store, plan: &Plan) -> Option<(RunId, Edit)> {
        let origin = store.run(self.origin()?.as_str()).ok()?;
        let before = engine.plan_of(store, &origin).ok().and_then(Result::ok);
        let before = before.map(|it| it.scopes().clone()).unwrap_or_default();
        Some((origin.id, Edit::between(before, plan.scopes())))
    }

    fn before(&self, engine: &Engine, store: &dyn Store, plan: &Plan) -> From {
        let places = || plan.nodes().iter().map(|it| place_of(&it.path)).collect();
        From {
            runs: lineage(store, &self.run),
            places: self.is_edited.then(places),
            origin: self.edit(engine, store, plan),
            scopes: plan.scopes().clone(),
        }
    }
}

/// A run and those that it took over results from, the oldest first: a script may have been edited
/// several times, and each run only has what it reached. Those that were removed are left out.
pub(super) fn lineage(store: &dyn Store, run: &Run) -> Vec<RunId> {
    let mut runs = vec![run.id.clone()];
    let mut origin = run.origin.clone();
    while let Some(id) = origin.take_if(|it| !runs.contains(it)) {
        origin = store.run(id.as_str()).ok().and_then(|it| it.origin);
        runs.push(id);
    }
    runs.reverse();
    runs
}

/// The facts about a run. A resumed run keeps its tunings, as its plan does.
fn about(engine: &Engine, plan: &Plan, earlier: Option<&Earlier>) -> String {
    let before = earlier.filter(|it| !it.is_edited).map(|it| it.run.about.as_str());
    let before: Json = before.and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    let before = before["tuned"].as_object().into_iter().flatten();
    let before = before.filter_map(|(name, it)| Some((name.clone(), it.as_str()?.to_owned())));
    let now = engine.tuning.iter().map(|(name, it)| (name, values::write(it)));
    let tuned: BTreeMap<String, String> = before.chain(now).collect();
    let version = engine.tuning.version();
    let mut about = json!({ "prices": plan.prices(), "tuned": tuned, "tuning": version });
    if let Some(CalledFlow::Named(name)) = &plan.program().called {
        about["flow"] = name.as_ref().into();
    }
    about.to_string()
}

fn blob(source: &Source) -> Blob {
    Blob::new(source.text().as_bytes())
}

fn absolute(engine: &Engine, folder: &Path) -> String {
    let whole = engine.host.current_dir().map(|it| it.join(folder));
    whole.as_deref().unwrap_or(folder).to_string_lossy().into_owned()
}

/// A failure of the store before the run.
pub(crate) fn outside(source: &Source, err: StoreError) -> Error {
    let error = RunError::outside(journal::failed(err), Span::default());
    Error::Run { source: source.clone(), error }
}
