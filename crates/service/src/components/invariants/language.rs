//! Scripts: they are checked, formatted and planned in one way.

use svc_contract::{registry::OpError, value::json};
use svc_engine::output::planned::Planned as PlannedJson;
use svc_lang::{diag::Report, plan::Plan};

use super::{
    system::{Depth, Planned, System},
    table::Looked,
};

/// Every example that should succeed passes the check.
pub(super) fn examples_check(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("examples");
    for it in system.examples(depth.look)? {
        let wrong = it.plan.as_ref().err().map(first_error);
        let found = wrong.map(|why| format!("expected it to pass the check, found {why}"));
        looked.case(subject(it), found);
    }
    Ok(looked)
}

/// The op of an example, and its title.
pub(super) fn subject(it: &Planned) -> String {
    format!("{}, {:?}", it.op, it.example.title)
}

fn first_error(report: &Report) -> String {
    let first = report.errors().next();
    first.map_or_else(String::new, |it| format!("{}: {}", it.code.as_str(), it.message))
}

/// Formatting a script changes neither its plan nor, a second time, its text.
pub(super) fn format_keeps(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("scripts");
    let all: Vec<&Planned> = system.examples(depth.look)?.iter().collect();
    for it in depth.some(all) {
        (depth.look)()?;
        let Ok(plan) = &it.plan else { continue };
        looked.case(subject(it), changed(system, it, plan));
    }
    Ok(looked)
}

fn changed(system: &System, it: &Planned, plan: &Plan) -> Option<String> {
    let format = system.mechanisms.format;
    let once = format(it.example.script);
    let twice = format(&once);
    if once != twice {
        return Some(format!("expected {once:?} to stay, found {twice:?}"));
    }
    match (system.mechanisms.plan)(&system.engine_of(it.example), &once) {
        Ok(again) if shape(plan) == shape(&again) => None,
        Ok(_) => Some(format!("expected the plan of the script, found another one for {once:?}")),
        Err(report) => {
            Some(format!("expected a plan for {once:?}, found {}", first_error(&report)))
        }
    }
}

/// Everything of a plan but the places in the text.
fn shape(plan: &Plan) -> Vec<String> {
    let node = |it: &svc_lang::plan::Node| {
        format!("{} {} {:?} {} {:?} {:?}", it.path, it.name, it.op, it.ty, it.needs, it.bounds)
    };
    let effects = plan.effects().iter().map(ToString::to_string);
    plan.nodes().iter().map(node).chain(effects).collect()
}

/// The same script has the same plan every time.
pub(super) fn plans_repeat(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("plans");
    let all: Vec<&Planned> = system.examples(depth.look)?.iter().collect();
    for it in depth.some(all) {
        (depth.look)()?;
        let Ok(plan) = &it.plan else { continue };
        let engine = system.engine_of(it.example);
        let again = (system.mechanisms.plan)(&engine, it.example.script);
        let one = fingerprint(plan);
        let found = match again.as_ref().map(fingerprint) {
            Ok(two) if one == two => None,
            Ok(two) => Some(format!("expected the fingerprint {one}, found {two}")),
            Err(report) => Some(format!("expected a plan, found {}", first_error(report))),
        };
        looked.case(subject(it), found);
    }
    Ok(looked)
}

/// The hash of a plan as programs see it.
fn fingerprint(plan: &Plan) -> String {
    let shown = PlannedJson::of(plan, &Report::new(plan.program().source.clone(), Vec::new()));
    let value = svc_contract::value::to_value(&shown).unwrap_or_default();
    blake3::hash(json::write(&value).as_bytes()).to_hex()[..16].to_owned()
}
