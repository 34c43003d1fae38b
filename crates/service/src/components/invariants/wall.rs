//! The wall between tiers: for every caller, and through every tool.

use svc_contract::{
    registry::{ErrorKind, OpError, OpRef, Tier},
    value::{Record, Value},
};
use svc_engine::blocks::PipelineStep;

use super::{
    generate, rights,
    system::{Depth, System},
    table::Looked,
};
use crate::{Bounds, Call, Fault, Why, Work, access::decide::tier_of, call::Args};

/// The tiers of callers. Operators call through the tools for operators.
const CALLERS: [Tier; 3] = [Tier::Free, Tier::Researcher, Tier::Builder];

/// No caller reaches an op above its tier, or one that runs programs, through a tool that names its
/// work.
pub(super) fn through_meta_tools(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("calls");
    let mut random = fastrand::Rng::with_seed(depth.seed);
    for op in system.ops().filter(|it| it.op.lacks().is_none()) {
        (depth.look)()?;
        let needs = if rights::runs(op) { Tier::Admin } else { tier_of(op) };
        for (through, call) in calls(system, op, &mut random) {
            // A tool that names its work needs its own tier, too.
            let own = system.engine.registry().find_tool(through).map_or(Tier::Free, tier_of);
            let needs = needs.max(own);
            decided(system, &mut looked, &format!("{op} by {through}"), &call, needs);
        }
    }
    Ok(looked)
}

/// Every tool above the tier of a caller is refused, and every other one is not.
pub(super) fn tools(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("calls");
    let mut random = fastrand::Rng::with_seed(depth.seed);
    for op in system.ops().filter(|it| it.op.lacks().is_none()) {
        (depth.look)()?;
        let Some(tool) = op.op.tool else { continue };
        let Some(args) = args(system, op, &mut random) else { continue };
        if crate::components::core::META.contains(&tool.name) {
            continue;
        }
        let args: Args = args.iter().map(|(name, it)| (name.to_string(), it.clone())).collect();
        let work = Work::Tool { name: tool.name.to_owned(), args };
        let call = Call { work, bounds: Bounds::default() };
        decided(system, &mut looked, tool.name, &call, tier_of(op));
    }
    Ok(looked)
}

fn decided(system: &System, looked: &mut Looked, subject: &str, call: &Call, needs: Tier) {
    let decisions = match (system.mechanisms.decides)(&system.engine, call, &CALLERS) {
        Ok(it) => it,
        // No caller gets through, whatever the reason.
        Err(fault) => CALLERS.iter().map(|_| Err(fault.clone())).collect(),
    };
    for (tier, decision) in CALLERS.iter().zip(decisions) {
        let should = needs <= *tier;
        let found = match &decision {
            Ok(()) if !should => Some(format!("expected {tier} to be refused, found no refusal")),
            Err(fault) if should && is_denied(fault) => {
                Some(format!("expected {tier} to be let in, found {}", fault.message))
            }
            _ => None,
        };
        looked.case(subject, found);
    }
}

fn is_denied(fault: &Fault) -> bool {
    fault.why == Why::Op(ErrorKind::Denied)
}

/// Calls of an op through each tool that names its work.
fn calls(system: &System, op: OpRef, random: &mut fastrand::Rng) -> Vec<(&'static str, Call)> {
    let mut all = Vec::new();
    let tool = |name: &str, args: Args| {
        let work = Work::Tool { name: name.to_owned(), args };
        Call { work, bounds: Bounds::default() }
    };
    let text = |it: &str| Value::from(it);
    if let Some(params) = args(system, op, random) {
        let params = Value::Record(params);
        let named = |extra: Option<(&str, Value)>| -> Args {
            let given = [
                ("component", text(op.component.name)),
                ("op", text(op.op.name)),
                ("params", params.clone()),
            ];
            given.into_iter().chain(extra).map(|(name, it)| (name.to_owned(), it)).collect()
        };
        let typed = Some(("expect", text("json")));
        let mut step = PipelineStep::new(op.component.name, op.op.name);
        if let Value::Record(of) = &params {
            step.params = of.iter().map(|(name, it)| (name.to_string(), it.clone())).collect();
        }
        let steps: Vec<Value> = vec![Value::Record(
            named(None).into_iter().map(|(name, it)| (name.as_str().into(), it)).collect(),
        )];
        all.push(("invoke_component", tool("invoke_component", named(None))));
        all.push(("invoke_component_typed", tool("invoke_component_typed", named(typed))));
        let id = Some(("id", text("a")));
        let composed = vec![Value::Record(
            named(id).into_iter().map(|(name, it)| (name.as_str().into(), it)).collect(),
        )];
        let composed: Args = [("steps".to_owned(), composed.into())].into_iter().collect();
        all.push(("compose_and_run", tool("compose_and_run", composed)));
        let steps: Args = [("steps".to_owned(), steps.into())].into_iter().collect();
        all.push(("run_pipeline", tool("run_pipeline", steps)));
        all.push(("a step", Call { work: Work::Op(step), bounds: Bounds::default() }));
    }
    if let Some(example) = op.op.examples.iter().find(|it| calls_only(system, op, it.script)) {
        let script: Args = [("script".to_owned(), text(example.script))].into_iter().collect();
        all.push(("a script", tool("run_pipeline", script)));
    }
    all
}

/// Whether a script checks, and calls no op above the tier of this one.
fn calls_only(system: &System, op: OpRef, script: &str) -> bool {
    let Ok(plan) = (system.mechanisms.plan)(&system.engine, script) else { return false };
    let registry = system.engine.registry();
    let called: Vec<OpRef> = plan
        .nodes()
        .iter()
        .filter_map(|it| it.op.as_deref()?.split_once('.'))
        .filter_map(|(component, op)| registry.find_op(component, op))
        .collect();
    called.iter().any(|it| it.to_string() == op.to_string())
        && called.iter().all(|it| tier_of(*it) <= tier_of(op))
}

/// Arguments that the schema of an op allows; `None` if no other program can give them.
fn args(system: &System, op: OpRef, random: &mut fastrand::Rng) -> Option<Record> {
    let schema = (system.mechanisms.input_schema)(*op.op.params)?;
    Some(generate::object(schema.as_record()?, random))
}
