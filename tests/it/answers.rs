//! Questions about a kept run: what an edited script reuses, what a replay prints, the value at
//! every edge, and the test generated from it.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

const SCRIPT: &str = r#"param who: string = "ada"
let xs = ["one", "two", "three"] >> each { "${it} ${who}" >> wait(duration: 1ms) >> upper }
let text = read_text(path: "x.txt")
{ xs: xs, text: text } >> save_json(to: "out.json")
"#;

/// A folder with a script that has run once.
struct Kept(TempDir);

impl Kept {
    fn new() -> Self {
        let kept = Self(tempfile::tempdir().unwrap());
        kept.write("x.txt", "hello");
        kept.write("a.svc", SCRIPT);
        kept.ok(&["run", "a.svc"]);
        kept
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// Exit code, output and messages, with names of runs as `RUN`.
    fn svc(&self, args: &[&str]) -> (i32, String, String) {
        let done = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(args)
            .current_dir(self.path())
            .env("SVC_STORE", "runs.db")
            .output()
            .unwrap();
        let names = regex::Regex::new("01[0-9a-z]{24}").unwrap();
        let text =
            |bytes: &[u8]| names.replace_all(&String::from_utf8_lossy(bytes), "RUN").into_owned();
        (done.status.code().unwrap(), text(&done.stdout), text(&done.stderr))
    }

    fn ok(&self, args: &[&str]) -> (String, String) {
        let (code, out, err) = self.svc(args);
        assert_eq!(code, 0, "{args:?}: {out}{err}");
        (out, err)
    }

    fn states(&self) -> Vec<String> {
        let (out, _) = self.ok(&["show", "last", "--all"]);
        let rows = out.lines().filter(|it| it.contains('\t')).skip(1);
        let words = rows.map(|it| it.split('\t').take(2).collect::<Vec<_>>().join(" "));
        let mut states: Vec<String> = words.collect();
        states.sort();
        states
    }
}

#[test]
fn an_edited_script_takes_what_did_not_change() {
    let kept = Kept::new();
    kept.write("b.svc", &SCRIPT.replace("three", "four"));
    let (plan, _) = kept.ok(&["plan", "--against", "last", "b.svc"]);
    assert_eq!(
        plan,
        "reuses 3 of 5 calls from RUN\n\n\
         made again\n  xs/each[2]/wait: `value` is \"four ada\", was \"three ada\"\n\n\
         depends on calls made again\n  save_json\n"
    );
    let (_, said) = kept.ok(&["resume", "last", "--with", "b.svc"]);
    assert!(
        said.starts_with("note: reuses 3 of 5 calls from RUN\nnote: made again: xs/each[2]/wait"),
        "{said}"
    );
    assert_eq!(
        kept.states(),
        [
            "save_json done",
            "text/read_text reused",
            "xs/each[0]/wait reused",
            "xs/each[1]/wait reused",
            "xs/each[2]/wait done"
        ]
    );
    let (why, _) = kept.ok(&["why", "last"]);
    assert!(why.contains("xs/each[2]/wait\n  the argument `value` changed from"), "{why}");
    assert!(why.contains("save_json\n  the input changed: `xs/each[2]/wait` returned"), "{why}");
    assert_eq!(kept.ok(&["runs"]).0.lines().count(), 3, "both runs are there");
}

#[test]
fn a_stage_that_was_renamed_is_found_where_it_was() {
    let kept = Kept::new();
    kept.write("b.svc", &SCRIPT.replace("xs", "all"));
    let (plan, _) = kept.ok(&["plan", "--against", "last", "b.svc"]);
    assert!(plan.starts_with("reuses 4 of 5 calls from RUN\n"), "{plan}");
    kept.ok(&["resume", "last", "--with", "b.svc"]);
    assert_eq!(
        kept.states()[1..4],
        ["all/each[1]/wait reused", "all/each[2]/wait reused", "save_json done"]
    );
}

#[test]
fn a_replay_says_what_differs_and_does_nothing() {
    let kept = Kept::new();
    fs::remove_file(kept.path().join("out.json")).unwrap();
    kept.write("x.txt", "changed");
    let (same, _) = kept.ok(&["replay", "last"]);
    assert_eq!(same, "the same: 5 calls, and the result\n");
    kept.write("b.svc", &SCRIPT.replace("upper", "lower"));
    let (code, message, _) = kept.svc(&["replay", "last", "--with", "b.svc"]);
    assert_eq!(code, 1);
    assert!(message.starts_with("save_json\n  differs: `value` is {"), "{message}");
    assert!(message.contains("4 of 5 calls are the same"), "{message}");
    kept.write("c.svc", &SCRIPT.replace("x.txt", "y.txt"));
    let (_, json, _) = kept.svc(&["replay", "last", "--with", "c.svc", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["same"], false);
    assert_eq!(json["calls"][1]["fate"], "differs", "{json}");
    assert!(!kept.path().join("out.json").exists(), "a replay writes nothing");
}

#[test]
fn a_failed_run_is_replayed_as_it_failed() {
    let kept = Kept::new();
    kept.write("f.svc", "\"a\" >> wait(duration: 1ms) >> read_text(path: \"gone.txt\")");
    kept.write("f.svc", "read_text(path: \"gone.txt\") fallback (\"none\" >> wait(duration: 1ms))");
    kept.ok(&["run", "f.svc"]);
    kept.write("gone.txt", "here now");
    assert_eq!(kept.ok(&["replay", "last"]).0, "the same: 2 calls, and the result\n");
}

#[test]
fn every_edge_has_a_value() {
    let kept = Kept::new();
    assert_eq!(kept.ok(&["tap", "last", "xs/each[0]/wait"]).0, "one ada\n");
    // It is computed in place, so it is not kept.
    assert_eq!(kept.ok(&["tap", "last", "xs/each[0]/upper"]).0, "ONE ADA\n");
    let (args, _) = kept.ok(&["tap", "last", "xs/each[0]/wait", "--args", "--json"]);
    let args: serde_json::Value = serde_json::from_str(&args).unwrap();
    assert_eq!(args, serde_json::json!({ "value": "one ada", "duration": "1ms" }));
    assert_eq!(kept.svc(&["tap", "last", "xs/nothing"]).0, 6);
}

#[test]
fn missing_runs_are_distinguished() {
    let kept = Kept::new();
    kept.ok(&["run", "a.svc"]);
    for command in [&["replay"][..], &["plan", "a.svc", "--against"], &["why"], &["tap"]] {
        let ask = |name| kept.svc(&[command, &[name]].concat());
        let (code, _, said) = ask("missing");
        assert_eq!((code, said.lines().next()), (6, Some("error: unknown run `missing`")));
        let (code, _, said) = ask("0");
        assert_eq!(code, 2);
        assert!(said.starts_with("error: more than one run begins with `0`"), "{said}");
    }
}

#[test]
fn a_run_becomes_a_test() {
    let kept = Kept::new();
    let (test, said) = kept.ok(&["test", "--from-run", "last"]);
    assert!(
        test.contains("  mock read_text = \"hello\"\n  mock save_json = \"out.json\"\n"),
        "{test}"
    );
    assert_eq!(said, "");
    kept.write("t.svc", &format!("{SCRIPT}\n{test}"));
    let (message, _) = kept.ok(&["test", "t.svc"]);
    assert!(message.ends_with("1 passed, 0 failed\n"), "{message}");
    kept.write("t.svc", &format!("{}\n{test}", SCRIPT.replace("out.json", "else.json")));
    assert_eq!(kept.svc(&["test", "t.svc"]).0, 0, "the mock replaces the write");
}

#[test]
fn results_of_other_runs_stand_for_calls_where_that_is_asked_for() {
    let kept = Kept::new();
    kept.ok(&["run", "a.svc"]);
    assert!(kept.states().iter().all(|it| it.ends_with(" done")));
    kept.ok(&["run", "a.svc", "--reuse", "1h"]);
    let states = kept.states();
    assert_eq!(states.iter().filter(|it| it.ends_with(" reused")).count(), 4, "{states:?}");
    assert_eq!(states[0], "save_json done", "a write always happens");
}

#[test]
fn a_tuned_default_is_shown_and_must_be_in_its_range() {
    let kept = Kept::new();
    kept.write("s.svc", "\"One. Two. Three.\" >> summary >> .text");
    kept.ok(&["run", "s.svc", "--tune", "summary.max_sentences=1"]);
    let (code, _, said) = kept.svc(&["run", "s.svc", "--tune", "summary.max_sentences=99"]);
    assert_eq!((code, said.contains("from 1 to 50") || said.contains("1..")), (2, true), "{said}");
    let (code, _, said) = kept.svc(&["run", "s.svc", "--tune", "summary.nothing=1"]);
    assert_eq!(code, 2);
    assert!(said.contains("max_sentences"), "{said}");
}

#[test]
fn a_run_can_do_without_a_store() {
    let kept = Kept::new();
    let runs = kept.ok(&["runs"]).0;
    kept.ok(&["run", "a.svc", "--no-store"]);
    assert_eq!(kept.ok(&["runs"]).0, runs);
}

/// The paths of a resumed run are those that it began with, also in values that are computed again.
#[test]
fn a_resumed_run_names_paths_as_before() {
    let kept = Kept::new();
    fs::create_dir(kept.path().join("sub")).unwrap();
    let script = r#"use "lib.svc" as lib
param p: path = "a.txt"
let w = "x" >> write_file(to: p)
let c = w >> copy_file(to: "b.txt")
let text = c >> read_text >> wait(duration: 1ms) >> path >> read_text
{ p: p, w: w, c: c, text: text, lib: lib.f("l") }
"#;
    kept.write("sub/p.svc", script);
    kept.write("sub/lib.svc", "flow f(a: string) -> string { a >> upper }");
    let (code, _, err) = kept.svc(&["run", "sub/p.svc", "--json"]);
    assert_eq!(code, 6, "{err}");
    // The script and what it uses are those of the run, whatever the files are now.
    kept.write("sub/lib.svc", "nothing");
    kept.write("sub/p.svc", "nothing");
    kept.write("x", "found");
    let (resumed, _) = kept.ok(&["resume", "last", "--json"]);
    kept.write("sub/lib.svc", "flow f(a: string) -> string { a >> upper }");
    kept.write("sub/p.svc", script);
    let (whole, _) = kept.ok(&["run", "sub/p.svc", "--json"]);
    assert_eq!(resumed, whole);
    assert!(
        whole.contains(r#""p": "sub/a.txt""#) && whole.contains(r#""c": "sub/b.txt""#),
        "{whole}"
    );
}
