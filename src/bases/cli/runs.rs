//! `svc runs`, `svc show` and `svc tap`: what the store knows of runs.

use clap::Args;
use serde::Serialize;

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result},
    keeping::{self, Keeping},
    run::reader,
    show, terminal,
};
use crate::{
    registry::Usage,
    store::{Filter, Node, Run, Store},
    value::{Record, Value, json, units},
};

/// List runs, the latest first.
#[derive(Args)]
pub(super) struct Runs {
    /// The most runs.
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: Keeping,
}

/// Show what a run did: every call with its state, tries, time and cost.
#[derive(Args)]
pub(super) struct Show {
    /// The run, by its name, the beginning of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: Keeping,
}

/// Print the value that a call of a run gave, or the run itself without a path.
#[derive(Args)]
pub(super) struct Tap {
    /// The run, by its name, the beginning of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// The node, as `svc show` names it.
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: Keeping,
}

#[derive(Serialize)]
struct RunJson {
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

#[derive(Serialize)]
struct NodeJson {
    path: String,
    op: String,
    state: &'static str,
    tries: u32,
    /// Milliseconds since 1970.
    started: i64,
    /// Microseconds.
    took: u64,
    tokens: u64,
    cost: String,
    error: Option<serde_json::Value>,
}

#[derive(Serialize)]
struct Shown {
    run: RunJson,
    nodes: Vec<NodeJson>,
}

impl Runs {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.opened(session)?;
        let filter = Filter { limit: Some(self.limit), ..Filter::default() };
        let runs = store.runs(&filter).map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&runs.iter().map(run_json).collect::<Vec<_>>())?;
        } else {
            let rows = runs.iter().map(run_row).collect::<Vec<_>>();
            terminal::print(&show::show(&rows.into(), reader(session)))?;
        }
        Ok(OK)
    }
}

impl Show {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.opened(session)?;
        let run = store.run(&self.run).map_err(keeping::failure)?;
        let nodes = store.nodes(&run.id).map_err(keeping::failure)?;
        if self.json {
            let nodes = nodes.iter().map(node_json).collect();
            terminal::print_json(&Shown { run: run_json(&run), nodes })?;
            return Ok(OK);
        }
        terminal::print(&show::show(&run_row(&run), reader(session)))?;
        terminal::print("\n")?;
        let rows = nodes.iter().map(node_row).collect::<Vec<_>>();
        terminal::print(&show::show(&rows.into(), reader(session)))?;
        Ok(OK)
    }
}

impl Tap {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.opened(session)?;
        let run = store.run(&self.run).map_err(keeping::failure)?;
        let value = self.value(&store, &run)?;
        match self.json {
            true => terminal::print_json(&value)?,
            false => terminal::print(&show::show(&value, reader(session)))?,
        }
        Ok(OK)
    }

    fn value(&self, store: &Store, run: &Run) -> Result<Value> {
        let hash = match &self.path {
            None => run.value,
            Some(path) => {
                let node = store.node(&run.id, path).map_err(keeping::failure)?;
                let missing = || {
                    let help = format!("`svc show {}` lists them", self.run);
                    Failure::new(NOT_FOUND, format!("the run has no node `{path}`")).help(help)
                };
                node.ok_or_else(missing)?.output
            }
        };
        let nothing = || Failure::new(NOT_FOUND, "it gave no value");
        let text = store.text(hash.ok_or_else(nothing)?).map_err(keeping::failure)?;
        text.and_then(|it| json::read(&it).ok()).ok_or_else(nothing)
    }
}

fn run_json(run: &Run) -> RunJson {
    RunJson {
        run: run.id.to_string(),
        script: run.script.clone(),
        state: run.state.word(),
        started: run.started,
        ended: run.ended,
        tokens: run.used.tokens,
        cost: run.used.cost.to_string(),
        error: told(run.error.as_deref()),
    }
}

fn node_json(node: &Node) -> NodeJson {
    NodeJson {
        path: node.path.clone(),
        op: format!("{}.{}", node.component, node.op),
        state: node.state.word(),
        tries: node.attempts,
        started: node.started,
        took: node.took,
        tokens: node.used.tokens,
        cost: node.used.cost.to_string(),
        error: told(node.error.as_deref()),
    }
}

fn told(error: Option<&str>) -> Option<serde_json::Value> {
    error.and_then(|it| serde_json::from_str(it).ok())
}

fn row<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect::<Record>())
}

fn run_row(run: &Run) -> Value {
    let took = run.ended.map(|it| u64::try_from(it - run.started).unwrap_or(0));
    let took = took.map(|it| units::show_duration(std::time::Duration::from_millis(it)));
    row([
        ("run", run.id.as_str().into()),
        ("script", run.script.as_str().into()),
        ("state", run.state.word().into()),
        ("took", took.unwrap_or_default().into()),
        ("cost", cost(run.used).into()),
    ])
}

fn node_row(node: &Node) -> Value {
    let millis = std::time::Duration::from_millis(node.took / 1_000);
    let message = told(node.error.as_deref());
    let message = message.as_ref().and_then(|it| it["message"].as_str()).unwrap_or_default();
    row([
        ("node", node.path.as_str().into()),
        ("state", node.state.word().into()),
        ("tries", Value::Int(node.attempts.into())),
        ("took", units::show_duration(millis).into()),
        ("cost", cost(node.used).into()),
        ("failure", message.into()),
    ])
}

/// What was used, where something was.
fn cost(used: Usage) -> String {
    if used == Usage::default() { String::new() } else { used.to_string() }
}
