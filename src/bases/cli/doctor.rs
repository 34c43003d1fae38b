//! `svc doctor`: whether the store of runs is sound.

use clap::Args;

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result},
    keeping::{self, Keeping},
    terminal,
};
use crate::{store::Store, value::units};

/// Look whether the store of runs is sound.
#[derive(Args)]
#[command(after_help = DOCTOR)]
pub(super) struct Doctor {
    /// Set a damaged store aside, under a name of its own, and begin a new one.
    #[arg(long)]
    recover: bool,
    #[command(flatten)]
    keeping: Keeping,
}

const DOCTOR: &str = "Examples:
  svc doctor --store runs.db
  svc doctor --store runs.db --recover     set a damaged store aside; nothing is deleted

The exit code is 1 where something is wrong.";

impl Doctor {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if self.recover {
            return self.recover(session);
        }
        let store = self.keeping.opened(session)?;
        let health = store.check().map_err(keeping::failure)?;
        let size = store.size().map_err(keeping::failure)?;
        let bytes = units::show_size(size.database.saturating_add(size.files));
        terminal::print(&format!("{} runs, {} nodes, {bytes}\n", size.runs, size.nodes))?;
        for problem in &health.problems {
            session.terminal.complain(problem, None);
        }
        if !health.problems.is_empty() {
            return Err(Failure::new(FAILED, "the store is damaged")
                .help("`--recover` sets it aside and begins a new one"));
        }
        terminal::print("sound\n")?;
        Ok(OK)
    }

    fn recover(&self, session: &Session) -> Result<u8> {
        let file = self.keeping.named(session)?;
        let recovered = Store::recover(&file, session.engine.host().now());
        let (_, aside) = recovered.map_err(keeping::failure)?;
        terminal::print(&format!("the old store is now `{}`\n", aside.display()))?;
        Ok(OK)
    }
}
