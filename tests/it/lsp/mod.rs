//! The language server as an editor sees it: the real program, over its pipes.

mod client;
mod completion;
mod features;
mod hostile;
mod large;
mod neovim;
mod protocol;

use serde_json::{Value, json};

use client::{Client, edited, without_cursor};

const RAG: &str = "\
type Answer = { text: string, n: int }
## Answers a question.
flow answer(q: string) -> Answer { { text: upper(q), n: len(q) } }
";

const USER: &str = "\
use \"rag.svc\" as rag
param question: string
let found = question >> rag.answer
found >> .text
";

/// The params of a request at the first occurrence of a word.
fn at(client: &Client, name: &str, text: &str, word: &str) -> Value {
    let position = client::position(text, text.find(word).unwrap());
    json!({ "textDocument": { "uri": client.uri(name) }, "position": position })
}

fn hover(client: &mut Client, script: &str) -> String {
    let place = client.open("hover.svc", script);
    let report = client.request("textDocument/hover", place).unwrap();
    report["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

/// The parts of a text that the ranges select.
fn pieces(text: &str, ranges: &Value) -> Vec<String> {
    let line = |it: &Value| usize::try_from(it["line"].as_u64().unwrap()).unwrap();
    let column = |it: &Value| usize::try_from(it["character"].as_u64().unwrap()).unwrap();
    let piece = |it: &Value| {
        let (start, end) = (&it["range"]["start"], &it["range"]["end"]);
        let whole = text.lines().nth(line(start)).unwrap();
        format!("{}:{}", line(start), &whole[column(start)..column(end)])
    };
    ranges.as_array().unwrap().iter().map(piece).collect()
}

#[test]
fn problems_follow_the_edits() {
    let mut client = Client::ready(&[]);
    assert_eq!(client.problems("a.svc", "\"é\" >> uper\n"), ["E201 0:8 unknown name `uper`"]);
    let change = json!({
        "textDocument": { "uri": client.uri("a.svc"), "version": 2 },
        "contentChanges": [
            { "range": { "start": { "line": 0, "character": 8 }, "end": { "line": 0, "character": 12 } }, "text": "upper" },
            { "range": { "start": { "line": 0, "character": 13 }, "end": { "line": 0, "character": 13 } }, "text": " >> abs" },
        ],
    });
    client.notify("textDocument/didChange", change);
    let report = client.diagnostics("a.svc");
    assert_eq!(report[0]["code"], "E203");
    let related = &report[0]["relatedInformation"][0];
    assert_eq!(related["message"], "this is string");
    assert_eq!(related["location"]["range"]["start"]["character"], 8);
    client.replace("a.svc", 3, "let unused = 1\n\"é\" >> upper\n");
    let report = client.diagnostics("a.svc");
    assert_eq!((&report[0]["code"], &report[0]["severity"]), (&json!("E221"), &json!(2)));
    assert_eq!(report[0]["tags"], json!([1]));
    client.replace("a.svc", 4, "\"é\" >> upper\n");
    assert!(client.diagnostics("a.svc").is_empty());
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn problems_of_used_files_stand_in_their_own_file() {
    let mut client = Client::ready(&[("rag.svc", "flow answer(q: string) -> int { q }\n")]);
    client.open("user.svc", USER);
    let report = client.diagnostics("rag.svc");
    assert_eq!(report[0]["code"], "E217");
    // The text of the open file counts, before it is saved.
    client.open("rag.svc", RAG);
    assert!(client.diagnostics("rag.svc").is_empty());
    let broken = RAG.replace("len(q)", "q");
    client.replace("rag.svc", 2, &broken);
    assert_eq!(client.diagnostics("rag.svc")[0]["code"], "E217");
    let uri = client.uri("rag.svc");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.diagnostics("rag.svc")[0]["code"], "E217", "the file on disk is still wrong");
}

#[test]
fn hover_shows_types_and_documentation() {
    let mut client = Client::ready(&[("rag.svc", RAG)]);
    let op = hover(&mut client, "param n: int = 2\n[\"a\"] >> ta¦ke(n: n)");
    assert!(op.contains("take(") && op.contains("-> [T; max n]"), "{op}");
    assert!(op.contains("pure") && op.contains("free"), "{op}");
    assert!(op.contains("here: `[string; max 1] >> [string; max 1]`"), "{op}");
    let reads = hover(&mut client, "\"q\" >> sea¦rch >> len");
    assert!(reads.contains("reads fs:<source>") && reads.contains("fails with"), "{reads}");
    assert!(hover(&mut client, "[\"a\"] >> take(¦n: 2)").contains("n: int"));
    assert!(hover(&mut client, "let x = [1, 2]\n¦x >> sum").contains("let x: [int; max 2]"));
    assert!(hover(&mut client, "[1] >> where { i¦t > 0 }").contains("int"));
    let imported = hover(&mut client, &USER.replace("rag.answer", "rag.an¦swer"));
    assert!(imported.contains("rag.answer(q: string) -> Answer"), "{imported}");
    assert!(imported.contains("Answers a question."), "{imported}");
    assert!(hover(&mut client, &USER.replace(".text", ".te¦xt")).contains("text: string"));
    assert_eq!(hover(&mut client, "\"a\" >> upper  # no¦te"), "");
}

#[test]
fn hover_explains_words_of_the_language() {
    let mut client = Client::ready(&[]);
    let each = hover(&mut client, "[\"a\"] >> ea¦ch { upper }");
    assert!(each.contains("Runs a pipeline for every item"), "{each}");
    assert!(each.contains("[string; max 1] >> [string; max 1]"), "{each}");
    let param = hover(&mut client, "par¦am n: int = 2\nn + 1");
    assert!(param.contains("Declares an input of the script"), "{param}");
    assert!(param.contains("see `docs/language.md#parameters`"), "{param}");
    let otherwise = hover(&mut client, "if true { 1 } el¦se { 2 }");
    assert!(otherwise.contains("Chooses one of two pipelines"), "{otherwise}");
    // Names of fields and arguments, and words in comments and texts, are not of the language.
    for text in ["let a = { ma¦p: 1 }\na.map", "{ ty¦pe: 1 }", "1  # ea¦ch", "\"ea¦ch\" >> upper"]
    {
        assert!(!hover(&mut client, text).contains("see `docs"), "{text}");
    }
}

#[test]
fn definitions_lead_into_used_files() {
    let mut client = Client::ready(&[("rag.svc", RAG)]);
    client.open("user.svc", USER);
    let ask = |client: &mut Client, word: &str| {
        let place = at(client, "user.svc", USER, word);
        client.request("textDocument/definition", place).unwrap()
    };
    let flow = ask(&mut client, "answer");
    assert_eq!(flow["uri"], client.uri("rag.svc"));
    assert_eq!(pieces(RAG, &json!([flow])), ["2:answer"]);
    let import = ask(&mut client, "rag.answer");
    assert_eq!(import["uri"], client.uri("user.svc"));
    assert_eq!(pieces(USER, &json!([import])), ["0:rag"]);
    let param = ask(&mut client, "question >>");
    assert_eq!(pieces(USER, &json!([param])), ["1:question"]);
    let file = ask(&mut client, "rag.svc");
    assert_eq!(
        (&file["uri"], &file["range"]["start"]["line"]),
        (&json!(client.uri("rag.svc")), &json!(0))
    );
}

#[test]
fn the_standard_library_is_documented() {
    let mut client = Client::ready(&[]);
    let script = "use \"std:panel\" as panel\n[\"a\"] >> panel.majority";
    let file = hover(&mut client, &script.replace("std:p", "std:¦p"));
    assert!(file.starts_with("Lets a panel of judges"), "{file}");
    let flow = hover(&mut client, &script.replace("majority", "maj¦ority"));
    assert!(flow.contains("The choice with the most votes."), "{flow}");
}

#[test]
fn types_and_their_fields_are_defined_where_they_are_declared() {
    let mut client = Client::ready(&[]);
    let script = "type Note = { title: string }\nparam note: Note\nnote >> .title";
    client.open("types.svc", script);
    for (word, wanted) in [("Note\nnote", "0:Note"), (".title", "0:title")] {
        let mut place = at(&client, "types.svc", script, word);
        place["position"]["character"] =
            json!(place["position"]["character"].as_u64().unwrap() + 1);
        let found = client.request("textDocument/definition", place).unwrap();
        assert_eq!(pieces(script, &json!([found])), [wanted]);
    }
}

#[test]
fn references_are_found_across_open_files() {
    let mut client = Client::ready(&[]);
    client.open("rag.svc", RAG);
    client.open("user.svc", USER);
    let mut place = at(&client, "rag.svc", RAG, "answer");
    place["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", place.clone()).unwrap();
    let uris: Vec<&Value> = found.as_array().unwrap().iter().map(|it| &it["uri"]).collect();
    assert_eq!(uris, [&json!(client.uri("rag.svc")), &json!(client.uri("user.svc"))]);
    place["context"] = json!({ "includeDeclaration": false });
    let found = client.request("textDocument/references", place).unwrap();
    assert_eq!(pieces(USER, &found), ["2:answer"]);
    let place = at(&client, "user.svc", USER, "found");
    let marked = client.request("textDocument/documentHighlight", place).unwrap();
    assert_eq!(pieces(USER, &marked), ["2:found", "3:found"]);
    assert_eq!((&marked[0]["kind"], &marked[1]["kind"]), (&json!(3), &json!(2)));
}

#[test]
fn a_name_is_renamed_everywhere_or_nowhere() {
    let script = "\
type Note = { title: string }
param topic: string
flow shout(text: string, mark: string = \"!\") -> Note { { title: upper(text) + mark } }
let loud = topic >> shout(mark: \"?\")
loud >> .title
test \"it\" { let out = main(topic: \"a\") let note = \"a\" >> shout(mark: \".\") expect out != note.title }
";
    let mut client = Client::ready(&[]);
    client.open("a.svc", script);
    assert!(client.diagnostics("a.svc").is_empty());
    for (word, new, count) in
        [("topic", "subject", 3), ("shout", "cry", 3), ("mark", "sign", 4), ("Note", "Memo", 2)]
    {
        let mut place = at(&client, "a.svc", script, word);
        let range = client.request("textDocument/prepareRename", place.clone()).unwrap();
        assert_eq!(range["placeholder"], word);
        place["newName"] = json!(new);
        let change = client.request("textDocument/rename", place).unwrap();
        let edits = &change["changes"][client.uri("a.svc")];
        assert_eq!(edits.as_array().unwrap().len(), count, "{word}: {edits}");
        let renamed = edited(script, edits);
        assert!(client.problems("b.svc", &renamed).is_empty(), "{renamed}");
    }
    let refused = |client: &mut Client, word: &str, new: &str| {
        let mut place = at(client, "a.svc", script, word);
        place["newName"] = json!(new);
        let err = client.request("textDocument/rename", place).unwrap_err();
        err["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused(&mut client, "topic", "loud"), "duplicate name `loud` in the script");
    assert_eq!(refused(&mut client, "topic", "each"), "`each` is a reserved word");
    assert_eq!(
        refused(&mut client, "topic", "Topic"),
        "invalid name `Topic`: expected `lower_case`"
    );
    assert_eq!(refused(&mut client, "topic", "upper"), "duplicate name `upper` in the script");
    assert_eq!(
        refused(&mut client, "upper", "up"),
        "cannot rename `upper`: it belongs to a component"
    );
    assert_eq!(
        refused(&mut client, "title", "name"),
        "cannot rename `title`: it is a field, and records match by their fields"
    );
    assert_eq!(refused(&mut client, "\"?\"", "x"), "expected a name that the script defines");
}

#[test]
fn an_imported_flow_is_renamed_in_all_open_files() {
    let mut client = Client::ready(&[]);
    client.open("rag.svc", RAG);
    client.open("user.svc", USER);
    client.open("other.svc", &USER.replace(" as rag", " as r").replace("rag.answer", "r.answer"));
    for (file, text) in [("user.svc", USER), ("rag.svc", RAG)] {
        let mut place = at(&client, file, text, "answer");
        let range = client.request("textDocument/prepareRename", place.clone()).unwrap();
        assert_eq!(range["placeholder"], "answer");
        place["newName"] = json!("reply");
        let change = client.request("textDocument/rename", place).unwrap();
        assert_eq!(change["changes"].as_object().unwrap().len(), 3);
        let other = &change["changes"][client.uri("other.svc")];
        assert_eq!(other.as_array().unwrap().len(), 1);
        let user = edited(USER, &change["changes"][client.uri("user.svc")]);
        assert!(user.contains("question >> rag.reply"), "{user}");
        client.replace("rag.svc", 2, &edited(RAG, &change["changes"][client.uri("rag.svc")]));
        // A file of its own, because problems of another one may still come.
        let renamed = format!("renamed-from-{file}");
        assert_eq!(client.problems(&renamed, &user), [""; 0]);
        client.replace("rag.svc", 3, RAG);
        let uri = client.uri(&renamed);
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
}

#[test]
fn an_imported_name_is_renamed_in_a_closed_file_or_refused() {
    let mut client = Client::ready(&[("rag.svc", RAG)]);
    client.open("user.svc", USER);
    let renamed = |client: &mut Client, word: &str, name: &str| {
        let mut place = at(client, "user.svc", USER, word);
        place["newName"] = json!(name);
        client.request("textDocument/rename", place)
    };
    let change = renamed(&mut client, "answer", "reply").unwrap();
    let rag = edited(RAG, &change["changes"][client.uri("rag.svc")]);
    assert!(rag.contains("flow reply(q: string)"), "{rag}");
    let user = edited(USER, &change["changes"][client.uri("user.svc")]);
    assert!(user.contains("rag.reply"), "{user}");
    let message = |it: Result<Value, Value>| it.unwrap_err()["message"].to_string();
    assert!(message(renamed(&mut client, "answer", "Reply")).contains("expected `lower_case`"));
    assert!(message(renamed(&mut client, "answer", "upper")).contains("duplicate name"));
    assert!(message(renamed(&mut client, "rag.svc", "x")).contains("it is a file"));
    let library = "use \"std:panel\" as panel\n[\"a\"] >> panel.majority";
    client.open("std.svc", library);
    let mut place = at(&client, "std.svc", library, "majority");
    place["newName"] = json!("most");
    let err = client.request("textDocument/rename", place).unwrap_err();
    assert!(err["message"].as_str().unwrap().contains("it is defined in `std:panel"), "{err}");
}

#[test]
fn fixes_are_code_actions() {
    let script = "let a = 1\n\"a\" >> uper >> len\n";
    let mut client = Client::ready(&[]);
    let place = client.open("a.svc", script);
    let report = client.diagnostics("a.svc");
    let mut params = json!({
        "textDocument": place["textDocument"],
        "range": report[0]["range"],
        "context": { "diagnostics": report, "only": ["quickfix"] },
    });
    let actions = client.request("textDocument/codeAction", params.clone()).unwrap();
    assert_eq!(actions[0]["title"], "replace `uper` with `upper`");
    assert_eq!(actions[0]["diagnostics"][0]["code"], "E201");
    let edited_text = edited(script, &actions[0]["edit"]["changes"][client.uri("a.svc")]);
    assert_eq!(edited_text, script.replace("uper", "upper"));
    params["context"]["only"] = json!(["source"]);
    let all = client.request("textDocument/codeAction", params).unwrap();
    assert_eq!((all.as_array().unwrap().len(), &all[0]["kind"]), (1, &json!("source.fixAll")));
    let edited_text = edited(script, &all[0]["edit"]["changes"][client.uri("a.svc")]);
    client.replace("a.svc", 2, &edited_text);
    let left = client.diagnostics("a.svc");
    assert!(left.iter().all(|it| it["code"] == "E221"), "{left:?}");
}

/// What fills a hole leaves a hole for each argument that is missing.
#[test]
fn holes_are_filled_by_code_actions() {
    let script = "param orders: [{ id: string, total: float }]\n\
                  orders >> ?order: [{ id: string, total: float }] -> [{ id: string, total: float }]\n";
    let mut client = Client::ready(&[]);
    let place = client.open("a.svc", script);
    let report = client.diagnostics("a.svc");
    assert_eq!(report[0]["code"], "E224");
    let params = json!({
        "textDocument": place["textDocument"],
        "range": report[0]["range"],
        "context": { "diagnostics": report, "only": ["quickfix"] },
    });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    let mut filled = Vec::new();
    for action in actions.as_array().unwrap() {
        assert_eq!(action["diagnostics"][0]["code"], "E224");
        let text = edited(script, &action["edit"]["changes"][client.uri("a.svc")]);
        filled.push(text.rsplit_once(">> ").unwrap().1.trim_end().to_owned());
        // Nothing but holes is wrong then.
        client.replace("a.svc", 1 + i64::try_from(filled.len()).unwrap(), &text);
        let left = client.diagnostics("a.svc");
        assert!(left.iter().all(|it| it["code"] == "E224"), "{text}: {left:?}");
    }
    for wanted in ["sort { ? }", "reverse", "take(n: ?n)"] {
        assert!(filled.iter().any(|it| it == wanted), "{wanted}: {filled:?}");
    }
    let hovered = hover(&mut client, "[1] >> ?fi¦rst: [int] -> int");
    assert!(hovered.starts_with("```svc\n[int; max 1] >> int\n```"), "{hovered}");
    assert!(hovered.contains("not written yet"), "{hovered}");
}

#[test]
fn words_are_coloured_by_what_they_stand_for() {
    let script = "# note\nparam q: string\nq >> text.upper\n  >> \"\"\"\n  ${it}!\n  \"\"\"\n";
    let mut client = Client::ready(&[]);
    let place = client.open("a.svc", script);
    let report = client.request("textDocument/semanticTokens/full", place).unwrap();
    let mut client_legend = Client::start(&[]);
    let init = client_legend.request("initialize", json!({ "capabilities": {} })).unwrap();
    assert_eq!(init["capabilities"]["positionEncoding"], "utf-16");
    let legend = &init["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"];
    let data: Vec<usize> = serde_json::from_value(report["data"].clone()).unwrap();
    let (mut line, mut column) = (0, 0);
    let mut words = Vec::new();
    for it in data.chunks(5) {
        column = if it[0] == 0 { column + it[1] } else { it[1] };
        line += it[0];
        let text = &script.lines().nth(line).unwrap()[column..column + it[2]];
        words.push(format!("{} {text}", legend[it[3]].as_str().unwrap()));
    }
    assert_eq!(
        words,
        [
            "comment # note",
            "keyword param",
            "parameter q",
            "type string",
            "parameter q",
            "operator >>",
            "namespace text",
            "function upper",
            "operator >>",
            "string \"\"\"",
            "string   ${",
            "keyword it",
            "string }!",
            "string   \"\"\"",
        ]
    );
}

#[test]
fn a_document_is_formatted() {
    let mut client = Client::ready(&[]);
    let script = "let  x=[1,2]# two\nx>>sum";
    let place = client.open("a.svc", script);
    let params = json!({
        "textDocument": place["textDocument"],
        "options": { "tabSize": 4, "insertSpaces": true },
    });
    let edits = client.request("textDocument/formatting", params.clone()).unwrap();
    let formatted = edited(script, &edits);
    assert_eq!(formatted, "let x = [1, 2]  # two\nx >> sum\n");
    client.replace("a.svc", 2, &formatted);
    assert_eq!(client.request("textDocument/formatting", params), Ok(json!([])));
}

#[test]
fn the_outline_names_what_is_declared() {
    let script = "param q: string\nflow f(x: string) -> string {\n  let y = upper(x)\n  y\n}\nq >> f\ntest \"t\" { expect true }\n";
    let mut client = Client::ready(&[]);
    let place = client.open("a.svc", script);
    let report = client.request("textDocument/documentSymbol", place.clone()).unwrap();
    let names: Vec<&str> =
        report.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["q", "f", "t"]);
    assert_eq!(report[1]["children"][0]["name"], "y");
    assert_eq!(report[1]["selectionRange"]["start"], json!({ "line": 1, "character": 5 }));
    let folds = client.request("textDocument/foldingRange", place).unwrap();
    assert_eq!((&folds[0]["startLine"], &folds[0]["endLine"]), (&json!(1), &json!(3)));
}

#[test]
fn signatures_follow_the_argument() {
    let mut client = Client::ready(&[]);
    let mut active = |script: &str| {
        let place = client.open("a.svc", script);
        let report = client.request("textDocument/signatureHelp", place).unwrap();
        let parameters = report["signatures"][0]["parameters"].clone();
        let idx = report["activeParameter"].as_u64().map(|it| usize::try_from(it).unwrap());
        idx.map(|it| parameters[it]["label"].as_str().unwrap().to_owned())
    };
    assert_eq!(active("[1] >> take(¦"), Some("n: int 0..1000000000".to_owned()));
    assert_eq!(
        active("\"a\" >> replace(to: ¦, from: \"a\")").unwrap().split(':').next(),
        Some("to")
    );
    assert!(active("let x = join([\"a\"], ¦)").unwrap().starts_with("sep"));
    assert_eq!(
        active("flow f(a: int, k: int = 1) -> int { a + k }\n1 >> f(¦)"),
        Some("k?: int".to_owned())
    );
    assert_eq!(active("\"a\" >> upper¦"), None);
}

#[test]
fn a_cursor_is_where_it_is_said_to_be() {
    let (text, position) = without_cursor("a\nbé¦c");
    assert_eq!((text.as_str(), position), ("a\nbéc", json!({ "line": 1, "character": 3 })));
}
