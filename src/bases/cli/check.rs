//! `svc check`: everything that is wrong with scripts, without running them.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{
    Session,
    exit::{Failure, INVALID, OK, Result},
    json::{self, InputJson, ProblemJson},
    script, terminal,
};
use crate::{
    check::Checked,
    diag::{Report, Style},
};

/// Find every mistake in scripts, without running them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Check {
    /// The scripts; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object with all problems, spans and fixes.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc check report.svc
  svc check examples/*.svc
  svc check --json report.svc | jq '.files[].problems[].message'

Exits with 7 when a script has errors and with 6 when a file does not exist; the first
file that is not ok decides.";

/// What became of one file.
enum Outcome {
    Unreadable(Failure),
    Wrong(Report),
    Fine(Box<Checked>),
}

#[derive(Serialize)]
struct FilesJson {
    files: Vec<FileJson>,
}

#[derive(Default, Serialize)]
struct FileJson {
    file: String,
    ok: bool,
    /// Why the file could not be read.
    error: Option<String>,
    problems: Vec<ProblemJson>,
    inputs: Vec<InputJson>,
    gives: Option<String>,
}

impl Check {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let (mut code, mut files) = (OK, Vec::new());
        for file in &self.files {
            let outcome = look(session, file);
            code = if code == OK { outcome.code() } else { code };
            let name = file.display().to_string();
            if self.json {
                files.push(outcome.json(name));
            } else {
                outcome.print(&name, session)?;
            }
        }
        if self.json {
            terminal::print_json(&FilesJson { files })?;
        }
        Ok(code)
    }
}

fn look(session: &Session, file: &std::path::Path) -> Outcome {
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

    fn print(&self, name: &str, session: &Session) -> Result<()> {
        let style = session.terminal.out.style();
        match self {
            Self::Unreadable(failure) => {
                failure.tell(session.terminal);
                Ok(())
            }
            Self::Wrong(report) => {
                let errors = counted(report.errors().count(), "error");
                terminal::print(&format!("{}{name}: {errors}\n\n", drawn(report, style)))?;
                if session.terminal.out.is_terminal
                    && let Some(first) = report.errors().next()
                {
                    session.terminal.note(&format!("`svc explain {}` says more", first.code));
                }
                Ok(())
            }
            Self::Fine(program) => {
                let warnings = drawn(&program.warnings, style);
                terminal::print(&format!("{warnings}{name}: {}\n", verdict(program)))
            }
        }
    }

    fn json(&self, file: String) -> FileJson {
        let problems = |report: &Report| {
            report.problems.iter().map(|it| ProblemJson::new(it, &report.source)).collect()
        };
        match self {
            Self::Unreadable(failure) => {
                FileJson { file, error: Some(failure.message.clone()), ..FileJson::default() }
            }
            Self::Wrong(report) => {
                FileJson { file, problems: problems(report), ..FileJson::default() }
            }
            Self::Fine(program) => FileJson {
                file,
                ok: true,
                error: None,
                problems: problems(&program.warnings),
                inputs: json::inputs(program),
                gives: json::gives(program),
            },
        }
    }
}

/// The problems with their lines, and an empty line after each.
fn drawn(report: &Report, style: Style) -> String {
    if report.problems.is_empty() { String::new() } else { report.render(style) + "\n" }
}

/// `ok, gives Summary`, and how many warnings there are.
fn verdict(program: &Checked) -> String {
    let gives = match json::gives(program) {
        Some(ty) => format!("gives {ty}"),
        None => "only defines flows and types".to_owned(),
    };
    match program.warnings.problems.len() {
        0 => format!("ok, {gives}"),
        n => format!("ok, {gives}, {}", counted(n, "warning")),
    }
}

fn counted(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
