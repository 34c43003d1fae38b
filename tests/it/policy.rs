//! Policies for plans: refused before anything runs, all problems at once, or enforced during the
//! run.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use svc::{Engine, Error, Hints, Policy};
use svc_contract::registry::ErrorKind;
use svc_host_os::test::TestHost;
use svc_lang::diag::{Code, Source, Style};

fn policy(allow: &[&str], deny: &[&str]) -> Policy {
    let policy = allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule)).unwrap();
    deny.iter().try_fold(policy, |it, rule| it.deny(rule)).unwrap()
}

fn world() -> Arc<TestHost> {
    let host = TestHost::new()
        .file("docs/a.md", "# Caps\n\nA cap is kept.")
        .file("notes/b.md", "# Notes\n\nA note.")
        .file(
            "lib/keep.svc",
            r#"flow keep(x: string) -> path { x >> write_file(to: "kept.txt") }"#,
        );
    Arc::new(host)
}

const SCRIPT: &str = r#"use "lib/keep.svc" as lib

param folder: path = path("docs")

let found = "cap" >> parallel {
  docs: search(source: "docs"),
  notes: search(source: "notes") >> each { ask("Is this about ${it.title}?") },
  given: search(source: folder),
}
["a", "b"] >> each { write_file(to: "out/a.txt") >> read_text >> lib.keep }"#;

/// The engine of the command, on a test host.
fn engine() -> Engine {
    svc::engine().with_host(world()).with_hints(Hints::CommandLine)
}

#[test]
fn every_offending_node_is_named_at_once() {
    let engine = engine();
    let source = || Source::new("report.svc", SCRIPT).in_folder(".");
    let narrow =
        policy(&["reads fs:./docs", "writes fs:./out", "spends"], &["writes fs:./out/a.txt"]);
    let report = engine.clone().with_policy(narrow).plan(source()).unwrap_err();
    assert!(report.all().all(|(_, it)| it.code == Code::E315 && it.is_error()), "{report}");
    insta::assert_snapshot!(report.render(Style::Plain));
    for accepting in [policy(&[], &[]), policy(&["reads", "writes", "spends"], &["asks"])] {
        assert!(engine.clone().with_policy(accepting).plan(source()).is_ok());
    }
}

/// An address of this machine is allowed only with its port, and the refusal states this.
#[test]
fn an_address_of_this_machine_is_proposed_with_a_port() {
    let engine = engine().with_policy(policy(&["asks"], &[]));
    for (url, rule) in [
        ("http://localhost:8080/a", "reads web:localhost:8080"),
        ("http://[::1]:8080/a", "reads web:[::1]:8080"),
        ("http://10.0.0.1/a", "reads web:10.0.0.1:80"),
        ("http://[2606:4700::1111]/a", "reads web:[2606:4700::1111]"),
    ] {
        let script = format!("fetch(url: \"{url}\") >> .text");
        let report = engine.plan(script.as_str()).unwrap_err();
        let help = report.problems[0].help.clone().unwrap();
        assert!(help.starts_with(&format!("use `--allow \"{rule}\"`")), "{help}");
        assert!(engine.clone().with_policy(policy(&[rule], &[])).plan(script.as_str()).is_ok());
    }
}

/// An empty list allows nothing; a missing list allows everything.
#[test]
fn an_empty_list_allows_nothing() {
    let read = |text: &str| Policy::read(&Source::new("policy.toml", text)).unwrap();
    let engine = |policy| svc::engine().with_host(world()).with_policy(policy);
    let script = r#""cap" >> search(source: "docs")"#;
    assert!(engine(read("deny = []")).plan(script).is_ok());
    let report = engine(read("allow = []")).plan(script).unwrap_err();
    assert_eq!(report.problems[0].code, Code::E315);
    assert!(engine(read("allow = []")).plan("[1, 2] >> len").is_ok());
    let wider = read("allow = []").allow("reads fs:docs").unwrap();
    assert!(engine(wider).plan(script).is_ok());
    assert!(engine(read("").and(read("allow = []"))).plan(script).is_err());
}

/// Each `--allow` in a refusal accepts what was refused.
#[test]
fn what_is_proposed_is_accepted() {
    let engine = engine();
    let script = r#"let page = fetch(url: "https://Example.com:8443/caps?q=1")
"cap" >> search(source: "docs") >> each { ask("${.text} ${page.text}") } >> first"#;
    let mut rules = vec!["asks".to_owned()];
    let mut rounds = 0;
    loop {
        let rules_now: Vec<&str> = rules.iter().map(String::as_str).collect();
        match engine.clone().with_policy(policy(&rules_now, &[])).plan(script) {
            Ok(_) => break,
            Err(report) => {
                let helps = report.errors().filter_map(|it| it.help.clone());
                let proposed: Vec<String> =
                    helps.filter_map(|it| Some(it.split('"').nth(1)?.to_owned())).collect();
                assert!(!proposed.is_empty(), "{report}");
                rules.extend(proposed);
            }
        }
        rounds += 1;
        assert!(rounds < 2, "one round names everything: {rules:?}");
    }
    assert_eq!(
        rules,
        ["asks", "reads web:example.com:8443", "reads fs:docs", "reads llm", "spends"]
    );
}

#[tokio::test]
async fn a_refused_plan_does_nothing() {
    let host = world();
    let engine = svc::engine().with_host(host.clone()).with_policy(policy(&["reads"], &[]));
    let script = r#""x" >> write_file(to: "out/a.txt")"#;
    let ended = engine.run(script).await.map(|it| it.value);
    assert!(matches!(ended, Err(Error::Check(_))), "{ended:?}");
    // A plan that another engine accepted does not bypass the policy.
    let plan = svc::engine().with_host(host.clone()).plan(script).unwrap();
    assert!(matches!(engine.run_plan(plan).await.map(|it| it.value), Err(Error::Check(_))));
    assert_eq!(host.content("out/a.txt"), None);
    let free = svc::engine().with_host(host.clone()).with_policy(policy(&["writes fs:out"], &[]));
    free.run(script).await.unwrap();
    assert_eq!(host.content("out/a.txt").unwrap(), b"x");
}

#[tokio::test]
async fn a_path_that_is_given_is_judged_before_the_run() {
    let engine = svc::engine().with_host(world()).with_policy(policy(&["reads fs:docs"], &[]));
    let script = "param file: path\nread_text(path: file) >> len";
    assert!(engine.run(script).param_text("file", "docs/a.md").await.is_ok());
    let refused = engine.run(script).param_text("file", "notes/b.md").await.map(|it| it.value);
    let Err(Error::Check(report)) = refused else { panic!("{refused:?}") };
    assert!(report.to_string().contains("`read_text` reads fs:notes/b.md"), "{report}");
}

#[tokio::test]
async fn a_path_that_only_the_run_knows_is_held_in_the_run() {
    let engine = svc::engine()
        .with_host(world())
        .with_policy(policy(&["reads fs:docs", "writes fs:out"], &[]));
    let script = "param file: path\nparam b: path = \"b\"\nread_text(path: (if 1 < 2 { file } else { b })) >> len";
    assert!(engine.run(script).param_text("file", "docs/a.md").await.is_ok());
    for file in ["notes/b.md", "docs/../notes/b.md", "/home/notes/b.md", "docs2/a.md"] {
        let err = engine.run(script).param_text("file", file).await.unwrap_err();
        assert_eq!(err.kind(), Some(ErrorKind::Denied), "{err}");
        assert!(err.to_string().contains("the policy does not allow it to be read"), "{err}");
    }
    let writing = "param file: path\nparam b: path = \"b\"\n\"x\" >> write_file(to: (if 1 < 2 { file } else { b }))";
    assert!(engine.run(writing).param_text("file", "out/a.txt").await.is_ok());
    let err = engine.run(writing).param_text("file", "docs/a.md").await.unwrap_err();
    assert!(err.to_string().contains("the policy does not allow it to be written"), "{err}");
}

#[tokio::test]
async fn what_is_denied_inside_of_what_is_allowed_is_left_out() {
    let host = TestHost::new().file("docs/a.md", "A cap.").file("docs/secret/b.md", "A cap too.");
    let rules = policy(&["reads fs:docs"], &["reads fs:docs/secret"]);
    let engine = svc::engine().with_host(Arc::new(host)).with_policy(rules);
    let script = r#"read_files(folder: "docs") >> each { .path }"#;
    assert_eq!(engine.run(script).await.unwrap().value.to_string(), r#"["docs/a.md"]"#);
    let report = engine.plan(r#"read_text(path: "docs/secret/b.md")"#).unwrap_err();
    assert_eq!(report.problems[0].code, Code::E315);
}

/// A plan with more nodes than are listed is still checked as a whole.
#[test]
fn nothing_hides_in_a_large_plan() {
    let mut script = "flow f0(x: string) -> string { path(x) >> read_text }".to_owned();
    for level in 1..16 {
        let below = level - 1;
        write!(script, "\nflow f{level}(x: string) -> string {{ x >> f{below} >> f{below} }}")
            .unwrap();
    }
    script.push_str("\nflow last(x: string) -> path { x >> write_file(to: \"out.txt\") }");
    script.push_str("\n\"x\" >> f15 >> last");
    let engine = svc::engine().with_host(world());
    let plan = engine.plan(script.as_str()).unwrap();
    assert!(plan.nodes().iter().all(|it| it.name != "write_file"));
    let report = engine.with_policy(policy(&["reads"], &[])).plan(script.as_str()).unwrap_err();
    let message = "the script writes fs:out.txt, which the policy does not allow";
    assert_eq!(report.problems[0].message, message);
}

#[test]
fn a_policy_file_says_where_it_is_wrong() {
    let read = |text: &str| Policy::read(&Source::new("policy.toml", text)).map(|_| ());
    assert_eq!(read("allow = [\"reads\"]\ndeny = [\"reads fs:./secrets\", \"spends\"]"), Ok(()));
    assert_eq!(read(""), Ok(()));
    for (text, why) in [
        ("allow = [\"reads\",\n  \"reed\"]", "policy.toml:2:3: `reed` is not a rule"),
        (
            "allow = [\"spends fs:x\"]",
            "policy.toml:1:10: `spends fs:x` is not a rule: `spends` takes no place",
        ),
        ("\nalow = []", "policy.toml:2:1: unknown field `alow`, expected `allow` or `deny`"),
        ("allow = 3", "policy.toml:1:9: invalid type"),
        ("allow = [", "policy.toml:1:"),
    ] {
        let wrong = read(text).unwrap_err();
        assert!(wrong.starts_with(why), "{text:?}: {wrong}");
    }
}

/// Runs the program in a folder.
fn svc(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = assert_cmd::Command::cargo_bin("svc").unwrap();
    let done = command
        .args(args)
        .current_dir(folder)
        .env("SVC_CACHE", folder.join(".cache"))
        .env("SVC_STORE", folder.join(".runs/runs.db"));
    let done = done.output().unwrap();
    let text = |it| String::from_utf8(it).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

#[test]
fn the_command_line_holds_plans_to_rules() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::create_dir_all(folder.join("rules")).unwrap();
    fs::write(folder.join("s.svc"), r#""hi" >> write_file(to: "out/a.txt") >> read_text"#).unwrap();
    fs::write(folder.join("rules/p.toml"), r#"allow = ["writes fs:../out", "reads fs:../out"]"#)
        .unwrap();
    fs::write(folder.join("rules/wrong.toml"), "allow = [\"reads\", 3]").unwrap();

    let (code, out, err) = svc(folder, &["run", "s.svc", "--deny", "writes", "--deny", "reads"]);
    assert_eq!((code, out.as_str()), (Some(7), ""), "{err}");
    assert!(err.contains("`write_file` writes fs:out/a.txt, which the policy denies"), "{err}");
    assert!(err.contains("`read_text` reads fs:<path>") && !folder.join("out").exists(), "{err}");

    // The plan is shown all the same, with the refused effects.
    let (code, out, err) = svc(folder, &["plan", "s.svc", "--allow", "reads fs:."]);
    assert_eq!(code, Some(7), "{err}");
    assert!(out.contains("writes fs:out/a.txt") && err.contains("E315"), "{out}{err}");
    assert!(err.contains("use `--allow \"writes fs:out/a.txt\"` to allow it"), "{err}");

    let (code, out, _) = svc(folder, &["plan", "s.svc", "--json", "--allow", "reads fs:."]);
    let plan: serde_json::Value = serde_json::from_str(&out).unwrap();
    let refused = &plan["refused"][0];
    assert_eq!((code, refused["code"].as_str()), (Some(7), Some("E315")), "{out}");
    assert_eq!(refused["help"], "use `--allow \"writes fs:out/a.txt\"` to allow it");

    let (code, out, err) = svc(folder, &["run", "s.svc", "--policy", "rules/p.toml"]);
    assert_eq!((code, out.as_str()), (Some(0), "hi\n"), "{err}");
    let both = ["run", "s.svc", "--policy", "rules/p.toml", "--deny", "reads fs:out/a.txt"];
    let (code, _, err) = svc(folder, &both);
    assert_eq!(code, Some(1), "only the run knows the path: {err}");
    assert!(err.contains("the policy does not allow it"), "{err}");

    // A misspelt scope would deny nothing, so a note reports it.
    let note = |rule| svc(folder, &["run", "s.svc", "--deny", rule]).2;
    assert!(note("reads lmm").contains("note: the rule `reads lmm` matches no effect"));
    assert!(note("writes vault").contains("note: the rule `writes vault` matches"));
    for rule in ["reads llm", "reads web:a.example", "reads fs:none", "asks"] {
        assert_eq!(note(rule), "", "{rule}");
    }

    let (code, _, err) = svc(folder, &["run", "s.svc", "--allow", "read"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("`read` is not a rule"), "{err}");
    let (code, _, err) = svc(folder, &["plan", "s.svc", "--policy", "rules/wrong.toml"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("rules/wrong.toml:1:19: "), "{err}");
    assert_eq!(svc(folder, &["run", "s.svc", "--policy", "none.toml"]).0, Some(6));
}

/// The policy judges what a run does, not what it would do with other inputs.
#[tokio::test]
async fn a_default_that_is_not_used_is_not_refused() {
    let script = r#"param folder: path = path("notes")
search(query: "cap", source: folder) >> len"#;
    let engine = || engine().with_policy(policy(&["reads fs:docs"], &[]));
    let refused = |ended: Result<svc::Response, Error>| match ended {
        Err(Error::Check(report)) => report.all().all(|(_, it)| it.code == Code::E315),
        _ => false,
    };
    let store = Arc::new(svc_store::SqliteStore::in_memory().unwrap());
    for engine in [engine(), engine().with_store(store)] {
        let run = || engine.run(script);
        assert_eq!(run().param("folder", "docs").await.unwrap().value.to_string(), "1");
        assert!(refused(run().await), "the default is used");
        assert!(refused(run().param("folder", "lib").await));
        assert!(refused(run().param("folder", "docs").with_policy(policy(&[], &["reads"])).await));
        let other = run().with_policy(policy(&["reads fs:lib"], &[])).param("folder", "lib");
        assert_eq!(other.await.unwrap().value.to_string(), "0");
    }
    assert!(engine().plan(script).is_err(), "a plan without inputs takes the defaults");
}
