//! `svc doctor` and `svc store`: whether the store of runs is sound, and its upkeep.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand};

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result, USAGE},
    keeping::{self, Keeping},
    terminal,
};
use crate::{
    store::{Old, Pruned, Store},
    value::units,
};

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
        #[arg(long, value_name = "TIME", value_parser = duration)]
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

fn duration(text: &str) -> std::result::Result<Duration, String> {
    units::parse_duration(text).ok_or_else(|| "a time is written `12h` or `30d`".to_owned())
}

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
