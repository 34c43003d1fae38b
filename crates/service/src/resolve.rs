//! A call as a script with inputs: what a name or the arguments of a meta tool mean.

use std::sync::Arc;

use svc_contract::{
    registry::{ErrorKind, OpError, OpRef, Tier},
    value::{Type, Value},
};
use svc_engine::{
    Engine, Error, Request,
    blocks::{ComponentRegistry, PipelineStep, Steps},
};
use svc_lang::{diag::Source, plan::Plan};

use crate::{
    Answer, Bounds, Call, Fault, FieldFault, Served, StepReport, Work,
    call::{Args, Mode},
    components::core,
    decode::of_fields,
    jobs::{JobKind, NewWork, Queued},
    rights,
};

/// A call whose script is known. Nothing has run.
#[derive(Clone)]
pub struct Resolved {
    what: What,
    bounds: Bounds,
    /// The tool of a call, whose own result surrounds that of its work.
    meta: Option<core::Meta>,
    /// Whether the operator of the server wrote the script: then its ops need no tier.
    is_served: bool,
    /// Whether the run is recorded in any case.
    pub(crate) is_kept: bool,
    /// The job that is queued instead of running the work now.
    pub(crate) queued: Option<Queued>,
}

#[derive(Clone)]
enum What {
    /// One op, or several, and how they were called.
    Steps { steps: Arc<Steps>, called: Vec<(String, String)>, is_list: bool },
    /// A script that was sent.
    Script(Source, Args),
    /// A script of the served folder, with its plan.
    Served(Arc<Served>, Args),
}

impl Resolved {
    /// What a call means on an engine. `served` finds scripts of the served folder.
    pub(crate) fn of(
        call: Call,
        engine: &Engine,
        served: &dyn Fn(&str) -> Result<Arc<Served>, Fault>,
    ) -> Result<Self, Fault> {
        let Call { work, bounds } = call;
        let (what, meta) = match work {
            Work::Tool { name, args } => match core::meta(&name, args.clone(), bounds, engine)? {
                Some((call, meta)) => {
                    let resolved = Self::of(call, engine, served)?;
                    return Ok(Self { meta: Some(meta), ..resolved });
                }
                None => (tool(&name, args, bounds, engine)?, None),
            },
            Work::Op(step) => (one(step, bounds, engine)?, None),
            Work::Steps { steps, initial, mode } => {
                (several(steps, initial, mode, bounds, engine)?, None)
            }
            Work::Script { source, args } => (What::Script(source, args), None),
            Work::Served { name, args } => (What::Served(served(&name)?, args), None),
        };
        let is_served = matches!(what, What::Served(..));
        Ok(Self { what, bounds, meta, is_served, is_kept: is_served, queued: None })
    }

    /// Whether a caller of this tier may call it. Plans it for that.
    pub(crate) fn authorise(&self, engine: &Engine, caller: Tier) -> Result<(), Fault> {
        if self.is_served {
            return Ok(());
        }
        if let Some(ops) = self.only_ops(engine) {
            return rights::test(ops, caller);
        }
        let plan = self.plan(engine)?;
        rights::authorise(&plan, engine.registry(), caller)
    }

    /// The ops of a call whose arguments name no others, so that its plan need not be made.
    fn only_ops(&self, engine: &Engine) -> Option<Vec<OpRef>> {
        let What::Steps { called, .. } = &self.what else { return None };
        let registry = engine.registry();
        let find = |(component, op): &(String, String)| {
            let op = registry.find_op(component, op)?;
            let takes_flow = op.op.params.iter().any(|it| it.scheme.flow().is_some());
            (!takes_flow).then_some(op)
        };
        called.iter().map(find).collect()
    }

    /// The plan of the call, with its inputs.
    pub fn plan(&self, engine: &Engine) -> Result<Plan, Fault> {
        self.request(engine).plan().map_err(|err| self.failure(engine, err))
    }

    /// The run of the call.
    pub(crate) fn request<'e>(&self, engine: &'e Engine) -> Request<'e> {
        match &self.what {
            What::Steps { steps, .. } => steps.request(engine),
            What::Script(source, args) => self.within(with_args(engine.run(source.clone()), args)),
            What::Served(script, args) => {
                self.within(with_args(engine.run_plan(script.plan.clone()), args))
            }
        }
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
            What::Steps { steps, .. } => Fault::from(steps.failure(engine, error)),
            _ => Fault::of_run(&error),
        }
    }

    /// The answer of the call from that of its run.
    pub(crate) fn answered(&self, mut answer: Answer) -> Result<Answer, Fault> {
        if let What::Steps { steps, is_list: true, .. } = &self.what {
            answer.value = steps.results(answer.value)?.into();
        }
        if let Some(meta) = &self.meta {
            answer.value = meta.result(&answer)?;
        }
        Ok(answer)
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

    /// The same work, to be queued.
    pub(crate) fn queueing(self, job: Queued) -> Self {
        Self { queued: Some(job), ..self }
    }

    /// What would make a job of the call; `None` if it is not recorded.
    pub(crate) fn work(&self) -> Option<NewWork> {
        let What::Served(script, args) = &self.what else { return None };
        Some(NewWork {
            kind: JobKind::Script,
            name: script.name.clone(),
            args: args.clone(),
            bounds: self.bounds,
            session: None,
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
    one(step, bounds, engine)
}

fn one(step: PipelineStep, bounds: Bounds, engine: &Engine) -> Result<What, Fault> {
    let called = vec![named(&step)];
    let steps = components(bounds, engine)?.step(step)?;
    Ok(What::Steps { steps: Arc::new(steps), called, is_list: false })
}

/// The most steps of one call.
const MOST_STEPS: usize = 64;

fn several(
    mut steps: Vec<PipelineStep>,
    initial: Option<Value>,
    mode: Mode,
    bounds: Bounds,
    engine: &Engine,
) -> Result<What, Fault> {
    if steps.is_empty() {
        return Err(Fault::field("steps", "expected at least one step, found none"));
    }
    if steps.len() > MOST_STEPS {
        let message = format!("too many steps: {} (limit {MOST_STEPS})", steps.len());
        return Err(Fault::field("steps", message));
    }
    if let Some(initial) = initial {
        give(&mut steps[0], initial, engine)?;
    }
    let called = steps.iter().map(named).collect();
    let steps = components(bounds, engine)?.steps(steps, mode.order())?;
    Ok(What::Steps { steps: Arc::new(steps), called, is_list: true })
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

fn components(bounds: Bounds, engine: &Engine) -> Result<ComponentRegistry, Fault> {
    Ok(ComponentRegistry::new(engine.clone()).within(bounds.of_ops()?))
}

/// The error of a meta tool in a script: a target that only the run knows has no envelope.
pub(crate) fn in_a_script(what: &str) -> OpError {
    let message = format!("`{what}` names its work in its arguments, so a script cannot call it");
    OpError::new(ErrorKind::Unsupported, message).help("call the component itself in the script")
}
