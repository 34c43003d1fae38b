//! The printed grammars accept exactly the valid scripts, when read by the parsers that they are
//! written for: Lark, and llguidance for both notations.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use svc::Engine;
use svc_assist::{Notation, grammar};
use svc_lang::diag;

use crate::{components, docs, foreign};

/// Errors that a context-free grammar cannot detect.
const NOT_OF_SYNTAX: [(&str, &str); 5] = [
    ("e104_too_deep.svc", "it cannot count brackets"),
    ("e104_too_long.svc", "it cannot count operators"),
    ("e104_types_too_deep.svc", "it cannot count brackets"),
    ("e121_too_many_and_too_long.svc", "it cannot count parts, nor the letters of a name"),
    ("e226_mocks.svc", "a mock's arguments are named, as the check sees"),
];

/// Errors that are not syntax errors, but are rejected all the same: the grammar knows the names of
/// arguments and bounds, and which components take a type, and it has no holes.
const KNOWN_NAMES: [&str; 4] = ["E202", "E219", "E224", "E301"];

/// Whether llguidance reads a script differently in GBNF: it converts rules to words, of which it
/// takes the longest, so it sees no `(` after `ask<Answer>`, and no range in `ask<float 0..1>(`.
fn is_beyond_gbnf(text: &str) -> bool {
    let pieces: Vec<&str> = text.split('<').collect();
    // The parameters of a flow must follow its type parameters.
    let declares = |before: &str| {
        before.rsplit_once(char::is_whitespace).is_some_and(|(it, _)| it.ends_with("flow"))
    };
    pieces.windows(2).filter(|it| !declares(it[0])).any(|it| {
        let it = it[1];
        let behind = it.trim_start_matches(|it: char| it.is_ascii_alphanumeric() || it == '_');
        let behind_range =
            behind.trim_start_matches(|it: char| it.is_ascii_digit() || " .-".contains(it));
        let end = behind_range.trim_start_matches('>');
        behind.len() < it.len() && end.len() < behind_range.len() && end.starts_with('(')
    })
}

fn engine() -> Engine {
    svc::engine().with(components::ALL)
}

#[test]
fn grammars_accept_scripts_and_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lark");
    let python = match foreign::python(&root.join("requirements.txt")) {
        Ok(python) => python,
        Err(why) => return foreign::skipped("grammars_accept_scripts_and_nothing_else", &why),
    };
    let engine = engine();
    let scripts: Vec<Value> =
        scripts().iter().filter_map(|(name, text)| expected(&engine, name, text)).collect();
    let accepted = scripts.iter().filter(|it| it["accept"] == true).count();
    assert!(accepted > 150 && scripts.len() - accepted > 40, "{accepted} of {}", scripts.len());
    let given = json!({
        "lark": grammar(engine.registry(), Notation::Lark),
        "gbnf": grammar(engine.registry(), Notation::Gbnf),
        "scripts": scripts,
    });
    let answer =
        foreign::answer(Command::new(python).arg(root.join("check.py")), &given.to_string());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["wrong"], json!([]), "{:#}", answer["wrong"]);
}

/// Golden scripts, examples, and the scripts of the book.
pub(crate) fn scripts() -> Vec<(String, String)> {
    let mut scripts: Vec<(String, String)> =
        docs::fences().into_iter().map(|it| (it.place, it.script)).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("examples"), root.join("tests/scripts")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "svc") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                scripts.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    scripts.sort();
    scripts
}

/// What the grammars should report for a script, if they can.
fn expected(engine: &Engine, name: &str, text: &str) -> Option<Value> {
    if NOT_OF_SYNTAX.iter().any(|(it, _)| *it == name) {
        return None;
    }
    let problems = match engine.check(diag::Source::new(name, text)) {
        Ok(_) => Vec::new(),
        Err(report) => report.errors().map(|it| it.code.as_str()).collect(),
    };
    let wrong_syntax = problems.iter().any(|it| it.starts_with("E1"));
    if !wrong_syntax && problems.iter().any(|it| KNOWN_NAMES.contains(it)) {
        return None;
    }
    Some(
        json!({ "name": name, "text": text, "accept": !wrong_syntax, "in_gbnf": !is_beyond_gbnf(text) }),
    )
}

/// The exceptions are correct: each is a script that the checker rejects.
#[test]
fn exceptions_are_wrong_scripts() {
    let engine = engine();
    for (name, text) in scripts() {
        if NOT_OF_SYNTAX.iter().any(|(it, _)| *it == name) {
            let report = engine.check(text.as_str()).expect_err(&name);
            assert!(report.errors().any(|it| it.code.as_str().starts_with("E1")), "{name}");
        }
    }
}
