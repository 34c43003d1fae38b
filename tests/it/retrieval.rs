//! Search ranks a standard collection as well as a reference implementation of BM25. The
//! collections are not part of the repository: without them the test prints a message and passes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use svc::Engine;
use svc_contract::value::Value;
use svc_host_os::test::TestHost;

const SCRIPT: &str = include_str!("../../benches/retrieval/run.svc");

/// Mean average precision over the 225 questions on aerodynamics.
const CRANFIELD: f64 = 0.285;

svc::record! {
    /// A document and its score.
    struct Ranked {
        /// The document's id.
        id: String,
        /// Higher is better.
        score: f64,
    }
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
#[tokio::test]
async fn cranfield_is_ranked_as_well_as_by_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/ir/cranfield");
    if !folder.is_dir() {
        eprintln!("skipped: no test collections");
        return;
    }
    let docs = fs::read(folder.join("docs.jsonl")).unwrap();
    let engine = svc::engine().with_host(Arc::new(TestHost::new().file("docs.jsonl", docs)));
    let relevant = judgements(&folder);
    let mut total = 0.0;
    for (question, text) in questions(&folder) {
        let Some(wanted) = relevant.get(&question) else { continue };
        total += average_precision(&ranking(&engine, &text).await, wanted);
    }
    let map = total / count(relevant.len());
    assert!(map >= CRANFIELD, "the mean average precision is {map:.4}");
}

/// The documents from best to worst; equals in the order of `trec_eval`.
async fn ranking(engine: &Engine, question: &str) -> Vec<String> {
    let docs = Value::Path("docs.jsonl".into());
    let run = engine.run(SCRIPT).param("question", question).param("docs", docs);
    let mut ranked: Vec<Ranked> = run.await.unwrap().get().unwrap();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.id.cmp(&a.id)));
    ranked.into_iter().map(|it| it.id).collect()
}

/// The mean of the precisions at the ranks of the relevant documents; a missing document counts as
/// zero.
fn average_precision(ranking: &[String], relevant: &BTreeSet<String>) -> f64 {
    let (mut found, mut total) = (0, 0.0);
    for (idx, doc) in ranking.iter().enumerate() {
        if relevant.contains(doc) {
            found += 1;
            total += count(found) / count(idx + 1);
        }
    }
    total / count(relevant.len())
}

#[expect(clippy::cast_precision_loss, reason = "there are hundreds")]
fn count(number: usize) -> f64 {
    number as f64
}

/// `id TAB text`
fn questions(folder: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(folder.join("queries.tsv")).unwrap();
    let lines = text.lines().filter_map(|it| it.split_once('\t'));
    lines.map(|(id, text)| (id.to_owned(), text.to_owned())).collect()
}

/// `question 0 document grade`: the documents with a grade above zero, by question.
fn judgements(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(folder.join("qrels.txt")).unwrap();
    let mut relevant = BTreeMap::<String, BTreeSet<String>>::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [question, _, doc, grade] = words[..] else { panic!("no judgement: {line}") };
        let wanted = relevant.entry(question.to_owned()).or_default();
        if grade.parse::<f64>().unwrap() > 0.0 {
            wanted.insert(doc.to_owned());
        }
    }
    relevant
}
