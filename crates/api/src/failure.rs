//! The step at which a run failed. The store records no inline ops, so that it may not be among
//! the calls of the run.

use svc_contract::{
    registry::Usage,
    store::{Args, Node, NodeState, Run},
};
use svc_engine::run::place_of;
use svc_lang::plan::Plan;

use crate::runs::recorded_error;

/// The key of a step that is not recorded.
const NO_KEY: [u8; 32] = [0; 32];

/// The path of the step at which the run failed; `None` if it did not fail at one.
pub fn path(run: &Run) -> Option<String> {
    let error = recorded_error(run.error.as_deref())?;
    error["path"].as_str().filter(|it| !it.is_empty()).map(str::to_owned)
}

/// The line of the run's own script at which it failed.
pub fn line(run: &Run) -> Option<usize> {
    let error = recorded_error(run.error.as_deref())?;
    let is_own = error["file"].as_str() == Some(run.script.as_str());
    error["line"].as_u64().filter(|_| is_own).and_then(|it| usize::try_from(it).ok())
}

/// `division by zero, in `share`, report.svc:3:9`.
pub fn shown(run: &Run) -> Option<String> {
    let error = recorded_error(run.error.as_deref())?;
    let mut text = error["message"].as_str()?.to_owned();
    if let Some(path) = path(run) {
        text.push_str(&format!(", in `{path}`"));
    }
    if let (Some(file), Some(line)) = (error["file"].as_str(), error["line"].as_u64()) {
        let column = error["column"].as_u64().unwrap_or(1);
        text.push_str(&format!(", {file}:{line}:{column}"));
    }
    Some(text)
}

/// The recorded calls, followed by the step at which the run failed if it is not among them.
pub fn with_step(run: &Run, mut nodes: Vec<Node>, plan: Option<&Plan>) -> Vec<Node> {
    let path = path(run).filter(|path| !nodes.iter().any(|it| it.path == *path));
    nodes.extend(path.map(|it| step(run, it, plan)));
    nodes
}

fn step(run: &Run, path: String, plan: Option<&Plan>) -> Node {
    let place = place_of(&path);
    let planned = plan.and_then(|it| it.nodes().iter().find(|it| it.path == place));
    let op = planned.and_then(|it| it.op.as_deref()).and_then(|it| it.split_once('.'));
    let last = path.rsplit('/').next().unwrap_or_default();
    let (component, op) = op.unwrap_or(("", last));
    Node {
        run: run.id.clone(),
        key: NO_KEY,
        component: component.to_owned(),
        op: op.to_owned(),
        version: 0,
        state: NodeState::Failed,
        attempts: 1,
        started: run.ended.unwrap_or(run.started),
        took: 0,
        used: Usage::default(),
        output: None,
        error: run.error.clone(),
        args: Args::None,
        input: None,
        born: run.started,
        origin: None,
        about: String::new(),
        cause: None,
        path,
    }
}

/// Whether it was added by [`with_step`].
pub fn is_unrecorded(node: &Node) -> bool {
    node.key == NO_KEY
}

/// The op of a node, as far as it is known.
pub fn op(node: &Node) -> String {
    match node.component.as_str() {
        "" => node.op.clone(),
        component => format!("{component}.{}", node.op),
    }
}
