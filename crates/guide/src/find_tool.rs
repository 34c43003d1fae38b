//! Finds the op for a task.

use svc_contract::{
    registry::{Index, Match, Param, Registry, record},
    value::Text,
};

record! {
    /// An op for a task.
    pub struct Tool {
        /// The shortest name for it in a script.
        name: Text,
        /// What the op does.
        summary: Text,
        /// Its parameters and the type of its result.
        signature: Text,
        /// The matching words of the task, and where they were found.
        why: Text,
        /// An example script.
        example: Text,
    }
}

/// The ops for a task in plain words, at most `limit`, best first.
pub fn tools(task: &str, limit: usize, registry: &Registry) -> Vec<Tool> {
    Index::of(registry).find(task).iter().take(limit).map(tool).collect()
}

fn tool(found: &Match) -> Tool {
    let op = found.op;
    let params: Vec<String> = op.op.params.iter().map(Param::signature).collect();
    let (name, gives) = (op.script_name(), op.op.yields.show());
    Tool {
        summary: op.op.summary().replace('\n', " ").into(),
        signature: format!("{name}({}) -> {gives}", params.join(", ")).into(),
        why: found.why().into(),
        example: op.op.examples.first().map_or("", |it| it.script).into(),
        name: name.into(),
    }
}
