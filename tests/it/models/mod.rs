//! `ask` with servers that behave as the providers document: streamed text and typed answers, and
//! all possible failures.

use std::sync::{Arc, Mutex};

use serde_json::json;
use svc::{Engine, Error};
use svc_contract::{
    host::Host as _,
    registry::ErrorKind,
    value::{Money, Value, json},
};
use svc_engine::run::{Event, Observer};
use svc_host_os::{OsHost, test::TestHost};

use self::{
    provider::{PROVIDERS, finishes, says},
    server::{Reply, Server},
};

mod agents;
mod caps;
mod command;
mod embeds;
mod failures;
mod guide;
mod guide_command;
mod guide_files;
mod guide_runs;
mod kills;
mod misreports;
pub(crate) mod provider;
mod searches;
pub(crate) mod server;
mod till;
mod tuning;

pub(crate) const KEY: &str = "sk-very-secret";

/// Dollars per million tokens: three for input, fifteen for output.
pub(crate) const PRICES: &str = r#"
version = "test"
[models]
"openai/priced" = { input = 3, output = 15 }
"anthropic/priced" = { input = 3, output = 15 }
"ollama/*" = { input = 0, output = 0 }
"#;

/// A host whose providers are all at one server.
fn host(server: &Server, model: &str) -> TestHost {
    let network = OsHost::default();
    TestHost::new()
        .file("prices.toml", PRICES)
        .env("SVC_PRICES", "prices.toml")
        .env("SVC_MODEL", model)
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url))
        .env("OPENAI_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", server.url.as_str())
        .env("ANTHROPIC_API_KEY", KEY)
        .env("OLLAMA_HOST", server.url.as_str())
        .answering(move |request| network.http(request))
}

fn engine(server: &Server, provider: &str) -> Engine {
    svc::engine().with_host(Arc::new(host(server, &format!("{provider}/priced"))))
}

async fn value(engine: &Engine, script: &str) -> Value {
    engine.run(script).await.map_or_else(|err| panic!("{err}"), |it| it.value)
}

/// The error of a script whose single request gets this reply, without a retry.
async fn failure(provider: &str, reply: Reply, script: &str) -> Error {
    let server = Server::start(vec![reply]);
    let script = format!("({script}) within {{ max_retries: 0 }}");
    let ended = engine(&server, provider).run(script.as_str()).await;
    let err = ended.map(|it| it.value).expect_err("it should fail");
    let shown = format!("{err} {err:?} {}", err.render(svc_lang::diag::Style::Plain));
    assert!(!shown.contains(KEY), "the key is shown: {shown}");
    err
}

#[tokio::test]
async fn every_provider_streams_text() {
    for provider in PROVIDERS {
        let server = Server::start(vec![finishes(provider, "Grüße 👋, world").in_pieces_of(7)]);
        let script = r#""Say hello" >> ask(system: "Be kind.", max_tokens: 50, temperature: 0.5)"#;
        let response = engine(&server, provider).run(script).await.unwrap();
        assert_eq!(response.value, Value::from("Grüße 👋, world"), "{provider}");
        assert_eq!(response.usage.tokens, 120, "{provider}");
        let cost = if provider == "ollama" { 0 } else { 100 * 3_000 + 20 * 15_000 };
        assert_eq!(response.usage.cost, Money::from_nanos(cost), "{provider}");
    }
}

#[tokio::test]
async fn requests_are_what_the_providers_document() {
    let asked = |provider: &'static str| async move {
        let server = Server::start(vec![finishes(provider, "hi")]);
        let script = r#""Say hello" >> ask(system: "Be kind.", max_tokens: 50, temperature: 0.5)"#;
        value(&engine(&server, provider), script).await;
        server.requests()[0].clone()
    };
    let messages = json!([
        { "role": "system", "content": "Be kind." },
        { "role": "user", "content": "Say hello" },
    ]);
    let openai = asked("openai").await;
    assert!(openai.head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{}", openai.head);
    assert!(openai.head.contains(&format!("authorization: bearer {KEY}\r\n")), "{}", openai.head);
    let body = json!({
        "model": "priced",
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": 50,
        "temperature": 0.5,
    });
    assert_eq!(openai.body, body);

    let anthropic = asked("anthropic").await;
    assert!(anthropic.head.starts_with("post /v1/messages http/1.1\r\n"), "{}", anthropic.head);
    assert!(anthropic.head.contains(&format!("x-api-key: {KEY}\r\n")), "{}", anthropic.head);
    assert!(anthropic.head.contains("anthropic-version: 2023-06-01\r\n"), "{}", anthropic.head);
    let body = json!({
        "model": "priced",
        "max_tokens": 50,
        "messages": [{ "role": "user", "content": "Say hello" }],
        "stream": true,
        "system": "Be kind.",
        "temperature": 0.5,
    });
    assert_eq!(anthropic.body, body);

    let ollama = asked("ollama").await;
    assert!(ollama.head.starts_with("post /api/chat http/1.1\r\n"), "{}", ollama.head);
    assert!(!ollama.head.contains(KEY));
    let body = json!({
        "model": "priced",
        "messages": messages,
        "stream": true,
        "options": { "num_predict": 50, "temperature": 0.5 },
    });
    assert_eq!(ollama.body, body);
}

#[tokio::test]
async fn a_types_schema_goes_to_its_own_place() {
    let script = r#"
        type Tag = "a" | "b"
        type Note = { title: string, score: float 0..1, tag: Tag? }
        "Rate it" >> ask<Note>"#;
    let schema = |score: &str| {
        let properties = [
            r#""title":{"type":"string"}"#.to_owned(),
            format!(r#""score":{{"type":"number",{score}}}"#),
            r#""tag":{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"null"}]}"#.to_owned(),
        ];
        let required = r#""required":["title","score","tag"],"additionalProperties":false"#;
        format!(r#"{{"type":"object","properties":{{{}}},{required}}}"#, properties.join(","))
    };
    let asserted = schema(r#""minimum":0.0,"maximum":1.0"#);
    let described = schema(r#""description":"from 0.0 to 1.0""#);
    for provider in PROVIDERS {
        let answer = r#"{"title": "Ünïcode", "score": 1, "tag": null}"#;
        let server = Server::start(vec![finishes(provider, answer).in_pieces_of(5)]);
        let got = value(&engine(&server, provider), script).await;
        assert_eq!(json::write(&got), r#"{"title":"Ünïcode","score":1.0,"tag":null}"#);
        let request = &server.requests()[0];
        let wanted = match provider {
            "openai" => format!(
                r#""response_format":{{"type":"json_schema","json_schema":{{"name":"answer","strict":true,"schema":{asserted}}}}}"#
            ),
            "anthropic" => format!(
                r#""output_config":{{"format":{{"type":"json_schema","schema":{described}}}}}"#
            ),
            _ => {
                let shown = request.body["messages"][0]["content"].as_str().unwrap();
                assert_eq!(shown, format!("Answer in JSON of this schema: {asserted}"));
                format!(r#""format":{asserted}"#)
            }
        };
        // As text, because the order of the fields is the order of the answer.
        assert!(request.text.contains(&wanted), "{provider}: {}", request.text);
    }
}

#[tokio::test]
async fn what_is_no_record_is_wrapped_and_unwrapped() {
    let cases = [
        (r#"ask<"billing" | "bug">()"#, r#"{"value": "bug"}"#, r#""bug""#),
        ("ask<[int; max 3]>()", r#"{"value": [1, 2]}"#, "[1,2]"),
        ("ask<float 0..1>()", r#"{"value": 0.5}"#, "0.5"),
        ("ask<string?>()", r#"{"value": null}"#, "null"),
        ("ask<duration>()", r#"{"value": "1h30m"}"#, r#""1h30m""#),
        ("ask<bool>()", "```json\n{\"value\": true}\n```", "true"),
        ("ask<json>()", r#"{"value": {"a": [1]}}"#, r#"{"a":[1]}"#),
    ];
    for (call, answer, wanted) in cases {
        let server = Server::start(vec![finishes("openai", answer)]);
        let got = value(&engine(&server, "openai"), &format!("\"x\" >> {call}")).await;
        assert_eq!(json::write(&got), wanted, "{call}");
        let format = server.requests()[0].body["response_format"]["json_schema"].clone();
        assert_eq!(format["schema"]["required"], json!(["value"]), "{call}");
        assert_eq!(format["strict"], json!(call != "ask<json>()"), "{call}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_says_what_was_wrong() {
    let cases = [
        (r#"{"score": 7}"#, "expected float 0..1 for `score`, found 7"),
        (r#"{"rating": 0.7}"#, "expected float 0..1 for `score`, found nothing"),
        ("I would say 0.7", "not valid JSON"),
    ];
    for provider in PROVIDERS {
        for (answer, wanted) in cases {
            let script = r#""x" >> ask<{ score: float 0..1 }>()"#;
            let err = failure(provider, finishes(provider, answer), script).await;
            assert_eq!(err.kind(), Some(ErrorKind::InvalidOutput), "{err}");
            assert!(err.to_string().contains(wanted), "{err}");
        }
    }
}

#[tokio::test]
async fn a_misfit_is_tried_again_and_both_tries_count() {
    let replies = vec![finishes("openai", "{}"), finishes("openai", r#"{"value": 3}"#)];
    let server = Server::start(replies);
    let response = engine(&server, "openai").run(r#""x" >> ask<int 1..5>()"#).await.unwrap();
    assert_eq!(response.value, Value::Int(3));
    assert_eq!(response.usage.tokens, 240);
}

#[tokio::test]
async fn an_unknown_price_cannot_run_under_a_cap_of_money() {
    let server = Server::start(vec![finishes("openai", "fine")]);
    let engine = svc::engine().with_host(Arc::new(host(&server, "openai/brand-new")));
    let script = r#"("x" >> ask) within { max_cost: $1.00 }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert!(matches!(err, Error::Check(_)), "{err}");
    let wanted = "the price of `openai/brand-new` is unknown, so it cannot run under `max_cost`: it is not \
                  in the price table of test";
    assert!(err.to_string().contains(wanted), "{err}");
    let capped = engine.run(r#""x" >> ask"#).max_cost(Money::cents(9)).await;
    let err = capped.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Budget), "{err}");
    assert!(err.to_string().contains("`openai/brand-new` is unknown"), "{err}");
    assert!(server.requests().is_empty(), "no request was sent");
    let notes = Arc::new(Notes::default());
    let engine = engine.with_observer(notes.clone());
    let script = r#"("x" >> ask) within { max_tokens: 10_000 }"#;
    assert_eq!(value(&engine, script).await, Value::from("fine"));
    let wanted = "the price of `openai/brand-new` is unknown: the cost does not include it";
    assert_eq!(*notes.0.lock().unwrap(), [wanted]);
}

#[tokio::test]
async fn caps_hold_before_anything_is_asked() {
    let server = Server::start(vec![finishes("openai", "fine")]);
    let engine = engine(&server, "openai");
    // 513 bytes at $3 and 1000 tokens at $15 per million.
    let script = r#"("x" >> ask(max_tokens: 1000)) within { max_cost: $0.0165 }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("must reserve at least $0.016539"), "{shown}");
    assert!(server.requests().is_empty(), "no request was sent");
    let script = r#"("x" >> ask(max_tokens: 1000)) within { max_cost: $0.0166 }"#;
    assert_eq!(value(&engine, script).await, Value::from("fine"));
}

#[tokio::test]
async fn a_provider_that_counts_more_than_was_reserved_breaks_a_cap() {
    let usage = json!({ "prompt_tokens": 9_999, "completion_tokens": 20 });
    let end = json!({ "choices": [{ "delta": { "content": "hi" }, "finish_reason": "stop" }], "usage": usage });
    let reply = Reply::new(200, &format!("data: {end}\n\ndata: [DONE]\n\n"));
    let server = Server::start(vec![reply]);
    let engine = engine(&server, "openai");
    assert_eq!(value(&engine, r#""x" >> ask"#).await, Value::from("hi"));
    let capped = engine.run(r#"("x" >> ask) within { max_tokens: 5_000 }"#).await;
    let err = capped.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Budget));
    assert!(err.to_string().contains("used more than declared: 10019 tokens"), "{err}");
}

#[tokio::test]
async fn a_cap_of_the_script_replaces_the_ops_own() {
    let server = Server::start(vec![finishes("openai", "long")]);
    let engine = engine(&server, "openai");
    let ask = |script: &'static str| engine.run(script).param("text", "long ".repeat(40_000));
    let err = ask("param text: string\ntext >> ask").await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("one call may use at most 128000"), "{err}");
    let capped = "param text: string\n(text >> ask) within { max_tokens: 300_000 }";
    assert_eq!(ask(capped).await.unwrap().value, Value::from("long"));
}

#[tokio::test]
async fn an_answer_that_is_cut_is_text_but_no_value() {
    let notes = Arc::new(Notes::default());
    let server = Server::start(vec![says("openai", "Once upon a", "length")]);
    let engine = engine(&server, "openai").with_observer(notes.clone());
    let got = value(&engine, r#""x" >> ask(max_tokens: 20)"#).await;
    assert_eq!(got, Value::from("Once upon a"));
    assert_eq!(*notes.0.lock().unwrap(), ["the answer was cut at `max_tokens: 20`"]);
    for (provider, stop) in
        [("openai", "length"), ("anthropic", "max_tokens"), ("ollama", "length")]
    {
        let reply = says(provider, r#"{"value": "#, stop);
        let err = failure(provider, reply, r#""x" >> ask<int>(max_tokens: 20)"#).await;
        assert_eq!(err.kind(), Some(ErrorKind::InvalidOutput));
        assert!(err.to_string().contains("needs more than 20 tokens"), "{err}");
    }
}

#[tokio::test]
async fn nothing_is_needed_until_something_is_asked() {
    let engine = svc::engine().with_host(Arc::new(TestHost::new()));
    assert!(engine.check(r#""x" >> ask<int>()"#).is_ok());
    let err = engine.run(r#""x" >> ask"#).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unsupported));
    let shown = err.render(svc_lang::diag::Style::Plain);
    for wanted in ["no language model is configured", "SVC_MODEL", "OPENAI_API_KEY"] {
        assert!(shown.contains(wanted), "{shown}");
    }
}

/// No model is configured, and no request is sent: the mocks answer.
#[test]
fn tests_of_a_script_need_no_model() {
    let script = r#"
        type Route = "billing" | "bug" | "other"
        flow team(text: string) -> string within { max_cost: $0.02 } {
          let route = ask<Route>(prompt: "Classify: ${text}", model: "fast")
                        within { max_retries: 2 } fallback "other"
          match route { "billing" => "finance", "bug" => "engineering", "other" => "support" }
        }
        test "billing goes to finance" {
          mock ask = "billing"
          let got = "I was charged twice" >> team
          expect got == "finance"
          expect run.cost > $0 and run.cost <= $0.02
        }
        test "a busy classifier is retried" {
          mock ask = fail("busy", "rate_limit")
          let got = "hello" >> team
          expect got == "support" and run.calls("ask") == 3
        }
        test "a misfit is not an answer" {
          mock ask = "sales"
          let got = "hello" >> team
          expect got == "support"
        }"#;
    let engine = svc::engine().with_host(Arc::new(TestHost::new()));
    let program = engine.check(script).unwrap();
    for result in engine.test(&program, "") {
        assert!(result.passed(), "{}: {}", result.name, result.report);
    }
}

#[tokio::test]
async fn a_written_prompt_takes_the_place_of_what_comes_in() {
    let server = Server::start(vec![finishes("openai", "fine")]);
    let script = r#"{ text: "a poem" } >> ask(prompt: "Rate ${it.text}", model: "ollama-like")"#;
    value(&engine(&server, "openai"), script).await;
    let body = server.requests()[0].body.clone();
    assert_eq!(body["messages"], json!([{ "role": "user", "content": "Rate a poem" }]));
    assert_eq!(body["model"], "ollama-like");
}

#[test]
fn the_program_reads_its_own_environment() {
    let server = Server::start(vec![finishes("anthropic", "Paris")]);
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.svc"), "param q: string\nq >> ask").unwrap();
    let done = std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(["run", "a.svc", "What is the capital of France?"])
        .current_dir(place.path())
        .env("SVC_MODEL", "anthropic/priced")
        .env("ANTHROPIC_BASE_URL", &server.url)
        .env("ANTHROPIC_API_KEY", KEY)
        .env_remove("SVC_PRICES")
        .env("SVC_STORE", "runs.db")
        .output()
        .unwrap();
    let shown_text = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "Paris\n", "{shown_text}");
    assert!(shown_text.contains("the price of `anthropic/priced` is unknown"), "{shown_text}");
    assert!(!shown_text.contains(KEY));
    assert!(server.requests()[0].head.contains(KEY));
}

/// Collects the notices of a run.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn event(&self, _: &str, event: &Event<'_>) {
        if let Event::Notice { message } = event {
            self.0.lock().unwrap().push((*message).to_owned());
        }
    }
}
