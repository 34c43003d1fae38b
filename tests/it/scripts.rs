//! `tests/scripts/**/*.svc`: the script is the input, the snapshot is its author's view: problems,
//! or plan and value.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use svc::{Engine, Hints};
use svc_contract::value::json;
use svc_engine::Fixes;
use svc_host_os::test::TestHost;
use svc_lang::diag::{Code, Source, Style};

use crate::components;

#[test]
fn scripts() {
    insta::glob!("../scripts", "**/*.svc", |path| {
        insta::assert_snapshot!(outcome(path));
    });
}

/// The output for the author of a script.
fn outcome(path: &Path) -> String {
    components::reset();
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    // The answers of a person, question by question.
    let answers = text.lines().filter_map(|it| it.strip_prefix("# answer: ")).map(|it| it == "yes");
    let host = host().approving(answers);
    let engine = svc::engine().with(components::ALL).with_host(Arc::new(host));
    let engine = engine.with_hints(Hints::CommandLine);
    let source = Source::new(name, text.as_str());
    let plan = match engine.plan(source.clone()) {
        Ok(plan) => plan,
        Err(report) => return report.render(Style::Plain),
    };
    let warnings = plan.program().warnings.render(Style::Plain);
    let mut request = engine.run(source);
    for line in text.lines() {
        if let Some(input) = line.strip_prefix("# input: ") {
            request = request.input_text(input);
        } else if let Some((name, value)) =
            line.strip_prefix("# param ").and_then(|it| it.split_once('='))
        {
            request = request.param_text(name, value);
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let ended = match runtime.block_on(async { request.await }) {
        Ok(response) => json::write_pretty(&response.value),
        Err(err) => err.render(Style::Plain),
    };
    runtime.shutdown_background();
    format!("{warnings}{}\n{ended}{}", plan.show(), tested(&engine, plan.program()))
}

/// The results of the tests in a script.
fn tested(engine: &Engine, program: &svc_lang::check::Checked) -> String {
    let mut text = String::new();
    for result in engine.test(program, "") {
        let word = if result.passed() { "ok" } else { "FAILED" };
        text.push_str(&format!("\n\ntest {:?}: {word}", result.name));
        text.push_str(&format!(", {}", result.usage));
        if !result.report.problems.is_empty() || !result.passed() {
            text.push_str(&format!("\n{}", result.report.render(Style::Plain).trim_end()));
        }
    }
    text
}

/// A host with the files of `tests/data`.
pub(crate) fn host() -> TestHost {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let host = TestHost::new()
        .env("SVC_SECRET_API_KEY", "s3cret")
        .working_in(assert_cmd::cargo::cargo_bin!("svc"));
    for folder in fs::read_dir(&root).unwrap().map(|it| it.unwrap().path()) {
        for file in fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()) {
            let name = file.strip_prefix(&root).unwrap();
            host.put(name, fs::read(&file).unwrap());
        }
    }
    host
}

/// Every code occurs in a snapshot. The run for one code is cancelled from outside, so `run.rs`
/// tests that one.
#[test]
fn every_code_has_a_script() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    let mut shown: BTreeSet<Code> = BTreeSet::new();
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        shown.extend(Code::ALL.iter().copied().filter(|it| text.contains(&format!("[{it}]"))));
    }
    let missing: Vec<_> =
        Code::ALL.iter().filter(|it| !shown.contains(it) && **it != Code::E411).collect();
    assert!(missing.is_empty(), "no script shows {missing:?}");
}

/// Fixes repair scripts: a script whose problems all have a fix almost always checks afterwards,
/// and `svc fix --suggested` repairs about two thirds of all wrong scripts.
#[test]
fn fixes_mend_wrong_scripts() {
    let engine = svc::engine().with(components::ALL).with_host(Arc::new(host()));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/errors");
    let (mut all, mut repaired, mut offered, mut kept) = (0, 0, 0, 0);
    let mut left = Vec::new();
    for file in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        let text = fs::read_to_string(&file).unwrap();
        let Err(report) = engine.check(text.as_str()) else { panic!("{}", file.display()) };
        // Holes are for people to fill.
        if report.errors().any(|it| it.code == Code::E224) {
            continue;
        }
        let fixed = engine.fix_with(text.as_str(), Fixes::Suggested);
        let checks = !fixed.left.has_errors();
        all += 1;
        repaired += usize::from(checks);
        if !checks {
            left.push(file.file_stem().unwrap().to_string_lossy().into_owned());
        }
        // Problems in files that the script imports are not fixed here.
        let own = report.used.is_empty();
        if own && report.errors().all(|it| !it.fixes.is_empty()) {
            offered += 1;
            kept += usize::from(checks);
        }
    }
    left.sort();
    assert!(kept * 10 >= offered * 9, "{kept} of {offered} check after `fix`");
    assert!(repaired * 100 >= all * 65, "{repaired} of {all} check after `fix`; left: {left:?}");
}

/// Every fix removes its problem, whatever other problems the script has.
#[test]
fn a_fix_takes_its_problem_away() {
    let engine = svc::engine().with(components::ALL).with_host(Arc::new(host()));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/errors");
    let mut tried = 0;
    for file in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        let text = fs::read_to_string(&file).unwrap();
        let Err(report) = engine.check(text.as_str()) else { panic!("{}", file.display()) };
        for problem in report.errors().filter(|it| !it.fixes.is_empty()) {
            let mut repaired = text.clone();
            let mut fixes: Vec<_> = problem.fixes.iter().collect();
            fixes.sort_by_key(|it| std::cmp::Reverse(it.span));
            for fix in fixes {
                repaired.replace_range(fix.span.range(), &fix.text);
            }
            let start = problem.span().start;
            let moved = (start + repaired.len()).saturating_sub(text.len());
            let is_same = |it: &svc_lang::diag::Problem| {
                it.code == problem.code
                    && it.message == problem.message
                    && [start, moved].contains(&it.span().start)
            };
            let left = engine.check(repaired.as_str()).err();
            let as_many =
                |it: &svc_lang::diag::Report| it.errors().count() >= report.errors().count();
            let left = left.is_some_and(|it| as_many(&it) && it.errors().any(is_same));
            assert!(!left, "{}: {problem}\n{repaired}", file.display());
            tried += 1;
        }
    }
    assert!(tried >= 100, "{tried} fixes");
}
