//! `svc check`: reports every problem in scripts, without running them.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::check::{CheckJson, counted, summary};
use svc_engine::output::verdict::Verdict;
use svc_lang::{
    check::Checked,
    diag::{Report, Style, visible, visible_line},
};

use super::{
    Session,
    again::{self, WatchArgs},
    exit::{Failure, INVALID, OK, Result, answered},
    policy::Rules,
    script,
    scripts::{Quiet, Scripts},
    terminal,
};

/// Report every problem in scripts, without running them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Check {
    /// The scripts, and folders with scripts; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object: problems, types, effects, fixes (`svc schema check`).
    #[arg(long)]
    json: bool,
    /// Treat the scripts as untrusted: they can use no files outside their own folder.
    #[arg(long)]
    untrusted: bool,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    watch: WatchArgs,
    #[command(flatten)]
    rules: Rules,
}

const EXAMPLES: &str = "Examples:
  svc check report.svc
  svc check examples/*.svc
  svc check .                  every script below this folder, with totals
  svc check . --watch          again after every change
  svc check --json report.svc | jq '.files[].problems[].message'
  svc check foreign.svc --untrusted --deny reads

The exit code is 7 if a script has errors or holes, and 6 if a file does not exist; the first file
that is not ok determines the exit code.";

/// The result of checking one file.
enum Outcome {
    Unreadable(Failure),
    Wrong(Report),
    Fine(Box<Checked>),
}

impl Check {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let round = async || again::ended_by_signals(|| answered(self.json, self.check(session)));
        again::repeat(session, self.watch, &self.files, round).await
    }

    fn check(&self, session: &Session) -> Result<u8> {
        let mut code = OK;
        let session = &session.trusting(!self.untrusted);
        let scripts = Scripts::find(session.engine.host(), &self.files)?;
        let first = scripts.files.first().map_or(Path::new("."), |it| it);
        let policy = self.rules.read(&session.at(first)?)?;
        let of_file = |file: &Path| {
            let session = session.at(file)?;
            let engine = session.engine.with_policy(policy.clone());
            Ok(Session { engine, ..session })
        };
        if self.json {
            let judge = |it: &PathBuf| of_file(it).map(|session| judge(&session, it, &mut code));
            let files: Vec<Verdict> = scripts.files.iter().map(judge).collect::<Result<_>>()?;
            terminal::print_json(&CheckJson { files })?;
            return Ok(code);
        }
        let mut wrong = 0;
        for file in &scripts.files {
            let session = &of_file(file)?;
            let outcome = look(session, file);
            first_decides(&mut code, outcome.code());
            wrong += usize::from(outcome.code() != OK);
            outcome.print(&file.display().to_string(), self.quiet.quiet, session)?;
        }
        if scripts.has_folder && !self.quiet.quiet {
            terminal::print(&totals(scripts.files.len(), wrong))?;
        }
        Ok(code)
    }
}

/// `3 scripts: 2 ok, 1 with errors`
fn totals(all: usize, wrong: usize) -> String {
    format!("{}: {} ok, {wrong} with errors\n", counted(all, "script"), all - wrong)
}

fn judge(session: &Session, file: &Path, code: &mut u8) -> Verdict {
    match script::read(session.engine.host(), file) {
        Ok(source) => {
            let verdict = session.engine.verdict(source);
            first_decides(code, if verdict.ok { OK } else { INVALID });
            verdict
        }
        Err(failure) => {
            first_decides(code, failure.code);
            Verdict::unreadable(file.display().to_string(), failure.message)
        }
    }
}

fn first_decides(code: &mut u8, next: u8) {
    if *code == OK {
        *code = next;
    }
}

fn look(session: &Session, file: &Path) -> Outcome {
    let source = match script::read(session.engine.host(), file) {
        Ok(source) => source,
        Err(failure) => return Outcome::Unreadable(failure),
    };
    match session.engine.check(source) {
        Ok(program) => Outcome::Fine(Box::new(program)),
        Err(report) => Outcome::Wrong(report),
    }
}

impl Outcome {
    fn code(&self) -> u8 {
        match self {
            Self::Unreadable(failure) => failure.code,
            Self::Wrong(_) => INVALID,
            Self::Fine(_) => OK,
        }
    }

    fn print(&self, name: &str, is_quiet: bool, session: &Session) -> Result<()> {
        let (style, name) = (session.terminal.out.style(), visible_line(name));
        match self {
            Self::Unreadable(failure) => {
                failure.report(session.terminal);
                Ok(())
            }
            Self::Wrong(report) => {
                let errors: Vec<_> = report.all().filter(|(_, it)| it.is_error()).collect();
                let count = if report.is_sketch() {
                    format!("a sketch with {}", counted(errors.len(), "hole"))
                } else {
                    counted(errors.len(), "error")
                };
                terminal::print(terminal::styled(&format!(
                    "{}{name}: {count}\n\n",
                    drawn(report, style)
                )))?;
                if session.terminal.out.is_terminal
                    && let Some((_, first)) = errors.first()
                {
                    session
                        .terminal
                        .note(&format!("for more information, run `svc explain {}`", first.code));
                }
                Ok(())
            }
            Self::Fine(program) if is_quiet => {
                terminal::print(terminal::styled(&drawn(&program.warnings, style)))
            }
            Self::Fine(program) => {
                let warnings = drawn(&program.warnings, style);
                let verdict = summary(program);
                let text = format!("{warnings}{name}: {}\n", visible(&verdict));
                terminal::print(terminal::styled(&text))
            }
        }
    }
}

/// The rendered problems, each followed by an empty line.
fn drawn(report: &Report, style: Style) -> String {
    if report.all().next().is_none() { String::new() } else { report.render(style) + "\n" }
}
