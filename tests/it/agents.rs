//! What an agent is given: the card is short, correct, and sufficient for some tasks.

use std::{fs, path::Path, sync::Arc};

use svc::Engine;
use svc_host_os::test::TestHost;
use svc_lang::diag::{Report, Source};

/// Declarations that the lines of the card assume.
const GIVEN: [&str; 7] = [
    r#"param topic: string = "budgets""#,
    r#"type Kind = "bug" | "idea""#,
    "type Note = { title: string, score: float 0..1, kind: Kind }",
    r#"param note: Note = { title: "t", score: 0.5, kind: "bug" }"#,
    "param notes: [Note] = []",
    "param xs: [string] = []",
    "flow long(text: string, most: int = 5) -> bool { len(text) > most }",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn card() -> String {
    fs::read_to_string(root().join("docs/card.md")).unwrap()
}

#[test]
fn the_card_is_short() {
    let tokens = tiktoken_rs::o200k_base().unwrap().encode_with_special_tokens(&card()).len();
    assert!((500..1300).contains(&tokens), "{tokens} tokens");
}

#[test]
fn every_line_of_the_card_is_true() {
    let card = card();
    let (_, lines) = card.split_once("```text\n").unwrap();
    let (lines, _) = lines.split_once("\n```").unwrap();
    let lines: Vec<&str> = lines.lines().filter(|it| !it.is_empty()).collect();
    assert!(lines.len() > 20, "{}", lines.len());
    for line in lines {
        if let Err(report) = checked(line) {
            panic!("{line}\n{report}");
        }
    }
}

/// Whether a line of the card checks and its test passes, together with the declarations that it
/// assumes.
fn checked(line: &str) -> Result<(), Report> {
    let library =
        "type Answer = { text: string }\nflow answer(q: string) -> Answer { { text: q } }";
    let host = TestHost::new().file("lib.svc", library);
    let engine = svc::engine().with_host(Arc::new(host));
    let declared = |it: &str| it.split([':', '=', '(']).next().unwrap().trim().to_owned();
    let given: Vec<&str> =
        GIVEN.into_iter().filter(|it| !line.starts_with(&declared(it))).collect();
    let hits = r#"let hits = topic >> search(source: "docs")"#;
    let given = if line.starts_with("let") { given } else { [given, vec![hits]].concat() };
    let words = ["svc", "##", "param", "secret", "type", "use", "flow", "let", "mock", "test"];
    let is_main = !words.iter().any(|it| line.starts_with(it));
    let main = if is_main { "" } else { "\n\"main\"" };
    let script = if line.starts_with("svc") {
        format!("{line}\n{}{main}", given.join("\n"))
    } else {
        format!("{}\n{line}{main}", given.join("\n"))
    };
    let program = engine.check(Source::new("card", script))?;
    let failed = engine.test(&program, "").into_iter().find(|it| !it.passed());
    failed.map_or(Ok(()), |it| Err(it.report))
}

/// Each task names ten components, and its solution uses no others.
#[tokio::test]
async fn agent_tasks_have_a_right_answer() {
    let tasks = root().join("tests/agent_tasks");
    let mut seen = 0;
    for task in fs::read_dir(tasks).unwrap().map(|it| it.unwrap().path()) {
        if !task.is_dir() {
            continue;
        }
        seen += 1;
        let name = task.file_name().unwrap().to_string_lossy().into_owned();
        let message = fs::read_to_string(task.join("task.md")).unwrap();
        let (_, list) = message.split_once("## Components\n\n").unwrap();
        let allowed: Vec<&str> =
            list.lines().next().unwrap().split('`').skip(1).step_by(2).collect();
        assert_eq!(allowed.len(), 10, "{name}: {allowed:?}");
        let script = fs::read_to_string(task.join("script.svc")).unwrap();
        let source = Source::new(name.as_str(), script.as_str()).in_folder("");
        let engine = svc::engine().with_host(Arc::new(host(&task)));
        let registry = engine.registry();
        assert!(allowed.iter().all(|it| registry.resolve(it).is_some()), "{name}: {allowed:?}");
        for used in called(&engine, &script) {
            assert!(allowed.contains(&used.as_str()), "{name}: `{used}` is not in the list");
        }
        let value = engine.run(source).await.unwrap_or_else(|err| panic!("{name}: {err}")).value;
        let wanted = fs::read_to_string(task.join("result.json")).unwrap();
        assert_eq!(svc_contract::value::json::write_pretty(&value), wanted.trim_end(), "{name}");
    }
    assert_eq!(seen, 3, "the tasks stay the same, so that models can be compared");
}

/// The names of components in a script, outside strings and comments.
fn called(engine: &Engine, script: &str) -> Vec<String> {
    let lexed = svc_lang::syntax::token::lex(script);
    let words =
        lexed.tokens.iter().filter(|it| it.kind == svc_lang::syntax::token::TokenKind::Word);
    let words = words.map(|it| script[it.span.range()].to_owned());
    let before =
        |it: &str| script.contains(&format!("{it}(")) || script.contains(&format!(">> {it}"));
    words.filter(|it| engine.registry().resolve(it).is_some() && before(it)).collect()
}

/// The files of a task.
fn host(task: &Path) -> TestHost {
    let host = TestHost::new();
    for file in fs::read_dir(task.join("data")).into_iter().flatten().map(|it| it.unwrap().path()) {
        let name = Path::new("data").join(file.file_name().unwrap());
        host.put(&name, fs::read(&file).unwrap());
    }
    host
}
