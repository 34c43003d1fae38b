//! Mistakes in steps and failures of their runs, with the step and a kind.

use svc_contract::registry::{ErrorKind, Found, Hint, HintId, OpError, OpRef, nearest};
use svc_lang::diag::{Code, Problem, Report, Span};

use super::{Result, script::Script};
use crate::{Engine, Error};

/// The ops that every component has.
const OF_ALL: [&str; 3] = ["learn", "save", "load"];

/// Finds a component by its name or an alias.
pub(super) fn component(engine: &Engine, name: &str) -> Result<Found> {
    let registry = engine.registry();
    if let Some(found) = registry.find(name) {
        return Ok(found);
    }
    let error = match (registry.missing_feature(name), registry.suggest(name)) {
        (Some(feature), _) => {
            let message = format!(
                "`{name}` needs the feature `{feature}`, which this program is compiled without"
            );
            let hint = Hint::new(HintId::BuildFeature).with("feature", feature);
            OpError::new(ErrorKind::Unsupported, message).help(hint)
        }
        (None, Some(meant)) => unknown(name).help(format!("did you mean `{meant}`?")),
        (None, None) => unknown(name).help("list the components with `list_all`"),
    };
    Err(engine.hints().of_op(error))
}

fn unknown(name: &str) -> OpError {
    OpError::not_found(format!("unknown component `{name}`"))
}

/// Finds an op of a component. `infer` of an alias is the op of the alias.
pub(super) fn resolve(engine: &Engine, name: &str, op: &str) -> Result<OpRef> {
    let found = component(engine, name)?;
    let component = found.component();
    if let Some(op) = engine.registry().find_op(component.name, op) {
        return Ok(op);
    }
    if let (Found::Op(alias), "infer") = (found, op) {
        return Ok(alias);
    }
    let known = || component.ops.iter().map(|it| it.name);
    let known = || known().chain(OF_ALL.into_iter().filter(move |it| known().all(|op| op != *it)));
    let error = OpError::not_found(format!("`{}` has no op `{op}`", component.name));
    Err(match nearest(op, known()) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => error.help(format!("its ops are {}", known().collect::<Vec<_>>().join(", "))),
    })
}

/// The error with the number of its step, from 1.
pub(super) fn of_step(error: OpError, step: Option<usize>) -> OpError {
    match step {
        Some(idx) => OpError { message: format!("step {}: {}", idx + 1, error.message), ..error },
        None => error,
    }
}

/// The error with the name of its step.
pub(super) fn of_named(error: OpError, id: &str) -> OpError {
    OpError { message: format!("step `{id}`: {}", error.message), ..error }
}

/// Several mistakes as one error, of the kind of the first one.
pub(super) fn together(mistakes: Vec<OpError>) -> Option<OpError> {
    let mut mistakes = mistakes.into_iter();
    let mut first = mistakes.next()?;
    for other in mistakes {
        first.message = format!("{}; {}", first.message, other.message);
    }
    Some(first)
}

/// The failure of a script of steps.
pub(super) fn of_run(engine: &Engine, error: Error, script: &Script) -> OpError {
    let error = engine.hints().of_error(error);
    let shown = match &error {
        Error::Check(report) => of_report(report, script),
        Error::Input { error, .. } | Error::Run { error, .. } => {
            let place = if error.source.is_none() { error.span } else { Span::default() };
            let message = error.to_string();
            script.in_step(OpError { message, ..error.error.clone() }, place)
        }
    };
    shown.because(error)
}

/// The problems of a check as one error.
fn of_report(report: &Report, script: &Script) -> OpError {
    let problems = report.errors().map(|it| script.in_step(of_problem(it), it.span()));
    let bug = || OpError::bug(format!("expected a problem, found none: {report}"));
    together(problems.collect()).unwrap_or_else(bug)
}

fn of_problem(problem: &Problem) -> OpError {
    let mut error = OpError::new(kind(problem), problem.message.clone());
    error.help.clone_from(&problem.help);
    error
}

/// The kind of error that a problem would be in a run.
fn kind(problem: &Problem) -> ErrorKind {
    match problem.code {
        Code::E201 => ErrorKind::NotFound,
        Code::E228 => ErrorKind::Unsupported,
        Code::E309 if problem.message.contains("timeout") => ErrorKind::Timeout,
        Code::E309 | Code::E310 | Code::E311 => ErrorKind::Budget,
        Code::E315 => ErrorKind::Denied,
        _ => ErrorKind::InvalidInput,
    }
}
