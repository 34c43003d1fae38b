//! Statements as scripts: their problems, plans and runs.

use svc_contract::value::{Text, Value};
#[cfg(feature = "script-tests")]
use svc_engine::TestResult;
use svc_engine::{Engine, Error, Request};
use svc_lang::{
    check::Analysis,
    diag::{Code, Problem, Report, Source, Span},
    plan::Plan,
    syntax::{
        self,
        token::{TokenKind, lex},
    },
};

use statements::blanked;

use super::{ANSWER, Kind, Known, Session, Statement, statements};

impl Session {
    /// Parses the entered text to statements that run one after the other, with warnings; or
    /// returns all problems.
    pub fn read(&self, entered: &str) -> Result<(Vec<Statement>, Report), Report> {
        let text = self.continued(entered);
        let mut statements = statements::of(&text);
        for it in &mut statements {
            it.rebinds = it.names_itself() && it.name().is_some_and(|it| self.known(it).is_some());
        }
        let report = self.problems(&text, &statements);
        if report.has_errors() { Err(report) } else { Ok((statements, report)) }
    }

    /// A leading `>>` continues with the result of the last pipeline.
    fn continued(&self, entered: &str) -> String {
        let start = entered.len() - entered.trim_start().len();
        if entered[start..].starts_with(">>") && self.answer.is_some() {
            format!("{}{ANSWER} {}", &entered[..start], &entered[start..])
        } else {
            entered.to_owned()
        }
    }

    /// The problems of statements, even if several of them are pipelines.
    fn problems(&self, text: &str, statements: &[Statement]) -> Report {
        let pipelines: Vec<Span> =
            statements.iter().filter(|it| it.is_pipeline()).map(|it| it.span).collect();
        let heads = statements.iter().filter(|it| it.rebinds);
        let text = &blanked(text, heads.map(|it| Span::new(it.span.start, it.computed().start)));
        let mut problems = Vec::new();
        let mut used = Vec::new();
        for idx in 0..pipelines.len().max(1) {
            let others = pipelines.iter().enumerate().filter(|(it, _)| *it != idx);
            let alone = blanked(text, others.map(|(_, span)| *span));
            // An unfinished text would go on with what is appended.
            let has_end = pipelines.is_empty() && syntax::is_whole(text);
            let end = if has_end { "\nnull" } else { "" };
            let report = self.engine.analyse(self.source(&alone, end)).report;
            let own = report.problems.into_iter().filter(|it| concerns(it, text.len()));
            problems.extend(own);
            used = report.used;
        }
        Report { used, ..self.own_report(text, problems) }
    }

    fn own_report(&self, text: &str, problems: Vec<Problem>) -> Report {
        let mut kept: Vec<Problem> = Vec::new();
        for problem in problems {
            if !kept.contains(&problem) {
                kept.push(problem);
            }
        }
        Report::new(self.script(text), kept)
    }

    /// The plan of a statement.
    pub fn plan(&self, statement: &Statement) -> Result<Plan, Report> {
        let source = self.source(&statement.alone(), &statement.end());
        // A run is identified by its line, so that the same line is compared with itself.
        let named = Source::new(statement.title(), source.text().to_owned());
        let plan = self.engine.plan(named.in_folder(self.folder.clone()));
        plan.map_err(|report| self.trimmed(about(statement, report), &statement.whole))
    }

    /// Requests a run of a plan of this session, with the session's params.
    pub fn run<'e>(&self, engine: &'e Engine, plan: Plan) -> Request<'e> {
        let wanted: Vec<Text> = plan.program().inputs.iter().map(|it| it.name.clone()).collect();
        let known = wanted.iter().filter_map(|it| Some((it, self.known(it)?)));
        let known: Vec<(Text, Value)> =
            known.map(|(name, it)| (name.clone(), it.value.clone())).collect();
        let given = self.given.iter().filter(|(name, _)| wanted.contains(name));
        let request =
            given.fold(engine.run_plan(plan), |it, (name, text)| it.param_text(name, text));
        known.into_iter().fold(request, |it, (name, value)| it.param(&name, value))
    }

    /// Moves the error of a statement to the entered text alone, if its place is there.
    pub fn placed(&self, error: Error, statement: &Statement) -> Error {
        let entered = statement.entered();
        match error {
            Error::Check(report) => Error::Check(self.trimmed(report, entered)),
            Error::Run { error, .. }
                if error.source.is_none() && error.span.end <= entered.len() =>
            {
                Error::Run { source: self.script(entered.trim_end()), error }
            }
            other => other,
        }
    }

    /// Restricts a report to the entered text, if it concerns nothing else.
    fn trimmed(&self, report: Report, entered: &str) -> Report {
        let is_own = |it: &Problem| it.labels.iter().all(|it| it.span.end <= entered.len());
        if report.problems.iter().all(is_own) {
            let source = self.script(entered.trim_end());
            return Report { source, ..report };
        }
        report
    }

    /// Runs an entered test.
    #[cfg(feature = "script-tests")]
    pub fn test(&self, statement: &Statement) -> Result<Vec<TestResult>, Report> {
        let (text, end) = tested(statement);
        let program = self.engine.check(self.source(&text, end))?;
        let results = self.engine.test(&program, "").into_iter();
        let own = |mut it: TestResult| {
            it.report = self.trimmed(it.report, &statement.whole);
            it
        };
        Ok(results.map(own).collect())
    }

    /// Analyses a text while it is entered.
    pub fn analyse(&self, entered: &str) -> (Source, Analysis) {
        let text = self.continued(entered);
        let source = self.source(&text, "");
        let analysis = self.engine.analyse(source.clone());
        (source, analysis)
    }

    /// The offset, in bytes, of the entered text in its script.
    pub fn shift(&self, entered: &str) -> usize {
        self.continued(entered).len() - entered.len()
    }

    /// A text as a script, with everything it may refer to appended.
    pub(super) fn source(&self, text: &str, end: &str) -> Source {
        let own = statements::names(text);
        let mut whole = format!("{text}{end}\n");
        for entry in self.entries.iter().filter(|it| !own.contains(&it.name)) {
            let line = match &entry.kind {
                Kind::Test => continue,
                Kind::Declared => entry.text.to_string(),
                Kind::Let(known) if mentions(text, &entry.name) => param(&entry.name, known),
                Kind::Let(_) => continue,
            };
            whole += &format!("\n{line}\n");
        }
        let is_asked = mentions(text, ANSWER) && !own.iter().any(|it| it.as_ref() == ANSWER);
        if let Some(answer) = self.named_answer().filter(|_| is_asked) {
            whole += &format!("\n{}\n", param(ANSWER, &answer.known));
        }
        self.script(&whole)
    }

    pub(super) fn script(&self, text: &str) -> Source {
        Source::new("repl", text.to_owned()).in_folder(self.folder.clone())
    }
}

/// A test with the text it was entered with, whose pipeline it may call as `main`, and the text
/// to append.
#[cfg(feature = "script-tests")]
fn tested(test: &Statement) -> (String, &'static str) {
    let all = statements::of(&test.whole);
    let has_main = all.iter().filter(|it| it.is_pipeline()).count() == 1;
    let is_apart =
        |it: &&Statement| (it.is_test() && it.span != test.span) || (it.is_pipeline() && !has_main);
    let apart: Vec<Span> = all.iter().filter(is_apart).map(|it| it.span).collect();
    (blanked(&test.whole, apart.into_iter()), if has_main { "" } else { "\nnull" })
}

/// A report in which the text appended to a statement counts as the statement itself.
fn about(statement: &Statement, mut report: Report) -> Report {
    for problem in &mut report.problems {
        for label in &mut problem.labels {
            if label.span.start > statement.whole.len() {
                label.span = statement.span;
            }
        }
    }
    report
}

fn param(name: &str, known: &Known) -> String {
    format!("param {name}: {}", known.spelled)
}

/// Whether a name occurs in a text as a word, also inside a `${..}` of a string.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let tokens = lex(text).tokens;
    tokens.iter().any(|it| it.kind == TokenKind::Word && &text[it.span.range()] == name)
}

/// Whether a problem concerns the entered text. A name that a session does not use yet may be
/// used later.
fn concerns(problem: &Problem, len: usize) -> bool {
    problem.code != Code::E221 && (problem.is_error() || problem.span().start < len)
}
