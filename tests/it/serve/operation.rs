//! How a server is operated: what it counts, what it compresses, and how it stops.

use std::{io::Read as _, time::Duration};

use super::{Server, client::Client, until};

#[test]
fn answers_are_compressed_for_those_who_ask() {
    let server = Server::start();
    let gzip = [("Accept-Encoding", "br, gzip")];
    let plain = server.get("/openapi.json");
    let packed = server.client.send("GET", "/openapi.json", &gzip, None);
    assert!(packed.head.contains("content-encoding: gzip"), "{}", packed.head);
    for answer in [&plain, &packed] {
        assert!(answer.head.contains("vary: accept-encoding"), "{}", answer.head);
    }
    assert!(packed.bytes.len() * 3 < plain.bytes.len(), "{}", packed.bytes.len());
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*packed.bytes).read_to_string(&mut text).unwrap();
    assert_eq!(text, plain.body);
    // A large one, which another thread compresses.
    let large = format!(r#"{{"op": "upper", "params": {{"text": "{}"}}}}"#, "ab".repeat(300_000));
    let packed = server.client.send("POST", "/invoke/text", &gzip, Some(large.as_bytes()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*packed.bytes).read_to_string(&mut text).unwrap();
    assert!(text.contains(&"AB".repeat(300_000)));

    for headers in [[("Accept-Encoding", "gzip;q=0")], [("Accept-Encoding", "br")]] {
        let answer = server.client.send("GET", "/openapi.json", &headers, None);
        assert!(!answer.head.contains("content-encoding"), "{}", answer.head);
    }
    let small = server.client.send("GET", "/health", &gzip, None);
    assert!(!small.head.contains("content-encoding"), "{}", small.head);
    let headers = [("Accept-Encoding", "gzip"), ("Accept", "text/event-stream")];
    let body = br#"{"text": "a b"}"#;
    let events = server.client.send("POST", "/scripts/word_count", &headers, Some(body));
    assert!(events.body.contains("event: result"), "{events:?}");
    assert!(!events.head.contains("content-encoding"), "{}", events.head);
}

/// The number of a line of the metrics, as it is written.
fn number(text: &str, name: &str) -> String {
    let line = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is missing: {text}")).to_owned()
}

#[test]
fn metrics_count_what_happens() {
    let server = Server::start();
    let read = || server.get("/metrics");
    let before = read();
    assert!(before.head.contains("content-type: text/plain"), "{}", before.head);
    server.post("/scripts/word_count", r#"{"text": "a b"}"#).ok();
    server.post("/scripts/word_count", "{}").fails(422, "invalid_input");
    server.post("/invoke/text", r#"{"op": "upper", "params": {"text": "a"}}"#).ok();
    server.get("/none").fails(404, "not_found");
    let run = server.client.send(
        "POST",
        "/scripts/slow",
        &[("Prefer", "respond-async")],
        Some(br#"{"time": "20s"}"#),
    );
    let id = run.json()["run_id"].as_str().unwrap().to_owned();
    // A worker takes it a moment later.
    let is_running = || server.get("/metrics").body.contains("\nsvc_runs_running 1\n");
    let mut reads = 0;
    until(|| {
        reads += 1;
        is_running()
    });
    let text = read().body;
    let ok = "svc_calls_total{surface=\"rest\",status=\"200\"}";
    assert_eq!(number(&text, ok), (3 + reads).to_string(), "{text}");
    for status in [202, 404, 422] {
        let name = format!("svc_calls_total{{surface=\"rest\",status=\"{status}\"}}");
        assert_eq!(number(&text, &name), "1", "{text}");
    }
    let calls = (6 + reads).to_string();
    assert_eq!(number(&text, "svc_call_duration_seconds_count{surface=\"rest\"}"), calls);
    assert_eq!(
        number(&text, "svc_call_duration_seconds_bucket{surface=\"rest\",le=\"+Inf\"}"),
        calls
    );
    assert_eq!(number(&text, "svc_runs_running"), "1");
    assert_eq!(number(&text, "svc_runs_ended_total{outcome=\"ok\"}"), "2", "{text}");
    assert!(number(&text, "svc_uptime_seconds").parse::<f64>().unwrap() > 0.0);
    assert_eq!(number(&text, "svc_tokens_total"), "0");
    server.post(&format!("/runs/{id}/cancel"), "{}");
    until(|| number(&read().body, "svc_runs_ended_total{outcome=\"cancelled\"}") == "1");
    until(|| number(&read().body, "svc_runs_running") == "0");
}

#[cfg(unix)]
#[test]
fn a_server_that_stops_is_not_ready_and_lets_runs_end() {
    use rustix::process::{Pid, Signal, kill_process};

    let mut server = Server::start();
    let run = server.client.send(
        "POST",
        "/scripts/slow",
        &[("Prefer", "respond-async")],
        Some(br#"{"time": "3s"}"#),
    );
    let id = run.json()["run_id"].as_str().unwrap().to_owned();
    until(|| server.get(&format!("/runs/{id}")).ok()["state"] == "running");
    let caller = Client::new(server.client.host().parse().unwrap());
    let waiting = std::thread::spawn(move || caller.post("/scripts/slow", r#"{"time": "30s"}"#));
    until(|| server.get("/runs?state=running").ok()["runs"].as_array().unwrap().len() == 2);
    kill_process(Pid::from_child(&server.child), Signal::TERM).unwrap();
    until(|| server.get("/health/ready").status == 503);
    server.get("/health/ready").fails(503, "stopping");
    assert_eq!(server.get("/health/live").status, 200);
    let refused = server.post("/scripts/word_count", r#"{"text": "a"}"#);
    refused.fails(503, "stopping");
    assert!(refused.head.contains("retry-after: 1"), "{refused:?}");
    assert_eq!(server.get(&format!("/runs/{id}")).ok()["state"], "running");
    for _ in 0..300 {
        if server.child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(server.child.try_wait().unwrap().is_some_and(|it| it.success()));
    // Who waits for a run that is cut off learns that it goes on at the next start.
    let later = waiting.join().unwrap();
    assert_eq!(later.status, 202, "{later:?}");
    let later = later.json()["run_id"].as_str().unwrap().to_owned();
    let empty = tempfile::tempdir().unwrap();
    let place = std::mem::replace(&mut server.place, empty);
    let again = Server::at(place, &[]);
    assert_eq!(again.get(&format!("/runs/{id}")).ok()["state"], "ok");
    until(|| again.get(&format!("/runs/{later}")).ok()["state"] == "running");
}

/// The page for people has every endpoint, and loads nothing.
#[test]
fn the_endpoints_are_a_page() {
    let server = Server::with(&[], &[]);
    let page = server.get("/docs");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html"), "{}", page.head);
    let text = &page.body;
    for route in svc_api::rest::routes() {
        let (method, path) = (route.method.name(), route.path);
        assert!(
            text.contains(&format!("<span class=\"method\">{method}</span> {path}</code>")),
            "{path}"
        );
    }
    let host = server.client.host();
    let request = format!("curl -s http://{host}/invoke/component --json '{{\"op\":\"text\"}}'");
    assert!(text.contains(&request.replace('"', "&quot;").replace('\'', "&#39;")), "{request}");
    assert!(
        text.contains("Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-")
    );
    for outside in ["<script", "src=", "https://", "javascript:"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    server.post("/docs", "{}").fails(404, "not_found");
    server.client.send("GET", "/docs", &[("Host", "example.com\"><x")], None).fails(403, "denied");
}
