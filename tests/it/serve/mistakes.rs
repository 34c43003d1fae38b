//! Requests that are wrong: each has the place, the cause, and a status below 500.

use std::io::{Read as _, Write as _};

use super::Server;

#[test]
fn bodies_that_cannot_be_read_say_why() {
    let server = Server::with(&[], &[]);
    let send = |body: &[u8], kind: &str| {
        server.client.send("POST", "/invoke/text", &[("Content-Type", kind)], Some(body))
    };
    let json = "application/json";
    let wrong = send(b"{", json).fails(400, "malformed");
    assert!(wrong.contains("line 1 column 1"), "{wrong}");
    let wrong = send(b"{\"op\": \"\xff\"}", json).fails(400, "malformed");
    assert!(wrong.contains("offset 8"), "{wrong}");
    let wrong =
        send(b"op=upper", "application/x-www-form-urlencoded").fails(415, "unsupported_format");
    assert!(wrong.contains("application/json"), "{wrong}");
    let deep = format!("{{\"op\": {}{}}}", "[".repeat(100), "]".repeat(100));
    assert!(send(deep.as_bytes(), json).fails(400, "malformed").contains("limit 64"));
    let wrong = send(br#"{"op": "upper", "op": "lower"}"#, json).fails(422, "invalid_input");
    assert!(wrong.contains("duplicate key `op`"), "{wrong}");
    let wrong = send(br#"{"op": "upper", "parms": {}}"#, json).fails(422, "invalid_input");
    assert!(wrong.contains("did you mean `params`?"), "{wrong}");
    let wrong = send(br#"{"params": {"text": "a"}}"#, json).fails(422, "invalid_input");
    assert!(wrong.contains("missing field `op`"), "{wrong}");
    let wrong = send(br#"{"op": 3}"#, json).fails(422, "invalid_input");
    assert!(wrong.contains("expected string for `op`"), "{wrong}");
    let wrong = send(b"[1]", json).fails(422, "invalid_input");
    assert!(wrong.contains("expected an object"), "{wrong}");
    send(b"", json).fails(422, "invalid_input");
    let wrong = send(br#"{"op": "upper", "params": 0}"#, json).fails(422, "invalid_input");
    assert!(wrong.contains(r#""field":"params""#), "{wrong}");
    for (path, body) in [
        ("/guide/plan", r#"{"goal": ""}"#),
        ("/pipeline", r#"{"steps": []}"#),
        ("/workflow/compose", r#"{"goal": ""}"#),
    ] {
        let wrong = server.post(path, body).fails(422, "invalid_input");
        assert!(wrong.contains("found none"), "{wrong}");
    }
    let large = format!("{{\"op\": \"{}\"}}", "x".repeat(1 << 20));
    send(large.as_bytes(), json).fails(413, "too_large");
}

#[test]
fn each_wrong_param_of_an_op_is_a_detail() {
    let server = Server::with(&[], &[]);
    for (path, body, field) in [
        ("/invoke/text", r#"{"op": "upper", "params": {}}"#, "params.text"),
        ("/invoke/text", r#"{"op": "upper", "params": {"text": 1}}"#, "params.text"),
        ("/invoke/text", r#"{"op": "upper", "params": {"text": "a", "txt": 1}}"#, "params.txt"),
        ("/clusters/context-retrieval/ctx_summary", r#"{"op": "infer", "params": {}}"#, "params."),
        ("/tools/bias_list_history", r#"{"target_component": "ctx_nlp", "limit": 0}"#, "limit"),
        ("/tools/guide_ask", r#"{"query": "a", "top_k": 99}"#, "top_k"),
        ("/api/v1/bias/ground-check", r#"{"target_component": "ctx_summary"}"#, "bias_candidate"),
        ("/api/v1/bias/observe", r#"{"workflow_trce": {}}"#, "workflow_trce"),
    ] {
        let answer = server.post(path, body);
        answer.fails(422, "invalid_input");
        let details = answer.json()["details"].clone();
        let first = details[0]["field"].as_str().unwrap_or_default();
        assert!(first.starts_with(field), "{path} {body}: {answer:?}");
        assert!(!details[0]["message"].as_str().unwrap().is_empty(), "{answer:?}");
    }
}

/// A server that closed at once would break the connection, and the answer would be lost.
#[test]
fn who_sends_far_too_much_gets_the_answer() {
    let server = Server::with(&[], &[]);
    let head = format!(
        "POST /invoke/text HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n",
        server.client.host()
    );
    let answered = |head: &str, body: &[&[u8]]| {
        let mut stream = server.client.open();
        stream.write_all(head.as_bytes()).unwrap();
        for it in body {
            stream.write_all(it).unwrap();
        }
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let part = vec![b'x'; 1 << 20];
    let declared = format!("{head}Content-Length: {}\r\n\r\n", 64 << 20);
    let answer = answered(&declared, &[&part[..]; 64]);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    let chunk = [b"100000\r\n", &part[..], b"\r\n"].concat();
    let answer = answered(&chunked, &[&[&chunk[..]; 64][..], &[b"0\r\n\r\n"]].concat());
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    // Who asks first is answered before it sends.
    let asking = declared.replace("Content-Length", "Expect: 100-continue\r\nContent-Length");
    let answer = answered(&asking, &[]);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[test]
fn unknown_names_and_wrong_params_are_found_before_anything_runs() {
    let server = Server::with(&[], &[]);
    let post = |path: &str, body: &str| server.post(path, body);
    let wrong = post("/invoke/txet", r#"{"op": "upper"}"#).fails(404, "not_found");
    assert!(wrong.contains("did you mean `text`?"), "{wrong}");
    let wrong = post("/invoke/text", r#"{"op": "uper"}"#).fails(404, "not_found");
    assert!(wrong.contains("did you mean `upper`?"), "{wrong}");
    let wrong = post("/invoke/text", r#"{"op": "upper", "params": {"txt": "a"}}"#);
    assert!(wrong.fails(422, "invalid_input").contains("did you mean `text`?"), "{wrong:?}");
    let wrong = post("/invoke/text", r#"{"op": "upper", "params": {"text": 5}}"#);
    assert!(wrong.fails(422, "invalid_input").contains("expected string"), "{wrong:?}");
    post("/invoke/text", r#"{"op": "parse_int", "params": {"text": "x"}}"#)
        .fails(422, "invalid_input");
    post("/invoke/read_text", r#"{"op": "infer", "params": {"path": "none.txt"}}"#)
        .fails(404, "not_found");
    post("/invoke/llm_router", r#"{"op": "infer", "params": {"prompt": "hi"}}"#)
        .fails(422, "unsupported");
}

#[test]
fn paths_methods_and_queries_that_do_not_fit() {
    let server = Server::with(&[], &[]);
    server.get("/no/such").fails(404, "not_found");
    server.get("//health").fails(404, "not_found");
    server.get("/health/").fails(404, "not_found");
    let wrong = server.client.send("DELETE", "/health", &[], None);
    assert!(wrong.fails(405, "method_not_allowed").contains("GET"), "{wrong:?}");
    assert!(wrong.head.contains("allow: get"), "{wrong:?}");
    server.get("/nav/discover").fails(422, "invalid_input");
    let wrong = server.get("/nav/discover?query=a&limit=0").fails(422, "invalid_input");
    assert!(wrong.contains("limit"), "{wrong}");
    server.get("/nav/discover?query=a&limit=many").fails(422, "invalid_input");
    server.get("/nav/discover?query=a&query=b").fails(422, "invalid_input");
    let wrong = server.get("/nav/discover?query=a&limt=1").fails(422, "invalid_input");
    assert!(wrong.contains("did you mean `limit`?"), "{wrong}");
    server.get("/runs/%ff").fails(404, "not_found");
    server.get("/runs/last").fails(404, "not_found");
    server.get("/runs/..%2f..%2fetc").fails(404, "not_found");
}

#[test]
fn a_request_has_an_id_that_errors_repeat() {
    let server = Server::with(&[], &[]);
    let answer = server.client.send("GET", "/nope", &[("X-Request-Id", "abc-1")], None);
    assert!(answer.head.contains("x-request-id: abc-1"), "{answer:?}");
    assert_eq!(answer.json()["request_id"], "abc-1");
    let odd = "x".repeat(65);
    let answer = server.client.send("GET", "/nope", &[("X-Request-Id", &odd)], None);
    assert!(!answer.head.contains(&odd), "{answer:?}");
}

#[test]
fn broken_requests_end_their_connection_only() {
    let server = Server::with(&[], &[]);
    for bytes in [
        &b"\0\0\0\0"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"",
        b"POST /pipeline HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    ] {
        let answer = server.client.raw(bytes);
        assert!(answer.status < 500, "{answer:?}");
    }
    // A body that never comes does not hold up others.
    let mut half = server.client.open();
    let head = format!(
        "POST /invoke/text HTTP/1.1\r\nHost: {}\r\nContent-Length: 50\r\n\r\n{{",
        server.client.host()
    );
    half.write_all(head.as_bytes()).unwrap();
    assert_eq!(server.get("/health").status, 200);
}
