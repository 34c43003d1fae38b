//! Who may do what: other hosts, other origins, and ops that no caller may reach.

use super::Server;

#[test]
fn only_this_machine_is_answered() {
    let server = Server::with(&[], &[]);
    let port = server.client.host().rsplit_once(':').unwrap().1.to_owned();
    let hosts = [
        "example.com".to_owned(),
        format!("example.com:{port}"),
        format!("localhost.example.com:{port}"),
        format!("127.0.0.1.nip.io:{port}"),
        "127.0.0.1".to_owned(),
        format!("10.0.0.1:{port}"),
        format!("127.0.0.1:{port}@example.com"),
        "[::ffff:8.8.8.8]:80".to_owned(),
    ];
    for host in &hosts {
        let answer = server.client.send("GET", "/components", &[("Host", host)], None);
        assert!(matches!(answer.status, 400 | 403), "{host}: {answer:?}");
    }
    let own = format!("localhost:{port}");
    assert_eq!(server.client.send("GET", "/components", &[("Host", &own)], None).status, 200);
    let twice = format!(
        "GET /components HTTP/1.1\r\nHost: {own}\r\nHost: example.com\r\nConnection: close\r\n\r\n"
    );
    assert!(matches!(server.client.raw(twice.as_bytes()).status, 400 | 403));

    for origin in [
        "https://example.com",
        "null",
        "http://localhost:1",
        "file://",
        "http://127.0.0.1.example.com",
    ] {
        let body = br#"{"op": "upper", "params": {"text": "a"}}"#;
        let headers = [("Origin", origin), ("Content-Type", "text/plain")];
        let answer = server.client.send("POST", "/invoke/text", &headers, Some(body));
        answer.fails(403, "denied");
    }
    let own = format!("http://127.0.0.1:{port}");
    assert_eq!(server.client.send("GET", "/components", &[("Origin", &own)], None).status, 200);
}

#[test]
fn pages_of_an_allowed_origin_may_call() {
    let server = Server::with(&[], &["--cors", "https://app.example.com"]);
    let origin = ("Origin", "https://app.example.com");
    let asked = server.client.send("OPTIONS", "/invoke/text", &[origin], None);
    assert_eq!(asked.status, 204);
    assert!(asked.head.contains("access-control-allow-methods: get, post, put"), "{asked:?}");
    let answer = server.client.send("GET", "/health", &[origin], None);
    assert!(
        answer.head.contains("access-control-allow-origin: https://app.example.com"),
        "{answer:?}"
    );
    let other = ("Origin", "https://other.example.com");
    assert_eq!(server.client.send("GET", "/health", &[other], None).status, 403);
    assert_eq!(server.client.send("OPTIONS", "/health", &[other], None).status, 403);
}

/// No way into an op leads past the wall: programs of this machine run only for scripts that the
/// operator serves.
#[test]
fn no_caller_runs_programs() {
    let scripts = [("run.svc", "\"echo\" >> exec(args: [\"hi\"]) >> .stdout")];
    let server = Server::with(&scripts, &[]);
    let marker = server.place.path().join("marker");
    let touch = marker.display().to_string();
    let op = format!(r#"{{"op": "infer", "params": {{"program": "touch", "args": ["{touch}"]}}}}"#);
    let scripts = [
        format!(r#""touch" >> exec(args: ["{touch}"])"#),
        format!(
            r#"flow f(x: string) -> string {{ x >> exec(args: ["{touch}"]) >> .stdout }}  ["touch"] >> each {{ it >> f }}"#
        ),
        format!(r#"if false {{ "touch" >> exec(args: ["{touch}"]) >> .stdout }} else {{ "a" }}"#),
        format!(r#"test "t" {{ expect true }}  "touch" >> exec_json(args: ["{touch}"])"#),
    ];
    let mut bodies = vec![
        ("/invoke/exec".to_owned(), op.clone()),
        (
            "/tools/invoke_component".to_owned(),
            format!(
                r#"{{"component": "exec", "params": {{"program": "touch", "args": ["{touch}"]}}}}"#
            ),
        ),
        (
            "/pipeline".to_owned(),
            format!(
                r#"{{"steps": [{{"component": "exec", "op": "infer", "params": {{"program": "touch", "args": ["{touch}"]}}}}]}}"#
            ),
        ),
        ("/tools/exec".to_owned(), op),
    ];
    for script in scripts {
        let body = serde_json::json!({ "script": script });
        bodies.push(("/tools/run_pipeline".to_owned(), body.to_string()));
    }
    for (path, body) in bodies {
        let answer = server.post(&path, &body);
        assert!((400..500).contains(&answer.status), "{path} {body}: {answer:?}");
        assert!(!marker.exists(), "{path} {body}");
    }
    // The operator's own script may.
    let answer = server.post("/scripts/run", "{}");
    assert_eq!(answer.ok()["result"].as_str().unwrap().trim(), "hi");
}

#[test]
fn a_policy_holds_for_every_call() {
    let server = Server::with(
        &[("save.svc", "\"x\" >> write_file(to: \"out.txt\")"), ("ok.svc", "1")],
        &["--allow", "reads"],
    );
    let list = server.get("/scripts").ok();
    assert_eq!(list["scripts"].as_array().unwrap().len(), 1, "{list}");
    assert!(list["unserved"].to_string().contains("E315"), "{list}");
    let body = r#"{"op": "write_file", "params": {"text": "x", "to": "out.txt"}}"#;
    let answer = server.post("/invoke/files", body);
    assert!((400..500).contains(&answer.status), "{answer:?}");
    assert!(!server.place.path().join("out.txt").exists());
}

#[test]
fn other_addresses_need_keys() {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    let done = command.args(["serve", "--bind", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(done.status.code(), Some(78));
    assert!(String::from_utf8_lossy(&done.stderr).contains("can be reached from other machines"));
}
