//! Runs that are kept: begun, gone on with, and ended in the store.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use serde_json::{Value as Json, json};

use super::{
    Engine, Error, Request,
    inputs::Given,
    journal::{self, Journal},
};
use crate::{
    diag::{Source, Span},
    plan::{Caps, Past, Plan},
    registry::{ErrorKind, OpRef, Usage},
    run::{Outcome, RunError},
    store::{Blob, Claim, End, Entry, Run, RunId, RunState, Spread, Store, StoreError},
    value::{Money, Text, Value, json as values},
};

/// What a run goes on from.
pub(super) struct Earlier {
    run: Run,
    may_repeat: BTreeSet<String>,
}

/// A run that the store knows of.
pub(super) struct Kept {
    store: Arc<Store>,
    pub(super) journal: Arc<Journal>,
    /// When the run began, in milliseconds since 1970.
    started: i64,
    /// Nobody else works on the run meanwhile.
    _claim: Claim,
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
        let nothing = || StoreError::not_found("this engine keeps no runs");
        let store = self.store.as_ref().ok_or_else(nothing)?;
        let run = store.run(name)?;
        if run.is_partial() {
            return Err(partial(&run));
        }
        let text = store.text(run.text)?;
        let text = text.ok_or_else(|| {
            StoreError::not_found(format!("the script of the run {} is not in the store", run.id))
        })?;
        let source = Source::new(run.script.as_str(), text);
        let source = match run.folder.as_str() {
            "" => source,
            folder => source.in_folder(folder),
        };
        Request::new(self, self.plan(source)).going_on(run)
    }
}

impl Request<'_> {
    /// The name that the run has in the store, where it is kept.
    pub fn id(&self) -> Option<&RunId> {
        self.id.as_ref()
    }

    /// The store that the run is kept in, and its name there.
    pub fn kept(&self) -> Option<(Arc<Store>, RunId)> {
        self.engine.store.clone().zip(self.id.clone())
    }

    /// Lets a write happen again that an earlier run began, and of which nobody knows
    /// whether it happened. `path` is its node.
    pub fn retry_write(mut self, path: &str) -> Self {
        if let Some(earlier) = &mut self.earlier {
            earlier.may_repeat.insert(path.to_owned());
        }
        self
    }

    fn going_on(mut self, run: Run) -> Result<Self, StoreError> {
        let damaged = || StoreError::corrupt(format_args!("the run {} cannot be read", run.id));
        self.id = Some(run.id.clone());
        self.given = given(&run.params).ok_or_else(damaged)?;
        self.caps = caps(&run.bounds).ok_or_else(damaged)?;
        self.earlier = Some(Earlier { run, may_repeat: BTreeSet::new() });
        Ok(self)
    }
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
    let millis = bounds["timeout_ms"].as_u64();
    Some(Caps {
        cost: bounds["max_cost_nanos"].as_i64().map(Money::from_nanos),
        tokens: bounds["max_tokens"].as_u64(),
        time: millis.map(std::time::Duration::from_millis),
    })
}

fn written(caps: Caps) -> String {
    let millis = caps.time.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
    let cost = caps.cost.map(Money::nanos);
    json!({ "max_cost_nanos": cost, "max_tokens": caps.tokens, "timeout_ms": millis }).to_string()
}

impl Kept {
    /// Writes down that a run begins, or goes on.
    pub(super) async fn begin(
        engine: &Engine,
        store: Arc<Store>,
        id: RunId,
        plan: &Plan,
        inputs: &BTreeMap<Text, Value>,
        caps: Caps,
        earlier: Option<Earlier>,
    ) -> Result<Self, Error> {
        let source = &plan.program().source;
        let failed = |err| outside(source, err);
        let claim = store.claim(&id).map_err(failed)?;
        let may_repeat = earlier.as_ref().map(|it| it.may_repeat.clone()).unwrap_or_default();
        let host = engine.host.clone();
        if earlier.is_some() {
            // It may have been removed before it was claimed; then nothing of it is known.
            store.run(id.as_str()).map_err(failed)?;
        }
        let journal = Journal::open(store.clone(), id.clone(), host, may_repeat).map_err(failed)?;
        let text = Blob::new(source.text().as_bytes());
        let params =
            Value::Record(inputs.iter().map(|(name, it)| (name.clone(), it.clone())).collect());
        let started = earlier.map_or_else(|| engine.host.now(), |it| it.run.started);
        let run = Run {
            id,
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
        };
        let row = Entry::Run { run: Box::new(run), text, imports: Vec::new() };
        store.commit(row).await.map_err(failed)?;
        Ok(Self { store, journal: Arc::new(journal), started, _claim: claim })
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

fn absolute(engine: &Engine, folder: &Path) -> String {
    let whole = engine.host.current_dir().map(|it| it.join(folder));
    whole.as_deref().unwrap_or(folder).to_string_lossy().into_owned()
}

/// A failure of the store before the run.
pub(super) fn outside(source: &Source, err: StoreError) -> Error {
    let error = RunError::outside(journal::failed(err), Span::default());
    Error::Run { source: source.clone(), error }
}
