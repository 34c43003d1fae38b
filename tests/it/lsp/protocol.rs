//! What the protocol requires of a server, including with clients that violate it.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::client::Client;

const INVALID_REQUEST: i64 = -32600;
const NO_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;
const CANCELLED: i64 = -32800;

fn code(answer: Result<Value, Value>) -> i64 {
    answer.unwrap_err()["code"].as_i64().unwrap()
}

#[test]
fn a_life_in_order() {
    let mut client = Client::start(&[]);
    assert_eq!(code(client.request("textDocument/hover", json!({}))), NOT_INITIALIZED);
    let report = client.request("initialize", json!({ "capabilities": {} })).unwrap();
    assert_eq!(report["serverInfo"]["name"], "svc");
    assert_eq!(code(client.request("initialize", json!({ "capabilities": {} }))), INVALID_REQUEST);
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(code(client.request("textDocument/hover", json!({}))), INVALID_REQUEST);
    client.notify("exit", Value::Null);
    assert_eq!(client.code(), Some(0));
}

#[test]
fn leaving_without_a_word_is_a_failure() {
    let mut client = Client::ready(&[]);
    client.notify("exit", Value::Null);
    assert_eq!(client.code(), Some(1));
    assert_eq!(Client::ready(&[]).vanish(), Some(1));
    assert_eq!(Client::start(&[]).vanish(), Some(1));
}

#[test]
fn mistakes_of_a_client_are_reported_and_survived() {
    let mut client = Client::ready(&[]);
    client.send_text("{ this is not json");
    let report = client.until(|it| it.get("error").is_some());
    assert_eq!((&report["id"], &report["error"]["code"]), (&Value::Null, &json!(-32700)));
    client.send_text("[]");
    let report = client.until(|it| it.get("error").is_some());
    assert_eq!(report["error"]["code"], -32700);
    let place = client.open("a.svc", "\"a\" >> upper");
    let mut ask = |params: Value| client.request("textDocument/hover", params).unwrap_err();
    let mut unknown = place.clone();
    unknown["textDocument"]["uri"] = json!("file:///nowhere.svc");
    let err = ask(unknown);
    assert_eq!(
        (&err["code"], &err["message"]),
        (&json!(INVALID_PARAMS), &json!("`file:///nowhere.svc` is not open"))
    );
    let mut outside = place.clone();
    outside["position"] = json!({ "line": 7, "character": 0 });
    let err = ask(outside);
    assert_eq!(err["message"], "line 7 is out of range: the document has 1");
    let mut beyond = place.clone();
    beyond["position"] = json!({ "line": 0, "character": 4_000_000_000_u32 });
    assert!(
        client.request("textDocument/hover", beyond).is_ok(),
        "beyond the end of a line is its end"
    );
    assert_eq!(
        code(client.request("textDocument/hover", json!({ "position": 3 }))),
        INVALID_PARAMS
    );
    assert_eq!(code(client.request("textDocument/nonsense", json!({}))), NO_METHOD);
    client.notify("textDocument/didChange", json!({ "textDocument": { "uri": "file:///nowhere.svc", "version": 1 }, "contentChanges": [] }));
    let logged = client.until(|it| it["method"] == "window/logMessage");
    assert_eq!(
        logged["params"]["message"],
        "`textDocument/didChange`: `file:///nowhere.svc` is not open"
    );
    client.notify("$/unknown", json!({}));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn answers_come_in_the_order_of_the_questions() {
    let mut client = Client::ready(&[]);
    let place = client.open("a.svc", "param q: string\nq >> ¦");
    let ids: Vec<i64> =
        (0..20).map(|_| client.ask("textDocument/completion", place.clone())).collect();
    let mut answered = Vec::new();
    while answered.len() < ids.len() {
        let answer = client.until(|it| it.get("id").is_some());
        answered.push(answer["id"].as_i64().unwrap());
    }
    assert_eq!(answered, ids);
}

#[test]
fn what_is_taken_back_is_not_worked_on() {
    let mut client = Client::ready(&[]);
    let place = client.open("a.svc", "param q: string\nq >> ¦");
    let ids: Vec<i64> =
        (0..20).map(|_| client.ask("textDocument/completion", place.clone())).collect();
    client.notify("$/cancelRequest", json!({ "id": ids[19] }));
    // Whether it arrives in time is random; there is an answer in any case, and only one.
    match client.answer(ids[19]) {
        Ok(items) => assert!(items.is_array()),
        Err(err) => assert_eq!(err["code"], CANCELLED),
    }
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn texts_that_were_changed_again_are_not_checked() {
    let mut client = Client::ready(&[]);
    client.open("a.svc", "\"a\" >> upper");
    assert!(client.diagnostics("a.svc").is_empty());
    for version in 2..200 {
        client.replace("a.svc", version, &format!("\"a\" >> wrong{version}"));
    }
    client.replace("a.svc", 200, "\"a\" >> upper");
    let report = |it: &Value| it["method"] == "textDocument/publishDiagnostics";
    let mut versions = Vec::new();
    while versions.last() != Some(&200) {
        versions.push(client.until(report)["params"]["version"].as_i64().unwrap());
    }
    assert!(versions.is_sorted(), "{versions:?}");
}

#[test]
fn characters_are_counted_as_the_client_does() {
    let mut client = Client::start(&[]);
    client.request("initialize", json!({ "capabilities": {} })).unwrap();
    client.open("a.svc", "\"𝄞é\" >> uper");
    let start = |it: &Value| it["range"]["start"]["character"].clone();
    assert_eq!(start(&client.diagnostics("a.svc")[0]), 9);
    let uri = client.uri("a.svc");
    let range =
        json!({ "start": { "line": 0, "character": 9 }, "end": { "line": 9, "character": 0 } });
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "range": range, "text": "upper" }] }),
    );
    assert!(client.diagnostics("a.svc").is_empty());
}

#[test]
fn codes_lead_to_the_manual_that_the_client_names() {
    let mut client = Client::start(&[]);
    let manual = "file:///usr/share/doc/svc/errors.md";
    let params = json!({ "capabilities": {}, "initializationOptions": { "manual": manual } });
    client.request("initialize", params).unwrap();
    client.open("a.svc", "\"a\" >> uper");
    let report = client.diagnostics("a.svc");
    let wanted = format!("{manual}#e201-unknown-name");
    assert_eq!(report[0]["codeDescription"]["href"], wanted);
}

#[test]
fn files_that_rules_refuse_are_neither_used_nor_shown() {
    const SECRET: &str = "hunter2";
    let key = format!("/// {SECRET}\nflow key() -> string {{ \"{SECRET}\" }}");
    let text = "use \"../key.svc\" as l\nl.¦key()";
    for (rules, is_open) in [
        (&["--deny", "reads"][..], false),
        // Files that are not allowed are refused outside the script's folder.
        (&["--allow", "writes"], false),
        // Files that are open in the editor are refused as well.
        (&["--allow", "writes"], true),
    ] {
        let mut client = Client::under(rules, &[("key.svc", &key)]);
        client.folder("own");
        client.request("initialize", json!({ "capabilities": {} })).unwrap();
        client.notify("initialized", json!({}));
        if is_open {
            client.open("key.svc", &key);
            client.diagnostics("key.svc");
        }
        let place = client.open("own/main.svc", text);
        let report = client.diagnostics("own/main.svc");
        assert!(report.iter().any(|it| it["code"] == "E315"), "{rules:?}: {report:?}");
        let mut all = format!("{report:?}");
        for method in ["hover", "completion", "definition", "signatureHelp"] {
            let answer = client.request(&format!("textDocument/{method}"), place.clone());
            all.push_str(&format!("{:?}", answer.unwrap()));
        }
        assert!(!all.contains(SECRET), "{rules:?}: {all}");
    }
    // Without rules the file is used.
    let mut client = Client::ready(&[("key.svc", &key)]);
    client.folder("own");
    client.open("own/main.svc", text);
    assert_eq!(client.diagnostics("own/main.svc"), Vec::<Value>::new());
}

#[test]
fn no_unfinished_script_brings_it_down() {
    let mut client = Client::ready(&[]);
    let mut asked = 0;
    for script in scripts() {
        for part in [1, 2] {
            let cut = script.floor_char_boundary(script.len() * part / 3);
            let mut place = client.open("cut.svc", &format!("{}¦", &script[..cut]));
            for method in [
                "textDocument/completion",
                "textDocument/hover",
                "textDocument/signatureHelp",
                "textDocument/definition",
                "textDocument/documentHighlight",
                "textDocument/semanticTokens/full",
                "textDocument/documentSymbol",
                "textDocument/foldingRange",
            ] {
                let answer = client.request(method, place.clone());
                assert!(answer.is_ok(), "{method}: {answer:?}\n{}", &script[..cut]);
                asked += 1;
            }
            place["newName"] = json!("another");
            // A refusal is an answer too.
            let _ = client.request("textDocument/rename", place);
        }
    }
    assert!(asked > 1_000, "the scripts were found");
    assert_eq!(client.leave(), Some(0));
}

/// Every script of the tests, right or wrong.
fn scripts() -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")];
    let mut scripts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "svc") {
                scripts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    scripts
}
