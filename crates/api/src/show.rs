//! A run with its calls as JSON: `svc show --json`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use svc_engine::{Engine, output::estimates::millis};
use svc_lang::plan::Plan;
use svc_text::dates::instant;

use crate::{
    runs::{RunJson, recorded_error},
    schemas,
    store::{Node, Run, RunStore},
};

/// A run and its calls.
#[derive(JsonSchema, Serialize)]
pub struct ShowJson {
    run: RunJson,
    nodes: Vec<NodeJson>,
}

#[derive(JsonSchema, Serialize)]
struct NodeJson {
    path: String,
    op: String,
    state: &'static str,
    tries: u32,
    /// As in RFC 3339.
    started: String,
    /// Milliseconds.
    took: f64,
    tokens: u64,
    cost: String,
    #[schemars(schema_with = "schemas::recorded_error")]
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
            started: instant(node.started),
            took: millis(Duration::from_micros(node.took)),
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
