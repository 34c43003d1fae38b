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
use crate::run::{self, TestFailure, Tested, Unmocked, UnusedMock};

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
    ///
    /// A mock that no call uses is a warning: of the test, or of the last one for a mock of the
    /// file that no test uses.
    pub fn test(&self, program: &Checked, filter: &str) -> Vec<TestResult> {
        let chosen = program.tests.iter().filter(|it| it.name.contains(filter));
        // A separate thread: the caller may be inside a runtime.
        let tested: Vec<(&TypedTest, Tested)> = std::thread::scope(|scope| {
            let work = || chosen.map(|it| (it, self.one_test(program, it))).collect();
            scope.spawn(work).join().expect("a panic of a test is its failure")
        });
        let are_all = tested.len() == program.tests.len();
        let unused = if are_all { unused_in_file(&tested) } else { Vec::new() };
        let results = tested.into_iter().map(|(test, it)| result(program, test, it));
        let mut results: Vec<TestResult> = results.collect();
        if let Some(last) = results.last_mut() {
            last.report.problems.extend(unused);
        }
        for result in &mut results {
            self.hints.word(&mut result.report);
        }
        results
    }

    fn one_test(&self, program: &Checked, test: &TypedTest) -> Tested {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime without I/O needs no system resources");
        let around = self.around(CancellationToken::new());
        let span = tracing::error_span!(target: "svc", "test", test = %test.name);
        runtime.block_on(run::test(program, test, around).instrument(span))
    }
}

/// The mocks of the file that no test uses.
fn unused_in_file(tested: &[(&TypedTest, Tested)]) -> Vec<Problem> {
    let Some(((_, first), others)) = tested.split_first() else { return Vec::new() };
    let is_unused = |mock: &&UnusedMock| {
        others.iter().all(|(_, it)| it.unused.iter().any(|it| it.span == mock.span))
    };
    let of_file = first.unused.iter().filter(|it| !it.is_own);
    of_file.filter(is_unused).map(|it| unused_mock(it, "no test uses it")).collect()
}

fn unused_mock(mock: &UnusedMock, why: &str) -> Problem {
    let name = mock.op.script_name();
    Problem::warning(Code::E416, mock.span, format!("unused mock of `{name}`"))
        .label(why)
        .help("remove it, or correct its arguments and type")
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
    // The failure may be the reason why a mock was not reached.
    if problems.is_empty() && elsewhere.is_empty() {
        let own = tested.unused.iter().filter(|it| it.is_own);
        problems.extend(own.map(|it| unused_mock(it, "no call uses it")));
    }
    let mut report = Report::new(program.source.clone(), problems);
    report.used = elsewhere;
    TestResult { name: test.name.to_string(), report, usage: tested.usage, took: tested.took }
}

fn test_problem(script: &Source, failure: TestFailure) -> (Option<Source>, Problem) {
    match failure {
        TestFailure::Run(err) => (err.source.clone(), run_problem(&err)),
        TestFailure::Unmocked(it) => (Some(it.source.clone()), unmocked(script, &it)),
        TestFailure::Expect { span, sides } => (None, unmet(script, span, &sides)),
        TestFailure::Fails { span, instead } => {
            let what = match instead {
                Ok(value) => format!("does not fail: is {}", shown(&value)),
                Err(error) => format!("fails with the kind `{}`: {error}", error.kind.name()),
            };
            let problem = Problem::error(Code::E414, span, "this does not fail as expected");
            (None, problem.label(what).help("fix the script, or expect what happens"))
        }
    }
}

fn unmocked(script: &Source, call: &Unmocked) -> Problem {
    let short = call.op.script_name();
    let Some((mock, why)) = &call.near else {
        return Problem::error(Code::E415, call.span, format!("`{short}` has no mock"))
            .label("not pure, so no test calls it")
            .help(format!("add a mock: `mock {short} = ..`"));
    };
    let message = format!("no mock of `{short}` matches this call");
    let problem = Problem::error(Code::E415, call.span, message).label("this call");
    let problem = if call.source.name() == script.name() {
        problem.also(*mock, why.clone())
    } else {
        problem.label(why.clone())
    };
    problem.help(format!("change the mock, or add one for every call: `mock {short} = ..`"))
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
