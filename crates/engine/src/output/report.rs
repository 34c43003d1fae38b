//! Every error as one object for the program that embeds the engine.

use serde::Serialize;
use svc_contract::registry::ErrorKind;
use svc_lang::diag::{Problem, Report, Source, Span};

use super::{
    failure::{FilePlace, Kept, Used},
    verdict::{Label, Place, Places},
};
use crate::{
    Error,
    error::{code_of, run_problem},
    run::RunError,
};

/// A script without a result, as one object: the same for a check, for wrong inputs and for a
/// failed run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ErrorReport {
    /// `check`, `input` or `run`: what failed. Only a failed `run` can have had effects.
    pub phase: &'static str,
    /// `budget`, `timeout`, ..: why a run failed; `None` for a check.
    pub kind: Option<&'static str>,
    /// The code of the first error.
    pub code: &'static str,
    /// The message of the first error.
    pub message: String,
    /// The node that failed, as `found/web/search`; empty for the whole run and for a check.
    pub path: String,
    /// The component that failed, under the name used in the script.
    pub component: Option<String>,
    /// Every problem; a failed run has one.
    pub problems: Vec<Finding>,
    /// The cap in the script that could not fund a call.
    pub cap: Option<FilePlace>,
    /// The usage of the run.
    pub usage: Option<Used>,
    /// The parts that were finished when a call could not be funded.
    pub partial: Option<Kept>,
}

/// One problem of an [`ErrorReport`].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    pub code: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file of the places; it may be one that the script uses.
    pub file: String,
    /// The place of the problem; `None` for a value that the caller gave, or for the whole run.
    pub span: Option<Place>,
    pub labels: Vec<Label>,
    /// Changes of the text that together fix the problem.
    pub fixes: Vec<Label>,
    /// `safe` if a program may apply the fixes, `suggested` if the author decides; `None`
    /// without fixes.
    pub applicability: Option<&'static str>,
}

impl Error {
    /// The error as an object that serde can serialise.
    pub fn report(&self) -> ErrorReport {
        match self {
            Self::Check(report) => ErrorReport::of_check(report),
            Self::Input { source, error } => ErrorReport::of_run("input", source, error),
            Self::Run { source, error } => ErrorReport::of_run("run", source, error),
        }
    }
}

/// The problems of a check are an error without a run.
impl From<Report> for Error {
    fn from(report: Report) -> Self {
        Self::Check(report)
    }
}

impl ErrorReport {
    fn of_check(report: &Report) -> Self {
        let first = report.all().map(|(_, it)| it).find(|it| it.is_error());
        let of = |report: &Report| -> Vec<Finding> {
            let places = Places::of(&report.source);
            let found = report.problems.iter();
            found.map(|it| Finding::of(it, &places, report.source.name())).collect()
        };
        Self {
            phase: "check",
            kind: None,
            code: first.map_or("", |it| it.code.as_str()),
            message: first.map_or_else(String::new, |it| it.message.clone()),
            path: String::new(),
            component: None,
            problems: of(report).into_iter().chain(report.used.iter().flat_map(of)).collect(),
            cap: None,
            usage: None,
            partial: None,
        }
    }

    fn of_run(phase: &'static str, script: &Source, error: &RunError) -> Self {
        let kind: ErrorKind = error.kind();
        let source = error.source.as_ref().unwrap_or(script);
        let places = Places::of(source);
        let mut finding = Finding::of(&run_problem(error), &places, source.name());
        if error.span == Span::default() {
            (finding.span, finding.labels) = (None, Vec::new());
        }
        let cap = |it: &crate::run::CapPlace| {
            FilePlace::of(it.source.as_ref().unwrap_or(script), it.span)
        };
        Self {
            phase,
            kind: Some(kind.name()),
            code: code_of(kind).as_str(),
            message: error.to_string(),
            path: error.path.clone(),
            component: error.component.clone(),
            problems: vec![finding],
            cap: error.cap.as_ref().map(cap),
            usage: Some(error.usage.into()),
            partial: error.partial.as_deref().map(Kept::of),
        }
    }
}

impl Finding {
    fn of(problem: &Problem, places: &Places<'_>, file: &str) -> Self {
        let label = |span, text: &str| Label { span: places.at(span), text: text.to_owned() };
        Self {
            code: problem.code.as_str(),
            severity: problem.severity.word(),
            message: problem.message.clone(),
            help: problem.help.clone(),
            file: file.to_owned(),
            span: Some(places.at(problem.span())),
            labels: problem.labels.iter().map(|it| label(it.span, &it.text)).collect(),
            fixes: problem.fixes.iter().map(|it| label(it.span, &it.text)).collect(),
            applicability: (!problem.fixes.is_empty()).then(|| problem.applicability.word()),
        }
    }
}
