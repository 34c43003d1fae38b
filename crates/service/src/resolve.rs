//! A call as a script with inputs: what a name or the arguments of a meta tool mean.

use std::sync::Arc;

use svc_contract::{
    registry::{
        Effect, ErrorKind, MASK, MaskedValues, OpError, OpRef, Price, Registry, Scope, Tier,
    },
    value::{Money, Text, Type, Value},
};
use svc_engine::{
    Engine, Error, Request,
    blocks::{ComponentRegistry, OnError, PipelineStep, Steps, WorkflowStep},
};
use svc_lang::{
    diag::Source,
    plan::{Place, Plan, Policy, Verb},
};

use crate::{
    Answer, Bounds, Call, Fault, FieldFault, Served, StepReport, Work,
    access::decide::{Rights, ops_of},
    call::{Args, Mode},
    components::core,
    decode::{GivenParams, of_fields},
    jobs::{JobKind, NewWork, Queued},
    permit::Spending,
    quality::{self, Quality, Rated},
    refused::{Refused, test},
    tools,
};

/// A call whose script is known. Nothing has run.
#[derive(Clone)]
pub struct Resolved {
    what: What,
    bounds: Bounds,
    /// The cap of its money by the limits of its caller.
    granted: Option<Money>,
    /// The tool that was called.
    tool: Option<String>,
    /// The tool of a call, whose own result surrounds that of its work.
    meta: Option<core::Meta>,
    /// For the audit: the rule that allows it, and its arguments as JSON.
    pub(crate) rule: String,
    pub(crate) arguments: String,
    /// Whether the run is recorded in any case.
    pub(crate) is_kept: bool,
    /// The job that is queued instead of running the work now.
    pub(crate) queued: Option<Queued>,
    /// What would make a job of the call of a tool.
    job: Option<NewWork>,
    /// The arguments that the script of a tool must not have.
    masked: MaskedValues,
}

#[derive(Clone)]
enum What {
    /// One op, or several, how they were called, and the question that one op answers.
    Steps {
        steps: Arc<Steps>,
        called: Vec<(String, String)>,
        is_list: bool,
        question: Option<Text>,
        /// The arguments of one op.
        given: Option<GivenParams>,
    },
    /// A script that was sent.
    Script(Source, Args),
    /// A script of the served folder, with its plan.
    Served(Arc<Served>, Args),
}

impl What {
    /// Whether its result has a model, or it cannot do without one: models live in the store.
    fn needs_models(&self, engine: &Engine) -> bool {
        let Self::Steps { called, .. } = self else { return false };
        let mut ops =
            called.iter().filter_map(|(component, op)| engine.registry().find_op(component, op));
        ops.any(|it| {
            let mut needed = it.op.params.iter().filter(|it| it.default.is_none());
            it.op.yields_model() || needed.any(|it| it.scheme.has_model())
        })
    }
}

/// Replaces the masked texts among the arguments of a tool by [`MASK`], and returns them. Another value
/// stays there, and does not pass the check.
pub(crate) fn mask(tool: &str, args: &mut Args, registry: &Registry) -> MaskedValues {
    let params = registry.find_tool(tool).into_iter().flat_map(|it| it.op.params);
    let masked = params.filter(|it| it.is_masked).filter_map(|it| {
        let arg = args.get_mut(it.name).filter(|it| matches!(it, Value::Text(_)))?;
        Some((it.name, std::mem::replace(arg, MASK.into())))
    });
    MaskedValues(masked.collect())
}

impl Resolved {
    /// What a call means on an engine. `served` finds scripts of the served folder.
    pub(crate) fn of(
        call: Call,
        engine: &Engine,
        served: &dyn Fn(&str) -> Result<Arc<Served>, Fault>,
    ) -> Result<Self, Fault> {
        let Call { work, bounds } = call;
        bounds.test()?;
        let what = match work {
            Work::Tool { name, mut args } => {
                if let Some((call, meta)) = core::meta(&name, args.clone(), bounds, engine)? {
                    let resolved = Self::of(call, engine, served)?;
                    return Ok(resolved.within_tool(name, meta, engine));
                }
                let masked = mask(&name, &mut args, engine.registry());
                let what = tool(&name, args, bounds, engine)?;
                let is_kept = what.needs_models(engine);
                return Ok(Self { tool: Some(name), is_kept, masked, ..Self::new(what, bounds) });
            }
            Work::Op(step) => one(step, "params.", bounds, engine)?,
            Work::Steps { steps, initial, mode } => several(steps, initial, mode, bounds, engine)?,
            Work::Workflow { steps, on_error } => workflow(steps, on_error, bounds, engine)?,
            Work::Script { source, args } => What::Script(source, args),
            Work::Served { name, args } => What::Served(served(&name)?, args),
        };
        let is_kept = matches!(what, What::Served(..)) || what.needs_models(engine);
        Ok(Self { is_kept, ..Self::new(what, bounds) })
    }

    /// The work of a meta tool.
    fn within_tool(self, name: String, meta: core::Meta, engine: &Engine) -> Self {
        let plan = meta.is_dry().then(|| self.plan(engine));
        let script = match &self.what {
            What::Steps { steps, .. } => Some(steps.text()),
            _ => None,
        };
        let meta = meta.with(script, plan);
        let is_kept = meta.is_kept() || (self.is_kept && !meta.is_dry());
        Self { is_kept, meta: Some(meta), tool: Some(name), ..self }
    }

    fn new(what: What, bounds: Bounds) -> Self {
        Self {
            what,
            bounds,
            granted: None,
            tool: None,
            meta: None,
            rule: String::new(),
            arguments: String::new(),
            is_kept: false,
            queued: None,
            job: None,
            masked: MaskedValues::default(),
        }
    }

    /// The rule that allows the call, or why its caller may not make it. `outer` are the rules of the server, which
    /// hold besides those of the caller. Plans it for that, if its ops alone do not decide.
    pub(crate) fn authorise(
        &self,
        engine: &Engine,
        rights: &Rights<'_>,
        outer: &Policy,
    ) -> Result<String, Refused> {
        let registry = engine.registry();
        let of_tool =
            self.tool.as_ref().map(|it| test(rights.of_tool(it, registry))).transpose()?;
        let rule = match (&self.what, of_tool) {
            (What::Served(script, _), _) => test(rights.of_script(&script.name))?,
            // An op that calls others needs the rights for these, too.
            (What::Steps { .. }, Some(rule))
                if self.meta.is_none() && self.only_ops(engine).is_some() =>
            {
                rule
            }
            _ => match self.only_ops(engine) {
                Some(ops) => test(rights.of_ops(&ops))?,
                None => test(rights.of_ops(&ops_of(self.plan(engine)?.program())))?,
            },
        };
        if !outer.is_empty() {
            let refused = self.plan(engine)?.refusals(outer, engine.host());
            if refused.has_errors() {
                return Err(Fault::of_run(&Error::Check(refused)).into());
            }
        }
        Ok(rule)
    }

    /// Whether the operator of the server wrote the script.
    pub(crate) fn is_published(&self) -> bool {
        matches!(self.what, What::Served(..))
    }

    /// Whether its run is recorded, if there is a store.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_published() || self.is_kept
    }

    /// Whether the call may cost money, and how much of it.
    pub(crate) fn spending(&self, engine: &Engine) -> Result<Spending, Fault> {
        if self.meta.as_ref().is_some_and(core::Meta::is_dry) {
            return Ok(Spending::Nothing);
        }
        let may_spend = |op: OpRef| {
            let spends = op.op.effects.iter().any(|it| matches!(it, Effect::Spends));
            spends || !matches!(op.op.price, Price::Free)
        };
        if let Some(ops) = self.only_ops(engine)
            && !ops.into_iter().any(may_spend)
        {
            return Ok(Spending::Nothing);
        }
        let plan = self.plan(engine)?;
        let spends = plan.effects().iter().any(|it| it.verb == Verb::Spends);
        Ok(match plan.envelope().cost.max {
            None => Spending::Unlimited,
            Some(Money::ZERO) if !spends => Spending::Nothing,
            Some(most) => Spending::AtMost(most),
        })
    }

    /// How much it counts in the rates of its caller.
    pub(crate) fn weight(&self, engine: &Engine) -> u32 {
        let ops = self.only_ops(engine).unwrap_or_default();
        ops.into_iter().map(tools::weight_of).max().unwrap_or(1)
    }

    /// The cap of its money that the caller set.
    pub(crate) fn cap(&self) -> Option<Money> {
        self.bounds.max_cost
    }

    /// Holds it to a cap of its money, which may be zero.
    pub(crate) fn limit(&mut self, cap: Option<Money>) {
        self.granted = cap;
    }

    /// Adds what other runs have paid for calls that it takes over: its ledger begins with that.
    pub(crate) fn add_to_limit(&mut self, paid: Money) {
        self.granted = self.granted.map(|it| it.checked_add(paid).unwrap_or(it));
    }

    /// For the audit: the tool, or the kind of call; and the ops or the script that it means.
    pub(crate) fn described(&self) -> (String, String) {
        let kind = match &self.what {
            What::Steps { is_list: false, .. } => "invoke",
            What::Steps { .. } => "pipeline",
            What::Script(..) => "script",
            What::Served(..) => "served",
        };
        (self.tool.clone().unwrap_or_else(|| kind.to_owned()), self.name())
    }

    /// The ops of a call whose arguments name no others, so that its plan need not be made.
    fn only_ops(&self, engine: &Engine) -> Option<Vec<OpRef>> {
        let What::Steps { called, .. } = &self.what else { return None };
        let registry = engine.registry();
        let find = |(component, op): &(String, String)| {
            let op = registry.find_op(component, op)?;
            (!op.op.takes_flows()).then_some(op)
        };
        called.iter().map(find).collect()
    }

    /// The plan of the call, with its inputs.
    pub fn plan(&self, engine: &Engine) -> Result<Plan, Fault> {
        self.work(engine).plan().map_err(|err| self.failure(engine, err))
    }

    /// The run of the call; one without effects if only the plan is wanted.
    pub(crate) fn request<'e>(&self, engine: &'e Engine) -> Request<'e> {
        let request = self.unlimited(engine);
        match self.granted {
            Some(cap) => request.at_most(cap),
            None => request,
        }
    }

    fn unlimited<'e>(&self, engine: &'e Engine) -> Request<'e> {
        if self.meta.as_ref().is_some_and(core::Meta::is_dry) {
            return engine.run(Source::new("dry_run", "null"));
        }
        self.work(engine)
    }

    fn work<'e>(&self, engine: &'e Engine) -> Request<'e> {
        match &self.what {
            What::Steps { steps, .. } => self.unmasked(steps.request(engine)),
            What::Script(source, args) => self.within(with_args(engine.run(source.clone()), args)),
            What::Served(script, args) => {
                self.within(with_args(engine.run_plan(script.plan.clone()), args))
            }
        }
    }

    /// A request of the script of the call, to which its masked arguments are lent.
    pub(crate) fn unmasked<'e>(&self, request: Request<'e>) -> Request<'e> {
        if self.masked.0.is_empty() {
            return request;
        }
        request.lend(Arc::new(self.masked.clone()))
    }

    /// A request with the bounds of the call.
    fn within<'e>(&self, mut request: Request<'e>) -> Request<'e> {
        let Bounds { max_tokens, max_cost, timeout, max_retries: _ } = self.bounds;
        if let Some(it) = max_cost {
            request = request.max_cost(it);
        }
        if let Some(it) = max_tokens {
            request = request.max_tokens(it);
        }
        if let Some(it) = timeout {
            request = request.timeout(it);
        }
        request
    }

    /// The fault of a run of this call.
    pub(crate) fn failure(&self, engine: &Engine, error: Error) -> Fault {
        match &self.what {
            What::Steps { steps, given, .. } => {
                let fault = Fault::from(steps.failure(engine, error));
                given.iter().fold(fault, |it, given| given.explain(it, engine))
            }
            _ => Fault::of_run(&error),
        }
    }

    /// The answer of the call from that of its run.
    pub(crate) fn answered(&self, mut answer: Answer) -> Result<Answer, Fault> {
        if let What::Steps { steps, is_list: true, .. } = &self.what
            && !self.meta.as_ref().is_some_and(core::Meta::is_dry)
        {
            answer.value = steps.results(answer.value)?.into();
        }
        if let Some(meta) = &self.meta {
            answer.value = meta.result(&answer)?;
        }
        Ok(answer)
    }

    /// What is known of the result of its stored run besides the journal; `None` if its result is not
    /// that of the run.
    pub(crate) fn rated(&self, engine: &Engine) -> Option<Rated> {
        let question = match &self.what {
            What::Steps { is_list: true, .. } => return None,
            What::Steps { question, .. } => question.clone(),
            What::Script(..) | What::Served(..) => None,
        };
        let is_dry = self.meta.as_ref().is_some_and(core::Meta::is_dry);
        (!is_dry).then(|| Rated { question, plan: self.plan(engine).ok() })
    }

    /// The quality of the result of a run that is not stored: what the result of an op itself says.
    pub(crate) fn quality_of(&self, value: &Value, engine: &Engine) -> Option<Quality> {
        let What::Steps { called, is_list: false, question, .. } = &self.what else { return None };
        let (component, op) = called.first()?;
        // Only records have more than their value to say.
        let has_type = matches!(value, Value::Record(_));
        let op = engine.registry().find_op(component, op).filter(|_| has_type);
        let ty = op.map(|it| it.op.yields.plain());
        Quality::of_result(value, ty.as_ref(), question.as_deref())
    }

    /// The steps of a call of several, before anything ran.
    pub(crate) fn reports(&self) -> Vec<StepReport> {
        let What::Steps { called, .. } = &self.what else { return Vec::new() };
        let report = |(component, op): &(String, String)| StepReport {
            component: component.clone(),
            op: op.clone(),
            ok: true,
            took: std::time::Duration::ZERO,
            error: None,
        };
        called.iter().map(report).collect()
    }

    /// The step that a node of the plan belongs to.
    pub(crate) fn step_of(&self, node: &str) -> Option<usize> {
        match &self.what {
            What::Steps { steps, .. } => steps.step_of(node),
            _ => None,
        }
    }

    /// Whether the call can run later: it is planned, and no input is missing.
    pub fn test(&self, engine: &Engine) -> Result<(), Fault> {
        let plan = self.plan(engine)?;
        let (What::Script(_, args) | What::Served(_, args)) = &self.what else { return Ok(()) };
        let inputs = plan.program().inputs.iter();
        let missing = inputs.filter(|it| {
            let is_optional = matches!(it.ty, Type::Optional(_)) || it.is_secret();
            it.is_required() && !is_optional && !args.contains_key(it.name.as_ref())
        });
        let missing: Vec<FieldFault> = missing
            .map(|it| FieldFault {
                field: it.name.to_string(),
                message: format!("missing param `{}: {}`", it.name, it.ty),
            })
            .collect();
        if missing.is_empty() { Ok(()) } else { Err(of_fields(missing)) }
    }

    /// Whether it queues a job instead of running.
    pub fn queues(&self) -> bool {
        self.queued.is_some()
    }

    /// The same work, to be queued.
    pub(crate) fn queueing(self, job: Queued) -> Self {
        Self { queued: Some(job), ..self }
    }

    /// Whether it neither waits for others nor writes. Such a call needs no record: made again, it has
    /// the same result.
    pub(crate) fn is_brief(&self, engine: &Engine) -> bool {
        if self.is_recorded() {
            return false;
        }
        if self.meta.as_ref().is_some_and(core::Meta::is_dry) {
            return true;
        }
        if let Some(ops) = self.only_ops(engine) {
            let mut effects = ops.iter().flat_map(|it| it.op.effects);
            return effects.all(|it| matches!(it, Effect::Reads(Scope::Path(_))));
        }
        // A script that does not check fails at once.
        let Ok(plan) = self.plan(engine) else { return true };
        plan.effects().iter().all(|it| {
            let is_file = matches!(it.place, Some(Place::Path(_) | Place::PathOf(_)));
            it.verb == Verb::Reads && is_file
        })
    }

    /// The call of a caller who may leave it to go on as this job.
    pub(crate) fn leavable(self, job: Option<NewWork>, engine: &Engine) -> Self {
        let is_kept = self.is_kept || !self.is_brief(engine);
        Self { is_kept, job, ..self }
    }

    /// What would make a job of the call, if it can be one.
    pub(crate) fn as_job(&self) -> Option<NewWork> {
        let What::Served(script, args) = &self.what else { return self.job.clone() };
        Some(NewWork {
            kind: JobKind::Script,
            name: script.name.clone(),
            args: args.clone(),
            bounds: self.bounds,
            session: None,
            notify: None,
        })
    }

    /// A name for lists of runs.
    pub(crate) fn name(&self) -> String {
        match &self.what {
            What::Steps { called, .. } => {
                let names = called.iter().map(|(component, op)| format!("{component}.{op}"));
                names.collect::<Vec<_>>().join(", ")
            }
            What::Script(source, _) => source.name().to_owned(),
            What::Served(script, _) => script.name.clone(),
        }
    }
}

fn with_args<'e>(request: Request<'e>, args: &Args) -> Request<'e> {
    args.iter().fold(request, |it, (name, value)| it.param(name, value.clone()))
}

fn tool(name: &str, args: Args, bounds: Bounds, engine: &Engine) -> Result<What, Fault> {
    let registry = engine.registry();
    let found =
        registry.find_tool(name).filter(|it| crate::access::decide::tier_of(*it) < Tier::Admin);
    let op = found.ok_or_else(|| {
        let names = registry.tools().map(|(tool, _)| tool.name);
        let meant = svc_contract::registry::nearest(name, names);
        let fault = Fault::not_found(format!("unknown tool `{name}`"));
        match meant {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None => fault.help("`guide_find_tool` finds the tool for a task"),
        }
    })?;
    let mut step = PipelineStep::new(op.component.name, op.op.name);
    step.params = args;
    one(step, "", bounds, engine)
}

fn one(
    step: PipelineStep,
    before: &'static str,
    bounds: Bounds,
    engine: &Engine,
) -> Result<What, Fault> {
    let called = vec![named(&step)];
    let question = quality::question(|name| step.params.get(name)).cloned();
    let given = GivenParams { op: named(&step), args: step.params.clone(), before };
    let steps = components(bounds, &called, engine)?.step(step);
    let steps = steps.map_err(|it| given.explain(it.into(), engine))?;
    let (steps, given) = (Arc::new(steps), Some(given));
    Ok(What::Steps { steps, called, is_list: false, question, given })
}

/// The most steps of one call.
const MOST_STEPS: usize = 64;

fn test_count(count: usize) -> Result<(), Fault> {
    if count == 0 {
        return Err(Fault::field("steps", "expected at least one step, found none"));
    }
    if count > MOST_STEPS {
        let message = format!("too many steps: {count} (limit {MOST_STEPS})");
        return Err(Fault::field("steps", message));
    }
    Ok(())
}

fn workflow(
    steps: Vec<WorkflowStep>,
    on_error: OnError,
    bounds: Bounds,
    engine: &Engine,
) -> Result<What, Fault> {
    test_count(steps.len())?;
    let called: Vec<_> = steps.iter().map(|it| named(&it.step)).collect();
    let steps = components(bounds, &called, engine)?.workflow(steps, on_error)?;
    Ok(What::Steps { steps: Arc::new(steps), called, is_list: true, question: None, given: None })
}

fn several(
    mut steps: Vec<PipelineStep>,
    initial: Option<Value>,
    mode: Mode,
    bounds: Bounds,
    engine: &Engine,
) -> Result<What, Fault> {
    test_count(steps.len())?;
    if let Some(initial) = initial {
        give(&mut steps[0], initial, engine)?;
    }
    let called: Vec<_> = steps.iter().map(named).collect();
    let steps = components(bounds, &called, engine)?.steps(steps, mode.order())?;
    Ok(What::Steps { steps: Arc::new(steps), called, is_list: true, question: None, given: None })
}

/// Gives the first step of a pipeline its payload: an object whose fields are all params of the op
/// gives these; anything else is its input.
fn give(step: &mut PipelineStep, initial: Value, engine: &Engine) -> Result<(), Fault> {
    // An unknown op is reported with the other mistakes of the steps.
    let Some(op) = engine.registry().find_op(&step.component, &step.op) else { return Ok(()) };
    let params = op.op.params;
    let is_param = |name: &str| params.iter().any(|it| it.name == name);
    let given: Vec<(String, Value)> = match &initial {
        Value::Record(of) if !of.is_empty() && of.names().iter().all(|it| is_param(it)) => {
            of.iter().map(|(name, it)| (name.to_string(), it.clone())).collect()
        }
        _ => match op.op.input() {
            Some(input) => vec![(input.name.to_owned(), initial)],
            None => return Err(Fault::field("initial", format!("`{op}` takes no input"))),
        },
    };
    for (name, value) in given {
        if step.params.contains_key(&name) {
            let message = format!("duplicate argument `{name}` of the first step");
            return Err(Fault::field("initial", message));
        }
        step.params.insert(name, value);
    }
    Ok(())
}

fn named(step: &PipelineStep) -> (String, String) {
    (step.component.clone(), step.op.clone())
}

/// The components within the bounds of a call. A call that says nothing about attempts has several,
/// unless some op must not be tried again.
fn components(
    bounds: Bounds,
    called: &[(String, String)],
    engine: &Engine,
) -> Result<ComponentRegistry, Fault> {
    let ops = called.iter().filter_map(|(name, op)| engine.registry().find_op(name, op));
    let only_once = ops.into_iter().any(|it| it.op.writes_once());
    let max_retries = if only_once { bounds.max_retries.or(Some(0)) } else { bounds.max_retries };
    let bounds = Bounds { max_retries, ..bounds };
    Ok(ComponentRegistry::new(engine.clone()).within(bounds.of_ops()?))
}

/// The error of a meta tool in a script: a target that only the run knows has no envelope.
pub(crate) fn in_a_script(what: &str) -> OpError {
    let message = format!("`{what}` names its work in its arguments, so a script cannot call it");
    OpError::new(ErrorKind::Unsupported, message).help("call the component itself in the script")
}
