//! `svc fmt`: formats scripts.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_engine::Threads;
use svc_lang::{
    diag::{Report, visible_line},
    syntax::{self, Formatted},
};

use super::{
    Session,
    exit::{FAILED, INVALID, OK, Result},
    script, terminal,
};

/// Format scripts in the standard style.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Fmt {
    /// The scripts; `-` reads standard input and prints the formatted script.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List the scripts that would change without writing anything.
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "Examples:
  svc fmt report.svc
  svc fmt --check examples/*.svc
  svc fmt - < draft.svc > report.svc

Statements with syntax errors are left unchanged. The exit code is 7 if there are any, 6 if
a file does not exist, and 1 if --check finds a script that would change; the first file
that is not ok determines the exit code.";

impl Fmt {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        script::only_stdin(&self.files)?;
        let mut code = OK;
        for file in &self.files {
            let done = self.format(session, file);
            let own = done.unwrap_or_else(|failure| failure.report(session.terminal));
            code = if code == OK { own } else { code };
        }
        Ok(code)
    }

    /// Formats one script and returns the exit code for this script alone.
    fn format(&self, session: &Session, file: &Path) -> Result<u8> {
        let source = script::read(session.engine.host(), file)?;
        let Formatted { text, problems } = syntax::format_with(source.text(), &Threads);
        let changed = text != source.text();
        if self.check && changed {
            terminal::print(&format!("{}: would be formatted\n", visible_line(source.name())))?;
        } else if script::is_stdin(file) && !self.check {
            terminal::print_data(&text)?;
        } else if changed {
            script::write(session.engine.host(), file, &text)?;
            terminal::print(&format!("{}: formatted\n", visible_line(source.name())))?;
        }
        let left = Report::new(source, problems);
        if left.has_errors() {
            report_left(session, &left);
            return Ok(INVALID);
        }
        Ok(if self.check && changed { FAILED } else { OK })
    }
}

/// Reports the statements that were not formatted because of syntax errors.
fn report_left(session: &Session, left: &Report) {
    terminal::print_err(terminal::styled(&left.render(session.terminal.err.style())));
    let name = left.source.name();
    session.terminal.note(&format!("{name}: statements with errors are left unchanged"));
}
