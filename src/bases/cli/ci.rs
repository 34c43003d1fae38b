//! `svc ci`: what a pull request needs, with reports for the systems that show them.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use svc_api::{
    check::counted,
    ci::{
        Base, BaseError, Demands, Examined, Growth, Level, Limits, Outcome, State, StepKind,
        examine, github, json::CiJson, junit, sarif,
    },
};
use svc_contract::{host::Host, registry::OpError, value::Money};
use svc_lang::diag::{visible, visible_line};

use super::{
    Session,
    again::ended_by_signals,
    exit::{FAILED, Failure, INVALID, NOT_FOUND, OK, Result, answered},
    given,
    policy::Rules,
    script,
    scripts::{Quiet, Scripts},
    terminal::{self, Ink},
    verify::public_key,
};

/// Check format, problems, tests and limits for a pull request.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Ci {
    /// The scripts, and folders with scripts.
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    paths: Vec<PathBuf>,
    /// Examine only scripts that have changed since the git revision BASE, or that use something
    /// that has, and compare their estimates.
    #[arg(long, value_name = "BASE")]
    changed: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Demand a certificate next to every script with a pipeline: `x.cert.json` for `x.svc`. One that
    /// exists is always verified.
    #[arg(long)]
    certified: bool,
    /// Demand that certificates are signed with this public Ed25519 key, a file in PEM.
    #[arg(long, value_name = "KEY")]
    certificate_key: Option<PathBuf>,
    /// Write the outcome as `JUnit` XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Print annotations for GitHub Actions; the default where `GITHUB_ACTIONS` is set.
    #[arg(long)]
    github: bool,
    /// Print one JSON object with the steps of every script.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    rules: Rules,
}

/// Limits on what one run of a script may take at most, by its estimate.
#[derive(Args)]
#[command(next_help_heading = "Limits on each script")]
struct LimitArgs {
    /// The most that a run may cost.
    #[arg(long, value_name = "DOLLARS", value_parser = given::money, allow_negative_numbers = true)]
    max_cost: Option<Money>,
    /// The most tokens of a run.
    #[arg(long, value_name = "N", value_parser = given::tokens, allow_negative_numbers = true)]
    max_tokens: Option<u64>,
    /// The most time of a run: `30s`, `5m`.
    #[arg(long, value_name = "TIME", value_parser = given::duration)]
    max_time: Option<Duration>,
    /// The most calls of a run, without those that are inline.
    #[arg(long, value_name = "N", value_parser = given::tokens, allow_negative_numbers = true)]
    max_calls: Option<u64>,
    /// The most that an estimate may grow since BASE: `20%` of cost, tokens, time and calls, or
    /// `$0.10` of cost. Can be repeated; each limit holds.
    #[arg(long = "max-growth", value_name = "LIMIT", requires = "changed")]
    growth: Vec<Growth>,
}

const EXAMPLES: &str = "Examples:
  svc ci                       every script below this folder
  svc ci flows --max-cost 0.50 --max-time 5m
  svc ci --changed origin/main --max-growth 20%
  svc ci --junit junit.xml --sarif svc.sarif
  svc ci --deny runs --json | jq '.scripts[] | select(.ok | not).file'

Each script passes these steps: it is formatted, has no errors, its tests pass, its certificate
holds if it has one, and its estimate keeps the limits. With --changed it must not grow beyond --max-growth, and new effects are
reported. Nothing runs but tests, which have no effects.

With GITHUB_STEP_SUMMARY in the environment, a summary is added to that file.

The exit code is 7 if a script has errors, 6 if a file, git, the repository or BASE is not found,
and 1 if another step fails; the first script that is not ok determines it.";

impl Ci {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let done = self.run(session).await;
        answered(self.json, done)
    }

    async fn run(&self, session: &Session) -> Result<u8> {
        let host = session.engine.host();
        let scripts = Scripts::find(host, &self.paths)?;
        let session = &self.rules.with_rules(session)?;
        let demands = self.demands(session).await?;
        let (outcome, code) = ended_by_signals(|| Ok(examined(session, &scripts, &demands)))?;
        self.report(&outcome, session)?;
        Ok(code)
    }

    async fn demands(&self, session: &Session) -> Result<Demands> {
        let LimitArgs { max_cost, max_tokens, max_time, max_calls, growth } = &self.limits;
        let host = session.engine.host();
        let base = match &self.changed {
            Some(name) => Some(Base::read(host, name, &self.folder(host)).await.map_err(no_base)?),
            None => None,
        };
        let limits =
            Limits { cost: *max_cost, tokens: *max_tokens, time: *max_time, calls: *max_calls };
        let key = self.certificate_key.as_deref().map(|it| public_key(host, it)).transpose()?;
        let (growth, certified) = (growth.clone(), self.certified || key.is_some());
        Ok(Demands { limits, growth, base, certified, key })
    }

    /// The folder whose repository is compared: that of the first path.
    fn folder(&self, host: &dyn Host) -> PathBuf {
        let first = self.paths.first().map_or(Path::new("."), PathBuf::as_path);
        let is_folder = host.stat(first).is_ok_and(|it| it.is_dir);
        let folder = if is_folder { Some(first) } else { first.parent() };
        folder.filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
    }

    fn report(&self, outcome: &Outcome, session: &Session) -> Result<()> {
        let host = session.engine.host();
        if let Some(file) = &self.junit {
            write(host, file, &junit::report(outcome)?)?;
        }
        if let Some(file) = &self.sarif {
            let report = sarif::report(outcome, env!("CARGO_PKG_VERSION"));
            write(host, file, &format!("{report:#}\n"))?;
        }
        if let Some(file) = host.env("GITHUB_STEP_SUMMARY").filter(|it| !it.is_empty()) {
            add(host, Path::new(&file), &github::summary(outcome))?;
        }
        let is_github =
            self.github || host.env("GITHUB_ACTIONS").is_some_and(|it| it == "true" || it == "1");
        let annotations = if is_github { github::annotations(outcome) } else { String::new() };
        if self.json {
            // GitHub reads both streams.
            terminal::print_err(&annotations);
            return terminal::print_json(&CiJson::of(outcome));
        }
        // What scripts contain must not be read as a command of the workflow.
        let mark = is_github.then(|| mark(host));
        if let Some(mark) = &mark {
            terminal::print(&format!("::stop-commands::{mark}\n"))?;
        }
        self.show(outcome, session)?;
        if let Some(mark) = &mark {
            terminal::print(&format!("::{mark}::\n"))?;
        }
        terminal::print(&annotations)
    }

    /// Prints the outcome for people.
    fn show(&self, outcome: &Outcome, session: &Session) -> Result<()> {
        for script in &outcome.scripts {
            if script.state == State::Unaffected || (self.quiet.quiet && !has_problems(script)) {
                continue;
            }
            terminal::print(terminal::styled(&drawn(script, session)))?;
        }
        if self.quiet.quiet {
            return Ok(());
        }
        for path in &outcome.deleted {
            terminal::print(&format!("{}: removed\n", visible_line(path)))?;
        }
        let failed = outcome.scripts.iter().filter(|it| it.has_failed()).count();
        let sum = github::sentence(outcome);
        terminal::print(&format!(
            "{}: {} ok, {failed} failed\n",
            visible(&sum),
            outcome.examined() - failed
        ))
    }
}

fn has_problems(script: &Examined) -> bool {
    script.findings().any(|it| it.level != Level::Note)
}

/// Examines all scripts; the first one that is not ok determines the exit code.
fn examined(session: &Session, scripts: &Scripts, demands: &Demands) -> (Outcome, u8) {
    let (mut outcome, mut code) = (Outcome::since(demands.base.as_ref()), OK);
    for file in &scripts.files {
        let (script, own) = match script::read(session.engine.host(), file) {
            Ok(source) => {
                let script = examine(&session.engine, &source, demands);
                let own = match script.has_failed() {
                    true if script.is_invalid() => INVALID,
                    true => FAILED,
                    false => OK,
                };
                (script, own)
            }
            Err(failure) => {
                let name = file.display().to_string();
                (Examined::unreadable(name, failure.message.clone()), failure.code)
            }
        };
        code = if code == OK { own } else { code };
        outcome.scripts.push(script);
    }
    (outcome, code)
}

/// A line with the verdict on a script, after its problems.
fn drawn(script: &Examined, session: &Session) -> String {
    let out = session.terminal.out;
    let name = visible_line(&script.file).into_owned();
    let mut text = String::new();
    for step in &script.steps {
        if let Some(report) = &step.report {
            if let StepKind::Test(test) = &step.kind {
                text += &format!("{name}: test \"{}\"\n", visible_line(test));
            }
            text += &report.render(out.style());
            text.push('\n');
            continue;
        }
        for it in &step.findings {
            let word = match it.level {
                Level::Error => out.paint("error:", Ink::Red),
                Level::Warning | Level::Note => {
                    out.paint(&format!("{}:", it.level.name()), Ink::Cyan)
                }
            };
            let place = it.place.as_ref().map(|at| format!(":{}", at.line)).unwrap_or_default();
            text += &format!("{name}{place}: {word} {}\n", visible(&it.message));
            if let Some(help) = it.help.as_deref().filter(|_| it.level != Level::Note) {
                text += &format!("  {} {}\n", out.paint("help:", Ink::Cyan), visible(help));
            }
        }
    }
    let word = if script.has_failed() {
        out.paint("FAILED", Ink::Red)
    } else {
        out.paint("ok", Ink::Cyan)
    };
    let (passed, failed) = script.tests();
    let tests = counted(passed + failed, "test");
    let state = match &script.state {
        State::New => ", new",
        State::Changed { renamed_from: Some(_) } => ", renamed",
        State::UsesChanged => ", uses something that has changed",
        _ => "",
    };
    text += &format!("{name}: {word}, {tests}{state}\n");
    text
}

/// A word that nothing printed before can contain.
fn mark(host: &dyn Host) -> String {
    let mut bytes = [0; 16];
    // Without it the word is known, but still no command of the workflow.
    let _ = host.random(&mut bytes);
    format!("{:032x}", u128::from_le_bytes(bytes))
}

fn write(host: &dyn Host, file: &Path, text: &str) -> Result<()> {
    let written = host.write(file, text.as_bytes());
    written.map_err(|err| Failure::reading(OpError::io(err, file)))
}

/// The largest summary that GitHub shows.
const LARGEST_SUMMARY: u64 = 1 << 20;

fn add(host: &dyn Host, file: &Path, text: &str) -> Result<()> {
    let added = host.append(file, text.as_bytes(), LARGEST_SUMMARY);
    added.map_err(|err| Failure::reading(OpError::io(err, file)))
}

fn no_base(err: BaseError) -> Failure {
    let failure = Failure::new(NOT_FOUND, err.message);
    match err.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}
