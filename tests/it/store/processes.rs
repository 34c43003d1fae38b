//! Several processes with one store, and processes that die.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use svc_contract::store::{RunId, RunState, Store as _, StoreErrorKind};

use super::{NOW, begun, done, open};

#[test]
fn two_threads_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = begun(&open(folder.path()), NOW).id;
    thread::scope(|scope| {
        for name in ["a", "b"] {
            let (run, folder) = (&run, folder.path());
            scope.spawn(move || {
                let store = open(folder);
                for idx in 0..50 {
                    store.commit(done(run, &format!("{name}[{idx}]"), "out").1).wait().unwrap();
                }
            });
        }
    });
    let store = open(folder.path());
    assert_eq!(store.nodes(&run).unwrap().len(), 100);
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

#[test]
fn two_processes_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut children = ["a", "b", "c"].map(|name| child(folder.path(), "write", name));
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let store = open(folder.path());
    let runs = store.runs(&svc_contract::store::Filter::default()).unwrap();
    assert_eq!(runs.len(), 3);
    for run in runs {
        assert_eq!(store.nodes(&run.id).unwrap().len(), 100);
    }
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

#[test]
fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    for lines in [1, 3, 10, 40] {
        let mut child = child(folder.path(), "forever", "x");
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut acknowledged = Vec::new();
        while acknowledged.len() < lines {
            let mut line = String::new();
            said.read_line(&mut line).unwrap();
            acknowledged.extend(line.trim().strip_prefix("acknowledged ").map(str::to_owned));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        let whole = rest.lines().filter_map(|it| it.strip_prefix("acknowledged "));
        acknowledged.extend(whole.map(str::to_owned));

        let store = open(folder.path());
        for line in &acknowledged {
            let (run, path) = line.split_once(' ').unwrap();
            let node = store.node(&RunId::parse(run).unwrap(), path).unwrap();
            assert!(node.is_some(), "{line}");
        }
        let last = store.run("last").unwrap();
        assert_eq!(last.state, RunState::Died);
        drop(store.claim(&last.id).unwrap());
        assert_eq!(store.check().unwrap().problems, [""; 0]);
    }
}

#[test]
fn a_claim_goes_with_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = child(folder.path(), "forever", "x");
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    while !line.starts_with("acknowledged") {
        line.clear();
        said.read_line(&mut line).unwrap();
    }
    let store = open(folder.path());
    let run = store.run("last").unwrap();
    assert_eq!(run.state, RunState::Running);
    let err = store.claim(&run.id).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Claimed { pid: Some(child.id()) });
    assert_eq!(
        err.message,
        format!("process {} is already working on run `{}`", child.id(), run.id)
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(store.run("last").unwrap().state, RunState::Died);
    drop(store.claim(&run.id).unwrap());
}

#[cfg(unix)]
#[test]
fn a_file_that_may_grow_no_more_fails_and_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let exe = std::env::current_exe().unwrap();
    // A limit of 512 KiB for files; the signal is ignored because it would end the process.
    let script = "trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(exe);
    let mut child = spawned(command, folder.path(), "full", "x");
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
    assert!(said.contains("store.db` failed: disk I/O error"), "{said}");
    let store = open(folder.path());
    let acknowledged: Vec<&str> =
        said.lines().filter_map(|it| it.strip_prefix("acknowledged ")).collect();
    assert!(!acknowledged.is_empty());
    for line in acknowledged {
        let (run, path) = line.split_once(' ').unwrap();
        assert!(store.node(&RunId::parse(run).unwrap(), path).unwrap().is_some(), "{line}");
    }
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

/// Writes until it is done or nothing can be written, and prints what is durable. The other tests
/// start it in separate processes, with a path and a number.
#[test]
#[expect(clippy::print_stdout, reason = "the test around reads it")]
fn a_writer_keeps_what_was_acknowledged() {
    let alone = tempfile::tempdir().unwrap();
    let report = |name: &str, alone: &str| std::env::var(name).unwrap_or_else(|_| alone.to_owned());
    let folder = report("SVC_TEST_FOLDER", alone.path().to_str().unwrap());
    let (what, name) = (report("SVC_TEST_DOES", "write"), report("SVC_TEST_NAME", "x"));
    let store = open(Path::new(&folder));
    let run = begun(&store, NOW).id;
    let _claim = store.claim(&run).unwrap();
    let most = if what == "write" { 100 } else { 100_000 };
    let output = if what == "full" { "long ".repeat(2_000) } else { "out".to_owned() };
    let mut written = 0;
    for idx in 0..most {
        let path = format!("{name}[{idx}]");
        match store.commit(done(&run, &path, &format!("{output}{idx}")).1).wait() {
            Ok(()) => println!("\nacknowledged {run} {path}"),
            Err(err) => {
                println!("\nfailed: {err}");
                break;
            }
        }
        written = idx + 1;
    }
    assert_eq!(store.nodes(&run).unwrap().len(), written);
}

fn child(folder: &Path, what: &str, name: &str) -> Child {
    spawned(Command::new(std::env::current_exe().unwrap()), folder, what, name)
}

fn spawned(mut command: Command, folder: &Path, what: &str, name: &str) -> Child {
    let test = "store::processes::a_writer_keeps_what_was_acknowledged";
    command
        .args(["--exact", test, "--nocapture"])
        .env("SVC_TEST_FOLDER", folder)
        .env("SVC_TEST_DOES", what)
        .env("SVC_TEST_NAME", name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}
