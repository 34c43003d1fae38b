//! `/v1`: scripts as models, as OpenAI's own clients see them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Answer, Server, keys::beside, until};
use crate::{
    foreign,
    models::{PRICES, provider::finishes, server::Server as Model},
};

const SCRIPTS: [(&str, &str); 9] = [
    ("answer.svc", "param question: string\nquestion >> ask(max_tokens: 100)"),
    ("echo.svc", "# Says it in capitals.\n\nparam question: string\n\nquestion >> upper"),
    (
        "points.svc",
        "param question: string\n{ answer: question, words: question >> split(sep: \" \") >> len, note: if len(question) > 100 { \"long\" } else { null } }",
    ),
    (
        "talk.svc",
        "param messages: [{ role: string, content: string }]\nparam system: string = \"none\"\n\"${messages >> len} messages, the first by ${messages[0]?.role ?? \"no one\"}; ${system}\"",
    ),
    (
        "tooled.svc",
        "param messages: json\nparam tools: json?\n{ text: \"used\", tool_calls: [{ name: \"look_up\", arguments: { q: \"x\" } }] }",
    ),
    ("fails.svc", "param question: string\nfail(\"no luck\")"),
    ("slow.svc", "param question: string\nquestion >> wait(duration: 20s)"),
    ("sum.svc", "param n: int\nn + 1"),
    ("none.svc", "1 + 1"),
];

/// A server with these scripts, and its model.
fn server() -> (Server, Model) {
    let model = Model::start(vec![finishes("openai", "yes")]);
    let place = tempfile::tempdir().unwrap();
    for (name, text) in SCRIPTS {
        super::write(place.path(), name, text);
    }
    super::write(place.path(), "prices.toml", PRICES);
    (beside(place, &model), model)
}

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

/// Asserts that a client printed at least this many lines.
#[track_caller]
fn held(command: &mut Command, count: usize) {
    let printed = foreign::answer(command, "");
    assert_eq!(printed.lines().filter(|it| it.starts_with("ok: ")).count(), count, "{printed}");
}

#[test]
fn the_python_client_of_openai_works() {
    let python = match foreign::python(&clients().join("requirements.txt")) {
        Ok(python) => python,
        Err(why) => return foreign::skipped("the_python_client_of_openai_works", &why),
    };
    let (server, _model) = server();
    let (ann, free) = (server.issue("ann", "builder"), server.issue("bob", "free"));
    let url = format!("http://{}", server.client.host());
    held(Command::new(python).arg(clients().join("openai_client.py")).args([url, ann, free]), 8);
}

#[test]
fn the_node_client_of_openai_works() {
    let place = match foreign::node(&clients().join("node")) {
        Ok(place) => place,
        Err(why) => return foreign::skipped("the_node_client_of_openai_works", &why),
    };
    let script = "openai_client.mjs";
    std::fs::copy(clients().join("node").join(script), place.join(script)).unwrap();
    let (server, _model) = server();
    let url = format!("http://{}", server.client.host());
    held(Command::new("node").current_dir(place).args([script, &url, "none"]), 5);
}

const HI: &str = r#"{"model": "echo", "messages": [{"role": "user", "content": "hi"}]}"#;

fn chat(server: &Server, body: &Value) -> Answer {
    server.post("/v1/chat/completions", &body.to_string())
}

fn asks(model: &str, more: &Value) -> Value {
    let mut body = json!({ "model": model, "messages": [{ "role": "user", "content": "hi" }] });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

impl Answer {
    /// Asserts the shape of an error of this interface, and returns its message.
    #[track_caller]
    fn refuses(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        let error = self.json()["error"].clone();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["type"].is_string() && error.get("param").is_some(), "{error}");
        format!("{}: {}", error["param"], error["message"].as_str().unwrap())
    }
}

#[test]
fn only_scripts_with_a_chat_signature_are_models() {
    let (server, _model) = server();
    let list = server.get("/v1/models").ok();
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["answer", "echo", "fails", "points", "slow", "talk", "tooled"]);
    let echo = server.get("/v1/models/echo").ok();
    assert_eq!(echo["description"], "Says it in capitals.");
    assert!(echo["created"].as_i64().unwrap() > 1_500_000_000, "{echo}");
    for (name, why) in [
        ("sum", "`n` is not a text"),
        ("none", "no required param"),
        ("eco", "did you mean `echo`?"),
    ] {
        let said = server.get(&format!("/v1/models/{name}")).refuses(404, "model_not_found");
        assert!(said.contains(why), "{said}");
        chat(&server, &asks(name, &json!({}))).refuses(404, "model_not_found");
    }
    server.get("/v1/nothing").refuses(404, "unknown_url");
    assert_eq!(
        server.client.send("PUT", "/v1/models", &[], None).json()["error"]["param"],
        json!(null)
    );
}

#[test]
fn a_chat_is_a_run_of_a_script() {
    let (server, model) = server();
    let answer = chat(&server, &asks("answer", &json!({ "max_completion_tokens": 5000 }))).ok();
    assert_eq!(answer["choices"][0]["message"]["content"], "yes");
    assert_eq!(
        answer["usage"],
        json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 })
    );
    assert!(answer["svc"]["cost_usd"].as_f64().unwrap() > 0.0, "{answer}");
    let id = answer["svc"]["run_id"].as_str().unwrap();
    let run = server.get(&format!("/runs/{id}")).ok();
    assert_eq!((&run["state"], &run["usage"]["tokens"]), (&json!("ok"), &json!(120)), "{run}");
    // A cap that is too low refuses the call before the model is asked.
    let asked = model.requests().len();
    let said = chat(&server, &asks("answer", &json!({ "max_tokens": 5 })));
    assert!(said.refuses(400, "budget_exceeded").contains("tokens"), "{said:?}");
    assert_eq!(model.requests().len(), asked);
    let failed = chat(&server, &asks("fails", &json!({}))).refuses(422, "failed");
    assert!(failed.contains("no luck"), "{failed}");
}

#[test]
fn what_would_not_be_done_is_refused_by_its_name() {
    let (server, _model) = server();
    for (field, value, code) in [
        ("n", json!(2), "unsupported_parameter"),
        ("logprobs", json!(true), "unsupported_parameter"),
        ("modalities", json!(["text", "audio"]), "unsupported_parameter"),
        ("audio", json!({ "voice": "x" }), "unsupported_parameter"),
        ("user", json!("ann"), "unsupported_parameter"),
        ("metadata", json!({ "a": "b" }), "unsupported_parameter"),
        ("stop", json!(["x"]), "unsupported_parameter"),
        ("tool_choice", json!("required"), "unsupported_parameter"),
        ("tools", json!([{ "type": "function" }]), "unsupported_parameter"),
        ("response_format", json!({ "type": "json_object" }), "unsupported_parameter"),
        ("max_tokens", json!(0), "invalid_value"),
        ("stream", json!("yes"), "invalid_value"),
        ("unheard_of", json!(1), "unknown_parameter"),
    ] {
        let said = chat(&server, &asks("echo", &json!({ field: value }))).refuses(400, code);
        assert!(said.starts_with(&format!("\"{field}\"")), "{said}");
    }
    // A field that asks for nothing is not refused.
    let same = json!({ "n": 1, "logprobs": false, "metadata": {}, "stop": null, "user": null,
        "tools": [], "modalities": ["text"], "response_format": { "type": "text" } });
    assert_eq!(chat(&server, &asks("echo", &same)).ok()["svc"]["ignored"], json!([]));
    let body = r#"{"messages": [{"role": "user", "content": "hi"}]}"#;
    let said = server.post("/v1/chat/completions", body).refuses(400, "missing_required_parameter");
    assert!(said.contains("`model`"), "{said}");
    for (message, field) in [
        (json!({ "role": "robot", "content": "x" }), "messages[0].role"),
        (json!({ "content": "x" }), "messages[0].role"),
        (json!({ "role": "user" }), "messages[0].content"),
        (json!({ "role": "user", "content": 1 }), "messages[0].content"),
        (
            json!({ "role": "user", "content": [{ "type": "input_audio" }] }),
            "messages[0].content[0].type",
        ),
        (json!("x"), "messages[0]"),
        (json!({ "role": "system", "content": "x" }), "messages"),
    ] {
        let answer = chat(&server, &json!({ "model": "echo", "messages": [message] }));
        assert_eq!((answer.status, &answer.json()["error"]["param"]), (400, &json!(field)));
    }
    server.post("/v1/chat/completions", "{").refuses(400, "malformed");
    let typed = [("Content-Type", "text/plain")];
    let answer = server.client.send("POST", "/v1/chat/completions", &typed, Some(b"x"));
    answer.refuses(415, "unsupported_format");
    server.post("/v1/responses", r#"{"model": "echo", "input": 1}"#).refuses(400, "invalid_value");
    let earlier = r#"{"model": "echo", "input": "x", "previous_response_id": "r"}"#;
    server.post("/v1/responses", earlier).refuses(400, "unsupported_parameter");
}

#[test]
fn keys_roles_and_limits_hold() {
    let (server, _model) = server();
    super::write(
        server.place.path(),
        ".service/access.toml",
        "version = 1\n[roles.free]\ntier = \"free\"\ntools = [\"echo\"]\nmax_cost = \"$0\"\n",
    );
    let ann = server.issue("ann", "builder");
    let missing = server.post("/v1/chat/completions", HI);
    assert!(missing.refuses(401, "invalid_api_key").contains("missing API key"));
    assert!(missing.head.contains("www-authenticate: bearer"), "{}", missing.head);
    assert_eq!(server.as_key(&ann, "POST", "/v1/chat/completions", Some(HI)).status, 200);
    let log = || super::keys::svc(server.place.path(), &["audit", "--json"]).1;
    until(|| log().contains(r#""openai""#) && log().contains("echo"));
    assert!(server.as_key(&ann, "GET", "/metrics", None).status != 200);
}

#[test]
fn an_unlisted_script_is_not_a_model() {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in SCRIPTS {
        super::write(place.path(), name, text);
    }
    let policy = "version = 1\n[roles.free]\ntier = \"free\"\ntools = [\"echo\"]\nburst = 100\n";
    super::write(place.path(), ".service/access.toml", policy);
    let server = Server::at(place, &["--data", ".service"]);
    let free = server.issue("bob", "free");
    let list = server.as_key(&free, "GET", "/v1/models", None).ok();
    assert_eq!(list["data"].as_array().unwrap().len(), 1, "{list}");
    server.as_key(&free, "GET", "/v1/models/points", None).refuses(404, "model_not_found");
    let body = asks("points", &json!({})).to_string();
    server
        .as_key(&free, "POST", "/v1/chat/completions", Some(&body))
        .refuses(403, "permission_denied");
}

#[test]
fn a_repeat_with_a_key_is_the_same_answer() {
    let (server, model) = server();
    let once = [("Idempotency-Key", "a")];
    let body = asks("answer", &json!({})).to_string();
    let send = || server.client.send("POST", "/v1/chat/completions", &once, Some(body.as_bytes()));
    let (first, second) = (send(), send());
    assert_eq!((first.status, &first.body), (200, &second.body));
    assert!(second.head.contains("idempotent-replayed: true"), "{}", second.head);
    assert_eq!(model.requests().len(), 1);
    let other = server.client.send("POST", "/v1/chat/completions", &once, Some(HI.as_bytes()));
    assert_eq!(other.status, 400, "{other:?}");
    let stream = asks("echo", &json!({ "stream": true })).to_string();
    let once = [("Idempotency-Key", "b")];
    let said = server.client.send("POST", "/v1/chat/completions", &once, Some(stream.as_bytes()));
    said.refuses(400, "unsupported_parameter");
}

/// The answer of a call that a crash cut off has the shape of this interface.
#[test]
fn a_call_that_died_is_answered_after_the_next_start() {
    let place = tempfile::tempdir().unwrap();
    super::write(
        place.path(),
        "pause.svc",
        "param question: string\nquestion >> wait(duration: 2s) >> upper",
    );
    let server = Server::at(place, &[]);
    let body = asks("pause", &json!({})).to_string();
    let once = [("Idempotency-Key", "a")];
    let client = super::Client::new(server.client.host().parse().unwrap());
    let sent = body.clone();
    let caller = std::thread::spawn(move || {
        client.send("POST", "/v1/chat/completions", &once, Some(sent.as_bytes())).status
    });
    until(|| !server.get("/runs").ok()["runs"].as_array().unwrap().is_empty());
    std::thread::sleep(Duration::from_millis(300));
    let again = Server::at(server.kill(), &[]);
    caller.join().unwrap();
    let send = || again.client.send("POST", "/v1/chat/completions", &once, Some(body.as_bytes()));
    let first = send();
    assert!(matches!(first.status, 200 | 409), "{first:?}");
    until(|| send().status == 200);
    let answer = send().ok();
    assert_eq!(answer["choices"][0]["message"]["content"], "HI", "{answer}");
    assert_eq!(again.get("/runs").ok()["runs"].as_array().unwrap().len(), 1);
}

/// Who closes the connection wants no answer: the run ends.
#[test]
fn a_caller_that_goes_away_cancels_the_run() {
    use std::io::{Read as _, Write as _};
    let (server, _model) = server();
    for stream in [true, false] {
        let body = asks("slow", &json!({ "stream": stream })).to_string();
        let mut open = server.client.open();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            server.client.host(),
            body.len()
        );
        open.write_all(head.as_bytes()).unwrap();
        let running = || {
            let runs = server.get("/runs").ok()["runs"].clone();
            runs.as_array().unwrap().iter().filter(|it| it["state"] == "running").count()
        };
        until(|| running() == 1);
        if stream {
            let mut begun = [0; 64];
            open.read_exact(&mut begun).unwrap();
        }
        drop(open);
        let at = Instant::now();
        until(|| running() == 0);
        assert!(at.elapsed() < Duration::from_secs(10), "{:?}", at.elapsed());
        let runs = server.get("/runs").ok();
        assert_eq!(runs["runs"][0]["state"], "cancelled", "{runs}");
    }
}
