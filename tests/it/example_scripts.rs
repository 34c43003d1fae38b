//! The scripts in `examples/`: they check, their tests pass, and their descriptions are correct.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use svc_contract::value::Value;
use svc_lang::{check::Checked, diag::Source};

use crate::{docs, helpdesk};

const FEWEST_TESTS: usize = 2;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Paths from the root of the repository.
pub(crate) fn scripts() -> BTreeSet<PathBuf> {
    let mut scripts = BTreeSet::new();
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "svc") {
                scripts.insert(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    scripts
}

fn source(script: &Path) -> Source {
    let text = fs::read_to_string(root().join(script)).unwrap();
    Source::new(script.to_str().unwrap(), text).in_folder(script.parent().unwrap())
}

fn checked(script: &Path) -> Checked {
    let checked = helpdesk::engine().check(source(script));
    checked.unwrap_or_else(|report| panic!("{}\n{report}", script.display()))
}

#[test]
fn every_script_checks_without_a_warning() {
    for script in scripts() {
        let warnings = checked(&script).warnings;
        assert_eq!(warnings.all().count(), 0, "{}\n{warnings}", script.display());
    }
}

#[test]
fn every_script_has_tests_that_pass() {
    let engine = helpdesk::engine();
    for script in scripts() {
        let results = engine.test(&checked(&script), "");
        assert!(results.len() >= FEWEST_TESTS, "{} has too few tests", script.display());
        for result in results {
            let name = &result.name;
            assert!(result.passed(), "{}: {name}\n{}", script.display(), result.report);
        }
    }
}

/// The tests do not need the outside world: they pass with an empty one.
#[test]
fn no_test_needs_the_outside_world() {
    let nothing = std::sync::Arc::new(svc_host_os::test::TestHost::new());
    for script in scripts() {
        let engine = helpdesk::engine().with_host(nothing.clone());
        for result in engine.test(&checked(&script), "") {
            let name = &result.name;
            assert!(result.passed(), "{}: {name}\n{}", script.display(), result.report);
        }
    }
}

/// A line of the tables in `examples/README.md`.
struct Row {
    script: PathBuf,
    needs: String,
    command: String,
}

fn rows() -> Vec<Row> {
    let page = fs::read_to_string(root().join("examples/README.md")).unwrap();
    page.lines().filter(|it| it.starts_with("| [`")).map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
    let [script, _, needs, command] = cells[..] else { panic!("expected four cells: {line}") };
    let (_, link) = script.split_once("](").unwrap();
    Row {
        script: Path::new("examples").join(link.trim_end_matches(')')),
        needs: needs.to_owned(),
        command: command.trim_matches(['`', ' ', '|']).to_owned(),
    }
}

#[test]
fn the_tables_name_every_script_and_its_command() {
    let named: BTreeSet<PathBuf> = rows().into_iter().map(|it| it.script).collect();
    assert_eq!(named, scripts());
    for Row { script, command, .. } in rows() {
        assert!(command.contains(script.to_str().unwrap()), "{command}");
        let text = fs::read_to_string(root().join(&script)).unwrap();
        let shown = text.lines().any(|it| it.strip_prefix("#   ") == Some(command.as_str()));
        assert!(shown, "{} does not show `{command}`", script.display());
    }
}

/// Examples without requirements are run as a user would, and return something.
#[test]
fn the_commands_of_the_tables_run() {
    let cache = tempfile::tempdir().unwrap();
    let free: Vec<Row> = rows().into_iter().filter(|it| it.needs == "nothing").collect();
    assert!(free.len() >= 6, "most examples need no model");
    for Row { command, .. } in free {
        let words = docs::words(&command);
        assert_eq!(words[0], "svc", "{command}");
        let mut svc = assert_cmd::Command::cargo_bin("svc").unwrap();
        let svc = svc
            .args(&words[1..])
            .current_dir(root())
            .env("SVC_CACHE", cache.path())
            .env("SVC_STORE", cache.path().join("runs.db"));
        let done = svc.env_remove("SVC_MODEL").output().unwrap();
        let (out, err) = (done.stdout, String::from_utf8(done.stderr).unwrap());
        assert!(done.status.success() && !out.is_empty(), "{command}\n{err}");
    }
}

/// Runs an example of the repository.
async fn run(name: &str, input: Option<&str>) -> Value {
    let (engine, _cache) = docs::engine();
    let mut request = engine.run(source(&Path::new("examples").join(name)));
    if let Some(input) = input {
        request = request.input_text(input);
    }
    request.await.map_or_else(|err| panic!("{name}: {err}"), |it| it.value)
}

#[tokio::test]
async fn the_main_example_answers_from_the_documentation() {
    let answer = run("research.svc", Some("how are budgets enforced?")).await;
    let answer = answer.as_record().unwrap();
    let text = answer.get("text").unwrap().to_string();
    let sources = answer.get("sources").unwrap().to_string();
    assert!(text.contains("reserve"), "{text}");
    assert!(sources.contains("docs/bounds.md"), "{sources}");
}

/// The results of the scripts for the small data included with them.
#[tokio::test]
async fn real_runs_give_what_the_data_holds() {
    let log = svc_contract::value::json::write(&run("log-triage.svc", None).await);
    assert!(log.starts_with(r#"[{"problem":"index: cannot read #: permission denied","times":3"#));
    let tasks = svc_contract::value::json::write(&run("meeting-actions.svc", None).await);
    assert!(tasks.contains("2026-03-09: measure the first search"), "{tasks}");
    let papers = run("literature.svc", Some("do short naps improve memory?")).await;
    let papers = svc_contract::value::json::write(&papers);
    assert!(papers.starts_with(r#"[{"paper":"Short naps and word memory (2015)""#), "{papers}");
    let days = run("handbook.svc", Some("how many days of holiday do I have?")).await.to_string();
    assert!(days.contains("28 days of holiday"), "{days}");
    let report = run("csv-report.svc", None).await.to_string();
    let report = fs::read_to_string(root().join(report)).unwrap();
    assert!(report.contains("| north | 3 | 124.50 |"), "{report}");
    assert!(report.contains("- `2026-01-20,east,tea,,4.50`"), "{report}");
}
