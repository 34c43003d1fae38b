//! The standard library: every module is embedded, documented, tested and listed.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use svc_contract::{
    store::Store as _,
    value::{Money, json},
};
use svc_host_os::test::TestHost;
use svc_lang::{
    check::Checked,
    diag::{Code, Source},
    stdlib::{self, Module},
    syntax,
};
use svc_store::SqliteStore;

use crate::docs;

const FEWEST_TESTS: usize = 2;

fn checked(source: Source) -> Checked {
    let name = source.name().to_owned();
    let checked = svc::engine().check(source);
    checked.unwrap_or_else(|report| panic!("{name}\n{report}"))
}

/// A script that uses a module.
fn user(module: &Module) -> Source {
    let name = module.name;
    Source::new("user.svc", format!("use \"std:{name}\" as {name}\n\n1")).in_folder("work")
}

#[test]
fn every_file_is_embedded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("stdlib");
    let on_disk = files_in(&folder);
    let embedded = stdlib::ALL.iter().flat_map(|it| [it.source(), it.tests()]);
    let mut named = BTreeSet::new();
    for source in embedded {
        let file = source.name().strip_prefix(stdlib::PREFIX).unwrap();
        assert_eq!(fs::read_to_string(folder.join(file)).unwrap(), source.text(), "{file}");
        named.insert(file.to_owned());
    }
    assert_eq!(on_disk, named);
    let strategies: BTreeSet<String> =
        svc_service::bias::BUILT_IN.iter().map(|(name, _)| format!("{name}.rhai")).collect();
    assert_eq!(files_in(&folder.join("strategies")), strategies);
}

fn files_in(folder: &Path) -> BTreeSet<String> {
    let all = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = all.filter(|it| it.file_type().unwrap().is_file());
    files.map(|it| it.file_name().into_string().unwrap()).collect()
}

#[test]
fn every_module_says_what_it_is_for() {
    for module in stdlib::ALL {
        let summary = module.summary();
        assert!(summary.len() > 20 && summary.ends_with('.'), "{}: {summary}", module.name);
        assert!(module.examples().iter().any(|it| it.gives.is_some()), "{}", module.name);
        let analysis = svc::engine().analyse(user(module));
        assert!(!analysis.report.has_errors(), "{}\n{}", module.name, analysis.report);
        let documented = analysis.facts.flows.iter().filter(|(_, it)| !it.doc.is_empty()).count();
        assert!(documented >= 2, "{}", module.name);
    }
}

#[test]
fn every_module_has_its_place_in_the_book() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/stdlib.md");
    let page = fs::read_to_string(page).unwrap();
    for module in stdlib::ALL {
        let name = module.name;
        let section = format!("### std:{name}\n\n<!-- output of: svc inspect std:{name} -->\n");
        assert!(page.contains(&section), "{section}");
        let row = page.lines().find(|it| it.starts_with(&format!("| [`std:{name}`](#std{name})")));
        let row = row.unwrap_or_else(|| panic!("{name} is not in the table"));
        let missing = module.flows().into_iter().find(|it| !row.contains(&it.name));
        assert_eq!(missing.map(|it| it.name), None, "{row}");
    }
}

#[test]
fn every_module_has_tests_that_pass() {
    let engine = svc::engine();
    for module in stdlib::ALL {
        let checked = checked(module.tests());
        assert_eq!(checked.warnings.all().count(), 0, "{}\n{}", module.name, checked.warnings);
        let results = engine.test(&checked, "");
        assert!(results.len() >= FEWEST_TESTS, "{}", module.name);
        for result in results {
            assert!(result.passed(), "{}: {}\n{}", module.name, result.name, result.report);
        }
    }
}

#[test]
fn every_module_is_formatted_and_uses_nothing_outside() {
    for module in stdlib::ALL {
        let text = module.tests();
        assert_eq!(syntax::format(text.text()).text, text.text(), "{}", module.name);
        for line in text.text().lines().filter(|it| it.trim_start().starts_with("use \"")) {
            assert!(line.contains("use \"std:"), "{}: {line}", module.name);
        }
    }
}

#[tokio::test]
async fn every_example_runs() {
    let (engine, _cache) = docs::engine();
    let mut wrong = Vec::new();
    for module in stdlib::ALL {
        for example in module.examples() {
            let source = Source::new(module.name, example.script.as_str());
            let ran = engine.run(source.in_folder(".")).await;
            let gave = ran.map_or_else(|err| err.to_string(), |it| json::write(&it.value));
            if example.gives.is_some_and(|due| due != gave) {
                wrong.push(format!("{}: {gave}", module.name));
            }
            let formatted = syntax::format(&example.script).text;
            if formatted.trim_end() != example.script {
                wrong.push(format!("{} should be\n{formatted}", module.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The problem of a script that imports this name.
fn refused(name: &str) -> (String, String) {
    let script = format!("use \"{name}\" as x\n\n1 >> x.f");
    let report = svc::engine().check(script).unwrap_err();
    let problem = report.problems.first().unwrap();
    assert_eq!((problem.code, report.problems.len()), (Code::E225, 1), "{report}");
    (problem.message.clone(), problem.help.clone().unwrap_or_default())
}

#[test]
fn an_unknown_module_is_reported_with_the_known_ones() {
    let (message, help) = refused("std:");
    assert_eq!(message, "cannot use `std:`: missing module name");
    let all = stdlib::ALL.iter().all(|it| help.contains(&format!("`std:{}`", it.name)));
    assert!(all, "{help}");
    let (message, help) = refused("std:../x");
    assert_eq!(message, "cannot use `std:../x`: the standard library has no `../x`");
    assert!(help.starts_with("the modules are `std:"), "{help}");
    for name in ["std:panel.svc", "std:pannel", "std:refine.test.svc"] {
        let (_, help) = refused(name);
        assert!(help.starts_with("did you mean `std:") || name.contains("test"), "{name}: {help}");
    }
}

/// A user's file keeps its meaning, whatever its name.
#[tokio::test]
async fn a_file_that_is_called_like_a_module_is_a_file() {
    let own = "flow majority(votes: [string]) -> string { \"own\" }";
    let host = TestHost::new().file("./std:panel.svc", own).file("std:panel.svc", own);
    let engine = svc::engine().with_host(Arc::new(host));
    let script = "use \"std:panel\" as panel\nuse \"./std:panel.svc\" as own\n\
        { own: ([\"a\"] >> own.majority), std: ([\"a\"] >> panel.majority >> .winner) }";
    let source = Source::new("main.svc", script).in_folder(".");
    let value = engine.run(source).await.unwrap().value;
    assert_eq!(json::write(&value), r#"{"own":"own","std":"a"}"#);
}

#[tokio::test]
async fn a_module_is_used_twice_and_from_used_files() {
    let lib = "use \"std:panel\" as panel\n\
        flow best(votes: [string]) -> string { votes >> panel.majority >> .winner }";
    let engine = svc::engine().with_host(Arc::new(TestHost::new().file("lib.svc", lib)));
    let script = "use \"std:panel\" as a\nuse \"std:panel\" as b\nuse \"lib.svc\" as lib\n\
        let one: a.Vote = [\"x\"] >> b.majority\n\
        { one: one.winner, two: ([\"y\"] >> lib.best) }";
    let plan = engine.plan(script).unwrap();
    assert_eq!(plan.program().used.len(), 2);
    let value = engine.run_plan(plan).await.unwrap().value;
    assert_eq!(json::write(&value), r#"{"one":"x","two":"y"}"#);
}

/// A run records the text of a module: a later version may differ.
#[tokio::test]
async fn a_run_keeps_the_modules_that_it_used() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let engine = svc::engine().with_host(Arc::new(TestHost::new())).with_store(store.clone());
    let script = "use \"std:panel\" as panel\n\
        [\"x\"] >> panel.majority >> .winner >> fail";
    engine.run(script).await.map(|it| it.value).unwrap_err();
    let run = store.run("last").unwrap();
    let kept = store.imports(&run.id).unwrap();
    let module = stdlib::find("panel").unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].0, "std:panel.svc");
    assert_eq!(store.text(kept[0].1).unwrap().as_deref(), Some(module.text));
    let err = engine.resume("last").unwrap().await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("`fail` failed: x"), "{err}");
}

/// Flows that call a model have a bound that is known before the run, so that a cap can limit them.
#[test]
fn what_asks_a_model_is_bounded() {
    let scripts = [
        ("summary", "summary.by_model"),
        ("chat", "chat.by_model(source: \"docs\")"),
        ("cite", "cite.by_model(source: \"docs\")"),
        ("compare", "compare.by_model(of: [\"a\", \"b\"])"),
        ("refine", "refine.by_model"),
        ("panel", "panel.review_by_model(aim: \"x\")"),
        ("panel", "panel.vote_by_model(options: [\"a\", \"b\"])"),
        ("best_of", "best_of.by_model"),
        ("retry", "retry.by_model(answer: upper, is_good: blank)"),
        ("extract", "extract.by_model<{ a: int }>()"),
        ("guide", "guide.by_model"),
    ];
    let host = TestHost::new().env("SVC_MODEL", "anthropic/claude-haiku-4-5");
    let host = host.env("ANTHROPIC_API_KEY", "none");
    let engine = svc::engine().with_host(Arc::new(host));
    for (module, call) in scripts {
        let script = format!(
            "param text: string = \"tea\"\nuse \"std:{module}\" as {module}\n\
             flow blank(text: string) -> bool {{ text == \"\" }}\ntext >> {call}"
        );
        let plan = engine.plan(script).unwrap_or_else(|report| panic!("{call}\n{report}"));
        let envelope = plan.envelope();
        assert!(envelope.tokens.max.is_some() && envelope.cost.max.is_some(), "{call}");
        assert!(envelope.cost.max > Some(Money::ZERO), "{call}");
    }
}
