//! `verify` separates true sentences from false ones, measured on sentences of paragraphs and articles
//! in which a number, a negation or a name was changed, and on those of other texts. The texts are
//! not part of the repository: without them the tests print a message and pass.
//!
//! The constants of `svc_text::claims` were chosen on the paragraphs of odd lines.

mod alter;
mod places;

use std::{fs, path::Path};

use alter::{CLASSES, names, pairs};
use svc::Engine;
use svc_contract::value::Value;
use svc_text::sentences::sentences;

/// The least area under the ROC curve, for each class and for sentences of other texts.
const LEAST: [f64; 4] = [0.95, 0.96, 0.92, 0.99];

/// The least share of true sentences that count as supported, and the greatest share of false ones.
const RIGHT: f64 = 0.97;
const WRONG: f64 = 0.15;

const SCRIPT: &str = "param claims: [string]
param passages: [string]
claims >> verify(passages: passages) >> each { .score }";

#[tokio::test]
async fn changed_sentences_of_paragraphs_are_found() {
    measure("questions/en/docs.jsonl", 20).await;
}

#[tokio::test]
async fn changed_sentences_of_articles_are_found() {
    measure("articles/truth.jsonl", 12).await;
}

/// Measures every `step`th text, which are of even lines; with `SVC_LEARN=1` all of them.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so, and so do figures")]
async fn measure(file: &str, step: usize) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(file);
    let Ok(lines) = fs::read_to_string(&file) else {
        eprintln!("skipped: no texts");
        return;
    };
    let texts: Vec<String> = lines.lines().map(text).collect();
    let engine = svc::engine();
    let mut scores: [[Vec<f64>; 2]; 4] = Default::default();
    let step = if std::env::var_os("SVC_LEARN").is_some() { 2 } else { step };
    for at in (0..texts.len()).step_by(step) {
        let others: Vec<&str> =
            (1..5).map(|it| texts[(at + it * 7) % texts.len()].as_str()).collect();
        let passages: Vec<&str> = [texts[at].as_str()].into_iter().chain(others.clone()).collect();
        let stranger = &texts[(at + 40) % texts.len()];
        let strange: Vec<String> =
            sentences(stranger).flat_map(|it| names(&stranger[it])).collect();
        let pairs = pairs(&texts[at], &strange);
        let right: Vec<&str> = pairs.iter().map(|it| it.right.as_str()).collect();
        let wrong: Vec<&str> = pairs.iter().map(|it| it.wrong.as_str()).collect();
        let of_right = judged(&engine, &right, &passages).await;
        let of_wrong = judged(&engine, &wrong, &passages).await;
        for ((pair, right), wrong) in pairs.iter().zip(&of_right).zip(of_wrong) {
            let [own, changed] =
                &mut scores[CLASSES.iter().position(|it| *it == pair.class).unwrap()];
            own.push(*right);
            changed.push(wrong);
        }
        scores[3][0].extend(of_right);
        scores[3][1].extend(judged(&engine, &right, &others).await);
    }
    let names = ["numbers", "negations", "names", "other texts"];
    for ((name, [right, wrong]), least) in names.iter().zip(&scores).zip(LEAST) {
        let (auc, kept, let_through) = (auc(right, wrong), supported(right), supported(wrong));
        eprintln!("{name}: AUC {auc:.3} of {}, supported {kept:.3}, {let_through:.3}", right.len());
        assert!(right.len() > 50, "{name}: {}", right.len());
        assert!(auc >= least && kept >= RIGHT && let_through <= WRONG, "{name}");
    }
}

fn text(line: &str) -> String {
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    record["text"].as_str().unwrap().to_owned()
}

async fn judged(engine: &Engine, claims: &[&str], passages: &[&str]) -> Vec<f64> {
    let list = |all: &[&str]| -> Value {
        all.iter().map(|it| Value::from(*it)).collect::<Vec<_>>().into()
    };
    let run = engine.run(SCRIPT).param("claims", list(claims)).param("passages", list(passages));
    run.await.unwrap().get().unwrap()
}

/// The probability that a true sentence has a higher score than a false one.
fn auc(right: &[f64], wrong: &[f64]) -> f64 {
    let wins = |it: &f64| -> f64 {
        wrong
            .iter()
            .map(|other| match it.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
            .sum()
    };
    right.iter().map(wins).sum::<f64>() / count(right.len() * wrong.len())
}

fn supported(scores: &[f64]) -> f64 {
    count(scores.iter().filter(|it| **it >= 0.6).count()) / count(scores.len())
}

#[expect(clippy::cast_precision_loss, reason = "counts of sentences are small")]
fn count(it: usize) -> f64 {
    it as f64
}
