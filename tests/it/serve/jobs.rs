//! Jobs and approvals: they survive the server, and nothing is written twice.

use std::{fs, time::Duration};

use serde_json::{Value, json};

use super::{SCRIPTS, Server, client::Answer, until};

/// Writes a line, waits, and writes another one.
const TWO: &str = "param name: string\nparam time: duration = 20s\n\
    let first = \"${name} 1\" >> append_file(to: \"log.txt\")\n\
    let waited = name >> wait(duration: time)\n\
    let second = \"${waited} 2\" >> append_file(to: \"log.txt\")\n\
    { name: waited, first: first, second: second }";

const ASKS: &str = "param text: string\n\
    let allowed = text >> approve(question: \"Send this?\")\n\
    let sent = allowed >> append_file(to: \"sent.txt\")\n\
    { sent: allowed, to: sent }";

fn server() -> Server {
    let mut all = SCRIPTS.to_vec();
    all.extend([("two.svc", TWO), ("asks.svc", ASKS)]);
    Server::with(&all, &[])
}

fn restarted(server: Server) -> Server {
    Server::at(server.kill(), &[])
}

fn tool(server: &Server, name: &str, args: &Value) -> Answer {
    server.post(&format!("/tools/{name}"), &args.to_string())
}

fn submit(server: &Server, job: &str, input: &Value) -> String {
    let answer = tool(server, "job_submit", &json!({ "job": job, "input": input })).ok();
    assert_eq!(answer["state"], "queued", "{answer}");
    answer["job_id"].as_str().unwrap().to_owned()
}

fn result(server: &Server, job: &str) -> Value {
    tool(server, "job_get_result", &json!({ "job_id": job, "wait": "20s" })).ok()
}

fn state(server: &Server, job: &str) -> String {
    let view = tool(server, "job_workbench_open", &json!({ "job_id": job })).ok();
    view["state"].as_str().unwrap().to_owned()
}

fn log(server: &Server, name: &str) -> Vec<String> {
    let text = fs::read_to_string(server.place.path().join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_job_is_submitted_followed_and_exported() {
    let server = server();
    let schema = tool(&server, "job_input_schema", &json!({ "job": "word_count" })).ok();
    assert_eq!(schema["input_schema"]["required"], json!(["text"]));
    let job = submit(&server, "word_count", &schema["example"]);
    let view = result(&server, &job);
    assert_eq!((&view["state"], &view["version"]), (&"ok".into(), &1.into()), "{view}");
    assert_eq!(view["result"], json!({ "words": 1 }));
    assert_eq!(view["inputs"], schema["example"]);
    assert!(view["created_at"].as_str().unwrap().contains('T'), "{view}");
    let run = view["run_id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/runs/{run}")).ok()["state"], "ok");

    let changes = json!({ "job_id": job, "changes": { "text": "one two three" } });
    assert_eq!(tool(&server, "job_refine", &changes).ok()["version"], 2);
    let view = result(&server, &job);
    assert_eq!((&view["version"], &view["result"]["words"]), (&2.into(), &3.into()));
    let compared =
        tool(&server, "job_workbench_compare", &json!({ "job_id": job, "other": "1" })).ok();
    let paths: Vec<&str> = compared["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["inputs.text", "result.words"]);

    let note = json!({ "job_id": job, "path": "words", "text": "counted by hand, too" });
    tool(&server, "job_workbench_annotate", &note).ok();
    let noted = tool(&server, "job_workbench_annotate", &note).ok();
    assert_eq!(noted["notes"].as_array().unwrap().len(), 1, "{noted}");
    assert_eq!(noted["notes"][0]["path"], "words", "{noted}");
    let rated = tool(&server, "job_feedback", &json!({ "job_id": job, "rating": 5 })).ok();
    assert_eq!(rated["recorded"], true);
    tool(&server, "job_feedback", &json!({ "job_id": job, "rating": 6 }))
        .fails(422, "invalid_input");
    let found = tool(&server, "job_workbench_search", &json!({ "query": "counted by hand" })).ok();
    assert_eq!(found["jobs"][0]["job_id"], job.as_str(), "{found}");
    for (format, start) in [("md", "# word_count"), ("html", "<!doctype html>"), ("json", "{")] {
        let args = json!({ "job_id": job, "format": format });
        let exported = tool(&server, "job_export", &args).ok();
        assert_eq!(exported["name"], format!("word-count-2.{format}"));
        let digits = exported["bytes"].as_str().unwrap();
        let bytes: Vec<u8> = (0..digits.len())
            .step_by(2)
            .map(|it| u8::from_str_radix(&digits[it..it + 2], 16).unwrap())
            .collect();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with(start) && text.contains("one two three"), "{text}");
    }
    let nodes = tool(&server, "job_workbench_inspect", &json!({ "job_id": job })).ok();
    assert!(nodes["nodes"].is_array(), "{nodes}");
    let listed = tool(&server, "job_workbench_list", &json!({ "job": "word_count" })).ok();
    assert_eq!(listed["jobs"].as_array().unwrap().len(), 1);
    tool(&server, "job_workbench_archive", &json!({ "job_id": job })).ok();
    assert_eq!(tool(&server, "job_workbench_list", &json!({})).ok()["jobs"], json!([]));
}

#[test]
fn mistakes_name_the_field_and_the_next_step() {
    let server = server();
    let wrong = tool(&server, "job_submit", &json!({ "job": "word_cont", "input": {} }));
    assert!(wrong.fails(404, "not_found").contains("word_count"));
    let wrong = tool(&server, "job_submit", &json!({ "job": "word_count", "input": {} }));
    assert!(wrong.fails(422, "invalid_input").contains("input.text"), "{wrong:?}");
    let wrong =
        tool(&server, "job_submit", &json!({ "job": "guide_ask", "input": { "qry": "a" } }));
    assert!(wrong.fails(422, "invalid_input").contains("query"), "{wrong:?}");
    let none = json!({ "job_id": "job_none" });
    for name in ["job_get_result", "job_workbench_open", "job_workbench_cancel", "job_export"] {
        tool(&server, name, &none).fails(404, "not_found");
    }
    tool(&server, "job_get_result", &json!({ "job_id": "job_none", "wait": "1h" }))
        .fails(422, "invalid_input");
    let job = submit(&server, "two", &json!({ "name": "a", "time": "30s" }));
    until(|| log(&server, "log.txt") == ["a 1"]);
    let early = tool(&server, "job_refine", &json!({ "job_id": job, "changes": {} }));
    assert!(early.fails(409, "conflict").contains("running"), "{early:?}");
    let cancelled = tool(&server, "job_workbench_cancel", &json!({ "job_id": job })).ok();
    assert_eq!(cancelled["state"], "cancelled");
    tool(&server, "job_workbench_cancel", &json!({ "job_id": job })).fails(409, "conflict");
    tool(&server, "job_workbench_archive", &json!({ "job_id": job })).ok();
    tool(&server, "job_workbench_archive", &json!({ "job_id": job })).fails(409, "conflict");
    assert_eq!(log(&server, "log.txt"), ["a 1"]);
}

#[test]
fn an_accepted_job_survives_the_server_and_writes_once() {
    let mut server = server();
    let slow = submit(&server, "two", &json!({ "name": "slow", "time": "3s" }));
    let mut quick = Vec::new();
    // A job is taken again three times.
    for round in 0..3 {
        until(|| log(&server, "log.txt").contains(&"slow 1".to_owned()));
        // The answer is the promise: whatever happens now, the job is done once.
        let name = format!("quick{round}");
        quick.push(submit(&server, "two", &json!({ "name": name, "time": "30ms" })));
        std::thread::sleep(Duration::from_millis(40 * round));
        server = restarted(server);
    }
    for job in quick.iter().chain([&slow]) {
        until(|| {
            let view = result(&server, job);
            // A kill in the middle of a write: a person looks, and decides.
            for asked in view["approvals"].as_array().unwrap() {
                let asked = server.get(&format!("/approvals/{}", asked.as_str().unwrap())).ok();
                assert!(asked["question"].as_str().unwrap().contains("may have happened"));
                let path = asked["path"].as_str().unwrap();
                let line = if path.contains('2') { " 2" } else { " 1" };
                let name = view["inputs"]["name"].as_str().unwrap();
                let is_there = log(&server, "log.txt").contains(&format!("{name}{line}"));
                if is_there {
                    return true;
                }
                let id = asked["id"].as_str().unwrap();
                server.post(&format!("/approvals/{id}"), r#"{"approve": true}"#).ok();
            }
            view["state"] == "ok"
        });
    }
    let lines = log(&server, "log.txt");
    let mut once = lines.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), lines.len(), "nothing is written twice: {lines:?}");
    assert!(lines.contains(&"slow 2".to_owned()), "{lines:?}");
}

#[test]
fn a_question_waits_without_a_run_and_its_first_answer_decides() {
    let server = server();
    let answer = server.post("/scripts/asks", r#"{"text": "hello"}"#);
    assert_eq!(answer.status, 202, "{answer:?}");
    let accepted = answer.json();
    assert_eq!(accepted["state"], "waiting", "the caller need not wait: {accepted}");
    let (run, job) = (accepted["run_id"].as_str().unwrap(), accepted["job_id"].as_str().unwrap());
    until(|| state(&server, job) == "waiting");
    assert_eq!(server.get(&format!("/runs/{run}")).ok()["state"], "waiting");
    let waiting = server.get("/runs?state=waiting").ok();
    assert_eq!(waiting["runs"][0]["run_id"], run, "the list has the same state: {waiting}");
    server.get("/runs?state=asleep").fails(422, "invalid_input");
    server.post(&format!("/runs/{run}/resume"), "").fails(409, "conflict");
    let other = server.post("/scripts/word_count", r#"{"text": "a"}"#).ok();
    let pruned = svc(&server, &["runs", "prune", "--keep", "0"]);
    assert!(pruned.starts_with(other["run_id"].as_str().unwrap()), "{pruned}");
    assert!(!pruned.contains(run), "its job needs it: {pruned}");

    let server = restarted(server);
    let open = server.get("/approvals?state=open").ok();
    let asked = &open["approvals"][0];
    assert_eq!(open["approvals"].as_array().unwrap().len(), 1, "{open}");
    assert_eq!((&asked["question"], &asked["details"]), (&"Send this?".into(), &"hello".into()));
    assert_eq!((&asked["run_id"], &asked["job_id"]), (&run.into(), &job.into()));
    let id = asked["id"].as_str().unwrap();
    let path = format!("/approvals/{id}");
    server.post(&path, "{}").fails(422, "invalid_input");
    let body = r#"{"approve": true, "comment": "fine"}"#;
    let given = server.post(&path, body).ok();
    assert_eq!((&given["state"], &given["comment"]), (&"approved".into(), &"fine".into()));
    assert!(server.post(&path, body).fails(409, "conflict").contains("approved"));
    let late = json!({ "id": id, "reason": "no" });
    tool(&server, "approval_reject", &late).fails(409, "conflict");
    tool(&server, "approval_approve", &json!({ "id": id })).fails(409, "conflict");
    let view = result(&server, job);
    assert_eq!(
        (&view["state"], &view["result"]["sent"]),
        (&"ok".into(), &"hello".into()),
        "{view}"
    );
    assert_eq!(log(&server, "sent.txt"), ["hello"]);
    server.get("/approvals/apr_none").fails(404, "not_found");

    // By the tools, and with no.
    let job = submit(&server, "asks", &json!({ "text": "again" }));
    assert_eq!(result(&server, &job)["state"], "waiting");
    let open = tool(&server, "approval_list", &json!({})).ok();
    let id = open["approvals"][0]["id"].as_str().unwrap();
    let no = tool(&server, "approval_reject", &json!({ "id": id, "reason": "too short" })).ok();
    assert_eq!((&no["state"], &no["comment"]), (&"rejected".into(), &"too short".into()));
    let view = result(&server, &job);
    assert_eq!((&view["state"], &view["error"]["kind"]), (&"failed".into(), &"denied".into()));
    assert_eq!(log(&server, "sent.txt"), ["hello"]);
}

#[test]
fn events_say_that_a_run_waits() {
    let server = server();
    let answer = server.client.send(
        "POST",
        "/scripts/asks",
        &[("Accept", "text/event-stream")],
        Some(br#"{"text": "hello"}"#),
    );
    let last = answer.body.lines().filter_map(|it| it.strip_prefix("event: ")).next_back();
    assert_eq!(last, Some("approval"), "{}", answer.body);
    assert!(answer.body.contains(r#""job_id":"job_"#), "{}", answer.body);
}

#[test]
fn without_a_store_there_are_no_jobs() {
    let server = Server::with(&SCRIPTS, &["--no-store"]);
    let none = tool(&server, "job_submit", &json!({ "job": "word_count", "input": {} }));
    assert!(none.fails(422, "unsupported").contains("store"));
    server.get("/approvals").fails(422, "unsupported");
}

/// The output of a command next to the server.
fn svc(server: &Server, args: &[&str]) -> String {
    let done = assert_cmd::Command::cargo_bin("svc")
        .unwrap()
        .args(args)
        .env("SVC_STORE", server.place.path().join(".runs/runs.db"))
        .env("SVC_CACHE", server.place.path().join(".cache"))
        .env_remove("SVC_MODEL")
        .current_dir(server.place.path())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{args:?}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_command_line_sees_and_ends_the_jobs_of_a_server() {
    let server = server();
    let job = submit(&server, "two", &json!({ "name": "a", "time": "30s" }));
    until(|| log(&server, "log.txt") == ["a 1"]);
    let listed = svc(&server, &["jobs"]);
    assert!(listed.contains(&job) && listed.contains("running"), "{listed}");
    assert!(!svc(&server, &["jobs", "--state", "failed"]).contains(&job));
    let shown = svc(&server, &["jobs", "show", &job]);
    assert!(shown.contains("30s") && shown.contains("running"), "{shown}");
    svc(&server, &["jobs", "cancel", &job]);
    let view = result(&server, &job);
    assert_eq!(view["state"], "cancelled");
    // The server ends the run, too.
    let run = view["run_id"].as_str().unwrap();
    until(|| server.get(&format!("/runs/{run}")).ok()["state"] == "cancelled");

    let text = r#"{"text": "a b"}"#;
    let add = ["jobs", "schedule", "add", "* * * * * *", "word_count", "--folder", ".", "--input"];
    let added = svc(&server, &[&add[..], &[text]].concat());
    let id = added.split_whitespace().find(|it| it.starts_with("sch_")).unwrap().to_owned();
    assert!(svc(&server, &["jobs", "schedule"]).contains("* * * * * *"));
    until(|| {
        let listed = tool(&server, "job_workbench_list", &json!({ "job": "word_count" })).ok();
        listed["jobs"].as_array().unwrap().iter().any(|it| it["state"] == "ok")
    });
    svc(&server, &["jobs", "schedule", "remove", &id]);
    assert!(!svc(&server, &["jobs", "schedule"]).contains(&id));
}
