//! Calling anything of the registry by its name.
//!
//! The work of these tools is named in their arguments, so it is put in their place before anything
//! is planned; see [`meta`].

mod compose;
mod invoke;
mod pipeline;
mod status;

use svc_contract::{
    registry::{Bias, Component, compute, inline, record},
    value::{Money, Value},
};
use svc_engine::Engine;
use svc_lang::plan::Plan;

use crate::{Answer, Bounds, Call, Fault, call::Args};

pub(crate) const COMPONENT: Component = Component {
    name: "core",
    cluster: "core-infrastructure",
    summary: "Calls anything of the registry by name, and says what this server can do.",
    version: 1,
    bias: Bias::new("calls by name through the engine", &["the caller knows the params of an op"]),
    aliases: &[],
    ops: &[
        inline::<invoke::Invoke>(),
        inline::<invoke::InvokeTyped>(),
        inline::<pipeline::RunPipeline>(),
        inline::<compose::Compose>(),
        compute::<status::Status>(),
    ],
};

record! {
    /// The bounds of a call: each only tightens the default one.
    pub struct ResourceBounds {
        /// The most tokens of each operation.
        max_tokens: Option<u64>,
        /// The most dollars of all operations together; 0 sets no bound.
        max_budget_usd: Option<f64>,
        /// The most seconds of each operation, with its retries.
        timeout_sec: Option<u64>,
        /// The most attempts of each operation after the first one.
        max_retries: Option<u32>,
    }
}

impl ResourceBounds {
    /// The tighter one of each of these bounds and those of the caller.
    fn and(self, other: Bounds) -> Result<Bounds, Fault> {
        let dollars = self.max_budget_usd.filter(|it| *it != 0.0);
        let max_cost = dollars.map(|it| {
            let money = Money::from_dollars(it).filter(|money| *money > Money::ZERO);
            money.ok_or_else(|| {
                let message = format!("expected an amount of dollars, found {it}");
                Fault::field("bounds.max_budget_usd", message)
            })
        });
        let timeout = self.timeout_sec.map(std::time::Duration::from_secs);
        Ok(Bounds {
            max_tokens: tighter(self.max_tokens, other.max_tokens),
            max_cost: tighter(max_cost.transpose()?, other.max_cost),
            timeout: tighter(timeout, other.timeout),
            max_retries: tighter(self.max_retries, other.max_retries),
        })
    }
}

pub(crate) fn with(bounds: Option<ResourceBounds>, other: Bounds) -> Result<Bounds, Fault> {
    bounds.map_or(Ok(other), |it| it.and(other))
}

fn tighter<T: Ord>(one: Option<T>, two: Option<T>) -> Option<T> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    }
}

/// A tool that names its work: how its result surrounds that of the work.
#[derive(Clone)]
pub(crate) enum Meta {
    Invoke,
    /// The type that the result must have.
    InvokeTyped(invoke::Expected),
    Pipeline,
    Compose(compose::Composing),
}

/// The tools that name their work.
pub(crate) const META: [&str; 4] =
    ["invoke_component", "invoke_component_typed", "run_pipeline", "compose_and_run"];

/// The work of a tool that names it in its arguments; `None` for any other tool.
pub(crate) fn meta(
    name: &str,
    args: Args,
    bounds: Bounds,
    engine: &Engine,
) -> Result<Option<(Call, Meta)>, Fault> {
    Ok(match name {
        "invoke_component" => Some(invoke::work(args, bounds)?),
        "invoke_component_typed" => Some(invoke::typed_work(args, bounds, engine)?),
        "run_pipeline" => Some(pipeline::work(args, bounds)?),
        "compose_and_run" => Some(compose::work(args, bounds, engine)?),
        _ => None,
    })
}

impl Meta {
    /// The result of the tool.
    pub(crate) fn result(&self, answer: &Answer) -> Result<Value, Fault> {
        match self {
            Self::Invoke => Ok(invoke::result(answer)),
            Self::InvokeTyped(expected) => {
                expected.test(&answer.value)?;
                Ok(invoke::result(answer))
            }
            Self::Pipeline => Ok(pipeline::result(answer)),
            Self::Compose(composing) => composing.result(answer),
        }
    }

    /// Whether nothing runs: only the plan is wanted.
    pub(crate) fn is_dry(&self) -> bool {
        matches!(self, Self::Compose(it) if it.is_dry())
    }

    /// Whether the run is recorded in any case.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self, Self::Compose(_)) && !self.is_dry()
    }

    /// Notes the script of the work, if the result of the tool has it, and the plan of a dry run.
    pub(crate) fn with(self, script: Option<&str>, plan: Option<Result<Plan, Fault>>) -> Self {
        match self {
            Self::Compose(it) => Self::Compose(it.with(script, plan)),
            other => other,
        }
    }
}

record! {
    /// What a call used.
    pub(crate) struct UsageView {
        /// The tokens of language models.
        tokens: i64,
        /// The cost in dollars.
        cost_usd: f64,
    }
}

impl UsageView {
    fn of(answer: &Answer) -> Self {
        let tokens = i64::try_from(answer.usage.tokens).unwrap_or(i64::MAX);
        Self { tokens, cost_usd: answer.usage.cost.dollars() }
    }
}

/// Milliseconds of a time.
fn millis(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

/// The name of a stored run.
fn run_id(answer: &Answer) -> Option<String> {
    answer.run.as_ref().map(ToString::to_string)
}
