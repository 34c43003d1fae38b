//! Scripts that are long, deep or strange: every request is answered, and soon.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;

/// Everything that an editor asks about a document, and how long the answers take.
fn asked(client: &mut Client, name: &str, script: &str) -> Duration {
    client.open(name, script);
    client.diagnostics(name);
    let began = Instant::now();
    let document = json!({ "uri": client.uri(name) });
    let place = json!({ "line": 0, "character": 3 });
    let places = vec![place.clone(); 500];
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1 << 30, "character": 0 } });
    for (method, more) in [
        ("textDocument/inlayHint", json!({ "range": range })),
        ("textDocument/codeLens", json!({})),
        ("textDocument/documentLink", json!({})),
        ("textDocument/selectionRange", json!({ "positions": places })),
        ("textDocument/definition", json!({ "position": place })),
        ("workspace/symbol", json!({ "query": "a" })),
    ] {
        let mut params = json!({ "textDocument": document });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        let answer = client.request(method, params).unwrap();
        if method == "textDocument/inlayHint" {
            assert!(answer.as_array().unwrap().len() <= 2_000);
        }
        if method == "textDocument/selectionRange" {
            assert_eq!(answer.as_array().unwrap().len(), places.len());
        }
    }
    began.elapsed()
}

#[test]
fn long_and_deep_scripts_are_answered_soon() {
    let mut client = Client::ready(&[]);
    let lets: Vec<String> = (0..5_000).map(|it| format!("let a{it} = {it}\n")).collect();
    let lets = lets.concat();
    let chain = format!("1{}\n", "\n  >> abs".repeat(2_000));
    let brackets = "(".repeat(100_000);
    let lists = format!("{}{}\n", "[".repeat(200), "]".repeat(200));
    let uses = "use \"std:panel\" as p\n".repeat(500);
    let tests = "test \"a\" { expect true }\n".repeat(2_000);
    let letters = "é".repeat(1 << 17);
    for (name, script) in [
        ("lets.svc", lets),
        ("chain.svc", chain),
        ("brackets.svc", brackets),
        ("lists.svc", lists),
        ("uses.svc", uses),
        ("tests.svc", tests),
        ("letters.svc", letters),
    ] {
        let took = asked(&mut client, name, &script);
        assert!(took < Duration::from_secs(40), "{name}: {took:?}");
    }
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn wrong_params_are_refused_and_the_server_goes_on() {
    let mut client = Client::ready(&[]);
    let uri = client.uri("a.svc");
    client.open("a.svc", "1 + 1");
    for (method, params) in [
        ("textDocument/inlayHint", json!({ "textDocument": { "uri": uri } })),
        ("textDocument/selectionRange", json!({ "textDocument": { "uri": uri }, "positions": 3 })),
        ("textDocument/codeLens", json!({ "textDocument": { "uri": client.uri("b.svc") } })),
        ("textDocument/documentLink", json!([])),
        ("workspace/symbol", json!({ "query": 5 })),
    ] {
        let err = client.request(method, params).unwrap_err();
        assert_eq!(err["code"], -32602, "{method}: {err}");
    }
    client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": 1 }));
    let log = client.until(|it| it["method"] == "window/logMessage");
    assert!(log["params"]["message"].as_str().unwrap().contains("didChangeWorkspaceFolders"));
    let uri: Value = json!({ "textDocument": { "uri": client.uri("a.svc") } });
    assert_eq!(client.request("textDocument/documentLink", uri), Ok(json!([])));
}
