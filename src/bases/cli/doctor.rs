//! `svc doctor`: checks the integrity of the store of runs.

use clap::Args;
use svc_contract::{store::StoreErrorKind, value::units};
use svc_store::{Recovered, SqliteStore};

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
        let bytes = units::show_size(size.database.saturating_add(size.files));
        terminal::print(&format!("{} runs, {} nodes, {bytes}\n", size.runs, size.nodes))?;
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
        let (file, now) = (self.keeping.named(session)?, session.engine.host().now());
        match SqliteStore::open(&file, now).and_then(|it| it.check()) {
            Ok(health) if health.problems.is_empty() => {
                terminal::print("sound: there is nothing to recover\n")?;
                return Ok(OK);
            }
            // A store that is only busy, or of a newer version, is not damaged.
            Err(err) if err.kind != StoreErrorKind::Corrupt => return Err(keeping::failure(err)),
            _ => {}
        }
        let (_, recovered) = SqliteStore::recover(&file, now).map_err(keeping::failure)?;
        terminal::print(&render(&recovered))?;
        Ok(OK)
    }
}

/// The report of a recovery: the saved and the lost data, and the runs that cannot be resumed.
fn render(recovered: &Recovered) -> String {
    let Recovered { aside, runs, nodes, partial, .. } = recovered;
    let mut text = format!("the damaged store is now `{}`\n", aside.display());
    text.push_str(&format!("{runs} runs and {nodes} nodes were saved\n"));
    let lost = [
        ("runs", recovered.lost_runs as u64),
        ("nodes", recovered.lost_nodes as u64),
        ("contents", recovered.lost_contents as u64),
        ("commits at the end", recovered.lost_commits),
    ];
    let lost = lost.into_iter().filter(|(_, count)| *count > 0);
    let lost: Vec<String> = lost.map(|(what, count)| format!("{count} {what}")).collect();
    if !lost.is_empty() {
        text.push_str(&format!("lost: {}\n", lost.join(", ")));
    }
    for run in partial {
        text.push_str(&format!("incomplete, cannot be resumed: {run}\n"));
    }
    text
}
