//! Statements from a pipe.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Output, Stdio},
};

use super::Place;

impl Place {
    pub(super) fn repl(&self, stdin: &[u8], args: &[&str]) -> Output {
        let args = [&["repl"], args].concat();
        let mut command = self.svc(&args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap()
    }

    #[track_caller]
    fn gives(&self, stdin: &str, out: &str) {
        let done = self.repl(stdin.as_bytes(), &[]);
        let err = String::from_utf8(done.stderr).unwrap();
        assert_eq!(String::from_utf8(done.stdout).unwrap(), out, "{err}");
        assert_eq!(done.status.code(), Some(0), "{err}");
    }

    #[track_caller]
    fn fails(&self, stdin: &[u8], args: &[&str], code: i32, out: &str, err: &str) {
        let done = self.repl(stdin, args);
        let message = String::from_utf8(done.stderr).unwrap();
        assert_eq!(String::from_utf8(done.stdout).unwrap(), out, "{message}");
        assert_eq!(done.status.code(), Some(code), "{message}");
        assert!(message.contains(err), "{message}");
    }
}

#[test]
fn results_are_printed_and_names_go_on_to_count() {
    let place = Place::new();
    place.gives("let a = [3, 1, 2]\na >> sort { it }\n>> len\n", "3\n");
    place.gives(
        "let a = [3, 1, 2]\n\na >> sort { it }\n\n:json a\n",
        "1\n2\n3\n[\n  3,\n  1,\n  2\n]\n",
    );
    place.gives(
        "# a note\nflow shout(s: string) -> string {\n  s >> upper\n}\n\"x\" >> shout\n",
        "X\n",
    );
    place.gives("1 + 1\n2 + 2\nans + 1\n", "2\n4\n5\n");
    place.gives("let x = 1\nlet x = x + 1\nx", "2\n");
    place.gives("type Note = { text: string }\nlet n: Note = { text: \"hi\" }\nn.text\n", "hi\n");
    place.gives("param n: int = 2\nn * 2\n:param n 5\nn * 2\n", "4\n10\n");
    place.gives("", "");
    place.gives("\n\n# nothing\n", "");
}

#[test]
fn a_statement_that_fails_ends_it_with_its_code() {
    let place = Place::new();
    place.fails(b"1 + 1\nnope\n2 + 2\n", &[], 7, "2\n", "unknown name `nope`");
    place.fails(b"fail(\"no\")\n2 + 2\n", &[], 1, "", "no");
    place.fails(b"nope\n2 + 2\n", &["--keep-going"], 7, "4\n", "`nope`");
    place.fails(b"1 + 1\n:quit\nnope\n", &[], 0, "2\n", "");
    place.fails(b"\"a\xff\"\n", &[], 2, "", "is not valid UTF-8");
    place.fails(b":nmaes\n", &[], 2, "", "did you mean `:names`?");
    place.fails(b":set rows none\n", &[], 2, "", "a number of lines");
    place.fails(b"[1, 2\n", &[], 7, "", "`[` is never closed");
    // If a part of a statement is wrong, nothing of it runs.
    place.fails(b":load two.svc\n", &[], 6, "", "two.svc");
    place.file("two.svc", "let a = save_json(1, to: \"out.json\")\n\na >> nope\n");
    place.fails(b":load two.svc\n", &[], 7, "", "`nope`");
    assert!(!place.path().join("out.json").exists());
}

#[test]
fn places_of_problems_are_those_of_what_was_entered() {
    let place = Place::new();
    place.fails(b"let a = 1\nflow f(s: string) -> string { s }\n a >> f\n", &[], 7, "", "[repl:1:");
    place.fails(b"secret key\nlet k = key\n", &[], 7, "", "[repl:1:1]");
    place.fails(b"param q: string\nq >> upper\n", &[], 2, "", "`:param NAME VALUE`");
    place.fails(b"let a = \"no\"\n a >> fail\n", &[], 1, "", "[repl:1:7]");
}

#[test]
fn a_sketch_is_not_run_and_not_kept() {
    let place = Place::new();
    let sketch = b"let a = [2, 1] >> ?order: [int] -> [int]  # smallest first\na >> first\n";
    place.fails(sketch, &[], 7, "", "unfilled hole `?order`: expected a stage (smallest first)");
}

#[test]
fn a_program_may_wait_for_each_result() {
    let place = Place::new();
    let mut child =
        place.svc(&["repl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    for n in 1..=3 {
        writeln!(stdin, "{n} * 10").unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{}\n", n * 10));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// A signal ends the running statement, also after others, and the wait for the next one.
#[test]
fn signals_end_what_runs_and_what_waits() {
    let place = Place::new();
    let interrupted = |stdin: &[u8]| {
        let mut command = place.svc(&["repl"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Open until the end: closing the pipe would end the program, too.
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(stdin).unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(500));
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let done = child.wait_with_output().unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let (code, message) = interrupted(b"1\nwait(1, duration: 1h)\n");
    assert_eq!(code, Some(130), "{message}");
    assert!(message.contains("interrupted after"), "{message}");
    assert_eq!(interrupted(b"1\n").0, Some(130));
}

#[test]
fn a_long_statement_is_read_in_time() {
    let place = Place::new();
    let items = "  1,\n".repeat(20_000);
    place.gives(&format!("[\n{items}] >> len\nans + 1\n"), "20000\n20001\n");
}

#[test]
fn what_is_saved_is_what_the_answer_needs() {
    let place = Place::new();
    let script = "let unused = 1\nlet words = [\"b\", \"a\"]\nwords >> sort { it }\n>> first\n\
                  :save s.svc\n";
    place.gives(script, "a\n");
    let wanted = "let words = [\"b\", \"a\"]\n\nwords\n  >> sort { it }\n  >> first\n";
    assert_eq!(place.read("s.svc"), wanted);
    place.fails(b"1\n:save s.svc\n", &[], 1, "1\n", "exists already");
    place.gives("1\n:save! s.svc\n", "1\n");
    assert_eq!(place.read("s.svc"), "1\n");
    place.fails(b":save s2.svc\n", &[], 1, "", "there is nothing to save");
}

#[test]
fn scripts_are_entered_as_a_whole() {
    let place = Place::new();
    let script = "svc 1 within { timeout: 30s }\n\nparam by: int = 2\n\n\
                  let some = [1, 2] >> times(by: by)\n\nsome >> sum\n\n\
                  flow times(xs: [int], by: int) -> [int] { xs >> each { it * by } }\n\n\
                  test \"sums\" {\n  let r = main(by: 1)\n  expect r == 3\n}\n";
    place.file("sums.svc", script);
    place.gives(":load sums.svc\nsome\n", "6\nok  sums\n2\n4\n");
    place.gives(":load sums.svc by=10\n:save again.svc\n", "30\nok  sums\n");
    let tested = place.svc(&["test", "again.svc"]).output().unwrap();
    assert!(tested.status.success(), "{}", place.read("again.svc"));
}

#[test]
fn caps_hold_for_lines_and_for_all_of_them() {
    let place = Place::new();
    let waits = b":set timeout 50ms\nwait(1, duration: 10s)\n";
    place.fails(waits, &[], 8, "", "timeout");
    let bounded = place.repl(b":set budget 0.5\n:bounds search(\"x\", source: \"docs\")\n", &[]);
    assert!(String::from_utf8(bounded.stdout).unwrap().contains("max_cost $0.5"));
    let shown = place.repl(b":set\n", &["--max-cost", "0.10"]);
    assert!(String::from_utf8(shown.stdout).unwrap().contains("$0.1"));
}

#[test]
fn tuned_defaults_apply_to_later_lines() {
    let place = Place::new();
    let line = "\"One. Two. Three.\" >> summary >> .text\n";
    let tuned = format!(
        ":tune\n:tune summary.max_sentences 1\n{line}:tune\n:tune summary.max_sentences=2\n{line}\
         :tune ctx_summary.max_sentences default\n:tune summary.max_sentences\n"
    );
    let done = place.repl(tuned.as_bytes(), &[]);
    let out = String::from_utf8(done.stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    let [one, listed, two, shown] = lines[..] else { panic!("{out}") };
    assert!(one.len() < two.len(), "{out}");
    assert_eq!(listed, "  ctx_summary.max_sentences: int 1..50 = 1 (default 5)");
    assert_eq!(shown, "  ctx_summary.max_sentences: int 1..50 = 5");
    // The command line tunes the first lines, and pages show what holds.
    let stdin = b":tune\n:inspect summary\n";
    let done = place.repl(stdin, &["--tune", "summary.max_sentences=7"]);
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(out.contains("= 7 (default 5)") && out.contains("tuned to 7)"), "{out}");
    place.fails(b":tune summary.max_sentences 99\n", &[], 2, "", "expected int 1..50");
    place.fails(b":tune summary.nothing 1\n", &[], 2, "", "max_sentences");
    place.fails(b":tune summary\n", &[], 2, "", "is not a tunable");
}

#[test]
fn the_commands_of_svc_are_about_the_last_line() {
    let place = Place::new();
    let done = place
        .repl(b"search(\"cap\", source: \"docs\") >> len\n:tap\n:tap search --json\n:runs\n", &[]);
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(out.starts_with("2\n2\n[\n"), "{out}");
    assert!(out.contains("repl: search(\"cap\", source: \"docs\") >> len"), "{out}");
    place.fails(b":why nope\n", &[], 6, "", "");
    place.fails(b":repl\n", &[], 2, "", "unknown command `:repl`");
    place.gives(":type upper\n:type \"a\" >> len\n", "upper(text: string) -> string\nint\n");
}

#[test]
fn files_that_rules_refuse_are_not_used() {
    let place = Place::new();
    place.file("key.svc", "flow key() -> string { \"hunter2\" }");
    place.file("uses.svc", "use \"key.svc\" as k");
    let stdin = b"use \"key.svc\" as k\nk.key()\n1 + 1\n";
    let deny = &["--deny", "reads"];
    place.fails(stdin, deny, 7, "", "E315");
    // Refused statements define no names for the following lines.
    place.fails(stdin, &[deny, &["--keep-going"][..]].concat(), 7, "2\n", "E201");
    // The same holds for a script that was loaded at the start.
    place.fails(b"k.key()\n", &[&["uses.svc"], &deny[..]].concat(), 7, "", "E315");
    let done = place.repl(b"use \"key.svc\" as k\nk.key()\n", &[]);
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "hunter2\n", "without rules it is used");
}

#[test]
fn plain_words_leave_and_help_unless_they_are_names() {
    let place = Place::new();
    for word in ["exit", "quit", ":exit"] {
        place.gives(&format!("1 + 1\n{word}\n2 + 2\n"), "2\n");
    }
    let done = place.repl(b"help\nhelp each\n", &[]);
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(out.contains(":bounds [EXPR]") && out.contains("every item"), "{out}");
    place.gives("let exit = 5\nlet help = 6\nexit\nhelp\nexit + help\n", "5\n6\n11\n");
    place.fails(b"exit now\n", &[], 7, "", "unknown name `exit`");
}

#[test]
fn bounds_of_pure_lines_are_shown() {
    let place = Place::new();
    let free = "no cost, no tokens, negligible time: only pure functions run\n";
    place.gives(":bounds [2, 1] >> sort { it } >> take(n: 1)\n", free);
    place.gives("[2, 1] >> take(n: 1)\n:bounds\n", &format!("2\n{free}"));
    place.gives(":bounds 1 + 1\n", "no component runs: the value is computed from the inputs\n");
}
