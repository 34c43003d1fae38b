//! A run that is killed at any moment can be resumed: no recorded call is repeated, and the result
//! is that of an undisturbed run.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use svc_contract::store::{NodeState, Store as _};
use svc_store::SqliteStore;

use super::{
    KEY, PRICES,
    provider::finishes,
    server::{Reply, Server},
};
use crate::hostile_runs::SCRIPT;

/// The maximum number of kills for one that hits a run in the middle.
const TRIES: u64 = 10;

/// The number of kills in the middle of a run; `SVC_KILLS=300` sets another one.
const KILLS: u64 = 5;

pub(super) fn svc(folder: &Path, server: &Server, args: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(args)
        .args(["--store", "runs.db"])
        .current_dir(folder)
        .env("SVC_MODEL", "openai/priced")
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url))
        .env("OPENAI_API_KEY", KEY)
        .env("SVC_PRICES", "prices.toml")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.svc"), SCRIPT).unwrap();
    std::fs::write(place.path().join("prices.toml"), PRICES).unwrap();
    place
}

/// The finished calls of the latest run: paths with the times of their starts.
fn done(folder: &Path) -> Vec<(String, i64)> {
    let store = SqliteStore::open(&folder.join("runs.db"), 0).unwrap();
    let Ok(run) = store.run("last") else { return Vec::new() };
    let nodes = store.nodes(&run.id).unwrap().into_iter();
    nodes.filter(|it| it.state == NodeState::Done).map(|it| (it.path, it.started)).collect()
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let kills = std::env::var("SVC_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(KILLS);
    let mut rng = fastrand::Rng::with_seed(5);
    let mut halves = 0;
    let began = std::time::Instant::now();
    let whole = {
        let (place, server) = (place(), Server::start(vec![finishes("openai", "yes")]));
        assert!(svc(place.path(), &server, &["run", "a.svc"]).wait().unwrap().success());
        std::fs::read_to_string(place.path().join("out.json")).unwrap()
    };
    // A run is killed within the time that a whole one takes on this machine.
    let longest = u64::try_from(began.elapsed().as_millis()).unwrap().max(2);
    // Runs without a recorded call do not count.
    for _ in 0..kills * TRIES {
        if halves == kills {
            break;
        }
        let (place, server) = (place(), Server::start(vec![finishes("openai", "yes")]));
        let mut killed = svc(place.path(), &server, &["run", "a.svc"]);
        std::thread::sleep(Duration::from_millis(rng.u64(1..longest)));
        killed.kill().unwrap();
        killed.wait().unwrap();
        let (before, asked) = (done(place.path()), server.requests().len());
        if before.is_empty() {
            continue;
        }
        halves += 1;
        let resumed = svc(place.path(), &server, &["resume", "last"]).wait_with_output().unwrap();
        assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
        let out = std::fs::read_to_string(place.path().join("out.json")).unwrap();
        assert_eq!(out, whole);
        let after = done(place.path());
        for node in &before {
            assert!(after.contains(node), "{node:?} was done again");
        }
        let known = before.iter().filter(|(path, _)| path.ends_with("/ask")).count();
        let again = server.requests().len() - asked;
        assert_eq!(again, 5 - known, "answered and recorded calls are not repeated");
    }
    assert!(halves > 0, "no run was killed in the middle");
}

/// Each call of a flow that an op makes has a record of its own.
#[test]
fn calls_that_an_op_made_are_not_made_again() {
    let script = "flow weight(text: string) -> int { ask<int>(prompt: text) }\n\
                  [\"one\", \"two\", \"three\"] >> count_by(by: weight) within { max_retries: 0 }\n";
    let place = place();
    std::fs::write(place.path().join("a.svc"), script).unwrap();
    let failed = std::sync::atomic::AtomicBool::new(false);
    let server = Server::answering(move |request| {
        let is_last = request.text.contains("three");
        if is_last && !failed.swap(true, std::sync::atomic::Ordering::SeqCst) {
            // The others are answered before.
            return Reply::new(500, "{}").slowly(Duration::from_millis(500));
        }
        finishes("openai", r#"{"value": 1}"#)
    });
    assert!(!svc(place.path(), &server, &["run", "a.svc"]).wait().unwrap().success());
    assert_eq!(server.requests().len(), 3);
    let resumed = svc(place.path(), &server, &["resume", "last"]).wait_with_output().unwrap();
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!(server.requests().len(), 4, "only what failed is asked again");
}

/// A run knows the results of all runs before it, however often the script was edited.
#[test]
fn a_script_that_is_edited_twice_keeps_the_first_results() {
    let scripts = [
        "let one = ask(prompt: \"one\")\none >> fail\n",
        // It fails before the call.
        "let before = read_text(path: \"missing.txt\")\n\
         let one = if before == \"\" { \"\" } else { ask(prompt: \"one\") }\none\n",
        "let one = ask(prompt: \"one\")\n\"${one}!\"\n",
    ];
    let (place, server) = (place(), Server::start(vec![finishes("openai", "yes")]));
    for (idx, script) in scripts.into_iter().enumerate() {
        std::fs::write(place.path().join("a.svc"), script).unwrap();
        let run = ["run", "a.svc"];
        let resume = ["resume", "last", "--with", "a.svc"];
        let args = if idx == 0 { &run[..] } else { &resume[..] };
        let ended = svc(place.path(), &server, args).wait_with_output().unwrap();
        let shown = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.success(), idx == 2, "{shown}");
        assert_eq!(server.requests().len(), 1, "after script {}: {shown}", idx + 1);
    }
}
