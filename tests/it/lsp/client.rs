//! A small client for the language server: the real program over real pipes.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A time limit for everything: a silent server fails the test instead of blocking it.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Notifications that no one has asked for yet.
    heard: Vec<Value>,
    next_id: i64,
    folder: TempDir,
}

impl Client {
    /// A server before initialization.
    pub(super) fn start(files: &[(&str, &str)]) -> Self {
        Self::under(&[], files)
    }

    /// The same with policy rules on the command line.
    pub(super) fn under(rules: &[&str], files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .arg("lsp")
            .args(rules)
            .env("SVC_CACHE", folder.path().join(".cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, input, messages, heard: Vec::new(), next_id: 0, folder }
    }

    /// An initialized server, for a client that counts bytes.
    pub(super) fn ready(files: &[(&str, &str)]) -> Self {
        let mut client = Self::start(files);
        client.initialize();
        client
    }

    /// Initializes a server for a client that knows all commands.
    pub(super) fn initialize(&mut self) {
        let client = self;
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-16", "utf-8"] },
            "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
        });
        let report = client.request(
            "initialize",
            json!({
                "capabilities": capabilities,
                "initializationOptions": { "commands": ["svc.run", "svc.plan", "svc.test"] },
                "workspaceFolders": [{ "uri": client.uri(""), "name": "here" }],
            }),
        );
        assert_eq!(report.unwrap()["capabilities"]["positionEncoding"], "utf-8");
        client.notify("initialized", json!({}));
    }

    /// The path of a file or folder.
    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Creates a folder next to the files.
    pub(super) fn folder(&self, name: &str) {
        fs::create_dir(self.folder.path().join(name)).unwrap();
    }

    pub(super) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().join(name).display())
    }

    /// Opens a document; a `¦` in its text is removed and marks the cursor.
    pub(super) fn open(&mut self, name: &str, text: &str) -> Value {
        let (text, position) = without_cursor(text);
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "svc", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        json!({ "textDocument": { "uri": uri }, "position": position })
    }

    /// Replaces the whole text of a document.
    pub(super) fn replace(&mut self, name: &str, version: i64, text: &str) {
        let uri = self.uri(name);
        self.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": [{ "text": text }],
            }),
        );
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        self.send(&message);
    }

    /// Sends a request, and waits for the answer: the result, or the error.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Sends a request without waiting.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        self.send(&message);
        id
    }

    pub(super) fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let message = self.until(|it| it["id"] == id);
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }

    /// The first message that matches; notifications before it are kept.
    pub(super) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(idx) = self.heard.iter().position(&wanted) {
            return self.heard.remove(idx);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
            if wanted(&message) {
                return message;
            }
            self.heard.push(message);
        }
    }

    /// The next diagnostics of a document.
    pub(super) fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let report = self.until(|it| {
            it["method"] == "textDocument/publishDiagnostics" && it["params"]["uri"] == *uri
        });
        report["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// Opens a script and returns its problems, as `code line:character message`.
    pub(super) fn problems(&mut self, name: &str, text: &str) -> Vec<String> {
        self.open(name, text);
        self.diagnostics(name).iter().map(shown).collect()
    }

    /// Opens a script and completes at its cursor: the labels, best first.
    pub(super) fn complete(&mut self, text: &str) -> Vec<String> {
        let items = self.completion(text);
        items.iter().map(|it| it["label"].as_str().unwrap().to_owned()).collect()
    }

    pub(super) fn completion(&mut self, text: &str) -> Vec<Value> {
        let place = self.open("complete.svc", text);
        self.request("textDocument/completion", place).unwrap().as_array().unwrap().clone()
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(super) fn send_text(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    /// Shuts down according to the protocol.
    pub(super) fn leave(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        self.code()
    }

    /// Disconnects without a shutdown.
    pub(super) fn vanish(mut self) -> Option<i32> {
        self.input = None;
        self.code()
    }

    pub(super) fn code(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    /// A failed test leaves no server running.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|it| *it > 0)?;
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", it)) => length = it.parse().unwrap(),
            _ if line == "\r\n" => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// A text without its `¦`, and the position of the `¦`, counted in bytes.
pub(super) fn without_cursor(text: &str) -> (String, Value) {
    let at = text.find('¦').unwrap_or(0);
    (text.replace('¦', ""), position(text, at))
}

pub(super) fn position(text: &str, at: usize) -> Value {
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    json!({ "line": text[..at].matches('\n').count(), "character": at - start })
}

fn shown(it: &Value) -> String {
    let start = &it["range"]["start"];
    let message = it["message"].as_str().unwrap().lines().next().unwrap();
    let code = it["code"].as_str().unwrap();
    format!("{code} {}:{} {message}", start["line"], start["character"])
}

/// Applies the edits of a change to a text; positions are counted in bytes.
pub(super) fn edited(text: &str, edits: &Value) -> String {
    let offset = |it: &Value| {
        let line = usize::try_from(it["line"].as_u64().unwrap()).unwrap();
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + usize::try_from(it["character"].as_u64().unwrap()).unwrap()
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let range = &it["range"];
            (offset(&range["start"]), offset(&range["end"]), it["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_unstable();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}
