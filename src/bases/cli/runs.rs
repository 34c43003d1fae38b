//! `svc runs`: lists the runs in the store.

use clap::{Args, Subcommand};
use svc_api::runs::{RunJson, run_row};

use super::{
    Session,
    exit::{OK, Result, answered},
    keeping::{self, StoreArgs},
    prune::Prune,
    run::print_rows,
    terminal,
};

/// List runs, the latest first, or remove old ones.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Runs {
    /// The maximum number of runs.
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: StoreArgs,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    Prune(Prune),
}

impl Runs {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        match self.task {
            Some(Task::Prune(it)) => it.execute(session),
            None => answered(self.json, self.list(session)),
        }
    }

    fn list(&self, session: &Session) -> Result<u8> {
        let store = self.keeping.reading(session)?;
        let runs = store.latest(self.limit).map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&runs.iter().map(RunJson::new).collect::<Vec<_>>())?;
        } else {
            print_rows(runs.iter().map(run_row), session)?;
        }
        Ok(OK)
    }
}
