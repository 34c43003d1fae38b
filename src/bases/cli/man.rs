//! `svc man`: writes the manual pages.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use svc_contract::registry::OpError;
use svc_lang::diag::visible_line;

use super::{
    Session,
    exit::{Failure, OK, Result},
    terminal,
};

/// Write the manual pages, one for each command, into a folder.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Manual {
    /// The folder; it is created if it does not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

const EXAMPLES: &str = "Examples:
  svc man ~/.local/share/man/man1
  man svc-run";

impl Manual {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let mut line = super::command_line().disable_help_subcommand(true);
        line.build();
        let count = self.write(session, &line)?;
        let folder = self.folder.display().to_string();
        terminal::print(&format!("{}: {count} pages written\n", visible_line(&folder)))?;
        Ok(OK)
    }

    /// Writes the page of a command and those of its commands; returns their number.
    fn write(&self, session: &Session, command: &Command) -> Result<usize> {
        let man = Man::new(command.clone());
        let path = self.folder.join(man.get_filename());
        let mut page = Vec::new();
        man.render(&mut page)?;
        let written = session.engine.host().write(&path, &page);
        written.map_err(|err| Failure::reading(OpError::io(err, &path)))?;
        let inner = command.get_subcommands().filter(|it| !it.is_hide_set());
        inner.map(|it| self.write(session, it)).try_fold(1, |sum, it| Ok(sum + it?))
    }
}
