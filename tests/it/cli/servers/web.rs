//! Servers at an address: streamable HTTP, addresses, secrets, faults.

use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::{Project, fails, reference, said};
use crate::{
    cli::{Done, Place},
    models::server::{Reply, Request, Server},
};

const KEY: &str = "key-of-the-test-4712";

pub(super) fn answer(id: &Value, result: &Value) -> Reply {
    let text = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
    Reply::new(200, &text).header("content-type: application/json").header("mcp-session-id: one")
}

/// A server with the tools `get` and `fault`; what the latter does is for `fault` to say.
fn server(fault: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
    Server::answering(move |request| {
        let (id, params) = (&request.body["id"], &request.body["params"]);
        let number = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
        match request.body["method"].as_str().unwrap_or_default() {
            "initialize" => answer(
                id,
                &json!({ "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {} }, "serverInfo": { "name": "web", "version": "2" } }),
            ),
            "tools/list" => answer(
                id,
                &json!({ "tools": [
                { "name": "get", "inputSchema": number, "outputSchema": number },
                { "name": "fault", "inputSchema": number }] }),
            ),
            "tools/call" if params["name"] == "get" => {
                let n = params["arguments"]["n"].as_i64().unwrap() + 1;
                let message = json!({ "jsonrpc": "2.0", "id": id, "result": {
                    "content": [], "structuredContent": { "n": n } } });
                let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;
                Reply::new(200, &format!("event: message\ndata: {note}\n\ndata: {message}\n\n"))
                    .header("content-type: text/event-stream")
            }
            "tools/call" => fault(request),
            _ if request.head.starts_with("get") => Reply::new(405, ""),
            _ => Reply::new(202, ""),
        }
    })
}

fn rule(server: &Server) -> String {
    format!("writes web:{}", server.url.trim_start_matches("http://"))
}

fn run(project: &Project, server: &Server, script: &str) -> Done {
    project.script("a.svc", script);
    let rule = rule(server);
    let rules = ["--allow", "runs mcp:web", "--allow", "writes mcp:web", "--allow", &rule];
    let mut command = project.command(&[&["run", "a.svc"][..], &rules].concat());
    Done::of(command.env("SVC_SECRET_WEB_KEY", KEY).output().unwrap())
}

fn project(server: &Server) -> Project {
    let project = Project(Place::new(&[]));
    let mut command =
        project.command(&["mcp", "add", "web", "--secret", "authorization=web_key", &server.url]);
    let added = Done::of(command.env("SVC_SECRET_WEB_KEY", KEY).output().unwrap());
    added.gives("web: web 2, 2 ops\n");
    project
}

#[test]
fn a_server_at_an_address_is_called_with_its_secret() {
    let server = server(|_| Reply::new(500, "out of order"));
    let project = project(&server);
    let before = server.requests().len();
    project.script("a.svc", "web.get(1) >> .n");
    fails(
        &project.svc(&["run", "a.svc", "--allow", "runs", "--allow", "writes mcp"]),
        7,
        "writes web:127.0.0.1",
    );
    let mut open = project.command(&["run", "a.svc"]);
    fails(&Done::of(open.env("SVC_SECRET_WEB_KEY", KEY).output().unwrap()), 1, "is this machine");
    assert_eq!(server.requests().len(), before);
    run(&project, &server, "range(0, 20) >> each { web.get(n: it) >> .n } >> sum").gives("210\n");
    let requests = server.requests();
    let sent = &requests[before..];
    let posts = sent.iter().filter(|it| it.head.starts_with("post"));
    assert!(posts.clone().all(|it| it.head.contains(&format!("authorization: bearer {KEY}\r\n"))));
    let greetings = posts.filter(|it| it.body["method"] == "initialize").count();
    assert_eq!(greetings, 1, "one connection");
    assert!(sent.iter().any(|it| it.head.starts_with("delete")), "the session is closed");
}

#[test]
fn a_server_at_an_address_needs_no_greeting() {
    const NEWEST: &str = "2026-07-28";
    let server = Server::answering(|request| {
        let (id, params) = (&request.body["id"], &request.body["params"]);
        let reply = |result: Value| {
            let text = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
            Reply::new(200, &text).header("content-type: application/json")
        };
        let number = json!({ "type": "object", "required": ["n"],
            "properties": { "n": { "type": "integer" } } });
        let revision = &params["_meta"]["io.modelcontextprotocol/protocolVersion"];
        match request.body["method"].as_str().unwrap_or_default() {
            _ if revision != NEWEST => Reply::new(400, "no revision"),
            "server/discover" => reply(json!({ "resultType": "complete",
                "supportedVersions": [NEWEST], "capabilities": { "tools": {} }, "ttlMs": 60000,
                "cacheScope": "private", "_meta": { "io.modelcontextprotocol/serverInfo":
                    { "name": "web", "version": "2" } } })),
            "tools/list" => reply(json!({ "resultType": "complete", "ttlMs": 60000,
                "cacheScope": "private", "tools": [
                    { "name": "get", "inputSchema": number, "outputSchema": number },
                    { "name": "fault", "inputSchema": number }] })),
            "tools/call" => {
                let n = params["arguments"]["n"].as_i64().unwrap() + 1;
                reply(json!({ "resultType": "complete", "content": [],
                    "structuredContent": { "n": n } }))
            }
            _ => Reply::new(405, ""),
        }
    });
    let project = project(&server);
    run(&project, &server, "range(0, 4) >> each { web.get(n: it) >> .n } >> sum").gives("10\n");
    let head = &server.requests().pop().unwrap().head;
    assert!(head.contains("mcp-protocol-version: 2026-07-28\r\n"), "{head}");
    assert!(!head.contains("mcp-session-id"), "{head}");
}

#[test]
fn faults_of_a_server_at_an_address_are_clear_errors() {
    for (reply, why) in [
        (Reply::new(500, &format!("out of order {KEY}")), "status 500: out of order ***"),
        (Reply::new(401, "who are you"), "status 401: who are you"),
        (Reply::new(302, "").header("location: https://other.example"), "status 302"),
        (
            Reply::new(200, "{\"jsonrpc\"").header("content-type: application/json"),
            "sent a message that is not valid",
        ),
        (Reply::new(200, "<html>").header("content-type: text/html"), "text/html"),
        (
            Reply::new(200, &"x".repeat(17 << 20)).header("content-type: application/json"),
            "larger than 16MiB",
        ),
        (Reply::nothing(), "cannot be reached at"),
    ] {
        let server = server(move |_| reply.clone());
        let project = project(&server);
        let done = run(&project, &server, "web.fault(1)");
        assert_ne!(done.code, Some(0), "{why}");
        assert!(said(&done).contains(why), "{why}: {}", said(&done));
        assert!(!done.err.contains(KEY), "{}", done.err);
    }
}

/// A server that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_server_with_everything_at_an_address() {
    let Some(entry) = reference::server("everything over HTTP", "server-everything") else {
        return;
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new("node")
        .arg(entry)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _running = Running(child);
    let is_up = |_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    };
    assert!((0..200).any(is_up), "it listens");
    let project = Project(Place::new(&[
        ("a.svc", "[\"a\", \"b\"] >> each { every.echo(message: it) }"),
        ("b.svc", "every.trigger_long_running_operation(duration: 1, steps: 4)"),
    ]));
    let url = format!("http://127.0.0.1:{port}/mcp");
    let added = project.svc(&["mcp", "add", "every", &url]);
    assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
    let rule = format!("writes web:127.0.0.1:{port}");
    let rules = ["--allow", "runs mcp", "--allow", "writes mcp", "--allow", &rule];
    project.svc(&[&["run", "a.svc"][..], &rules].concat()).gives("Echo: a\nEcho: b\n");
    let long = project.svc(&[&["run", "b.svc"][..], &rules].concat());
    assert!(long.out.contains("completed"), "{}{}", long.out, long.err);
}
