//! `svc show`: what a run did.

use clap::Args;
use serde::Serialize;

use super::{
    Session,
    exit::{OK, Result},
    keeping::{self, Keeping},
    run::reader,
    runs::{RunJson, cost, row, run_json, run_row, told},
    show, terminal,
};
use crate::{
    store::Node,
    value::{Value, units},
};

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

impl Show {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.reading(session)?;
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
