//! Runs that outlive their caller: events, cancel, resume, and the end of the server.

use std::{io::Read as _, io::Write as _, time::Duration};

use super::{Server, until};

/// Starts the slow script without waiting for it.
fn slow(server: &Server) -> String {
    let answer = server.client.send(
        "POST",
        "/scripts/slow",
        &[("Prefer", "respond-async")],
        Some(br#"{"time": "20s"}"#),
    );
    assert_eq!(answer.status, 202, "{answer:?}");
    answer.json()["run_id"].as_str().unwrap().to_owned()
}

fn state(server: &Server, run: &str) -> String {
    server.get(&format!("/runs/{run}")).ok()["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_goes_on_without_its_caller_and_can_be_cancelled_and_resumed() {
    let server = Server::start();
    let run = slow(&server);
    until(|| state(&server, &run) == "running");
    let none = server.post(&format!("/runs/{run}/resume"), "");
    none.fails(409, "conflict");
    assert_eq!(server.post(&format!("/runs/{run}/cancel"), "").status, 202);
    until(|| state(&server, &run) == "cancelled");
    server.post(&format!("/runs/{run}/cancel"), "").fails(409, "conflict");
    let listed = server.get("/runs?state=cancelled").ok();
    assert_eq!(listed["runs"][0]["run"], run.as_str());

    assert_eq!(server.post(&format!("/runs/{run}/resume"), "").status, 202);
    until(|| state(&server, &run) == "running");
    server.post(&format!("/runs/{run}/cancel"), "");
    until(|| state(&server, &run) == "cancelled");

    let page = server.get(&format!("/runs/{run}/page"));
    assert!(page.status == 200 && page.body.contains("<svg"), "{}", page.head);
    assert!(server.get(&format!("/runs/{run}/why")).ok()["calls"].is_array());
    server.get("/runs/01234567/page").fails(404, "not_found");
    server.post("/runs/nope/resume", "").fails(404, "not_found");
}

#[test]
fn a_call_that_waits_less_than_the_run_takes_gets_the_run() {
    let server = Server::start();
    let answer = server.post("/scripts/slow?wait=100ms", r#"{"time": "10s"}"#);
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(answer.json()["state"], "running");
}

#[test]
fn events_tell_what_happens_and_end_with_the_result() {
    let server = Server::start();
    let answer = server.client.send(
        "POST",
        "/scripts/slow",
        &[("Accept", "text/event-stream")],
        Some(br#"{"time": "100ms"}"#),
    );
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("content-type: text/event-stream"), "{answer:?}");
    let names: Vec<&str> =
        answer.body.lines().filter_map(|it| it.strip_prefix("event: ")).collect();
    assert_eq!(names.first(), Some(&"begun"), "{}", answer.body);
    assert_eq!(names.last(), Some(&"result"), "{}", answer.body);
    assert!(names.contains(&"call"), "{names:?}");
    assert!(answer.body.contains(r#""result":"slept""#), "{}", answer.body);
    let ids: Vec<u64> = answer
        .body
        .lines()
        .filter_map(|it| it.strip_prefix("id: "))
        .map(|it| it.parse().unwrap())
        .collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");

    let failed = server.client.send(
        "POST",
        "/scripts/slow?timeout=50ms",
        &[("Accept", "text/event-stream")],
        Some(b"{}"),
    );
    // What cannot be kept is refused before the stream begins, or ends it.
    assert!(failed.status >= 400 || failed.body.contains("event: error"), "{failed:?}");
}

#[test]
fn a_closed_stream_cancels_only_when_asked() {
    let server = Server::start();
    let open = |query: &str| {
        let mut stream = server.client.open();
        let head = format!(
            "POST /scripts/slow{query} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nContent-Length: 0\r\n\r\n",
            server.client.host()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        let mut piece = [0; 1024];
        while !text.contains("event: call") {
            let count = stream.read(&mut piece).unwrap();
            text += &String::from_utf8_lossy(&piece[..count]);
        }
        let at = text.find(r#""run":""#).unwrap() + 7;
        text[at..].split('"').next().unwrap().to_owned()
    };
    let (kept, dropped) = (open(""), open("?cancel_on_close=true"));
    until(|| state(&server, &dropped) == "cancelled");
    assert_eq!(state(&server, &kept), "running");
}

#[test]
fn a_run_survives_the_death_of_the_server() {
    let server = Server::start();
    let run = slow(&server);
    until(|| state(&server, &run) == "running");
    let server = Server::at(server.kill(), &[]);
    // It goes on by itself.
    until(|| state(&server, &run) == "running");
    server.post(&format!("/runs/{run}/resume"), "").fails(409, "conflict");
}

#[test]
fn a_signal_lets_runs_end() {
    let mut server = Server::start();
    let answer = server.client.send(
        "POST",
        "/scripts/slow",
        &[("Prefer", "respond-async")],
        Some(br#"{"time": "1s"}"#),
    );
    let run = answer.json()["run_id"].as_str().unwrap().to_owned();
    until(|| state(&server, &run) == "running");
    let pid = server.child.id().to_string();
    std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    let code = server.child.wait().unwrap();
    assert_eq!(code.code(), Some(0));
    let empty = tempfile::tempdir().unwrap();
    let place = std::mem::replace(&mut server.place, empty);
    let server = Server::at(place, &[]);
    assert_eq!(state(&server, &run), "ok");
    std::thread::sleep(Duration::from_millis(10));
}
