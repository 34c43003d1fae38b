//! Failures between a script and a model, and what the script learns about them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use svc_contract::{
    host::{Host as _, http::Response},
    registry::ErrorKind,
    value::Value,
};
use svc_host_os::{OsHost, test::TestHost};

use super::{
    KEY, engine, failure,
    provider::{PROVIDERS, chunk, finishes, says},
    server::{Reply, Server},
    value,
};

#[tokio::test]
async fn waits_that_are_asked_for_are_kept() {
    let busy = Reply::new(429, r#"{"error": {"message": "slow down", "type": "rate_limit"}}"#);
    let busy = busy.header("retry-after: 1").header("retry-after-ms: 600");
    let server = Server::start(vec![busy, finishes("openai", "done")]);
    let started = Instant::now();
    assert_eq!(value(&engine(&server, "openai"), r#""x" >> ask"#).await, Value::from("done"));
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(600), "{took:?}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn what_a_server_refuses_costs_nothing_and_may_be_tried_again() {
    let overloaded = r#"{"type": "error", "error": {"type": "overloaded_error"}}"#;
    let replies =
        vec![Reply::new(500, "oops"), Reply::new(529, overloaded), finishes("anthropic", "done")];
    let server = Server::start(replies);
    let response = engine(&server, "anthropic").run(r#""x" >> ask"#).await.unwrap();
    assert_eq!(response.usage.tokens, 120);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn statuses_are_kinds() {
    use ErrorKind as Kind;
    let report = format!(r#"{{"error": {{"message": "because of {KEY}", "type": "t"}}}}"#);
    let cases = [
        (400, Kind::InvalidInput, "because of ***"),
        (401, Kind::Denied, "does not accept the key"),
        (403, Kind::Denied, "because of ***"),
        (404, Kind::NotFound, "because of ***"),
        (408, Kind::Unavailable, "because of ***"),
        (413, Kind::InvalidInput, "because of ***"),
        (429, Kind::RateLimit, "because of ***"),
        (301, Kind::Failed, "HTTP status 301"),
        (501, Kind::Unsupported, "because of ***"),
        (503, Kind::Unavailable, "because of ***"),
        (504, Kind::Unavailable, "because of ***"),
    ];
    for (status, kind, wanted) in cases {
        let err = failure("openai", Reply::new(status, &report), r#""x" >> ask"#).await;
        assert_eq!(err.kind(), Some(kind), "{status}: {err}");
        assert!(err.to_string().contains(wanted), "{status}: {err}");
    }
    let missing = Reply::new(404, r#"{"error": "model 'priced' not found"}"#);
    let err = failure("ollama", missing, r#""x" >> ask"#).await;
    assert_eq!(err.kind(), Some(Kind::NotFound));
    assert!(err.to_string().contains("model 'priced' not found"), "{err}");
    let spent = r#"{"error": {"message": "no money left", "code": "insufficient_quota"}}"#;
    let err = failure("openai", Reply::new(429, spent), r#""x" >> ask"#).await;
    assert_eq!(err.kind(), Some(Kind::Denied), "waiting would not help");
}

#[tokio::test]
async fn broken_streams_are_distinguished() {
    use ErrorKind as Kind;
    let whole = |provider| finishes(provider, "a longer answer");
    for provider in PROVIDERS {
        // In the middle of its events, with and without the end of the body.
        let half = whole(provider).in_pieces_of(40).first_half();
        for reply in [half.clone(), half.cut()] {
            let err = failure(provider, reply, r#""x" >> ask"#).await;
            assert_eq!(err.kind(), Some(Kind::Unavailable), "{provider}: {err}");
        }
        let page = Reply::new(200, "<html>\nWelcome\n</html>");
        let err = failure(provider, page, r#""x" >> ask"#).await;
        assert_eq!(err.kind(), Some(Kind::InvalidOutput), "{provider}: {err}");
        assert!(err.to_string().contains("<html>"), "{err}");
        let wrong = Reply::new(200, "data: {\"choices\": [\n\n");
        let err = failure(provider, wrong, r#""x" >> ask"#).await;
        assert_eq!(err.kind(), Some(Kind::InvalidOutput), "{provider}: {err}");
        let empty = Reply::new(200, "");
        let err = failure(provider, empty, r#""x" >> ask"#).await;
        assert_eq!(err.kind(), Some(Kind::InvalidOutput), "{provider}: {err}");
    }
}

#[tokio::test]
async fn errors_inside_a_stream_have_their_kinds() {
    use ErrorKind as Kind;
    let cases = [
        (
            "anthropic",
            r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
            Kind::Unavailable,
        ),
        (
            "anthropic",
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"busy"}}"#,
            Kind::RateLimit,
        ),
        (
            "openai",
            r#"{"error":{"type":"invalid_request_error","message":"busy"}}"#,
            Kind::InvalidInput,
        ),
        (
            "openai",
            r#"{"error":{"type":"server_error","message":"busy","code":null}}"#,
            Kind::Unavailable,
        ),
    ];
    for (provider, event, kind) in cases {
        let reply = Reply::new(200, &format!("event: error\ndata: {event}\n\n"));
        let err = failure(provider, reply, r#""x" >> ask"#).await;
        assert_eq!(err.kind(), Some(kind), "{err}");
        assert!(err.to_string().contains("busy"), "{err}");
    }
    let err =
        failure("ollama", Reply::new(200, "{\"error\":\"out of memory\"}\n"), r#""x" >> ask"#)
            .await;
    assert_eq!(err.kind(), Some(Kind::Unavailable));
    assert!(err.to_string().contains("out of memory"), "{err}");
}

#[tokio::test]
async fn a_timeout_ends_a_slow_answer_and_its_connection() {
    let pause = Duration::from_millis(40);
    let slow = finishes("openai", "a very long answer").in_pieces_of(3).slowly(pause);
    let server = Server::start(vec![slow]);
    let script = r#"("x" >> ask) within { timeout: 300ms }"#;
    let started = Instant::now();
    let err = engine(&server, "openai").run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Timeout));
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    assert!(tokio::task::spawn_blocking(move || server.is_left()).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn silence_ends_by_itself() {
    let host = TestHost::new().env("SVC_MODEL", "ollama/llama3.2").answering(|_| {
        let body = Box::pin(futures_util::stream::pending());
        Box::pin(async { Ok(Response { status: 200, headers: Vec::new(), body }) })
    });
    let script = r#"("x" >> ask) within { timeout: 1h, max_retries: 0 }"#;
    let err =
        svc::engine().with_host(Arc::new(host)).run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unavailable));
    assert!(err.to_string().contains("no data for five minutes"), "{err}");
}

#[tokio::test]
async fn a_server_that_does_not_listen_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let network = OsHost::default();
    let host = TestHost::new()
        .env("SVC_MODEL", "ollama/llama3.2")
        .env("OLLAMA_HOST", address.to_string())
        .answering(move |request| network.http(request));
    let script = r#"("x" >> ask) within { max_retries: 0 }"#;
    let err =
        svc::engine().with_host(Arc::new(host)).run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unavailable));
    assert!(err.to_string().contains(&format!("no answer from http://{address}")), "{err}");
}

#[tokio::test]
async fn a_refusal_is_reported_and_not_retried() {
    let words = [
        chunk(&json!({ "refusal": "I will " }), None),
        chunk(&json!({ "refusal": "not" }), None),
        chunk(&json!({}), Some("stop")),
    ];
    let cases = [
        ("openai", Reply::new(200, &words.concat()), "I will not"),
        ("openai", says("openai", "", "content_filter"), "content filter"),
        ("anthropic", says("anthropic", "", "refusal"), "safeguards"),
    ];
    for (provider, reply, wanted) in cases {
        let server = Server::start(vec![reply]);
        let ended = engine(&server, provider).run(r#""x" >> ask<int>()"#).await;
        let err = ended.map(|it| it.value).unwrap_err();
        assert_eq!(err.kind(), Some(ErrorKind::Failed));
        assert!(err.to_string().contains(wanted), "{err}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_reported_without_the_key() {
    let network = Arc::new(OsHost::default());
    let cases = [
        ("localhost:8000", KEY, "an address begins with `http://`"),
        ("not an address", KEY, "an address begins with `http://`"),
        ("http://127.0.0.1:1", "sk-very\nsecret", "a header cannot be sent"),
    ];
    for (base, key, wanted) in cases {
        let network = network.clone();
        let host = TestHost::new()
            .env("SVC_MODEL", "openai/x")
            .env("OPENAI_BASE_URL", base)
            .env("OPENAI_API_KEY", key)
            .answering(move |request| network.http(request));
        let ended = svc::engine().with_host(Arc::new(host)).run(r#""x" >> ask"#).await;
        let err = ended.map(|it| it.value).unwrap_err();
        assert_eq!(err.kind(), Some(ErrorKind::InvalidInput), "{err}");
        assert!(err.to_string().contains(wanted), "{err}");
        assert!(!format!("{err} {err:?}").contains("secret"), "{err:?}");
    }
}
