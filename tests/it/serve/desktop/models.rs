//! The chat with a language model, which is a server with scripted replies.

use serde_json::{Value, json};

use super::Desktop;
use crate::models::{
    KEY, PRICES,
    provider::finishes,
    server::{Reply, Request, Server},
};

const SHOP: &str = "# Tea\n\nOur shop was opened in 1987 by Ann Lee. The branch in Leeds followed in \
                    1999.\n";

/// A desktop whose model answers as the server does, with a file about a shop, and its project.
fn desktop(server: &Server) -> (Desktop, String) {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("prices.toml"), PRICES).unwrap();
    let url = format!("{}/v1", server.url);
    let envs = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", KEY)];
    let desktop = Desktop::with(place, &[], &[envs[0], envs[1], ("SVC_PRICES", "prices.toml")]);
    let project = desktop.project("Shop");
    let path = format!("/projects/{project}/resources");
    desktop.form(&path, &[("file", Some("tea.md"), SHOP.as_bytes())]).ok();
    (desktop, project)
}

fn session(desktop: &Desktop, project: &str, model: &str, bounds: &Value) -> String {
    let asked = json!({ "project_id": project, "model": model, "bounds": bounds });
    let made = desktop.post("/sessions", &asked).ok();
    made["session"]["id"].as_str().unwrap().to_owned()
}

/// The answer to a question.
fn answer(desktop: &Desktop, session: &str, question: &str) -> Value {
    let sent = desktop.post("/chat/send", &json!({ "session_id": session, "text": question })).ok();
    let after = sent["message_id"].as_str().unwrap();
    let path = format!("/chat/{session}/receive?after={after}&wait_sec=30");
    desktop.get(&path).ok()["messages"].as_array().unwrap().last().unwrap().clone()
}

fn says(value: &Value) -> Reply {
    finishes("openai", &value.to_string())
}

/// What a model is asked for: a list of claims is wrapped in an object by the provider's format.
fn claims(claims: &Value) -> Reply {
    says(&json!({ "value": claims }))
}

#[test]
fn an_answer_has_the_claims_that_are_proven() {
    let server = Server::start(vec![claims(&json!([
        { "claim": "It was opened in 1987.", "passage": 1, "quote": "shop was opened in 1987" },
        { "claim": "It has nine branches.", "passage": 1, "quote": "has nine branches" },
    ]))]);
    let (desktop, project) = desktop(&server);
    let session = session(&desktop, &project, "openai/priced", &json!({}));
    let found = answer(&desktop, &session, "When was the shop opened?");
    assert_eq!(found["text"], "It was opened in 1987. [1]", "{found}");
    assert_eq!((&found["found"], &found["sources"][0]["path"]), (&true.into(), &"tea.md".into()));
    // The model that the session names is the one that is asked, and its price is counted.
    let asked = &server.requests()[0].body;
    assert_eq!(asked["model"], "priced", "{asked}");
    let usage = desktop.get(&format!("/sessions/{session}/usage")).ok();
    assert_eq!(usage["total_tokens"], 120, "{usage}");
    // The run is called after the question.
    let runs = desktop.get("/runs").ok();
    assert_eq!(runs["runs"][0]["title"], "When was the shop opened?", "{runs}");
    // The next question comes with the one before.
    answer(&desktop, &session, "And the branch in Leeds?");
    let asked = server.requests().last().unwrap().text.clone();
    assert!(asked.contains("Earlier questions") && asked.contains("When was the shop"), "{asked}");
}

#[test]
fn claims_without_proof_are_not_an_answer() {
    let invented = json!([{ "claim": "Bo did.", "passage": 1, "quote": "opened by Bo in 1950" }]);
    for reply in [claims(&json!([])), claims(&invented)] {
        let server = Server::start(vec![reply]);
        let (desktop, project) = desktop(&server);
        let session = session(&desktop, &project, "openai/priced", &json!({}));
        let found = answer(&desktop, &session, "Who opened the shop?");
        assert_eq!((&found["found"], &found["state"]), (&false.into(), &"complete".into()));
        assert!(found["text"].as_str().unwrap().contains("No answer was found"), "{found}");
    }
}

/// Whatever the model does, the files are quoted instead, and the answer says why.
#[test]
fn a_model_that_fails_is_replaced_by_quotations() {
    let failing: [(&str, Reply); 4] = [
        ("is down", Reply::new(500, "{\"error\": {\"message\": \"out of order\"}}")),
        ("refuses the key", Reply::new(401, "{\"error\": {\"message\": \"wrong key\"}}")),
        ("writes no JSON", finishes("openai", "It was opened in 1987.")),
        ("disconnects", Reply::nothing()),
    ];
    for (what, reply) in failing {
        let server = Server::start(vec![reply]);
        let (desktop, project) = desktop(&server);
        let bounds = json!({ "max_retries": 0 });
        let session = session(&desktop, &project, "openai/priced", &bounds);
        let found = answer(&desktop, &session, "When was the shop opened?");
        let text = found["text"].as_str().unwrap();
        assert!(text.contains("opened in 1987 by Ann Lee"), "{what}: {found}");
        assert!(text.contains("without the language model: "), "{what}: {found}");
        assert!(!text.contains(KEY), "{what}: {found}");
    }
}

#[test]
fn a_budget_that_does_not_suffice_sends_nothing() {
    let server = Server::start(vec![claims(&json!([]))]);
    let (desktop, project) = desktop(&server);
    let session =
        session(&desktop, &project, "openai/priced", &json!({ "max_budget_usd": 0.0001 }));
    let found = answer(&desktop, &session, "When was the shop opened?");
    assert!(server.requests().is_empty());
    let usage = desktop.get(&format!("/sessions/{session}/usage")).ok();
    assert_eq!(usage["total_tokens"], 0, "{usage}");
    assert!(found["text"].as_str().unwrap().contains("1987"), "{found}");
}

/// A model never makes a goal run without a person where it writes.
#[test]
fn a_goal_waits_for_its_approval_with_a_model_too() {
    let count = |request: &Request| {
        assert!(request.head.contains("chat/completions"), "{}", request.head);
        claims(&json!([]))
    };
    let server = Server::answering(count);
    let (desktop, project) = desktop(&server);
    let session = session(&desktop, &project, "openai/priced", &json!({}));
    let found = answer(&desktop, &session, "Write the words of tea.md to words.txt");
    assert_eq!(found["proposal"]["state"], "open", "{found}");
    let counted = answer(&desktop, &session, "Count the words of tea.md");
    assert_eq!(counted["state"], "complete", "{counted}");
    assert!(counted["text"].as_str().unwrap().contains("18"), "{counted}");
}
