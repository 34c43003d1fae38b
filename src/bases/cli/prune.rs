//! `svc runs prune`: removes old runs.

use std::time::Duration;

use clap::Args;
use svc_api::upkeep;

use super::{
    Session,
    data_folder::DataArgs,
    exit::{Failure, OK, Result, USAGE},
    given,
    keeping::{self, StoreArgs},
    terminal,
};

/// Remove runs older than TIME, or all but the latest N. Runs in progress, and those of jobs that
/// have not ended, are never removed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Prune {
    /// Remove runs that started longer ago than TIME: `30d`, `12h`.
    #[arg(long, value_name = "TIME", value_parser = given::duration)]
    older_than: Option<Duration>,
    /// Keep the latest N runs.
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// List what would be removed without removing anything.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    keeping: StoreArgs,
    #[command(flatten)]
    data: DataArgs,
}

const EXAMPLES: &str = "Examples:
  svc runs prune --older-than 30d
  svc runs prune --keep 100 --dry-run
  svc runs prune --older-than 30d --keep 100     runs that are old and not among the latest";

impl Prune {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if self.older_than.is_none() && self.keep.is_none() {
            let help = "add `--older-than 30d`, `--keep 100`, or both";
            return Err(Failure::new(USAGE, "missing `--older-than` or `--keep`").help(help));
        }
        let store = self.keeping.opened(session)?;
        let jobs = self.keeping.jobs_of(&store, self.data.named(), session)?;
        let now = session.engine.host().now();
        let old = upkeep::old(now, self.older_than, self.keep, jobs.as_ref());
        let pruned = old.and_then(|it| store.prune(&it, self.dry_run));
        terminal::print(&upkeep::pruned(&pruned.map_err(keeping::failure)?))?;
        Ok(OK)
    }
}
