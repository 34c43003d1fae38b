//! Keys and roles: who is let in, what they may do, and what they see of others.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Answer, Server, until};
use crate::models::{self, PRICES, provider::finishes};

const UPPER: &str = r#"{"op": "upper", "params": {"text": "a"}}"#;

/// A server whose keys are in a folder of its own.
fn server(args: &[&str]) -> Server {
    Server::with(&super::SCRIPTS, &[&["--data", ".service"], args].concat())
}

/// Runs `svc` on the folder of a server's keys.
pub(super) fn svc(place: &Path, args: &[&str]) -> (Option<i32>, String) {
    let done = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(args)
        .args(["--data", ".service"])
        .current_dir(place)
        .output()
        .unwrap();
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

impl Server {
    pub(super) fn issue(&self, owner: &str, role: &str) -> String {
        let args = ["keys", "issue", "--owner", owner, "--role", role];
        let (code, key) = svc(self.place.path(), &args);
        assert_eq!(code, Some(0));
        // A running server notices the first key, as any other, a moment later.
        until(|| self.get("/components").status == 401);
        std::thread::sleep(Duration::from_millis(300));
        key.trim().to_owned()
    }

    pub(super) fn as_key(&self, key: &str, method: &str, path: &str, body: Option<&str>) -> Answer {
        let bearer = format!("Bearer {key}");
        let body = body.map(str::as_bytes);
        self.client.send(method, path, &[("Authorization", &bearer)], body)
    }

    fn upper(&self, key: &str) -> Answer {
        self.as_key(key, "POST", "/invoke/text", Some(UPPER))
    }

    /// Runs a script that a key sends.
    fn sent(&self, key: &str, script: &str) -> Answer {
        let body = json!({ "script": script }).to_string();
        self.as_key(key, "POST", "/tools/run_pipeline", Some(&body))
    }
}

/// The id in a key.
pub(super) fn id(key: &str) -> &str {
    key.split('_').nth(2).unwrap()
}

/// A key with another secret.
fn wrong(key: &str) -> String {
    let last = if key.ends_with('a') { "b" } else { "a" };
    format!("{}{last}", &key[..key.len() - 1])
}

/// A key with another secret, whose check is right: somebody tries.
fn guess(key: &str) -> String {
    let body = format!("{}{}", &key[..22], "0".repeat(32));
    let crc = body.bytes().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(byte), |it, _| {
            (it >> 1) ^ (0xedb8_8320 & (it & 1).wrapping_neg())
        })
    });
    let mut rest = !crc;
    let mut check = [b'0'; 6];
    for sign in check.iter_mut().rev() {
        *sign =
            b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[rest as usize % 62];
        rest /= 62;
    }
    body + std::str::from_utf8(&check).unwrap()
}

#[test]
fn the_first_key_closes_the_door() {
    let server = server(&[]);
    assert_eq!(server.post("/invoke/text", UPPER).ok()["result"], "A");
    let key = server.issue("ann", "builder");
    let missing = server.post("/invoke/text", UPPER);
    assert!(missing.fails(401, "unauthorized").contains("Authorization: Bearer KEY"));
    assert!(missing.head.contains("\r\nwww-authenticate: bearer"), "{}", missing.head);
    assert_eq!(server.upper(&key).ok()["result"], "A");
    // Everyone may know the state of the server.
    assert_eq!(server.get("/health").status, 200);
    let document = server.get("/openapi.json").ok();
    assert!(document["paths"]["/scripts/{name}"].is_object(), "the names of scripts need a key");
    let document = server.as_key(&key, "GET", "/openapi.json", None).ok();
    assert!(document["paths"]["/scripts/{name}"].is_null(), "a key sees its scripts");
    assert_eq!(server.as_key("svc_live_x", "GET", "/openapi.json", None).status, 401);

    // The name of those who need no key is not free.
    let args = ["keys", "issue", "--owner", "local", "--role", "free"];
    assert_eq!(svc(server.place.path(), &args).0, Some(2));
    let expired = {
        let args = ["keys", "issue", "--owner", "ann", "--role", "builder", "--days", "0"];
        svc(server.place.path(), &args).0
    };
    assert_eq!(expired, Some(2), "a key lives at least a day");
    let (code, _) = svc(server.place.path(), &["keys", "revoke", id(&key)]);
    assert_eq!(code, Some(0));
    let begun = Instant::now();
    until(|| server.upper(&key).status == 401);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    // One answer for all of them, and none at once.
    let other = wrong(&key);
    for bad in [key.as_str(), &other, "nonsense", "", "svc_live_"] {
        let begun = Instant::now();
        let answer = server.upper(bad);
        assert_eq!(answer.fails(401, "unauthorized"), "invalid API key null null", "{bad}");
        assert!(begun.elapsed() >= Duration::from_millis(250), "{bad}: {:?}", begun.elapsed());
    }
}

#[test]
fn guesses_lock_a_key_for_their_address_also_after_a_restart() {
    let first = server(&["--behind-proxy", "127.0.0.1"]);
    let (key, other) = (first.issue("ann", "builder"), first.issue("bob", "builder"));
    let bad = guess(&key);
    let from = |server: &Server, key: &str, address: &str| {
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", bearer.as_str()), ("X-Forwarded-For", address)];
        server.client.send("POST", "/invoke/text", &headers, Some(UPPER.as_bytes()))
    };
    for _ in 0..5 {
        from(&first, &bad, "192.0.2.1").fails(401, "unauthorized");
    }
    let locked = |server: &Server| {
        let answer = from(server, &key, "192.0.2.1");
        answer.fails(429, "rate_limit");
        assert!(answer.head.contains("\r\nretry-after: "), "{}", answer.head);
        // Neither another key of this address, nor this key elsewhere.
        assert_eq!(from(server, &other, "192.0.2.1").status, 200);
        assert_eq!(from(server, &key, "192.0.2.2").status, 200);
    };
    locked(&first);
    let again = Server::at(first.kill(), &["--data", ".service", "--behind-proxy", "127.0.0.1"]);
    locked(&again);
    let (code, _) = svc(again.place.path(), &["keys", "unlock", id(&key)]);
    assert_eq!(code, Some(0));
    until(|| from(&again, &key, "192.0.2.1").status == 200);
}

#[test]
fn each_tier_has_its_tools_and_no_others() {
    let mut policy = "version = 1\n".to_owned();
    for role in ["free", "researcher", "builder", "admin"] {
        policy += &format!("[roles.{role}]\nper_minute = 60000\nburst = 10000\n");
    }
    let server = Server::with(&[(".service/access.toml", &policy)], &["--data", ".service"]);
    let table: Value = serde_json::from_slice(
        &Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(["tools", "--json"])
            .output()
            .unwrap()
            .stdout,
    )
    .unwrap();
    let tiers = ["free", "researcher", "builder", "admin"];
    let keys = tiers.map(|it| server.issue(it, it));
    for (idx, key) in keys.iter().enumerate() {
        let listed = server.as_key(key, "GET", "/tools", None).ok();
        let listed: Vec<&str> = listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        for tool in table.as_array().unwrap() {
            let (name, tier) = (tool["name"].as_str().unwrap(), tool["tier"].as_str().unwrap());
            let Some(needed) = tiers.iter().position(|it| *it == tier) else { continue };
            let is_listed = listed.contains(&name);
            assert_eq!(is_listed, needed <= idx, "{name} of {tier} for {}", tiers[idx]);
            if needed <= idx {
                continue;
            }
            // By its name, as an op, in steps, in a script that is sent, and through a meta tool.
            let (component, op) = tool["op"].as_str().unwrap().split_once('.').unwrap();
            let params = example(&tool["input_schema"]);
            let step = json!({ "component": component, "op": op, "params": params });
            for (path, body) in [
                (format!("/tools/{name}"), params.clone()),
                (format!("/invoke/{component}"), json!({ "op": op, "params": params })),
                ("/pipeline".to_owned(), json!({ "steps": [step] })),
                ("/tools/invoke_component".to_owned(), step.clone()),
                ("/tools/run_pipeline".to_owned(), json!({ "steps": [step] })),
            ] {
                let answer = server.as_key(key, "POST", &path, Some(&body.to_string()));
                // The params of an op may be refused first, since they are not those that it wants.
                if answer.status != 422 || path.starts_with("/tools/") && path.ends_with(name) {
                    let said = answer.fails(403, "denied");
                    assert!(said.contains(&format!("needs the tier {tier}")), "{path}: {said}");
                }
            }
        }
    }
    // No key may run a program.
    for key in &keys {
        server.sent(key, r#"exec("touch", args: ["/tmp/never"])"#).fails(403, "denied");
        server
            .sent(key, r#"if false { ("touch" >> exec).stdout } else { "x" }"#)
            .fails(403, "denied");
    }
}

/// Params that a schema accepts.
fn example(schema: &Value) -> Value {
    let mut params = serde_json::Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for name in required.iter().map(|it| it.as_str().unwrap()) {
        let of = &schema["properties"][name];
        let value = match of["type"].as_str() {
            Some("string") => of["enum"].get(0).cloned().unwrap_or_else(|| json!("text")),
            Some("integer" | "number") => of.get("minimum").cloned().unwrap_or_else(|| json!(1)),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            _ => json!({}),
        };
        params.insert(name.to_owned(), value);
    }
    Value::Object(params)
}

#[test]
fn owners_see_nothing_of_each_other() {
    let server = server(&["--share", "reports"]);
    let (ann, bob) = (server.issue("ann", "builder"), server.issue("bob", "builder"));
    let run = server.as_key(&ann, "POST", "/scripts/reports_by_day", Some("{}")).ok();
    let run = run["run_id"].as_str().unwrap();
    assert_eq!(server.as_key(&ann, "GET", &format!("/runs/{run}"), None).status, 200);
    let body = Some("{}");
    for (method, path, body) in [
        ("GET", "", None),
        ("GET", "/events", None),
        ("GET", "/page", None),
        ("GET", "/why", None),
        ("POST", "/cancel", body),
        ("POST", "/resume", body),
    ] {
        let path = format!("/runs/{run}{path}");
        server.as_key(&bob, method, &path, body).fails(404, "not_found");
    }
    assert_eq!(server.as_key(&bob, "GET", "/runs", None).ok()["runs"], json!([]));
    assert_eq!(server.as_key(&ann, "GET", "/runs", None).ok()["runs"].as_array().unwrap().len(), 1);

    // Files: the same names are other files.
    let write = r#""of ann" >> write_file(to: "note.txt")"#;
    server.sent(&ann, write).ok();
    assert_eq!(server.sent(&ann, r#"read_text(path: "note.txt")"#).ok()["result"], "of ann");
    server.sent(&bob, r#"read_text(path: "note.txt")"#).fails(404, "not_found");
    // Neither of the server, whose scripts and keys are files as well.
    for path in [
        "word-count.svc",
        "/etc/passwd",
        "../../../service.db",
        "../../ann/files/note.txt",
        ".service/pepper",
    ] {
        let script = format!("read_text(path: {})", json!(path));
        let said = server.sent(&bob, &script).fails(404, "not_found");
        assert!(!said.contains(&server.place.path().display().to_string()), "{said}");
    }
    // What is shared can be read, and not be written.
    server.sent(&bob, r#"read_text(path: "reports/by_day.svc")"#).ok();
    server.sent(&bob, r#""x" >> write_file(to: "reports/by_day.svc")"#).fails(403, "denied");
    assert!(fs::read_to_string(server.place.path().join("reports/by_day.svc")).unwrap().len() > 9);
}

#[test]
fn limits_of_a_role_are_held_and_told() {
    let policy = "version = 1\n[roles.free]\nper_minute = 60\nburst = 3\nper_day = 100\nmax_result = \"1KiB\"\ntools = [\"*\", \"!word_count\"]\n[roles.builder]\nat_once = 1\n";
    let scripts = [&super::SCRIPTS[..], &[(".service/access.toml", policy)]].concat();
    let server = Server::with(&scripts, &["--data", ".service"]);
    let (free, builder) = (server.issue("ann", "free"), server.issue("bob", "builder"));
    let answers: Vec<Answer> = (0..5).map(|_| server.upper(&free)).collect();
    assert_eq!(answers[0].status, 200);
    assert!(answers[0].head.contains("\r\nratelimit-limit: 60"), "{}", answers[0].head);
    let refused = answers.iter().find(|it| it.status == 429).expect("more than the burst");
    assert!(refused.fails(429, "rate_limit").starts_with("rate limit exceeded; retry in "));
    assert!(refused.head.contains("\r\nretry-after: 1"), "{}", refused.head);
    std::thread::sleep(Duration::from_secs(3));
    let large = server.sent(&free, "range(1, 2000)");
    assert!(large.fails(422, "exhausted").contains("limit is 1KiB"), "{}", large.body);
    std::thread::sleep(Duration::from_secs(1));
    let refused = server.as_key(&free, "POST", "/scripts/word_count", Some(r#"{"text": "a"}"#));
    assert!(refused.fails(403, "denied").contains("roles.free.tools: !word_count"));

    // At once: the second of two.
    let slow = server.as_key(&builder, "POST", "/scripts/slow?wait=0s", Some(r#"{"time": "3s"}"#));
    assert_eq!(slow.status, 202, "{}", slow.body);
    server.upper(&builder).fails(429, "rate_limit");
}

/// Asks, waits, and asks again.
const TWICE: &str = "param q: string
let one = q >> ask(max_tokens: 100)
let late = \"${one}\" >> wait(duration: 3s)
late >> ask(max_tokens: 100)";

/// A server whose model costs $0.0006 a call, and might cost $0.00304.
fn priced(policy: &str) -> (Server, models::server::Server) {
    let model = models::server::Server::start(vec![finishes("openai", "yes")]);
    let place = tempfile::tempdir().unwrap();
    super::write(place.path(), "prices.toml", PRICES);
    super::write(place.path(), "answer.svc", "param q: string\nq >> ask(max_tokens: 100)");
    super::write(place.path(), "twice.svc", TWICE);
    super::write(place.path(), ".service/access.toml", policy);
    (beside(place, &model), model)
}

/// A server that asks this model.
pub(super) fn beside(place: TempDir, model: &models::server::Server) -> Server {
    let url = format!("{}/v1", model.url);
    let variables = [
        ("SVC_MODEL", "openai/priced"),
        ("OPENAI_BASE_URL", url.as_str()),
        ("OPENAI_API_KEY", "sk-very-secret"),
        ("SVC_PRICES", "prices.toml"),
    ];
    Server::among(place, &["--data", ".service"], &variables)
}

#[test]
fn no_role_passes_its_money_however_many_call_at_once() {
    let policy = "version = 1\n[roles.builder]\nburst = 600\nmax_cost = \"$0.004\"\nmax_cost_per_day = \"$0.012\"\n[roles.free]\ntier = \"free\"\n";
    let (server, model) = priced(policy);
    let (ann, bob) = (server.issue("ann", "builder"), server.issue("bob", "builder"));
    let free = server.issue("cat", "free");
    // Without money, what costs is refused before it is asked.
    let refused = server.as_key(&free, "POST", "/scripts/answer", Some(r#"{"q": "a"}"#));
    refused.fails(402, "budget");
    assert_eq!(model.requests().len(), 0);

    let ask = |key: &str, way: usize| match way % 3 {
        0 => server.as_key(key, "POST", "/scripts/answer", Some(r#"{"q": "a"}"#)),
        1 => server.sent(key, r#""a" >> ask(max_tokens: 100)"#),
        _ => {
            let body = json!({ "op": "infer", "params": { "prompt": "a", "max_tokens": 100 } });
            server.as_key(key, "POST", "/invoke/llm_router", Some(&body.to_string()))
        }
    };
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let (ask, ann) = (&ask, ann.as_str());
        let callers: Vec<_> = (0..6)
            .map(|caller| {
                scope.spawn(move || {
                    (0..8).map(|it| ask(ann, caller + it).status).collect::<Vec<_>>()
                })
            })
            .collect();
        callers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let paid = model.requests().len();
    let done = statuses.iter().filter(|it| **it == 200).count();
    assert_eq!(paid, done, "{statuses:?}");
    assert!(statuses.iter().all(|it| matches!(it, 200 | 402)), "{statuses:?}");
    // What others reserve at the same time is not there, and comes back: then calls are paid until
    // less is left than one of them might cost.
    assert!((1..=15).contains(&paid), "{paid} calls were paid: {statuses:?}");
    // It is the owner's money, whatever the key; others have their own.
    let spent = |key: &str| (0..24).filter(|it| ask(key, *it).status == 200).count();
    let second = server.issue("ann", "builder");
    let whole = paid + spent(&second);
    assert_eq!(whole, 15, "{paid} of them at once");
    assert_eq!(spent(&bob), 15);
    // A restart gives nothing back.
    let server = beside(server.kill(), &model);
    let before = model.requests().len();
    let refused = server.as_key(&ann, "POST", "/scripts/answer", Some(r#"{"q": "b"}"#));
    refused.fails(402, "budget");
    assert_eq!(model.requests().len(), before);
}

#[test]
fn who_resumes_a_run_has_its_own_limits() {
    let policy = "version = 1\n[roles.rich]\ntier = \"builder\"\nmax_cost = \"$5\"\n[roles.poor]\ntier = \"builder\"\nmax_cost = \"$0.001\"\nmax_cost_per_day = \"$5\"\n";
    let (server, model) = priced(policy);
    let (rich, poor) = (server.issue("ann", "rich"), server.issue("ann", "poor"));
    let run = server.as_key(&rich, "POST", "/scripts/twice?wait=0s", Some(r#"{"q": "a"}"#));
    let run = run.json()["run_id"].as_str().unwrap().to_owned();
    until(|| model.requests().len() == 1);
    server.as_key(&rich, "POST", &format!("/runs/{run}/cancel"), Some("{}"));
    let path = format!("/runs/{run}");
    let state = || server.as_key(&rich, "GET", &path, None).ok()["state"].clone();
    until(|| state() == "cancelled");
    // $0.0006 are spent, and the second call might cost $0.003.
    server.as_key(&poor, "POST", &format!("{path}/resume"), Some("{}"));
    until(|| state() != "running" && state() != "queued");
    assert_eq!(model.requests().len(), 1, "{}", state());
    assert_ne!(state(), "ok");
}

#[test]
fn a_refined_job_pays_only_for_what_is_new() {
    let policy = "version = 1\n[roles.builder]\nmax_cost_per_day = \"$0.004\"\n";
    let (server, model) = priced(policy);
    let ann = server.issue("ann", "builder");
    let tool = |name: &str, args: Value| {
        server.as_key(&ann, "POST", &format!("/tools/{name}"), Some(&args.to_string())).ok()
    };
    let job =
        tool("job_submit", json!({ "job": "answer", "input": { "q": "a" } }))["job_id"].clone();
    let ended = || {
        until(|| tool("job_get_result", json!({ "job_id": job }))["state"] == "ok");
    };
    ended();
    tool("job_refine", json!({ "job_id": job, "changes": {} }));
    ended();
    assert_eq!(model.requests().len(), 1, "the call is taken over");
    // $0.0006 are spent, not twice: $0.0034 are left of the day, of which one call needs $0.00304.
    server.as_key(&ann, "POST", "/scripts/answer", Some(r#"{"q": "b"}"#)).ok();
}

#[test]
fn a_policy_is_read_again_and_a_wrong_one_is_not() {
    let server = server(&[]);
    let (ann, op) = (server.issue("ann", "free"), server.issue("op", "admin"));
    let file = server.place.path().join(".service/access.toml");
    let reload = || server.as_key(&op, "POST", "/admin/reload-policy", None);
    let before = reload().ok();
    assert_eq!(before["roles"], json!(["free", "researcher", "builder", "admin"]));
    let version = before["policy"].as_str().unwrap();
    assert_eq!(before["message"], format!("policy {version}: 4 roles"));
    // A call above the tier names the page of the prices.
    fs::write(&file, "version = 1\npricing = \"https://example.com/pricing\"\n").unwrap();
    reload().ok();
    let above = server.as_key(&ann, "GET", "/nav/discover?query=a", None).fails(403, "denied");
    let page = "nav_discover needs the tier researcher: see https://example.com/pricing";
    assert!(above.contains(page), "{above}");
    fs::write(&file, "version = 1\npricing = \"soon\"\n").unwrap();
    assert!(reload().fails(422, "invalid_input").contains("2:11: pricing"));
    fs::write(&file, "version = 1\n[roles.free]\nops = [\"*\", \"!text.*\"]\n").unwrap();
    assert_ne!(reload().ok()["policy"], before["policy"]);
    assert!(server.upper(&ann).fails(403, "denied").contains("roles.free.ops: !text.*"));
    fs::write(&file, "version = 1\n[roles.free]\nops = 3\n").unwrap();
    let said = reload().fails(422, "invalid_input");
    assert!(said.contains("3:7: roles.free.ops"), "{said}");
    server.upper(&ann).fails(403, "denied");
    // The operator of the machine uses a signal.
    fs::write(&file, "version = 1\n").unwrap();
    let id = i32::try_from(server.child.id()).unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(id).unwrap(),
        rustix::process::Signal::HUP,
    )
    .unwrap();
    until(|| server.upper(&ann).status == 200);
    server.as_key(&ann, "POST", "/admin/reload-policy", None).fails(403, "denied");
}

#[test]
fn every_decision_is_in_the_audit_and_no_secret() {
    let server = server(&[]);
    let key = server.issue("ann", "free");
    server.upper(&key).ok();
    server.upper(&wrong(&key)).fails(401, "unauthorized");
    server.sent(&key, r#"exec("ls")"#).fails(403, "denied");
    // A key in the arguments comes back nowhere.
    let params = json!({ "op": "upper", "params": { "text": 1, (key.as_str()): 2 } }).to_string();
    let said = server.as_key(&key, "POST", "/invoke/text", Some(&params));
    let secret = &key[22..];
    assert!(!said.body.contains(secret), "{}", said.body);
    // A decision is durable some milliseconds later.
    std::thread::sleep(Duration::from_millis(500));
    let place = server.kill();
    let (_, audit) = svc(place.path(), &["audit", "--json"]);
    let audit: Value = serde_json::from_str(&audit).unwrap();
    let rows: Vec<(&str, &str, &str)> = audit
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|it| {
            let of = |name: &str| it[name].as_str().unwrap();
            (of("work"), of("decision"), of("status"))
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("text.upper", "allow", "ok"),
            ("", "refuse", "unauthorized"),
            ("script", "refuse", "denied"),
        ]
    );
    let (code, shown) = svc(place.path(), &["audit", "--verify"]);
    assert!(code == Some(0) && shown.starts_with("3 entries, unbroken"), "{shown}");
    let mut open = vec![place.path().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
                continue;
            }
            let bytes = fs::read(entry.path()).unwrap();
            let is_there = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
            assert!(!is_there, "{}", entry.path().display());
        }
    }
}

#[test]
fn strangers_get_only_what_is_made_for_them() {
    let server = server(&["--hosted"]);
    assert_eq!(server.get("/health").status, 200);
    for path in ["/components", "/openapi.json", "/scripts", "/api/x"] {
        server.get(path).fails(404, "not_found");
    }
    let refused = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(["serve", "--bind", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(78));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("--behind-proxy"));
}
