//! `svc test`: runs the tests of scripts.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::{
    check::counted,
    testing::{TestsJson, passes},
};
use svc_contract::value::{Money, units};
use svc_engine::{Engine, TestResult};
use svc_lang::diag::visible_line;

use super::{
    Session,
    again::{self, WatchArgs},
    exit::{FAILED, Failure, INVALID, OK, Result, answered},
    given,
    keeping::{self, StoreArgs},
    script,
    scripts::{Quiet, Scripts},
    terminal::{self, Ink},
};

/// Run the tests of scripts, without effects on the outside world.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Test {
    /// The scripts, and folders with scripts; `-` is standard input.
    #[arg(required_unless_present = "from_run", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print this run as a test: it mocks the calls with their results and expects the result
    /// of the run.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["files", "filter", "json", "watch"])]
    from_run: Option<String>,
    /// Run only the tests whose names contain TEXT.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// The maximum memory for the values of a test: `500MB`.
    #[arg(long, value_name = "SIZE", value_parser = given::size)]
    max_memory: Option<u64>,
    /// Print one JSON object with the result of every test.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    watch: WatchArgs,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc test triage.svc
  svc test examples/*.svc --filter billing
  svc test .                   the tests of every script below this folder
  svc test . --watch --quiet   again after every change; only the tests that fail
  svc test std:panel
  svc test --from-run last >> triage.svc
  svc test triage.svc --json | jq '.files[].tests[] | select(.passed | not)'

Pure components run; a component that reads, writes or spends needs a `mock`, or the test
fails. Time is simulated: retries and timeouts take no real time.

The exit code is 1 if a test fails, and 7 if a script has errors.";

/// The totals over all files.
struct Tally {
    code: u8,
    results: TestsJson,
}

impl Test {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        if let Some(run) = &self.from_run {
            return self.of_run(run, session);
        }
        let engine = session.engine.clone();
        let engine = self.max_memory.into_iter().fold(engine, Engine::max_memory);
        let session = &Session { engine, ..*session };
        let round = async || again::ended_by_signals(|| answered(self.json, self.test(session)));
        again::repeat(session, self.watch, &self.files, round).await
    }

    fn test(&self, session: &Session) -> Result<u8> {
        let scripts = Scripts::find(session.engine.host(), &self.files)?;
        let mut tally = Tally { code: OK, results: TestsJson::default() };
        for file in &scripts.files {
            self.file(&session.at(file)?, file, &mut tally)?;
        }
        if self.json {
            terminal::print_json(&tally.results)?;
        } else {
            self.totals(&tally, &scripts, session)?;
        }
        Ok(tally.code)
    }

    fn totals(&self, tally: &Tally, scripts: &Scripts, session: &Session) -> Result<()> {
        let (passed, failed) = (tally.results.passed, tally.results.failed);
        if passed + failed == 0 && tally.code == OK {
            let message = match self.filter.as_str() {
                "" => "no tests found: add `test \"name\" { let r = ..  expect r == .. }`",
                _ => "no test name contains the filter",
            };
            session.terminal.note(message);
        } else if passed + failed > 0 && !self.quiet.quiet {
            let among = if scripts.has_folder {
                format!(" in {}", counted(scripts.files.len(), "script"))
            } else {
                String::new()
            };
            terminal::print(&format!("{passed} passed, {failed} failed{among}\n"))?;
        }
        Ok(())
    }

    /// Prints a run as a test, with a note if that test does not pass.
    fn of_run(&self, run: &str, session: &Session) -> Result<u8> {
        let engine = self.keeping.engine(session)?;
        let (source, test) = engine.test_of(run).map_err(keeping::failure)?;
        terminal::print_data(&test)?;
        if !passes(&engine, &source, &test) {
            session.terminal.note("the test does not pass: equal calls returned different results, or a value has no literal");
        }
        Ok(OK)
    }

    fn file(&self, session: &Session, file: &Path, tally: &mut Tally) -> Result<()> {
        let name = file.display().to_string();
        let source = match script::read_tests(session.engine.host(), file) {
            Ok(source) => source,
            Err(failure) => {
                self.unreadable(session, name, &failure, tally);
                return Ok(());
            }
        };
        let program = match session.engine.check(source) {
            Ok(program) => program,
            Err(report) => {
                if self.json {
                    tally.results.add_invalid(name, &report);
                } else {
                    terminal::print_err(terminal::styled(
                        &report.render(session.terminal.err.style()),
                    ));
                }
                tally.fails_with(INVALID);
                return Ok(());
            }
        };
        let mut results = session.engine.test(&program, &self.filter);
        if tally.results.add(&name, &results) > 0 {
            tally.fails_with(FAILED);
        }
        if self.json {
            return Ok(());
        }
        results.retain(|it| !self.quiet.quiet || !it.passed());
        terminal::print(terminal::styled(&render(&name, &results, session)))
    }

    fn unreadable(&self, session: &Session, file: String, failure: &Failure, tally: &mut Tally) {
        tally.fails_with(failure.code);
        if self.json {
            tally.results.add_unreadable(file, failure.message.clone());
        } else {
            failure.report(session.terminal);
        }
    }
}

impl Tally {
    /// Sets the exit code, unless an earlier failure did.
    fn fails_with(&mut self, code: u8) {
        if self.code == OK {
            self.code = code;
        }
    }
}

/// One line per test, followed by the problems of a failed test.
fn render(file: &str, results: &[TestResult], session: &Session) -> String {
    let out = session.terminal.out;
    let mut text = String::new();
    for result in results {
        let word = if result.passed() {
            out.paint("ok", Ink::Cyan)
        } else {
            out.paint("FAILED", Ink::Red)
        };
        let mut spent = String::new();
        if !result.took.is_zero() {
            spent.push_str(&format!(", {}", units::show_duration(result.took)));
        }
        if result.usage.tokens > 0 || result.usage.cost > Money::ZERO {
            spent.push_str(&format!(", {}", result.usage.cost));
        }
        let (file, name) = (visible_line(file), visible_line(&result.name));
        text.push_str(&format!("{file}: {name} ... {word}{spent}\n"));
        if !result.passed() {
            text.push_str(&result.report.render(out.style()));
        }
    }
    text
}
