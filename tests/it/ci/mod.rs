//! `svc ci`, in repositories of the real git.

mod reports;

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A repository, in which the program runs.
struct Repository(TempDir);

struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

/// A module, a script with a test that uses it, one with a budget, and one that reads data.
const FILES: [(&str, &str); 5] = [
    ("lib/shout.svc", "flow shout(text: string) -> string {\n  text >> upper\n}\n"),
    (
        "uses.svc",
        "use \"lib/shout.svc\" as lib\n\nparam text: string = \"a\"\n\ntext >> lib.shout\n\ntest \"shouts\" {\n  let r = main(text: \"b\")\n  expect r == \"B\"\n}\n",
    ),
    ("costs.svc", "svc 1 within { max_cost: $0.10, max_tokens: 1_000 }\n\n\"hello\" >> ask\n"),
    ("reads.svc", "read_text(path: \"data/x.txt\") >> upper\n"),
    ("data/x.txt", "hello\n"),
];

impl Repository {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in FILES {
            place.write(name, text);
        }
        place.git(&["init", "--quiet", "--initial-branch", "main"]);
        place.commit("first");
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn git(&self, args: &[&str]) -> String {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(args)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        command
            .arg("ci")
            .args(args)
            .current_dir(self.path())
            .env("SVC_CACHE", self.path().join(".cache"))
            .env("SVC_STORE", self.path().join(".runs/runs.db"))
            .env_remove("SVC_MODEL")
            .env_remove("GITHUB_ACTIONS")
            .env_remove("GITHUB_STEP_SUMMARY")
            .stdin(Stdio::null());
        command
    }

    fn ci(&self, args: &[&str]) -> Done {
        Done::of(self.command(args).output().unwrap())
    }

    /// The states of the scripts, by file.
    fn states(&self, args: &[&str]) -> Vec<(String, String)> {
        let json = self.ci(&[args, &["--json"]].concat()).json();
        let scripts = json["scripts"].as_array().unwrap().clone();
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        scripts.iter().map(|it| (text(&it["file"]), text(&it["state"]))).collect()
    }
}

impl Done {
    fn of(output: Output) -> Self {
        let text = |it| String::from_utf8(it).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|it| panic!("{it}: {}{}", self.out, self.err))
    }

    #[track_caller]
    fn passes(&self) {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
    }

    #[track_caller]
    fn fails(&self, code: i32, text: &str) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        let all = format!("{}{}", self.out, self.err);
        assert!(all.contains(text), "{text}: {all}");
    }
}

fn states(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn a_folder_in_order_passes() {
    let place = Repository::new();
    let done = place.ci(&[]);
    done.passes();
    assert!(done.out.ends_with("4 scripts: 4 ok, 0 failed\n"), "{}", done.out);
    assert!(done.out.contains("uses.svc: ok, 1 test\n"), "{}", done.out);
    let quiet = place.ci(&["--quiet"]);
    assert_eq!((quiet.code, quiet.out.as_str()), (Some(0), ""));
}

#[test]
fn each_step_can_fail() {
    let place = Repository::new();
    place.write("a.svc", "1  +  1\n");
    place.ci(&["a.svc"]).fails(1, "a.svc:1: error: not formatted");
    place.write("a.svc", "1 + x\n");
    place.ci(&["a.svc"]).fails(7, "E201");
    place.write("a.svc", "1\n\ntest \"t\" {\n  expect 1 == 2\n}\n");
    place.ci(&["a.svc"]).fails(1, "a.svc: test \"t\"");
    place.ci(&["reads.svc", "--deny", "reads"]).fails(7, "E315");
    place.ci(&["none.svc"]).fails(6, "none.svc");
    place.ci(&["a.svc", "none.svc"]).fails(1, "2 scripts: 0 ok, 2 failed");
}

#[test]
fn estimates_keep_limits() {
    let place = Repository::new();
    place.ci(&["costs.svc", "--max-cost", "0.10", "--max-tokens", "1000"]).passes();
    place
        .ci(&["costs.svc", "--max-cost", "0.09"])
        .fails(1, "cost above the limit: $0.10 (limit $0.09)");
    place.ci(&["costs.svc", "--max-tokens", "999"]).fails(1, "tokens above the limit");
    place.ci(&["reads.svc", "--max-calls", "0"]).fails(1, "calls above the limit: 1 call");
    place.ci(&["reads.svc", "--max-time", "1s"]).fails(1, "time above the limit");
    let open = "param tags: [string]\n\ntags >> each { wait(\"x\", duration: 1s) }\n";
    place.write("open.svc", open);
    place.ci(&["open.svc", "--max-time", "1h"]).fails(1, "time without a maximum (limit 1h)");
    place.ci(&["open.svc", "--max-calls", "9"]).fails(1, "calls without a maximum");
    for wrong in [["--max-cost", "x"], ["--max-growth", "1%"], ["--max-time", "5"]] {
        assert_eq!(place.ci(&wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn only_what_depends_on_a_change_is_examined() {
    let place = Repository::new();
    let unaffected = [
        ("costs.svc", "unaffected"),
        ("lib/shout.svc", "unaffected"),
        ("reads.svc", "unaffected"),
        ("uses.svc", "unaffected"),
    ];
    let with = |changes: &[(usize, &'static str)]| {
        let mut all = unaffected;
        for (idx, state) in changes {
            all[*idx].1 = state;
        }
        states(&all)
    };
    assert_eq!(place.states(&["--changed", "main"]), with(&[]));
    place.write("lib/shout.svc", "flow shout(text: string) -> string {\n  text >> lower\n}\n");
    assert_eq!(place.states(&["--changed", "main"]), with(&[(1, "changed"), (3, "uses_changed")]));
    // Its test fails, though its own text is as it was.
    place.ci(&["--changed", "main"]).fails(1, "uses.svc: FAILED, 1 test, uses something");
    place.git(&["checkout", "--quiet", "."]);
    place.write("data/x.txt", "bye\n");
    assert_eq!(place.states(&["--changed", "main"]), with(&[(2, "uses_changed")]));
    place.git(&["checkout", "--quiet", "."]);
    // A commit of the branch counts, one of `main` that came later does not.
    place.git(&["checkout", "--quiet", "-b", "work"]);
    place.write("costs.svc", "\"hello\" >> ask(max_tokens: 10)\n");
    place.commit("cheaper");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("reads.svc", "1\n");
    place.commit("elsewhere");
    place.git(&["checkout", "--quiet", "work"]);
    assert_eq!(place.states(&["--changed", "main"]), with(&[(0, "changed")]));
}

#[test]
fn new_renamed_and_removed_scripts_are_known() {
    let place = Repository::new();
    place.write("new.svc", "1\n");
    place.git(&["mv", "costs.svc", "renamed.svc"]);
    place.remove("reads.svc");
    let done = place.ci(&["--changed", "main", "--json"]);
    done.passes();
    let json = done.json();
    assert_eq!(json["deleted"], serde_json::json!(["reads.svc"]));
    let script = |name: &str| {
        let all = json["scripts"].as_array().unwrap();
        all.iter().find(|it| it["file"] == name).unwrap().clone()
    };
    assert_eq!(script("new.svc")["state"], "new");
    assert_eq!(script("renamed.svc")["renamed_from"], "costs.svc");
    // The earlier estimate is that of the earlier name.
    assert_eq!(script("renamed.svc")["before"], script("renamed.svc")["at_most"]);
    assert!(place.ci(&["--changed", "main"]).out.contains("reads.svc: removed\n"));
}

/// What breaks by the removal of a file is examined, what was broken before is not.
#[test]
fn a_removed_module_breaks_those_that_use_it() {
    let place = Repository::new();
    place.write("broken.svc", "1 + x\n");
    place.commit("broken");
    place.remove("lib/shout.svc");
    let done = place.ci(&["--changed", "main"]);
    done.fails(7, "uses.svc: FAILED, 0 tests, uses something that has changed");
    assert!(!done.out.contains("broken.svc"), "{}", done.out);
}

#[test]
fn growth_is_shown_and_limited() {
    let place = Repository::new();
    let costs = |most: &str| {
        format!("svc 1 within {{ max_cost: {most}, max_tokens: 1_000 }}\n\n\"hello\" >> ask\n")
    };
    place.write("costs.svc", &costs("$0.12"));
    let shown = place.ci(&["--changed", "main"]);
    shown.passes();
    assert!(shown.out.contains("note: cost grows from $0.10 to $0.12 (+20%)"), "{}", shown.out);
    place.ci(&["--changed", "main", "--max-growth", "20%"]).passes();
    place
        .ci(&["--changed", "main", "--max-growth", "19%"])
        .fails(1, "cost grows from $0.10 to $0.12 (+20%) (limit 19%)");
    place.ci(&["--changed", "main", "--max-growth", "$0.02"]).passes();
    place.ci(&["--changed", "main", "--max-growth", "$0.01"]).fails(1, "(limit $0.01)");
    place
        .ci(&["--changed", "main", "--max-growth", "50%", "--max-growth", "$0.01"])
        .fails(1, "(limit $0.01)");
    // Growth through a module counts for the script that uses it.
    place.commit("grown");
    place.write(
        "lib/shout.svc",
        "flow shout(text: string) -> string {\n  text >> wait(duration: 5s) >> upper\n}\n",
    );
    place
        .ci(&["--changed", "main", "--max-growth", "10%"])
        .fails(1, "uses.svc: error: time grows from 0s to");
    // What becomes cheaper does not grow.
    place.git(&["checkout", "--quiet", "."]);
    place.write("costs.svc", &costs("$0.01"));
    let less = place.ci(&["--changed", "main", "--max-growth", "0%"]);
    less.passes();
    assert!(!less.out.contains("grows"), "{}", less.out);
}

#[test]
fn new_effects_are_reported() {
    let place = Repository::new();
    place.write("reads.svc", "let text = read_text(path: \"data/x.txt\") >> upper\n{ text: text } >> save_json(to: \"out.json\")\n");
    let done = place.ci(&["--changed", "main"]);
    done.passes();
    assert!(
        done.out.contains("reads.svc: warning: new effect `writes fs:out.json`"),
        "{}",
        done.out
    );
    assert!(!done.out.contains("new effect `reads"), "{}", done.out);
}

#[test]
fn missing_revisions_are_explained() {
    let place = Repository::new();
    place.ci(&["--changed", "nope"]).fails(6, "unknown revision `nope`");
    place.ci(&["--changed=--output=x"]).fails(6, "unknown revision `--output=x`");
    assert!(!place.path().join("x").exists());
    place.ci(&["--changed", "main:uses.svc"]).fails(6, "unknown revision");
    let mut without = place.command(&["--changed", "main"]);
    without.env("PATH", place.path());
    Done::of(without.output().unwrap()).fails(6, "cannot run `git`: it is not installed");
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.svc"), "1\n").unwrap();
    let mut elsewhere = place.command(&["--changed", "main"]);
    elsewhere.current_dir(outside.path());
    Done::of(elsewhere.output().unwrap()).fails(6, "is not in a git repository");
    // Another history has nothing in common.
    place.git(&["checkout", "--quiet", "--orphan", "other"]);
    place.commit("other");
    place.ci(&["--changed", "main"]).fails(6, "no common commit of `main`");
}

#[test]
fn a_shallow_clone_is_recognised() {
    let place = Repository::new();
    place.commit("second");
    let first = place.git(&["rev-parse", "HEAD~1"]);
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", place.path().display());
    let into = clone.path().join("c");
    place.git(&["clone", "--quiet", "--depth", "1", &url, into.to_str().unwrap()]);
    let mut command = place.command(&["--changed", first.trim()]);
    command.current_dir(&into);
    let done = Done::of(command.output().unwrap());
    done.fails(6, "in a shallow clone");
    done.fails(6, "fetch-depth: 0");
}

/// A folder of the repository, another current folder, and paths from the root.
#[test]
fn scripts_are_found_in_the_repository_from_anywhere() {
    let place = Repository::new();
    place.write(
        "lib/shout.svc",
        "flow shout(text: string) -> string {\n  text >> upper >> trim\n}\n",
    );
    let from = |folder: &Path, path: &str| {
        let mut command = place.command(&[path, "--changed", "main", "--json"]);
        command.current_dir(folder);
        let json = Done::of(command.output().unwrap()).json();
        let of = |it: &Value| (it["state"].as_str().unwrap().to_owned(), !it["before"].is_null());
        let all: Vec<(String, bool)> = json["scripts"].as_array().unwrap().iter().map(of).collect();
        all
    };
    let all = from(place.path(), ".");
    assert_eq!(all[3], ("uses_changed".to_owned(), true));
    assert_eq!(from(&place.path().join("data"), ".."), all);
    let elsewhere = tempfile::tempdir().unwrap();
    assert_eq!(from(elsewhere.path(), place.path().to_str().unwrap()), all);
}
