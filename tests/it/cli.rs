//! The program as a shell sees it: its input, output and exit codes.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

mod access;
mod apis;
mod certificates;
mod completion;
mod declared;
mod elements;
mod folders;
mod helps;
mod library;
mod outputs;
mod servers;
mod texts;
mod workbooks;
mod written;

/// A folder with scripts, in which the program runs.
struct Place(TempDir);

/// The result of a finished program.
struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        command
            .args(args)
            .current_dir(self.path())
            .env("SVC_CACHE", self.path().join(".cache"))
            .env("SVC_STORE", self.path().join(".runs/runs.db"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn svc(&self, args: &[&str]) -> Done {
        Done::of(self.command(args).output().unwrap())
    }

    fn svc_with(&self, stdin: &[u8], args: &[&str]) -> Done {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // The program may stop before the end of its input.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Done::of(child.wait_with_output().unwrap())
    }
}

impl Done {
    fn of(output: Output) -> Self {
        let text = |it| String::from_utf8(it).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn gives(&self, out: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(0), out), "{}", self.err);
    }

    #[track_caller]
    fn fails(&self, code: i32, err: &str) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        assert!(self.err.contains(err), "{}", self.err);
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|it| panic!("{it}: {}", self.out))
    }
}

#[test]
fn scripts_run_from_files_and_from_standard_input() {
    let place = Place::new(&[("up.svc", "upper"), ("nested/in.svc", r#"read_text("a.txt")"#)]);
    fs::write(place.path().join("nested/a.txt"), "next to the script").unwrap();
    place.svc(&["run", "up.svc", "you"]).gives("YOU\n");
    place.svc_with(br#""x" >> upper"#, &["run", "-"]).gives("X\n");
    place.svc_with(b"upper", &["run", "-", "you"]).gives("YOU\n");
    place.svc(&["run", "nested/in.svc"]).gives("next to the script\n");
}

#[test]
fn the_input_may_come_from_standard_input() {
    let place = Place::new(&[
        ("up.svc", "upper"),
        ("two.svc", "param a: int  param b: int  a + b"),
        ("optional.svc", "param a: int = 1  a"),
    ]);
    place.svc_with(b"two\nlines\n", &["run", "up.svc"]).gives("TWO\nLINES\n");
    place.svc_with(b"", &["run", "up.svc"]).gives("");
    place.svc_with(b"4\n", &["run", "two.svc", "-p", "a=3"]).gives("7\n");
    place.svc_with(b"4\n", &["run", "two.svc"]).fails(2, "the script needs `a: int`");
    place.svc_with(b"", &["run", "two.svc", "-p", "a=3"]).fails(2, "the script needs `b: int`");
    place.svc_with(b"4\n", &["run", "optional.svc"]).gives("1\n");
    place.svc_with(b"\xff", &["run", "up.svc"]).fails(2, "standard input is not valid UTF-8");
}

#[test]
fn params_are_read_as_their_types() {
    let script = "param n: int  param tags: [string] = []  param wait: duration = 1s
                  { n: n, tags: tags, wait: wait }";
    let place = Place::new(&[("p.svc", script)]);
    let args = ["run", "p.svc", "-p", "n=5", "-p", r#"tags=["a=b", "c"]"#, "-p", "wait=90s"];
    place.svc(&args).gives("n     5\ntags  a=b\n      c\nwait  1m30s\n");
    let done = place.svc(&["run", "p.svc", "7", "--json"]);
    assert_eq!(done.json(), serde_json::json!({ "n": 7, "tags": [], "wait": "1s" }));
}

#[test]
fn wrong_params_are_wrong_usage() {
    let place = Place::new(&[("p.svc", "param count: int  count")]);
    place.svc(&["run", "p.svc", "-p", "count=x"]).fails(2, "expected int for `count`, found");
    place.svc(&["run", "p.svc", "-p", "cuont=1"]).fails(2, "did you mean `count`?");
    place.svc(&["run", "p.svc", "-p", "count"]).fails(2, "NAME=VALUE");
    place
        .svc(&["run", "p.svc", "-p", "count=1", "-p", "count=2"])
        .fails(2, "duplicate param `count`");
    place.svc(&["run", "p.svc"]).fails(2, "the script needs `count: int`");
    place.svc_with(b"1", &["run", "-", "x"]).fails(2, "the script has no param");
    place.svc(&["run"]).fails(2, "required");
    place.svc(&["walk"]).fails(2, "unrecognized");
    place.svc(&[]).fails(2, "Write scripts:");
}

#[test]
fn results_read_well_in_a_pipe() {
    let place = Place::new(&[]);
    let run = |script: &str| place.svc_with(script.as_bytes(), &["run", "-"]);
    run(r#"[{ a: 1, b: "x y" }, { a: 2, b: "z" }]"#).gives("a\tb\n1\tx y\n2\tz\n");
    run(r#"["a", "b"]"#).gives("a\nb\n");
    run("let x: string? = null  x").gives("");
    run(r#""Cats sleep all day long." >> summary"#).gives("Cats sleep all day long.\n");
}

#[test]
fn failures_have_their_codes() {
    let place = Place::new(&[
        ("fail.svc", r#""x" >> wait(duration: 1ms) >> fail(message: "on purpose")"#),
        ("absent.svc", r#"read_text("absent.txt")"#),
        (
            "slow.svc",
            r#""x" >> repeat 3 { wait(duration: 30s) } until it == "y" within { timeout: 50ms }"#,
        ),
    ]);
    let failed = place.svc(&["run", "fail.svc"]);
    failed.fails(1, "on purpose");
    failed.fails(1, "note: finished before: wait (");
    assert_eq!(failed.out, "");
    place.svc(&["run", "absent.svc"]).fails(6, "it does not exist");
    place.svc(&["run", "slow.svc"]).fails(8, "took longer than 50ms");
}

#[test]
fn other_files_are_distinguished_from_scripts() {
    let place = Place::new(&[("folder/x.svc", "1"), ("empty.svc", ""), ("wrong.svc", "1 >> uper")]);
    fs::write(place.path().join("bytes.svc"), b"1 +\n \"\xff\"").unwrap();
    for command in ["run", "check", "plan"] {
        let svc = |file| place.svc(&[command, file]);
        svc("none.svc").fails(6, "cannot use `none.svc`: it does not exist");
        if command != "check" {
            svc("folder").fails(2, "it is a folder");
        }
        svc("bytes.svc")
            .fails(7, "`bytes.svc` is not valid UTF-8 (invalid byte 0xff at offset 6, line 2)");
        assert_eq!(svc("empty.svc").code, Some(7));
        assert_eq!(svc("wrong.svc").code, Some(7));
        assert_eq!(place.svc_with(b"\xff", &[command, "-"]).code, Some(7));
    }
    place.svc(&["run", "upper >> lower"]).fails(6, "svc run -");
}

#[test]
fn warnings_do_not_stop_a_run() {
    let script = "let unused = 1\n2";
    let place = Place::new(&[("w.svc", script)]);
    let done = place.svc(&["run", "w.svc"]);
    done.gives("2\n");
    assert!(done.err.contains("warning[E221]"), "{}", done.err);
    let checked = place.svc(&["check", "w.svc"]);
    assert!(checked.out.ends_with("w.svc: ok, result int, 1 warning\n"), "{}", checked.out);
}

#[test]
fn check_finds_everything_in_all_files() {
    let place = Place::new(&[("ok.svc", "upper"), ("bad.svc", "\"ü\" >> uper >> take(5)")]);
    place.svc(&["check", "ok.svc"]).gives("ok.svc: ok, result string\n");
    let done = place.svc(&["check", "bad.svc", "ok.svc", "none.svc"]);
    assert_eq!(done.code, Some(7));
    for part in ["did you mean `upper`?", "E107", "bad.svc: 2 errors", "ok.svc: ok"] {
        assert!(done.out.contains(part), "{part}: {}", done.out);
    }
    assert!(done.err.contains("none.svc"), "{}", done.err);
}

#[test]
fn check_gives_json() {
    let place = Place::new(&[("ok.svc", "upper"), ("bad.svc", "\"ü\" >>\nuper")]);
    let done = place.svc(&["check", "--json", "bad.svc", "ok.svc", "none.svc"]);
    assert_eq!((done.code, done.err.as_str()), (Some(7), ""));
    let files = &done.json()["files"];
    let problem = &files[0]["problems"][0];
    assert_eq!(problem["code"], "E201");
    assert_eq!(problem["severity"], "error");
    assert_eq!(
        problem["labels"][0]["span"],
        serde_json::json!({
            "start": 8, "end": 12, "line": 2, "column": 1, "end_line": 2, "end_column": 5,
        })
    );
    assert_eq!(problem["fixes"][0]["text"], "upper");
    assert_eq!((&files[1]["ok"], &files[1]["result"]), (&true.into(), &"string".into()));
    assert_eq!(files[1]["inputs"][0]["name"], "input");
    assert_eq!(files[2]["ok"], false);
    assert!(files[2]["error"].as_str().unwrap().contains("does not exist"));
}

const TESTED: &str = r#"
param topic: string
topic >> ask >> upper

mock ask = "a flow"
test "the answer is shouted" { let r = main(topic: "x")  expect r == "A FLOW" }
test "the model is asked once" { let r = main(topic: "x")  expect run.calls("ask") == 1 }
"#;

/// A script with a test that passes and one that does not.
const HALF: &str = r#"
test "right" { let r = "x" >> wait(duration: 90s)  expect run.time == 90s }
test "wrong" { let r = upper("x")  expect r == "x" }
"main"
"#;

#[test]
fn tests_of_scripts_pass() {
    let place = Place::new(&[("t.svc", TESTED), ("none.svc", "upper")]);
    let both = "t.svc: the answer is shouted ... ok, $0.000015\n\
                t.svc: the model is asked once ... ok, $0.000015\n\
                2 passed, 0 failed\n";
    place.svc(&["test", "t.svc"]).gives(both);
    let one = place.svc(&["test", "t.svc", "none.svc", "--filter", "once"]);
    assert!(one.out.starts_with("t.svc: the model is asked once ... ok"), "{}", one.out);
    assert!(one.out.ends_with("\n1 passed, 0 failed\n"), "{}", one.out);
    // A file without tests is not a failure, but is reported.
    for (args, note) in [
        (vec!["test", "none.svc"], "no tests found: add `test"),
        (vec!["test", "t.svc", "--filter", "missing"], "no test name contains the filter"),
    ] {
        let none = place.svc(&args);
        assert_eq!((none.code, none.out.as_str()), (Some(0), ""), "{}", none.err);
        assert!(none.err.contains(note), "{}", none.err);
    }
}

#[test]
fn tests_of_scripts_fail() {
    let place = Place::new(&[("half.svc", HALF), ("bad.svc", "\"x\" >> uper")]);
    let half = place.svc(&["test", "half.svc"]);
    assert_eq!(half.code, Some(1), "{}", half.err);
    let lines = ["half.svc: right ... ok, 1m30s\n", "half.svc: wrong ... FAILED\n", "[E414]"];
    for part in lines.into_iter().chain(["is \"X\"", "half.svc:3:", "\n1 passed, 1 failed\n"]) {
        assert!(half.out.contains(part), "{part}: {}", half.out);
    }
    assert_eq!(place.svc(&["test", "half.svc", "--filter", "right"]).code, Some(0));
    place.svc(&["test", "bad.svc"]).fails(7, "did you mean `upper`?");
    place.svc(&["test", "missing.svc"]).fails(6, "cannot use `missing.svc`: it does not exist");
    // The first failing file decides.
    assert_eq!(place.svc(&["test", "half.svc", "bad.svc"]).code, Some(1));
    assert_eq!(place.svc(&["test", "bad.svc", "half.svc"]).code, Some(7));
}

#[test]
fn tests_of_scripts_give_json() {
    let place = Place::new(&[("half.svc", HALF), ("bad.svc", "\"x\" >> uper"), ("t.svc", TESTED)]);
    let done = place.svc(&["test", "--json", "half.svc", "bad.svc", "missing.svc", "t.svc"]);
    assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
    let report = done.json();
    assert_eq!((&report["passed"], &report["failed"]), (&3.into(), &1.into()));
    let (half, files) = (&report["files"][0]["tests"], &report["files"]);
    assert_eq!((&half[0]["name"], &half[0]["passed"]), (&"right".into(), &true.into()));
    assert_eq!(half[0]["took"], 90_000.0);
    assert_eq!(half[1]["problems"][0]["code"], "E414");
    assert_eq!(half[1]["problems"][0]["span"]["line"], 3);
    assert_eq!(files[1]["problems"][0]["code"], "E201");
    assert_eq!(files[1]["tests"], serde_json::json!([]));
    assert!(files[2]["error"].as_str().unwrap().contains("does not exist"));
    let cost = files[3]["tests"][0]["cost"].as_str().unwrap();
    assert!(cost.starts_with("$0.0") && files[3]["tests"][0]["tokens"].as_u64() > Some(0));
}

#[test]
fn plans_are_shown() {
    let place = Place::new(&[("p.svc", r#"search(source: "docs") >> rag_retrieval >> summary"#)]);
    let text = place.svc(&["plan", "p.svc"]);
    assert_eq!(text.code, Some(0));
    assert!(text.out.contains("input input: string") && text.out.contains("reads fs:docs"));
    let json = place.svc(&["plan", "p.svc", "--json"]).json();
    assert_eq!(json["nodes"][1]["op"], "ctx_rag.infer");
    assert_eq!(json["nodes"][1]["needs"][0], "search");
    assert_eq!(json["nodes"][0]["cost_class"], "compute");
    assert_eq!(json["effects"][0]["verb"], "reads");
}

/// Inputs narrow the estimate, and caps of the run are judged together with the script's.
#[test]
fn plans_are_made_for_inputs_and_caps() {
    let script =
        "param wait_for: duration = 1h\nwait(\"x\", duration: wait_for) within { timeout: 2h }";
    let place = Place::new(&[("w.svc", script)]);
    let most = |args: &[&str]| {
        let all = [&["plan", "w.svc", "--json"], args].concat();
        let json = place.svc(&all).json();
        (json["envelope"]["time"]["max"].clone(), json["verdicts"].clone())
    };
    assert_eq!(most(&["-p", "wait_for=30s"]).0, 30_000.0);
    let (time, verdicts) = most(&["-p", "wait_for=30s", "--timeout", "1m", "--max-cost", "$0.10"]);
    assert_eq!(time, 30_000.0);
    let report = |key: &str, limit: &str| {
        let all = verdicts.as_array().unwrap();
        all.iter().any(|it| it["bound"] == key && it["limit"] == limit)
    };
    assert!(report("timeout", "1m") && report("max_cost", "$0.10"), "{verdicts}");
    let shown = place.svc(&["plan", "w.svc", "--max-cost", "0.10"]).out;
    assert!(shown.contains("the run's max_cost $0.10: PROVEN"), "{shown}");
    let shown = place.svc(&["plan", "w.svc", "--timeout", "1s", "-p", "wait_for=30s"]).out;
    assert!(shown.contains("the run's timeout 1s: IMPOSSIBLE"), "{shown}");
    place.svc(&["plan", "w.svc", "-p", "waitfor=30s"]).fails(2, "no param `waitfor`");
}

/// A picture is written to a file or to standard output, in one format at a time.
#[test]
fn plans_are_drawn() {
    let place = Place::new(&[("p.svc", "\"a\" >> summary >> .text >> upper")]);
    let drawn = place.svc(&["plan", "p.svc", "--svg", "-"]);
    assert!(drawn.out.starts_with("<svg ") && drawn.code == Some(0));
    assert_eq!(place.svc(&["plan", "p.svc", "--svg", "out/p.svg"]).code, Some(0));
    assert_eq!(fs::read_to_string(place.path().join("out/p.svg")).unwrap(), drawn.out);
    assert!(place.svc(&["plan", "p.svc", "--mermaid"]).out.contains("flowchart TB"));
    place.svc(&["plan", "p.svc", "--mermaid", "--json"]).fails(2, "cannot be used with");
    assert!(place.svc(&["schema", "plan"]).json()["$defs"]["envelope"].is_object());
}

#[test]
fn components_are_found_and_explained() {
    let place = Place::new(&[]);
    let all = place.svc(&["components"]);
    assert!(all.out.starts_with("context-retrieval\n") && all.out.contains("ctx_summary"));
    let found = place.svc(&["components", "search"]);
    assert!(found.out.trim_start().starts_with("ctx_search"), "{}", found.out);
    assert_eq!(place.svc(&["components", "search", "--json"]).json()[0]["name"], "ctx_search");
    place.svc(&["components", "xyzzy"]).fails(6, "no component");

    for name in ["search", "ctx_search", "ctx_search.infer"] {
        let page = place.svc(&["inspect", name]);
        for part in ["top_k: int 1..1000 = 10", "reads fs:<source>", "not_found", "snippet: string"]
        {
            assert!(page.out.contains(part), "{name}: {part}: {}", page.out);
        }
    }
    let page = place.svc(&["inspect", "fetch"]);
    assert!(page.out.contains("max_size: size = 5MiB\n"), "{}", page.out);
    let json = place.svc(&["inspect", "upper", "--json"]).json();
    assert_eq!(json["ops"].as_array().unwrap().len(), 1);
    assert_eq!(json["ops"][0]["path"], "text.upper");
    assert_eq!(json["ops"][0]["params"][0]["type"], "string");
    place.svc(&["inspect", "serch"]).fails(6, "did you mean `search`?");
    place.svc(&["inspect", "text.uper"]).fails(6, "did you mean `text.upper`?");
}

#[test]
fn help_shows_the_way() {
    let place = Place::new(&[]);
    assert!(place.svc(&["--help"]).out.contains("A short tour"));
    assert!(place.svc(&["--version"]).out.starts_with("svc "));
    for command in ["run", "check", "plan", "components", "inspect", "completions"] {
        let help = place.svc(&[command, "--help"]);
        assert!(help.out.contains("Examples:"), "{command}: {}", help.out);
    }
}

#[test]
fn colour_is_asked_for() {
    let place = Place::new(&[("wrong.svc", "1 >> uper")]);
    let is_coloured = |it: &Done| it.err.contains('\u{1b}');
    assert!(!is_coloured(&place.svc(&["run", "wrong.svc"])));
    assert!(is_coloured(&place.svc(&["run", "wrong.svc", "--color", "always"])));
    assert!(!is_coloured(&place.svc(&["--color", "never", "run", "wrong.svc"])));
    let plain = place.command(&["run", "wrong.svc"]).env("NO_COLOR", "1").output().unwrap();
    assert!(!is_coloured(&Done::of(plain)));
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let place = Place::new(&[("many.svc", "range(0, 200000)")]);
    for args in [&["run", "many.svc"][..], &["run", "many.svc", "--json"]] {
        let mut child = place.command(args).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let done = Done::of(child.wait_with_output().unwrap());
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_its_progress() {
    let script = r#""x" >> write_file(to: "started") >> wait(duration: 60s)"#;
    let place = Place::new(&[("w.svc", script)]);
    let child = place.command(&["run", "w.svc"]).spawn().unwrap();
    wait_for(&place.path().join("started"));
    // The file exists a moment before the node that wrote it has finished.
    std::thread::sleep(Duration::from_millis(300));
    let at = Instant::now();
    interrupt(&child);
    let done = Done::of(child.wait_with_output().unwrap());
    assert!(at.elapsed() < Duration::from_secs(5), "{:?}", at.elapsed());
    done.fails(130, "interrupted after");
    done.fails(130, "finished  write_file");
    done.fails(130, "running   wait");
    assert_eq!(done.out, "");
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
fn wait_for(path: &Path) {
    let patience = Instant::now();
    while !path.exists() {
        assert!(patience.elapsed() < Duration::from_secs(30), "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// On a full disk, the index moves to memory, and writing a file fails.
#[test]
fn a_file_that_may_not_grow_is_an_error() {
    // All words are different, so their index is as large as they are.
    let words: Vec<String> = (0..40_000).map(|it| format!("w{it}")).collect();
    let text = words.join(" ");
    let place = Place::new(&[
        ("docs/a.txt", text.as_str()),
        ("s.svc", "\"gardens\" >> search(source: \"docs\") >> len"),
        ("w.svc", "read_text(path: \"docs/a.txt\") >> write_file(to: \"out.txt\")"),
    ]);
    let limited = |script: &str| {
        let svc = assert_cmd::cargo::cargo_bin!("svc");
        let line = format!("ulimit -f 16; exec '{}' run {script}", svc.display());
        let mut bash = Command::new("bash");
        bash.args(["-c", &line])
            .current_dir(place.path())
            .env("SVC_CACHE", place.path().join(".cache"))
            .env("XDG_DATA_HOME", place.path().join(".data"))
            .env_remove("SVC_STORE");
        let done = bash.output().unwrap();
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let (code, said) = limited("s.svc");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("built in memory"), "{said}");
    let (code, said) = limited("w.svc");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("out.txt"), "{said}");
    assert!(!place.path().join("out.txt").exists());
}

#[test]
fn codes_are_explained() {
    let place = Place::new(&[]);
    let page = place.svc(&["explain", "e203"]);
    page.gives(&place.svc(&["explain", "E203"]).out);
    for part in [
        "E203: input of the wrong type",
        "\nwrong\n\n    [1, 2] >> upper\n",
        "\nright\n\n    [\"a\"",
    ] {
        assert!(page.out.contains(part), "{part}: {}", page.out);
    }
    assert!(page.out.lines().all(|it| it.chars().count() <= 80), "{}", page.out);
    let json = place.svc(&["explain", "E203", "--json"]).json();
    assert_eq!(json["wrong"], "[1, 2] >> upper");
    let all = place.svc(&["explain", "--json"]).json();
    let listed = place.svc(&["explain"]).out;
    for entry in all.as_array().unwrap() {
        let line =
            format!("{}  {}\n", entry["code"].as_str().unwrap(), entry["title"].as_str().unwrap());
        assert!(listed.contains(&line), "{line}");
    }
    place.svc(&["explain", "E23"]).fails(2, "did you mean `E203`?");
    place.svc(&["explain", "what"]).fails(2, "unknown error code `what`");
}
