//! The spans and events for a program that embeds the engine and subscribes to `tracing`.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use serde_json::Value as Json;
use svc::Engine;
use svc_host_os::test::TestHost;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::lines;
use crate::components;

/// Everything that the subscriber gets, at every level, as lines of JSON.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Write for Heard {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Heard {
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let heard = self.clone();
        tracing::subscriber::set_default(
            tracing_subscriber::fmt()
                .json()
                .with_max_level(LevelFilter::TRACE)
                .with_span_events(FmtSpan::CLOSE)
                .with_writer(move || heard.clone())
                .finish(),
        )
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The fields of the spans with this name, at their ends.
    fn closed(&self, name: &str) -> Vec<Json> {
        let all = lines(&self.text());
        let closed = all.iter().filter(|it| it["fields"]["message"] == "close");
        closed.map(|it| it["span"].clone()).filter(|it| it["name"] == name).collect()
    }

    /// The events with this message.
    fn events(&self, message: &str) -> Vec<Json> {
        let all = lines(&self.text()).into_iter();
        all.filter(|it| it["fields"]["message"] == message).collect()
    }
}

fn engine(host: TestHost) -> Engine {
    svc::engine().with(components::ALL).with_host(Arc::new(host))
}

#[tokio::test(start_paused = true)]
async fn a_run_and_each_call_have_a_span() {
    let heard = Heard::default();
    let _listening = heard.listen();
    let script = r#"["a", "b"] >> each { upper >> paid(max_tokens: 10) >> lower }"#;
    let response = engine(TestHost::new()).run(script).await.unwrap();

    let runs = heard.closed("run");
    assert_eq!(runs.len(), 1, "{}", heard.text());
    assert_eq!(runs[0]["outcome"], "ok");
    assert_eq!(runs[0]["tokens"], response.usage.tokens);
    assert_eq!(runs[0]["cost"], response.usage.cost.dollars());
    assert!(runs[0].get("run").is_none(), "it is not kept");

    // Inline ops have no span.
    let mut nodes = heard.closed("node");
    nodes.sort_by_key(|it| it["node"].to_string());
    let paths: Vec<&str> = nodes.iter().filter_map(|it| it["node"].as_str()).collect();
    assert_eq!(paths, ["each[0]/paid", "each[1]/paid"]);
    assert_eq!(nodes[0]["op"], "testing.paid");
    assert_eq!((&nodes[0]["version"], &nodes[0]["attempts"]), (&1.into(), &1.into()));
    assert_eq!(nodes[0]["tokens"], response.usage.tokens / 2);
    assert_eq!(nodes[0]["outcome"], "ok");

    let ended = heard.events("the call ended");
    let around: Vec<&Json> = ended[0]["spans"].as_array().unwrap().iter().collect();
    assert_eq!((&around[0]["name"], &around[1]["name"]), (&"run".into(), &"node".into()));
}

#[tokio::test(start_paused = true)]
async fn attempts_and_failures_are_events() {
    let heard = Heard::default();
    let _listening = heard.listen();
    let script = r#"("a" >> limited(wait: 1s) within { max_retries: 2 }) fallback "b""#;
    let got = engine(TestHost::new()).run(script).await.unwrap();
    assert_eq!(got.value, "b".into());

    let again = heard.events("an attempt failed, retrying");
    assert_eq!(again.len(), 2, "{}", heard.text());
    assert_eq!((&again[0]["level"], &again[0]["fields"]["attempt"]), (&"WARN".into(), &1.into()));
    assert_eq!(again[0]["fields"]["kind"], "rate_limit");
    assert_eq!(again[0]["span"]["node"], "limited");
    let failed = heard.events("the call failed");
    assert_eq!(failed[0]["fields"]["error"], "too many requests");
    let node = &heard.closed("node")[0];
    assert_eq!((&node["outcome"], &node["attempts"]), (&"failed".into(), &3.into()));
    assert_eq!(heard.events("a failure was swallowed").len(), 1);
    assert_eq!(heard.closed("run")[0]["outcome"], "ok");
}

#[tokio::test]
async fn no_listener_hears_a_secret_or_a_value() {
    let heard = Heard::default();
    let _listening = heard.listen();
    let host = TestHost::new().env("SVC_SECRET_API_KEY", "hunter2");
    let script = r#"secret api_key  "canary" >> blab(key: api_key)"#;
    let failed = engine(host).run(script).await.map(|it| it.value);
    assert!(failed.is_err());
    let text = heard.text();
    assert!(text.contains("no answer from https://") && text.contains("asking https://"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    let script = r#""canary" >> quick"#;
    engine(TestHost::new()).run(script).await.unwrap();
    assert_eq!(heard.text().replace("canary:***", "").matches("canary").count(), 0);
}
