//! Explains how to do a task: the op for it, its parameters, and example scripts.

use svc_contract::{
    registry::{Index, OpRef, Param, Registry, record},
    value::Text,
};

use super::book::Book;

/// The maximum number of sources.
const MOST_SOURCES: usize = 3;

record! {
    /// The instructions for a task.
    pub struct HowTo {
        /// Whether an op for the task was found.
        ok: bool,
        /// The instructions, in words.
        answer: Text,
        /// Example scripts, which all run.
        examples: Vec<Text>,
        /// The sources with more details.
        sources: Vec<Text>,
    }
}

/// Explains how to do a task, which is given in plain words.
pub fn how_to(task: &str, registry: &Registry) -> HowTo {
    let best = Index::of(registry).find(task).into_iter().next();
    let mut book = Book::of(registry);
    let found = book.find(task, MOST_SOURCES);
    let sources = found.iter().map(|it| it.passage.source.as_str().into()).collect();
    explained(best.map(|it| it.op), sources)
}

fn explained(op: Option<OpRef>, sources: Vec<Text>) -> HowTo {
    let Some(op) = op else {
        let answer = "No component matches this task.".into();
        return HowTo { ok: false, answer, examples: Vec::new(), sources };
    };
    let params: Vec<String> = op.op.params.iter().map(Param::signature).collect();
    let (name, gives) = (op.script_name(), op.op.yields.show());
    let answer =
        format!("Use `{name}({}) -> {gives}`.\n\n{}", params.join(", "), op.op.text().trim());
    let shown = op.op.examples.iter().filter(|it| it.yields.is_ok());
    let examples = shown.map(|it| it.script.into()).collect();
    HowTo { ok: true, answer: answer.into(), examples, sources }
}
