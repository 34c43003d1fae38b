//! Effects: the plan knows them, and an op without them has none.

use std::sync::Arc;

use svc_contract::registry::{Effect, OpError};
use svc_lang::plan::{Plan, Verb};

use super::{
    language::subject,
    quiet::Quiet,
    system::{Depth, Planned, System},
    table::Looked,
};

/// The effects of a plan contain those of every op that it calls.
pub(super) fn in_plan(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("plans");
    for it in system.examples(depth.look)? {
        let Ok(plan) = &it.plan else { continue };
        looked.case(subject(it), lacking(system, it, plan));
    }
    Ok(looked)
}

fn lacking(system: &System, it: &Planned, plan: &Plan) -> Option<String> {
    let verbs: Vec<Verb> = plan.effects().iter().map(|it| it.verb).collect();
    let registry = system.engine.registry();
    let called = plan.nodes().iter().filter_map(|node| {
        let (component, op) = node.op.as_deref()?.split_once('.')?;
        registry.find_op(component, op)
    });
    // The op of an example is called, or passed on as a flow.
    let decided = |op: &svc_contract::registry::OpRef| op.op.decide.is_none();
    let of = called.filter(decided).find_map(|op| {
        let lacks = op.op.effects.iter().map(verb).find(|it| !verbs.contains(it))?;
        Some((op, lacks))
    });
    let (op, verb) = of?;
    let name = verb.name();
    Some(format!("expected the plan of {:?} to say that {op} {name}", it.example.script))
}

fn verb(effect: &Effect) -> Verb {
    match effect {
        Effect::Reads(_) => Verb::Reads,
        Effect::Writes { .. } => Verb::Writes,
        Effect::Runs(_) => Verb::Runs,
        Effect::Spends => Verb::Spends,
        Effect::Asks => Verb::Asks,
    }
}

/// An op without effects touches nothing.
pub(super) fn pure(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("runs of pure scripts");
    for it in pure_examples(system, depth)? {
        (depth.look)()?;
        let host = Arc::new(Quiet::default());
        let ran = system.run(&system.on(host.clone()), it.example.script);
        let touched = host.touched();
        let found = touched.first().map(|what| format!("expected no effect, found that it {what}"));
        drop(ran);
        looked.case(subject(it), found);
    }
    Ok(looked)
}

/// Some of the examples whose plans have no effects.
pub(super) fn pure_examples<'s>(
    system: &'s System,
    depth: Depth<'_>,
) -> Result<Vec<&'s Planned>, OpError> {
    let is_pure = |it: &&Planned| {
        let has_host = !it.example.files.is_empty() || !it.example.env.is_empty();
        !has_host && it.plan.as_ref().is_ok_and(|plan| plan.effects().is_empty())
    };
    let all = system.examples(depth.look)?.iter().filter(is_pure).collect();
    Ok(depth.some(all))
}
