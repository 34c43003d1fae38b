//! What a call sends, and what becomes of the answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{json, pets, place, result, run};
use crate::models::server::{Reply, Server};

#[test]
fn params_go_where_the_document_says() {
    let script = r#"pets.list_pets(
  limit: 5,
  tags: ["a b", "c"],
  sort: ["name", "id"],
  filter: { age: 3 },
  x_trace: "t1",
) >> each { .name }"#;
    let server = pets();
    let place = place(&server.url, &[("a.svc", script)]);
    let done = run(&place, &server, &["run", "a.svc", "--json"]);
    assert_eq!(result(&done), r#"["Ada","Bo"]"#);
    let head = &server.requests()[0].head;
    let wanted =
        "get /v1/pets?limit=5&tags=a%20b&tags=c&sort=name%2cid&filter%5bage%5d=3 http/1.1\r\n";
    assert!(head.starts_with(wanted), "{head}");
    assert!(head.contains("x-trace: t1\r\n"), "{head}");
}

#[test]
fn bodies_have_what_is_given_and_nothing_else() {
    let script = r#"secret key
let pet = pets.add_pet(
  name: "Ada",
  kind: "cat",
  owner: { name: "Eve", phone: null, email: null },
  api_key: key,
)
let note = pets.notes_add("a/b", text: "x y", labels: ["1", "2"])
{ id: pet.id, note: note }"#;
    let server = pets();
    let place = place(&server.url, &[("a.svc", script)]);
    let mut command = place.command(&["run", "a.svc", "--json"]);
    command.args(super::rules(&server)).env("SVC_SECRET_KEY", "key-of-the-test");
    let done = super::Done::of(command.output().unwrap());
    assert_eq!(result(&done), r#"{"id":7,"note":"text"}"#);
    let mut requests = server.requests();
    requests.sort_by_key(|it| it.head.contains("/names/"));
    // A field that must be there and may be null is sent, one that may be left out is not.
    let wanted = r#"{"kind":"cat","name":"Ada","owner":{"name":"Eve","phone":null}}"#;
    let sent: serde_json::Value = serde_json::from_str(wanted).unwrap();
    assert_eq!(requests[0].body, sent, "{}", requests[0].text);
    assert!(requests[0].head.contains("x-key: key-of-the-test\r\n"), "{}", requests[0].head);
    let head = &requests[1].head;
    assert!(head.starts_with("post /v1/names/a%2fb/notes "), "{head}");
    assert_eq!(requests[1].text, "text=x%20y&labels%5B0%5D=1&labels%5B1%5D=2");
}

#[test]
fn files_are_sent_as_parts() {
    let script = r#"let photo = path("a.png") >> read_bytes
let other = "eg==" >> base64_bytes
pets.add_photo(
  photo: photo.bytes,
  pet: 7,
  photo_filename: "Ada \"x\".png",
  labels: ["a", "b"],
  taken: { where: "home" },
  more: [photo.bytes, other],
)"#;
    let server = pets();
    let place = place(&server.url, &[("a.svc", script), ("a.png", "PNG")]);
    let done = run(&place, &server, &["run", "a.svc", "--json", "--allow", "reads fs:a.png"]);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    let request = &server.requests()[0];
    let boundary = "svc-part-00000000";
    let of_type = format!("content-type: multipart/form-data; boundary={boundary}\r\n");
    assert!(request.head.contains(&of_type), "{}", request.head);
    let part = |head: &str, content: &str| {
        let head = head.replace('\n', "\r\n");
        format!("--{boundary}\r\nContent-Disposition: form-data; name={head}\r\n\r\n{content}\r\n")
    };
    let file = |name: &str, filename: &str, media_type: &str, content: &str| {
        part(&format!("{name}; filename=\"{filename}\"\nContent-Type: {media_type}"), content)
    };
    let mut wanted = vec![
        file("\"photo\"", "Ada %22x%22.png", "image/png", "PNG"),
        part("\"pet\"", "7"),
        part("\"labels\"", "a"),
        part("\"labels\"", "b"),
        part("\"taken\"\nContent-Type: application/json", r#"{"where":"home"}"#),
        file("\"more\"", "file", "application/octet-stream", "PNG"),
        file("\"more\"", "file", "application/octet-stream", "z"),
    ];
    wanted.retain(|it| !request.text.contains(it.as_str()));
    assert!(wanted.is_empty(), "{wanted:#?} in\n{}", request.text);
    assert!(request.text.ends_with(&format!("--{boundary}--\r\n")), "{}", request.text);
}

#[test]
fn a_value_of_a_path_cannot_lead_elsewhere() {
    for name in ["..", ".", ""] {
        let script = format!(r#"pets.notes_add("{name}", text: "x")"#);
        let server = pets();
        let place = place(&server.url, &[("a.svc", &script)]);
        run(&place, &server, &["run", "a.svc"]).fails(1, "cannot be a part of a path");
        assert_eq!(server.requests().len(), 0);
    }
}

#[test]
fn reads_are_repeated_as_the_server_asks_and_writes_are_not() {
    let calls = AtomicUsize::new(0);
    let server = Server::answering(move |request| match calls.fetch_add(1, Ordering::SeqCst) {
        0 if request.head.starts_with("get") => json(429, "{}").header("retry-after: 1"),
        0 => json(503, r#"{"message": "later"}"#),
        _ => json(200, r#"{"id": 3, "name": "Cy"}"#),
    });
    let place = place(
        &server.url,
        &[
            ("get.svc", "pets.get_pet(3) >> .name"),
            ("add.svc", "secret key\npets.add_pet(\"x\", api_key: key) >> .id"),
            (
                "key.svc",
                "secret key\npets.add_pet(\"x\", api_key: key, idempotency_key: \"k1\") >> .id",
            ),
        ],
    );
    let began = std::time::Instant::now();
    run(&place, &server, &["run", "get.svc"]).gives("Cy\n");
    assert!(began.elapsed() >= std::time::Duration::from_secs(1), "it waits as asked");
    assert_eq!(server.requests().len(), 2);

    let fails_once = || {
        let calls = AtomicUsize::new(0);
        Server::answering(move |_| match calls.fetch_add(1, Ordering::SeqCst) {
            0 => json(503, r#"{"message": "later"}"#),
            _ => json(201, r#"{"id": 3, "name": "Cy"}"#),
        })
    };
    for (script, requests) in [("add.svc", 1), ("key.svc", 2)] {
        let server = fails_once();
        std::fs::write(place.path().join("pets.yaml"), super::document(&server.url)).unwrap();
        assert_eq!(place.svc(&["api", "update", "pets"]).code, Some(0));
        let mut command = place.command(&["run", script, "--no-store"]);
        command.args(super::rules(&server)).env("SVC_SECRET_KEY", "key-of-the-test");
        let done = super::Done::of(command.output().unwrap());
        assert_eq!(server.requests().len(), requests, "{script}: {}{}", done.out, done.err);
        assert_eq!(done.code == Some(0), requests == 2, "{script}: {}{}", done.out, done.err);
    }
}

#[test]
fn errors_say_what_the_server_said_and_answers_are_tested() {
    let server = Server::answering(|request| {
        let status = |code| json(code, r#"{"message": "no such pet"}"#);
        match request.head.split(' ').nth(1).unwrap() {
            "/v1/pets/1" => status(404),
            "/v1/pets/2" => json(200, r#"{"id": "two", "name": "Bo"}"#),
            "/v1/pets/3" => json(200, r#"{"id": 3"#),
            "/v1/pets/4" => Reply::new(200, "<html>"),
            _ => status(403),
        }
    });
    let place = place(&server.url, &[]);
    for (id, message) in [
        (1, "returned status 404: {\"message\": \"no such pet\"}"),
        (2, "the answer of `pets.get_pet` is not as its document says: expected int"),
        (3, "invalid JSON"),
        (4, "invalid JSON"),
        (5, "status 403"),
    ] {
        std::fs::write(place.path().join("a.svc"), format!("pets.get_pet({id})")).unwrap();
        let done = run(&place, &server, &["run", "a.svc", "--no-store"]);
        assert_ne!(done.code, Some(0));
        // Messages are broken into lines.
        let words = done.err.replace("  │ ", "").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(message), "{id}: {}", done.err);
    }
}

#[test]
fn calls_run_in_parallel_and_in_each() {
    let script = "let both = parallel { a: pets.get_pet(1), b: pets.get_pet(2) }
let all = pets.list_pets() >> each { pets.get_pet(.id) } >> each { .name }
{ a: both.a.name, b: both.b.name, all: all }";
    let server = pets();
    let place = place(&server.url, &[("a.svc", script)]);
    let done = run(&place, &server, &["run", "a.svc", "--json"]);
    assert_eq!(result(&done), r#"{"a":"pet 1","all":["pet 1","pet 2"],"b":"pet 2"}"#);
    assert_eq!(server.requests().len(), 5);
}
