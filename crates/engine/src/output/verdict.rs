//! The complete result of a check, as one object for people, editors and agents.
//!
//! Its shape is part of the interface: `schema.json` in this folder describes it, and a test
//! keeps both in sync.

use serde::Serialize;
use svc_contract::value::Type;
use svc_lang::{
    check::{Analysis, CastReason, Checked, Input, Term, TermKind, TypedFlow},
    diag::{self, Lines, Report, Source, Span},
};

use super::estimates::{Bound, Effect, EnvelopeJson, bounds, effects, envelope};
use crate::{Engine, Unsaved};

/// The JSON Schema of a [`Verdict`].
pub const VERDICT_SCHEMA: &str = include_str!("schema.json");

/// The result of checking one script.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    pub file: String,
    /// The reason why the file could not be read; then nothing else is known.
    pub error: Option<String>,
    /// Whether it can run: it has no errors.
    pub ok: bool,
    /// Whether its only errors are holes, so that it can run once they are filled.
    pub sketch: bool,
    /// The holes, those of used files last.
    pub holes: Vec<Hole>,
    pub problems: Vec<Problem>,
    pub inputs: Vec<Param>,
    pub secrets: Vec<Named>,
    /// The type of the result; `None` if a file only defines flows and types.
    pub result: Option<String>,
    pub flows: Vec<FlowSignature>,
    pub tests: Vec<Named>,
    /// Every stage and its type, in source order.
    pub nodes: Vec<Node>,
    pub effects: Vec<Effect>,
    /// The estimate of a run with default inputs; `None` if the script does not pass the check.
    pub envelope: Option<EnvelopeJson>,
    /// The estimates for the bounds of the whole file.
    pub bounds: Vec<Bound>,
    /// The facts that are only known at run time, with the reason.
    pub unchecked: Vec<Unchecked>,
}

/// A range of bytes, and its place for people: lines and columns from 1.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Place {
    pub start: usize,
    pub end: usize,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
}

#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Problem {
    pub code: &'static str,
    pub severity: &'static str,
    pub message: String,
    pub help: Option<String>,
    /// The effect that the policy refuses, if that is the problem (E315).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<RefusedEffect>,
    /// The file of the places; it may be one that the script uses.
    pub file: String,
    /// The place of the problem; always there in a check, `None` for a value that the caller of a
    /// run gave, and for the whole run.
    pub span: Option<Place>,
    pub labels: Vec<Label>,
    /// Changes of the text that together fix the problem.
    pub fixes: Vec<Label>,
    /// `safe` if a program may apply the fixes, as `svc fix` does, `suggested` if the author
    /// decides; `None` without fixes.
    pub applicability: Option<&'static str>,
}

/// A stage or value that is not written yet.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Hole {
    /// Its name, without the `?`.
    pub name: Option<String>,
    /// The file of the place; it may be one that the script uses.
    pub file: String,
    /// The place of the hole with its types, which a stage or value replaces.
    pub span: Place,
    /// The type of its input; `None` if there is none, or if it is unknown.
    pub input: Option<String>,
    /// The type of its value or result; `None` if it is unknown.
    pub wanted: Option<String>,
    /// The comment at the end of its line, without its sign.
    pub comment: Option<String>,
}

/// An effect that a policy refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RefusedEffect {
    /// `reads`, `writes`, `runs`, `spends` or `asks`.
    pub verb: &'static str,
    /// Its place as in a rule, such as `web:example.com`, as far as it is known before the run.
    pub scope: Option<String>,
    /// The rule that denies it; `None` if no rule allows it.
    pub rule: Option<String>,
}

/// A place and its text: a remark about it, or its replacement.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Label {
    pub span: Place,
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Param {
    pub name: String,
    pub r#type: String,
    pub required: bool,
    pub doc: String,
}

#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Named {
    pub name: String,
    pub span: Place,
}

#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FlowSignature {
    pub name: String,
    pub doc: String,
    pub params: Vec<Param>,
    pub result: String,
    pub span: Place,
}

#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Node {
    pub span: Place,
    /// The type of the input; `None` without one.
    pub enters: Option<String>,
    /// `None` if the type is unknown because of an error.
    pub result: Option<String>,
    /// The full name of the op that it calls.
    pub op: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Unchecked {
    pub span: Place,
    pub what: String,
    pub why: String,
}

impl Engine {
    /// Checks a script, and returns everything known about it, with or without errors.
    pub fn verdict(&self, script: impl Into<Source>) -> Verdict {
        let source = script.into();
        let (analysis, estimate) = self.analysis(&source, &Unsaved::default());
        let places = Places::of(&source);
        let mut verdict = Verdict {
            file: source.name().to_owned(),
            ok: analysis.program.is_some(),
            sketch: analysis.report.is_sketch(),
            holes: holes(&analysis.report),
            problems: problems(&analysis.report),
            nodes: places.nodes(&analysis),
            unchecked: places.follow_from_errors(&analysis),
            ..Verdict::default()
        };
        if let Some(program) = &analysis.program {
            places.fill(program, &mut verdict);
        }
        if let Some(estimate) = estimate {
            verdict.envelope = Some(envelope(&estimate.envelope));
            verdict.bounds = bounds(&estimate.verdicts);
            verdict.effects = effects(&estimate.effects);
        }
        verdict
    }
}

impl RefusedEffect {
    fn of(refused: &diag::Refused) -> Self {
        let diag::Refused { verb, place, rule } = refused.clone();
        Self { verb, scope: place, rule }
    }
}

impl Verdict {
    /// The verdict for a file that could not be read.
    pub fn unreadable(file: impl Into<String>, error: impl Into<String>) -> Self {
        Self { file: file.into(), error: Some(error.into()), ..Self::default() }
    }
}

/// A range of bytes of a source as a place.
pub fn place_in(source: &Source, span: Span) -> Place {
    Places::of(source).at(span)
}

/// Every problem of a report, those of used files last.
pub fn problems(report: &Report) -> Vec<Problem> {
    in_files(report, &|places, problem, file| Some(places.problem(problem, file)))
}

/// Every hole of a report, those of used files last.
fn holes(report: &Report) -> Vec<Hole> {
    let known = |ty: &Type| (!ty.has_unknown()).then(|| ty.to_string());
    in_files(report, &|places, problem, file| {
        let hole = problem.hole.as_deref()?;
        Some(Hole {
            name: hole.name.as_ref().map(ToString::to_string),
            file: file.to_owned(),
            span: places.at(problem.span()),
            input: hole.input.as_ref().and_then(known),
            wanted: hole.wanted.as_ref().and_then(known),
            comment: hole.comment.clone(),
        })
    })
}

/// What is made of the problems of a report and of used files, each with the name of its file.
fn in_files<T>(
    report: &Report,
    make: &dyn Fn(&Places<'_>, &diag::Problem, &str) -> Option<T>,
) -> Vec<T> {
    let of = |report: &Report| -> Vec<T> {
        let places = Places::of(&report.source);
        let name = report.source.name();
        report.problems.iter().filter_map(|it| make(&places, it, name)).collect()
    };
    let used = report.used.iter().flat_map(of);
    of(report).into_iter().chain(used).collect()
}

/// The params of a program.
pub fn inputs(program: &Checked) -> Vec<Param> {
    program.inputs.iter().filter(|it| !it.is_secret()).map(param).collect()
}

fn param(input: &Input) -> Param {
    Param {
        name: input.name.to_string(),
        r#type: input.ty.to_string(),
        required: input.is_required(),
        doc: input.doc.clone(),
    }
}

/// The type of a program's result; `None` if it only defines flows and types.
pub fn result_type(program: &Checked) -> Option<String> {
    program.main.as_ref().map(|it| it.ty.to_string())
}

/// Converts spans of one text to places.
pub(super) struct Places<'t>(Lines<'t>);

impl Places<'_> {
    pub(super) fn of(source: &Source) -> Places<'_> {
        Places(Lines::new(source.text()))
    }

    pub(super) fn at(&self, span: Span) -> Place {
        let (line, column) = self.0.position(span.start);
        let (end_line, end_column) = self.0.position(span.end);
        Place { start: span.start, end: span.end, line, column, end_line, end_column }
    }

    pub(super) fn problem(&self, problem: &diag::Problem, file: &str) -> Problem {
        let label = |span, text: &str| Label { span: self.at(span), text: text.to_owned() };
        Problem {
            code: problem.code.as_str(),
            severity: problem.severity.word(),
            message: problem.message.clone(),
            help: problem.help.clone(),
            effect: problem.refused.as_deref().map(RefusedEffect::of),
            file: file.to_owned(),
            span: Some(self.at(problem.span())),
            labels: problem.labels.iter().map(|it| label(it.span, &it.text)).collect(),
            fixes: problem.fixes.iter().map(|it| label(it.span, &it.text)).collect(),
            applicability: (!problem.fixes.is_empty()).then(|| problem.applicability.word()),
        }
    }

    fn fill(&self, program: &Checked, verdict: &mut Verdict) {
        verdict.inputs = inputs(program);
        let secrets = program.inputs.iter().filter(|it| it.is_secret());
        let named = |name: &str, span| Named { name: name.to_owned(), span: self.at(span) };
        verdict.secrets = secrets.map(|it| named(&it.name, it.span)).collect();
        verdict.result = result_type(program);
        verdict.flows = program.flows.iter().map(|it| self.flow(it)).collect();
        verdict.tests = program.tests.iter().map(|it| named(&it.name, it.span)).collect();
        if let Some(main) = &program.main {
            self.only_at_run_time(main, &mut verdict.unchecked);
        }
        for flow in &program.flows {
            self.only_at_run_time(&flow.body, &mut verdict.unchecked);
        }
    }

    fn flow(&self, flow: &TypedFlow) -> FlowSignature {
        FlowSignature {
            name: flow.name.to_string(),
            doc: flow.doc.clone(),
            params: flow.params.iter().map(param).collect(),
            result: flow.yields.to_string(),
            span: self.at(flow.span),
        }
    }

    fn nodes(&self, analysis: &Analysis) -> Vec<Node> {
        let facts = &analysis.facts;
        let mut stages: Vec<_> = facts.nodes.iter().filter(|it| it.is_stage).collect();
        stages.sort_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end)));
        // A flow's body is checked once, but a block may be visited again.
        stages.dedup_by_key(|it| it.span);
        let known = |ty: &Type| (!ty.is_unknown()).then(|| ty.to_string());
        let node = |it: &&svc_lang::check::NodeFact| Node {
            span: self.at(it.span),
            enters: it.enters.as_ref().and_then(known),
            result: known(&it.gives),
            op: it.op.map(|it| it.to_string()),
        };
        stages.iter().map(node).collect()
    }

    /// Stages whose types are unknown because of an error elsewhere.
    fn follow_from_errors(&self, analysis: &Analysis) -> Vec<Unchecked> {
        if analysis.program.is_some() {
            return Vec::new();
        }
        let wrong: Vec<Span> = analysis.report.errors().map(diag::Problem::span).collect();
        let touches = |it: Span| wrong.iter().any(|on| on.start <= it.end && it.start <= on.end);
        let unknown = |it: &&svc_lang::check::NodeFact| {
            it.is_stage && it.gives.is_unknown() && !touches(it.span)
        };
        let unchecked = |it: &svc_lang::check::NodeFact| Unchecked {
            span: self.at(it.span),
            what: "the type of this stage".to_owned(),
            why: "it follows from an error".to_owned(),
        };
        analysis.facts.nodes.iter().filter(unknown).map(unchecked).collect()
    }

    /// Checks that happen at run time: json cast to a type, values that enter a range.
    fn only_at_run_time(&self, term: &Term, found: &mut Vec<Unchecked>) {
        if let TermKind::Cast { why, .. } = &term.kind {
            let why = match why {
                CastReason::Asked | CastReason::Answered => {
                    "values from outside are only known at run time"
                }
                CastReason::Entering => "the range of a value is only checked at run time",
            };
            if is_tested(term) {
                found.push(Unchecked {
                    span: self.at(term.span),
                    what: format!("whether the value is {}", term.ty),
                    why: why.to_owned(),
                });
            }
        }
        let part = &mut |it: &Term| {
            stacker::maybe_grow(64 << 10, 1 << 20, || self.only_at_run_time(it, found));
        };
        term.each_part(part);
    }
}

/// Whether a cast can fail: converting an int to a float cannot.
fn is_tested(term: &Term) -> bool {
    let TermKind::Cast { why, .. } = &term.kind else { return false };
    let has_range = |it: &Type| matches!(it, Type::Int(Some(_)) | Type::Float(Some(_)));
    *why != CastReason::Entering || term.ty.has(&has_range)
}
