//! `svc store`: maintains the store of runs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{
    Session,
    exit::{OK, Result},
    keeping::{self, StoreArgs},
    terminal,
};

/// Maintain the store of runs.
#[derive(Args)]
pub(super) struct Upkeep {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make a consistent copy of the store, even while it is in use.
    Backup {
        /// The copy; the file must not exist.
        #[arg(value_name = "FILE")]
        to: PathBuf,
        #[command(flatten)]
        keeping: StoreArgs,
    },
}

impl Upkeep {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        match self.task {
            Task::Backup { to, keeping } => {
                keeping.reading(session)?.backup(&to).map_err(keeping::failure)?;
                terminal::print_data(&format!("{}\n", to.display()))?;
            }
        }
        Ok(OK)
    }
}
