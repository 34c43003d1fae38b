//! Jobs and questions of the owners of keys: apart from each other, and beyond the server that took
//! them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Answer, Server,
    keys::{id, svc},
    until,
};

const SCRIPTS: [(&str, &str); 2] = [
    ("slow.svc", "param time: duration\n\"slept\" >> wait(duration: time)"),
    ("ask.svc", "param text: string\ntext >> approve(question: \"Send this?\") >> upper"),
];

fn tool(server: &Server, key: &str, name: &str, args: &Value) -> Answer {
    server.as_key(key, "POST", &format!("/tools/{name}"), Some(&args.to_string()))
}

fn submitted(server: &Server, key: &str, job: &str, input: &Value) -> String {
    let args = json!({ "job": job, "input": input });
    tool(server, key, "job_submit", &args).ok()["job_id"].as_str().unwrap().to_owned()
}

fn state(server: &Server, key: &str, job: &str) -> String {
    let found = tool(server, key, "job_get_result", &json!({ "job_id": job })).ok();
    found["state"].as_str().unwrap().to_owned()
}

#[test]
fn jobs_of_an_owner_outlive_the_server_and_need_a_valid_key() {
    let first = Server::with(&SCRIPTS, &["--data", ".service"]);
    let (ann, bob) = (first.issue("ann", "builder"), first.issue("bob", "builder"));
    let job = submitted(&first, &ann, "slow", &json!({ "time": "1s" }));
    for name in ["job_get_result", "job_workbench_open", "job_workbench_cancel", "job_export"] {
        tool(&first, &bob, name, &json!({ "job_id": job })).fails(404, "not_found");
    }
    assert_eq!(tool(&first, &bob, "job_workbench_list", &json!({})).ok()["jobs"], json!([]));
    let long = submitted(&first, &ann, "slow", &json!({ "time": "2s" }));

    // The server dies, and the key ends before it begins again.
    let place = first.kill();
    assert_eq!(svc(place.path(), &["keys", "revoke", id(&ann)]).0, Some(0));
    let again = Server::at(place, &["--data", ".service"]);
    std::thread::sleep(Duration::from_secs(3));
    let ann = again.issue("ann", "builder");
    assert!(!matches!(state(&again, &ann, &long).as_str(), "ok" | "failed"), "it waits for a key");
    for job in [job, long] {
        until(|| state(&again, &ann, &job) == "ok");
        let done = tool(&again, &ann, "job_get_result", &json!({ "job_id": job })).ok();
        assert_eq!(done["result"], "slept");
    }
}

#[test]
fn questions_are_those_of_their_owner() {
    let server = Server::with(&SCRIPTS, &["--data", ".service"]);
    let (ann, bob) = (server.issue("ann", "builder"), server.issue("bob", "builder"));
    let job = submitted(&server, &ann, "ask", &json!({ "text": "go" }));
    until(|| state(&server, &ann, &job) == "waiting");
    let asked = server.as_key(&ann, "GET", "/approvals?state=open", None).ok();
    let question = asked["approvals"][0]["id"].as_str().unwrap().to_owned();
    let none = server.as_key(&bob, "GET", "/approvals", None).ok();
    assert_eq!(none["approvals"], json!([]));
    let path = format!("/approvals/{question}");
    // A key of the owner whose tier is too low is refused here as in the tool.
    let low = server.issue("ann", "free");
    for path in ["/approvals", path.as_str()] {
        server.as_key(&low, "GET", path, None).fails(403, "denied");
    }
    let said = server.as_key(&low, "POST", &path, Some(r#"{"approve": true}"#));
    assert!(said.fails(403, "denied").contains("approval_approve needs the tier researcher"));
    let yes = Some(r#"{"approve": true}"#);
    server.as_key(&bob, "GET", &path, None).fails(404, "not_found");
    server.as_key(&bob, "POST", &path, yes).fails(404, "not_found");
    server.as_key(&ann, "POST", &path, yes).ok();
    until(|| state(&server, &ann, &job) == "ok");
    let done = tool(&server, &ann, "job_get_result", &json!({ "job_id": job })).ok();
    assert_eq!(done["result"], "GO");
}

#[test]
fn the_same_idempotency_key_of_two_owners_is_two_calls() {
    let server = Server::with(&SCRIPTS, &["--data", ".service"]);
    let (ann, bob) = (server.issue("ann", "builder"), server.issue("bob", "builder"));
    let call = |key: &str, time: &str| {
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "same")];
        let body = json!({ "time": time }).to_string();
        server.client.send("POST", "/scripts/slow", &headers, Some(body.as_bytes()))
    };
    let first = call(&ann, "10ms").ok()["run_id"].clone();
    assert_eq!(call(&ann, "10ms").ok()["run_id"], first);
    call(&ann, "11ms").fails(422, "invalid_input");
    let other = call(&bob, "11ms").ok()["run_id"].clone();
    assert_ne!(first, other);
}

#[test]
fn a_job_is_queued_once_by_a_key() {
    let server = Server::with(&SCRIPTS, &["--data", ".service"]);
    let ann = server.issue("ann", "builder");
    let bearer = format!("Bearer {ann}");
    let once = |path: &str, key: &str, body: &Value, more: &[(&str, &str)]| {
        let own = [("Authorization", bearer.as_str()), ("Idempotency-Key", key)];
        let headers = [&own[..], more].concat();
        server.client.send("POST", path, &headers, Some(body.to_string().as_bytes())).json()
    };
    let submit = json!({ "job": "slow", "input": { "time": "5ms" } });
    let first = once("/tools/job_submit", "a", &submit, &[])["job_id"].clone();
    assert!(first.is_string());
    assert_eq!(once("/tools/job_submit", "a", &submit, &[])["job_id"], first);
    let time = json!({ "time": "5ms" });
    let later = [("Prefer", "respond-async")];
    let run = once("/scripts/slow", "b", &time, &later)["run_id"].clone();
    assert_eq!(once("/scripts/slow", "b", &time, &later)["run_id"], run);
    let jobs = tool(&server, &ann, "job_workbench_list", &json!({})).ok();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 2, "{jobs}");
    // What was not queued may be asked for again.
    let unknown = json!({ "job": "slwo", "input": {} });
    assert_eq!(once("/tools/job_submit", "c", &unknown, &[])["kind"], "not_found");
    assert!(once("/tools/job_submit", "c", &submit, &[])["job_id"].is_string());
}

#[test]
fn scripts_of_the_folder_write_among_the_files_of_their_caller() {
    let script =
        ("save.svc", "param text: string\ntext >> write_file(to: \"kept.txt\") >> read_text");
    let server = Server::with(&[script], &["--data", ".service", "--share", "."]);
    let ann = server.issue("ann", "builder");
    let saved = server.as_key(&ann, "POST", "/scripts/save", Some(r#"{"text": "mine"}"#)).ok();
    assert_eq!(saved["result"], "mine");
    assert!(!server.place.path().join("kept.txt").exists());
    let own = server.place.path().join(".service/owners/ann/files/kept.txt");
    assert_eq!(std::fs::read_to_string(own).unwrap(), "mine");
}

#[test]
fn reports_of_bugs_are_kept_without_secrets_for_their_owner() {
    let first = Server::with(&SCRIPTS, &["--data", ".service"]);
    let (ann, bob) = (first.issue("ann", "researcher"), first.issue("bob", "researcher"));
    let run = first.as_key(&ann, "POST", "/scripts/slow", Some(r#"{"time": "1ms"}"#)).ok();
    let text = format!("I called with {ann}");
    let report = json!({ "title": "slow", "description": text, "run_id": run["run_id"] });
    let made = tool(&first, &ann, "bug_report_submit", &report).ok();
    assert_eq!((&made["state"], &made["run_id"]), (&"open".into(), &run["run_id"]));
    assert!(!made.to_string().contains(&ann[22..]), "{made}");
    // Said twice, it is one report.
    assert_eq!(tool(&first, &ann, "bug_report_submit", &report).ok()["id"], made["id"]);
    // The run of somebody else is unknown.
    tool(&first, &bob, "bug_report_submit", &report).fails(404, "not_found");
    let empty = json!({ "title": "", "description": "x" });
    tool(&first, &ann, "bug_report_submit", &empty).fails(422, "invalid_input");
    let id = made["id"].clone();
    for name in ["bug_report_get", "bug_report_comment"] {
        let args = json!({ "id": id, "text": "mine?" });
        let args = if name == "bug_report_get" { json!({ "id": id }) } else { args };
        tool(&first, &bob, name, &args).fails(404, "not_found");
    }
    assert_eq!(tool(&first, &bob, "bug_report_list", &json!({})).ok()["result"], json!([]));

    let again = Server::at(first.kill(), &["--data", ".service"]);
    let comment = json!({ "id": id, "text": "solved", "close": true });
    let closed = tool(&again, &ann, "bug_report_comment", &comment).ok();
    assert_eq!(
        (&closed["state"], &closed["comments"][0]["text"]),
        (&"closed".into(), &"solved".into())
    );
    let open = tool(&again, &ann, "bug_report_list", &json!({ "state": "open" })).ok();
    assert_eq!(open["result"], json!([]));
    let comment = json!({ "id": id, "text": "again" });
    assert_eq!(tool(&again, &ann, "bug_report_comment", &comment).ok()["state"], "open");
    let shown = tool(&again, &ann, "bug_report_get", &json!({ "id": id })).ok();
    assert_eq!(shown["comments"].as_array().unwrap().len(), 2);
}
