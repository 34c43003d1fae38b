//! Running the tests of a script: the same engine, a simulated clock.

use std::time::Duration;

use svc_contract::{
    registry::Usage,
    value::{Value, json},
};
use svc_lang::{
    check::{Checked, Test},
    diag::{Code, Problem, Report, Source, Span},
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{Engine, error::run_problem};
use crate::run::{self, TestFailure, Tested};

/// What became of one test.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub name: String,
    /// Nothing is wrong when it passed. A failure in a file that the script uses is told
    /// of that file.
    pub report: Report,
    pub usage: Usage,
    /// Simulated time.
    pub took: Duration,
}

impl TestResult {
    pub fn passed(&self) -> bool {
        !self.report.has_errors()
    }
}

impl Engine {
    /// Runs the tests whose names hold `filter`, one after the other.
    ///
    /// Components that are pure run; others are never called: a mock stands for them, or
    /// the test fails. Waiting takes no time, as every test has a clock of its own.
    pub fn test(&self, program: &Checked, filter: &str) -> Vec<TestResult> {
        let chosen = program.tests.iter().filter(|it| it.name.contains(filter));
        // A thread of its own: the caller may stand inside a runtime.
        std::thread::scope(|scope| {
            let work = || chosen.map(|it| self.one_test(program, it)).collect();
            scope.spawn(work).join().expect("a panic of a test is its failure")
        })
    }

    fn one_test(&self, program: &Checked, test: &Test) -> TestResult {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime without input and output needs nothing of the system");
        let around = self.around(CancellationToken::new());
        let span = tracing::error_span!(target: "svc", "test", test = %test.name);
        let tested = runtime.block_on(run::test(program, test, around).instrument(span));
        result(program, test, tested)
    }
}

fn result(program: &Checked, test: &Test, tested: Tested) -> TestResult {
    let (mut problems, mut elsewhere) = (Vec::new(), Vec::new());
    for failure in tested.failures {
        let (source, problem) = told(&program.source, failure);
        match source {
            Some(source) if source.name() != program.source.name() => {
                elsewhere.push(Report::new(source, vec![problem]));
            }
            _ => problems.push(problem),
        }
    }
    let mut report = Report::new(program.source.clone(), problems);
    report.used = elsewhere;
    TestResult { name: test.name.to_string(), report, usage: tested.usage, took: tested.took }
}

fn told(script: &Source, failure: TestFailure) -> (Option<Source>, Problem) {
    match failure {
        TestFailure::Run(err) => (err.source.clone(), run_problem(&err)),
        TestFailure::Unmocked { op, span, source } => {
            let short = op.script_name();
            let problem = Problem::error(Code::E415, span, format!("`{short}` has no mock"))
                .label("not pure, so no test calls it")
                .help(format!("say what it gives: `mock {short} = ..`"));
            (Some(source), problem)
        }
        TestFailure::Expect { span, sides } => (None, unmet(script, span, &sides)),
    }
}

/// An expectation that does not hold, with what its sides are.
fn unmet(script: &Source, span: Span, sides: &[(Span, Value)]) -> Problem {
    // A literal says itself what it is.
    let says_more = |(span, value): &&(Span, Value)| {
        let written = script.text().get(span.range()).unwrap_or_default();
        written != value.to_string() && written != shown(value)
    };
    let mut labels =
        sides.iter().filter(says_more).map(|(span, value)| (*span, format!("is {}", shown(value))));
    // The whole is not marked beside its parts: nobody could tell which one is meant.
    let (first, text) = labels.next().unwrap_or_else(|| (span, "is false".to_owned()));
    let problem = Problem::error(Code::E414, first, "this does not hold")
        .label(text)
        .help("mend the script, or expect what it really gives");
    labels.fold(problem, |it, (span, text)| it.also(span, text))
}

/// A value as JSON, as much of it as fits beside a line.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = json::write(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
