//! Secrets: they come from the host, and never appear in the output of a run.

use std::sync::{Arc, Mutex};

use svc::{Engine, Error};
use svc_engine::run::{Event, Observer};
use svc_host_os::test::TestHost;
use svc_lang::diag::Style;

use crate::components;

const SCRIPT: &str = r#"secret api_key  "ada" >> login(key: api_key)"#;

fn engine(host: TestHost) -> Engine {
    svc::engine().with(components::ALL).with_host(Arc::new(host))
}

#[tokio::test]
async fn a_secret_comes_from_the_environment_or_a_file() {
    let report = engine(TestHost::new().env("SVC_SECRET_API_KEY", "12345"));
    assert_eq!(report.run(SCRIPT).await.unwrap().value, "ada is in with 5 characters".into());
    let host = TestHost::new().env("SVC_SECRET_API_KEY_FILE", "/home/key").file("key", "1234567\n");
    let read = engine(host);
    assert_eq!(read.run(SCRIPT).await.unwrap().value, "ada is in with 7 characters".into());
    let missing = engine(TestHost::new().env("SVC_SECRET_API_KEY_FILE", "/home/nowhere"));
    let err = missing.run(SCRIPT).await.unwrap_err().to_string();
    assert!(err.contains("cannot read the secret `api_key`"), "{err}");
}

#[tokio::test]
async fn a_caller_does_not_give_secrets() {
    let engine = engine(TestHost::new().env("SVC_SECRET_API_KEY", "12345"));
    let err = engine.run(SCRIPT).param("api_key", "mine").await.unwrap_err();
    assert!(matches!(err, Error::Input { .. }));
    let text = err.render(Style::Plain);
    assert!(text.contains("`api_key` is a secret: it comes from the host"), "{text}");
    assert!(text.contains("SVC_SECRET_API_KEY_FILE"), "{text}");
    // The first input from a caller is not the secret.
    let err = engine.run(SCRIPT).input_text("x").await.unwrap_err().to_string();
    assert!(!err.contains("secret"), "{err}");
}

/// Everything that a run reports to its observers.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Observer for Heard {
    fn event(&self, path: &str, event: &Event<'_>) {
        self.0.lock().unwrap().push(format!("{path} {event:?}"));
    }
}

#[tokio::test]
async fn a_run_does_not_tell_a_secret() {
    let heard = Arc::new(Heard::default());
    let host = TestHost::new().env("SVC_SECRET_API_KEY", "hunter2");
    let engine = engine(host).with_observer(heard.clone());
    let script = r#"secret api_key  "ada" >> blab(key: api_key) fallback error.message"#;
    let value = engine.run(script).await.unwrap().value;
    assert_eq!(value, "no answer from https://ada:***@example.com".into());
    let heard = heard.0.lock().unwrap().join("\n");
    assert!(heard.contains("asking https://ada:***@"), "{heard}");
    assert!(!heard.contains("hunter2"), "{heard}");
}
