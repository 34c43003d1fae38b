//! Caps hold however often a run is resumed: counted by the requests that reach the server.

use std::{
    path::Path,
    process::Child,
    time::{Duration, Instant},
};

use serde_json::Value as Json;
use svc_contract::{store::Store as _, value::Money};
use svc_store::SqliteStore;

use super::{
    PRICES,
    kills::svc,
    provider::finishes,
    server::{Reply, Server},
};

/// One call reserves 513 tokens at $3 and 264 at $15 per million: $0.005499.
const ASK: &str = r#""x" >> ask(max_tokens: 264)"#;
const MOST: Money = Money::from_nanos(5_499_000);

fn place(script: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.svc"), script).unwrap();
    std::fs::write(place.path().join("prices.toml"), PRICES).unwrap();
    place
}

/// Accepts a request and does not answer for a long time.
fn hangs() -> Reply {
    finishes("openai", "yes").in_pieces_of(1).slowly(Duration::from_mins(5))
}

/// Runs until the process ends on its own.
fn ends(folder: &Path, server: &Server, args: &[&str]) -> String {
    let ended = svc(folder, server, args).wait_with_output().unwrap();
    String::from_utf8(ended.stderr).unwrap()
}

/// Waits until a process has sent a request, or has ended.
fn asks_or_ends(child: &mut Child, server: &Server, asked: usize) {
    let since = Instant::now();
    while server.requests().len() == asked && child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_mins(1), "it neither sends a request nor ends");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, signal: &str) {
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Starts a run, ends it by a signal once it has sent a request, and does the same for each resume.
/// Returns the number of requests to the server.
fn interrupted(script: &str, first: &[&str], how: &str, resumes: usize) -> usize {
    let (place, server) = (place(script), Server::start(vec![hangs()]));
    for turn in 0..=resumes {
        let asked = server.requests().len();
        let args = if turn == 0 { first } else { &["resume", "last"] };
        let mut child = svc(place.path(), &server, args);
        asks_or_ends(&mut child, &server, asked);
        if child.try_wait().unwrap().is_none() {
            signal(&child, how);
        }
        child.wait().unwrap();
    }
    let (asked, shown) = (server.requests().len(), spent(place.path()));
    assert_eq!(shown.nanos(), MOST.nanos() * i64::try_from(asked).unwrap(), "{shown}");
    asked
}

/// The spending of the latest run, as the commands show it.
fn spent(folder: &Path) -> Money {
    let json = |args: &[&str]| -> Json {
        let args = [args, &["--json", "--store", "runs.db"]].concat();
        let shown = std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(args)
            .current_dir(folder)
            .output();
        serde_json::from_slice(&shown.unwrap().stdout).unwrap()
    };
    let cost = |it: &Json| Money::parse(it["cost"].as_str().unwrap().trim_start_matches('$'));
    let (runs, shown) = (json(&["runs"]), json(&["show", "last"]));
    let (listed, run) = (cost(&runs[0]).unwrap(), cost(&shown["run"]).unwrap());
    let nodes = shown["nodes"].as_array().unwrap().iter().map(|it| cost(it).unwrap().nanos());
    assert_eq!((listed, run.nanos()), (run, nodes.sum()));
    let store = SqliteStore::open(&folder.join("runs.db"), 0).unwrap();
    assert_eq!(store.run("last").unwrap().used.cost, run);
    run
}

#[test]
fn a_cap_of_the_script_counts_what_timed_out() {
    let script = format!("svc 1 within {{ max_cost: $0.006, timeout: 1s }}\n{ASK}");
    let (place, server) = (place(&script), Server::start(vec![hangs()]));
    ends(place.path(), &server, &["run", "a.svc"]);
    for _ in 0..3 {
        let shown = ends(place.path(), &server, &["resume", "last"]);
        assert!(shown.contains("$0.000501 of $0.006 are left"), "{shown}");
    }
    assert_eq!((server.requests().len(), spent(place.path())), (1, MOST));
}

#[test]
fn a_cap_of_the_script_counts_wrong_answers() {
    let script =
        r#"("x" >> ask<int 1..5>(max_tokens: 264)) within { max_cost: $0.013, max_retries: 0 }"#;
    let (place, server) = (place(script), Server::start(vec![finishes("openai", "{}")]));
    ends(place.path(), &server, &["run", "a.svc"]);
    for _ in 0..9 {
        ends(place.path(), &server, &["resume", "last"]);
    }
    // Each answer has 100 input and 20 output tokens.
    let used = i64::try_from(server.requests().len()).unwrap() * (100 * 3_000 + 20 * 15_000);
    assert_eq!(spent(place.path()).nanos(), used);
    let cap = 13_000_000;
    assert!(used <= cap && used + 600_000 * 9 <= cap * 9, "{used}");
    let before = server.requests().len();
    ends(place.path(), &server, &["resume", "last", "--max-cost", "0.006"]);
    assert_eq!(server.requests().len(), before, "a lower cap counts all earlier spending");
}

#[cfg(unix)]
#[test]
fn a_cap_of_the_script_counts_what_was_interrupted() {
    let script = format!("svc 1 within {{ max_cost: $0.006 }}\n{ASK}");
    assert_eq!(interrupted(&script, &["run", "a.svc"], "-INT", 3), 1);
}

#[cfg(unix)]
#[test]
fn a_cap_of_the_run_holds_for_every_resume() {
    let run = ["run", "a.svc", "--max-cost", "0.006"];
    assert_eq!(interrupted(ASK, &run, "-INT", 4), 1);
}

#[cfg(unix)]
#[test]
fn what_a_killed_attempt_may_have_cost_counts() {
    let script = format!("({ASK}) within {{ max_cost: $0.012 }}");
    assert_eq!(interrupted(&script, &["run", "a.svc"], "-KILL", 4), 2);
}
