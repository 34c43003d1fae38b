//! Calls with an `Idempotency-Key` are made once.

use std::{io::Write as _, sync::Arc, time::Duration};

use serde_json::{Value, json};
use svc_api::{
    rest::{Found, Input, Reply, Rest, find},
    store::RunStore,
};
use svc_service::{Options, Service, once::Once};
use svc_store::book::Book;

use super::{Answer, Server, until, write};

const UUID: &str = r#"{"op": "uuid"}"#;

fn post(server: &Server, path: &str, key: &str, body: &str) -> Answer {
    server.client.send("POST", path, &[("Idempotency-Key", key)], Some(body.as_bytes()))
}

fn is_repeated(answer: &Answer) -> bool {
    answer.head.contains("idempotent-replayed: true")
}

#[test]
fn a_repeated_call_gets_the_first_answer() {
    let server = Server::start();
    let first = post(&server, "/invoke/random", "k1", UUID);
    let again = post(&server, "/invoke/random", "k1", UUID);
    assert_eq!(first.ok(), again.ok());
    assert!(!is_repeated(&first) && is_repeated(&again), "{first:?} {again:?}");
    let other = post(&server, "/invoke/random", "k2", UUID);
    assert_ne!(first.ok()["result"], other.ok()["result"]);
    // A key belongs to its route.
    let pipeline = r#"{"steps": [{"component": "random", "op": "uuid"}]}"#;
    assert!(!is_repeated(&post(&server, "/pipeline", "k1", pipeline)));

    let run = post(&server, "/scripts/word_count", "k1", r#"{"text": "a b"}"#);
    let again = post(&server, "/scripts/word_count", "k1", r#"{"text": "a b"}"#);
    assert_eq!(run.ok()["run_id"], again.ok()["run_id"]);
    assert_eq!(server.get("/runs").ok()["runs"].as_array().unwrap().len(), 1);
    // A failure of the call is its answer, too.
    let body = r#"{"op": "parse_int", "params": {"text": "x"}}"#;
    let failed = post(&server, "/invoke/text", "k3", body);
    let again = post(&server, "/invoke/text", "k3", body);
    assert_eq!((failed.status, failed.json()), (422, again.json()));
    assert!(is_repeated(&again), "{again:?}");
}

#[test]
fn a_key_means_one_call() {
    let server = Server::start();
    let body = |text: &str| format!(r#"{{"op": "upper", "params": {{"text": "{text}"}}}}"#);
    post(&server, "/invoke/text", "k", &body("a")).ok();
    let wrong = post(&server, "/invoke/text", "k", &body("b")).fails(422, "invalid_input");
    assert!(wrong.contains("another call"), "{wrong}");
    let wrong = post(&server, "/invoke/list", "k", &body("a")).fails(422, "invalid_input");
    assert!(wrong.contains("another call"), "{wrong}");
    assert_eq!(post(&server, "/invoke/text", "k", &body("a")).ok()["result"], "A");
    for key in ["", &"x".repeat(256), "tab\there", "schlüssel"] {
        let wrong = post(&server, "/invoke/text", key, &body("a"));
        assert!(matches!(wrong.status, 400 | 422), "{key:?}: {wrong:?}");
    }
    let two = [("Idempotency-Key", "k"), ("Idempotency-Key", "k")];
    let answer = server.client.send("POST", "/invoke/text", &two, Some(body("b").as_bytes()));
    assert_eq!(answer.ok()["result"], "B");
    // Nothing ran, so the key can be used for the call that was meant.
    post(&server, "/invoke/text", "k2", r#"{"op": "uper"}"#).fails(404, "not_found");
    assert_eq!(post(&server, "/invoke/text", "k2", &body("c")).ok()["result"], "C");
}

#[test]
fn a_call_that_is_running_is_not_made_again() {
    let server = Server::start();
    let body = r#"{"time": "1s"}"#;
    // The first caller goes away.
    let mut first = server.client.open();
    let head = format!(
        "POST /scripts/slow HTTP/1.1\r\nHost: {}\r\nIdempotency-Key: k\r\nContent-Type: \
         application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.client.host(),
        body.len()
    );
    first.write_all(head.as_bytes()).unwrap();
    until(|| server.get("/runs").ok()["runs"].as_array().unwrap().len() == 1);
    drop(first);
    let early = post(&server, "/scripts/slow", "k", body);
    assert!(early.fails(409, "conflict").contains("still running"), "{early:?}");
    assert!(early.head.contains("retry-after: 1"), "{early:?}");
    until(|| post(&server, "/scripts/slow", "k", body).status == 200);
    assert_eq!(post(&server, "/scripts/slow", "k", body).ok()["result"], "slept");
    assert_eq!(server.get("/runs").ok()["runs"].as_array().unwrap().len(), 1);

    let headers = [("Idempotency-Key", "e"), ("Accept", "text/event-stream")];
    let events =
        server.client.send("POST", "/scripts/word_count", &headers, Some(br#"{"text": "a"}"#));
    assert!(events.body.contains("event: result"), "{events:?}");
    let again =
        server.client.send("POST", "/scripts/word_count", &headers, Some(br#"{"text": "a"}"#));
    assert_eq!(again.status, 202, "{again:?}");
    let run = again.json()["run_id"].as_str().unwrap().to_owned();
    assert!(events.body.contains(&run), "{events:?}");
}

/// A process of a service with a book.
fn process(folder: &std::path::Path, store: &RunStore, book: &Arc<Book>) -> Rest {
    let engine = svc::engine().with(svc_service::components::ALL);
    let options = Options { folder: Some(folder.to_owned()), ..Options::new("1") };
    let once = Once::in_book(book.clone(), engine.host()).unwrap();
    let service = Service::new(svc::engine(), Some(store.shared()), options).unwrap();
    Rest { service, version: "1", once, desk: None }
}

async fn called(rest: &Rest, key: &str) -> (u16, bool, Value) {
    let Found::Route(route, path) = find("POST", "/scripts/slow", false) else {
        panic!("no route")
    };
    let once = Some(key.to_owned());
    let input = Input { path, once, body: br#"{"time": "700ms"}"#.to_vec(), ..Input::default() };
    match route.answer_once(rest, input, "id").await {
        Ok(Reply::Json(status, value)) => {
            let text = svc::value::json::write(&value);
            (status, false, serde_json::from_str(&text).unwrap())
        }
        Ok(Reply::Repeated(status, _, text)) => {
            (status, true, serde_json::from_str(&text).unwrap())
        }
        Ok(_) => panic!("not JSON"),
        Err(fault) => (fault.why.status(), false, json!(fault.message)),
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn a_run_is_not_made_twice_after_a_crash() {
    let place = tempfile::tempdir().unwrap();
    let script = "param time: duration\n\"slept\" >> wait(duration: time)";
    write(place.path(), "scripts/slow.svc", script);
    let folder = place.path().join("scripts");
    let host = svc::engine();
    let store = RunStore::open(&place.path().join("runs.db"), host.host()).unwrap();
    let book = Arc::new(Book::open(&place.path().join("book"), host.host()).unwrap());

    let first = runtime();
    let rest = process(&folder, &store, &book);
    first.spawn(async move { called(&rest, "k").await });
    until(|| store.latest(9).unwrap().len() == 1);
    std::thread::sleep(Duration::from_millis(100));
    let id = store.latest(1).unwrap()[0].id.to_string();
    // Everything stops where it is.
    first.shutdown_timeout(Duration::from_secs(5));

    let second = runtime();
    second.block_on(async {
        let rest = process(&folder, &store, &book);
        let (status, is_repeated, answer) = called(&rest, "k").await;
        assert_eq!((status, is_repeated), (202, true), "{answer}");
        assert_eq!(answer["run_id"], id.as_str());
        let live = rest.service.live(&id).unwrap();
        live.ended().await.unwrap();
        let (status, is_repeated, answer) = called(&rest, "k").await;
        assert_eq!((status, is_repeated), (200, true), "{answer}");
        assert_eq!((&answer["result"], &answer["run_id"]), (&json!("slept"), &json!(id)));
    });
    second.shutdown_timeout(Duration::from_secs(5));

    runtime().block_on(async {
        let rest = process(&folder, &store, &book);
        for _ in 0..2 {
            let (status, is_repeated, answer) = called(&rest, "k").await;
            assert_eq!((status, is_repeated), (200, true), "{answer}");
            assert_eq!((&answer["result"], &answer["run_id"]), (&json!("slept"), &json!(id)));
        }
        let (status, is_repeated, _) = called(&rest, "new").await;
        assert_eq!((status, is_repeated), (200, false));
    });
    assert_eq!(store.latest(9).unwrap().len(), 2);
}
