//! `svc store`: the upkeep of the store of runs.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand};

use super::{
    Session,
    exit::{Failure, OK, Result, USAGE},
    given,
    keeping::{self, Keeping},
    terminal,
};
use crate::{
    store::{Old, Pruned},
    value::units,
};

/// Copy the store of runs, or remove old runs from it.
#[derive(Args)]
pub(super) struct Upkeep {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Copy the store while it is used; the copy is whole.
    Backup {
        /// Where to; it must not exist.
        #[arg(value_name = "FILE")]
        to: PathBuf,
        #[command(flatten)]
        keeping: Keeping,
    },
    /// Remove runs that are older than a time, or all but the latest ones.
    Prune {
        /// Runs that began longer ago: `30d`, `12h`.
        #[arg(long, value_name = "TIME", value_parser = given::duration)]
        older_than: Option<Duration>,
        /// Keep so many of the latest runs.
        #[arg(long, value_name = "N")]
        keep: Option<usize>,
        /// Only say what would be removed.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        keeping: Keeping,
    },
}

impl Upkeep {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        match self.task {
            Task::Backup { to, keeping } => {
                keeping.opened(session)?.backup(&to).map_err(keeping::failure)?;
                terminal::print(&format!("{}\n", to.display()))?;
            }
            Task::Prune { older_than: None, keep: None, .. } => {
                let help = "say which: `--older-than 30d`, `--keep 100`, or both";
                return Err(Failure::new(USAGE, "nothing says which runs are old").help(help));
            }
            Task::Prune { older_than, keep, dry_run, keeping } => {
                let now = session.engine.host().now();
                let ago = |it: Duration| i64::try_from(it.as_millis()).unwrap_or(i64::MAX);
                let before = older_than.map(|it| now.saturating_sub(ago(it)));
                let old = Old { before, but_last: keep };
                let store = keeping.opened(session)?;
                let pruned = if dry_run { store.would_prune(old) } else { store.prune(old) };
                terminal::print(&told(&pruned.map_err(keeping::failure)?))?;
            }
        }
        Ok(OK)
    }
}

fn told(pruned: &Pruned) -> String {
    let mut lines: Vec<String> = pruned.runs.iter().map(ToString::to_string).collect();
    let (count, bytes) = (pruned.runs.len(), units::show_size(pruned.bytes));
    lines.push(format!("{count} runs with {} contents, {bytes}\n", pruned.contents));
    lines.join("\n")
}
