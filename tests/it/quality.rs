//! The accuracy of a text with its own sources is higher than with others. The questions are not
//! part of the repository: without them the test prints a message and passes.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use svc::Engine;
use svc_contract::value::{Value, json};
use svc_host_os::test::TestHost;
use svc_service::quality::supported;

/// The least area under the ROC curve.
const LEAST: f64 = 0.80;

/// Every eighth question is enough to notice a loss; with `SVC_LEARN=1` all of them.
const STEP: usize = 8;

const OTHERS: &str = "param question: string
param docs: path
question >> search(source: docs, top_k: 2) >> each { .id }";

const ANSWER: &str = "param question: string
param hits: [Hit]
hits >> ctx_rag.answer(query: question) >> .answer";

/// The text of an answer: sentences of the paragraph, or the question with the words that answer it.
const KINDS: [&str; 2] = ["sentences", "words"];

#[expect(clippy::print_stderr, reason = "a test that is skipped says so, and so do figures")]
#[tokio::test]
async fn own_sources_support_a_text_more_than_the_best_others() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/questions");
    for language in ["de", "en", "es", "zh"] {
        let folder = data.join(language);
        let Ok(docs) = fs::read_to_string(folder.join("docs.jsonl")) else {
            eprintln!("skipped: no questions");
            return;
        };
        let texts: BTreeMap<String, String> =
            docs.lines().map(read).map(|it| (field(&it, "id"), field(&it, "text"))).collect();
        let host = TestHost::new().file("docs.jsonl", docs.into_bytes());
        let engine = svc::engine().with_host(Arc::new(host));
        let asked = fs::read_to_string(folder.join("queries.jsonl")).unwrap();
        let step = if std::env::var_os("SVC_LEARN").is_some() { 1 } else { STEP };
        let mut scores: [[Vec<f64>; 2]; 2] = Default::default();
        for asked in asked.lines().step_by(step).map(read) {
            let (question, doc) = (field(&asked, "question"), field(&asked, "doc"));
            let Some(other) = other(&engine, &question, &doc).await else { continue };
            let words = format!("{question} {}", asked["answers"][0].as_str().unwrap());
            let sentences = answer(&engine, &question, &texts[&doc]).await;
            for (text, [own, swapped]) in [sentences, words].iter().zip(&mut scores) {
                let of = |doc: &str| supported(text, &[texts[doc].as_str()]);
                if let (Some(right), Some(wrong)) = (of(&doc), of(&other)) {
                    own.push(right);
                    swapped.push(wrong);
                }
            }
        }
        for (kind, [own, swapped]) in KINDS.iter().zip(&scores) {
            let auc = auc(own, swapped);
            eprintln!("{language}, {kind}: AUC {auc:.3} of {}", own.len());
            assert!(own.len() > 1_000 / step, "{language}, {kind}: {}", own.len());
            assert!(auc >= LEAST, "{language}, {kind}: {auc:.3}");
        }
    }
}

fn read(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap()
}

fn field(of: &serde_json::Value, name: &str) -> String {
    of[name].as_str().unwrap().to_owned()
}

/// The best paragraph that search finds, except the one that answers.
async fn other(engine: &Engine, question: &str, doc: &str) -> Option<String> {
    let docs = Value::Path("docs.jsonl".into());
    let run = engine.run(OTHERS).param("question", question).param("docs", docs);
    let ids: Vec<String> = run.await.unwrap().get().unwrap();
    ids.into_iter().find(|it| it != doc)
}

/// The sentences of a paragraph that answer a question.
async fn answer(engine: &Engine, question: &str, text: &str) -> String {
    let hit = serde_json::json!({
        "id": "a", "title": "", "path": "a", "text": text, "query": question, "score": 1.0,
        "snippet": "", "start": 0, "end": text.len(), "page": null, "meta": null,
    });
    let hits = Value::from(vec![json::read(&hit.to_string()).unwrap()]);
    let run = engine.run(ANSWER).param("question", question).param("hits", hits);
    run.await.unwrap().get().unwrap()
}

/// The probability that a text with its own sources has a higher accuracy than one with others.
fn auc(own: &[f64], swapped: &[f64]) -> f64 {
    let wins = |it: &f64| -> f64 {
        let of = |other: &f64| match it.total_cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        swapped.iter().map(of).sum()
    };
    own.iter().map(wins).sum::<f64>() / (count(own.len()) * count(swapped.len()))
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions are small")]
fn count(it: usize) -> f64 {
    it as f64
}
