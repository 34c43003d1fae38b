//! `svc doctor`: checks the integrity of the store of runs.

use clap::Args;
use svc_api::{store::RunStore, upkeep};

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result},
    keeping::{self, StoreArgs},
    terminal,
};

/// Check the integrity of the store of runs.
#[derive(Args)]
#[command(after_help = DOCTOR)]
pub(super) struct Doctor {
    /// Move a damaged store aside, under another name, and create a new one with everything
    /// that is still readable.
    #[arg(long)]
    recover: bool,
    #[command(flatten)]
    keeping: StoreArgs,
}

const DOCTOR: &str = "Examples:
  svc doctor --store runs.db
  svc doctor --store runs.db --recover     move a damaged store aside; nothing is deleted

The exit code is 1 if the store is damaged.";

impl Doctor {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if self.recover {
            return self.recover(session);
        }
        let store = self.keeping.reading(session)?;
        let health = store.check().map_err(keeping::failure)?;
        let size = store.size().map_err(keeping::failure)?;
        terminal::print(&upkeep::size(&size))?;
        for problem in &health.problems {
            session.terminal.print_error(problem, None);
        }
        if !health.problems.is_empty() {
            return Err(Failure::new(FAILED, "the store is damaged")
                .help("move it aside and create a new one with `--recover`"));
        }
        terminal::print("sound\n")?;
        Ok(OK)
    }

    fn recover(&self, session: &Session) -> Result<u8> {
        let file = self.keeping.named(session)?;
        let recovered = RunStore::recover(&file, session.engine.host());
        match recovered.map_err(keeping::failure)? {
            Some(recovered) => terminal::print(&upkeep::recovered(&recovered))?,
            None => terminal::print("sound: there is nothing to recover\n")?,
        }
        Ok(OK)
    }
}
