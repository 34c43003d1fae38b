//! What a pull request needs: formatting, checks, tests and limits on the estimates of scripts.
//!
//! [`examine`] looks at one script; an [`Outcome`] has all of them. Reports for other programs are
//! made of it: [`junit`], [`sarif`], [`github`] and [`json`].

mod certified;
mod finding;
mod gates;
mod git;
pub mod github;
pub mod json;
pub mod junit;
pub mod sarif;

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use svc_engine::{Engine, TestResult, Threads};
use svc_lang::{
    check::Checked,
    diag::{Report, Source},
    plan::{EffectUse, Place, Plan, Policy},
    syntax,
};

pub use finding::{Finding, Level, PlacedText};
pub use gates::{Amounts, Growth, Limits};
pub use git::{Base, BaseError};

use gates::{Grown, Kind};

use crate::certificate::{Certificate, PublicKey};

/// What is demanded of every script.
#[derive(Default)]
pub struct Demands {
    pub limits: Limits,
    pub growth: Vec<Growth>,
    /// The revision that scripts are compared with.
    pub base: Option<Base>,
    /// Whether every script with a pipeline needs a certificate.
    pub certified: bool,
    /// The key with which certificates must be signed.
    pub key: Option<PublicKey>,
}

/// The outcome of all scripts.
#[derive(Default)]
pub struct Outcome {
    pub scripts: Vec<Examined>,
    /// The revision that they were compared with, and its commit.
    pub base: Option<(String, String)>,
    /// The scripts that exist no more since then.
    pub deleted: Vec<String>,
}

/// The outcome of one script.
pub struct Examined {
    pub file: String,
    pub state: State,
    /// In the order in which they were made; none for a script that was left out.
    pub steps: Vec<Step>,
    /// The most that a run may take; `None` if it does not check, or has no pipeline.
    pub amounts: Option<Amounts>,
    /// The same at the revision.
    pub before: Option<Amounts>,
}

/// How a script relates to the changes since the revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Without a revision, every script is examined.
    All,
    /// It is new.
    New,
    /// It has another text, or an earlier name.
    Changed { renamed_from: Option<String> },
    /// Something that it uses or reads has changed.
    UsesChanged,
    /// It was left out.
    Unaffected,
}

/// One step, and what was found.
pub struct Step {
    pub kind: StepKind,
    pub findings: Vec<Finding>,
    /// The problems as they are drawn for people.
    pub report: Option<Report>,
    pub took: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    Read,
    Format,
    Check,
    /// The test of this name.
    Test(String),
    Limits,
    Growth,
    Effects,
    /// The certificate next to the script still holds.
    Certificate,
}

impl StepKind {
    /// The name in reports.
    pub fn name(&self) -> String {
        match self {
            Self::Read => "read".to_owned(),
            Self::Format => "format".to_owned(),
            Self::Check => "check".to_owned(),
            Self::Test(name) => format!("test: {name}"),
            Self::Limits => "limits".to_owned(),
            Self::Growth => "growth".to_owned(),
            Self::Effects => "effects".to_owned(),
            Self::Certificate => "certificate".to_owned(),
        }
    }
}

impl Step {
    fn of(kind: StepKind, findings: Vec<Finding>, since: Instant) -> Self {
        Self { kind, findings, report: None, took: since.elapsed() }
    }

    pub fn has_failed(&self) -> bool {
        self.findings.iter().any(|it| it.level == Level::Error)
    }
}

impl Examined {
    /// A script that cannot be read.
    pub fn unreadable(file: String, why: String) -> Self {
        let finding = Finding::error("unreadable", &file, why);
        let step = Step::of(StepKind::Read, vec![finding], Instant::now());
        Self { file, state: State::All, steps: vec![step], amounts: None, before: None }
    }

    fn left_out(file: String) -> Self {
        let (steps, state) = (Vec::new(), State::Unaffected);
        Self { file, state, steps, amounts: None, before: None }
    }

    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.steps.iter().flat_map(|it| &it.findings)
    }

    pub fn has_failed(&self) -> bool {
        self.steps.iter().any(Step::has_failed)
    }

    /// Whether the script has errors, as opposed to failed tests and limits.
    pub fn is_invalid(&self) -> bool {
        self.steps.iter().any(|it| it.kind == StepKind::Check && it.has_failed())
    }

    /// The tests that passed, and those that failed.
    pub fn tests(&self) -> (usize, usize) {
        let tests = self.steps.iter().filter(|it| matches!(it.kind, StepKind::Test(_)));
        let (failed, passed): (Vec<_>, Vec<_>) = tests.partition(|it| it.has_failed());
        (passed.len(), failed.len())
    }
}

impl Outcome {
    /// No scripts yet, compared with a revision.
    pub fn since(base: Option<&Base>) -> Self {
        let deleted = base.map(|it| it.deleted().to_vec()).unwrap_or_default();
        let base = base.map(|it| (it.name.clone(), it.commit.clone()));
        Self { scripts: Vec::new(), base, deleted }
    }

    pub fn has_failed(&self) -> bool {
        self.scripts.iter().any(Examined::has_failed)
    }

    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.scripts.iter().flat_map(Examined::findings)
    }

    /// The number of scripts that were examined.
    pub fn examined(&self) -> usize {
        self.scripts.iter().filter(|it| it.state != State::Unaffected).count()
    }
}

/// Examines a script, unless nothing that it depends on has changed.
pub fn examine(engine: &Engine, script: &Source, demands: &Demands) -> Examined {
    let begun = Instant::now();
    let checked = engine.check(script.clone());
    let before = demands.base.as_ref().map(|it| Before::of(engine, script, it));
    let state = state(engine, script, &checked, demands.base.as_ref(), before.as_ref());
    let file = script.name().to_owned();
    if state == State::Unaffected {
        return Examined::left_out(file);
    }
    let mut steps = vec![format(script), check(&checked, begun)];
    let Ok(program) = checked else {
        return Examined { file, state, steps, amounts: None, before: None };
    };
    steps.extend(tests(engine, &program));
    let has_main = program.main.is_some();
    let plan = engine.plan_before_inputs(script.clone()).ok().filter(|_| has_main);
    let Some(plan) = plan else {
        return Examined { file, state, steps, amounts: None, before: None };
    };
    let amounts = Amounts::of(&plan);
    steps.extend(certified::step(engine, script, demands));
    steps.push(limits(&file, &plan, &amounts, &demands.limits));
    let before = before.and_then(|it| it.plan);
    let known = before.as_ref().map(Amounts::of);
    if let (Some(before), Some(known)) = (&before, &known) {
        steps.push(growth(&file, known, &amounts, &demands.growth));
        steps.push(effects(&file, before, &plan));
    }
    Examined { file, state, steps, amounts: Some(amounts), before: known }
}

/// A script as it was at the revision.
struct Before {
    exists: bool,
    is_same: bool,
    is_valid: bool,
    /// Its plan, if it checks and has a pipeline.
    plan: Option<Plan>,
}

impl Before {
    fn of(engine: &Engine, script: &Source, base: &Base) -> Self {
        let Some(source) = base.before(engine.host(), script) else {
            return Self { exists: false, is_same: false, is_valid: false, plan: None };
        };
        // What was allowed then is not the question.
        let engine = engine.clone().with_policy(Policy::default());
        let is_same = source.text() == script.text();
        let program = engine.analyse_with(source, base.texts()).program;
        let has_main = program.as_ref().is_some_and(|it| it.main.is_some());
        let plan = program.as_ref().filter(|_| has_main);
        let plan = plan.and_then(|it| engine.plan_analysed(it).ok());
        Self { exists: true, is_same, is_valid: program.is_some(), plan }
    }
}

fn state(
    engine: &Engine,
    script: &Source,
    checked: &Result<Checked, Report>,
    base: Option<&Base>,
    before: Option<&Before>,
) -> State {
    let (Some(base), Some(before)) = (base, before) else { return State::All };
    let (host, file) = (engine.host(), script.name());
    if !before.exists {
        return State::New;
    }
    let renamed_from = base.renamed_from(host, file).map(str::to_owned);
    let certificate = Certificate::name_for(file);
    let is_certified_anew = base.has_changed(host, &certificate);
    if !before.is_same
        || renamed_from.is_some()
        || base.has_changed(host, file)
        || is_certified_anew
    {
        return State::Changed { renamed_from };
    }
    let uses_changed = match checked {
        Ok(program) => uses_changed(engine, program, base),
        // What it uses is not known; if it was right before, something of that has changed.
        Err(_) => before.is_valid,
    };
    if uses_changed { State::UsesChanged } else { State::Unaffected }
}

/// Whether a file that a script uses or reads has changed.
fn uses_changed(engine: &Engine, program: &Checked, base: &Base) -> bool {
    let host = engine.host();
    let used = program.used.iter().map(Source::name).filter(|it| !is_module(it));
    let read = engine.plan_analysed(program).ok().map(|it| it.effects().clone());
    let read = read.iter().flatten().filter_map(|it| match &it.place {
        Some(Place::Path(path)) => Some(path.as_ref()),
        _ => None,
    });
    used.chain(read).any(|it| base.has_changed_inside(host, it))
}

/// Whether it is a module of the library or of the user, which no repository has.
fn is_module(name: &str) -> bool {
    name.starts_with("std:") || name.starts_with("user:")
}

fn format(script: &Source) -> Step {
    let begun = Instant::now();
    let formatted = syntax::format_with(script.text(), &Threads).text;
    let findings = if formatted == script.text() {
        Vec::new()
    } else {
        vec![Finding::unformatted(script, &formatted)]
    };
    Step::of(StepKind::Format, findings, begun)
}

fn check(checked: &Result<Checked, Report>, begun: Instant) -> Step {
    let report = match checked {
        Ok(program) => &program.warnings,
        Err(report) => report,
    };
    let step = Step::of(StepKind::Check, Finding::all(report), begun);
    Step { report: (!step.findings.is_empty()).then(|| report.clone()), ..step }
}

fn tests(engine: &Engine, program: &Checked) -> Vec<Step> {
    let step = |it: TestResult| {
        let findings = Finding::all(&it.report);
        let report = (!findings.is_empty()).then_some(it.report);
        Step { kind: StepKind::Test(it.name), findings, report, took: it.took }
    };
    engine.test(program, "").into_iter().map(step).collect()
}

fn limits(file: &str, plan: &Plan, amounts: &Amounts, limits: &Limits) -> Step {
    let begun = Instant::now();
    let above = amounts.above(limits).map(|(kind, amount, limit)| {
        let message = match amount {
            Some(amount) => format!("{} above the limit: {amount} (limit {limit})", kind.name()),
            None => format!("{} without a maximum (limit {limit})", kind.name()),
        };
        let open = plan.open().filter(|_| amount.is_none());
        Finding::error("over-limit", file, message).help(bounding(kind, open))
    });
    Step::of(StepKind::Limits, above.collect(), begun)
}

fn bounding(kind: Kind, open: Option<&str>) -> String {
    let bound = match kind.bound() {
        Some(bound) => {
            format!(
                "add a bound such as `within {{ {bound}: .. }}`, or raise `--max-{}`",
                kind.name()
            )
        }
        None => "make fewer calls, or raise `--max-calls`".to_owned(),
    };
    match open {
        Some(open) => format!("{bound}; {open}"),
        None => bound,
    }
}

fn growth(file: &str, before: &Amounts, after: &Amounts, limits: &[Growth]) -> Step {
    let begun = Instant::now();
    let findings = after.grown(before).into_iter().map(|it| grown(file, &it, limits));
    Step::of(StepKind::Growth, findings.collect(), begun)
}

fn grown(file: &str, grown: &Grown, limits: &[Growth]) -> Finding {
    let after = gates::shown(grown.after);
    let message =
        format!("{} grows from {} to {after}{}", grown.kind.name(), grown.before, grown.share());
    match limits.iter().find(|it| grown.is_beyond(**it)) {
        Some(limit) => Finding::error("growth", file, format!("{message} (limit {limit})"))
            .help("bound it with `within { .. }`, or raise `--max-growth`"),
        None => Finding::note("growth", file, message),
    }
}

fn effects(file: &str, before: &Plan, after: &Plan) -> Step {
    let begun = Instant::now();
    let known: BTreeSet<&EffectUse> = before.effects().iter().collect();
    let new = after.effects().iter().filter(|it| !known.contains(it));
    let findings = new.map(|it| {
        let message = format!("new effect `{it}`");
        let help = format!("`--deny \"{it}\"` refuses it");
        Finding::warning("new-effect", file, message).help(help)
    });
    Step::of(StepKind::Effects, findings.collect(), begun)
}
