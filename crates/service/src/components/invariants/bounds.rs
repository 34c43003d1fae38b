//! Bounds: what a plan says is the most, and caps.

use svc_contract::{registry::OpError, value::Money};
use svc_lang::plan::Plan;

use super::{
    effects::pure_examples,
    language::subject,
    probe,
    system::{Depth, Planned, Ran, System},
    table::Looked,
};

/// No run uses more, and no successful one less, than its plan says.
pub(super) fn envelope(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("runs");
    for it in answered(system, depth)?.into_iter().chain(pure_examples(system, depth)?) {
        (depth.look)()?;
        let Ok(plan) = &it.plan else { continue };
        let ran = system.run(&system.engine_of(it.example), it.example.script);
        looked.case(subject(it), outside(plan, &ran));
    }
    let mut random = fastrand::Rng::with_seed(depth.seed);
    for _ in 0..depth.rounds {
        (depth.look)()?;
        let count = random.usize(1..6);
        let script =
            if random.bool() { payments(count, random.i64(1..5000), None) } else { fees(count) };
        let Ok(plan) = (system.mechanisms.plan)(&system.engine, &script) else {
            looked.case(script, Some("expected a plan, found none".to_owned()));
            continue;
        };
        let ran = system.run(&system.engine, &script);
        let found = outside(&plan, &ran);
        let failed = ran.result.err().map(|it| format!("expected a result, found {it}"));
        looked.case(script, found.or(failed));
    }
    Ok(looked)
}

/// The examples whose services are simulated, so that calls of models are among them.
fn answered<'s>(system: &'s System, depth: Depth<'_>) -> Result<Vec<&'s Planned>, OpError> {
    let spends = |it: &&Planned| {
        !it.example.answers.is_empty()
            && it.plan.as_ref().is_ok_and(|plan| {
                plan.effects().iter().any(|it| it.verb == svc_lang::plan::Verb::Spends)
            })
    };
    Ok(depth.some(system.examples(depth.look)?.iter().filter(spends).collect()))
}

fn outside(plan: &Plan, ran: &Ran) -> Option<String> {
    let envelope = plan.envelope();
    let used = ran.usage;
    if let Some(most) = envelope.tokens.max.filter(|it| used.tokens > *it) {
        return Some(format!("expected at most {most} tokens, found {}", used.tokens));
    }
    if let Some(most) = envelope.cost.max.filter(|it| used.cost > *it) {
        return Some(format!("expected at most {most}, found {}", used.cost));
    }
    if ran.result.is_err() {
        return None;
    }
    if used.tokens < envelope.tokens.min {
        return Some(format!(
            "expected {} tokens or more, found {}",
            envelope.tokens.min, used.tokens
        ));
    }
    let least = envelope.cost.min;
    (used.cost < least).then(|| format!("expected {least} or more, found {}", used.cost))
}

/// A script of so many payments, one after the other, with a cap of its own.
pub(super) fn payments(count: usize, tokens: i64, cap: Option<Money>) -> String {
    let texts: Vec<String> = (0..count).map(|it| format!("\"{it}\"")).collect();
    let cap = cap.map(|it| format!(", max_cost: {it}")).unwrap_or_default();
    format!(
        "[{}] >> each {{ invariant_probe.pay(max_tokens: {tokens}) }} within {{ max_parallel: 1{cap} }}",
        texts.join(", ")
    )
}

/// A script of so many fees, each of exactly a cent.
fn fees(count: usize) -> String {
    let texts: Vec<String> = (0..count).map(|it| format!("\"{it}\"")).collect();
    format!("[{}] >> each {{ invariant_probe.fee }}", texts.join(", "))
}

/// No run spends more than its cap, and one that cannot succeed within it does not start.
pub(super) fn caps(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("capped runs");
    let mut random = fastrand::Rng::with_seed(depth.seed);
    for round in 0..depth.rounds.max(8) {
        (depth.look)()?;
        let (count, tokens) = (random.usize(1..6), random.i64(500..3000));
        let cap = Money::from_nanos(random.i64(1..probe::COST.nanos() * 8));
        let is_inside = round % 2 == 0;
        let script = payments(count, tokens, is_inside.then_some(cap));
        let run = system.mechanisms.run;
        let ran = run(&system.runner, &system.engine, &script, (!is_inside).then_some(cap));
        let found = overshot(system, &script, cap, &ran);
        looked.case(format!("{script} with {cap}"), found);
    }
    // Each fee is known beforehand, and so is that they exceed the cap.
    let cap = Money::from_nanos(probe::COST.nanos() * 3 - 1);
    let script = fees(3);
    let ran = (system.mechanisms.run)(&system.runner, &system.engine, &script, Some(cap));
    let found = (ran.result.is_ok() || ran.usage.cost > Money::ZERO)
        .then(|| format!("expected it to be refused unpaid, found {} spent", ran.usage.cost));
    looked.case(format!("{script} with {cap}"), found);
    Ok(looked)
}

fn overshot(system: &System, script: &str, cap: Money, ran: &Ran) -> Option<String> {
    if ran.usage.cost > cap {
        return Some(format!("expected at most {cap}, found {} spent", ran.usage.cost));
    }
    let plan = (system.mechanisms.plan)(&system.engine, script).ok()?;
    let is_hopeless = plan.envelope().cost.min > cap;
    (is_hopeless && ran.usage.cost > Money::ZERO)
        .then(|| format!("expected nothing to start, found {} spent", ran.usage.cost))
}
