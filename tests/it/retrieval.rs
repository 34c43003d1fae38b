//! Search ranks a standard collection as well as a reference implementation of BM25. The
//! collections are not part of the repository: without them the test prints a message and passes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
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

/// Chains of `search` that answer with six results; `depth` hits are looked through.
const SIX_BEST: &str = "param question: string
param docs: path
question >> search(source: docs, top_k: 6) >> each { { id: .id, score: .score } }";
const SIX_PASSAGES: &str = "param question: string
param docs: path
param depth: int
question
  >> search(source: docs, top_k: depth)
  >> rag_retrieval(top_k: 6)
  >> each { { id: .id, score: .score } }";

/// Passages come from relevant documents as often as the results of the search itself do, however
/// many hits they are chosen from; `SVC_LEARN=1` measures all three collections.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so, and so do figures")]
#[tokio::test]
async fn passages_keep_relevant_documents() {
    for name in collections() {
        let Some((folder, engine)) = collection(name) else { return };
        let relevant = judgements(&folder);
        let mut found = [[0; 2]; 4];
        for (question, text) in questions(&folder) {
            let Some(wanted) = relevant.get(&question) else { continue };
            for (at, depth) in [None, Some(10), Some(50), Some(200)].into_iter().enumerate() {
                let ids = six(&engine, &text, depth).await;
                let is_relevant = |it: &String| wanted.contains(it.split('#').next().unwrap());
                found[at][0] += usize::from(ids.iter().any(is_relevant));
                found[at][1] += usize::from(ids.first().is_some_and(is_relevant));
            }
        }
        eprintln!("{name}, of {}: search, and from 10, 50, 200 hits: {found:?}", relevant.len());
        for at in 0..2 {
            assert!(found[2][at] >= found[0][at], "{name}: {found:?}");
            assert!(found[3][at] >= found[0][at], "{name}: {found:?}");
        }
    }
}

/// The collections that are measured: all of them with `SVC_LEARN=1`.
fn collections() -> &'static [&'static str] {
    let all = std::env::var_os("SVC_LEARN").is_some();
    if all { &["cacm", "cisi", "cranfield"] } else { &["cacm"] }
}

/// The folder of a collection, and an engine with its documents as `docs.jsonl`.
fn collection(name: &str) -> Option<(PathBuf, Engine)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/ir").join(name);
    let Ok(docs) = fs::read(folder.join("docs.jsonl")) else {
        crate::skipped("no test collections");
        return None;
    };
    let host = TestHost::new().file("docs.jsonl", docs);
    Some((folder, svc::engine().with_host(Arc::new(host))))
}

/// The ids of six results: of a search, or the passages of the documents that it found.
async fn six(engine: &Engine, question: &str, depth: Option<i64>) -> Vec<String> {
    let docs = Value::Path("docs.jsonl".into());
    let script = if depth.is_some() { SIX_PASSAGES } else { SIX_BEST };
    let mut run = engine.run(script).param("question", question).param("docs", docs);
    if let Some(depth) = depth {
        run = run.param("depth", depth);
    }
    let ranked: Vec<Ranked> = run.await.unwrap().get().unwrap();
    ranked.into_iter().map(|it| it.id).collect()
}

/// Searches with rewritten questions.
const REWRITTEN: [(&str, &str); 3] = [
    ("question", "question >> search(source: docs, top_k: 10)"),
    ("core", "rewrite.core(question) >> search(source: docs, top_k: 10)"),
    ("wide", "question >> rewrite.wide(source: docs)"),
];

/// A question together with its core finds more than alone. `SVC_LEARN=1` measures all three
/// collections.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so, and so do figures")]
#[tokio::test]
async fn rewritten_questions_find_more() {
    for name in collections() {
        let Some((folder, engine)) = collection(name) else { return };
        let grades = grades(&folder);
        let mut totals = [0.0; REWRITTEN.len()];
        for (question, text) in questions(&folder) {
            let Some(wanted) = grades.get(&question) else { continue };
            for (total, (_, flow)) in totals.iter_mut().zip(REWRITTEN) {
                let script = format!(
                    "use \"std:rewrite\" as rewrite\n\nparam question: string\nparam docs: path\n\
                     {flow} >> each {{ {{ id: .id, score: .score }} }}"
                );
                let docs = Value::Path("docs.jsonl".into());
                let run = engine.run(script).param("question", text.as_str()).param("docs", docs);
                let ranked: Vec<Ranked> = run.await.unwrap().get().unwrap();
                *total += ndcg(ranked.iter().map(|it| it.id.as_str()), wanted);
            }
        }
        let means = totals.map(|it| it / count(grades.len()));
        for (mean, (flow, _)) in means.iter().zip(REWRITTEN) {
            eprintln!("{name}, {flow}: nDCG@10 {mean:.4}");
        }
        assert!(means[2] > means[0], "{name}: {means:?}");
    }
}

/// The grades of the documents that were judged for each question.
fn grades(folder: &Path) -> BTreeMap<String, BTreeMap<String, f64>> {
    let mut all: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for line in fs::read_to_string(folder.join("qrels.txt")).unwrap().lines() {
        let parts: Vec<&str> = line.split_whitespace().collect();
        if let [question, _, doc, grade] = parts.as_slice() {
            let known = all.entry((*question).to_owned()).or_default();
            known.insert((*doc).to_owned(), grade.parse().unwrap());
        }
    }
    all
}

/// The normalised discounted gain of the first ten.
fn ndcg<'a>(ranked: impl Iterator<Item = &'a str>, grades: &BTreeMap<String, f64>) -> f64 {
    let gain = |all: &[f64]| -> f64 {
        all.iter().take(10).enumerate().map(|(idx, it)| it / (count(idx) + 2.0).log2()).sum()
    };
    let found: Vec<f64> = ranked.map(|it| grades.get(it).copied().unwrap_or_default()).collect();
    let mut best: Vec<f64> = grades.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    gain(&found) / gain(&best).max(f64::MIN_POSITIVE)
}

/// How often the paragraph that answers a question comes first.
const RIGHT_FIRST: [(&str, f64); 4] = [("de", 0.88), ("en", 0.92), ("es", 0.91), ("zh", 0.91)];

#[expect(clippy::print_stderr, reason = "a test that is skipped says so, and so do figures")]
#[tokio::test]
async fn questions_in_several_languages_find_their_paragraph() {
    for (language, least) in RIGHT_FIRST {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/questions");
        let Ok(docs) = fs::read(data.join(language).join("docs.jsonl")) else {
            eprintln!("skipped: no questions");
            return;
        };
        let engine = svc::engine().with_host(Arc::new(TestHost::new().file("docs.jsonl", docs)));
        let lines = fs::read_to_string(data.join(language).join("queries.jsonl")).unwrap();
        // Every third question is enough to notice a loss.
        let asked: Vec<serde_json::Value> =
            lines.lines().step_by(3).map(|it| serde_json::from_str(it).unwrap()).collect();
        let mut right = 0;
        for it in &asked {
            let ids = six(&engine, it["question"].as_str().unwrap(), None).await;
            right += usize::from(ids.first().map(String::as_str) == it["doc"].as_str());
        }
        let share = count(right) / count(asked.len());
        eprintln!("{language}: {share:.3} of {}", asked.len());
        assert!(share >= least, "{language}: {share:.3}");
    }
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
