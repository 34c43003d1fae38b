//! The shapes of JSON that several commands give.

use serde::Serialize;

use crate::{
    check::Checked,
    diag::{Fix, Label, Problem, Report, Source, Span},
    value::Money,
};

/// What is wrong, as a machine reads it.
#[derive(Serialize)]
pub(super) struct ProblemJson {
    code: &'static str,
    severity: &'static str,
    message: String,
    help: Option<String>,
    labels: Vec<LabelJson>,
    fixes: Vec<LabelJson>,
}

/// A place and its text: what is said of it, or what should stand there.
#[derive(Serialize)]
struct LabelJson {
    span: SpanJson,
    text: String,
}

/// A range of bytes, and where it is for people: lines and columns from 1.
#[derive(Serialize)]
struct SpanJson {
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

/// An amount, as the language writes it and as a number.
#[derive(Serialize)]
pub(super) struct MoneyJson {
    text: String,
    usd: f64,
}

impl MoneyJson {
    pub(super) fn new(money: Money) -> Self {
        Self { text: money.to_string(), usd: money.dollars() }
    }
}

/// One input of a script.
#[derive(Serialize)]
pub(super) struct InputJson {
    name: String,
    r#type: String,
    required: bool,
    doc: String,
}

impl ProblemJson {
    pub(super) fn new(problem: &Problem, source: &Source) -> Self {
        let label = |it: &Label| LabelJson::new(it.span, &it.text, source);
        let fix = |it: &Fix| LabelJson::new(it.span, &it.text, source);
        Self {
            code: problem.code.as_str(),
            severity: problem.severity.word(),
            message: problem.message.clone(),
            help: problem.help.clone(),
            labels: problem.labels.iter().map(label).collect(),
            fixes: problem.fixes.iter().map(fix).collect(),
        }
    }
}

impl LabelJson {
    fn new(span: Span, text: &str, source: &Source) -> Self {
        let (line, column) = source.position(span.start);
        let (end_line, end_column) = source.position(span.end);
        let span =
            SpanJson { start: span.start, end: span.end, line, column, end_line, end_column };
        Self { span, text: text.to_owned() }
    }
}

/// Every problem of a report, those of used files last.
pub(super) fn problems(report: &Report) -> Vec<ProblemJson> {
    report.all().map(|(source, problem)| ProblemJson::new(problem, source)).collect()
}

/// The inputs of a program.
pub(super) fn inputs(program: &Checked) -> Vec<InputJson> {
    let input = |it: &crate::check::Input| InputJson {
        name: it.name.to_string(),
        r#type: it.ty.to_string(),
        required: it.is_required(),
        doc: it.doc.clone(),
    };
    program.inputs.iter().map(input).collect()
}

/// The type of what a program gives; none where it only defines flows and types.
pub(super) fn gives(program: &Checked) -> Option<String> {
    program.main.as_ref().map(|it| it.ty.to_string())
}
