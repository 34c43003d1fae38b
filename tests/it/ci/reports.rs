//! The reports of `svc ci` for other programs: `JUnit` XML, SARIF, and what GitHub reads.

use std::{collections::BTreeMap, fs, path::Path};

use quick_xml::{Reader, events::Event};
use serde_json::Value;

use super::{Done, Repository};

/// A repository with one mistake of each kind.
fn mistaken() -> Repository {
    let place = Repository::new();
    place.write("errors.svc", "let x = \"a\" >> uper\nx + 1\n");
    place.write("fails ü.svc", "1\n\ntest \"<a> & ]]>\" {\n  expect 1 == 2\n}\n");
    place.write("loose.svc", "1\n\n\n\n2  +  3\n");
    place
}

/// The elements of a document, each with its attributes and its text.
fn elements(xml: &str) -> Vec<(String, BTreeMap<String, String>, String)> {
    let mut reader = Reader::from_str(xml);
    let mut found: Vec<(String, BTreeMap<String, String>, String)> = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                let attribute = |it: quick_xml::events::attributes::Attribute<'_>| {
                    let name = it.key.as_ref().to_owned();
                    let value = it.value.into_owned();
                    (name, quick_xml::escape::unescape(&value).unwrap().into_owned())
                };
                let all = tag.attributes().map(|it| attribute(it.unwrap())).collect();
                let name = tag.name().as_ref().to_owned();
                found.push((name, all, String::new()));
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

#[test]
fn junit_has_a_case_for_each_step() {
    let place = mistaken();
    place.ci(&["--junit", "out/junit.xml"]).fails(7, "FAILED");
    let all = elements(&place.read("out/junit.xml"));
    let head = &all[0].1;
    let number = |name: &str| head[name].parse::<usize>().unwrap();
    let count = |name: &str| all.iter().filter(|(tag, ..)| tag == name).count();
    assert_eq!(all[0].0, "testsuites");
    assert_eq!(number("tests"), count("testcase"));
    assert_eq!((number("failures"), number("errors")), (count("failure"), count("error")));
    assert_eq!((count("testsuite"), count("failure")), (7, 4));
    let kinds: Vec<&str> =
        all.iter().filter(|it| it.0 == "failure").map(|it| &*it.1["type"]).collect();
    assert_eq!(kinds, ["E201", "E414", "unformatted", "E119"]);
    assert!(all.iter().any(|it| it.1.get("name").is_some_and(|it| it == "test: <a> & ]]>")));
    place.ci(&["--changed", "main", "--junit", "j.xml"]).fails(7, "FAILED");
    let skipped = elements(&place.read("j.xml"));
    assert_eq!(skipped[0].1["skipped"], "4");
}

#[test]
fn sarif_has_rules_places_and_fixes() {
    let place = mistaken();
    place.ci(&["--sarif", "svc.sarif"]).fails(7, "FAILED");
    let report: Value = serde_json::from_str(&place.read("svc.sarif")).unwrap();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let (rules, results) =
        (run["tool"]["driver"]["rules"].as_array().unwrap(), run["results"].as_array().unwrap());
    for it in results {
        let idx = usize::try_from(it["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[idx]["id"], it["ruleId"]);
        let place_of = &it["locations"][0]["physicalLocation"];
        let uri = place_of["artifactLocation"]["uri"].as_str().unwrap();
        let file = uri.replace("%20", " ").replace("%C3%BC", "ü");
        assert!(place.path().join(&file).exists(), "{uri}");
        assert!(!it["message"]["text"].as_str().unwrap().is_empty());
    }
    let one = |rule: &str| results.iter().find(|it| it["ruleId"] == rule).unwrap();
    let region = &one("E201")["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        *region,
        serde_json::json!({ "startLine": 1, "startColumn": 16, "endLine": 1, "endColumn": 20 })
    );
    let fix = &one("E201")["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(fix["insertedContent"]["text"], "upper");
    // The fix of the format makes it formatted.
    let fix = &one("unformatted")["fixes"][0]["artifactChanges"][0]["replacements"][0];
    let text = place.read("loose.svc");
    let line =
        |name: &str| usize::try_from(fix["deletedRegion"][name].as_u64().unwrap()).unwrap() - 1;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (before, after) = (&lines[..line("startLine")], &lines[line("endLine")..]);
    let new = fix["insertedContent"]["text"].as_str().unwrap();
    place.write("loose.svc", &format!("{}{new}{}", before.concat(), after.concat()));
    place.ci(&["loose.svc"]).fails(7, "E");
    assert!(!place.ci(&["loose.svc"]).out.contains("not formatted"));
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let place = mistaken();
    let mut command = place.command(&["--changed", "main"]);
    let summary = place.path().join("summary.md");
    fs::write(&summary, "before\n").unwrap();
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let done = Done::of(command.output().unwrap());
    let notes: Vec<&str> = done.out.lines().filter(|it| it.starts_with("::error ")).collect();
    assert!(notes[0].starts_with("::error file=errors.svc,line=1,col=16,endLine=1,endColumn=20,title=svc E201::unknown name `uper`"), "{notes:?}");
    assert!(notes.iter().any(|it| it.starts_with("::error file=loose.svc,")), "{notes:?}");
    // Nothing of a script is read as a command: what people read stands between two marks.
    let first = done.out.lines().next().unwrap();
    let mark = first.strip_prefix("::stop-commands::").unwrap();
    let end = done.out.find(&format!("::{mark}::")).unwrap();
    assert!(done.out.find("::error").unwrap() > end);
    let page = fs::read_to_string(&summary).unwrap();
    assert!(page.starts_with("before\n## svc ci: failed\n"), "{page}");
    assert!(page.contains("| errors.svc:1 | error E201 | unknown name \\`uper\\` |"), "{page}");
    // JSON stays JSON.
    let mut json = place.command(&["--json"]);
    json.env("GITHUB_ACTIONS", "true");
    let done = Done::of(json.output().unwrap());
    assert_eq!(done.json()["ok"], false);
    assert!(done.err.contains("::error file=errors.svc"), "{}", done.err);
    assert!(!place.ci(&[]).out.contains("::error"));
    assert!(place.ci(&["--github"]).out.contains("::error"));
}

/// The action passes its inputs on, and none of them reaches a shell as text.
#[test]
fn the_action_has_the_options_of_the_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join("deploy/action/action.yml")).unwrap();
    let help = Repository::new().ci(&["--help"]).out;
    for option in [
        "changed",
        "max-cost",
        "max-tokens",
        "max-time",
        "max-calls",
        "max-growth",
        "junit",
        "sarif",
        "policy",
    ] {
        assert!(action.contains(&format!("  {option}:\n")), "{option} is missing");
        assert!(help.contains(&format!("--{option} <")), "{option} is missing");
    }
    let script = action.split("run: |").nth(1).unwrap();
    assert!(!script.contains("${{"), "an input in the text of a script is a command");
}

/// The script of the action, run by the shell as GitHub runs it.
#[cfg(unix)]
#[test]
fn the_action_runs() {
    let place = mistaken();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join("deploy/action/action.yml")).unwrap();
    let script = action.split("run: |\n").nth(1).unwrap();
    let script: String =
        script.lines().flat_map(|it| [it.strip_prefix("        ").unwrap_or(it), "\n"]).collect();
    let run = |inputs: &[(&str, &str)]| {
        let mut command = std::process::Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script])
            .current_dir(place.path())
            .env_remove("GITHUB_STEP_SUMMARY")
            .env("SVC", assert_cmd::cargo::cargo_bin!("svc"))
            .env("GITHUB_ACTIONS", "true");
        for name in [
            "PATHS",
            "CHANGED",
            "MAX_COST",
            "MAX_TOKENS",
            "MAX_TIME",
            "MAX_CALLS",
            "MAX_GROWTH",
            "JUNIT",
            "SARIF",
            "POLICY",
        ] {
            command.env(name, "");
        }
        command.envs(inputs.iter().copied());
        Done::of(command.output().unwrap())
    };
    run(&[("PATHS", "uses.svc\nlib")]).passes();
    let done = run(&[
        ("CHANGED", "main"),
        ("JUNIT", "j.xml"),
        ("SARIF", "s.sarif"),
        ("MAX_GROWTH", "20%\n$0.10"),
    ]);
    done.fails(7, "::error file=errors.svc");
    assert!(place.path().join("j.xml").exists() && place.path().join("s.sarif").exists());
    run(&[("PATHS", "costs.svc"), ("MAX_COST", "0.01")]).fails(1, "cost above the limit");
    run(&[("PATHS", "$(touch hacked).svc; touch hacked")]).fails(6, "hacked");
    assert!(!place.path().join("hacked").exists());
}
