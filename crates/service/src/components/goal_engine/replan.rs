//! A plan without its failed part, or with another op in its place.

use svc_contract::{
    registry::{Catalog, Effect, OpError, OpRef, record},
    value::Text,
};
use svc_engine::{Engine, blocks::PipelineStep};
use svc_lang::{diag::Source, plan::Node};
use svc_text::stems::Vocabulary;

use super::given::{Given, Made};

record! {
    /// A plan that passes the check.
    pub(super) struct Replanned {
        /// The script.
        script: Text,
        /// What was changed.
        change: Text,
        /// Other ops that could take the place of the failed one.
        alternatives: Vec<Text>,
    }
}

/// How far down the list of what is similar an op may be.
const SIMILAR: usize = 12;

/// The share of the words of an op's summary, the rarer the heavier, that another one must have.
const LEAST_LIKENESS: f64 = 0.6;

pub(super) fn replanned(
    given: &Given,
    failed: &str,
    reason: &str,
    engine: &Engine,
) -> Result<Replanned, OpError> {
    let made = given.sound_plan(engine)?;
    match given {
        Given::Steps(steps) => of_steps(steps, &made, failed, reason, engine),
        Given::Script(source) => of_script(source, &made, failed, reason, engine),
    }
}

fn of_steps(
    steps: &[PipelineStep],
    made: &Made,
    failed: &str,
    reason: &str,
    engine: &Engine,
) -> Result<Replanned, OpError> {
    let at = step_of(steps, made, failed, engine)?;
    let op = resolved(&steps[at], engine)?;
    let given: Vec<&str> = steps[at].params.keys().map(String::as_str).collect();
    let plan = |steps: Vec<PipelineStep>| Given::Steps(steps).plan(engine).ok();
    let fits: Vec<(OpRef, Made)> = alternatives(op, &given, engine)
        .into_iter()
        .filter_map(|other| {
            let mut changed = steps.to_vec();
            other.component.name.clone_into(&mut changed[at].component);
            other.op.name.clone_into(&mut changed[at].op);
            Some((other, plan(changed)?))
        })
        .collect();
    let what = format!("`{op}` of step {}", at + 1);
    if let Some(found) = replaced(&fits, &what) {
        return Ok(found);
    }
    let before = at.checked_sub(1).and_then(|it| resolved(&steps[it], engine).ok());
    let is_last = at + 1 == steps.len();
    // Without the last step, the one before it gives the result.
    let gives_same = before.is_some_and(|it| it.op.yields.show() == op.op.yields.show());
    if steps.len() > 1 && (!is_last || gives_same) {
        let mut changed = steps.to_vec();
        changed.remove(at);
        if let Some(made) = plan(changed) {
            return Ok(left_out(made.text, &what));
        }
    }
    Err(nothing(&what, reason))
}

/// The position of the failed step: its number from 1, `steps[1]`, a path of the plan, or an op.
fn step_of(
    steps: &[PipelineStep],
    made: &Made,
    failed: &str,
    engine: &Engine,
) -> Result<usize, OpError> {
    let number = failed.trim().strip_prefix("step ").unwrap_or(failed.trim()).parse::<usize>();
    let from_zero = failed.strip_prefix("steps[").and_then(|it| it.strip_suffix(']'));
    let by_path = || made.steps.as_ref().and_then(|it| it.step_of(failed));
    let by_name = || {
        steps.iter().position(|it| {
            let names = resolved(it, engine).map(|op| [op.to_string(), op.script_name()]);
            names.is_ok_and(|it| it.iter().any(|name| name == failed))
        })
    };
    let at = match (number, from_zero.map(str::parse::<usize>)) {
        (Ok(number), _) => number.checked_sub(1),
        (_, Some(Ok(at))) => Some(at),
        _ => by_path().or_else(by_name),
    };
    at.filter(|it| *it < steps.len()).ok_or_else(|| {
        let names = steps
            .iter()
            .enumerate()
            .map(|(at, it)| format!("{} ({}.{})", at + 1, it.component, it.op));
        OpError::not_found(format!("no step is `{failed}`"))
            .help(format!("the steps are {}", names.collect::<Vec<_>>().join(", ")))
    })
}

fn resolved(step: &PipelineStep, engine: &Engine) -> Result<OpRef, OpError> {
    let registry = Engine::registry(engine);
    let found =
        registry.find_op(&step.component, &step.op).or_else(|| registry.resolve(&step.component));
    found.ok_or_else(|| OpError::not_found(format!("unknown op `{}.{}`", step.component, step.op)))
}

fn of_script(
    source: &Source,
    made: &Made,
    failed: &str,
    reason: &str,
    engine: &Engine,
) -> Result<Replanned, OpError> {
    let node = node_of(made, failed, engine)?;
    if node.source.name() != source.name() {
        let message = format!("`{failed}` is in `{}`, and not in the script", node.source.name());
        return Err(OpError::invalid_input(message).help("send the script of that file"));
    }
    let registry = Engine::registry(engine);
    let name = node.op.as_deref().and_then(|it| it.split_once('.'));
    let op = name.and_then(|(component, op)| registry.find_op(component, op));
    let op = op.ok_or_else(|| {
        OpError::invalid_input(format!("`{failed}` is a block: expected a call of an op"))
            .help("name the call inside of the block")
    })?;
    let text = source.text();
    let (start, end) = (node.span.start, node.span.end);
    let call = &text[start..end];
    let gives = made.plan.program().main.as_ref().map(|it| it.ty.clone());
    let plan = |text: String| {
        let made = Given::Script(Source::new(source.name(), text)).plan(engine).ok()?;
        let is_same = made.plan.program().main.as_ref().map(|it| it.ty.clone()) == gives;
        is_same.then_some(made)
    };
    let args = call.find(['(', '<']).map_or("", |it| &call[it..]);
    let given: Vec<&str> = op
        .op
        .params
        .iter()
        .map(|it| it.name)
        .filter(|it| args.contains(&format!("{it}:")))
        .collect();
    let fits: Vec<(OpRef, Made)> = alternatives(op, &given, engine)
        .into_iter()
        .filter_map(|other| {
            let call = format!("{}{args}", other.script_name());
            let text = format!("{}{call}{}", &text[..start], &text[end..]);
            Some((other, plan(text)?))
        })
        .collect();
    let what = format!("`{call}`");
    if let Some(found) = replaced(&fits, &what) {
        return Ok(found);
    }
    match without(text, start, end).into_iter().find_map(plan) {
        Some(made) => Ok(left_out(made.text, &what)),
        None => Err(nothing(&what, reason)),
    }
}

/// The node of a path, of an op, or of a number from 1.
fn node_of<'m>(made: &'m Made, failed: &str, engine: &Engine) -> Result<&'m Node, OpError> {
    let calls: Vec<&Node> = made.plan.nodes().iter().filter(|it| it.op.is_some()).collect();
    let registry = Engine::registry(engine);
    let is_op = |node: &Node| {
        let op = node.op.as_deref();
        op == Some(failed)
            || node.name == failed
            || registry.resolve(failed).is_some_and(|it| op == Some(it.to_string().as_str()))
    };
    // A run names the item of an `each`, and a plan does not.
    let place = without_numbers(failed);
    let by_path = calls.iter().find(|it| it.path == failed || it.path == place);
    let by_number = || calls.get(failed.trim().parse::<usize>().ok()?.checked_sub(1)?);
    let found = by_path.or_else(|| calls.iter().find(|it| is_op(it))).or_else(by_number);
    found.copied().ok_or_else(|| {
        let paths: Vec<&str> = calls.iter().map(|it| it.path.as_str()).collect();
        OpError::not_found(format!("no call of the plan is `{failed}`"))
            .help(format!("its calls are {}", paths.join(", ")))
    })
}

/// `each[3]/summary` as `each[]/summary`.
fn without_numbers(path: &str) -> String {
    let mut text = String::new();
    let mut is_inside = false;
    for it in path.chars() {
        is_inside = (is_inside || it == '[') && it != ']';
        if !(is_inside && it.is_ascii_digit()) {
            text.push(it);
        }
    }
    text
}

/// The script without a call, and without the `>>` before or after it.
fn without(text: &str, start: usize, end: usize) -> Vec<String> {
    let before = text[..start].trim_end();
    let after = text[end..].trim_start();
    let cut_before =
        before.strip_suffix(">>").map(|it| format!("{}{}", it.trim_end(), &text[end..]));
    let cut_after =
        after.strip_prefix(">>").map(|it| format!("{}{}", &text[..start], it.trim_start()));
    cut_before.into_iter().chain(cut_after).collect()
}

/// The ops with the same input and result, that need nothing more and do nothing more to the world,
/// the most similar first.
fn alternatives(op: OpRef, given: &[&str], engine: &Engine) -> Vec<OpRef> {
    let input = op.op.input().map(|it| it.scheme.show());
    let has_all = |other: &OpRef| {
        let has = |name: &&str| other.op.params.iter().any(|it| it.name == *name);
        let is_given = |it: &svc_contract::registry::Param| {
            it.default.is_some() || it.is_input || given.contains(&it.name)
        };
        other.op.params.iter().all(is_given)
            && given.iter().all(|it| has(it) || Some(*it) == op.op.input().map(|it| it.name))
    };
    let does_no_more = |other: &OpRef| {
        other.op.effects.iter().all(|it| op.op.effects.iter().any(|own| same_verb(own, it)))
    };
    let is_alike = |other: &OpRef| {
        other.to_string() != op.to_string()
            && other.op.lacks().is_none()
            && other.op.input().map(|it| it.scheme.show()) == input
            && other.op.yields.show() == op.op.yields.show()
    };
    let asked = format!("{} {}", op.op.summary(), op.op.says.first().copied().unwrap_or_default());
    let topics = Catalog::topics(engine).find(&asked);
    let ops = topics.iter().filter_map(|it| it.topic.op()).take(SIMILAR);
    let ops = ops.filter(|it| likeness(op, *it, engine) >= LEAST_LIKENESS);
    ops.filter(is_alike).filter(has_all).filter(does_no_more).collect()
}

/// The share of what an op does, in the words of its summary, that another one has in its own.
fn likeness(op: OpRef, other: OpRef, engine: &Engine) -> f64 {
    let mut own = Vocabulary::default();
    let summary = op.op.summary();
    let words: Vec<_> = own.read(summary).filter(|it| !it.is_stop).map(|it| it.range).collect();
    let mut theirs = Vocabulary::default();
    theirs.read(other.op.summary()).for_each(drop);
    other.op.says.iter().for_each(|it| theirs.read(it).for_each(drop));
    let topics = Catalog::topics(engine);
    let word = |it: &std::ops::Range<usize>| summary[it.clone()].to_lowercase();
    let weight = |it: &std::ops::Range<usize>| topics.rarity(&word(it));
    let total: f64 = words.iter().map(weight).sum();
    let shared: f64 = words.iter().filter(|it| theirs.has(&word(it))).map(weight).sum();
    if total > 0.0 { shared / total } else { 0.0 }
}

fn same_verb(one: &Effect, two: &Effect) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(two)
}

fn replaced(fits: &[(OpRef, Made)], what: &str) -> Option<Replanned> {
    let (other, made) = fits.first()?;
    Some(Replanned {
        script: made.text.as_str().into(),
        change: format!("{what} was replaced by `{}`", other.script_name()).into(),
        alternatives: fits[1..].iter().map(|it| it.0.script_name().into()).collect(),
    })
}

fn left_out(script: String, what: &str) -> Replanned {
    let change = format!("{what} was left out").into();
    Replanned { script: script.into(), change, alternatives: Vec::new() }
}

fn nothing(what: &str, reason: &str) -> OpError {
    let reason = match reason.trim() {
        "" => String::new(),
        reason => format!(", which failed ({reason})"),
    };
    OpError::not_found(format!(
        "nothing replaces {what}{reason}: no similar op has its input and result, and the plan does \
         not pass the check without it"
    ))
    .help("change the goal, or write the part in another way; `guide_find_tool` finds ops")
}
