//! `svc runs`: lists the runs in the store.

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_contract::{
    registry::Usage,
    store::{Filter, Run, Store as _},
    value::{Record, Value, units},
};

use super::{
    Session,
    dates::time,
    exit::{OK, Result},
    keeping::{self, StoreArgs},
    prune::Prune,
    run::{print_list, reader},
    show, terminal,
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

#[derive(Serialize)]
pub(super) struct RunJson {
    run: String,
    script: String,
    state: &'static str,
    /// Milliseconds since 1970.
    started: i64,
    ended: Option<i64>,
    tokens: u64,
    cost: String,
    error: Option<serde_json::Value>,
}

impl Runs {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if let Some(Task::Prune(it)) = self.task {
            return it.execute(session);
        }
        let store = self.keeping.reading(session)?;
        let filter = Filter { limit: Some(self.limit), ..Filter::default() };
        let runs = store.runs(&filter).map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&runs.iter().map(run_json).collect::<Vec<_>>())?;
        } else {
            let rows = runs.iter().map(run_row).collect::<Vec<_>>();
            print_list(&show::show(&rows.into(), reader(session)), reader(session))?;
        }
        Ok(OK)
    }
}

pub(super) fn run_json(run: &Run) -> RunJson {
    RunJson {
        run: run.id.to_string(),
        script: run.script.clone(),
        state: run.state.word(),
        started: run.started,
        ended: run.ended,
        tokens: run.used.tokens,
        cost: run.used.cost.to_string(),
        error: recorded_error(run.error.as_deref()),
    }
}

pub(super) fn recorded_error(error: Option<&str>) -> Option<serde_json::Value> {
    error.and_then(|it| serde_json::from_str(it).ok())
}

pub(super) fn row<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect::<Record>())
}

pub(super) fn run_row(run: &Run) -> Value {
    let took = run.ended.map(|it| u64::try_from(it.saturating_sub(run.started)).unwrap_or(0));
    let took = took.map(|it| units::show_duration(std::time::Duration::from_millis(it)));
    row([
        ("run", run.id.as_str().into()),
        ("script", run.script.as_str().into()),
        ("state", run.state.word().into()),
        ("started", time(run.started).into()),
        ("took", took.unwrap_or_default().into()),
        ("cost", cost(run.used).into()),
    ])
}

/// The usage as text; empty if nothing was used.
pub(super) fn cost(used: Usage) -> String {
    if used == Usage::default() { String::new() } else { used.to_string() }
}
