//! The outcome as JSON: `svc ci --json`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_engine::output::{estimates::millis, verdict::Place};

use super::{Amounts, Examined, Finding, Outcome, PlacedText, State, Step, StepKind};

/// The outcome of all scripts.
#[derive(JsonSchema, Serialize)]
pub struct CiJson {
    /// Whether nothing failed.
    ok: bool,
    /// The revision that the scripts were compared with.
    base: Option<BaseJson>,
    scripts: Vec<ScriptJson>,
    /// The scripts that exist no more since the revision, by their paths in the repository.
    deleted: Vec<String>,
    errors: usize,
    warnings: usize,
}

#[derive(JsonSchema, Serialize)]
struct BaseJson {
    /// As it was named.
    revision: String,
    /// The commit that was compared with: the last one that both sides have in common.
    commit: String,
}

#[derive(JsonSchema, Serialize)]
struct ScriptJson {
    file: String,
    ok: bool,
    /// `examined` without a revision; else `new`, `changed`, `uses_changed`, or `unaffected`, which was
    /// left out.
    state: &'static str,
    /// Its earlier path in the repository, if it was renamed.
    renamed_from: Option<String>,
    steps: Vec<StepJson>,
    /// The most that a run may take; null if it does not check, or has no pipeline.
    at_most: Option<AmountsJson>,
    /// The same at the revision.
    before: Option<AmountsJson>,
}

#[derive(JsonSchema, Serialize)]
struct StepJson {
    /// `read`, `format`, `check`, `test: NAME`, `certificate`, `limits`, `growth` or `effects`.
    name: String,
    ok: bool,
    /// In milliseconds; the simulated time of a test.
    took: f64,
    findings: Vec<FindingJson>,
}

/// Null is without a maximum.
#[derive(JsonSchema, Serialize)]
struct AmountsJson {
    /// Dollars, as the language writes them.
    cost: Option<String>,
    tokens: Option<u64>,
    /// In milliseconds.
    time: Option<f64>,
    /// The calls of components that are not inline.
    calls: Option<u64>,
}

#[derive(JsonSchema, Serialize)]
struct FindingJson {
    /// The code of the problem, or `unreadable`, `unformatted`, `over-limit`, `growth`,
    /// `new-effect` or `certificate`.
    rule: String,
    /// `error`, `warning` or `note`.
    level: &'static str,
    file: String,
    /// The place; null for the script as a whole.
    span: Option<PlaceJson>,
    message: String,
    help: Option<String>,
    /// The changes that together fix it.
    fixes: Vec<FixJson>,
}

#[derive(JsonSchema, Serialize)]
struct FixJson {
    span: PlaceJson,
    text: String,
}

/// A range of bytes, and its lines and columns from 1.
#[derive(JsonSchema, Serialize)]
struct PlaceJson {
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl CiJson {
    pub fn of(outcome: &Outcome) -> Self {
        let base = outcome.base.clone();
        let count = |level| outcome.findings().filter(|it| it.level == level).count();
        Self {
            ok: !outcome.has_failed(),
            base: base.map(|(revision, commit)| BaseJson { revision, commit }),
            scripts: outcome.scripts.iter().map(script).collect(),
            deleted: outcome.deleted.clone(),
            errors: count(super::Level::Error),
            warnings: count(super::Level::Warning),
        }
    }
}

fn script(it: &Examined) -> ScriptJson {
    let renamed_from = match &it.state {
        State::Changed { renamed_from } => renamed_from.clone(),
        _ => None,
    };
    ScriptJson {
        file: it.file.clone(),
        ok: !it.has_failed(),
        state: it.state.name(),
        renamed_from,
        steps: it.steps.iter().map(step).collect(),
        at_most: it.amounts.as_ref().map(amounts),
        before: it.before.as_ref().map(amounts),
    }
}

impl State {
    fn name(&self) -> &'static str {
        match self {
            Self::All => "examined",
            Self::New => "new",
            Self::Changed { .. } => "changed",
            Self::UsesChanged => "uses_changed",
            Self::Unaffected => "unaffected",
        }
    }
}

fn step(it: &Step) -> StepJson {
    let findings = it.findings.iter().map(finding).collect();
    // Only the time of tests is the same each time.
    let took = if matches!(it.kind, StepKind::Test(_)) { millis(it.took) } else { 0.0 };
    StepJson { name: it.kind.name(), ok: !it.has_failed(), took, findings }
}

fn amounts(it: &Amounts) -> AmountsJson {
    AmountsJson {
        cost: it.cost.map(|it| it.to_string()),
        tokens: it.tokens,
        time: it.time.map(millis),
        calls: it.calls,
    }
}

fn finding(it: &Finding) -> FindingJson {
    let fix = |it: &PlacedText| FixJson { span: place(&it.span), text: it.text.clone() };
    FindingJson {
        rule: it.rule.clone(),
        level: it.level.name(),
        file: it.file.clone(),
        span: it.place.as_ref().map(place),
        message: it.message.clone(),
        help: it.help.clone(),
        fixes: it.fixes.iter().map(fix).collect(),
    }
}

fn place(it: &Place) -> PlaceJson {
    PlaceJson {
        start: it.start,
        end: it.end,
        line: it.line,
        column: it.column,
        end_line: it.end_line,
        end_column: it.end_column,
    }
}
