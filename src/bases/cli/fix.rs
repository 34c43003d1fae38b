//! `svc fix`: mends what can be mended without asking.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    Session,
    exit::{Failure, INVALID, OK, Result},
    script, terminal,
};
use crate::{diag::Source, engine::Fixed, registry::OpError};

/// Apply every fix that `svc check` offers.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Fix {
    /// The scripts; `-` reads standard input and prints the mended script.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Say what would be mended, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "Examples:
  svc fix report.svc
  svc fix --dry-run examples/*.svc
  svc fix - < draft.svc > report.svc

Exits with 7 when something is left that only a person can mend.";

impl Fix {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let from_stdin = script::only_stdin(&self.files)?;
        let mut code = OK;
        for file in &self.files {
            let source = script::read(session.engine.host(), file)?;
            let fixed = session.engine.fix(source.clone());
            if from_stdin && !self.dry_run {
                terminal::print(fixed.source.text())?;
            } else {
                self.write(session, file, &source, &fixed)?;
            }
            if fixed.left.has_errors() {
                terminal::tell(terminal::styled(&fixed.left.render(session.terminal.err.style())));
                code = INVALID;
            }
        }
        Ok(code)
    }

    fn write(&self, session: &Session, file: &Path, before: &Source, fixed: &Fixed) -> Result<()> {
        let name = file.display();
        let mut said = String::new();
        for problem in &fixed.mended {
            said.push_str(&format!("{name}: {}: {problem}\n", problem.code));
        }
        let verb = if self.dry_run { "would be mended" } else { "mended" };
        said.push_str(&format!("{name}: {} {verb}\n", fixed.mended.len()));
        if !self.dry_run && before.text() != fixed.source.text() {
            let text = fixed.source.text().as_bytes();
            let written = session.engine.host().write(file, text);
            written.map_err(|err| Failure::reading(OpError::io(err, file)))?;
        }
        terminal::print(&said)
    }
}
