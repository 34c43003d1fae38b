//! Ranks the documents of a collection for its questions, as in evaluations of retrieval: `cargo
//! run --release --example retrieval -- FOLDER [SCRIPT] > run.txt`.
//!
//! FOLDER contains `docs.jsonl` and `queries.tsv`, one question per line: id, tab, text. The output
//! is a TREC run file for `trec_eval`: `query Q0 document rank score svc`.

use std::{error::Error, fs, path::Path};

use svc::{Engine, value::Value};

const SCRIPT: &str = include_str!("../benches/retrieval/run.svc");

svc::record! {
    /// A document and its relevance.
    struct Ranked {
        /// The id of the document.
        id: String,
        /// Higher is better.
        score: f64,
    }
}

#[expect(clippy::print_stdout, reason = "the ranking is the result")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("missing argument FOLDER")?;
    let script = match std::env::args().nth(2) {
        Some(path) => read(Path::new(&path))?,
        None => SCRIPT.to_owned(),
    };
    let engine = svc::engine();
    for (query, text) in queries(Path::new(&folder))? {
        for (idx, doc) in ranking(&engine, &script, &folder, &text).await?.iter().enumerate() {
            println!("{query} Q0 {} {} {} svc", doc.id, idx + 1, doc.score);
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a program may read its own files")]
fn read(path: &Path) -> std::io::Result<String> {
    fs::read_to_string(path)
}

fn queries(folder: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let text = read(&folder.join("queries.tsv"))?;
    let lines = text.lines().filter_map(|it| it.split_once('\t'));
    Ok(lines.map(|(id, text)| (id.to_owned(), text.to_owned())).collect())
}

async fn ranking(
    engine: &Engine,
    script: &str,
    folder: &str,
    question: &str,
) -> Result<Vec<Ranked>, Box<dyn Error>> {
    let docs = Value::Path(format!("{folder}/docs.jsonl").into());
    Ok(engine.run(script).param("question", question).param("docs", docs).await?.get()?)
}
