//! Signals that request the end of a run.
#![cfg(unix)]

use std::{
    os::unix::process::ExitStatusExt as _,
    process::Command,
    time::{Duration, Instant},
};

use svc_contract::store::RunState;

use super::{Place, err, last, wait_for};

fn send(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Whether this process ignores hang-ups, as under `nohup`: its children inherit that.
fn ignores_hangups() -> bool {
    #[expect(clippy::disallowed_methods, reason = "the state of this process is a file")]
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    ignored.is_some_and(|it| u64::from_str_radix(it.trim(), 16).is_ok_and(|it| it & 1 == 1))
}

#[test]
fn a_signal_ends_a_run_that_goes_on_later() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        if signal == "-HUP" && ignores_hangups() {
            continue;
        }
        let place = Place::new();
        let child = place.command(&["run", "a.svc"]).spawn().unwrap();
        wait_for(&place.store(), 30);
        send(signal, child.id());
        if signal != "-INT" {
            // Terminals and systems that shut down send a signal twice.
            send(signal, child.id());
        }
        let since = Instant::now();
        let ended = child.wait_with_output().unwrap();
        let message = err(&ended);
        assert_eq!(ended.status.code(), Some(130), "{signal}: {message}");
        assert!(since.elapsed().as_secs() < 20, "{signal}");
        assert!(message.contains("interrupted after"), "{signal}: {message}");
        assert!(!place.path().join("runs.db-wal").exists(), "the store was closed");
        let run = last(&place.store()).unwrap();
        assert_eq!(run.state, RunState::Cancelled, "{signal}");
        assert!(run.ended.is_some());
        assert!(message.contains(&format!("`svc resume {}` resumes it", run.id)), "{message}");
        let claims = std::fs::read_dir(place.path().join("runs.db-claims")).unwrap();
        assert_eq!(claims.count(), 0, "no process has claimed the run");
        place.goes_on();
    }
}

/// A computation without calls is interrupted, too, between its items.
#[test]
fn a_signal_ends_items_that_only_compute() {
    let place = Place::new();
    for script in ["range(0, 200000) >> each { range(0, 10000) } >> len", ENDLESS] {
        std::fs::write(place.path().join("endless.svc"), script).unwrap();
        let child = place.command(&["run", "endless.svc"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(500));
        send("-INT", child.id());
        let since = Instant::now();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{script}: {}", err(&ended));
        assert!(since.elapsed().as_secs() < 10, "{script}: {:?}", since.elapsed());
    }
}

/// Hours of work in little memory.
const ENDLESS: &str =
    "range(0, 200000) >> each { range(0, 10000) >> each { it + 1 } >> len } >> len";

#[test]
fn who_says_nohup_wants_no_hangup() {
    let place = Place::new();
    let child = place.after("trap '' HUP", &["run", "a.svc"]).spawn().unwrap();
    wait_for(&place.store(), 30);
    send("-HUP", child.id());
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", err(&ended));
}

/// Memory, which may contain secrets, is not written to a file.
#[test]
fn a_crash_leaves_no_memory_behind() {
    let place = Place::new();
    let limit = "ulimit -c unlimited 2> /dev/null || ulimit -c $(ulimit -H -c)";
    let folder = tempfile::tempdir().unwrap();
    let mut control = Command::new("sh");
    control.args(["-c", &format!("{limit}; kill -ABRT $$")]).current_dir(folder.path());
    let control = control.output();
    if !control.unwrap().status.core_dumped() {
        crate::skipped("this machine keeps no memory of processes that crash");
        return;
    }
    let child = place.after(limit, &["run", "a.svc"]).spawn().unwrap();
    wait_for(&place.store(), 30);
    send("-ABRT", child.id());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.signal(), Some(6));
    assert!(!ended.status.core_dumped());
}
