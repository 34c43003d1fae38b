//! The output on a terminal. `script` of util-linux provides one; if it is missing, the test prints
//! that it is skipped.
#![expect(clippy::print_stdout, reason = "people who run the tests learn which were skipped")]

use super::command;

const ITEMS: &str =
    "range(1, 7) >> each { wait(duration: 700ms) } within { max_parallel: 3 } >> sum\n";

/// The output of a run in a terminal of this many columns, including control sequences.
fn drawn(columns: usize, variables: &[(&str, &str)]) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.svc"), ITEMS).unwrap();
    let svc = assert_cmd::cargo::cargo_bin!("svc").to_str().unwrap();
    let line = format!("stty cols {columns} rows 20; '{svc}' run a.svc");
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(place.path());
    script.env("TERM", "xterm").env("SVC_STORE", "runs.db").envs(variables.iter().copied());
    script.stdin(std::process::Stdio::null());
    script.output().ok().map(|it| String::from_utf8_lossy(&it.stdout).into_owned())
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_shows_how_far_a_run_is() {
    use unicode_width::UnicodeWidthStr as _;

    for columns in [80, 30] {
        let Some(text) = drawn(columns, &[]) else {
            println!("skipped: `script` is missing");
            return;
        };
        assert!(text.contains("each: 3/6 items"), "{text:?}");
        assert!(text.contains("1s  3 calls") || columns == 30, "{text:?}");
        let lines = text.split("\u{1b}[K\r\n").map(|it| it.trim_start_matches('\r'));
        for line in lines.filter(|it| !it.contains('\u{1b}')) {
            assert!(line.width() < columns, "{line:?}");
        }
        // The progress display is erased before the result is printed.
        assert!(text.ends_with("\u{1b}[J21\r\n"), "{text:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_goes_between_what_is_drawn() {
    let Some(text) = drawn(80, &[("SVC_LOG", "debug")]) else {
        println!("skipped: `script` is missing");
        return;
    };
    let logged: Vec<&str> = text.lines().filter(|it| it.contains("the call ended")).collect();
    assert_eq!(logged.len(), 6, "{text:?}");
    assert!(text.contains("each: 3/6 items"), "{text:?}");
}

#[test]
fn nothing_is_drawn_where_there_is_no_terminal() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.svc"), ITEMS).unwrap();
    let done = command(&["run", "a.svc"], &[]).current_dir(place.path()).output().unwrap();
    assert_eq!((done.stdout.as_slice(), done.stderr.as_slice()), (&b"21\n"[..], &b""[..]));
}
