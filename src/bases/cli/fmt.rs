//! `svc fmt`: scripts as they should look.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_lang::{
    diag::{Report, visible_line},
    syntax::{self, Formatted},
};

use super::{
    Session,
    exit::{FAILED, INVALID, OK, Result},
    script, terminal,
};

/// Lay out scripts in the one way that there is.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Fmt {
    /// The scripts; `-` reads standard input and prints the formatted script.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name the scripts that would change, and write nothing.
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "Examples:
  svc fmt report.svc
  svc fmt --check examples/*.svc
  svc fmt - < draft.svc > report.svc

Statements that cannot be read are left as they stand. Exits with 7 when there are any,
with 6 when a file does not exist, and with 1 when --check finds a script that would
change; the first file that is not ok decides.";

impl Fmt {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        script::only_stdin(&self.files)?;
        let mut code = OK;
        for file in &self.files {
            let done = self.format(session, file);
            let own = done.unwrap_or_else(|failure| failure.tell(session.terminal));
            code = if code == OK { own } else { code };
        }
        Ok(code)
    }

    /// Formats one script and gives the exit code that it alone would have.
    fn format(&self, session: &Session, file: &Path) -> Result<u8> {
        let source = script::read(session.engine.host(), file)?;
        let Formatted { text, problems } = syntax::format(source.text());
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
            tell_left(session, &left);
            return Ok(INVALID);
        }
        Ok(if self.check && changed { FAILED } else { OK })
    }
}

/// Says what could not be read, and so was not formatted.
fn tell_left(session: &Session, left: &Report) {
    terminal::tell(terminal::styled(&left.render(session.terminal.err.style())));
    let name = left.source.name();
    session.terminal.note(&format!("{name}: statements with errors are left as they stand"));
}
