//! The traces of a run in a collector, and the cost of an unreachable collector.

use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::{err, out, svc};
use crate::models::server::{Reply, Server};

/// The spans that a server received, and the description of the service.
fn spans(server: &Server) -> (Vec<Json>, Vec<Json>) {
    let items = |it: &Json, key: &str| it[key].as_array().cloned().unwrap_or_default();
    let all: Vec<Json> = server.requests().iter().map(|it| it.body.clone()).collect();
    let resources: Vec<Json> = all.iter().flat_map(|it| items(it, "resourceSpans")).collect();
    let spans = resources.iter().flat_map(|it| items(it, "scopeSpans"));
    let spans = spans.flat_map(|it| items(&it, "spans")).collect();
    (spans, items(&resources[0]["resource"], "attributes"))
}

fn attribute(all: &Json, name: &str) -> Json {
    let found = all.as_array().unwrap().iter().find(|it| it["key"] == name);
    let value = found.unwrap_or_else(|| panic!("{name} in {all}"))["value"].as_object().unwrap();
    value.values().next().unwrap().clone()
}

#[test]
fn a_collector_gets_the_spans_of_a_run() {
    let server = Server::start(vec![Reply::new(200, "{}")]);
    let script = r#"["a", "b"] >> each { wait(duration: 1ms) } >> len"#;
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", server.url.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=blue"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test"),
    ];
    let done = svc(script, &["run", "a.svc"], &variables);
    assert_eq!((out(&done).as_str(), err(&done).as_str()), ("2\n", ""));

    let head = &server.requests()[0].head;
    assert!(head.starts_with("post /v1/traces ") && head.contains("x-tenant: blue"), "{head}");
    let (spans, resource) = spans(&server);
    let resource = Json::Array(resource);
    assert_eq!(attribute(&resource, "service.name"), "svc");
    assert_eq!(attribute(&resource, "deployment.environment"), "test");

    let run = spans.iter().find(|it| it["name"] == "run").unwrap();
    assert!(run["parentSpanId"].as_str().is_none_or(str::is_empty), "{run}");
    assert_eq!(attribute(&run["attributes"], "svc.script"), "a.svc");
    assert_eq!(attribute(&run["attributes"], "svc.outcome"), "ok");
    assert!(attribute(&run["attributes"], "svc.run").is_string());
    let calls: Vec<&Json> = spans.iter().filter(|it| it["name"] == "control.wait").collect();
    assert_eq!(calls.len(), 2, "{spans:?}");
    for call in calls {
        assert_eq!(call["traceId"], run["traceId"]);
        assert_eq!(call["parentSpanId"], run["spanId"]);
        assert_eq!(attribute(&call["attributes"], "svc.outcome"), "ok");
    }
}

#[test]
fn a_failure_is_the_status_of_its_span() {
    let server = Server::start(vec![Reply::new(200, "{}")]);
    let variables = [
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", format!("{}/here", server.url)),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json".to_owned()),
        ("OTEL_SERVICE_NAME", "triage".to_owned()),
        ("SVC_SECRET_KEY", "hunter2".to_owned()),
    ];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let script = r#"read_text("nowhere.txt")"#;
    let done = svc(script, &["run", "a.svc"], &variables);
    assert_eq!(done.status.code(), Some(6));
    assert!(server.requests()[0].head.starts_with("post /here "));
    let (spans, resource) = spans(&server);
    assert_eq!(attribute(&Json::Array(resource), "service.name"), "triage");
    let call = spans.iter().find(|it| it["name"] == "files.read_text").unwrap();
    assert_eq!(call["status"]["code"], 2, "{call}");
    assert!(call["status"]["message"].as_str().unwrap().contains("nowhere.txt"), "{call}");
    assert_eq!(attribute(&call["attributes"], "svc.outcome"), "failed");
    assert_eq!(call["events"].as_array().unwrap().len(), 1, "{call}");
    let run = spans.iter().find(|it| it["name"] == "run").unwrap();
    assert_eq!(run["status"]["code"], 2);
}

/// The run is unchanged, its end takes at most two seconds longer, and a single note reports it.
#[test]
fn a_dead_collector_costs_little() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    let hangs = Server::start(vec![Reply::new(200, "{}").slowly(Duration::from_secs(30))]);
    for endpoint in [silent.as_str(), &hangs.url, "no address at all"] {
        let started = Instant::now();
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ];
        let done = svc(r#""a" >> wait(duration: 1ms)"#, &["run", "a.svc"], &variables);
        assert_eq!((done.status.code(), out(&done).as_str()), (Some(0), "a\n"));
        assert!(started.elapsed() < Duration::from_secs(6), "{endpoint}");
        let report = err(&done);
        assert_eq!(report.lines().count(), 1, "{endpoint}: {report}");
        assert!(report.contains("traces"), "{report}");
    }
}
