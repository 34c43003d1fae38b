//! What follows from a plan, and is worth a look before it runs: no opinions.

use std::time::Duration;

use svc_contract::{
    registry::{
        Effect,
        findings::{Finding, Severity},
    },
    value::Text,
};
use svc_engine::Engine;
use svc_lang::plan::{Holds, Node, Plan, Verb};

use super::given::{Given, Made};

/// A call that may take longer is named if no bound of the script limits it.
const LONG: Duration = Duration::from_mins(10);

pub(super) fn findings(given: &Given, made: &Made, engine: &Engine) -> Vec<Finding> {
    let plan = &made.plan;
    let mut all = Vec::new();
    of_whole(plan, &mut all);
    for node in plan.nodes() {
        of_node(node, made, engine, &mut all);
    }
    unused(given, made, engine, &mut all);
    warnings(plan, &mut all);
    all
}

fn finding(
    rule: &str,
    severity: Severity,
    path: &str,
    message: String,
    fix: Option<&str>,
) -> Finding {
    Finding {
        rule: rule.into(),
        severity,
        message: message.into(),
        path: path.into(),
        span: None,
        fix: fix.map(Text::from),
    }
}

/// What the plan says of all calls together.
fn of_whole(plan: &Plan, all: &mut Vec<Finding>) {
    let envelope = plan.envelope();
    let why = plan.open().map(|it| format!(": {it}")).unwrap_or_default();
    if envelope.cost.max.is_none() {
        let message = format!("nothing limits the cost{why}");
        let fix = "svc 1 within { max_cost: $0.50 }";
        all.push(finding("unbounded_cost", Severity::Warning, "", message, Some(fix)));
    }
    if envelope.tokens.max.is_none() {
        let message = format!("nothing limits the tokens{why}");
        let fix = "svc 1 within { max_tokens: 100_000 }";
        all.push(finding("unbounded_tokens", Severity::Warning, "", message, Some(fix)));
    }
    if envelope.time.max.is_none_or(|it| it > LONG)
        && plan.verdicts().iter().all(|it| it.key.name() != "timeout")
    {
        let most = envelope.time.max.map(|it| format!("{}s", it.as_secs()));
        let most = most.map_or_else(|| "any time".to_owned(), |it| format!("up to {it}"));
        let message = format!("it may take {most}, and no timeout of the whole limits that");
        let fix = "svc 1 within { timeout: 10m }";
        all.push(finding("no_timeout", Severity::Warning, "", message, Some(fix)));
    }
    let spends = plan.effects().iter().any(|it| it.verb == Verb::Spends);
    if spends && plan.verdicts().iter().all(|it| it.key.name() != "max_cost") {
        let most = envelope.cost.max.map_or_else(|| "any amount".to_owned(), |it| it.to_string());
        let message = format!("it may cost {most}, and no cap of the whole limits that");
        let fix = "svc 1 within { max_cost: $0.50 }";
        all.push(finding("no_cap", Severity::Warning, "", message, Some(fix)));
    }
    for verdict in plan.verdicts().iter().filter(|it| it.holds == Holds::Useless) {
        let message =
            format!("`{}: {}` has no effect: {}", verdict.key.name(), verdict.limit, verdict.why);
        all.push(finding("bound_without_effect", Severity::Info, "", message, None));
    }
}

/// What one call does to the world, and what is not known of it.
fn of_node(node: &Node, made: &Made, engine: &Engine, all: &mut Vec<Finding>) {
    let Some(op) = node.op.as_deref() else { return };
    let place = place(node, made);
    let registry = engine.registry();
    let known = op.split_once('.').and_then(|(component, op)| registry.find_op(component, op));
    let once = known.is_some_and(|it| {
        it.op.effects.iter().any(|it| matches!(it, Effect::Writes { idempotent: false, .. }))
    });
    for effect in &node.effects {
        let (rule, severity) = match effect.verb {
            Verb::Runs => ("runs_program", Severity::Warning),
            Verb::Asks => ("waits_for_a_person", Severity::Info),
            Verb::Writes if once => ("writes_on_every_attempt", Severity::Warning),
            Verb::Writes => ("writes", Severity::Info),
            Verb::Spends | Verb::Reads => continue,
        };
        all.push(finding(rule, severity, &place, format!("`{op}`: {effect}"), None));
    }
    for note in &node.notes {
        all.push(finding("note", Severity::Info, &place, format!("`{op}`: {note}"), None));
    }
}

/// Where a node is: a step, or a path of the plan.
pub(super) fn place(node: &Node, made: &Made) -> String {
    match made.steps.as_ref().and_then(|it| it.step_of(&node.path)) {
        Some(step) => format!("steps[{step}]"),
        None => node.path.clone(),
    }
}

/// A step whose result nothing takes: the list of results has it, but no later step goes on with it.
fn unused(given: &Given, made: &Made, engine: &Engine, all: &mut Vec<Finding>) {
    let Given::Steps(steps) = given else { return };
    let registry = engine.registry();
    for (at, step) in steps.iter().enumerate().take(steps.len().saturating_sub(1)) {
        let op = registry.find_op(&step.component, &step.op);
        let is_taken = made.text.contains(&format!("it.step{} ", at + 1));
        let Some(op) = op.filter(|it| it.op.is_pure() && !is_taken) else { continue };
        let message = format!("no later step uses the result of `{op}`");
        all.push(finding(
            "result_not_used",
            Severity::Info,
            &format!("steps[{at}]"),
            message,
            None,
        ));
    }
}

/// The warnings of the check, such as an unused `let`.
fn warnings(plan: &Plan, all: &mut Vec<Finding>) {
    let report = &plan.program().warnings;
    for (source, problem) in report.all() {
        let (line, column) = source.position(problem.span().start);
        let path = format!("{}:{line}:{column}", source.name());
        let fix = problem.help.as_deref();
        let message = problem.message.clone();
        all.push(finding(problem.code.as_str(), Severity::Warning, &path, message, fix));
    }
}
