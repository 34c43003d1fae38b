//! `svc fix`: applies the fixes of the checker.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_engine::{Fixed, Fixes};
use svc_lang::diag::{Source, visible_line};

use super::{
    Session,
    exit::{INVALID, OK, Result},
    script, terminal,
};

/// Apply the fixes that `svc check` offers.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Fix {
    /// The scripts; `-` reads standard input and prints the fixed script.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List what would be fixed without writing anything.
    #[arg(long)]
    dry_run: bool,
    /// Also apply suggested fixes, which make a choice: a value, a conversion, one of several
    /// names, or the result of a missing case. Review the result.
    #[arg(long)]
    suggested: bool,
}

const EXAMPLES: &str = "Examples:
  svc fix report.svc
  svc fix --dry-run examples/*.svc
  svc fix --suggested report.svc
  svc fix - < draft.svc > report.svc

Without --suggested, only safe fixes are applied: those with a single possible meaning.
The exit code is 7 if errors remain.";

impl Fix {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let from_stdin = script::only_stdin(&self.files)?;
        let mut code = OK;
        for file in &self.files {
            let session = &session.at(file)?;
            let source = script::read(session.engine.host(), file)?;
            let fixed = session.engine.fix_with(source.clone(), self.fixes());
            if from_stdin && !self.dry_run {
                terminal::print_data(fixed.source.text())?;
            } else {
                self.write(session, file, &source, &fixed)?;
            }
            if fixed.left.has_errors() {
                let left = fixed.left.render(session.terminal.err.style());
                terminal::print_err(terminal::styled(&left));
                code = INVALID;
            }
            if !self.suggested {
                report_suggestions(session, file, fixed.suggestions());
            }
        }
        Ok(code)
    }

    fn fixes(&self) -> Fixes {
        if self.suggested { Fixes::Suggested } else { Fixes::Safe }
    }

    fn write(&self, session: &Session, file: &Path, before: &Source, fixed: &Fixed) -> Result<()> {
        let name = file.display().to_string();
        let name = visible_line(&name);
        let mut said = String::new();
        for problem in &fixed.applied {
            let message = visible_line(&problem.message);
            said.push_str(&format!("{name}: {}: {message}\n", problem.code));
        }
        let verb = if self.dry_run { "would be fixed" } else { "fixed" };
        said.push_str(&format!("{name}: {} {verb}\n", fixed.applied.len()));
        if !self.dry_run && before.text() != fixed.source.text() {
            script::write(session.engine.host(), file, fixed.source.text())?;
        }
        terminal::print(&said)
    }
}

/// Reports how many suggested fixes were not applied.
fn report_suggestions(session: &Session, file: &Path, count: usize) {
    if count > 0 {
        let name = file.display();
        let fixes = if count == 1 { "fix is" } else { "fixes are" };
        session.terminal.note(&format!(
            "{count} {fixes} only suggested; apply with `svc fix --suggested {name}`"
        ));
    }
}
