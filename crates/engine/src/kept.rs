//! Runs that are kept: begun, gone on with, and ended in the store.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use svc_contract::{
    registry::{ErrorKind, OpRef, Usage},
    value::{Money, Text, Value, json as values},
};
use svc_lang::{
    diag::{Report, Source, Span},
    plan::{Caps, Past, Plan},
    stdlib,
};
use svc_store::{Blob, Claim, End, Entry, Run, RunId, RunState, Spread, Store, StoreError};

use super::{
    Engine, Error, Request, Unsaved,
    books::Edit,
    inputs::Given,
    journal::{self, Asked, From, Journal},
};
use crate::run::{Outcome, RunError, place_of};

/// What a run goes on from.
#[derive(Clone, Debug)]
struct Earlier {
    run: Run,
    /// Whether it goes on with another script: then it is another run.
    is_edited: bool,
}

/// What is said of a run that is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    asked: Asked,
    earlier: Option<Earlier>,
}

/// A run that the store knows of.
pub(super) struct Kept {
    store: Arc<Store>,
    pub(super) journal: Arc<Journal>,
    /// When the run began, in milliseconds since 1970.
    started: i64,
    /// Nobody else works on the run meanwhile, nor on the one that it goes on from.
    _claims: Vec<Claim>,
}

impl Engine {
    /// The same engine, which writes down in the store what its runs do, so that they can go
    /// on where they were.
    #[must_use]
    pub fn keeping(mut self, store: Arc<Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// What calls of an op took in the runs that are kept. A store that fails knows nothing.
    pub(super) fn past(&self, op: OpRef) -> Option<Past> {
        let known = self.store.as_ref()?.history(op.component.name, op.op.name).ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "means of counts are no larger than these"
        )]
        let whole = |it: Spread| it.mean.round() as u64;
        let cost = i64::try_from(whole(known.cost)).unwrap_or(i64::MAX);
        let usage = Usage { tokens: whole(known.tokens), cost: Money::from_nanos(cost) };
        let took = std::time::Duration::from_micros(whole(known.took));
        Some(Past { calls: known.count, usage, took })
    }

    /// The run of that name, or the latest one for `last`, to go on where it was: with the
    /// script, the inputs and the caps that it had. What was done is not done again.
    pub fn resume(&self, name: &str) -> Result<Request<'_>, StoreError> {
        let store = self.kept()?;
        let run = store.run(name)?;
        if run.is_partial() {
            return Err(partial(&run));
        }
        let request = Request::new(self, self.plan_of(store, &run)?);
        request.going_on(Earlier { run, is_edited: false })
    }

    /// The same with another script: a run of its own, which takes from the earlier one
    /// what did not change.
    pub fn resume_with(
        &self,
        name: &str,
        script: impl Into<Source>,
    ) -> Result<Request<'_>, StoreError> {
        let run = self.kept()?.run(name)?;
        if run.is_partial() {
            return Err(partial(&run));
        }
        Request::new(self, self.plan(script)).going_on(Earlier { run, is_edited: true })
    }

    /// The plan of the script that a run had, with the files and the tunings that it had.
    pub(super) fn plan_of(
        &self,
        store: &Store,
        run: &Run,
    ) -> Result<Result<Plan, Report>, StoreError> {
        let (source, used) = script(store, run)?;
        let about: Json = serde_json::from_str(&run.about).unwrap_or_default();
        let then = about["tuned"].as_object().into_iter().flatten();
        let then = then.filter_map(|(name, it)| Some((name, values::read(it.as_str()?).ok()?)));
        // What is said now goes before; a tunable that is gone cannot be tuned.
        let now: Vec<_> = self.registry.tunings().map(|(name, it)| (name, it.clone())).collect();
        let all = then.map(|(name, it)| (name.clone(), it)).chain(now);
        let engine = all.fold(self.clone(), |engine, (name, value)| {
            engine.clone().tuned(&name, value).unwrap_or(engine)
        });
        Ok(engine.plan_with(&source, &used))
    }

    /// A run that is kept: by its name, the beginning of it, or `last`.
    pub fn kept_run(&self, name: &str) -> Result<Run, StoreError> {
        self.kept()?.run(name)
    }

    /// Whether a run is kept, so that one can go on with it.
    pub fn knows(&self, run: &RunId) -> bool {
        self.store.as_ref().is_some_and(|it| it.keeps(run))
    }

    /// What a run gave, as JSON.
    pub fn value_of(&self, run: &Run) -> Result<Option<String>, StoreError> {
        let text = run.value.map(|it| self.kept()?.text(it)).transpose()?;
        Ok(text.flatten())
    }

    pub(super) fn kept(&self) -> Result<&Arc<Store>, StoreError> {
        self.store.as_ref().ok_or_else(|| StoreError::not_found("this engine keeps no runs"))
    }
}

/// The script of a run, and the files that it used, as they were then.
pub(super) fn script(store: &Store, run: &Run) -> Result<(Source, Unsaved), StoreError> {
    let text = |hash, what: &str| {
        let missing = format!("{what} of the run {} is not in the store", run.id);
        store.text(hash)?.ok_or_else(|| StoreError::not_found(missing))
    };
    let source = Source::new(run.script.as_str(), text(run.text, "the script")?);
    let source = match run.folder.as_str() {
        "" => source,
        folder => source.in_folder(folder),
    };
    let mut used = Unsaved::new();
    for (name, hash) in store.imports(&run.id)? {
        let text = text(hash, &format!("the file `{name}`"))?;
        used.insert(name, text.into());
    }
    Ok((source, used))
}

impl Request<'_> {
    /// The name that the run has in the store, where it is kept.
    pub fn id(&self) -> Option<&RunId> {
        self.id.as_ref()
    }

    /// Lets a write happen again that an earlier run began, and of which nobody knows
    /// whether it happened. `path` is its node.
    pub fn retry_write(mut self, path: &str) -> Self {
        self.wishes.asked.retry.insert(path.to_owned());
        self
    }

    /// Makes a call again although its result is known. `path` is its node.
    pub fn again(mut self, path: &str) -> Self {
        self.wishes.asked.again.insert(path.to_owned());
        self
    }

    /// Lets results of other runs stand for calls, if they are no older than this: for calls
    /// that change nothing and ask nobody, and where the script says nothing else.
    pub fn reuse(mut self, max_age: Duration) -> Self {
        self.caps.max_age = Some(max_age);
        self
    }

    fn going_on(mut self, earlier: Earlier) -> Result<Self, StoreError> {
        let run = &earlier.run;
        let damaged = || StoreError::corrupt(format_args!("the run {} cannot be read", run.id));
        if !earlier.is_edited {
            self.id = Some(run.id.clone());
        }
        if let Ok(plan) = &self.plan {
            self.given = inputs_of(run, plan)?;
        }
        self.caps = caps(&run.bounds).ok_or_else(damaged)?;
        self.wishes.earlier = Some(earlier);
        Ok(self)
    }
}

/// The inputs that a run had, as far as a plan takes them.
pub(super) fn inputs_of(run: &Run, plan: &Plan) -> Result<BTreeMap<Text, Given>, StoreError> {
    let damaged = || StoreError::corrupt(format_args!("the run {} cannot be read", run.id));
    let mut given = given(&run.params).ok_or_else(damaged)?;
    let declared = &plan.program().inputs;
    given.retain(|name, _| declared.iter().any(|it| it.name == *name));
    Ok(given)
}

/// A damaged store may have lost a call that wrote or was paid for.
fn partial(run: &Run) -> StoreError {
    let message =
        format!("some of what the run {} did is lost: to go on could do it twice", run.id);
    StoreError::not_found(message)
        .help(format!("`svc show {}` shows what is left; run the script anew", run.id))
}

/// The inputs as they were written down.
fn given(params: &str) -> Option<BTreeMap<Text, Given>> {
    let params = values::read(params).ok()?;
    let params = params.as_record()?.iter();
    Some(params.map(|(name, value)| (name.clone(), Given::Value(value.clone()))).collect())
}

/// The caps as they were written down. A cap that cannot be read is not none.
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

impl Kept {
    /// Writes down that a run begins, or goes on.
    pub(super) fn begin(
        engine: &Engine,
        store: Arc<Store>,
        id: RunId,
        plan: &Plan,
        inputs: &BTreeMap<Text, Value>,
        caps: Caps,
        wishes: &Wishes,
    ) -> Result<Self, Error> {
        let source = &plan.program().source;
        let failed = |err| outside(source, err);
        let earlier = wishes.earlier.as_ref();
        let origin = earlier.and_then(Earlier::origin);
        let claims = [&id].into_iter().chain(&origin).map(|it| store.claim(it));
        let claims = claims.collect::<Result<_, _>>().map_err(failed)?;
        if let Some(known) = earlier {
            // It may have been removed before it was claimed; then nothing of it is known.
            store.run(known.run.id.as_str()).map_err(failed)?;
        }
        let from = earlier.map(|it| it.before(engine, &store, plan)).unwrap_or_default();
        let (host, asked) = (engine.host.clone(), wishes.asked.clone());
        let mut journal =
            Journal::open(store.clone(), id.clone(), host, &from, asked).map_err(failed)?;
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
        let name = |it: &Source| match it.name().starts_with(stdlib::PREFIX) {
            true => it.name().to_owned(),
            false => absolute(engine, Path::new(it.name())),
        };
        let imports = used.iter().map(|it| (name(it), blob(it)));
        let row = Entry::Run { run: Box::new(run), text, imports: imports.collect() };
        // It is durable before the first call that writes or pays; no other waits for it.
        store.append(row).map_err(failed)?;
        if let Some(payments) = taken_over {
            store.append(Entry::TakenOver { run: id, payments }).map_err(failed)?;
        }
        Ok(Self { store, journal: Arc::new(journal), started, _claims: claims })
    }

    /// Makes sure that the run is written down: what cannot be kept is not paid for.
    pub(super) async fn is_durable(&self, plan: &Plan) -> Result<(), Error> {
        self.store.flush().await.map_err(|err| outside(&plan.program().source, err))
    }

    /// Writes down how the run ended. The clock may have been set back since it began.
    pub(super) async fn end(
        &self,
        id: RunId,
        at: i64,
        ended: &Result<Outcome, Box<RunError>>,
    ) -> Result<(), StoreError> {
        let at = at.max(self.started);
        let (state, used, value, error) = match ended {
            Ok(outcome) => {
                let value = Blob::new(values::write(&outcome.value).into_bytes());
                (RunState::Ok, outcome.usage, Some(value), None)
            }
            Err(err) => {
                let state = match err.kind() {
                    ErrorKind::Cancelled => RunState::Cancelled,
                    _ => RunState::Failed,
                };
                let told = json!({
                    "kind": err.kind().name(), "message": err.to_string(), "path": err.path,
                });
                (state, err.usage, None, Some(told.to_string()))
            }
        };
        self.store
            .commit(Entry::End(Box::new(End { run: id, state, at, used, value, error })))
            .await
    }
}

impl Earlier {
    /// The run that it takes from and does not replace.
    fn origin(&self) -> Option<RunId> {
        if self.is_edited { Some(self.run.id.clone()) } else { self.run.origin.clone() }
    }

    /// `origin` may have been removed; then what was taken over from it stands as it is.
    fn edit(&self, engine: &Engine, store: &Store, plan: &Plan) -> Option<(RunId, Edit)> {
        let origin = store.run(self.origin()?.as_str()).ok()?;
        let before = engine.plan_of(store, &origin).ok().and_then(Result::ok);
        let before = before.map(|it| it.scopes().clone()).unwrap_or_default();
        Some((origin.id, Edit::between(before, plan.scopes())))
    }

    fn before(&self, engine: &Engine, store: &Store, plan: &Plan) -> From {
        let runs = self.run.origin.iter().filter(|_| !self.is_edited).chain([&self.run.id]);
        let places = || plan.nodes().iter().map(|it| place_of(&it.path)).collect();
        From {
            runs: runs.cloned().collect(),
            places: self.is_edited.then(places),
            origin: self.edit(engine, store, plan),
            scopes: plan.scopes().clone(),
        }
    }
}

/// What is said of a run. One that goes on keeps what it was tuned with, as its plan does.
fn about(engine: &Engine, plan: &Plan, earlier: Option<&Earlier>) -> String {
    let before = earlier.filter(|it| !it.is_edited).map(|it| it.run.about.as_str());
    let before: Json = before.and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    let before = before["tuned"].as_object().into_iter().flatten();
    let before = before.filter_map(|(name, it)| Some((name.clone(), it.as_str()?.to_owned())));
    let now = engine.registry.tunings().map(|(name, it)| (name, values::write(it)));
    let tuned: BTreeMap<String, String> = before.chain(now).collect();
    json!({ "prices": plan.prices(), "tuned": tuned }).to_string()
}

fn blob(source: &Source) -> Blob {
    Blob::new(source.text().as_bytes())
}

fn absolute(engine: &Engine, folder: &Path) -> String {
    let whole = engine.host.current_dir().map(|it| it.join(folder));
    whole.as_deref().unwrap_or(folder).to_string_lossy().into_owned()
}

/// A failure of the store before the run.
pub(super) fn outside(source: &Source, err: StoreError) -> Error {
    let error = RunError::outside(journal::failed(err), Span::default());
    Error::Run { source: source.clone(), error }
}
