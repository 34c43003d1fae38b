//! Every problem of a plan, with its place and what to do.

use svc_contract::{
    registry::{OpError, record},
    value::Text,
};
use svc_engine::{Engine, Error, output::verdict};
use svc_lang::diag::Report;

use super::given::{Given, Unplanned};

record! {
    /// A problem of a plan.
    pub(super) struct PlanProblem {
        /// The code, which `svc explain` explains; null for a mistake in steps.
        code: Option<Text>,
        /// `error` or `warning`.
        severity: Text,
        /// What is wrong.
        message: Text,
        /// Where: `steps[1]`, or `script:3:5`.
        place: Text,
        /// What to do.
        help: Option<Text>,
        /// The text to write instead of the text at the place.
        fix: Option<Text>,
    }
}

record! {
    /// Whether a plan can run.
    pub(super) struct Validity {
        /// Whether it has no errors.
        valid: bool,
        /// Its problems.
        problems: Vec<PlanProblem>,
        /// The script after the fixes that leave no doubt, if there are any.
        fixed: Option<Text>,
    }
}

pub(super) fn validated(given: &Given, engine: &Engine) -> Validity {
    let fixed = match given {
        Given::Script(source) => {
            let fixed = engine.fix(source.clone());
            let text = fixed.source.text();
            (text != source.text()).then(|| text.into())
        }
        Given::Steps(_) => None,
    };
    match given.plan(engine) {
        Ok(made) => {
            let problems = of_report(&made.plan.program().warnings);
            Validity { valid: true, problems, fixed }
        }
        Err(Unplanned::Script(Error::Check(report))) => {
            Validity { valid: false, problems: of_report(&report), fixed }
        }
        Err(Unplanned::Script(error)) => {
            let problems = vec![plain(error.to_string(), "script".to_owned(), None)];
            Validity { valid: false, problems, fixed }
        }
        Err(Unplanned::Steps(error)) => {
            Validity { valid: false, problems: of_steps(&error), fixed }
        }
    }
}

fn of_report(report: &Report) -> Vec<PlanProblem> {
    let problem = |it: verdict::Problem| {
        let place = match &it.span {
            Some(span) => format!("{}:{}:{}", it.file, span.line, span.column),
            None => it.file.clone(),
        };
        let fix = match it.fixes.as_slice() {
            [only] => Some(only.text.as_str().into()),
            _ => None,
        };
        PlanProblem {
            code: Some(it.code.into()),
            severity: it.severity.into(),
            message: it.message.into(),
            place: place.into(),
            help: it.help.map(Into::into),
            fix,
        }
    };
    verdict::problems(report).into_iter().map(problem).collect()
}

/// The mistakes of steps, which one error reports together.
fn of_steps(error: &OpError) -> Vec<PlanProblem> {
    let mut parts: Vec<String> = Vec::new();
    for part in error.message.split("; ") {
        let is_next = number(part).is_some();
        match parts.last_mut() {
            Some(last) if !is_next => last.push_str(&format!("; {part}")),
            _ => parts.push(part.to_owned()),
        }
    }
    let is_one = parts.len() == 1;
    let problem = |it: String| {
        let help = error.help.as_deref().filter(|_| is_one);
        match number(&it) {
            Some((number, message)) => {
                let place = format!("steps[{}]", number.saturating_sub(1));
                plain(message.to_owned(), place, help)
            }
            None => plain(it, "steps".to_owned(), help),
        }
    };
    parts.into_iter().map(problem).collect()
}

/// `step 2: message`
fn number(part: &str) -> Option<(usize, &str)> {
    let (number, message) = part.strip_prefix("step ")?.split_once(": ")?;
    Some((number.parse().ok()?, message))
}

fn plain(message: String, place: String, help: Option<&str>) -> PlanProblem {
    PlanProblem {
        code: None,
        severity: "error".into(),
        message: message.into(),
        place: place.into(),
        help: help.map(Into::into),
        fix: None,
    }
}
