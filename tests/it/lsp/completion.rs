//! What completion offers at a place, and what it never offers.

use serde_json::{Value, json};

use super::client::Client;

fn has(labels: &[String], wanted: &[&str]) {
    for it in wanted {
        assert!(labels.iter().any(|label| label == it), "`{it}` is missing in {labels:?}");
    }
}

fn lacks(labels: &[String], unwanted: &[&str]) {
    for it in unwanted {
        assert!(!labels.iter().any(|label| label == it), "`{it}` should not be in {labels:?}");
    }
}

#[test]
fn only_what_accepts_the_value_follows() {
    let mut client = Client::ready(&[]);
    let hits = client.complete("param q: string\nq >> search >> ¦");
    has(&hits, &["rag_retrieval", "summary", "first", "take", "each", "where"]);
    lacks(&hits, &["upper", "sum", "abs", ".title"]);
    let text = client.complete("\"a\" >> up¦ >> len");
    has(&text, &["upper", "lower", "len", "if"]);
    lacks(&text, &["sum", "take", "rag_retrieval", "each"]);
    let note = client.complete("param n: { title: string, score: float }\nn >> ¦");
    has(&note, &[".title", ".score"]);
    lacks(&note, &["upper", "sort"]);
}

#[test]
fn expected_types_come_first() {
    let mut client = Client::ready(&[]);
    let labels = client.complete("param q: string\nlet n: int = q >> ¦\nn");
    let place = |name: &str| labels.iter().position(|it| it == name).unwrap();
    assert!(place("len") < place("upper"), "{labels:?}");
}

#[test]
fn a_flow_of_the_script_is_a_stage() {
    let mut client = Client::ready(&[("rag.svc", super::RAG)]);
    let script = "use \"rag.svc\" as rag\nflow count(s: string, k: int) -> int { k }\n\"a\" >> ¦";
    let items = client.completion(script);
    let count = items.iter().find(|it| it["label"] == "count").unwrap();
    assert_eq!(count["detail"], "count(s: string, k: int) -> int");
    assert_eq!(count["textEdit"]["newText"], "count(k: ${1:k})");
    assert_eq!(count["insertTextFormat"], 2);
    assert!(items.iter().any(|it| it["label"] == "rag.answer"));
    let ints = client.complete(&script.replace("\"a\"", "1"));
    lacks(&ints, &["count", "rag.answer"]);
    let members = client.complete("use \"rag.svc\" as rag\n\"a\" >> rag.¦");
    assert_eq!(members, ["answer"]);
}

#[test]
fn fields_and_ops_follow_a_dot() {
    let mut client = Client::ready(&[]);
    let script = "type N = { title: string, by: { name: string } }\nparam n: N\nlet m = n\n";
    assert_eq!(client.complete(&format!("{script}m.by.¦")), ["name"]);
    assert_eq!(
        client.complete(&format!("{script}[n] >> where {{ .¦ == \"a\" }}")),
        ["title", "by"]
    );
    assert_eq!(client.complete(&format!("{script}n >> .ti¦")), ["title", "by"]);
    assert_eq!(client.complete(&format!("{script}(n).¦")), ["title", "by"]);
    has(&client.complete("\"a\" >> text.¦"), &["upper", "split"]);
    lacks(&client.complete("1 >> text.¦"), &["upper"]);
}

#[test]
fn arguments_are_those_not_given_yet() {
    let mut client = Client::ready(&[]);
    let labels = client.complete("\"a\" >> replace(from: \"a\", ¦)");
    has(&labels, &["to"]);
    lacks(&labels, &["from", "text", "upper"]);
    // Nothing is closed yet: this is the state while typing.
    has(&client.complete("param q: string\nq >> search(¦"), &["top_k", "source"]);
    has(&client.complete("let n = 3\n[1, 2] >> take(n: ¦)"), &["n", "len"]);
}

#[test]
fn choices_are_offered_where_an_enum_is_expected() {
    let mut client = Client::ready(&[]);
    let script = "type Kind = \"bug\" | \"idea\"\nparam k: Kind\n";
    let value = client.complete(&format!("{script}let d: Kind = ¦\nd"));
    assert_eq!(value[..2], ["\"bug\"", "\"idea\""]);
    let inside = client.complete(&format!("{script}let d: Kind = \"b¦\"\nd"));
    assert_eq!(inside, ["\"bug\"", "\"idea\""]);
    let arms = client.complete(&format!("{script}match k {{ ¦ }}"));
    assert_eq!(arms, ["\"bug\"", "\"idea\"", "_"]);
    assert!(client.complete("let x = \"any¦ text\"\nx").is_empty());
}

#[test]
fn words_stand_where_they_can() {
    let mut client = Client::ready(&[]);
    let bounds = client.complete("\"a\" >> upper within { timeout: 1s, ¦ }");
    has(&bounds, &["max_cost", "max_retries"]);
    lacks(&bounds, &["timeout", "upper"]);
    let types = client.complete("type Note = { a: int }\nparam x: ¦\nx");
    has(&types, &["Note", "string", "Hit"]);
    lacks(&types, &["upper", "never"]);
    has(&client.complete("param x: int\n¦"), &["let", "flow", "param"]);
    has(&client.complete("test \"a\" { ¦ }"), &["expect", "let", "mock"]);
    assert!(client.complete("# a comm¦ent\n1").is_empty());
}

#[test]
fn a_space_asks_only_where_an_answer_helps() {
    let mut client = Client::ready(&[]);
    let mut count = |script: &str| {
        let mut place = client.open("a.svc", script);
        place["context"] = json!({ "triggerKind": 2, "triggerCharacter": " " });
        let message = client.request("textDocument/completion", place).unwrap();
        message.as_array().map_or(0, Vec::len)
    };
    assert_eq!(count("param q: string\nq ¦"), 0);
    assert!(count("param q: string\nq >> ¦") > 5);
}

#[test]
fn a_client_without_snippets_gets_plain_names() {
    let mut client = Client::start(&[]);
    client.request("initialize", json!({ "capabilities": {} })).unwrap();
    let items = client.completion("[1] >> ¦");
    let take: &Value = items.iter().find(|it| it["label"] == "take").unwrap();
    assert_eq!(
        (&take["textEdit"]["newText"], &take["insertTextFormat"]),
        (&json!("take"), &json!(1))
    );
}

#[test]
fn modules_of_the_standard_library_are_files() {
    let mut client = Client::ready(&[]);
    has(&client.complete("use \"std:¦\" as panel"), &["\"std:panel\"", "\"std:table\""]);
    let script = "use \"std:panel\" as panel\n[\"a\"] >> panel.¦";
    has(&client.complete(script), &["majority"]);
}

#[test]
fn components_that_act_can_be_mocked() {
    let mut client = Client::ready(&[]);
    for script in ["mock ¦\n1", "1\ntest \"a\" { mock ¦ }", "1\ntest \"a\" { mock as¦ }"] {
        let labels = client.complete(script);
        has(&labels, &["ask", "search", "fetch"]);
        lacks(&labels, &["upper", "take", "let"]);
    }
    let members = client.complete("mock llm_router.¦\n1");
    has(&members, &["infer"]);
    lacks(&members, &["upper"]);
}

#[test]
fn files_are_offered_where_one_is_named() {
    let mut client =
        Client::ready(&[("rag.svc", super::RAG), ("data.csv", "a\n"), ("it.rhai", "")]);
    client.folder("lib");
    std::fs::write(client.path("lib/deep.svc"), super::RAG).unwrap();
    std::fs::write(client.path("lib/data.json"), "{}").unwrap();
    client.complete("1¦");
    std::fs::write(client.path("complete.svc"), "1").unwrap();
    let used = client.complete("use \"¦\" as a");
    has(&used, &["\"rag.svc\"", "\"it.rhai\"", "\"lib/\"", "\"std:panel\""]);
    lacks(&used, &["\"data.csv\"", "\"complete.svc\""]);
    assert_eq!(client.complete("use \"lib/¦\" as a")[13..], ["\"lib/deep.svc\""]);
    for script in ["read_text(\"¦\")", "\"a\" >> write_file(to: \"¦\")", "let x = read_text(\"¦\nx"]
    {
        let read = client.complete(script);
        assert_eq!(
            read,
            ["\"complete.svc\"", "\"data.csv\"", "\"it.rhai\"", "\"lib/\"", "\"rag.svc\""]
        );
    }
    assert_eq!(client.complete("read_text(\"lib/d¦\")"), ["\"lib/data.json\"", "\"lib/deep.svc\""]);
    // A folder goes on inside of its quotes.
    let items = client.completion("read_text(\"l¦\")");
    let folder = items.iter().find(|it| it["label"] == "\"lib/\"").unwrap();
    assert_eq!(folder["textEdit"]["newText"], "\"lib/$0\"");
    // Text that names no file stays alone.
    assert!(client.complete("upper(\"¦\")").is_empty());
    assert!(client.complete("read_text(\"/nothing/here/¦\")").is_empty());
}

#[test]
fn quotes_and_slashes_ask_only_for_files() {
    let mut client = Client::ready(&[("rag.svc", super::RAG)]);
    let mut count = |script: &str, sign: &str| {
        let mut place = client.open("a.svc", script);
        place["context"] = json!({ "triggerKind": 2, "triggerCharacter": sign });
        let message = client.request("textDocument/completion", place).unwrap();
        message.as_array().map_or(0, Vec::len)
    };
    assert!(count("use \"¦\" as a", "\"") > 5);
    assert_eq!(count("use \"std:panel\"¦", "\""), 0);
    assert_eq!(count("6 /¦", "/"), 0);
}

#[test]
fn arguments_that_are_given_by_position_are_not_offered() {
    let mut client = Client::ready(&[]);
    let labels = client.complete("let x = replace(\"a\", ¦)\nx");
    has(&labels, &["from", "to"]);
    lacks(&labels, &["text"]);
    let labels = client.complete("let x = replace(\"a\", from: \"b\", ¦)\nx");
    has(&labels, &["to"]);
    lacks(&labels, &["text", "from"]);
}

/// A hole is replaced as a whole, also when its name is not what is inserted.
#[test]
fn a_hole_offers_what_fits_its_types() {
    let mut client = Client::ready(&[]);
    let script = "type Order = { id: string, total: float }\nparam orders: [Order]\n\
                  orders >> ?ord¦er: [Order] -> [Order]  # biggest first\n>> take(n: 3)";
    let items = client.completion(script);
    let reverse = items.iter().find(|it| it["label"] == "reverse").unwrap();
    assert_eq!(reverse["filterText"], "?order: [Order] -> [Order]");
    let range = &reverse["textEdit"]["range"];
    assert_eq!(
        (&range["start"]["character"], &range["end"]["character"]),
        (&json!(10), &json!(36))
    );
    let labels = client.complete(script);
    assert_eq!(labels[..2], ["sort", "where"]);
    has(&labels, &["reverse", "take", "each"]);
    lacks(&labels, &["upper", "sum", ".id", "len", "first", "to_csv"]);
    let types = client.complete(&script.replace("?ord¦er: [Order]", "?order: [¦]"));
    has(&types, &["Order", "string"]);
    lacks(&types, &["reverse"]);
    let value =
        client.complete("let n = 3\nlet kind: \"a\" | \"b\" = ?kind¦\n[kind] >> take(n: n)");
    has(&value, &["\"a\"", "\"b\""]);
    let flow = client.complete("[\"a\"] >> top(n: 1, by: ?b¦y: string -> int)");
    has(&flow, &["len", "to_int"]);
    lacks(&flow, &["sum", "take"]);
}
