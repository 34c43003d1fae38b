//! The output of `svc run` for a run that a cap has ended, and for other failures.

use std::process::Output;

use serde_json::{Value as Json, json};

use svc_engine::output::failure::FAILURE_SCHEMA;

use super::{
    KEY, PRICES,
    provider::finishes,
    server::{Reply, Server},
};
use crate::verdict::Schema;

const SCRIPT: &str = "param texts: [string; max 9]\n\
    texts >> each { ask(max_tokens: 50) } within { max_parallel: 1, max_retries: 0 }\n";

/// Runs a script as a command, with a server that sends these replies.
fn run(script: &str, replies: Vec<Reply>, args: &[&str]) -> Output {
    let server = Server::start(replies);
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.svc"), script).unwrap();
    std::fs::write(place.path().join("prices.toml"), PRICES).unwrap();
    std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(["run", "a.svc"])
        .args(args)
        .current_dir(place.path())
        .env("SVC_MODEL", "openai/priced")
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url))
        .env("OPENAI_API_KEY", KEY)
        .env("SVC_PRICES", "prices.toml")
        .env("SVC_STORE", "runs.db")
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The printed JSON, which matches the published schema.
fn json_of(output: &Output) -> Json {
    let report: Json =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", err(output)));
    assert_eq!(Schema::of(FAILURE_SCHEMA).misfits(&report), [""; 0], "{report}");
    report
}

const TEXTS: [&str; 2] = ["-p", r#"texts=["a", "b", "c", "d"]"#];

/// Each answer costs $0.0006 of the $0.002289 that its call reserves.
const CAP: [&str; 2] = ["--max-cost", "$0.0035"];

#[test]
fn what_is_finished_is_printed() {
    let answers =
        vec![finishes("openai", "one"), finishes("openai", "two"), finishes("openai", "3")];
    let done = run(SCRIPT, answers, &[&TEXTS[..], &CAP].concat());
    assert_eq!(done.status.code(), Some(1), "{}", err(&done));
    assert_eq!(out(&done), "one\ntwo\n3\n", "{}", err(&done));
    let report = err(&done);
    assert!(report.contains("note: 3 of 4 items of `each` were finished"), "{report}");
    assert!(report.contains("of the run's $0.0035 are left"), "{report}");
    assert!(report.contains("raise the cap of the run"), "{report}");
}

#[test]
fn a_failure_is_one_object() {
    let answers = || vec![finishes("openai", "one"), finishes("openai", "two")];
    let done = run(SCRIPT, answers(), &[&TEXTS[..], &CAP, &["--json"]].concat());
    assert_eq!(done.status.code(), Some(1));
    let error = &json_of(&done)["error"];
    assert_eq!((&error["kind"], &error["code"]), (&json!("budget"), &json!("E409")));
    assert_eq!((&error["path"], &error["component"]), (&json!("each[3]/ask"), &json!("ask")));
    assert_eq!(
        (&error["file"], &error["line"], &error["column"]),
        (&json!("a.svc"), &json!(2), &json!(17))
    );
    assert_eq!(error["cap"], json!(null), "a cap of the run has no place");
    assert_eq!(error["usage"], json!({ "tokens": 360, "cost": "$0.0018" }));
    let kept = json!({
        "path": "each", "parts": "items", "done": 3, "of": 4,
        "items": [0, 1, 2], "value": ["one", "two", "two"],
    });
    assert_eq!(error["partial"], kept);

    let own = SCRIPT.replace("max_retries", "max_cost: $0.0035, max_retries");
    let done = run(&own, answers(), &[&TEXTS[..], &["--json"]].concat());
    let error = &json_of(&done)["error"];
    assert_eq!(error["cap"]["line"], 2);
    assert_eq!(error["partial"], kept);

    // For unfinished parts, the results inside them.
    let nested = "param texts: [string; max 9]\n\
        texts >> parallel { n: len, all: (each { ask(max_tokens: 50) } >> join(sep: \"\")) } \
        within { max_parallel: 1 }\n";
    let done = run(nested, answers(), &[&TEXTS[..], &CAP, &["--json"]].concat());
    let partial = &json_of(&done)["error"]["partial"];
    assert_eq!((&partial["parts"], &partial["value"]), (&json!("branches"), &json!({ "n": 4 })));
    assert_eq!(partial["inside"][0]["value"], kept["value"]);
}

#[test]
fn every_failure_has_its_object() {
    let kind = |script: &str, args: &[&str]| {
        let done = run(script, vec![Reply::new(500, "oops")], &[args, &["--json"]].concat());
        let error = json_of(&done)["error"].clone();
        assert!(!error["message"].as_str().unwrap().is_empty());
        assert_eq!(error["partial"], Json::Null);
        assert!(err(&done).contains(error["message"].as_str().unwrap()), "{}", err(&done));
        (error["kind"].as_str().unwrap().to_owned(), done.status.code().unwrap())
    };
    let report = |kind: &str, code| (kind.to_owned(), code);
    assert_eq!(kind(SCRIPT, &[]), report("invalid_input", 2));
    assert_eq!(kind(SCRIPT, &TEXTS), report("unavailable", 1));
    assert_eq!(kind("read_text(path: \"nowhere.txt\")", &[]), report("not_found", 6));
    let long = r#""x" >> wait(duration: 1h)"#;
    assert_eq!(kind(long, &["--timeout", "50ms"]), report("timeout", 8));
    assert_eq!(kind(SCRIPT, &[&TEXTS[..], &["--max-tokens", "9"]].concat()), report("budget", 1));
    assert_eq!(kind(SCRIPT, &[&TEXTS[..], &["--max-cost", "0"]].concat()), report("budget", 1));
}

#[test]
fn caps_that_are_none_are_wrong_usage() {
    for (option, value, wanted) in [
        ("--max-cost", "cheap", "expected an amount such as `0.10` or `$0.10`"),
        ("--max-cost=-1", "x", "expected an amount"),
        ("--max-cost", "-1", "expected an amount"),
        ("--max-tokens", "1.5", "expected a number such as `50000` or `50_000`"),
        ("--max-tokens", "-1", "expected a number"),
        ("--timeout", "5", "expected a duration such as `30s`"),
    ] {
        let done = run(SCRIPT, vec![Reply::new(500, "")], &[option, value]);
        assert_eq!(done.status.code(), Some(2));
        assert!(err(&done).contains(wanted), "{option} {value}: {}", err(&done));
    }
}
