//! How good results are: in the answers of scripts, runs, jobs and single calls.

use serde_json::{Value, json};

use super::Server;

const PAGES: [(&str, &str); 3] = [
    (
        "pages/holidays.md",
        "# Holidays\n\nEverybody has 28 days of holiday a year. Holidays are approved by the team lead \
         within three days.\n",
    ),
    (
        "pages/travel.md",
        "# Travel\n\nTrains are booked by the office in Vienna. A night in a hotel may cost 120 euros.\n",
    ),
    ("pages/security.md", "# Security\n\nPasswords have at least 14 signs and are never shared.\n"),
];

const ASK: &str = "param question: string\nparam pages: path = \"pages\"\n\
    question >> search(source: pages, top_k: 3) >> rag_retrieval >> summary(style: \"short\")";

const UNRELATED: &str = "param question: string\nparam pages: path = \"pages\"\n\
    let found = question >> search(source: pages, top_k: 3)\n\
    { text: \"The moon is made of green cheese. Wolfgang counted ${len(found)} cats there.\" }";

/// One of two items fails, and its call is tried again.
const PARTS: &str = "param names: [path] = [\"pages/travel.md\", \"pages/none.md\"]\n\
    names >> each? { it >> read_text }";

const QUESTION: &str = r#"{"question": "How many days of holiday are approved?"}"#;

fn server() -> Server {
    let mut all = PAGES.to_vec();
    all.extend([("ask.svc", ASK), ("unrelated.svc", UNRELATED), ("parts.svc", PARTS)]);
    Server::with(&all, &[])
}

fn number(quality: &Value, name: &str) -> f64 {
    quality[name].as_f64().unwrap_or_else(|| panic!("{name}: {quality}"))
}

#[test]
fn a_text_is_compared_with_what_the_run_read() {
    let server = server();
    let answer = server.post("/scripts/ask", QUESTION).ok();
    assert!(answer["result"]["text"].as_str().unwrap().contains("28 days"), "{answer}");
    let quality = &answer["quality"];
    assert!(number(quality, "accuracy") >= 0.99, "{answer}");
    assert!(number(quality, "completeness") >= 0.6 && quality["confidence"].is_null(), "{answer}");
    assert_eq!(quality["level"], "good", "{answer}");

    let other = server.post("/scripts/unrelated", QUESTION).ok();
    assert!(number(&other["quality"], "accuracy") < 0.01, "{other}");
    assert_eq!(
        (&other["quality"]["level"], number(&other["quality"], "utility")),
        (&"low".into(), 0.0)
    );
}

#[test]
fn the_last_event_of_a_run_has_the_quality_of_its_result() {
    let server = server();
    let accept = [("Accept", "text/event-stream")];
    let events = server.client.send("POST", "/scripts/ask", &accept, Some(QUESTION.as_bytes()));
    let last = events.body.lines().rev().find_map(|it| it.strip_prefix("data: ")).unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["quality"]["level"], "good", "{last}");
}

#[test]
fn items_that_failed_make_a_result_incomplete() {
    let server = server();
    let answer = server.post("/scripts/parts", "{}").ok();
    assert!((number(&answer["quality"], "completeness") - 0.5).abs() < 1e-9, "{answer}");
}

#[test]
fn runs_and_jobs_have_the_quality_of_their_result_after_a_restart() {
    let server = server();
    let answer = server.post("/scripts/ask", QUESTION).ok();
    let run = answer["run_id"].as_str().unwrap().to_owned();
    let shown = server.get(&format!("/runs/{run}")).ok();
    assert_eq!(shown["quality"], answer["quality"], "{shown}");
    let input: Value = serde_json::from_str(QUESTION).unwrap();
    let submitted = json!({ "job": "ask", "input": input }).to_string();
    let job = server.post("/tools/job_submit", &submitted).ok()["job_id"].clone();
    let wanted = json!({ "job_id": job, "wait": "20s" }).to_string();
    let view = server.post("/tools/job_get_result", &wanted).ok();
    assert_eq!(view["quality"]["accuracy"], answer["quality"]["accuracy"], "{view}");
    assert_eq!(view["quality"]["level"], "good", "{view}");

    let server = Server::at(server.kill(), &[]);
    let again = server.post("/tools/job_get_result", &wanted).ok();
    assert_eq!(again["quality"], view["quality"], "{again}");
    let shown = server.get(&format!("/runs/{run}")).ok();
    assert_eq!(shown["quality"], answer["quality"], "{shown}");
}

#[test]
fn a_call_of_one_op_says_what_its_result_says() {
    let server = server();
    let body =
        r#"{"op": "detect_language", "params": {"text": "This is a sentence in plain English."}}"#;
    let answer = server.post("/invoke/ctx_nlp", body).ok();
    assert_eq!(answer["quality"]["confidence"], answer["confidence"], "{answer}");
    assert_eq!(answer["quality"]["coverage"], 0.25, "{answer}");
    let tool = json!({ "component": "ctx_nlp", "op": "detect_language",
        "params": { "text": "This is a sentence in plain English." } });
    let of_tool = server.post("/tools/invoke_component", &tool.to_string()).ok();
    assert_eq!(of_tool["quality"], answer["quality"], "{of_tool}");
    let plain = server.post("/invoke/text", r#"{"op": "upper", "params": {"text": "a b"}}"#).ok();
    assert!(plain.get("quality").is_none(), "{plain}");
}
