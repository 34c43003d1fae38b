//! Runs a script with random values, and tests whether the results of its check are true.

use std::sync::Arc;

use fastrand::Rng;
use svc::{Engine, Error};
use svc_contract::{
    registry::{ErrorKind, Usage},
    value::{Type, Value, json},
};
use svc_engine::run::RunError;
use svc_host_os::test::TestHost;
use svc_lang::{
    check::Input,
    plan::{Envelope, Plan},
};
use tokio::runtime::Runtime;

use super::values::{misfit, value};
use crate::promises::{is_proven, world};

/// How often a script that checks is run, each time with other values.
const RUNS: u64 = 3;

/// The outcome of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It does not check.
    Refused,
    /// It ran, and succeeded this many times.
    Held { done: u64 },
    /// A promise is broken.
    Wrong(String),
}

pub(super) struct Bench {
    pub(super) engine: Engine,
    runtime: Runtime,
}

impl Bench {
    pub(super) fn new() -> Self {
        let host = TestHost::new().env("SVC_SECRET_KEY", "s3cret-key").seeded(7);
        let engine = svc::engine().with(&[&world::COMPONENT]).with_host(Arc::new(host));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        Self { engine, runtime }
    }

    pub(super) fn look(&self, script: &str, seed: u64) -> Found {
        let plan = match self.engine.plan(script) {
            Ok(plan) => plan,
            Err(report) => {
                let untyped = report.errors().find(|it| it.code.as_str() == "E227");
                return match untyped {
                    Some(problem) => Found::Wrong(format!("untyped: {}", problem.message)),
                    None => Found::Refused,
                };
            }
        };
        let mut done = 0;
        for run in 0..RUNS {
            let mut rng = Rng::with_seed(seed.wrapping_mul(RUNS).wrapping_add(run));
            match self.once(&plan, script, &mut rng) {
                Ok(ended_well) => done += u64::from(ended_well),
                Err(why) => return Found::Wrong(why),
            }
        }
        Found::Held { done }
    }

    /// One run: whether it succeeded, or the broken promise.
    fn once(&self, plan: &Plan, script: &str, rng: &mut Rng) -> Result<bool, String> {
        let inputs = &plan.program().inputs;
        let mut given: Vec<(&Input, Value)> = Vec::new();
        for input in inputs.iter().filter(|it| !it.is_secret()) {
            if input.default.is_none() || rng.bool() {
                given.push((input, value(rng, &input.ty)));
            }
        }
        let ask = || {
            let request = self.engine.run_plan(plan.clone());
            given.iter().fold(request, |it, (of, value)| it.param(&of.name, value.clone()))
        };
        let planned = match ask().plan() {
            Ok(planned) => planned,
            // With these inputs a bound cannot be met.
            Err(Error::Check(report)) if report.errors().all(|it| is_bound(it.code.as_str())) => {
                return Ok(false);
            }
            Err(other) => return Err(format!("it did not run: {other}")),
        };
        world::begin(world::Weather { failing: 0.05, ..world::Weather::default() });
        let ended = self.runtime.block_on(async { ask().await });
        let (usage, result) = match ended {
            Ok(response) => (response.usage, Ok(response.value)),
            Err(Error::Run { error, .. }) => (error.usage, Err(error)),
            Err(other) => return Err(format!("it did not run: {other}")),
        };
        keeps(planned.envelope(), usage, result.is_ok())?;
        // Estimates without inputs hold for the defaults of inputs.
        if given.iter().all(|(it, _)| it.default.is_none()) {
            keeps(plan.envelope(), usage, result.is_ok())?;
        }
        match result {
            Ok(value) => {
                let ty = planned.program().main.as_ref().map_or(Type::Never, |it| it.ty.clone());
                if json::write(&value).contains("***") {
                    return Err("a secret was shown".to_owned());
                }
                misfit(&ty, &value).map_or(Ok(true), |why| Err(format!("the result: {why}")))
            }
            // A script may fail with this kind, too.
            Err(error)
                if error.kind() == ErrorKind::Budget
                    && !script.contains("fail(")
                    && is_proven(&planned) =>
            {
                Err(format!("a proven bound was reached: {error}"))
            }
            Err(error) => {
                if is_by_type(&error, script) {
                    Err(format!("by type: {error} at `{}`", place(&error, script)))
                } else {
                    Ok(false)
                }
            }
        }
    }
}

/// Whether a run is within its estimate.
fn keeps(estimated: &Envelope, used: Usage, is_done: bool) -> Result<(), String> {
    let Envelope { tokens, cost, .. } = estimated;
    if tokens.max.is_some_and(|it| used.tokens > it) || cost.max.is_some_and(|it| used.cost > it) {
        return Err(format!("{used} is more than estimated: {estimated:?}"));
    }
    if is_done && (used.tokens < tokens.min || used.cost < cost.min) {
        return Err(format!("{used} is less than estimated: {estimated:?}"));
    }
    Ok(())
}

fn is_bound(code: &str) -> bool {
    ["E309", "E310", "E311"].contains(&code)
}

/// Whether a failure means that a value does not have the expected type. A value outside a range,
/// or a number that is not whole, is not a failure by type.
fn is_by_type(error: &RunError, script: &str) -> bool {
    let message = error.error.message.as_str();
    match error.kind() {
        ErrorKind::Bug => true,
        ErrorKind::InvalidInput | ErrorKind::InvalidOutput => {
            let is_untyped = asks_json(place(error, script))
                || script.contains("json\n")
                || message.contains("of the result of the code");
            !is_untyped && (names_kind(message) || is_misfit(message))
        }
        _ => false,
    }
}

fn place<'a>(error: &RunError, script: &'a str) -> &'a str {
    script.get(error.span.range()).unwrap_or_default()
}

/// Whether the failed expression tests a value of unknown type, or is the call of an op some of
/// whose arguments may have any type.
fn asks_json(text: &str) -> bool {
    const OPEN: [&str; 11] = [
        "adapt_bayes",
        " as ",
        "parse_json",
        "rhai",
        "parse_yaml",
        "parse_toml",
        "request",
        "http_",
        "exec",
        "to_csv",
        "to_markdown",
    ];
    OPEN.iter().any(|it| text.contains(it)) || text.starts_with("build_url")
}

/// Whether the message of an op ends with a kind, as in `expected .., found int`.
fn names_kind(message: &str) -> bool {
    const KINDS: [&str; 16] = [
        "null", "bool", "int", "float", "duration", "time", "date", "money", "size", "string",
        "path", "bytes", "list", "record", "secret", "flow",
    ];
    let said = ["this is ", "an item is ", "found ", "of type "]
        .iter()
        .filter_map(|it| message.rsplit_once(it));
    let mut kinds = said.map(|(_, kind)| kind.trim_start_matches("a "));
    kinds.any(|kind| KINDS.contains(&kind))
        || message.contains("cannot compare ")
        || message.contains("no arm of `match`")
}

/// `expected .., found ..`, with or without ``for `name` ``, except of a range.
fn is_misfit(message: &str) -> bool {
    let parts = message
        .strip_prefix("expected ")
        .and_then(|it| it.split_once(", found "))
        .map(|(wanted, given)| (wanted.split_once(" for `").map_or(wanted, |it| it.0), given));
    // Ops show the content of a text, and not its type; some expect a number of items.
    let parts =
        parts.filter(|(wanted, given)| !given.starts_with('`') && !wanted.ends_with(" items"));
    parts.is_some_and(|(wanted, given)| !is_range(wanted) || given.parse::<f64>().is_err())
}

/// `int 1..5`
fn is_range(wanted: &str) -> bool {
    let range = wanted.trim_end_matches('?');
    let range = range.strip_prefix("int ").or_else(|| range.strip_prefix("float "));
    range.is_some_and(|it| it.contains(".."))
}
