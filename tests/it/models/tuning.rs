//! `svc bias evolve` with a language model as one of the proposers.

use std::{
    process::{Command, Output, Stdio},
    time::Duration,
};

use serde_json::{Value as Json, json};

use super::{
    KEY, PRICES,
    provider::finishes,
    server::{Reply, Server},
};

/// A strategy that asks no other proposer.
const STRATEGY: &str = r#"
fn propose(history) {
    if history.round < 2 { [#{ by: "model", count: 2 }] } else { [] }
}
fn judge(results) { [] }
"#;

/// Texts whose phrases have four words: by default, phrases of up to three words are found.
fn cases() -> String {
    let firsts = ["amber", "basalt", "cedar", "dune", "ember", "fjord", "garnet", "harbor"];
    let seconds = ["lantern", "mirror", "needle", "orchid", "pebble"];
    let mut lines = String::new();
    for first in firsts {
        for second in seconds {
            let phrase = format!("{first} {second} copper violin");
            let text = format!(
                "The {phrase} was late. They say the {phrase} is old. We like the {phrase} a lot. \
                 Is the {phrase} here?"
            );
            let case = json!({
                "input": { "from": text, "top_k": 2 }, "expected": [phrase], "score": "contains",
            });
            lines += &format!("{case}\n");
        }
    }
    lines
}

struct Done {
    output: Output,
    frontier: Json,
    asked: Vec<String>,
}

/// A folder with cases, and a server as the model.
struct Tuning {
    server: Server,
    place: tempfile::TempDir,
}

impl Tuning {
    fn new(replies: Vec<Reply>) -> Self {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("cases")).unwrap();
        std::fs::write(place.path().join("cases/ctx_keywords.jsonl"), cases()).unwrap();
        std::fs::write(place.path().join("prices.toml"), PRICES).unwrap();
        std::fs::write(place.path().join("asks.rhai"), STRATEGY).unwrap();
        Self { server: Server::start(replies), place }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        command.arg("bias").args(args).current_dir(self.place.path());
        command.env("OPENAI_BASE_URL", format!("{}/v1", self.server.url));
        command.env("OPENAI_API_KEY", KEY).env("SVC_PRICES", "prices.toml");
        command.env("XDG_DATA_HOME", self.place.path().join("data"));
        command
    }

    fn asked(&self) -> Vec<String> {
        self.server.requests().iter().map(|it| it.text.clone()).collect()
    }
}

const EVOLVE: [&str; 5] = ["evolve", "ctx_keywords", "--strategy", "asks.rhai", "--json"];

fn evolve(replies: Vec<Reply>, args: &[&str]) -> Done {
    let tuning = Tuning::new(replies);
    let output = tuning.command(&[&EVOLVE[..], args].concat()).output().unwrap();
    let frontier = tuning.command(&["frontier", "ctx_keywords", "--json"]).output().unwrap();
    let frontier = serde_json::from_slice(&frontier.stdout).unwrap_or_default();
    Done { output, frontier, asked: tuning.asked() }
}

fn says(candidates: &Json) -> Reply {
    finishes("openai", &json!({ "value": candidates }).to_string())
}

fn json_of(done: &Done) -> Json {
    let err = String::from_utf8_lossy(&done.output.stderr);
    serde_json::from_slice(&done.output.stdout).unwrap_or_else(|_| panic!("{err}"))
}

#[test]
fn a_model_proposes_params_and_is_shown_what_goes_wrong() {
    let first = json!([
        { "window": 1, "ngram": 4, "dedup": 0.9 },
        { "window": 2, "ngram": 2, "dedup": 0.9 },
    ]);
    let replies = vec![says(&first), says(&json!([]))];
    let done = evolve(replies, &["--model", "openai/priced", "--max-cost", "0.5"]);
    let answer = json_of(&done);
    let proposal = &answer["proposal"]["evolvable_params"];
    assert_eq!(proposal["ngram"]["value"], 4, "{answer}");
    assert_eq!(answer["cost"], "$0.0012", "two answers: {answer}");
    assert!(done.frontier.to_string().contains("\"ngram\""), "{}", done.frontier);
    // It is shown the params with their ranges, and cases that go worst.
    let [asked, again] = &done.asked[..] else { panic!("{}", done.asked.len()) };
    for part in ["ctx_keywords", "int 1..5", "copper violin", "ngram"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    // The second time it is shown what came of its first candidates.
    assert!(again.contains("gain") && !asked.contains("gain"), "{again}");
}

#[test]
fn a_model_that_fails_or_is_too_dear_is_named_and_the_rest_goes_on() {
    let invalid = json!([{ "window": 1, "ngram": 99, "dedup": 0.9 }]);
    for (reply, cost, part) in [
        (says(&invalid), "0.5", "ngram"),
        (Reply::new(500, r#"{ "error": { "message": "out of order" } }"#), "0.5", "500"),
        (says(&json!([])), "0.000001", "budget"),
    ] {
        let done = evolve(vec![reply], &["--model", "openai/priced", "--max-cost", cost]);
        let err = String::from_utf8_lossy(&done.output.stderr).into_owned();
        assert!(done.output.status.success(), "{err}");
        assert!(err.contains("the model proposes nothing") && err.contains(part), "{part}: {err}");
        assert!(!err.contains(KEY), "{err}");
    }
}

#[test]
fn without_a_model_nobody_is_asked_for_one() {
    let done = evolve(vec![], &[]);
    let err = String::from_utf8_lossy(&done.output.stderr).into_owned();
    assert!(!done.output.status.success() && err.contains("unknown proposer `model`"), "{err}");
    assert!(done.asked.is_empty());
}

#[test]
fn a_model_that_gives_nothing_ends_no_strategy() {
    for strategy in ["debate", "successive_halving", "bandit_online"] {
        let tuning = Tuning::new(vec![says(&json!([]))]);
        let args = ["--model", "openai/priced", "--strategy", strategy, "--evaluations", "20"];
        let done = tuning.command(&[&EVOLVE[..2], &args].concat()).output().unwrap();
        let out = String::from_utf8_lossy(&done.stdout).into_owned();
        let line =
            out.lines().find(|it| it.starts_with("evaluations")).unwrap_or_else(|| panic!("{out}"));
        let count: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(count > 12.0 && count <= 20.0, "{strategy}: {out}");
        assert!(!tuning.asked().is_empty(), "{strategy}");
    }
}

#[test]
fn an_answer_that_was_interrupted_counts_as_paid() {
    let slow = says(&json!([])).in_pieces_of(7).slowly(Duration::from_secs(3));
    let tuning = Tuning::new(vec![slow]);
    let args = [&EVOLVE[..], &["--model", "openai/priced", "--max-cost", "0.5"]].concat();
    let mut child =
        tuning.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while tuning.asked().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let again = tuning.command(&args).output().unwrap();
    assert_eq!(tuning.asked().len(), 1, "{}", String::from_utf8_lossy(&again.stderr));
    let answer: Json = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(answer["cost"], "$0.50", "{answer}");
}
