//! Runs the tests of a script: the same engine, with a simulated clock.

use std::time::Duration;

use svc_contract::{
    registry::Usage,
    value::{Value, json},
};
use svc_lang::{
    check::{Checked, TypedTest},
    diag::{Code, Problem, Report, Source, Span},
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{Engine, error::run_problem};
use crate::run::{self, TestFailure, Tested};

/// The result of one test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestResult {
    pub name: String,
    /// Empty if the test passed. A failure in a used file is reported for that file.
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
    /// Runs the tests whose names contain `filter`, one after the other.
    ///
    /// Pure components run; others are never called: they are mocked, or the test fails.
    /// Waiting takes no time, because every test has its own simulated clock.
    pub fn test(&self, program: &Checked, filter: &str) -> Vec<TestResult> {
        let chosen = program.tests.iter().filter(|it| it.name.contains(filter));
        // A separate thread: the caller may be inside a runtime.
        std::thread::scope(|scope| {
            let work = || chosen.map(|it| self.one_test(program, it)).collect();
            scope.spawn(work).join().expect("a panic of a test is its failure")
        })
    }

    fn one_test(&self, program: &Checked, test: &TypedTest) -> TestResult {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime without I/O needs no system resources");
        let around = self.around(CancellationToken::new());
        let span = tracing::error_span!(target: "svc", "test", test = %test.name);
        let tested = runtime.block_on(run::test(program, test, around).instrument(span));
        let mut result = result(program, test, tested);
        self.hints.word(&mut result.report);
        result
    }
}

fn result(program: &Checked, test: &TypedTest, tested: Tested) -> TestResult {
    let (mut problems, mut elsewhere) = (Vec::new(), Vec::new());
    for failure in tested.failures {
        let (source, problem) = test_problem(&program.source, failure);
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

fn test_problem(script: &Source, failure: TestFailure) -> (Option<Source>, Problem) {
    match failure {
        TestFailure::Run(err) => (err.source.clone(), run_problem(&err)),
        TestFailure::Unmocked { op, span, source } => {
            let short = op.script_name();
            let problem = Problem::error(Code::E415, span, format!("`{short}` has no mock"))
                .label("not pure, so no test calls it")
                .help(format!("add a mock: `mock {short} = ..`"));
            (Some(source), problem)
        }
        TestFailure::Expect { span, sides } => (None, unmet(script, span, &sides)),
    }
}

/// The problem for an expectation that does not hold, with the values of its sides.
fn unmet(script: &Source, span: Span, sides: &[(Span, Value)]) -> Problem {
    // The value of a literal is obvious.
    let says_more = |(span, value): &&(Span, Value)| {
        let written = script.text().get(span.range()).unwrap_or_default();
        written != value.to_string() && written != shown(value)
    };
    let mut labels =
        sides.iter().filter(says_more).map(|(span, value)| (*span, format!("is {}", shown(value))));
    // The whole expression is not marked next to its parts: the labels would be ambiguous.
    let (first, text) = labels.next().unwrap_or_else(|| (span, "is false".to_owned()));
    let problem = Problem::error(Code::E414, first, "this does not hold")
        .label(text)
        .help("fix the script, or expect the actual value");
    labels.fold(problem, |it, (span, text)| it.also(span, text))
}

/// A value as JSON, cut to fit next to a line.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = json::write(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
