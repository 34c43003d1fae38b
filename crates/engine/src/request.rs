//! One requested run, and its result.

use std::{
    any::Any, borrow::Cow, collections::BTreeMap, future::IntoFuture, pin::Pin, sync::Arc,
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use svc_contract::{
    registry::{ErrorKind, Field, OpError, Scheme, Tuning, Usage},
    store::RunId,
    value::{Money, Text, TypeMismatch, Value, from_value, to_value},
};
use svc_lang::{
    check::{BoundKey, CalledFlow},
    diag::{Report, Span},
    plan::{Caps, Holds, Plan, Policy, Verb},
};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::{
    Engine, Error, flow_call,
    history::resume::{self, RunOptions, StoredRun},
    inputs::{self, Given, Inputs},
    result, running,
};
use crate::run::{self, AtOnce, Brief, Outcome, RunError};

/// A requested run. Await it to run it inside a tokio runtime; [`Request::start`] also returns its
/// events, and [`Request::blocking`] runs it without a runtime.
///
/// Dropping the future ends the run: pending I/O is dropped, computations are cancelled.
#[must_use = "a run happens when it is awaited"]
pub struct Request<'e> {
    pub(super) engine: Cow<'e, Engine>,
    pub(super) plan: Result<Arc<Plan>, Error>,
    /// The flow to call instead of the main pipeline.
    pub(super) flow: Option<CalledFlow>,
    pub(super) inputs: Inputs,
    /// The type of the result that the program needs.
    gives: Option<Scheme>,
    pub(super) cancel: CancellationToken,
    pub(super) caps: Caps,
    /// The name of the run in the store, if it is stored.
    pub(super) id: Option<RunId>,
    /// Further options of a stored run.
    pub(super) options: RunOptions,
}

/// The result of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response {
    pub value: Value,
    /// The usage of everything that is counted.
    pub usage: Usage,
    /// The tokens of `usage` that language models wrote; calls that another part of the run made are
    /// not included.
    pub output_tokens: u64,
    /// The warnings of the check.
    pub warnings: Report,
}

impl<'e> Request<'e> {
    pub(super) fn new(engine: &'e Engine, plan: Result<Arc<Plan>, Error>) -> Self {
        let flow = plan.as_ref().ok().and_then(|it| it.program().called.clone());
        Self::calling(engine, plan, flow)
    }

    /// A request that calls a flow, whose plan may have failed.
    pub(super) fn calling(
        engine: &'e Engine,
        plan: Result<Arc<Plan>, Error>,
        flow: Option<CalledFlow>,
    ) -> Self {
        let (inputs, cancel) = (Inputs::default(), CancellationToken::new());
        // The store has scripts, and a kept flow need not have a name in one.
        let store = engine.store.as_ref().filter(|_| !matches!(flow, Some(CalledFlow::Kept(_))));
        let id = store.map(|it| it.new_id(engine.host.now()));
        let caps = Caps::default();
        let options = RunOptions::default();
        let engine = Cow::Borrowed(engine);
        Self { engine, plan, flow, inputs, gives: None, cancel, caps, id, options }
    }

    /// The engine of the run.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The plan with no inputs known; none if the script does not check.
    pub fn plan_before_inputs(&self) -> Option<&Plan> {
        self.plan.as_deref().ok()
    }

    /// Changes defaults for this run, in addition to those of the engine.
    pub fn tuned(self, tuning: &Tuning) -> Self {
        if let Some(CalledFlow::Kept(flow)) = &self.flow {
            let refused = flow_call::not_tuned(flow);
            return Self { plan: Err(refused), ..self };
        }
        let tuning = self.engine.tuning().clone().with(tuning);
        self.on(|it| it.with_tuning(tuning))
    }

    /// Lends a service to this run, in addition to those of the engine.
    pub fn lend<T: Any + Send + Sync>(self, service: Arc<T>) -> Self {
        Self { engine: Cow::Owned(self.engine.into_owned().lend(service)), ..self }
    }

    /// Sets the policy of this run, instead of that of the engine. The script is checked again.
    pub fn with_policy(self, policy: Policy) -> Self {
        self.on(|it| it.with_policy(policy))
    }

    /// The same request to a changed engine, which plans the script again.
    fn on(self, change: impl FnOnce(Engine) -> Engine) -> Self {
        let engine = change(self.engine.into_owned());
        let source = match self.plan {
            Ok(plan) => plan.program().source.clone(),
            Err(Error::Check(report)) => report.source,
            Err(Error::Input { source, .. } | Error::Run { source, .. }) => source,
        };
        let plan = match &self.flow {
            None => engine.plan_before_inputs(source).map_err(Error::Check),
            Some(CalledFlow::Named(name)) => engine.flow_plan(source, name),
            Some(CalledFlow::Kept(flow)) => engine.kept_plan(flow),
        };
        let plan = plan.map(Arc::new);
        Self { engine: Cow::Owned(engine), plan, ..self }
    }

    /// The same request with an engine of its own, so that it can be started elsewhere.
    pub fn into_owned(self) -> Request<'static> {
        Request {
            engine: Cow::Owned(self.engine.into_owned()),
            plan: self.plan,
            flow: self.flow,
            inputs: self.inputs,
            gives: self.gives,
            cancel: self.cancel,
            caps: self.caps,
            id: self.id,
            options: self.options,
        }
    }

    /// Sets a param of the script.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.inputs.named.insert(name.into(), Given::Value(value.into()));
        self
    }

    /// Sets a param of the script to anything that serde can write: a struct becomes a record.
    /// What no value can hold is an error of the run, with its place.
    pub fn param_serde(mut self, name: &str, it: &(impl Serialize + ?Sized)) -> Self {
        let given = to_value(it).map_or_else(Given::Unfit, Given::Value);
        self.inputs.named.insert(name.into(), given);
        self
    }

    /// Sets a param of the script from text: `30s`, `5`, `["a", "b"]`.
    pub fn param_text(mut self, name: &str, text: &str) -> Self {
        self.inputs.named.insert(name.into(), Given::Words(text.into()));
        self
    }

    /// Sets the first input of the script: the input of its first stage, or else its first
    /// param.
    pub fn input(mut self, value: impl Into<Value>) -> Self {
        self.inputs.first = Some(Given::Value(value.into()));
        self
    }

    /// Sets the first input from text.
    pub fn input_text(mut self, text: &str) -> Self {
        self.inputs.first = Some(Given::Words(text.into()));
        self
    }

    /// Requires a result that [`Response::get`] can convert to `T`: a script with a result of
    /// another type does not check, and nothing runs.
    pub fn gives<T: Field>(mut self) -> Self {
        self.gives = Some(T::SCHEME);
        self
    }

    /// Lets `cancel` end the run.
    pub fn cancelled_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Caps the cost of the whole run, in addition to the caps of its script: the tighter one
    /// holds.
    pub fn max_cost(mut self, cost: Money) -> Self {
        self.caps.cost = Some(cost);
        self
    }

    /// Caps the cost of the whole run at this, unless its own cap is tighter: for a resumed run, that
    /// of its first part.
    pub fn at_most(mut self, cost: Money) -> Self {
        self.caps.cost = Some(self.caps.cost.map_or(cost, |own| own.min(cost)));
        self
    }

    /// Caps the tokens of the whole run, likewise.
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.caps.tokens = Some(tokens);
        self
    }

    /// Bounds the memory of the whole run, in bytes, likewise. Without it, the run may use a
    /// share of the machine's memory.
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.caps.memory = Some(bytes);
        self
    }

    /// Bounds the time of the whole run, likewise.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.caps.time = Some(time);
        self
    }

    /// The plan with the inputs given so far: missing inputs count as unknown.
    pub fn plan(self) -> Result<Plan, Error> {
        let plan = result::of_type(self.plan?, self.gives).map_err(Error::Check)?;
        let program = plan.shared_program();
        let source = program.source.clone();
        let store = self.engine.store.as_deref();
        let inputs = inputs::known(&program, self.inputs, store)
            .map_err(|error| self.engine.hints.of_error(Error::Input { source, error }))?;
        self.engine.planned(program, &inputs, self.caps).map_err(Error::Check)
    }

    /// Runs the request on this thread, with a runtime of its own. Inside a tokio runtime, which
    /// it would block, this is an error.
    pub fn blocking(self) -> Result<Response, Error> {
        if Handle::try_current().is_ok() {
            return Err(running::inside_runtime());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(running::no_runtime)?;
        let ended = runtime.block_on(self.run());
        // A computation that ignores its cancellation must not keep the caller.
        runtime.shutdown_background();
        ended
    }

    pub(super) async fn run(self) -> Result<Response, Error> {
        let hints = self.engine.hints.clone();
        self.ended().await.map_err(|it| hints.of_error(it))
    }

    async fn ended(mut self) -> Result<Response, Error> {
        if Handle::try_current().is_err() {
            return Err(running::without_runtime());
        }
        let plan = result::of_type(self.plan.clone()?, self.gives).map_err(Error::Check)?;
        let (plan, inputs) = self.prepared(plan).await?;
        match self.briefly(&plan, &inputs) {
            AtOnce::Ended(ended) => answer(&plan, ended),
            AtOnce::NeedsTask { is_long } => {
                Box::pin(self.run_as_task(plan, inputs, is_long)).await
            }
        }
    }

    /// The plan of this run, and its inputs as the script declares them.
    async fn prepared(
        &mut self,
        plan: Arc<Plan>,
    ) -> Result<(Arc<Plan>, BTreeMap<Text, Value>), Error> {
        let given = std::mem::take(&mut self.inputs);
        let (shared, store) = (plan.clone(), self.engine.store.clone());
        let weight = given.weight();
        let read = move || inputs::read(shared.program(), given, store.as_deref());
        let inputs = run::finish(weight, read)
            .await
            .map_err(|error| Error::Input { source: plan.program().source.clone(), error })?;
        if self.engine.has_estimated(&plan, &inputs, self.caps) {
            return Ok((plan, inputs));
        }
        let (engine, caps) = (self.engine.as_ref().clone(), self.caps);
        let estimate = move || (engine.planned(plan.shared_program(), &inputs, caps), inputs);
        let (planned, inputs) = run::finish(weight, estimate).await;
        Ok((Arc::new(planned.map_err(Error::Check)?), inputs))
    }

    /// The caps of the run with the default ones of its engine.
    fn all_caps(&self) -> Caps {
        Caps { memory: self.caps.memory.or(self.engine.max_memory), ..self.caps }
    }

    /// Runs a pure script that takes no time, unless it is watched.
    fn briefly(&self, plan: &Plan, inputs: &BTreeMap<Text, Value>) -> AtOnce {
        let engine = self.engine.as_ref();
        let is_watched = engine.observer.listens() || engine.store.is_some();
        if is_watched || self.cancel.is_cancelled() || hopeless(plan).is_some() {
            return AtOnce::NeedsTask { is_long: false };
        }
        let (host, lent) = (&engine.host, &engine.lent);
        let around = Brief { host, lent, cancel: &self.cancel, caps: &self.all_caps() };
        run::briefly(plan, inputs, &around)
    }

    async fn run_as_task(
        self,
        plan: Arc<Plan>,
        inputs: BTreeMap<Text, Value>,
        is_long: bool,
    ) -> Result<Response, Error> {
        // What a resumed run has done already is not done again, so it may end within any cap.
        let error = hopeless(&plan).filter(|_| !self.options.resumes());
        if let Some(error) = error {
            return Err(Error::Run { source: plan.program().source.clone(), error });
        }
        let caps = self.all_caps();
        let mut around = self.engine.around(self.cancel);
        (around.caps, around.is_long) = (caps, is_long);
        let store = self.engine.store.clone().zip(self.id);
        let Some((store, id)) = store else {
            let outcome = run::run(&plan, inputs, around).await;
            return answer(&plan, outcome);
        };
        recordable(&plan)?;
        let (engine, caps, options) = (self.engine.as_ref(), self.caps, &self.options);
        let kept = StoredRun::begin(engine, store, id.clone(), &plan, &inputs, caps, options)?;
        if options.is_acknowledged || plan.effects().iter().any(|it| it.verb == Verb::Spends) {
            kept.is_durable(&plan).await?;
        }
        around.records = Some(kept.journal.clone());
        around.id = Some(id.to_string().into());
        let outcome = run::run(&plan, inputs, around).await;
        let written = kept.end(id, engine.host.now(), &plan.program().source, &outcome).await;
        if let (Err(err), Err(_)) = (&written, &outcome) {
            let message = format!("cannot record the end of the run: {err}");
            self.engine.observer.event("", &run::Event::Notice { message: &message });
        }
        let response = answer(&plan, outcome)?;
        written.map_err(|err| resume::outside(&plan.program().source, err))?;
        Ok(response)
    }
}

/// The result of a run for its caller.
fn answer(plan: &Plan, outcome: Result<Outcome, Box<RunError>>) -> Result<Response, Error> {
    let program = plan.program();
    match outcome {
        Ok(Outcome { value, usage, output_tokens }) => {
            Ok(Response { value, usage, output_tokens, warnings: program.warnings.clone() })
        }
        Err(error) => Err(Error::Run { source: program.source.clone(), error }),
    }
}

/// Whether the inputs and the result of a stored run can be recorded.
fn recordable(plan: &Plan) -> Result<(), Error> {
    let program = plan.program();
    let input = program.inputs.iter().find(|it| it.ty.holds_opaque());
    let input = input.map(|it| (format!("the param `{}`", it.name), it.span));
    let result = program.main.as_ref().filter(|it| it.ty.holds_opaque());
    let result = result.map(|it| ("the result of the run".to_owned(), it.span));
    match input.or(result) {
        Some((what, span)) => {
            let error = RunError::outside(run::unrecordable(&what), span);
            Err(Error::Input { source: program.source.clone(), error })
        }
        None => Ok(()),
    }
}

/// The failure of a run whose own caps are too low in any case. It is not the script's fault.
fn hopeless(plan: &Plan) -> Option<Box<RunError>> {
    let caps = plan.verdicts().iter().filter(|it| it.span.is_none());
    let cap = caps.into_iter().find(|it| it.holds == Holds::Impossible)?;
    let kind = match cap.key {
        BoundKey::Timeout => ErrorKind::Timeout,
        _ => ErrorKind::Budget,
    };
    let message = format!("{}, and its `{}` is {}", cap.why, cap.key.name(), cap.limit);
    let help = "nothing ran: raise the cap of the run, or let the script ask for less";
    let span = plan.program().main.as_ref().map_or(Span::default(), |it| it.span);
    Some(RunError::outside(OpError::new(kind, message).help(help), span))
}

impl<'e> IntoFuture for Request<'e> {
    type Output = Result<Response, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'e>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl Response {
    /// Converts the value to a Rust type that corresponds to a type of the language.
    pub fn get<T: Field>(self) -> Result<T, TypeMismatch> {
        let value = self.value;
        T::decode(value.clone()).ok_or_else(|| {
            let misfit = T::SCHEME.plain().mismatch(&value);
            misfit.unwrap_or_else(|| TypeMismatch::of(T::SCHEME.show(), &value))
        })
    }

    /// Converts the value to anything that serde can read, such as a list of structs.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, TypeMismatch> {
        from_value(&self.value)
    }
}
