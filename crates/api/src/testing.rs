//! The results of tests as JSON: `svc test --json`.

use serde::Serialize;
use svc_engine::{
    Engine, TestResult,
    output::verdict::{Problem, problems},
};
use svc_lang::diag::{Report, Source};

/// The results of the tests of several files.
#[derive(Default, Serialize)]
pub struct TestsJson {
    pub passed: usize,
    pub failed: usize,
    files: Vec<FileJson>,
}

#[derive(Default, Serialize)]
struct FileJson {
    file: String,
    /// The reason why no test was run.
    error: Option<String>,
    problems: Vec<Problem>,
    tests: Vec<TestJson>,
}

#[derive(Serialize)]
struct TestJson {
    name: String,
    passed: bool,
    problems: Vec<Problem>,
    /// Dollars, as the language writes them.
    cost: String,
    tokens: u64,
    /// Simulated seconds.
    seconds: f64,
}

impl TestsJson {
    /// Adds a file that cannot be read.
    pub fn add_unreadable(&mut self, file: String, error: String) {
        self.files.push(FileJson { file, error: Some(error), ..FileJson::default() });
    }

    /// Adds a script with errors.
    pub fn add_invalid(&mut self, file: String, report: &Report) {
        let problems = problems(report);
        self.files.push(FileJson { file, problems, ..FileJson::default() });
    }

    /// Adds the results of a file, and returns the number of tests that failed.
    pub fn add(&mut self, file: &str, results: &[TestResult]) -> usize {
        let passed = results.iter().filter(|it| it.passed()).count();
        let failed = results.len() - passed;
        self.passed += passed;
        self.failed += failed;
        let tests = results.iter().map(TestJson::new).collect();
        let file = file.to_owned();
        self.files.push(FileJson { file, tests, ..FileJson::default() });
        failed
    }
}

impl TestJson {
    fn new(result: &TestResult) -> Self {
        Self {
            name: result.name.clone(),
            passed: result.passed(),
            problems: problems(&result.report),
            cost: result.usage.cost.to_string(),
            tokens: result.usage.tokens,
            seconds: result.took.as_secs_f64(),
        }
    }
}

/// Whether a test passes at the end of its script.
pub fn passes(engine: &Engine, script: &Source, test: &str) -> bool {
    let whole = script.with_text(format!("{}\n\n{test}", script.text()));
    engine.check(whole).is_ok_and(|it| engine.test(&it, "").last().is_some_and(TestResult::passed))
}
