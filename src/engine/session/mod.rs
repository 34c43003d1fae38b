//! Statements that are entered one after the other: what one binds, the next ones know.
//!
//! Each statement is a script of its own. What was declared before stands behind it, so that
//! places in what was entered are places in the script; values that were computed before are
//! its params. A run of it can therefore be kept, resumed and explained like any other.

mod saved;
mod spelled;
mod statements;

use std::{collections::BTreeMap, path::PathBuf};

pub use saved::Saved;
pub use statements::Statement;

use super::{Engine, Error, Request, TestResult};
use crate::{
    check::Analysis,
    diag::{Code, Problem, Report, Source, Span},
    plan::Plan,
    syntax::token::{TokenKind, lex},
    value::{Text, Type, Value},
};
use statements::{Act, blanked};

/// The name of what the last pipeline gave.
pub const ANSWER: &str = "ans";

/// What was entered so far.
#[derive(Clone)]
pub struct Session {
    engine: Engine,
    /// What has a name or is a test, in the order in which it was entered.
    entries: Vec<Entry>,
    /// What params were given, by name, as text.
    given: BTreeMap<Text, Text>,
    answer: Option<Answer>,
    folder: PathBuf,
}

/// One statement that goes on to count.
#[derive(Clone, Debug)]
struct Entry {
    name: Text,
    /// As it was entered, with the notes above it.
    text: Text,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Declared,
    Test,
    Let(Known),
}

/// A value that was computed.
#[derive(Clone, Debug)]
struct Known {
    value: Value,
    ty: Type,
    /// The type as a script can write it.
    spelled: Text,
}

/// What the last pipeline gave, and the pipeline.
#[derive(Clone, Debug)]
struct Answer {
    text: Text,
    known: Known,
}

/// A name of the session, for those who list them.
#[derive(Clone, Debug)]
pub struct Binding {
    pub name: Text,
    pub text: Text,
    /// Of those that have a value.
    pub value: Option<(Type, Value)>,
}

impl Session {
    /// A session whose scripts stand in a folder.
    pub fn new(engine: Engine, folder: impl Into<PathBuf>) -> Self {
        let (entries, given) = (Vec::new(), BTreeMap::new());
        Self { engine, entries, given, answer: None, folder: folder.into() }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What was entered, as statements that may run one after the other, and what is worth
    /// knowing of them; or everything that is wrong with it.
    pub fn read(&self, entered: &str) -> Result<(Vec<Statement>, Report), Report> {
        let text = self.continued(entered);
        let statements = statements::of(&text);
        let report = self.problems(&text, &statements);
        match (report.has_errors(), statements.iter().find(|it| it.is_new_edition())) {
            (true, _) => Err(report),
            (false, Some(it)) => Err(self.own_report(&text, vec![bounds_of_a_file(it.span)])),
            (false, None) => Ok((statements, report)),
        }
    }

    /// A `>>` at the beginning goes on with what the last pipeline gave.
    fn continued(&self, entered: &str) -> String {
        let start = entered.len() - entered.trim_start().len();
        match entered[start..].starts_with(">>") && self.answer.is_some() {
            true => format!("{}{ANSWER} {}", &entered[..start], &entered[start..]),
            false => entered.to_owned(),
        }
    }

    /// What is wrong with statements, also where several of them are pipelines.
    fn problems(&self, text: &str, statements: &[Statement]) -> Report {
        let pipelines: Vec<Span> =
            statements.iter().filter(|it| it.act == Act::Pipeline).map(|it| it.span).collect();
        let mut problems = Vec::new();
        let mut used = Vec::new();
        for idx in 0..pipelines.len().max(1) {
            let others = pipelines.iter().enumerate().filter(|(it, _)| *it != idx);
            let alone = blanked(text, others.map(|(_, span)| *span));
            let end = if pipelines.is_empty() { "\nnull" } else { "" };
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

    /// What a statement would run.
    pub fn plan(&self, statement: &Statement) -> Result<Plan, Report> {
        let source = self.source(&statement.alone(), &statement.end());
        // A run is known by its line, so that the same line compares with itself.
        let named = Source::new(statement.title(), source.text().to_owned());
        let plan = self.engine.plan(named.in_folder(self.folder.clone()));
        plan.map_err(|report| self.trimmed(report, &statement.whole))
    }

    /// The run of a plan of this session by an engine, with what it is to be given.
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

    /// A failure of a statement, about what was entered alone where it stands there.
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

    /// A report about what was entered alone, where it is about nothing else.
    fn trimmed(&self, report: Report, entered: &str) -> Report {
        let is_own = |it: &Problem| it.labels.iter().all(|it| it.span.end <= entered.len());
        if report.problems.iter().all(is_own) {
            let source = self.script(entered.trim_end());
            return Report { source, ..report };
        }
        report
    }

    /// What is known of a text while it is entered.
    pub fn analyse(&self, entered: &str) -> (Source, Analysis) {
        let text = self.continued(entered);
        let source = self.source(&text, "");
        let analysis = self.engine.analyse(source.clone());
        (source, analysis)
    }

    /// By how many bytes a place in what is entered lies further on in its script.
    pub fn shift(&self, entered: &str) -> usize {
        self.continued(entered).len() - entered.len()
    }

    /// A text as a script, with everything behind it that it may name.
    fn source(&self, text: &str, end: &str) -> Source {
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
        if let Some(answer) = self.answer.as_ref().filter(|_| mentions(text, ANSWER)) {
            whole += &format!("\n{}\n", param(ANSWER, &answer.known));
        }
        self.script(&whole)
    }

    fn script(&self, text: &str) -> Source {
        Source::new("repl", text.to_owned()).in_folder(self.folder.clone())
    }

    fn known(&self, name: &str) -> Option<&Known> {
        if name == ANSWER {
            return self.answer.as_ref().map(|it| &it.known);
        }
        self.entries.iter().find_map(|it| match &it.kind {
            Kind::Let(known) if it.name.as_ref() == name => Some(known),
            _ => None,
        })
    }

    /// Remembers a declaration, or what a statement gave.
    pub fn keep(&mut self, statement: &Statement, given: Option<(Type, Value)>) {
        let known = given.map(|(ty, value)| {
            let spelled = spelled::spelled(self, &ty);
            Known { value, ty, spelled }
        });
        let text: Text = self.expanded(&statement.text()).into();
        match (&statement.act, known) {
            (Act::Pipeline, Some(known)) => self.answer = Some(Answer { text, known }),
            (Act::Let(name), Some(known)) => self.enter(name, text, Kind::Let(known)),
            (Act::Declare(name), _) => self.enter(name, text, Kind::Declared),
            (Act::Test(name), _) => self.enter(name, text, Kind::Test),
            _ => {}
        }
    }

    /// What was bound again takes the place that it had.
    fn enter(&mut self, name: &Text, text: Text, kind: Kind) {
        let entry = Entry { name: name.clone(), text, kind };
        match self.entries.iter_mut().find(|it| it.name == entry.name) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }

    /// Gives a param a value, as text, also one that is declared later.
    pub fn give(&mut self, name: &str, text: &str) {
        self.given.insert(name.into(), text.into());
    }

    /// From now on scripts stand in this folder.
    pub fn stands_in(&mut self, folder: impl Into<PathBuf>) {
        self.folder = folder.into();
    }

    /// Forgets a name; false where nothing has it.
    pub fn forget(&mut self, name: &str) -> bool {
        let before = self.entries.len();
        self.entries.retain(|it| it.name.as_ref() != name);
        self.given.remove(name);
        let was_answer = name == ANSWER && self.answer.take().is_some();
        was_answer || self.entries.len() < before
    }

    /// Every name, in the order of the session, the last answer at the end.
    pub fn bindings(&self) -> Vec<Binding> {
        let mut all: Vec<Binding> = self.entries.iter().map(Entry::binding).collect();
        all.extend(self.answer.as_ref().map(|it| Binding {
            name: ANSWER.into(),
            text: it.text.clone(),
            value: Some((it.known.ty.clone(), it.known.value.clone())),
        }));
        all
    }

    /// The pipeline that gave the last answer.
    pub fn answer_text(&self) -> Option<Text> {
        self.answer.as_ref().map(|it| it.text.clone())
    }

    /// Runs a test that was entered.
    pub fn test(&self, statement: &Statement) -> Result<Vec<TestResult>, Report> {
        let source = self.source(&statement.alone(), &statement.end());
        let program = self.engine.check(source)?;
        Ok(self.engine.test(&program, ""))
    }
}

impl Entry {
    fn binding(&self) -> Binding {
        let value = match &self.kind {
            Kind::Let(known) => Some((known.ty.clone(), known.value.clone())),
            Kind::Declared | Kind::Test => None,
        };
        Binding { name: self.name.clone(), text: self.text.clone(), value }
    }
}

fn param(name: &str, known: &Known) -> String {
    format!("param {name}: {}", known.spelled)
}

/// Whether a name stands in a text as a word, also inside a string's `${..}`.
fn mentions(text: &str, name: &str) -> bool {
    let tokens = lex(text).tokens;
    tokens.iter().any(|it| it.kind == TokenKind::Word && &text[it.span.range()] == name)
}

/// Whether a problem is one of what was entered. What a session does not use yet, it may use
/// later.
fn concerns(problem: &Problem, len: usize) -> bool {
    problem.code != Code::E221 && (problem.is_error() || problem.span().start < len)
}

fn bounds_of_a_file(span: Span) -> Problem {
    Problem::error(Code::E101, span, "bounds of a whole file do not stand in a session")
        .label("no file begins here")
        .help("bound one pipeline with `within { .. }`, or every line with `:set max_cost 0.10`")
}
