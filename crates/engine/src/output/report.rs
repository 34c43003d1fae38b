//! Every error as one object for the program that embeds the engine.
//!
//! Its shape is part of the interface: `error.json` in this folder describes it, and a test
//! keeps both in sync.

use serde::Serialize;
use svc_contract::registry::ErrorKind;
use svc_lang::diag::{Report, Source, Span};

use super::{
    failure::{FilePlace, Kept, Used},
    verdict::{Places, Problem, problems},
};
use crate::{
    Error,
    error::{code_of, run_problem},
    run::RunError,
};

/// The JSON Schema of an [`ErrorReport`].
pub const ERROR_SCHEMA: &str = include_str!("error.json");

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
    /// The param that was given wrongly or not at all, for an `input` error about one.
    pub param: Option<String>,
    /// The component that failed, under the name used in the script.
    pub component: Option<String>,
    /// Every problem; a failed run has one.
    pub problems: Vec<Problem>,
    /// The cap in the script that could not fund a call.
    pub cap: Option<FilePlace>,
    /// The usage of the run.
    pub usage: Option<Used>,
    /// The parts that were finished when a call could not be funded.
    pub partial: Option<Kept>,
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
        Self {
            phase: "check",
            kind: None,
            code: first.map_or("", |it| it.code.as_str()),
            message: first.map_or_else(String::new, |it| it.message.clone()),
            path: String::new(),
            param: None,
            component: None,
            problems: problems(report),
            cap: None,
            usage: None,
            partial: None,
        }
    }

    fn of_run(phase: &'static str, script: &Source, error: &RunError) -> Self {
        let kind: ErrorKind = error.kind();
        let source = error.source.as_ref().unwrap_or(script);
        let mut problem = Places::of(source).problem(&run_problem(error), source.name());
        if error.span == Span::default() {
            (problem.span, problem.labels) = (None, Vec::new());
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
            param: error.param.clone(),
            component: error.component.clone(),
            problems: vec![problem],
            cap: error.cap.as_ref().map(cap),
            usage: Some(error.usage.into()),
            partial: error.partial.as_deref().map(Kept::of),
        }
    }
}
