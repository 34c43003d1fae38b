//! A client of `svc mcp` on its standard streams, which sends what it is given.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use serde_json::{Value, json};

/// A running `svc mcp`.
pub(super) struct Streams {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    next: u64,
    /// The messages besides answers, in their order.
    pub(super) told: Vec<Value>,
    /// What the client answers to questions for a person.
    pub(super) says: Value,
}

impl Streams {
    pub(super) fn start(place: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .arg("mcp")
            .args(args)
            .current_dir(place)
            .env("SVC_CACHE", place.join(".cache"))
            .env("SVC_STORE", place.join(".runs/runs.db"))
            .env_remove("SVC_MODEL")
            .env_remove("SVC_API_KEY")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // Nothing but the protocol may be on this stream.
                let message: Value = serde_json::from_str(&line).expect("a line is a message");
                let _ = tell.send(message);
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, next: 0, told: Vec::new(), says: Value::Null }
    }

    /// The same after the greeting of a revision, with these capabilities.
    pub(super) fn greeted(place: &Path, args: &[&str], capabilities: &Value) -> Self {
        let mut client = Self::start(place, args, &[]);
        client.greet("2025-11-25", capabilities);
        client
    }

    pub(super) fn greet(&mut self, version: &str, capabilities: &Value) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        let greeting = self.ask("initialize", &params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        greeting["result"].clone()
    }

    pub(super) fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    /// Sends a line as it is.
    pub(super) fn raw(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// Sends a request, and returns its id.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The whole answer to a request.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Waits for the answer to a request. Questions for a person are answered meanwhile.
    #[track_caller]
    pub(super) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().expect("an answer comes within a minute");
            if message["method"] == "elicitation/create" {
                let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": self.says });
                self.told.push(message);
                self.send(&reply);
            } else if message["id"] == id && message.get("method").is_none() {
                return message;
            } else {
                self.told.push(message);
            }
        }
    }

    pub(super) fn next(&mut self) -> Option<Value> {
        self.lines.recv_timeout(Duration::from_mins(1)).ok()
    }

    /// The result of a tool.
    #[track_caller]
    pub(super) fn call(&mut self, name: &str, args: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": name, "arguments": args }));
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// Closes the input, and returns the exit code.
    pub(super) fn close(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }

    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
