//! A run with its calls as JSON: `svc show --json`.

use serde::Serialize;
use svc_engine::Engine;
use svc_lang::plan::Plan;

use crate::{
    runs::{RunJson, recorded_error},
    store::{Node, Run, RunStore},
};

/// A run and its calls.
#[derive(Serialize)]
pub struct ShowJson {
    run: RunJson,
    nodes: Vec<NodeJson>,
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

impl ShowJson {
    pub fn new(run: &Run, nodes: &[Node]) -> Self {
        Self { run: RunJson::new(run), nodes: nodes.iter().map(NodeJson::new).collect() }
    }
}

impl NodeJson {
    fn new(node: &Node) -> Self {
        Self {
            path: node.path.clone(),
            op: format!("{}.{}", node.component, node.op),
            state: node.state.word(),
            tries: node.attempts,
            started: node.started,
            took: node.took,
            tokens: node.used.tokens,
            cost: node.used.cost.to_string(),
            error: recorded_error(node.error.as_deref()),
        }
    }
}

/// The plan of the stored script, if it still checks.
pub fn planned(engine: &Engine, store: &RunStore, run: &Run) -> Option<Plan> {
    store.engine(engine.clone()).resume(run.id.as_str()).ok()?.plan().ok()
}
