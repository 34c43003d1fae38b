//! `svc fmt`: formats scripts.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::check::counted;
use svc_engine::Threads;
use svc_lang::{
    diag::{Report, Source, visible_line},
    syntax::{self, Formatted},
};

use super::{
    Session,
    exit::{FAILED, INVALID, OK, Result},
    script,
    scripts::{Quiet, Scripts},
    terminal,
};

/// Format scripts in the standard style.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Fmt {
    /// The scripts, and folders with scripts; `-` reads standard input and prints the formatted
    /// script.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List the scripts that would change without writing anything.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    quiet: Quiet,
}

/// What was done with one script.
struct Outcome {
    /// The exit code for this script alone.
    code: u8,
    has_changed: bool,
}

const EXAMPLES: &str = "Examples:
  svc fmt report.svc
  svc fmt .                    every script below this folder, with totals
  svc fmt --check examples/*.svc
  svc fmt - < draft.svc > report.svc

Statements with syntax errors are left unchanged. The exit code is 7 if there are any, 6 if
a file does not exist, and 1 if --check finds a script that would change; the first file
that is not ok determines the exit code.";

impl Fmt {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        script::only_stdin(&self.files)?;
        let scripts = Scripts::find(session.engine.host(), &self.files)?;
        let (mut code, mut changed) = (OK, 0);
        for file in &scripts.files {
            let done = self.format(session, file).unwrap_or_else(|failure| Outcome {
                code: failure.report(session.terminal),
                has_changed: false,
            });
            changed += usize::from(done.has_changed);
            code = if code == OK { done.code } else { code };
        }
        if scripts.has_folder && !self.quiet.quiet {
            let verb = if self.check { "would be formatted" } else { "formatted" };
            let all = counted(scripts.files.len(), "script");
            terminal::print(&format!("{all}: {changed} {verb}\n"))?;
        }
        Ok(code)
    }

    /// Formats one script.
    fn format(&self, session: &Session, file: &Path) -> Result<Outcome> {
        let source = script::read(session.engine.host(), file)?;
        let Formatted { text, problems } = syntax::format_with(source.text(), &Threads);
        let has_changed = text != source.text();
        if script::is_stdin(file) && !self.check {
            terminal::print_data(&text)?;
        } else if has_changed {
            self.write(session, file, &source, &text)?;
        }
        let left = Report::new(source, problems);
        let code = match left.has_errors() {
            true => INVALID,
            false if self.check && has_changed => FAILED,
            false => OK,
        };
        if left.has_errors() {
            report_left(session, &left);
        }
        Ok(Outcome { code, has_changed })
    }

    /// Writes the formatted text of a script, or only reports that it differs.
    fn write(&self, session: &Session, file: &Path, before: &Source, text: &str) -> Result<()> {
        let verb = if self.check { "would be formatted" } else { "formatted" };
        if !self.check {
            script::write(session.engine.host(), file, text)?;
        }
        // With `--check`, the list of scripts is the result.
        if self.quiet.quiet && !self.check {
            return Ok(());
        }
        terminal::print(&format!("{}: {verb}\n", visible_line(before.name())))
    }
}

/// Reports the statements that were not formatted because of syntax errors.
fn report_left(session: &Session, left: &Report) {
    terminal::print_err(terminal::styled(&left.render(session.terminal.err.style())));
    let name = left.source.name();
    session.terminal.note(&format!("{name}: statements with errors are left unchanged"));
}
