//! `/ws`: calls, events and cancels over one connection, and how it ends.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{
    self, Error, Message, WebSocket, client::IntoClientRequest as _, protocol::CloseFrame,
};

use super::{Server, until};
use crate::foreign;

type Opened = WebSocket<TcpStream>;

/// Opens a connection with these headers, or returns the status of the refusal.
fn opened(server: &Server, headers: &[(&'static str, &str)]) -> Result<Opened, u16> {
    let mut request = format!("ws://{}/ws", server.client.host()).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match tungstenite::client::client(request, server.client.open()) {
        Ok((socket, answer)) => {
            let offered = headers.iter().find(|(name, _)| *name == "sec-websocket-protocol");
            let chosen = answer.headers().get("sec-websocket-protocol");
            assert_eq!(chosen.map(|it| it.to_str().unwrap()), offered.map(|_| "svc"));
            Ok(socket)
        }
        Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
            Err(answer.status().as_u16())
        }
        Err(err) => panic!("{err}"),
    }
}

fn open(server: &Server) -> Opened {
    opened(server, &[]).unwrap()
}

fn send(socket: &mut Opened, message: &Value) {
    socket.send(Message::text(message.to_string())).unwrap();
}

/// The next text.
#[track_caller]
fn next(socket: &mut Opened) -> Value {
    loop {
        match socket.read().unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn ask(socket: &mut Opened, message: &Value) -> Value {
    send(socket, message);
    next(socket)
}

/// Reads until the server closes, and returns its code.
#[track_caller]
fn closed(socket: &mut Opened) -> u16 {
    loop {
        match socket.read() {
            Ok(Message::Close(Some(CloseFrame { code, .. }))) => return code.into(),
            Ok(Message::Close(None)) => panic!("no code"),
            Ok(_) => {}
            Err(err) => panic!("{err}"),
        }
    }
}

#[test]
fn messages_are_the_requests_of_routes() {
    let server = Server::start();
    let mut socket = open(&server);
    let call = json!({ "script": "word_count", "params": { "text": "a b" } });
    let answer = ask(&mut socket, &json!({ "id": 1, "call": call }));
    assert_eq!((&answer["id"], &answer["status"]), (&json!(1), &json!(200)));
    let same = server.post("/scripts/word_count", r#"{"text": "a b"}"#).ok();
    assert_eq!(answer["answer"]["result"], same["result"], "{answer}");
    assert!(answer["answer"]["run_id"].is_string(), "{answer}");
    let call = json!({ "component": "text", "op": "upper", "params": { "text": "a" } });
    let answer = ask(&mut socket, &json!({ "id": "x", "call": call }));
    assert_eq!(
        answer,
        json!({ "id": "x", "status": 200, "answer": { "ok": true, "result": "A" } })
    );
    let params = json!({ "query": "condense documents", "limit": 1 });
    let call = json!({ "tool": "nav_discover", "params": params });
    let answer = ask(&mut socket, &json!({ "id": 2, "call": call }));
    assert_eq!(answer["answer"]["result"][0]["name"], "ctx_summary", "{answer}");

    // What is made once is repeated here, too.
    let call = json!({ "script": "word_count", "params": { "text": "a" }, "once": "k" });
    let first = ask(&mut socket, &json!({ "id": 3, "call": call }));
    let second = ask(&mut socket, &json!({ "id": 4, "call": call }));
    assert_eq!(first["answer"], second["answer"]);
    assert_eq!((&first["repeated"], &second["repeated"]), (&Value::Null, &json!(true)));
    let text = server.get("/metrics").body;
    assert!(text.contains(r#"svc_calls_total{surface="websocket",status="200"}"#), "{text}");
}

#[test]
fn a_mistake_is_an_answer_and_the_connection_goes_on() {
    let server = Server::start();
    let mut socket = open(&server);
    for (message, status, id, why) in [
        ("nonsense", 400, Value::Null, "the message is not valid JSON"),
        ("[]", 422, Value::Null, "expected an object"),
        (r#"{"call": {}}"#, 422, Value::Null, "expected an `id`"),
        (r#"{"id": 1, "other": {}}"#, 422, json!(1), "unknown field `other`"),
        (r#"{"id": 1, "call": {"script": "slow", "times": 1}}"#, 422, json!(1), "call.times"),
        (r#"{"id": 1, "call": {"script": "slo"}}"#, 404, json!(1), "unknown script"),
        (r#"{"id": 1, "call": {"script": "word_count"}}"#, 422, json!(1), "`text: string`"),
        (r#"{"id": 1, "call": {"tool": "no_such_tool"}}"#, 404, json!(1), "unknown tool"),
        (r#"{"id": 1, "subscribe": {"run_id": "x"}}"#, 404, json!(1), "unknown run"),
        (r#"{"id": 1, "cancel": {"run_id": "x"}}"#, 404, json!(1), "unknown run"),
        (r#"{"id": 1, "cancel": {"id": 2}}"#, 404, json!(1), "not open"),
    ] {
        socket.send(Message::text(message)).unwrap();
        let answer = next(&mut socket);
        assert_eq!((&answer["status"], &answer["id"]), (&json!(status), &id), "{answer}");
        assert!(answer["answer"].to_string().contains(why), "{message}: {answer}");
        assert_eq!(answer["answer"]["ok"], false);
    }
    let call = json!({ "component": "text", "op": "upper", "params": { "text": "a" } });
    assert_eq!(ask(&mut socket, &json!({ "id": 1, "call": call }))["status"], 200);
}

#[test]
fn events_are_numbered_and_a_subscription_goes_on() {
    let server = Server::start();
    let mut socket = open(&server);
    let call = json!({ "script": "slow", "params": { "time": "1s" }, "events": true });
    send(&mut socket, &json!({ "id": 1, "call": call }));
    let mut events = Vec::new();
    while events.last().is_none_or(|it: &Value| it["event"] != "result") {
        events.push(next(&mut socket));
    }
    let numbers: Vec<i64> = events.iter().map(|it| it["number"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (1..=i64::try_from(events.len()).unwrap()).collect::<Vec<_>>());
    assert!(events.iter().all(|it| it["id"] == 1), "{events:?}");
    assert_eq!(events[0]["event"], "begun");
    assert_eq!(events.last().unwrap()["data"]["result"], "slept");
    let run = events[0]["data"]["run"].clone();
    // From the second event on, in another connection.
    let mut other = open(&server);
    let subscribe = json!({ "run_id": run, "last_event_id": 1 });
    send(&mut other, &json!({ "id": "s", "subscribe": subscribe }));
    for wanted in &events[1..] {
        let event = next(&mut other);
        assert_eq!((&event["number"], &event["data"]), (&wanted["number"], &wanted["data"]));
        assert_eq!(event["id"], "s");
    }
}

/// A reader that comes too late for events hears of a gap.
#[test]
fn lost_events_are_a_gap() {
    let many = "range(0, 1200) >> each { \"x\" >> wait(duration: 1ms) } >> len";
    let server = Server::with(&[("many.svc", many)], &[]);
    let mut socket = open(&server);
    let answer = ask(&mut socket, &json!({ "id": 1, "call": { "script": "many" } }));
    assert_eq!(answer["answer"]["result"], 1200, "{answer}");
    let subscribe = json!({ "run_id": answer["answer"]["run_id"] });
    let first = ask(&mut socket, &json!({ "id": 2, "subscribe": subscribe }));
    assert_eq!(first["event"], "gap", "{first}");
    let next_number = first["data"]["next"].as_i64().unwrap();
    assert!(next_number > 100, "{first}");
    assert_eq!(next(&mut socket)["number"], next_number);
}

#[test]
fn calls_overlap_and_are_cancelled() {
    let server = Server::start();
    let mut socket = open(&server);
    let slow = json!({ "script": "slow", "params": { "time": "20s" } });
    send(&mut socket, &json!({ "id": 1, "call": slow }));
    let quick = json!({ "component": "text", "op": "upper", "params": { "text": "a" } });
    assert_eq!(ask(&mut socket, &json!({ "id": 2, "call": quick }))["id"], 2, "it does not wait");
    let again = ask(&mut socket, &json!({ "id": 1, "call": quick }));
    assert_eq!((&again["status"], &again["id"]), (&json!(409), &json!(1)), "{again}");
    until(|| running(&server) == 1);
    let run = server.get("/runs").ok()["runs"][0]["run_id"].clone();
    send(&mut socket, &json!({ "id": 3, "cancel": { "run_id": run } }));
    let mut answers = [next(&mut socket), next(&mut socket)];
    answers.sort_by_key(|it| it["id"].as_i64());
    assert_eq!((&answers[0]["id"], &answers[0]["status"]), (&json!(1), &json!(499)));
    assert_eq!((&answers[1]["id"], &answers[1]["status"]), (&json!(3), &json!(202)));
    // What another message asked for is not wanted any more.
    let op =
        json!({ "component": "wait", "op": "infer", "params": { "value": 1, "duration": "20s" } });
    send(&mut socket, &json!({ "id": 4, "call": op }));
    let answer = ask(&mut socket, &json!({ "id": 5, "cancel": { "id": 4 } }));
    assert_eq!((&answer["id"], &answer["status"]), (&json!(5), &json!(200)), "{answer}");
    // At most so many at once.
    for id in 100..132 {
        send(&mut socket, &json!({ "id": id, "call": slow }));
    }
    let refused = ask(&mut socket, &json!({ "id": 200, "call": slow }));
    assert_eq!(
        (&refused["status"], &refused["retry_after"]),
        (&json!(503), &json!(1)),
        "{refused}"
    );
}

fn running(server: &Server) -> usize {
    let runs = server.get("/runs").ok()["runs"].clone();
    runs.as_array().unwrap().iter().filter(|it| it["state"] == "running").count()
}

/// As with events over HTTP: the run of a script goes on, unless its caller wants it to end.
#[test]
fn what_a_closed_connection_leaves() {
    let server = Server::start();
    let mut socket = open(&server);
    let slow = json!({ "script": "slow", "params": { "time": "3s" } });
    send(&mut socket, &json!({ "id": 1, "call": slow }));
    until(|| running(&server) == 1);
    drop(socket);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(running(&server), 1);
    until(|| server.get("/runs").ok()["runs"][0]["state"] == "ok");

    let mut socket = open(&server);
    let call = json!({ "script": "slow", "events": true, "cancel_on_close": true });
    send(&mut socket, &json!({ "id": 1, "call": call }));
    until(|| running(&server) == 1);
    socket.close(None).unwrap();
    while socket.read().is_ok() {}
    until(|| running(&server) == 0);
    assert_eq!(server.get("/runs").ok()["runs"][0]["state"], "cancelled");
}

#[test]
fn frames_that_are_not_messages_close_with_a_code() {
    let server = Server::start();
    let mut socket = open(&server);
    socket.send(Message::binary(vec![1, 2, 3])).unwrap();
    assert_eq!(closed(&mut socket), 1003);
    let mut socket = open(&server);
    // The server may close before it has read everything.
    let _ = socket.send(Message::text("x".repeat((1 << 20) + 1)));
    assert_eq!(closed(&mut socket), 1009);
    for (bytes, code) in [
        // Not masked.
        (vec![0x81, 0x02, b'h', b'i'], 1002),
        // An unknown kind of frame.
        (vec![0x83, 0x80, 0, 0, 0, 0], 1002),
        // A reserved bit.
        (vec![0xc1, 0x80, 0, 0, 0, 0], 1002),
        // Not UTF-8.
        (vec![0x81, 0x81, 0, 0, 0, 0, 0xff], 1007),
        // A continuation of nothing.
        (vec![0x80, 0x80, 0, 0, 0, 0], 1002),
        // 2 GiB, says its head.
        (vec![0x81, 0xff, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0], 1009),
    ] {
        let mut socket = open(&server);
        socket.get_mut().write_all(&bytes).unwrap();
        assert_eq!(closed(&mut socket), code, "{bytes:?}");
    }
    // Half of a frame, and then nothing: others are still answered.
    let mut half = open(&server);
    half.get_mut().write_all(&[0x81, 0xfe]).unwrap();
    assert_eq!(server.get("/health").status, 200);
    drop(half);
    // A text of the largest size is read.
    let mut socket = open(&server);
    let text = "y".repeat((1 << 20) - 200);
    let call = json!({ "component": "text", "op": "len", "params": { "text": text } });
    assert!(ask(&mut socket, &json!({ "id": 1, "call": call }))["status"].is_i64());
}

#[test]
fn only_who_is_let_in_opens_a_connection() {
    let server = Server::with(&super::SCRIPTS, &["--data", ".service"]);
    assert_eq!(opened(&server, &[("origin", "https://evil.example")]).err(), Some(403));
    assert_eq!(opened(&server, &[("host", "evil.example")]).err(), Some(403));
    let own = format!("http://{}", server.client.host());
    assert!(opened(&server, &[("origin", &own)]).is_ok());
    server.get("/ws").fails(400, "malformed");
    server.post("/ws", "{}").fails(400, "malformed");

    let mut early = open(&server);
    let ann = server.issue("ann", "builder");
    assert_eq!(opened(&server, &[]).err(), Some(401));
    assert_eq!(opened(&server, &[("authorization", "Bearer wrong")]).err(), Some(401));
    let query = format!("/ws?key={ann}");
    let headers = [
        ("Upgrade", "websocket"),
        ("Connection", "upgrade"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_eq!(server.client.send("GET", &query, &headers, None).status, 401);
    // A connection that was open before keys were needed is closed at its next message.
    let call = json!({ "component": "text", "op": "upper", "params": { "text": "a" } });
    assert_eq!(ask(&mut early, &json!({ "id": 1, "call": call }))["status"], 401);
    assert_eq!(closed(&mut early), 1008);

    let bearer = format!("Bearer {ann}");
    let mut socket = opened(&server, &[("authorization", &bearer)]).unwrap();
    assert_eq!(ask(&mut socket, &json!({ "id": 1, "call": call }))["status"], 200);
    let offered = format!("svc, bearer.{ann}");
    let mut browser = opened(&server, &[("sec-websocket-protocol", &offered)]).unwrap();
    assert_eq!(ask(&mut browser, &json!({ "id": 1, "call": call }))["status"], 200);
    let log = || super::keys::svc(server.place.path(), &["audit", "--json"]).1;
    until(|| log().contains(r#""websocket""#));
    // A revoked key is not accepted any more, in an open connection either.
    let (code, _) =
        super::keys::svc(server.place.path(), &["keys", "revoke", super::keys::id(&ann)]);
    assert_eq!(code, Some(0));
    let begun = Instant::now();
    while ask(&mut socket, &json!({ "id": 1, "call": call }))["status"] != 401 {
        assert!(begun.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(closed(&mut socket), 1008);
}

#[test]
fn rates_and_roles_hold_for_each_message() {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in super::SCRIPTS {
        super::write(place.path(), name, text);
    }
    let policy = "version = 1\n[roles.free]\ntier = \"free\"\ntools = [\"word_count\"]\nper_minute = 6\nburst = 6\n";
    super::write(place.path(), ".service/access.toml", policy);
    let server = Server::at(place, &["--data", ".service"]);
    let key = format!("Bearer {}", server.issue("bob", "free"));
    let mut socket = opened(&server, &[("authorization", &key)]).unwrap();
    let denied = ask(&mut socket, &json!({ "id": 1, "call": { "script": "slow" } }));
    assert_eq!(denied["status"], 403, "{denied}");
    let call = json!({ "script": "word_count", "params": { "text": "a" } });
    let statuses: Vec<Value> = (0..8)
        .map(|id| ask(&mut socket, &json!({ "id": id, "call": call }))["status"].clone())
        .collect();
    assert_eq!(statuses[0], 200);
    assert_eq!(statuses[7], 429, "{statuses:?}");
}

/// A reader that reads nothing is closed, holds no one up, and memory stays bounded.
#[test]
fn a_reader_that_reads_nothing_is_closed() {
    let server = Server::with(&[], &[]);
    let mut socket = open(&server);
    let params = json!({ "text": "x".repeat(500_000) });
    let call = json!({ "component": "text", "op": "upper", "params": params });
    socket.get_mut().set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut sent = 0;
    for id in 0..2000 {
        let message = json!({ "id": id, "call": call }).to_string();
        if socket.send(Message::text(message)).is_err() {
            break;
        }
        sent += 1;
    }
    assert!(sent < 500, "the server reads no more than it can answer: {sent}");
    assert_eq!(server.get("/health").status, 200);
    // After 20 s without progress, the connection ends.
    let begun = Instant::now();
    std::thread::sleep(Duration::from_secs(22));
    socket.get_mut().set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut part = vec![0; 1 << 20];
    let end = loop {
        match socket.get_mut().read(&mut part) {
            Ok(0) => break "closed",
            Ok(_) => {}
            Err(err) if err.kind() == std::io::ErrorKind::ConnectionReset => break "closed",
            Err(err) => panic!("{err}"),
        }
        assert!(begun.elapsed() < Duration::from_secs(50));
    };
    assert_eq!(end, "closed");
}

#[test]
fn the_python_client_works() {
    let clients = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let python = match foreign::python(&clients.join("requirements.txt")) {
        Ok(python) => python,
        Err(why) => return foreign::skipped("the_python_client_works", &why),
    };
    let server = Server::with(&super::SCRIPTS, &["--data", ".service"]);
    let key = server.issue("ann", "builder");
    let mut client = std::process::Command::new(python);
    client.arg(clients.join("websocket_client.py")).args([server.client.host(), key]);
    let printed = foreign::answer(&mut client, "");
    assert_eq!(printed.lines().filter(|it| it.starts_with("ok: ")).count(), 6, "{printed}");
}

#[cfg(target_os = "linux")]
#[test]
fn many_idle_connections_take_little() {
    let server = Server::start();
    let memory = || {
        let text = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
        let line = text.lines().find_map(|it| it.strip_prefix("VmRSS:")).unwrap().to_owned();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    drop(open(&server));
    let before = memory();
    let many: Vec<Opened> = (0..200).map(|_| open(&server)).collect();
    let each = memory().saturating_sub(before) / 200;
    assert!(each < 60, "{each} KiB for each connection");
    drop(many);
}

#[cfg(unix)]
#[test]
fn a_server_that_stops_says_so() {
    use rustix::process::{Pid, Signal, kill_process};

    let mut server = Server::start();
    let mut socket = open(&server);
    kill_process(Pid::from_child(&server.child), Signal::TERM).unwrap();
    assert_eq!(closed(&mut socket), 1001);
    let ended = server.child.wait().unwrap();
    assert!(ended.success());
}
