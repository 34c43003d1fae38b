//! What is held to its word: a registry, an engine, and the functions that decide.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use svc_contract::{
    host::Host,
    registry::{
        Component, ErrorKind, Example, OpDef, OpError, OpRef, Param, Registry, Tier, Usage,
    },
    store::{Run, Store},
    value::{Money, Value},
};
use svc_engine::{Engine, Request};
use svc_lang::{
    diag::{Report, Source},
    plan::{Plan, Policy},
    syntax,
};
use svc_store::SqliteStore;

use super::{probe, quiet::Quiet};
use crate::{
    Call, Fault, Resolved,
    access::{Role, decide::Rights, redact},
    tools,
};

/// Whether each of several callers may make a call.
pub(super) type Decisions = Vec<Result<(), Fault>>;

/// The functions of the program that the invariants are about. A test replaces one by a broken
/// one.
#[derive(Clone, Copy)]
pub(in crate::components) struct Mechanisms {
    /// The JSON Schema of the arguments of a tool.
    pub(super) input_schema: fn(&[Param]) -> Option<Value>,
    /// Whether callers of these tiers may make a call.
    pub(super) decides: fn(&Engine, &Call, &[Tier]) -> Result<Decisions, Fault>,
    /// Whether a key of a role may call an op in a script that it sent.
    pub(super) role_allows: fn(OpRef, &Role, bool) -> bool,
    pub(super) format: fn(&str) -> String,
    pub(super) plan: fn(&Engine, &str) -> Result<Plan, Report>,
    pub(super) run: fn(&Runner, &Engine, &str, Option<Money>) -> Ran,
    pub(super) redact: fn(&str) -> String,
    pub(super) replay: fn(&Engine, Run) -> Result<Option<Value>, String>,
    /// Resumes the latest run with another cap.
    pub(super) resume: fn(&Runner, &Engine, Money) -> Ran,
}

/// What became of a run.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    /// The result, or the message of the failure.
    pub(super) result: Result<Value, String>,
    pub(super) usage: Usage,
    /// Whether it needs what the host of the checks does not have, such as worker processes.
    pub(super) is_beyond: bool,
}

impl Ran {
    fn failed(message: String) -> Self {
        Self { result: Err(message), usage: Usage::default(), is_beyond: false }
    }
}

impl Mechanisms {
    pub(super) const REAL: Self = Self {
        input_schema: tools::input_schema,
        decides,
        role_allows: |op, role, may_tune| Rights { role, may_tune }.of_op(op).is_allowed(),
        format: |text| syntax::format(text).text,
        plan: |engine, text| engine.plan(Source::new("script", text)),
        run: |runner, engine, text, cap| runner.run(engine, text, cap),
        redact: |text| redact(text).into_owned(),
        replay: |engine, run| {
            let replayed = engine.replay(run, None).map_err(|it| it.to_string())?;
            replayed.ended.transpose().map_err(|it| it.to_string())
        },
        resume: |runner, engine, cap| match engine.resume("last") {
            Ok(request) => runner.ended(request.max_cost(cap)),
            Err(error) => Ran::failed(error.to_string()),
        },
    };
}

/// The decision of the service about a call, for each tier.
fn decides(engine: &Engine, call: &Call, tiers: &[Tier]) -> Result<Decisions, Fault> {
    let unserved = |name: &str| Err(Fault::not_found(format!("unknown script `{name}`")));
    let resolved = Resolved::of(call.clone(), engine, &unserved)?;
    let decide = |tier: &Tier| {
        let rights = Rights { role: &Role::of_tier(*tier, false), may_tune: false };
        let decided = resolved.authorise(engine, &rights, &Policy::default());
        decided.map(drop).map_err(|it| *it.fault)
    };
    Ok(tiers.iter().map(decide).collect())
}

/// A system to check.
pub(in crate::components) struct System {
    /// Of the same registry, with a host without anything outside, and with the [`probe`].
    pub(super) engine: Engine,
    /// All of the registry.
    pub(super) all: Vec<&'static Component>,
    /// Those that are checked.
    pub(super) components: Vec<&'static Component>,
    pub(super) mechanisms: Mechanisms,
    pub(super) runner: Runner,
    examples: OnceLock<Vec<Planned>>,
}

/// An example of the registry that should succeed, and its plan.
pub(super) struct Planned {
    pub(super) op: OpRef,
    pub(super) example: &'static Example,
    pub(super) plan: Result<Arc<Plan>, Report>,
}

impl System {
    /// The system of an engine. Nothing of it is changed or recorded.
    pub(in crate::components) fn of(engine: &Engine) -> Result<Self, OpError> {
        Self::with(engine.registry(), Mechanisms::REAL)
    }

    pub(super) fn with(registry: &Registry, mechanisms: Mechanisms) -> Result<Self, OpError> {
        let components = registry.components().to_vec();
        let registry = registry.clone().with(&[&probe::COMPONENT]);
        Ok(Self {
            engine: Engine::new(registry, Arc::new(Quiet::default())),
            all: components.clone(),
            components,
            mechanisms,
            runner: Runner::new()?,
            examples: OnceLock::new(),
        })
    }

    /// Only this component is checked.
    pub(super) fn only(mut self, component: &str) -> Self {
        self.components.retain(|it| it.name == component);
        self
    }

    /// The ops that are checked.
    pub(super) fn ops(&self) -> impl Iterator<Item = OpRef> {
        let ops = |component: &'static Component| {
            component.ops.iter().map(move |op: &'static OpDef| OpRef { component, op })
        };
        self.components.iter().copied().flat_map(ops)
    }

    /// The examples that should succeed, with their plans, which are made once.
    pub(super) fn examples(&self, look: Look<'_>) -> Result<&[Planned], OpError> {
        if let Some(known) = self.examples.get() {
            return Ok(known);
        }
        let mut all = Vec::new();
        for op in self.ops().filter(|it| it.op.lacks().is_none()) {
            look()?;
            for example in op.op.examples.iter().filter(|it| it.yields.is_ok()) {
                let engine = self.engine_of(example);
                let plan = (self.mechanisms.plan)(&engine, example.script).map(Arc::new);
                all.push(Planned { op, example, plan });
            }
        }
        Ok(self.examples.get_or_init(|| all))
    }

    /// The engine for an example: its host has the files and the environment of the example.
    pub(super) fn engine_of(&self, example: &'static Example) -> Engine {
        if example.files.is_empty() && example.env.is_empty() && example.answers.is_empty() {
            return self.engine.clone();
        }
        self.engine.clone().with_host(Quiet::of(example))
    }

    /// The engine on another host.
    pub(super) fn on(&self, host: Arc<dyn Host>) -> Engine {
        self.engine.clone().with_host(host)
    }

    pub(super) fn run(&self, engine: &Engine, script: &str) -> Ran {
        (self.mechanisms.run)(&self.runner, engine, script, None)
    }
}

/// Looks whether the check should stop.
pub(super) type Look<'a> = &'a dyn Fn() -> Result<(), OpError>;

/// How thorough a check is.
#[derive(Clone, Copy)]
pub(super) struct Depth<'a> {
    /// The generated cases of each kind.
    pub(super) rounds: usize,
    /// The most examples that are run or planned again.
    pub(super) examples: usize,
    pub(super) seed: u64,
    pub(super) look: Look<'a>,
}

impl<'a> Depth<'a> {
    pub(super) fn shallow(look: Look<'a>) -> Self {
        Self { rounds: 8, examples: 300, seed: 1, look }
    }

    pub(super) fn deep(look: Look<'a>) -> Self {
        Self { rounds: 200, examples: usize::MAX, seed: 1, look }
    }

    /// At most so many of the cases, spread over all of them.
    pub(super) fn some<'t, T>(&self, all: Vec<&'t T>) -> Vec<&'t T> {
        let step = all.len().div_ceil(self.examples.max(1)).max(1);
        all.into_iter().step_by(step).collect()
    }
}

/// Runs scripts to their end, on a runtime of its own.
pub(in crate::components) struct Runner(Option<tokio::runtime::Runtime>);

/// The most time of a run of a check.
const LONGEST: Duration = Duration::from_secs(2);

impl Runner {
    fn new() -> Result<Self, OpError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let failed = |err| OpError::failed(format!("cannot start a runtime: {err}"));
        Ok(Self(Some(runtime.map_err(failed)?)))
    }

    pub(super) fn run(&self, engine: &Engine, script: &str, cap: Option<Money>) -> Ran {
        let request = engine.run(Source::new("script", script));
        self.ended(match cap {
            Some(cap) => request.max_cost(cap),
            None => request,
        })
    }

    pub(super) fn ended(&self, request: Request<'_>) -> Ran {
        let Some(runtime) = &self.0 else {
            return Ran::failed("no runtime is left".to_owned());
        };
        match runtime.block_on(request.timeout(LONGEST).into_future()) {
            Ok(it) => Ran { result: Ok(it.value), usage: it.usage, is_beyond: false },
            Err(error) => {
                let usage = match &error {
                    svc_engine::Error::Run { error, .. } => error.usage,
                    _ => Usage::default(),
                };
                let is_beyond = error.kind() == Some(ErrorKind::Unsupported);
                Ran { result: Err(error.to_string()), usage, is_beyond }
            }
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A store in memory, for the invariants of kept runs.
pub(super) fn store() -> Result<Arc<dyn Store>, OpError> {
    let store = SqliteStore::in_memory();
    let failed = |err| OpError::failed(format!("cannot open a store in memory: {err}"));
    Ok(Arc::new(store.map_err(failed)?))
}
