//! `svc desktop`: who is let in, what each endpoint says to good and to bad requests, and what a killed
//! server leaves.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    client::{Answer, Client},
    until,
};

mod models;

struct Desktop {
    child: Child,
    place: TempDir,
    client: Client,
    token: String,
    /// The address of the page, with its ticket.
    page: String,
}

fn command(place: &Path, args: &[&str]) -> Command {
    command_in(place, "service", args)
}

fn command_in(place: &Path, data: &str, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    command
        .args(["desktop", "--no-browser", "--data"])
        .arg(place.join(data))
        .args(args)
        .current_dir(place)
        .env("SVC_CACHE", place.join(".cache"))
        .env("SVC_STORE", place.join("runs.db"))
        .env_remove("SVC_MODEL")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

impl Desktop {
    fn start() -> Self {
        Self::at(tempfile::tempdir().unwrap(), &[])
    }

    fn at(place: TempDir, args: &[&str]) -> Self {
        Self::with(place, args, &[])
    }

    fn with(place: TempDir, args: &[&str], envs: &[(&str, &str)]) -> Self {
        Self::of(command(place.path(), args).envs(envs.iter().copied()), place, "service")
    }

    fn of(command: &mut Command, place: TempDir, data: &str) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        let page = loop {
            let line = told.recv_timeout(Duration::from_mins(2)).expect("the desktop listens");
            if let Some((_, page)) = line.split_once("open http://") {
                break page.to_owned();
            }
        };
        let (address, page) = page.split_once('/').unwrap();
        let client = Client::new(address.parse().unwrap());
        let token = std::fs::read_to_string(place.path().join(data).join("desktop.token"));
        let token = token.unwrap();
        Self { child, place, client, token: token.trim().to_owned(), page: format!("/{page}") }
    }

    fn send(&self, method: &str, path: &str, kind: &str, body: Option<&[u8]>) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind)];
        self.client.send(method, path, &headers, body)
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "application/json", None)
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, "application/json", Some(body.to_string().as_bytes()))
    }

    fn form(&self, path: &str, parts: &[(&str, Option<&str>, &[u8])]) -> Answer {
        let mut body = Vec::new();
        for (name, file, content) in parts {
            let file = file.map(|it| format!("; filename=\"{it}\"")).unwrap_or_default();
            write!(body, "--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n")
                .unwrap();
            body.extend_from_slice(content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--x--\r\n");
        self.send("POST", path, "multipart/form-data; boundary=x", Some(&body))
    }

    fn project(&self, name: &str) -> String {
        let made = self.post("/projects", &json!({ "name": name })).ok();
        made["project"]["id"].as_str().unwrap().to_owned()
    }

    fn session(&self, project: &str) -> String {
        let made = self.post("/sessions", &json!({ "project_id": project })).ok();
        made["session"]["id"].as_str().unwrap().to_owned()
    }

    fn history(&self, session: &str) -> Vec<Value> {
        let all = self.get(&format!("/chat/{session}/history?limit=200")).ok();
        all["messages"].as_array().unwrap().clone()
    }

    /// Kills the server, and returns its folder.
    fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.place, tempfile::tempdir().unwrap())
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The endpoints of the specification.
const SPECIFIED: [(&str, &str); 18] = [
    ("post", "/projects"),
    ("get", "/projects"),
    ("post", "/projects/{id}/resources"),
    ("post", "/sessions"),
    ("get", "/sessions/{id}/usage"),
    ("post", "/usage/report"),
    ("post", "/apikey/validate"),
    ("post", "/devices/register"),
    ("get", "/devices/{user_id}"),
    ("get", "/config"),
    ("post", "/config"),
    ("post", "/chat/send"),
    ("post", "/chat/sendfile"),
    ("get", "/chat/{session}/history"),
    ("get", "/chat/{session}/receive"),
    ("post", "/workers/start"),
    ("post", "/workers/stop"),
    ("get", "/workers/{id}"),
];

#[test]
fn the_endpoints_of_the_specification_are_there() {
    let desktop = Desktop::start();
    let document = desktop.get("/openapi.json").ok();
    for (method, path) in SPECIFIED {
        assert!(document["paths"][path][method].is_object(), "{method} {path}");
    }
    let page = desktop.get("/docs");
    for route in svc_api::rest::desktop_routes() {
        assert!(page.body.contains(route.path), "{}", route.path);
    }
    // Other servers have none of them.
    let other = super::Server::start();
    assert_eq!(other.get("/projects").status, 404);
    assert!(other.get("/openapi.json").ok()["paths"]["/projects"].is_null());
}

#[test]
fn only_the_browser_with_the_ticket_and_programs_with_the_token_are_let_in() {
    let desktop = Desktop::start();
    let cookie = |it: &str| desktop.client.send("GET", "/projects", &[("Cookie", it)], None);
    for path in ["/projects", "/runs", "/openapi.json", "/docs", "/config"] {
        desktop.client.get(path).fails(401, "unauthorized");
    }
    assert_eq!(desktop.client.get("/").status, 401);
    assert_eq!(desktop.client.get("/health").status, 200);
    let entered = desktop.client.get(&desktop.page);
    assert_eq!(entered.status, 303, "{entered:?}");
    let (_, value) = entered.head.split_once("set-cookie: ").unwrap();
    let value = value.split(';').next().unwrap();
    assert_eq!(cookie(value).status, 200);
    assert_eq!(cookie("svc_desktop=0").status, 401);
    // A ticket is valid once.
    assert_eq!(desktop.client.get(&desktop.page).status, 401);
    // A page of another site cannot use the cookie.
    let headers = [("Cookie", value), ("Origin", "http://evil.example")];
    desktop.client.send("POST", "/projects", &headers, Some(b"{}")).fails(403, "denied");
    for file in std::fs::read_dir("src/bases/desktop/assets").unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert_eq!(desktop.client.get(&format!("/assets/{name}")).status, 200, "{name}");
    }
    let page = desktop.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-security-policy: default-src 'self'"), "{}", page.head);
    assert!(page.head.contains("x-frame-options: sameorigin"), "{}", page.head);
    // A second start shows the first one.
    let second = command(desktop.place.path(), &[]).output().unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(second.status.success() && said.contains("runs already"), "{said}");
    let (_, again) = said.split_once("open http://").unwrap();
    let again = format!("/{}", again.trim().split_once('/').unwrap().1);
    assert_eq!(desktop.client.get(&again).status, 303);
}

#[test]
fn files_come_as_forms_and_as_json() {
    let desktop = Desktop::start();
    let project = desktop.project("A");
    let path = format!("/projects/{project}/resources");
    let sent = desktop.form(&path, &[("file", Some("a.md"), b"# A\n")]).ok();
    assert_eq!(sent["resource"]["media_type"], "text/markdown");
    let id = sent["resource"]["id"].as_str().unwrap();
    let body = json!({ "name": "b.bin", "content_base64": "AAEC/w==" });
    assert_eq!(desktop.post(&path, &body).ok()["resource"]["bytes"], 4);
    let content = desktop.get(&format!("{path}/{id}"));
    assert_eq!(content.bytes, b"# A\n");
    assert!(content.head.contains("content-disposition: attachment"), "{}", content.head);
    for name in ["../a.md", "a/b", "a\u{7}b", "..", ".env", ""] {
        let body = json!({ "name": name, "content_base64": "" });
        let said = desktop.post(&path, &body).fails(422, "invalid_input");
        assert!(said.contains("name"), "{name:?}: {said}");
    }
    desktop.form(&path, &[("file", Some("../../etc/passwd"), b"x")]).fails(422, "invalid_input");
    desktop.form(&path, &[("other", None, b"x")]).fails(422, "invalid_input");
    desktop.form(&path, &[]).fails(422, "invalid_input");
    let twice: [(&str, Option<&str>, &[u8]); 2] =
        [("file", Some("a"), b"x"), ("file", Some("b"), b"y")];
    desktop.form(&path, &twice).fails(422, "invalid_input");
    let wrong = json!({ "name": "a", "content_base64": "***" });
    desktop.post(&path, &wrong).fails(422, "invalid_input");
    let kind = "multipart/form-data; boundary=x";
    desktop.send("POST", &path, kind, Some(b"--x\r\nnothing")).fails(400, "malformed");
    desktop.send("POST", &path, "text/plain", Some(b"x")).fails(415, "unsupported_format");
    let most = vec![b'x'; 25 << 20];
    assert_eq!(desktop.form(&path, &[("file", Some("most.txt"), &most)]).status, 200);
    let more = vec![b'y'; (25 << 20) + 1];
    desktop.form(&path, &[("file", Some("more.txt"), &more)]).fails(413, "too_large");
    let listed = desktop.get(&path).ok();
    assert_eq!(listed["resources"].as_array().unwrap().len(), 3, "{listed}");
}

#[test]
fn what_is_wrong_is_said_and_what_is_foreign_is_unknown() {
    let desktop = Desktop::start();
    let project = desktop.project("A");
    let session = desktop.session(&project);
    for (path, body, field) in [
        ("/projects", json!({}), "name"),
        ("/projects", json!({ "name": 7 }), "name"),
        ("/projects", json!({ "name": "  " }), "name"),
        ("/projects", json!({ "name": "b", "more": 1 }), "more"),
        (
            "/projects",
            json!({ "name": "b", "settings": { "thresholds": { "utility": 2 } } }),
            "utility",
        ),
        ("/sessions", json!({ "project_id": project, "ttl_sec": 0 }), "ttl_sec"),
        ("/sessions", json!({ "project_id": project, "bounds": { "max_tokens": -1 } }), "bounds"),
        ("/chat/send", json!({ "session_id": session }), "text"),
        ("/chat/send", json!({ "session_id": session, "text": " " }), "text"),
        ("/chat/send", json!({ "session_id": session, "text": "x".repeat(32_001) }), "text"),
        (
            "/chat/send",
            json!({ "session_id": session, "text": "a", "attachments": ["res_1"] }),
            "attachments",
        ),
        (
            "/usage/report",
            json!({ "session_id": session, "event_id": "" , "input_tokens": 1, "output_tokens": 1 }),
            "event_id",
        ),
        (
            "/usage/report",
            json!({ "session_id": session, "event_id": "a", "input_tokens": -1, "output_tokens": 1 }),
            "input_tokens",
        ),
        (
            "/devices/register",
            json!({ "user_id": "u", "fingerprint": "ab", "name": "n", "platform": "linux" }),
            "fingerprint",
        ),
        ("/workers/start", json!({ "session_id": session, "kind": "other" }), "kind"),
        ("/config", json!({ "config": { "port": "a" } }), "port"),
    ] {
        let said = desktop.post(path, &body).fails(422, "invalid_input");
        assert!(said.contains(field), "{path} {body}: {said}");
    }
    for path in [
        "/projects/prj_1/resources",
        "/sessions/ses_1/usage",
        "/sessions/ses_1/quality",
        "/chat/ses_1/history",
        "/chat/ses_1/receive",
        "/chat/ses_1/events",
        "/workers/ses_1",
        "/workers/wrk_1",
        "/devices/unknown",
    ] {
        desktop.get(path).fails(404, "not_found");
    }
    // A session is not a project, and the other way round.
    desktop.get(&format!("/projects/{session}")).fails(404, "not_found");
    desktop.get(&format!("/chat/{project}/history")).fails(404, "not_found");
    let key = json!({ "key": "svc_live_aaaaaaaaaaaa_none" });
    for _ in 0..2 {
        desktop.post("/apikey/validate", &key).fails(401, "unauthorized");
    }
    desktop.post("/projects", &json!({ "name": "a" })).fails(409, "conflict");
}

#[test]
fn a_killed_server_goes_on_with_everything() {
    let desktop = Desktop::start();
    let project = desktop.project("A");
    let path = format!("/projects/{project}/resources");
    desktop
        .form(&path, &[("file", Some("a.md"), b"The director of the mill is Ann Smith.\n")])
        .ok();
    let session = desktop.session(&project);
    let worker = json!({ "session_id": session, "kind": "script", "script": "1 + 1",
        "schedule": "0 0 1 1 *" });
    desktop.post("/workers/start", &worker).ok();
    for no in 0..5 {
        let text = format!("Who is the director of the mill{}", "?".repeat(no + 1));
        desktop.post("/chat/send", &json!({ "session_id": session, "text": text })).ok();
    }
    let token = desktop.token.clone();
    let port = desktop.client.port();
    let mut place = desktop.kill();
    for wait in [0, 30, 200] {
        let desktop = Desktop::at(place, &[]);
        std::thread::sleep(Duration::from_millis(wait));
        place = desktop.kill();
    }
    let desktop = Desktop::at(place, &[]);
    assert_eq!((&desktop.token, desktop.client.port()), (&token, port), "the browser stays let in");
    until(|| desktop.history(&session).iter().all(|it| it["state"] == "complete"));
    let history = desktop.history(&session);
    assert_eq!(history.len(), 10);
    for answer in history.iter().filter(|it| it["role"] == "assistant") {
        assert!(answer["text"].as_str().unwrap().contains("Ann Smith"), "{answer}");
        assert_eq!(answer["calls"].as_array().unwrap().len(), 1, "{answer}");
        let run = answer["calls"][0]["run_id"].as_str().unwrap();
        assert_eq!(desktop.get(&format!("/runs/{run}")).ok()["state"], "ok");
    }
    let used = desktop.get(&format!("/sessions/{session}/usage")).ok();
    assert_eq!(used["by"].as_array().unwrap().len(), 1, "{used}");
    let workers = desktop.get(&format!("/workers/{session}")).ok();
    assert_eq!(workers["workers"][0]["stats"]["runs"], 0, "{workers}");
}

#[test]
fn answers_come_as_events() {
    let desktop = Desktop::start();
    let session = desktop.session(&desktop.project("A"));
    let sent = desktop.post("/chat/send", &json!({ "session_id": session, "text": "2+2?" })).ok();
    let mut stream = desktop.client.open();
    let (host, token) = (desktop.client.host(), &desktop.token);
    write!(
        stream,
        "GET /chat/{session}/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();
    let reply = sent["reply_id"].as_str().unwrap();
    let mut seen = String::new();
    let mut part = [0; 4096];
    while !(seen.contains(reply) && seen.contains("\"state\":\"complete\",\"calls\":[{")) {
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "{seen}");
        seen += &String::from_utf8_lossy(&part[..read]);
    }
    assert!(seen.contains("event: message\ndata: {"), "{seen}");
    // Polling has the same.
    let path = format!("/chat/{session}/receive?wait_sec=10");
    let polled = desktop.get(&path).ok();
    assert_eq!((&polled["done"], &polled["pending"]), (&true.into(), &0.into()));
    assert_eq!(polled["messages"][1]["id"], reply);
}

#[test]
fn the_editor_checks_completes_plans_and_runs() {
    let desktop = Desktop::start();
    let project = desktop.project("A");
    let path = format!("/projects/{project}/resources");
    desktop.form(&path, &[("file", Some("a.txt"), b"one two three")]).ok();
    let of = |what: &str, text: &str| {
        let body = json!({ "text": text, "project_id": project });
        desktop.post(&format!("/editor/{what}"), &body)
    };
    let found = of("check", "let a = 1\n\"é\" >> uper").ok();
    assert_eq!(found["problems"], 1, "{found}");
    let problem = &found["diagnostics"].as_array().unwrap()[0];
    assert_eq!((&problem["start"], &problem["end"]), (&17.into(), &21.into()), "{problem}");
    assert_eq!(problem["fix"]["edits"][0]["text"], "upper", "{problem}");
    let body = json!({ "text": "\"a\" >> upp", "at": 10, "project_id": project });
    let items = desktop.post("/editor/complete", &body).ok();
    let labels: Vec<&str> =
        items["items"].as_array().unwrap().iter().filter_map(|it| it["label"].as_str()).collect();
    assert!(labels.contains(&"upper"), "{labels:?}");
    let planned = of("plan", "read_text(path: \"a.txt\") >> words >> len").ok();
    assert_eq!(planned["plan"]["result"], "int", "{planned}");
    let drawn = of("draw", "read_text(path: \"a.txt\") >> words >> len").ok();
    assert!(drawn["svg"].as_str().unwrap().starts_with("<svg"), "{drawn}");
    assert_eq!(of("draw", "uper").ok()["svg"], Value::Null);
    assert_eq!(of("format", "1+1").ok()["text"], "1 + 1\n");
    let run = of("run", "read_text(path: \"a.txt\") >> words >> len").ok();
    let run = format!("/runs/{}", run["run_id"].as_str().unwrap());
    until(|| desktop.get(&run).ok()["state"] == "ok");
    let view = desktop.get(&run).ok();
    assert_eq!(view["result"], 3, "{view}");
    // A script without a name is called after its first comment.
    of("run", "# Counts nothing.\n[] >> len").ok();
    until(|| desktop.get("/runs").ok()["runs"][0]["title"] == "Counts nothing.");
    let unnamed = of("run", "svc 1\n[1] >> len").ok();
    let unnamed = format!("/runs/{}", unnamed["run_id"].as_str().unwrap());
    until(|| desktop.get(&unnamed).ok()["title"] == "[1] >> len");
    // Nothing outside of the project is seen.
    let outside = of("run", "read_text(path: \"/etc/passwd\")").ok();
    let outside = format!("/runs/{}", outside["run_id"].as_str().unwrap());
    until(|| desktop.get(&outside).ok()["state"] == "failed");
}

#[test]
fn a_run_in_the_queue_is_listed_by_its_title() {
    let desktop = Desktop::start();
    let project = desktop.project("A");
    let begin = |number: usize| {
        let text = format!("svc 1\n# Waits, number {number}\n{number} >> wait(duration: 1m)");
        let run = desktop.post("/editor/run", &json!({ "text": text, "project_id": project })).ok();
        run["run_id"].as_str().unwrap().to_owned()
    };
    // More than run at the same time.
    let runs: Vec<String> = (0..40).map(begin).collect();
    let view = |run: &str| desktop.get(&format!("/runs/{run}")).ok();
    let last = view(&runs[39]);
    assert_eq!((&last["state"], &last["title"]), (&"queued".into(), &"Waits, number 39".into()));
    let listed = desktop.get("/runs?state=queued&limit=1").ok();
    let (row, rows) = (&listed["runs"][0], listed["runs"].as_array().unwrap().len());
    assert_eq!((&row["title"], rows), (&"Waits, number 39".into(), 1), "{listed}");
    assert_eq!(row["started"], Value::Null, "{listed}");
    // One that has begun says so, and when.
    until(|| view(&runs[0])["state"] == "running");
    let first = view(&runs[0]);
    assert_eq!(first["title"], "Waits, number 0", "{first}");
    assert!(first["started_at"].is_string(), "{first}");
}

#[test]
fn two_starts_in_the_same_moment_are_one_desktop() {
    let place = tempfile::tempdir().unwrap();
    let start = || command(place.path(), &[]).spawn().unwrap();
    let mut both = [start(), start()];
    // One of them shows the page of the other one, and ends.
    let is_over = |it: &mut Child| it.try_wait().unwrap().is_some();
    until(|| both.iter_mut().any(is_over));
    let ended = both.iter_mut().position(|it| it.try_wait().unwrap().is_some()).unwrap();
    let mut said = String::new();
    both[ended].stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("runs already"), "{said}");
    let other = &mut both[1 - ended];
    assert!(!is_over(other));
    other.kill().unwrap();
    other.wait().unwrap();
    // A folder that cannot be one is named.
    std::fs::write(place.path().join("file"), "").unwrap();
    let mut wrong = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    wrong.args(["desktop", "--no-browser", "--data", "file"]).current_dir(place.path());
    let said = String::from_utf8(wrong.output().unwrap().stderr).unwrap();
    assert!(said.contains("cannot use `file") && said.contains("help: "), "{said}");
}

#[test]
fn a_data_folder_has_the_database_of_its_desktop() {
    let store = tempfile::tempdir().unwrap();
    let file = store.path().join("runs.db");
    let start = || {
        let place = tempfile::tempdir().unwrap();
        let mut command = command_in(place.path(), "own", &["--store", file.to_str().unwrap()]);
        Desktop::of(&mut command, place, "own")
    };
    let (one, two) = (start(), start());
    one.project("Boats");
    assert_eq!(two.get("/projects").ok()["projects"], json!([]));
    for desktop in [&one, &two] {
        assert!(desktop.place.path().join("own/service.db").exists());
    }
    assert!(!store.path().join("service").exists());
    // The command line finds what is in the folder.
    let mut listed = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    listed
        .args(["jobs", "--store", file.to_str().unwrap(), "--data"])
        .arg(one.place.path().join("own"));
    assert!(listed.output().unwrap().status.success());
}

#[test]
fn a_database_at_its_earlier_place_is_named() {
    let place = tempfile::tempdir().unwrap();
    let before = Desktop::start();
    let database = before.place.path().join("service");
    std::fs::create_dir(place.path().join("own")).unwrap();
    std::fs::write(place.path().join("own/desktop.port"), "1\n").unwrap();
    let store = before.place.path().join("runs.db");
    let mut command = command_in(place.path(), "own", &["--store", store.to_str().unwrap()]);
    let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(said.contains(database.to_str().unwrap()) && said.contains("`service.db`"), "{said}");
    assert!(!place.path().join("own/service.db").exists());
}

#[test]
fn the_events_of_a_closed_session_end() {
    let desktop = Desktop::start();
    let session = desktop.session(&desktop.project("A"));
    desktop.post("/chat/send", &json!({ "session_id": session, "text": "hello" })).ok();
    desktop.post(&format!("/sessions/{session}/close"), &json!({})).ok();
    // The client reads until the server closes.
    let events = desktop.get(&format!("/chat/{session}/events"));
    assert!(events.body.contains("event: message\n"), "{events:?}");
    assert!(events.body.contains("event: end\n"), "{events:?}");
}
