//! Scripts of the guide that are tried on the files of their goal, and scripts that are run.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value as Json, json};

use super::{
    guide_command::{at, err, out},
    provider::finishes,
    server::Server,
};

/// The lines have names in them that must not leave this machine.
const NOTES: &str = "quokka 3\nnumbat 4\nwombat 5\n";
const GOAL: &str = "the sum of the numbers in the lines of notes.txt";
const FAILS: &str = r#"read_text(path: "notes.txt") >> lines >> each { to_int(it) } >> sum"#;
const RIGHT: &str =
    r#"read_text(path: "notes.txt") >> lines >> each { words(it) >> last >> to_int } >> sum"#;

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("notes.txt"), NOTES).unwrap();
    place
}

fn answer(script: &str, more: &[(&str, &str)]) -> Json {
    let parts = [("sum of the numbers", "sum"), ("lines", "lines"), ("notes.txt", "read_text")];
    let parts: Vec<Json> = parts
        .iter()
        .chain(more)
        .map(|(phrase, stage)| json!({ "phrase": phrase, "stage": stage }))
        .collect();
    json!({ "verdict": "script", "parts": parts, "script": script, "missing": "", "ops": [] })
}

/// Runs `svc guide plan` with a model that gives these answers; the prompts come with it.
fn planned(place: &Path, args: &[&str], answers: &[Json]) -> (Output, Vec<String>) {
    let server =
        Server::start(answers.iter().map(|it| finishes("openai", &it.to_string())).collect());
    let done = at(&server.url, place, &[&["guide", "plan"], args].concat());
    let text = |it: &Json| it["messages"][0]["content"].as_str().unwrap().to_owned();
    let prompts = server.requests().iter().map(|it| text(&it.body)).collect();
    (done, prompts)
}

/// Without a model and without a terminal.
fn alone(place: &Path, args: &[&str]) -> Output {
    // A new session has no terminal to ask on.
    Command::new("setsid")
        .arg("--wait")
        .arg(assert_cmd::cargo::cargo_bin!("svc"))
        .args(["guide", "plan"])
        .args(args)
        .current_dir(place)
        .env_remove("SVC_MODEL")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_script_that_fails_on_the_files_goes_back_to_the_model() {
    let place = place();
    let answers = [answer(FAILS, &[]), answer(RIGHT, &[])];
    let (done, prompts) = planned(place.path(), &[GOAL], &answers);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert!(out(&done).contains("last"), "{}", out(&done));
    let [_, second] = &prompts[..] else { panic!("two requests: {}", prompts.len()) };
    for wanted in ["it fails when it runs", "`to_int(it)` fails with the kind `invalid_input`"] {
        assert!(second.contains(wanted), "{wanted}: {second}");
    }
    for value in ["quokka", "numbat", "wombat"] {
        assert!(!second.contains(value), "{second}");
    }
}

#[test]
fn a_model_that_repeats_what_fails_is_not_asked_again() {
    let place = place();
    let (done, prompts) = planned(place.path(), &[GOAL], &[answer(FAILS, &[])]);
    assert_eq!(prompts.len(), 2);
    assert!(err(&done).contains("the script of the language model fails: "), "{}", err(&done));
    assert!(!out(&done).contains("to_int(it)"), "{}", out(&done));
}

#[test]
fn other_scripts_that_fail_are_limited() {
    let place = place();
    let wrong = |it: usize| answer(&FAILS.replace("it)", &format!("\"${{it}} {it}\")")), &[]);
    let all: Vec<Json> = (0..9).map(wrong).collect();
    let (done, prompts) = planned(place.path(), &[GOAL], &all);
    assert_eq!(prompts.len(), 3, "{}", err(&done));
    assert!(err(&done).contains("the script of the language model fails: "), "{}", err(&done));
}

/// What only reads is tried, and nothing is written for it.
#[test]
fn a_script_that_writes_is_tried_up_to_there() {
    let place = place();
    let goal = format!("save {GOAL} to sum.txt");
    let saved = |script: &str| format!("{script} >> to_json >> write_file(to: \"sum.txt\")");
    let more = [("save", "write_file"), ("to sum.txt", "write_file")];
    let answers = [answer(&saved(FAILS), &more), answer(&saved(RIGHT), &more)];
    let (done, prompts) = planned(place.path(), &["--try", &goal], &answers);
    assert_eq!((done.status.code(), prompts.len()), (Some(0), 2), "{}", err(&done));
    let shown = "# The value before `write_file(to: \"sum.txt\")`, which was not run:\n#   12\n";
    assert!(out(&done).ends_with(shown), "{}", out(&done));
    assert!(!place.path().join("sum.txt").exists());
    // A `let` that writes is not run either, nor what follows it.
    let first = format!("let saved = \"x\" >> write_file(to: \"sum.txt\")\n{FAILS}");
    let more = [("save", "write_file"), ("to sum.txt", "write_file")];
    let (done, prompts) = planned(place.path(), &[&goal], &[answer(&first, &more)]);
    assert_eq!((done.status.code(), prompts.len()), (Some(0), 1), "{}", err(&done));
    assert!(!place.path().join("sum.txt").exists());
}

#[test]
fn files_that_are_not_there_are_no_fault() {
    let place = tempfile::tempdir().unwrap();
    let (done, prompts) = planned(place.path(), &["--try", GOAL], &[answer(FAILS, &[])]);
    assert_eq!((done.status.code(), prompts.len()), (Some(0), 1), "{}", err(&done));
    assert!(err(&done).contains("nothing was tried: `notes.txt` is not there"), "{}", err(&done));
}

#[test]
fn an_example_of_the_result_is_shown() {
    let place = place();
    let goal = "count the words of notes.txt";
    let done = alone(place.path(), &["--try", goal]);
    assert!(out(&done).ends_with("\n# Its result now:\n#   6\n"), "{}{}", out(&done), err(&done));
    // What is printed is a script.
    fs::write(place.path().join("a.svc"), &done.stdout).unwrap();
    svc::engine().check(out(&done).as_str()).unwrap();
    let done = alone(place.path(), &["--try", "--json", goal]);
    let printed: Json = serde_json::from_slice(&done.stdout).unwrap();
    let wanted = json!({ "output": 6, "cut": false, "whole": true, "before": null,
        "skipped": null, "error": null });
    assert_eq!(printed["example"], wanted);
    let done = alone(place.path(), &["--json", goal]);
    let printed: Json = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(printed["example"], Json::Null);
    fs::write(place.path().join("notes.txt"), "x\n".repeat(100)).unwrap();
    let done = alone(place.path(), &["--try", "the lines of notes.txt"]);
    assert!(out(&done).ends_with("#   x\n#   ..\n"), "{}", out(&done));
    assert_eq!(out(&done).matches("#   x").count(), 10);
    fs::write(place.path().join("notes.txt"), b"\xff\xfe\x00").unwrap();
    let done = alone(place.path(), &["--try", goal]);
    assert_eq!(done.status.code(), Some(1), "{}", out(&done));
    assert!(err(&done).contains("the script fails when it is tried: "), "{}", err(&done));
}

#[test]
fn a_script_that_writes_runs_only_if_it_is_allowed() {
    let place = place();
    let goal = "save the lines of notes.txt as copy.txt";
    let copy = place.path().join("copy.txt");
    let done = alone(place.path(), &["--run", goal]);
    assert_eq!((done.status.code(), out(&done).as_str()), (Some(1), ""));
    for wanted in ["the script writes fs:copy.txt, which needs your permission", "--yes"] {
        assert!(err(&done).contains(wanted), "{}", err(&done));
    }
    assert!(!copy.exists());
    let done = alone(place.path(), &["--run", "--yes", goal]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert!(fs::read_to_string(copy).unwrap().contains("wombat 5"));
    // One that only reads needs no permission, and its script is not in the result.
    let done = alone(place.path(), &["--run", "count the words of notes.txt"]);
    assert_eq!((done.status.code(), out(&done).as_str()), (Some(0), "6\n"), "{}", err(&done));
    assert!(err(&done).contains(">> words"), "{}", err(&done));
}
