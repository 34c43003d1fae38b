//! Writes of a change fail, in four ways: history, active version and log agree afterwards. With `SVC_KILLS`
//! each of them does, and otherwise every seventh.
//!
//! The points are the calls by which `SQLite` writes, syncs and truncates its files: a small library that is
//! loaded first counts them, and ends the process or refuses the call at one of them.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use svc_bias::{Biases, Work};
use svc_contract::value::Value;
use svc_store::book::Book;

use super::{NAME, candidate, component::cases, field, with, work};

const FOLDER: &str = "SVC_BIAS_POINT";

/// What a process does, in this order. Each says whether it was done.
const STEPS: [&str; 5] = ["import", "rollback", "redraw", "feedback", "return"];

/// Changes biases in a folder. As a test of its own it does nothing.
#[test]
fn changes_biases_once() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = super::engine(&cases(60, 0));
        let book = match Book::open(Path::new(&folder), engine.host()) {
            Ok(book) => Arc::new(book),
            Err(err) => return println!("failed open: {}", err.message),
        };
        let work = Work::new(Arc::new(Biases::new(book, None)), engine);
        for step in STEPS {
            let done = match step {
                "import" => {
                    let given = candidate(&work, &[("honest", Value::Float(0.6))]);
                    let bundle = work.export(NAME, false).unwrap();
                    let bundle = with(&bundle, &["current_bias"], &given);
                    let bundle = with(&bundle, &["hash"], &Value::Null);
                    work.import(&bundle, false).await.map(drop)
                }
                "rollback" => work.rollback(NAME, 1).await.map(drop),
                "redraw" => work.redraw(NAME).map(drop),
                "feedback" => work.feedback(NAME, 0.5, "test").await.map(drop),
                _ => work.rollback(NAME, 2).await.map(drop),
            };
            match done {
                Ok(()) => println!("done {step}"),
                Err(err) => println!("failed {step}: {}", err.message),
            }
        }
    });
}

/// The library, made by the compiler for C that linking needs anyway.
fn library(folder: &Path) -> PathBuf {
    let file = folder.join("failpoints.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/failpoints.c");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&file, &source])
        .arg("-ldl")
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    file
}

/// Runs the steps in a folder, and returns what the process says.
fn run(folder: &Path, library: &Path, envs: &[(&str, &str)]) -> String {
    let ended = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "failpoints::changes_biases_once", "--nocapture"])
        .env(FOLDER, folder)
        .env("LD_PRELOAD", library)
        .envs(envs.iter().copied())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() || ended.status.code() == Some(137), "{err}");
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Whether what is active, the versions and the log agree, and what was said to be done is there.
fn agrees(folder: &Path, said: &str, at: &str) {
    let work = work(folder, &cases(60, 0));
    assert_eq!(field(&work.verify_log().unwrap(), "holds"), &Value::Bool(true), "{at}");
    let log = work.audit_log(Some(NAME), usize::MAX, None).unwrap();
    let log = log.as_list().unwrap();
    let of = |op: &str| log.iter().filter(|it| field(it, "op").as_str() == Some(op)).count();
    let active = work.bias(NAME).unwrap();
    if let Some(last) = log.iter().find(|it| field(it, "op").as_str() != Some("cases")) {
        assert_eq!(field(last, "version"), field(&active, "version"), "{at}: {said}");
    }
    let versions = work.history(NAME, usize::MAX).unwrap().as_list().unwrap().len();
    assert_eq!(of("import") + 1, versions.max(1), "{at}: each version has its entry");
    let done = |step: &str| usize::from(said.contains(&format!("done {step}")));
    assert!(of("import") >= done("import"), "{at}: a version is lost: {said}");
    assert!(of("rollback") >= done("rollback") + done("return"), "{at}: {said}");
    assert!(of("cases") >= done("redraw"), "{at}: {said}");
    // And the book can be changed again.
    work.redraw(NAME).unwrap();
}

#[test]
fn a_failure_at_any_write_leaves_no_part_of_a_change() {
    let place = tempfile::tempdir().unwrap();
    let library = library(place.path());
    let count = place.path().join("count");
    let folder = |name: &str| {
        let folder = place.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        folder
    };
    let whole = folder("whole");
    let said = run(&whole, &library, &[("FAIL_COUNT", count.to_str().unwrap())]);
    assert_eq!(said.matches("done ").count(), STEPS.len(), "{said}");
    agrees(&whole, &said, "without a failure");
    let points: usize = std::fs::read_to_string(&count).unwrap().parse().unwrap();
    assert!(points > 20, "{points}");
    // All points take minutes in a debug build.
    let step = if std::env::var_os("SVC_KILLS").is_some() { 1 } else { 7 };
    let mut cut = 0;
    for (no, how) in ["kill", "tear", "once", "always"].into_iter().enumerate() {
        for point in (1 + no..=points).step_by(step) {
            let at = format!("{how} at {point} of {points}");
            let folder = folder(&format!("{how}{point}"));
            let point = point.to_string();
            let said = run(&folder, &library, &[("FAIL_AT", &point), ("FAIL_HOW", how)]);
            cut += usize::from(said.matches("done ").count() < STEPS.len());
            agrees(&folder, &said, &at);
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }
    assert!(cut > 8, "only {cut} failures changed what was done");
}
