//! Every entry of the book's chapter on errors is correct: the wrong script has exactly that error,
//! and the right one has none.

use std::sync::Arc;

use svc::{Engine, Error, Policy};
use svc_host_os::OsHost;
use svc_lang::{
    diag::{Code, Explanation, Problem, Source, Style},
    plan::Plan,
};
use tokio_util::sync::CancellationToken;

use crate::components;

/// Scripts for codes whose sample is more than a script.
const ELSEWHERE: [(&str, &str); 11] = [
    // Too large to show.
    ("E104", ""),
    // A thousand and one of something.
    ("E121", ""),
    // No built-in component leaves its result so undefined.
    ("E227", r#""hello" >> vague"#),
    // The features of a build vary.
    ("E228", r#""hello" >> dub"#),
    // The person who runs the script refuses its effects.
    ("E315", r#""hello" >> write_file(to: "out/a.txt")"#),
    // These need a service that refuses or fails.
    ("E406", r#"fail("slow down", "rate_limit")"#),
    ("E407", r#""x" >> flaky(failures: 9)"#),
    // The content of the price table varies.
    ("E311", r#""hello" >> unpriced within { max_cost: $1.00 }"#),
    ("E409", r#"["a", "b", "c"] >> each { paid(max_tokens: 400) } within { max_tokens: 1500 }"#),
    // A person ends the run.
    ("E411", r#""tea" >> wait(duration: 1h)"#),
    // A built-in component with this bug would be fixed.
    ("E413", r#""hello" >> liar"#),
];

/// Codes of tests of a script, which never end a run.
const SHOWN_BY_TESTS: [&str; 3] = ["E414", "E415", "E416"];

fn engine() -> (Engine, tempfile::TempDir) {
    let cache = tempfile::tempdir().unwrap();
    let host = OsHost::with_cache(cache.path());
    (svc::engine().with(components::ALL).with_host(Arc::new(host)), cache)
}

fn source(entry: &Explanation, script: &str) -> Source {
    Source::new(entry.code, script).in_folder(".")
}

/// The script that triggers the entry's code.
fn provocation(entry: &Explanation) -> String {
    let elsewhere = ELSEWHERE.iter().find(|(code, _)| *code == entry.code);
    match elsewhere {
        _ if entry.wrong.info.starts_with("svc,") => entry.wrong.text.to_owned(),
        Some(("E104", _)) => format!("{}1{}", "(".repeat(257), ")".repeat(257)),
        Some(("E121", _)) => {
            let letters: Vec<String> = (0..1001).map(|it| format!("\"{it}\"")).collect();
            format!("type Letter = {}\n1", letters.join(" | "))
        }
        Some((_, script)) => (*script).to_owned(),
        None => panic!("{}: nothing shows it", entry.code),
    }
}

#[tokio::test(start_paused = true)]
async fn wrong_scripts_give_exactly_their_code() {
    let (engine, _cache) = engine();
    for entry in Explanation::all() {
        let script = provocation(&entry);
        let policy = match entry.code {
            "E315" => Policy::default().deny("writes").unwrap(),
            _ => Policy::default(),
        };
        let engine = engine.clone().with_policy(policy);
        let found = engine.plan(source(&entry, &script));
        let problems: Vec<Problem> = match &found {
            Ok(plan) => plan.program().warnings.problems.clone(),
            Err(report) => report.problems.clone(),
        };
        let codes: Vec<String> = problems.iter().map(|it| it.code.to_string()).collect();
        if entry.code < "E4" || entry.code > "E5" {
            let exactly = !codes.is_empty() && codes.iter().all(|it| it == entry.code);
            assert!(exactly, "{}: {problems:?}", entry.code);
            continue;
        }
        assert!(problems.is_empty(), "{}: {problems:?}", entry.code);
        if SHOWN_BY_TESTS.contains(&entry.code) {
            let shown = failures(&engine, &found.unwrap());
            assert!(shown.contains(&format!("[{}]", entry.code)), "{}: {shown}", entry.code);
            continue;
        }
        let err = ended(&engine, source(&entry, &script), entry.code).await;
        let shown = err.render(Style::Plain);
        assert!(shown.contains(&format!("[{}]", entry.code)), "{}: {shown}", entry.code);
    }
}

/// The problems of the failing tests of a script.
fn failures(engine: &Engine, plan: &Plan) -> String {
    let results = engine.test(plan.program(), "");
    results.iter().map(|it| it.report.render(Style::Plain)).collect()
}

/// The end of a script's run, which is cancelled from outside if the code requires it.
async fn ended(engine: &Engine, source: Source, code: &str) -> Error {
    components::reset();
    let cancel = CancellationToken::new();
    if code == Code::E411.as_str() {
        cancel.cancel();
    }
    let ended = engine.run(source).cancelled_by(cancel).await;
    ended.map(|it| it.value).expect_err(code)
}

/// Whether they run, if they have no requirements, is tested with all fences of the book.
#[test]
fn right_scripts_check() {
    let (engine, _cache) = engine();
    for entry in Explanation::all().filter(|it| it.right.info == "svc") {
        let plan = engine.plan(source(&entry, entry.right.text));
        let plan = plan.unwrap_or_else(|it| panic!("{}: {it}", entry.code));
        let problems = &plan.program().warnings.problems;
        assert!(problems.is_empty(), "{}: {problems:?}", entry.code);
        let is_shown_by_tests = SHOWN_BY_TESTS.contains(&entry.code);
        assert_eq!(!plan.program().tests.is_empty(), is_shown_by_tests, "{}", entry.code);
        assert_eq!(failures(&engine, &plan), "", "{}", entry.code);
    }
}

/// The list of codes that need more than a script stays short.
#[test]
fn nearly_all_wrong_samples_are_scripts() {
    for entry in Explanation::all() {
        let described = !entry.wrong.info.starts_with("svc,");
        let listed = ELSEWHERE.iter().any(|(code, _)| *code == entry.code);
        assert_eq!(described, listed, "{}", entry.code);
        if !described {
            let claim = entry.wrong.info.rsplit(' ').next();
            assert_eq!(claim, Some(entry.code));
        }
        let needs_more = ["E311", "E406", "E407", "E409"];
        let right = if needs_more.contains(&entry.code) { "text" } else { "svc" };
        assert_eq!(entry.right.info, right, "{}", entry.code);
    }
}
