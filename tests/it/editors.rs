//! The syntax colours of the editor, tested with the editor's own engine.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{components, foreign, grammar};

const SAMPLE: &str = r#"svc 1 within { timeout: 1h30m, max_cost: $0.50 }
## What to look for.
param topic: string = "a\n${len(x):.2} \q"   # a note
type Note = { score: float 0..1, kind: "bug" | 'idea', owner: string? }
flow f(q: string, most: size = 10MiB) -> [Note; max 5] { q >> text.upper >> ask<Note>(prompt: q) }
let hits = topic >> search(top_k: 5) >> each? { .title ?? null }
hits >> ?order: [Note] -> [Note] # biggest first
hits >> where { .score > -0.5 and it?.kind == "bug" } >> { ...it, n: 1_000 }
"""
long ${ { a: "}" }.a } text
""" >> rhai(x: { a: int }) -> { b: float } { let y = `}`; /* } */ #{ b: 1.0 } } >> show
"#;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode")
}

fn colours() -> Value {
    let text = fs::read_to_string(folder().join("syntaxes/svc.tmLanguage.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn tokenised(test: &str, scripts: &[Value]) -> Option<Vec<Value>> {
    let place = foreign::node(&folder().join("test"));
    let place = place.map_err(|why| foreign::skipped(test, &why)).ok()?;
    let grammar = folder().join("syntaxes/svc.tmLanguage.json");
    let given = json!({ "grammar": grammar, "scripts": scripts });
    let mut node = Command::new("node");
    node.arg(folder().join("test/tokenise.js")).current_dir(place);
    Some(serde_json::from_str(&foreign::answer(&mut node, &given.to_string())).unwrap())
}

#[test]
fn a_sample_has_its_colours() {
    let sample = json!({ "name": "sample", "text": SAMPLE });
    let Some(read) = tokenised("a_sample_has_its_colours", &[sample]) else { return };
    let line = |it: &Value| {
        let text = |key: &str| it[key].as_str().unwrap().to_owned();
        format!("{} {:<12} {}", it["line"], text("text"), text("scopes"))
    };
    let tokens = read[0]["tokens"].as_array().unwrap();
    let lines: Vec<String> = tokens.iter().map(line).collect();
    assert_eq!(read[0]["open"], 0);
    insta::assert_snapshot!(lines.join("\n"));
}

/// Scripts that check have no wrong escapes, and every string and brace in them ends.
#[test]
fn scripts_that_check_are_read_to_their_end() {
    let engine = svc::engine().with(components::ALL);
    let is_fine = |text: &str| engine.check(text).is_ok();
    let scripts: Vec<Value> = grammar::scripts()
        .into_iter()
        .filter(|(_, text)| is_fine(text))
        .map(|(name, text)| json!({ "name": name, "text": text }))
        .collect();
    assert!(scripts.len() > 100, "{}", scripts.len());
    let Some(read) = tokenised("scripts_that_check_are_read_to_their_end", &scripts) else {
        return;
    };
    for script in read {
        assert_eq!(script["open"], 0, "{}", script["name"]);
        let tokens = script["tokens"].as_array().unwrap();
        let wrong: Vec<_> =
            tokens.iter().filter(|it| it["scopes"].as_str().unwrap().contains("invalid")).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", script["name"]);
    }
}

#[test]
fn the_words_are_those_of_the_language() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/svc.pest")).unwrap();
    let (_, rule) = text.split_once("\nkeyword = _{").unwrap();
    let (rule, _) = rule.split_once('}').unwrap();
    let words: BTreeSet<&str> = rule.split('"').skip(1).step_by(2).collect();
    assert!(words.len() > 30, "{words:?}");
    let colours = colours();
    let patterns = colours["repository"]["keywords"]["patterns"].as_array().unwrap();
    let coloured: BTreeSet<&str> = patterns
        .iter()
        .flat_map(|it| {
            it["match"].as_str().unwrap().trim_matches(|it| "\\b(?:)".contains(it)).split('|')
        })
        .collect();
    assert_eq!(coloured, words);
    let calls = colours["repository"]["calls"].to_string();
    let (_, excluded) = calls.split_once("(?!(?:").unwrap();
    let excluded: BTreeSet<&str> = excluded.split_once(')').unwrap().0.split('|').collect();
    assert_eq!(excluded, words, "words that are not names after `>>`");
}
