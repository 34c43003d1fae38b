//! Looks at the files and folders that a goal names, so that a script can be written for what is in
//! them. Everything is read by scripts, within the policy of the engine.

mod archives;
mod folders;
mod formats;
mod shapes;

use svc_contract::value::{List, Record, Value, literal};
use svc_engine::Engine;
use svc_guide::Named;

/// How a source is read, and what is in it.
struct Source {
    /// The name of the source in the goal.
    path: String,
    /// The archive that it is in, as in the goal.
    within: Option<String>,
    /// The stages that read it. `{file}` is the path, `{T}` the type of what is read.
    reader: String,
    /// The stages from the text of each file to its rows, if it is a folder of tables.
    parser: Option<String>,
    /// The words for a row, if others may mean a part of the rows.
    nouns: Option<&'static str>,
    /// The content: a value, the rows of all files, or the files with their texts.
    value: Value,
    /// Whether the content is a list of `{ title, text }`.
    is_texts: bool,
}

impl Source {
    fn encoded(self) -> Value {
        let reader = self.reader.replace("{file}", &literal::text(&self.path));
        let fields = [
            ("path", self.path.into()),
            ("within", self.within.map(Value::from).unwrap_or_default()),
            ("reader", reader.into()),
            ("parser", self.parser.map(Value::from).unwrap_or_default()),
            ("nouns", self.nouns.map(Value::from).unwrap_or_default()),
            ("is_texts", self.is_texts.into()),
            ("value", self.value),
        ];
        let fields = fields.map(|(name, it)| (name.into(), it));
        Value::Record(fields.into_iter().collect::<Record>())
    }
}

/// What is in the files and folders that a goal names. Those that cannot be read, and those of other
/// formats, are left out.
pub(crate) async fn files(engine: &Engine, goal: &str) -> Value {
    let named = svc_guide::named(goal);
    let mut seen = Vec::new();
    for is_sure in [true, false] {
        for it in named.iter().filter(|it| it.is_sure == is_sure) {
            let sources = sources(engine, it, &named).await;
            seen.extend(sources.into_iter().map(Source::encoded));
        }
        // A word that may be a folder is one if nothing else is.
        if !seen.is_empty() {
            break;
        }
    }
    Value::List(List::from(seen))
}

/// The ways to look at what a goal names, the most special first.
async fn sources(engine: &Engine, named: &Named, all: &[Named]) -> Vec<Source> {
    if archives::is_archive(&named.path) {
        return archives::sources(engine, named, all).await;
    }
    match folders::sources(engine, named).await {
        Some(it) => it,
        None => formats::sources(engine, named).await,
    }
}

/// Runs stages that read a file. The path is a param, since a goal may contain anything.
async fn read(engine: &Engine, stages: &str, path: &str) -> Option<Value> {
    let stages = stages.replace("{file}", "file").replace("{T}", "json");
    let script = format!("param file: path  {stages}");
    Some(engine.run(script.as_str()).param("file", path).await.ok()?.value)
}
