//! `svc runs prune`: old runs are removed.

use std::time::Duration;

use clap::Args;
use svc_contract::value::units;
use svc_store::{Old, Pruned};

use super::{
    Session,
    exit::{Failure, OK, Result, USAGE},
    given,
    keeping::{self, Keeping},
    terminal,
};

/// Remove runs that are older than a time, or all but the latest ones; never one that
/// somebody works on.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Prune {
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
}

const EXAMPLES: &str = "Examples:
  svc runs prune --older-than 30d
  svc runs prune --keep 100 --dry-run
  svc runs prune --older-than 30d --keep 100     those that are old, and not among the latest";

impl Prune {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if self.older_than.is_none() && self.keep.is_none() {
            let help = "say which: `--older-than 30d`, `--keep 100`, or both";
            return Err(Failure::new(USAGE, "nothing says which runs are old").help(help));
        }
        let now = session.engine.host().now();
        let ago = |it: Duration| i64::try_from(it.as_millis()).unwrap_or(i64::MAX);
        let before = self.older_than.map(|it| now.saturating_sub(ago(it)));
        let old = Old { before, but_last: self.keep };
        let store = self.keeping.opened(session)?;
        let pruned = if self.dry_run { store.would_prune(old) } else { store.prune(old) };
        terminal::print(&told(&pruned.map_err(keeping::failure)?))?;
        Ok(OK)
    }
}

fn told(pruned: &Pruned) -> String {
    let mut lines: Vec<String> = pruned.runs.iter().map(ToString::to_string).collect();
    let (count, bytes) = (pruned.runs.len(), units::show_size(pruned.bytes));
    lines.push(format!("{count} runs with {} contents, {bytes}\n", pruned.contents));
    lines.join("\n")
}
