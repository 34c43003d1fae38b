//! `svc guide plan` and `svc guide edit` with a language model: what is printed, and the exit codes.

use std::{fs, net::TcpListener, path::Path, process::Output, time::Instant};

use serde_json::{Value as Json, json};

use super::{
    provider::finishes,
    server::{Reply, Server},
};

const OLD: &str = "[\"a\", \"b\", \"c\"] >> take(n: 1)\n";
const NEW: &str = "[\"a\", \"b\", \"c\"] >> take(n: 2)\n";
const GOAL: &str = "keep two";

fn changed(script: &str) -> Json {
    let parts = json!([{ "phrase": "keep two", "stage": "take(n: 2)" }]);
    json!({ "verdict": "script", "parts": parts, "script": script, "missing": "", "ops": [] })
}

fn says(verdict: &str, missing: &str) -> Json {
    json!({ "verdict": verdict, "parts": [], "script": "", "missing": missing, "ops": [] })
}

/// Runs a command whose model is at this address.
pub(super) fn at(url: &str, place: &Path, args: &[&str]) -> Output {
    std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(args)
        .current_dir(place)
        .env("SVC_MODEL", "openai/local")
        .env("OPENAI_BASE_URL", format!("{url}/v1"))
        .output()
        .unwrap()
}

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.svc"), OLD).unwrap();
    place
}

fn with(answer: &Json, place: &Path, args: &[&str]) -> Output {
    at(&Server::start(vec![finishes("openai", &answer.to_string())]).url, place, args)
}

pub(super) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(super) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_change_is_shown_and_written_on_request() {
    let place = place();
    let file = || fs::read_to_string(place.path().join("a.svc")).unwrap();
    let edit = ["guide", "edit", "a.svc", GOAL];
    let difference = "--- old\n+++ new\n@@ -1 +1 @@\n-[\"a\", \"b\", \"c\"] >> take(n: 1)\n\
        +[\"a\", \"b\", \"c\"] >> take(n: 2)\n";
    let done = with(&changed(NEW), place.path(), &edit);
    assert_eq!((done.status.code(), out(&done).as_str()), (Some(0), difference), "{}", err(&done));
    assert_eq!(file(), OLD);
    let done = with(&changed(NEW), place.path(), &[&edit[..], &["-o", "b.svc"]].concat());
    assert_eq!((done.status.code(), file().as_str()), (Some(0), OLD));
    assert_eq!(fs::read_to_string(place.path().join("b.svc")).unwrap(), NEW);
    let done = with(&changed(NEW), place.path(), &[&edit[..], &["--write"]].concat());
    assert_eq!((out(&done).as_str(), file().as_str()), (difference, NEW));
}

#[test]
fn a_change_that_is_refused_writes_nothing() {
    let place = place();
    let writes = "[\"a\"] >> take(n: 2) >> join >> write_file(to: \"a.svc\")";
    let args = ["guide", "edit", "a.svc", GOAL, "--write"];
    let done = with(&changed(writes), place.path(), &args);
    assert_eq!(done.status.code(), Some(6), "{}", err(&done));
    assert!(err(&done).contains("the script writes fs:a.svc, which the goal does not ask for"));
    assert_eq!(fs::read_to_string(place.path().join("a.svc")).unwrap(), OLD);
}

#[test]
fn a_change_needs_a_model() {
    let place = place();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    let command = command.args(["guide", "edit", "a.svc", GOAL]).current_dir(place.path());
    let done = command.env_remove("SVC_MODEL").output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(err(&done).contains("a change of a script needs a language model"), "{}", err(&done));
    assert!(err(&done).contains("SVC_MODEL"), "{}", err(&done));
    let server = Server::start(vec![Reply::new(500, "oops")]);
    let done = at(&server.url, place.path(), &["guide", "edit", "a.svc", GOAL]);
    assert_eq!((done.status.code(), server.requests().len()), (Some(1), 1), "{}", err(&done));
}

#[test]
fn a_question_has_its_own_exit_code() {
    let place = place();
    let plan = ["guide", "plan", "count the words of a.svc"];
    let asks = says("question", "Which words?");
    let done = with(&asks, place.path(), &plan);
    assert_eq!((done.status.code(), out(&done).as_str()), (Some(6), ""));
    assert!(err(&done).contains("error: the goal is not clear: Which words?"), "{}", err(&done));
    let done = with(&asks, place.path(), &[&plan[..], &["--json"]].concat());
    let printed: Json = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((done.status.code(), &printed["question"]), (Some(6), &json!("Which words?")));
    let never = says("impossible", "e-mail it to bob");
    let done = with(&never, place.path(), &["guide", "plan", "e-mail it to bob"]);
    assert_eq!(done.status.code(), Some(6));
    assert!(err(&done).contains("no components do `e-mail it to bob`"), "{}", err(&done));
}

/// A server that is gone costs one attempt, and the guide writes the script itself.
#[test]
fn a_provider_that_is_gone_is_not_needed() {
    let place = place();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let plan = ["guide", "plan", "count the words of a.svc"];
    let begun = Instant::now();
    let done = at(&format!("http://{gone}"), place.path(), &plan);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert!(out(&done).contains(">> words"), "{}", out(&done));
    assert!(err(&done).contains("note: the language model did not answer"), "{}", err(&done));
    assert!(begun.elapsed().as_secs() < 20);
    let server = Server::start(vec![Reply::new(500, "oops")]);
    let done = at(&server.url, place.path(), &plan);
    assert_eq!((done.status.code(), server.requests().len()), (Some(0), 1), "{}", err(&done));
}
