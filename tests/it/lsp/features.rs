//! What an editor shows around a script: notes between its words, commands above it, its files and
//! names, and ever larger selections.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{
    RAG, USER, at,
    client::{Client, edited},
};

/// A request about a whole document.
fn of(client: &mut Client, method: &str, name: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": client.uri(name) } });
    let report = client.request(&format!("textDocument/{method}"), params).unwrap();
    report.as_array().unwrap().clone()
}

/// The notes of a script, each at its place in the text: `⟨ Note⟩`.
fn annotated(client: &mut Client, script: &str) -> String {
    client.open("notes.svc", script);
    let params = json!({
        "textDocument": { "uri": client.uri("notes.svc") },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } },
    });
    let notes = client.request("textDocument/inlayHint", params).unwrap();
    let edit = |it: &Value| {
        let space = if it["paddingLeft"] == true { " " } else { "" };
        let text = format!("⟨{space}{}⟩", it["label"].as_str().unwrap());
        json!({ "range": { "start": it["position"], "end": it["position"] }, "newText": text })
    };
    let edits: Vec<Value> = notes.as_array().unwrap().iter().map(edit).collect();
    edited(script, &json!(edits))
}

#[test]
fn types_that_are_not_written_are_notes() {
    let mut client = Client::ready(&[]);
    let script = "\
param q: string
let words = q >> split(sep: \" \")
let declared: int = 2
let long = words
  >> where { len(it) > declared }  # the long ones
  # in order
  >> sort { it }
long
  >> first
  >> if it == null { 0 } else { len(it) }
";
    let wanted = "\
param q: string
let words⟨: [string]⟩ = q >> split(sep: \" \")
let declared: int = 2
let long⟨: [string]⟩ = words⟨ [string]⟩
  >> where { len(it) > declared }⟨ [string]⟩  # the long ones
  # in order
  >> sort { it }
long⟨ [string]⟩
  >> first⟨ string⟩
  >> if it == null { 0 } else { len(it) }⟨ int⟩
";
    assert_eq!(annotated(&mut client, script), wanted);
    // What is known is shown while the rest is being written.
    let broken = annotated(&mut client, "let a = [1, 2]\nlet b = a >> uper\nb >> ");
    assert!(broken.starts_with("let a⟨: [int; max 2]⟩ = [1, 2]\nlet b = "), "{broken}");
}

#[test]
fn the_most_that_a_stage_costs_is_a_note() {
    let mut client = Client::ready(&[]);
    let script = "\
type Note = { title: string }
flow note(t: string) -> Note { ask<Note>(t) }
param q: string
[q, \"b\"]
  >> each { upper >> note }
  >> take(n: 1)
";
    let seen = annotated(&mut client, script);
    // No model is configured, so the price is unknown, and the tokens are the measure.
    assert!(seen.contains("{ ask<Note>(t)⟨ ≤ 512k tokens⟩ }"), "{seen}");
    assert!(
        seen.contains("upper >> note⟨ ≤ 512k tokens⟩ }⟨ [Note; max 2] · ≤ 1.03M tokens⟩"),
        "{seen}"
    );
    assert!(seen.ends_with("take(n: 1)⟨ [Note; max 1]⟩\n"), "{seen}");
}

#[test]
fn notes_stay_inside_the_requested_range() {
    let mut client = Client::ready(&[]);
    client.open("a.svc", "let a = 1\nlet b = 2\nlet c = 3\na + b + c\n");
    let ask = |client: &mut Client, from: u32, to: u32| {
        let params = json!({
            "textDocument": { "uri": client.uri("a.svc") },
            "range": { "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 } },
        });
        client.request("textDocument/inlayHint", params).unwrap().as_array().unwrap().len()
    };
    assert_eq!((ask(&mut client, 1, 2), ask(&mut client, 0, 9), ask(&mut client, 7, 2)), (1, 4, 0));
}

#[test]
fn lenses_run_plan_and_test() {
    let mut client = Client::ready(&[]);
    let script = "param q: string = \"a\"\nq >> upper\ntest \"it -shouts\" { let out = main(q: \"b\") expect out == \"B\" }\n";
    client.open("a.svc", script);
    let lenses = of(&mut client, "codeLens", "a.svc");
    let shown: Vec<String> = lenses
        .iter()
        .map(|it| format!("{} {}", it["range"]["start"]["line"], it["command"]["title"]))
        .collect();
    assert_eq!(shown, ["1 \"run\"", "1 \"plan\"", "1 \"test all\"", "2 \"test\""]);
    // The arguments are those of the program: what a client does with them.
    fs::write(client.path("a.svc"), script).unwrap();
    for (lens, wanted) in [(0, "A"), (1, "result string"), (2, "1 passed"), (3, "it -shouts")] {
        let argument = &lenses[lens]["command"]["arguments"][0];
        assert_eq!(argument["file"], client.path("a.svc").to_str().unwrap());
        let words: Vec<&str> = argument["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_str().unwrap())
            .collect();
        let output = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(words)
            .env("SVC_STORE", client.path("runs.db"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(wanted), "{text}");
    }
    client.open("flows.svc", RAG);
    assert!(of(&mut client, "codeLens", "flows.svc").is_empty());
}

/// A lens that the client cannot carry out would fail when it is chosen.
#[test]
fn lenses_are_only_for_clients_that_know_their_commands() {
    let mut client = Client::start(&[]);
    client.request("initialize", json!({ "capabilities": {} })).unwrap();
    client.open("a.svc", "1 + 1");
    assert!(of(&mut client, "codeLens", "a.svc").is_empty());
}

#[test]
fn names_are_found_in_all_scripts_of_the_folder() {
    let mut client = Client::ready(&[
        ("rag.svc", RAG),
        ("old.svc", "flow answer_old(q: string) -> string { q }\n"),
        (".gitignore", "old.svc\n"),
        ("note.txt", "flow answer_txt(q: string) -> string { q }\n"),
        ("broken.svc", "flow answers(q: string -> \n"),
    ]);
    client.open("open.svc", "flow answer_open(q: string) -> string { let inner = q\ninner }\n");
    let find = |client: &mut Client, query: &str| {
        let found = client.request("workspace/symbol", json!({ "query": query })).unwrap();
        let shown = |it: &Value| {
            let file = it["location"]["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{} {file}:{}", it["name"], it["location"]["range"]["start"]["line"])
        };
        found.as_array().unwrap().iter().map(shown).collect::<Vec<_>>()
    };
    let wanted = ["\"Answer\" rag.svc:0", "\"answer\" rag.svc:2", "\"answer_open\" open.svc:0"];
    assert_eq!(find(&mut client, "answer")[..3], wanted);
    assert_eq!(find(&mut client, "aopen"), ["\"answer_open\" open.svc:0"]);
    assert_eq!(find(&mut client, "inn"), ["\"inner\" open.svc:0"]);
    assert!(find(&mut client, "zzz").is_empty());
    // A changed file is read again, and an open one is what the editor has.
    fs::write(client.path("rag.svc"), "flow other(q: string) -> string { q }\n").unwrap();
    assert_eq!(find(&mut client, "other"), ["\"other\" rag.svc:0"]);
    client.open("rag.svc", RAG);
    assert!(find(&mut client, "other").is_empty());
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": [], "removed": [{ "uri": client.uri(""), "name": "here" }] } }),
    );
    assert_eq!(find(&mut client, "broken").len() + find(&mut client, "answers").len(), 0);
}

#[test]
fn a_selection_grows() {
    let mut client = Client::ready(&[]);
    let script = "let a = [1, 2]\na >> where { it > (1 + 0) } >> len\n";
    client.open("a.svc", script);
    let mut params = at(&client, "a.svc", script, "1 + 0");
    params["positions"] = json!([params["position"], { "line": 0, "character": 4 }]);
    let found = client.request("textDocument/selectionRange", params).unwrap();
    let text = |it: &Value| {
        let line = |at: &Value| usize::try_from(at["line"].as_u64().unwrap()).unwrap();
        let offset = |at: &Value| {
            let before: usize = script.split_inclusive('\n').take(line(at)).map(str::len).sum();
            before + usize::try_from(at["character"].as_u64().unwrap()).unwrap()
        };
        script[offset(&it["range"]["start"])..offset(&it["range"]["end"])].to_owned()
    };
    let (mut parts, mut part) = (Vec::new(), &found[0]);
    while !part.is_null() {
        parts.push(text(part));
        part = &part["parent"];
    }
    let wanted = [
        "",
        "1",
        "1 + 0",
        "(1 + 0)",
        "it > (1 + 0)",
        "{ it > (1 + 0) }",
        "where { it > (1 + 0) }",
        "a >> where { it > (1 + 0) } >> len",
    ];
    assert_eq!(parts[..8], wanted);
    assert_eq!(parts.last().map(String::as_str), Some(script));
    assert_eq!(text(&found[1]["parent"]), "a");
}

#[test]
fn used_files_are_links() {
    let mut client = Client::ready(&[("rag.svc", RAG)]);
    let script = format!("use \"std:panel\" as panel\nuse \"std:nothing\" as no\n{USER}");
    client.open("user.svc", &script);
    let links = of(&mut client, "documentLink", "user.svc");
    assert_eq!(links.len(), 2);
    let module = links[0]["target"].as_str().unwrap().strip_prefix("file://").unwrap();
    assert_eq!(fs::read_to_string(module).unwrap(), include_str!("../../../stdlib/panel.svc"));
    assert_eq!(links[1]["target"], client.uri("rag.svc"));
    assert_eq!(links[1]["range"]["start"], json!({ "line": 2, "character": 5 }));
    assert_eq!(links[1]["range"]["end"], json!({ "line": 2, "character": 12 }));
}

/// The line that a definition leads to, and the file.
fn defined(client: &mut Client, file: &str, script: &str, word: &str) -> (String, String) {
    client.open(file, script);
    let place = at(client, file, script, word);
    let found = client.request("textDocument/definition", place).unwrap();
    let path = found["uri"].as_str().unwrap().strip_prefix("file://").unwrap();
    let text = fs::read_to_string(path).unwrap();
    let line = usize::try_from(found["range"]["start"]["line"].as_u64().unwrap()).unwrap();
    (text.lines().nth(line).unwrap().to_owned(), path.to_owned())
}

#[test]
fn definitions_lead_into_the_standard_library() {
    let mut client = Client::ready(&[]);
    let script = "use \"std:panel\" as panel\n[\"a\"] >> panel.majority";
    let (line, path) = defined(&mut client, "std.svc", script, "majority");
    assert!(line.starts_with("flow majority"), "{line}");
    assert!(Path::new(&path).ends_with("std/panel.svc"), "{path}");
    let (_, module) = defined(&mut client, "std.svc", script, "std:panel");
    assert_eq!(module, path);
    let (line, _) = defined(
        &mut client,
        "template.svc",
        "use \"std:extract\" as extract\n\"a: 1\" >> extract.labels<{ a: int }>(fields: \"a: int\")",
        "labels",
    );
    assert!(line.starts_with("/// template labels<T>("), "{line}");
    // The file is whole again after somebody changed it.
    fs::write(&path, "changed").unwrap();
    assert!(defined(&mut client, "std.svc", script, "majority").0.starts_with("flow majority"));
    // Its own names are those of the library.
    let name = path.strip_prefix(client.path("").to_str().unwrap()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(client.problems(name, &text).is_empty());
    let mut place = at(&client, name, &text, "majority<C>(");
    place["newName"] = json!("most");
    let err = client.request("textDocument/rename", place).unwrap_err();
    assert!(err["message"].as_str().unwrap().contains("the standard library"), "{err}");
}

#[test]
fn definitions_lead_to_the_documentation_of_components() {
    let mut client = Client::ready(&[]);
    let script = "[\"a\"] >> take(n: 1) >> join(sep: \", \") >> text.upper";
    let (line, path) = defined(&mut client, "op.svc", script, "take");
    assert!(Path::new(&path).ends_with("components/list.md"), "{path}");
    assert_eq!(line, "## take");
    assert_eq!(defined(&mut client, "op.svc", script, "upper").0, "## upper");
    let (param, _) = defined(&mut client, "op.svc", script, "sep:");
    assert!(param.starts_with("- `sep`: "), "{param}");
    let page = fs::read_to_string(path).unwrap();
    assert!(page.starts_with("# list\n") && page.contains("```json\n[1,2]\n```"), "{page}");
}

#[test]
fn an_unused_let_is_removed() {
    let mut client = Client::ready(&[]);
    for (script, wanted) in [
        ("let a = 1\nlet b = 2  # not used\n# more\na\n", "let a = 1\n# more\na\n"),
        ("let b = [\n  1,\n]\n\n2", "\n2"),
        (
            "flow f(x: int) -> int {\n  let y = x\n  x\n}\n1 >> f\n",
            "flow f(x: int) -> int {\n  x\n}\n1 >> f\n",
        ),
        // What acts keeps acting.
        (
            "let b = write_file(\"a\", to: \"a.txt\")\n1\n",
            "let _b = write_file(\"a\", to: \"a.txt\")\n1\n",
        ),
    ] {
        let place = client.open("a.svc", script);
        let report = client.diagnostics("a.svc");
        assert_eq!(report[0]["code"], "E221", "{script}: {report:?}");
        let params = json!({
            "textDocument": place["textDocument"],
            "range": report[0]["range"],
            "context": { "diagnostics": report, "only": ["quickfix"] },
        });
        let actions = client.request("textDocument/codeAction", params).unwrap();
        let edits = &actions[0]["edit"]["changes"][client.uri("a.svc")];
        assert_eq!(edited(script, edits), wanted);
    }
}
