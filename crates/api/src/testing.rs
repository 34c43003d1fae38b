//! The results of tests as JSON: `svc test --json`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_engine::{
    Engine, TestResult,
    output::{
        estimates::millis,
        verdict::{Problem, problems},
    },
};
use svc_lang::diag::{Report, Source};

use crate::schemas;

/// The results of the tests of several files.
#[derive(Default, JsonSchema, Serialize)]
pub struct TestsJson {
    pub passed: usize,
    pub failed: usize,
    files: Vec<FileJson>,
}

#[derive(Default, JsonSchema, Serialize)]
struct FileJson {
    file: String,
    /// The reason why no test was run.
    error: Option<String>,
    #[schemars(schema_with = "schemas::problems")]
    problems: Vec<Problem>,
    tests: Vec<TestJson>,
}

#[derive(JsonSchema, Serialize)]
struct TestJson {
    name: String,
    passed: bool,
    #[schemars(schema_with = "schemas::problems")]
    problems: Vec<Problem>,
    /// Dollars, as the language writes them.
    cost: String,
    tokens: u64,
    /// The simulated time in milliseconds.
    took: f64,
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
            took: millis(result.took),
        }
    }
}

/// Whether a test passes at the end of its script.
pub fn passes(engine: &Engine, script: &Source, test: &str) -> bool {
    let whole = script.with_text(format!("{}\n\n{test}", script.text()));
    engine.check(whole).is_ok_and(|it| engine.test(&it, "").last().is_some_and(TestResult::passed))
}
