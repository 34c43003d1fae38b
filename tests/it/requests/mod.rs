//! Requests to HTTP APIs: real ones, to a server of the test.

mod paged;

use std::sync::Arc;

use svc::{Engine, Error, Policy};
use svc_contract::{registry::ErrorKind, value::json};
use svc_host_os::OsHost;

use crate::models::server::{Reply, Server};

fn policy(allow: &[String]) -> Policy {
    allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule)).unwrap()
}

/// The server without its scheme.
fn place(server: &Server) -> String {
    server.url.trim_start_matches("http://").to_owned()
}

/// An engine that may read and write the server.
fn engine(server: &Server) -> Engine {
    let place = place(server);
    bare().with_policy(policy(&[format!("reads web:{place}"), format!("writes web:{place}")]))
}

fn bare() -> Engine {
    svc::engine().with_host(Arc::new(OsHost::default()))
}

/// The result of a script in which `$URL` stands for the server.
async fn value(server: &Server, script: &str) -> String {
    let script = script.replace("$URL", &server.url);
    match engine(server).run(script.as_str()).await {
        Ok(done) => json::write(&done.value),
        Err(err) => panic!("{script}: {err}"),
    }
}

async fn failure(engine: &Engine, script: &str) -> (ErrorKind, String) {
    match engine.run(script).await {
        Err(Error::Run { error, .. }) => (error.kind(), error.to_string()),
        Err(other) => panic!("{script}: {other}"),
        Ok(done) => panic!("{script} gives {}", done.value),
    }
}

fn echo() -> Server {
    Server::answering(|_| {
        Reply::new(200, r#"{"ok": true}"#).header("content-type: application/json; charset=utf-8")
    })
}

#[tokio::test]
async fn a_request_sends_what_it_is_given() {
    let server = echo();
    let answer = value(
        &server,
        r#"request<{ status: int, body: { ok: bool } }>(
            url: "$URL/a?x=1", method: "PATCH", query: { q: "a b", n: [1, 2] },
            headers: { x_own: "yes" }, json: { name: "Ada" },
        )"#,
    )
    .await;
    assert_eq!(answer, r#"{"status":200,"body":{"ok":true}}"#);
    let request = &server.requests()[0];
    let head = &request.head;
    assert!(head.starts_with("patch /a?x=1&q=a%20b&n=1&n=2 http/1.1\r\n"), "{head}");
    assert!(head.contains("x-own: yes\r\n"), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    assert_eq!(request.text, r#"{"name":"Ada"}"#);
}

#[tokio::test]
async fn forms_texts_and_posts_have_their_media_types() {
    for (script, media_type, text) in [
        (
            r#"request(url: "$URL/", method: "POST", form: { a: "x&y", b: 2 })"#,
            "application/x-www-form-urlencoded",
            "a=x%26y&b=2",
        ),
        (r#"request(url: "$URL/", method: "PUT", text: "ä")"#, "text/plain; charset=utf-8", "ä"),
        (r#"[1, 2] >> http_post(url: "$URL/") >> .status"#, "application/json", "[1,2]"),
    ] {
        let server = echo();
        value(&server, script).await;
        let request = &server.requests()[0];
        assert!(
            request.head.contains(&format!("content-type: {media_type}\r\n")),
            "{}",
            request.head
        );
        assert_eq!(request.text, text);
    }
    let (kind, message) = failure(
        &bare(),
        r#"request(url: "http://a.example/", method: "POST", json: 1, text: "b")"#,
    )
    .await;
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert!(message.contains("more than one of `json`, `form` and `text`"), "{message}");
}

#[tokio::test]
async fn status_and_headers_are_in_the_result() {
    let server = Server::answering(|_| {
        Reply::new(404, "gone").header("x-a: 1").header("x-a: 2").header("content-type: text/plain")
    });
    let answer = value(&server, r#"http_get(url: "$URL/b", check: false) >> { s: .status, u: .url, t: .text, h: .headers as { x_a: string } }"#).await;
    let wanted = format!(r#"{{"s":404,"u":"{}/b","t":"gone","h":{{"x_a":"1, 2"}}}}"#, server.url);
    assert_eq!(answer, wanted);
}

#[tokio::test]
async fn a_status_decides_the_kind_of_the_error() {
    for (status, kind) in [
        (404, ErrorKind::NotFound),
        (401, ErrorKind::Denied),
        (429, ErrorKind::RateLimit),
        (503, ErrorKind::Unavailable),
        (422, ErrorKind::InvalidInput),
        (302, ErrorKind::Failed),
    ] {
        let server = Server::answering(move |_| Reply::new(status, "the  reason\n"));
        let script =
            format!(r#"request(url: "{}/", method: "POST") within {{ timeout: 20s }}"#, server.url);
        let (found, message) = failure(&engine(&server), &script).await;
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(&format!("status {status}: the reason")), "{message}");
    }
}

#[tokio::test]
async fn only_what_may_be_repeated_is_retried() {
    for (method, more, requests) in [
        ("GET", "", 2),
        ("HEAD", "", 2),
        ("PUT", "", 2),
        ("DELETE", "", 2),
        ("POST", "", 1),
        ("PATCH", "", 1),
        ("POST", ", idempotent: true", 2),
    ] {
        let server =
            Server::start(vec![Reply::new(503, "").header("retry-after: 0"), Reply::new(200, "")]);
        let script = format!(r#"request(url: "{}/", method: "{method}"{more})"#, server.url);
        let done = engine(&server).run(script.as_str()).await;
        assert_eq!(server.requests().len(), requests, "{method}{more}");
        assert_eq!(done.is_ok(), requests == 2, "{method}{more}");
    }
    let refused =
        bare().check(r#"1 >> http_post(url: "https://a.example") within { max_retries: 1 }"#);
    assert!(refused.unwrap_err().to_string().contains("must not be retried"));
}

#[test]
fn a_plan_says_whether_a_request_writes() {
    let effects = |script: &str| {
        let plan = bare().plan(script).unwrap();
        plan.effects().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let of = |method: &str| {
        effects(&format!(r#"request(url: "https://a.example/b", method: "{method}")"#))
    };
    assert_eq!(of("GET"), ["reads web:a.example"]);
    assert_eq!(of("DELETE"), ["writes web:a.example"]);
    assert_eq!(effects(r#"request(url: "https://a.example")"#), ["reads web:a.example"]);
    let unknown =
        "param method: \"GET\" | \"POST\"\nrequest(url: \"https://a.example\", method: method)";
    assert_eq!(effects(unknown), ["reads web:a.example", "writes web:a.example"]);
    assert_eq!(effects(r#"1 >> http_post(url: "https://a.example")"#), ["writes web:a.example"]);
    assert_eq!(effects("param u: string\nhttp_get(url: u)"), ["reads web"]);
}

/// A host that is known only during the run is checked then, by the rules for its verb.
#[tokio::test]
async fn rules_for_writing_hold_during_the_run() {
    let server = echo();
    let place = place(&server);
    let post =
        format!(r#"param u: string = "{}/"{}1 >> http_post(url: u) >> .status"#, server.url, '\n');
    let get = format!(r#"param u: string = "{}/"{}http_get(url: u) >> .status"#, server.url, '\n');
    let reads = bare()
        .with_policy(policy(&[format!("reads web:{place}"), "writes web:b.example".to_owned()]));
    assert!(reads.run(get.as_str()).await.is_ok());
    let refused = reads.run(post.as_str()).await.unwrap_err().to_string();
    assert!(refused.contains("does not allow"), "{refused}");
    let writes = bare()
        .with_policy(policy(&[format!("writes web:{place}"), "reads web:b.example".to_owned()]));
    assert!(writes.run(post.as_str()).await.is_ok());
    let refused = writes.run(get.as_str()).await.unwrap_err().to_string();
    assert!(refused.contains("does not allow"), "{refused}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn closed_addresses_are_refused_for_every_method() {
    let server = echo();
    for url in [
        server.url.as_str(),
        "http://169.254.169.254/latest/meta-data",
        "http://localhost:1/",
        "http://10.0.0.1/",
        "http://[::1]:1/",
    ] {
        for call in [
            "http_get(url: \"U\")",
            "request(url: \"U\", method: \"DELETE\")",
            "1 >> http_post(url: \"U\")",
            "http_pages(url: \"U\")",
        ] {
            let (kind, message) = failure(&bare(), &call.replace('U', url)).await;
            assert_eq!(kind, ErrorKind::Denied, "{call} {url}: {message}");
        }
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_secret_goes_to_its_host_and_nowhere_else() {
    let other = echo();
    let target = format!("location: {}/there", other.url);
    let server = Server::answering(move |_| Reply::new(302, "").header(&target));
    let rules = [&server, &other].map(|it| format!("reads web:{}", place(it)));
    let host = svc_host_os::test::TestHost::new().env("SVC_SECRET_TOKEN", "s3cret");
    let network = Arc::new(OsHost::default());
    let host =
        host.answering(move |request| svc_contract::host::Host::http(network.as_ref(), request));
    let engine = svc::engine().with_host(Arc::new(host)).with_policy(policy(&rules));
    let script = format!(
        r#"secret token
http_get(url: "{}/", auth: token, headers: {{ x_own: "1" }}) >> .status"#,
        server.url
    );
    assert_eq!(engine.run(script.as_str()).await.unwrap().value, 200.into());
    let (first, second) = (&server.requests()[0].head, &other.requests()[0].head);
    assert!(
        first.contains("authorization: bearer s3cret\r\n") && first.contains("x-own"),
        "{first}"
    );
    assert!(!second.contains("s3cret") && !second.contains("x-own"), "{second}");
    let plain = "secret token\nhttp_get(url: \"http://a.example/\", auth: token)";
    let (kind, message) = failure(
        &svc::engine().with_host(Arc::new(
            svc_host_os::test::TestHost::new().env("SVC_SECRET_TOKEN", "s3cret"),
        )),
        plain,
    )
    .await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(message.contains("not encrypted") && !message.contains("s3cret"), "{message}");
}

#[tokio::test]
async fn bad_answers_are_errors() {
    for (reply, kind, why) in [
        (Reply::new(200, &"x".repeat(2_000)), ErrorKind::InvalidInput, "larger than 1KiB"),
        (
            Reply::new(200, "{").header("content-type: application/json"),
            ErrorKind::InvalidOutput,
            "invalid JSON",
        ),
        (
            Reply::new(200, "x").header("content-encoding: br"),
            ErrorKind::Unsupported,
            "content encoding `br`",
        ),
        (Reply::nothing(), ErrorKind::Unavailable, "cannot GET"),
        (Reply::new(200, "abc").cut(), ErrorKind::Unavailable, "cannot GET"),
        (
            Reply::new(302, "").header("location: file:///etc/passwd"),
            ErrorKind::InvalidInput,
            "file:",
        ),
    ] {
        let server = Server::start(vec![reply]);
        let script = format!(
            r#"request(url: "{}/", max_size: 1KiB) within {{ max_retries: 0 }}"#,
            server.url
        );
        let (found, message) = failure(&engine(&server), &script).await;
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(why), "{message}");
    }
}

/// What a server answers comes from outside: a wrong body is an output, as the page of the op says.
#[tokio::test]
async fn an_answer_of_another_type_is_an_invalid_output() {
    let server = Server::answering(|_| Reply::new(200, r#"{"ok": true, "rows": ["a"]}"#));
    for script in [
        r#"request<{ body: { ok: int } }>(url: "$URL/")"#,
        r#"http_pages<[int]>(url: "$URL/", items: "rows", max_pages: 1)"#,
    ] {
        let (kind, message) = failure(&engine(&server), &script.replace("$URL", &server.url)).await;
        assert_eq!(kind, ErrorKind::InvalidOutput, "{message}");
    }
    let (kind, _) = failure(&bare(), r#"parse_json<int>("[1]")"#).await;
    assert_eq!(kind, ErrorKind::InvalidInput);
}
