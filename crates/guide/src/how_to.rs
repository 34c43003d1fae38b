//! Explains how to do a task: the op or the word for it, its parameters, and example scripts.

use svc_contract::{
    registry::{OpRef, Topic, Topics, record},
    value::Text,
};

use super::book::Book;

/// The maximum number of sources.
const MOST_SOURCES: usize = 3;

record! {
    /// The instructions for a task.
    pub struct HowTo {
        /// Whether an op, or a word of the language, was found.
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
pub fn how_to(task: &str, topics: &Topics) -> HowTo {
    let found = topics.find(task).into_iter().map(|it| it.topic);
    let best = found.into_iter().find(|it| it.is_of_scripts());
    let book = Book::of(topics);
    let found = book.find(task, MOST_SOURCES);
    let sources = found.iter().map(|it| it.source.as_str().into()).collect();
    explained(best, sources)
}

fn explained(topic: Option<&Topic>, sources: Vec<Text>) -> HowTo {
    let Some(topic) = topic else {
        let answer = "No component matches this task.".into();
        return HowTo { ok: false, answer, examples: Vec::new(), sources };
    };
    let (text, examples) = match topic.op() {
        Some(op) => (op.op.text().trim().to_owned(), examples(op)),
        None => (topic.summary.clone(), vec![topic.example.as_str().into()]),
    };
    let form = topic.signature.replace('\n', "` or `");
    HowTo { ok: true, answer: format!("Use `{form}`.\n\n{text}").into(), examples, sources }
}

/// The examples of an op that do not fail.
fn examples(op: OpRef) -> Vec<Text> {
    let shown = op.op.examples.iter().filter(|it| it.yields.is_ok());
    shown.map(|it| it.script.into()).collect()
}
