//! `/mcp` of `svc serve`: the same over HTTP, with keys.

use serde_json::{Value, json};

use super::{ASKS, SCRIPTS, lines};
use crate::serve::{Server, client::Answer, keys, until};

const NEW: &str = "2026-07-28";

fn server(args: &[&str]) -> Server {
    let mut all = SCRIPTS.to_vec();
    all.push(("asks.svc", ASKS));
    Server::with(&all, &[&["--data", ".service"], args].concat())
}

/// A request of the revision without sessions.
fn body(method: &str, params: &Value, capabilities: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn sent(server: &Server, path: &str, more: &[(&str, &str)], body: &Value) -> Answer {
    let name =
        body["params"]["name"].as_str().or(body["params"]["uri"].as_str()).map(str::to_owned);
    let mut headers = vec![
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", NEW),
        ("Mcp-Method", body["method"].as_str().unwrap()),
    ];
    headers.extend(name.as_deref().map(|it| ("Mcp-Name", it)));
    headers.extend(more);
    server.client.send("POST", path, &headers, Some(body.to_string().as_bytes()))
}

/// The message in an answer, which may be a stream of events.
#[track_caller]
fn message(answer: &Answer) -> Value {
    let last = answer.body.lines().filter_map(|it| it.strip_prefix("data: ")).next_back();
    serde_json::from_str(last.unwrap_or(&answer.body)).unwrap_or_else(|_| panic!("{answer:?}"))
}

#[track_caller]
fn call(server: &Server, name: &str, args: &Value) -> Value {
    let params = json!({ "name": name, "arguments": args });
    let answer = sent(server, "/mcp", &[], &body("tools/call", &params, &json!({})));
    assert_eq!(answer.status, 200, "{answer:?}");
    message(&answer)["result"].clone()
}

#[test]
fn a_call_needs_no_session_and_gives_what_rest_gives() {
    let server = server(&[]);
    let result = call(&server, "word_count", &json!({ "text": "a b c" }));
    assert_eq!(result["structuredContent"]["words"], 3);
    assert_eq!(result["resultType"], "complete");
    let rest = server.post("/scripts/word_count", r#"{"text": "a b c"}"#).ok();
    assert_eq!(rest["result"], result["structuredContent"]);
    let args = json!({ "query": "condense documents", "limit": 2 });
    let found = call(&server, "nav_discover", &args)["structuredContent"].clone();
    let mut rest = server.post("/tools/nav_discover", &args.to_string()).ok();
    rest.as_object_mut().unwrap().remove("ok");
    assert_eq!(rest, found);
}

#[test]
fn refusals_have_the_statuses_of_http() {
    let server = server(&[]);
    let key = server.issue("free", "free");
    let bearer = format!("Bearer {key}");
    let own: [(&str, &str); 1] = [("Authorization", &bearer)];
    let list = body("tools/list", &json!({}), &json!({}));
    let none = sent(&server, "/mcp", &[], &list);
    assert_eq!((none.status, message(&none)["error"]["code"].as_i64()), (401, Some(1401)));
    assert!(none.head.contains("www-authenticate: bearer"), "{}", none.head);
    assert_eq!(message(&none)["id"], 1);
    let wrong = sent(&server, "/mcp", &[("Authorization", "Bearer a")], &list);
    assert_eq!(wrong.status, 401);
    let yes = sent(&server, "/mcp", &own, &list);
    assert_eq!(yes.status, 200);
    assert!(yes.head.contains("ratelimit-remaining"), "{}", yes.head);
    let tools = message(&yes)["result"]["tools"].clone();
    let all = super::names(&tools);
    assert!(all.contains(&"guide_ask") && !all.contains(&"nav_discover"), "{all:?}");
    let above = json!({ "name": "nav_discover", "arguments": { "query": "a" } });
    let denied = sent(&server, "/mcp", &own, &body("tools/call", &above, &json!({})));
    let error = message(&denied)["error"].clone();
    assert_eq!((denied.status, error["code"].as_i64()), (403, Some(1403)), "{error}");
    assert_eq!(
        (&error["data"]["tool"], &error["data"]["tier"]),
        (&"nav_discover".into(), &"researcher".into())
    );
    // Through the short list it is the same.
    let through = json!({ "name": "call_tool", "arguments": above });
    let denied = sent(&server, "/mcp/compact", &own, &body("tools/call", &through, &json!({})));
    assert_eq!(denied.status, 403, "{denied:?}");
    let mut last = 0;
    for _ in 0..40 {
        let answer = sent(&server, "/mcp", &own, &list);
        last = answer.status;
        if last == 429 {
            assert_eq!(message(&answer)["error"]["code"], 1429);
            assert!(answer.head.contains("retry-after"), "{}", answer.head);
            break;
        }
    }
    assert_eq!(last, 429);
    // All of it is in the audit, by the surface, a moment later.
    until(|| {
        let (_, audit) = keys::svc(server.place.path(), &["audit", "--json"]);
        audit.contains(r#""surface": "mcp""#) && audit.contains("nav_discover")
    });
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let server = server(&[]);
    let list = body("tools/list", &json!({}), &json!({}));
    let hosts = [
        "evil.com",
        "evil.com:80",
        "localhost.evil.com",
        "127.0.0.1.evil.com",
        "127.0.0.1:1",
        "localhost:1",
        "10.0.0.1",
        "192.168.0.1:80",
        "169.254.169.254",
        "[::ffff:8.8.8.8]:80",
        "user@evil.com",
        "127.0.0.1@evil.com",
        "0x7f000001.evil.com",
        "localhost\u{e4}",
        "xn--localhost",
        "*",
        "null",
        "metadata.google.internal",
        "local host",
        "evil.com#localhost",
    ];
    let origins = [
        "https://evil.com",
        "http://evil.com:80",
        "null",
        "file://",
        "http://localhost:1",
        "https://localhost:1",
        "http://127.0.0.1:1",
        "http://127.0.0.1.evil.com",
        "http://localhost.evil.com",
        "http://10.0.0.1",
        "http://[::1]:1",
        "chrome-extension://abc",
        "moz-extension://abc",
        "data:",
        "about:blank",
        "http://user@evil.com",
        "http://xn--localhost",
        "*",
        "https://evil.com/#http://localhost",
        "http:/localhost",
    ];
    assert_eq!(hosts.len() + origins.len(), 40);
    let hosts = hosts.map(|it| ("Host", it)).into_iter();
    for (name, value) in hosts.chain(origins.map(|it| ("Origin", it))) {
        let answer = sent(&server, "/mcp", &[(name, value)], &list);
        assert!(matches!(answer.status, 400 | 403), "{name}: {value}: {answer:?}");
    }
}

#[test]
fn a_session_belongs_to_its_key() {
    let server = server(&[]);
    let one = format!("Bearer {}", server.issue("one", "builder"));
    let two = format!("Bearer {}", server.issue("two", "builder"));
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    }});
    let accept = ("Accept", "application/json, text/event-stream");
    let send = |key: &str, session: Option<&str>, body: &Value| {
        let mut headers = vec![accept, ("Authorization", key)];
        headers.extend(session.map(|it| ("Mcp-Session-Id", it)));
        server.client.send("POST", "/mcp", &headers, Some(body.to_string().as_bytes()))
    };
    let greeted = send(&one, None, &hello);
    assert_eq!(greeted.status, 200, "{greeted:?}");
    let session = greeted.head.lines().find_map(|it| it.strip_prefix("mcp-session-id: ")).unwrap();
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    assert_eq!(send(&one, Some(session), &list).status, 200);
    let foreign = send(&two, Some(session), &list);
    assert_eq!((foreign.status, message(&foreign)["error"]["code"].as_i64()), (404, Some(1404)));
    assert_eq!(send(&one, Some("other"), &list).status, 404);
    // A seventeenth session ends the one that was not used for longest.
    for _ in 0..16 {
        assert_eq!(send(&one, None, &hello).status, 200);
    }
    assert_eq!(send(&one, Some(session), &list).status, 404);
}

#[test]
fn a_question_is_answered_in_the_next_call() {
    let server = server(&[]);
    let elicits = json!({ "elicitation": {} });
    let params = json!({ "name": "asks", "arguments": { "text": "one" } });
    let asked = message(&sent(&server, "/mcp", &[], &body("tools/call", &params, &elicits)));
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    let requests = result["inputRequests"].as_object().unwrap();
    let (id, request) = requests.iter().next().unwrap();
    assert!(request["params"]["message"].as_str().unwrap().contains("Send this?"), "{request}");
    let mut again = params.clone();
    again["requestState"] = result["requestState"].clone();
    again["inputResponses"] = json!({ id: { "action": "accept", "content": { "approve": true } } });
    let mut other = again.clone();
    other["requestState"] = "job_other".into();
    let tampered = message(&sent(&server, "/mcp", &[], &body("tools/call", &other, &elicits)));
    assert_eq!(tampered["error"]["code"], -32602, "{tampered}");
    let done = message(&sent(&server, "/mcp", &[], &body("tools/call", &again, &elicits)));
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert_eq!(lines(server.place.path(), "sent.txt"), ["one"]);
    // A second answer to the same question changes nothing.
    let repeated = message(&sent(&server, "/mcp", &[], &body("tools/call", &again, &elicits)));
    assert_eq!(repeated["result"]["resultType"], "complete", "{repeated}");
    assert_eq!(lines(server.place.path(), "sent.txt"), ["one"]);
}

#[test]
fn long_calls_become_tasks_that_survive_the_server() {
    let server = server(&[]);
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let script = "\"slept\" >> wait(duration: 14s)";
    let begin = |params: Value| {
        let begun = message(&sent(&server, "/mcp", &[], &body("tools/call", &params, &tasks)));
        let task = &begun["result"];
        let state = (&task["resultType"], &task["status"]);
        assert_eq!(state, (&"task".into(), &"working".into()), "{begun}");
        task["taskId"].as_str().unwrap().to_owned()
    };
    let (of_script, of_tool) = std::thread::scope(|all| {
        let one = json!({ "name": "slow", "arguments": { "time": "14s" } });
        let one = all.spawn(|| begin(one));
        let two = json!({ "name": "run_pipeline", "arguments": { "script": script } });
        (one.join().unwrap(), begin(two))
    });
    let server = Server::at(server.kill(), &["--data", ".service"]);
    let get = |id: &str| {
        let asked = body("tasks/get", &json!({ "taskId": id }), &tasks);
        let answer = sent(&server, "/mcp", &[("Mcp-Name", id)], &asked);
        message(&answer)["result"].clone()
    };
    for (id, part) in [(of_script, "/result"), (of_tool, "/result")] {
        let mut now = Value::Null;
        for _ in 0..90 {
            now = get(&id);
            if now["status"] == "completed" {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        assert_eq!(now["status"], "completed", "{now}");
        let result = now["result"]["structuredContent"].pointer(part);
        assert_eq!(result, Some(&"slept".into()), "{now}");
    }
    let unknown = body("tasks/get", &json!({ "taskId": "job_other" }), &tasks);
    let unknown = message(&sent(&server, "/mcp", &[("Mcp-Name", "job_other")], &unknown));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn methods_of_older_revisions_are_unknown_in_the_newest() {
    let server = server(&[]);
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"] {
        let answer = sent(&server, "/mcp", &[], &body(method, &json!({}), &json!({})));
        let code = message(&answer)["error"]["code"].clone();
        assert_eq!((answer.status, code), (404, json!(-32601)), "{method}: {answer:?}");
    }
}

#[test]
fn bad_requests_are_refused_and_the_server_goes_on() {
    let server = server(&[]);
    let accept = ("Accept", "application/json, text/event-stream");
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(2 << 20));
    let deep = "[".repeat(100_000);
    for (text, status) in
        [("", 400), ("{", 400), ("[]", 400), (&*large, 413), (&*deep, 400), ("\u{0}", 400)]
    {
        let answer = server.client.send("POST", "/mcp", &[accept], Some(text.as_bytes()));
        assert_eq!(answer.status, status, "{:?}: {answer:?}", &text[..text.len().min(20)]);
    }
    let json = ("Content-Type", "application/json");
    let rpc = |answer: &Answer, status: u16, code: i64| {
        let error = message(answer)["error"].clone();
        assert_eq!((answer.status, error["code"].as_i64()), (status, Some(code)), "{answer:?}");
        assert!(!error["message"].as_str().unwrap().is_empty());
    };
    for (text, code) in [("{", -32700), ("[]", -32600), ("{}", -32600), ("[{}]", -32600)] {
        let answer = server.client.send("POST", "/mcp", &[accept, json], Some(text.as_bytes()));
        rpc(&answer, 400, code);
    }
    let text = ("Content-Type", "text/plain");
    rpc(&server.client.send("POST", "/mcp", &[accept, text], Some(b"{}")), 415, -32600);
    rpc(&server.client.send("POST", "/mcp", &[json], Some(b"{}")), 406, -32600);
    rpc(&server.client.send("PUT", "/mcp", &[accept], Some(b"{}")), 405, -32600);
    assert_eq!(server.client.send("POST", "/mcp/other", &[accept], Some(b"{}")).status, 404);
    assert_eq!(
        call(&server, "word_count", &json!({ "text": "a" }))["structuredContent"]["words"],
        1
    );
}
