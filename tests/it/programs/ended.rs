//! Programs end with their runs, whatever they do about it.

use std::time::{Duration, Instant};

use super::{Place, alive, err, none_left, within};

/// A program that forks children, which all ignore requests to end.
fn stubborn(mark: &str) -> String {
    format!(
        r#"range(0, 3) >> each {{ exec("sh", args: ["-c", "trap '' TERM INT HUP; (trap '' TERM; sh -c 'trap \"\" TERM; sleep 60; : {mark}') & sleep 60; : {mark}"]) }} >> len"#
    )
}

fn mark(of: &str) -> String {
    format!("{of}{}mark", std::process::id())
}

fn send(signal: &str, pid: u32) {
    let pid = pid.to_string();
    assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

#[test]
fn a_signal_ends_all_programs_with_the_command() {
    for signal in ["-INT", "-TERM"] {
        let mark = mark("once");
        let place = Place::new(&stubborn(&mark));
        let child = place.command(&["run", "a.svc"]).spawn().unwrap();
        within(Duration::from_secs(20), || alive(&mark).len() >= 6);
        let since = Instant::now();
        send(signal, child.id());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{}", err(&ended));
        assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
        none_left(&mark);
    }
}

/// The second Ctrl-C does not wait.
#[test]
fn an_exit_at_once_ends_them_too() {
    let mark = mark("twice");
    let place = Place::new(&stubborn(&mark));
    let child = place.command(&["run", "a.svc"]).spawn().unwrap();
    within(Duration::from_secs(20), || alive(&mark).len() >= 6);
    send("-INT", child.id());
    std::thread::sleep(Duration::from_millis(50));
    send("-INT", child.id());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", err(&ended));
    none_left(&mark);
}

#[test]
fn a_timeout_and_a_failed_sibling_end_them() {
    for (name, script) in [
        ("late", "BODY within { timeout: 1s }"),
        ("sibling", r#"1 >> parallel { a: BODY, b: wait(1s) >> fail("enough") }"#),
    ] {
        let mark = mark(name);
        let place = Place::new(&script.replace("BODY", &format!("({})", stubborn(&mark))));
        let since = Instant::now();
        let ended = place.svc(&["run", "a.svc"]);
        assert!(!ended.status.success());
        assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
        // The command has ended, so they have ended before it.
        assert!(alive(&mark).is_empty(), "{name}: {}", err(&ended));
    }
}
