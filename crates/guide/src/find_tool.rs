//! Finds the op for a task.

use svc_contract::{
    registry::{Ranked, Topics, record},
    value::Text,
};

record! {
    /// An op, a word of the language, or a flow of the standard library for a task.
    pub struct Tool {
        /// The shortest name for it in a script.
        name: Text,
        /// What it does.
        summary: Text,
        /// Its parameters and the type of its result, or its forms.
        signature: Text,
        /// The matching words of the task, and where they were found.
        why: Text,
        /// An example script.
        example: Text,
        /// Its public name for other programs, if it has one.
        tool: Option<Text>,
        /// The tier that a call by that name needs.
        tier: Option<Text>,
    }
}

/// The tools for a task in plain words, at most `limit`, best first.
pub fn tools(task: &str, limit: usize, topics: &Topics) -> Vec<Tool> {
    let found = topics.find(task).into_iter().filter(|it| it.topic.is_of_scripts());
    found.take(limit).map(|it| tool(task, &it)).collect()
}

fn tool(task: &str, found: &Ranked<'_>) -> Tool {
    let topic = found.topic;
    let public = topic.op().and_then(|it| it.op.tool);
    Tool {
        name: topic.name.as_str().into(),
        summary: topic.summary.as_str().into(),
        signature: topic.signature.as_str().into(),
        why: found.why(task).into(),
        example: topic.example.as_str().into(),
        tool: public.map(|it| it.name.into()),
        tier: public.map(|it| it.tier.name().into()),
    }
}
