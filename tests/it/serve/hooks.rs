//! Webhooks: signed requests start scripts once, and reports of jobs reach their receivers whatever
//! happens to the server.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};
use svc_signatures::Key;

use super::{SCRIPTS, Server, client::Answer, until};

const HOOKED: &str = "param payload: json\nparam event: string = \"none\"\n\
    param delivery: string = \"none\"\n\
    { event: event, delivery: delivery, payload: payload }";

/// A request that a receiver got.
#[derive(Clone, Debug)]
struct Received {
    headers: BTreeMap<String, String>,
    body: String,
}

impl Received {
    fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn is_signed_by(&self, secret: &str) -> bool {
        let key = Key::parse(secret).unwrap();
        let (time, all) = (&self.headers["webhook-timestamp"], &self.headers["webhook-signature"]);
        let age = now() - time.parse::<i64>().unwrap();
        age.abs() < 60 && key.has_signed(self.id(), time, self.body.as_bytes(), all)
    }
}

/// A receiver of reports, which answers with these heads one after the other, the last one again and
/// again.
struct Receiver {
    port: u16,
    all: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    fn new(answers: &[&str]) -> Self {
        Self::slow(answers, Duration::ZERO)
    }

    fn slow(answers: &[&str], pause: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, all) = (listener.local_addr().unwrap().port(), Arc::default());
        let answers: Vec<String> = answers.iter().map(|it| (*it).to_owned()).collect();
        let kept: Arc<Mutex<Vec<Received>>> = Arc::clone(&all);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, kept) = (answers.clone(), kept.clone());
                std::thread::spawn(move || Self::answer(stream, &answers, pause, &kept));
            }
        });
        Self { port, all }
    }

    fn answer(stream: TcpStream, answers: &[String], pause: Duration, kept: &Mutex<Vec<Received>>) {
        let mut reader = BufReader::new(stream);
        let (mut line, mut headers) = (String::new(), BTreeMap::new());
        while reader.read_line(&mut line).is_ok_and(|it| it > 2) {
            if let Some((name, value)) = line.trim().split_once(": ") {
                headers.insert(name.to_lowercase(), value.to_owned());
            }
            line.clear();
        }
        let Some(size) = headers.get("content-length").and_then(|it| it.parse().ok()) else {
            return;
        };
        let mut body = vec![0; size];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let number = {
            let mut kept = kept.lock().unwrap();
            kept.push(Received { headers, body: String::from_utf8(body).unwrap() });
            kept.len()
        };
        std::thread::sleep(pause);
        let head = &answers[(number - 1).min(answers.len() - 1)];
        let _ = write!(
            reader.get_mut(),
            "HTTP/1.1 {head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/reports", self.port)
    }

    fn all(&self) -> Vec<Received> {
        self.all.lock().unwrap().clone()
    }

    fn wait_for(&self, count: usize) -> Vec<Received> {
        until(|| self.all().len() >= count);
        self.all()
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

fn server() -> Server {
    let mut all = SCRIPTS.to_vec();
    all.push(("hooked.svc", HOOKED));
    all.push(("asks.svc", "\"x\" >> approve(question: \"Really?\")"));
    Server::with(&all, &[])
}

/// The output of a command on the folders of a server.
fn svc(server: &Server, args: &[&str], variables: &[(&str, &str)]) -> String {
    let done = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(args)
        .current_dir(server.place.path())
        .env("SVC_CACHE", server.place.path().join(".cache"))
        .env("SVC_STORE", server.place.path().join(".runs/runs.db"))
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A signed request.
fn hook(server: &Server, script: &str, secret: &str, id: &str, time: i64, body: &str) -> Answer {
    let (time, key) = (time.to_string(), Key::parse(secret).unwrap());
    let signature = key.sign(id, &time, body.as_bytes());
    let headers = [
        ("webhook-id", id),
        ("webhook-timestamp", time.as_str()),
        ("webhook-signature", signature.as_str()),
    ];
    server.client.send("POST", &format!("/hooks/{script}"), &headers, Some(body.as_bytes()))
}

fn result(server: &Server, job: &str) -> Value {
    let args = json!({ "job_id": job, "wait": "20s" }).to_string();
    server.post("/tools/job_get_result", &args).ok()
}

fn accepted(answer: &Answer) -> String {
    assert_eq!(answer.status, 202, "{}", answer.body);
    answer.json()["job_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_signed_request_starts_a_script_once() {
    let server = server();
    // Nothing is hooked yet.
    hook(&server, "word_count", "whsec_AAAA", "m", now(), "{}").fails(401, "unauthorized");
    let secret = svc(&server, &["hooks", "add", "word_count"], &[]);
    assert!(secret.starts_with("whsec_"), "{secret}");
    let body = r#"{"text":"one two"}"#;
    let send =
        |id: &str, time: i64, body: &str| hook(&server, "word_count", &secret, id, time, body);
    until(|| send("first", now(), body).status == 202);
    let job = accepted(&send("first", now(), body));
    let view = result(&server, &job);
    assert_eq!((&view["state"], &view["result"]["words"]), (&"ok".into(), &2.into()), "{view}");
    // The same id is the same job, also with a new time and signature.
    assert_eq!(accepted(&send("first", now() - 1, body)), job);
    assert_ne!(accepted(&send("second", now(), body)), job);
    send("first", now(), r#"{"text":"other"}"#).fails(422, "invalid_input");
    // Mistakes of the sender are those of any call.
    send("third", now(), r#"{"txt":"a"}"#).fails(422, "invalid_input");
    // Others cannot sign, and an old request is not taken.
    hook(&server, "word_count", "whsec_AAAA", "x", now(), body).fails(401, "unauthorized");
    hook(&server, "by_day", &secret, "x", now(), "{}").fails(401, "unauthorized");
    for time in [now() - 301, now() + 330] {
        let said = send("old", time, body).fails(401, "unauthorized");
        assert!(said.contains("(limit 300 s)"), "{said}");
    }
    server.post("/hooks/word_count", body).fails(401, "unauthorized");
    // A removed hook lets no one in.
    let all: Value =
        serde_json::from_str(&svc(&server, &["hooks", "list", "--json"], &[])).unwrap();
    let id = all[0]["id"].as_str().unwrap();
    assert_eq!(svc(&server, &["hooks", "secret", id], &[]), secret);
    svc(&server, &["hooks", "remove", id], &[]);
    send("fourth", now(), body).fails(401, "unauthorized");
}

#[test]
fn a_repeated_request_is_known_after_a_crash() {
    let server = server();
    let secret = svc(&server, &["hooks", "add", "word_count"], &[]);
    let body = r#"{"text":"one two"}"#;
    let send = |server: &Server| hook(server, "word_count", &secret, "only", now(), body);
    until(|| send(&server).status == 202);
    let job = accepted(&send(&server));
    let server = Server::at(server.kill(), &[]);
    assert_eq!(accepted(&send(&server)), job);
    let all = server.post("/tools/job_workbench_list", "{}").ok();
    assert_eq!(all["jobs"].as_array().unwrap().len(), 1, "{all}");
}

/// A hook of GitHub, whose secret the operator has chosen, and a script that gets the whole payload.
#[test]
fn requests_of_github_are_taken() {
    const SECRET: &str = "It's a Secret to Everybody";
    if github(SECRET, "").is_none() {
        return crate::skipped("no openssl");
    }
    let github = |secret: &str, body: &str| github(secret, body).unwrap();
    let variables = [("SVC_SECRET_GITHUB_HOOK", SECRET)];
    let mut all = SCRIPTS.to_vec();
    all.push(("hooked.svc", HOOKED));
    let place = tempfile::tempdir().unwrap();
    for (name, text) in all {
        super::write(place.path(), name, text);
    }
    let server = Server::among(place, &[], &variables);
    let added = ["hooks", "add", "hooked", "--github", "--secret", "github_hook"];
    assert_eq!(svc(&server, &added, &variables), "");
    let send = |body: &str, signature: &str| {
        let headers = [
            ("x-hub-signature-256", signature),
            ("x-github-event", "push"),
            ("x-github-delivery", "d-1"),
        ];
        server.client.send("POST", "/hooks/hooked", &headers, Some(body.as_bytes()))
    };
    let body = r#"{"ref":"refs/heads/main"}"#;
    let right = github(SECRET, body);
    until(|| send(body, &right).status == 202);
    let view = result(&server, &accepted(&send(body, &right)));
    assert_eq!(
        view["result"],
        json!({ "event": "push", "delivery": "d-1", "payload": { "ref": "refs/heads/main" } })
    );
    assert_eq!(accepted(&send(body, &right)), view["job_id"].as_str().unwrap());
    send(r#"{"ref":"refs/heads/evil"}"#, &right).fails(401, "unauthorized");
    send(body, &github("another", body)).fails(401, "unauthorized");
    // Its secret signs no requests of the other form.
    let headers =
        [("webhook-id", "a"), ("webhook-timestamp", "1"), ("webhook-signature", "v1,AAAA")];
    let other = server.client.send("POST", "/hooks/hooked", &headers, Some(body.as_bytes()));
    other.fails(401, "unauthorized");
}

/// The signature of GitHub, as OpenSSL makes it.
fn github(secret: &str, body: &str) -> Option<String> {
    let key = secret.bytes().fold(String::new(), |all, it| format!("{all}{it:02x}"));
    let mut child = Command::new("openssl")
        .args(["dgst", "-sha256", "-mac", "HMAC", "-macopt", &format!("hexkey:{key}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    Some(format!("sha256={}", out.trim().rsplit(' ').next().unwrap()))
}

/// A hook has the rights of its owner's role, and its key can be revoked.
#[test]
fn a_hook_runs_as_its_owner_with_a_role() {
    let server = server();
    let json = |args: &[&str]| -> Value { serde_json::from_str(&svc(&server, args, &[])).unwrap() };
    let add = |script: &str, role: &str| {
        let added = json(&["hooks", "add", script, "--owner", "ann", "--role", role, "--json"]);
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        (text(&added["secret"]), text(&added["hook"]["key"]))
    };
    let body = r#"{"text":"one two"}"#;
    let (secret, key) = add("word_count", "builder");
    until(|| hook(&server, "word_count", &secret, "a", now(), body).status == 202);
    // Keys are needed now, and the hook of this machine's user has none.
    until(|| server.get("/scripts").status == 401);
    let local = svc(&server, &["hooks", "add", "word_count"], &[]);
    hook(&server, "word_count", &local, "b", now(), body).fails(403, "denied");
    let audit = json(&["audit", "--json"]);
    let mine = |it: &&Value| it["surface"] == "hook" && it["key"] == key.as_str();
    until(|| {
        let audit = json(&["audit", "--json"]);
        let jobs = audit.as_array().unwrap().iter();
        jobs.filter(|it| it["owner"] == "ann" && it["decision"] == "allow").count() > 0
    });
    assert!(audit.as_array().unwrap().iter().filter(mine).count() < 100);
    // The job is that of the owner.
    let reader = svc(&server, &["keys", "issue", "--owner", "ann", "--role", "researcher"], &[]);
    let bearer = format!("Bearer {reader}");
    let list = |header: &str| {
        let headers = [("authorization", header)];
        server.client.send("POST", "/tools/job_workbench_list", &headers, Some(b"{}"))
    };
    until(|| list(&bearer).status == 200);
    assert_eq!(list(&bearer).ok()["jobs"].as_array().unwrap().len(), 1);
    // Its key ends, and so does the hook.
    svc(&server, &["keys", "revoke", &key], &[]);
    until(|| hook(&server, "word_count", &secret, "c", now(), body).status == 401);
}

#[test]
fn wrong_signatures_lock_their_sender_out() {
    let server = server();
    let secret = svc(&server, &["hooks", "add", "word_count"], &[]);
    let send =
        |secret: &str, id: &str| hook(&server, "word_count", secret, id, now(), r#"{"text":"a"}"#);
    until(|| send(&secret, "a").status == 202);
    let statuses: Vec<u16> = (0..21).map(|it| send("whsec_AAAA", &it.to_string()).status).collect();
    assert_eq!((statuses[0], statuses[20]), (401, 429), "{statuses:?}");
    send(&secret, "b").fails(429, "rate_limit");
}

#[test]
fn the_end_of_a_job_is_reported() {
    let server = server();
    let receiver = Receiver::new(&["204 No Content"]);
    let query = format!("notify_url={}", receiver.url());
    let job = accepted(&server.post(&format!("/scripts/word_count?{query}"), r#"{"text":"a b"}"#));
    let first = receiver.wait_for(1).remove(0);
    let secret = server.get("/deliveries/secret").ok()["secret"].as_str().unwrap().to_owned();
    assert_eq!(svc(&server, &["hooks", "secret"], &[]), secret);
    assert!(first.is_signed_by(&secret), "{first:?}");
    let message = first.json();
    assert_eq!(
        (&message["type"], &message["data"]["job_id"]),
        (&"job.ok".into(), &job.as_str().into())
    );
    assert_eq!(message["data"]["result"], json!({ "words": 2 }));
    assert!(message["timestamp"].as_str().unwrap().contains('T'));
    // A failure, a cancelled job, a tool, and one that waits for a person.
    accepted(
        &server
            .post(&format!("/tools/guide_ask?{query}"), r#"{"query":"how are budgets enforced?"}"#),
    );
    let slow = accepted(&server.post(&format!("/scripts/slow?{query}"), "{}"));
    until(|| {
        server.post("/tools/job_workbench_open", &json!({ "job_id": slow }).to_string()).ok()["state"]
            == "running"
    });
    server.post("/tools/job_workbench_cancel", &json!({ "job_id": slow }).to_string()).ok();
    accepted(&server.post(&format!("/scripts/slow?{query}&timeout=100ms"), "{}"));
    let submitted = json!({ "job": "asks", "notify_url": receiver.url() });
    server.post("/tools/job_submit", &submitted.to_string()).ok();
    let types = || -> Vec<String> {
        let mut all: Vec<String> = receiver
            .all()
            .iter()
            .map(|it| it.json()["type"].as_str().unwrap().to_owned())
            .collect();
        all.sort();
        all
    };
    until(|| types().len() == 5);
    assert_eq!(types(), ["job.cancelled", "job.failed", "job.ok", "job.ok", "job.waiting"]);
    let waiting = receiver.all().into_iter().find(|it| it.json()["type"] == "job.waiting").unwrap();
    let id = waiting.json()["data"]["approvals"][0].as_str().unwrap().to_owned();
    server.post(&format!("/approvals/{id}"), r#"{"approve":true}"#).ok();
    until(|| types().len() == 6);
    let ids: std::collections::BTreeSet<String> =
        receiver.all().iter().map(|it| it.id().to_owned()).collect();
    assert_eq!(ids.len(), 6);
    until(|| {
        let all = server.get("/deliveries?state=delivered").ok();
        all["deliveries"].as_array().unwrap().len() == 6
    });
}

#[test]
fn a_report_is_tried_again_under_the_same_id() {
    let server = server();
    let receiver = Receiver::new(&["503 Busy\r\nRetry-After: 7", "200 OK"]);
    let query = format!("notify_url={}", receiver.url());
    accepted(&server.post(&format!("/scripts/word_count?{query}"), r#"{"text":"a"}"#));
    receiver.wait_for(1);
    let begun = std::time::Instant::now();
    let pending = || server.get("/deliveries").ok()["deliveries"][0].clone();
    until(|| pending()["status"] == 503);
    assert_eq!((&pending()["state"], &pending()["tries"]), (&"pending".into(), &1.into()));
    let all = receiver.wait_for(2);
    assert!(begun.elapsed() > Duration::from_secs(6), "it was asked to wait");
    assert_eq!((all[0].id(), &all[0].body), (all[1].id(), &all[1].body));
    until(|| pending()["state"] == "delivered");
    // It can be sent again, by the caller and by the operator.
    let id = all[0].id().to_owned();
    server.post(&format!("/deliveries/{id}/resend"), "").ok();
    receiver.wait_for(3);
    until(|| pending()["state"] == "delivered");
    svc(&server, &["hooks", "resend", &id], &[]);
    let all = receiver.wait_for(4);
    assert!(all.iter().all(|it| it.id() == id));
    server.post("/deliveries/msg_none/resend", "").fails(404, "not_found");
}

#[test]
fn a_receiver_that_is_gone_gets_nothing_more_and_redirects_are_not_followed() {
    let server = server();
    let elsewhere = Receiver::new(&["200 OK"]);
    let redirect = format!("307 Temporary Redirect\r\nLocation: {}", elsewhere.url());
    let (gone, moved) = (Receiver::new(&["410 Gone"]), Receiver::new(&[&redirect]));
    for receiver in [&gone, &moved] {
        let query = format!("notify_url={}", receiver.url());
        accepted(&server.post(&format!("/scripts/word_count?{query}"), r#"{"text":"a"}"#));
    }
    let state = |port: u16| {
        let all = server.get("/deliveries").ok();
        let all = all["deliveries"].as_array().unwrap().clone();
        let is_of = |it: &Value| it["url"].as_str().unwrap().contains(&port.to_string());
        all.into_iter().find(is_of).unwrap_or_default()
    };
    until(|| state(gone.port)["state"] == "stopped");
    until(|| state(moved.port)["status"] == 307);
    assert!(state(moved.port)["error"].as_str().unwrap().contains("redirects are not followed"));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!((gone.all().len(), elsewhere.all().len()), (1, 0));
}

/// Callers with a key cannot make the server send to its own network; the operator can allow it.
#[test]
fn reports_stay_on_the_internet() {
    let receiver = Receiver::new(&["200 OK"]);
    let place = tempfile::tempdir().unwrap();
    for (name, text) in SCRIPTS {
        super::write(place.path(), name, text);
    }
    let allowed = format!("127.0.0.1:{}", receiver.port);
    let server = Server::at(place, &["--notify", &allowed]);
    let key = svc(&server, &["keys", "issue", "--owner", "ann", "--role", "builder"], &[]);
    let bearer = format!("Bearer {key}");
    let send = |url: &str| {
        let path = format!("/scripts/word_count?notify_url={url}");
        let headers = [("authorization", bearer.as_str())];
        server.client.send("POST", &path, &headers, Some(br#"{"text":"a"}"#))
    };
    until(|| server.get("/scripts").status == 401);
    for url in [
        "http://127.0.0.1:9/",
        "http://localhost:9/",
        "http://[::1]:9/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest",
        "http://192.168.1.1/",
        "http://0.0.0.0/",
        "ftp://example.com/",
        "http://2130706433/",
        "http://a@example.com/",
        "example.com",
        "http://[::ffff:127.0.0.1]/",
    ] {
        send(url).fails(422, "invalid_input");
    }
    assert_eq!(send(&receiver.url()).status, 202);
    let first = receiver.wait_for(1).remove(0);
    // Its secret is that of its owner.
    let secret = svc(&server, &["hooks", "secret", "--owner", "ann"], &[]);
    assert!(first.is_signed_by(&secret));
    // After a rotation both secrets sign.
    let new = svc(&server, &["hooks", "secret", "--owner", "ann", "--rotate"], &[]);
    assert_ne!(new, secret);
    assert_eq!(send(&receiver.url()).status, 202);
    let second = receiver.wait_for(2).remove(1);
    assert!(second.is_signed_by(&secret) && second.is_signed_by(&new));
    // Others see nothing of it.
    let other = svc(&server, &["keys", "issue", "--owner", "bob", "--role", "builder"], &[]);
    let id = first.id();
    let headers = [("authorization", format!("Bearer {other}"))];
    let headers = [("authorization", headers[0].1.as_str())];
    until(|| server.client.send("GET", "/deliveries", &headers, None).status == 200);
    let all = server.client.send("GET", "/deliveries", &headers, None).ok();
    assert_eq!(all["deliveries"], json!([]));
    let resend = format!("/deliveries/{id}/resend");
    server.client.send("POST", &resend, &headers, Some(b"")).fails(404, "not_found");
}

/// The server is killed at many moments: each job is reported, and always under one id.
#[test]
fn reports_survive_kill_9() {
    let receiver = Receiver::slow(&["200 OK"], Duration::from_millis(60));
    let query = format!("notify_url={}", receiver.url());
    let mut server = server();
    let mut jobs = Vec::new();
    for round in 0..14_u64 {
        for _ in 0..2 {
            let path = format!("/scripts/word_count?{query}");
            jobs.push(accepted(&server.post(&path, r#"{"text":"a b c"}"#)));
        }
        // From before the runs begin to after the answers of the receiver.
        std::thread::sleep(Duration::from_millis(round * 15));
        server = Server::at(server.kill(), &[]);
    }
    let reported = || -> BTreeMap<String, Vec<Received>> {
        let mut by_job: BTreeMap<String, Vec<Received>> = BTreeMap::new();
        for it in receiver.all() {
            let job = it.json()["data"]["job_id"].as_str().unwrap().to_owned();
            by_job.entry(job).or_default().push(it);
        }
        by_job
    };
    until(|| jobs.iter().all(|it| reported().contains_key(it)));
    until(|| {
        let all = server.get("/deliveries?state=delivered&limit=100").ok();
        all["deliveries"].as_array().unwrap().len() == jobs.len()
    });
    for (job, all) in reported() {
        assert!(all.iter().all(|it| it.id() == all[0].id() && it.body == all[0].body), "{job}");
        assert_eq!(all[0].json()["type"], "job.ok");
    }
}
