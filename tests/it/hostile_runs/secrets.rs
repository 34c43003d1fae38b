//! No secret is left behind: neither in the store nor in the output of the program, however a run
//! ends.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex},
};

use svc_contract::store::{Hash, Store as _};
use svc_engine::run::{Event, Observer};
use svc_host_os::OsHost;
use svc_lang::diag::Style;
use svc_store::SqliteStore;

use super::{Place, err, out};
use crate::{
    components,
    models::{KEY, provider::finishes, server::Reply},
};

/// Must not appear anywhere. JSON writes it differently; its beginning is the same.
const CANARY: &str = "canary-4711\" or \\ \u{e4}";
const NEEDLE: &str = "canary-47";

/// Scripts that succeed, fail and panic, and put the secret wherever they can.
const SCRIPTS: [&str; 7] = [
    r#"secret api_key  "ada" >> login(key: api_key)"#,
    r#"secret api_key  "ada" >> blab(key: api_key)"#,
    r#"secret api_key  "ada" >> blab(key: api_key) fallback error.message"#,
    r#"secret api_key  "ada" >> spills(key: api_key)"#,
    r#"secret api_key  "ada" >> spills_busy(key: api_key)"#,
    r#"secret api_key  "ada" >> echoes(key: api_key)"#,
    r#"secret api_key  ["a", "b"] >> each { login(key: api_key) >> quick } >> take(n: 1)"#,
];

/// Commands that inspect a run afterwards. The files that they write into the folder are searched,
/// too.
const LOOKS: [&[&str]; 13] = [
    &["runs"],
    &["runs", "--json"],
    &["show", "last"],
    &["show", "last", "--json"],
    &["tap", "last", "--json"],
    &["tap", "last", "echoes", "--json"],
    &["show", "last", "--html", "page.html"],
    &["why", "last"],
    &["why", "last", "--json"],
    &["replay", "last", "--json"],
    &["test", "--from-run", "last"],
    &["doctor"],
    &["store", "backup", "copy.db"],
];

#[test]
fn no_secret_is_left_behind() {
    for script in SCRIPTS {
        let folder = tempfile::tempdir().unwrap();
        let ran = ran(folder.path(), script);
        assert!(out(&ran).contains("the run has ended"), "{script}: {}{}", out(&ran), err(&ran));
        is_clean(script, &ran);
        for look in LOOKS {
            let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
            command.args(look).current_dir(folder.path()).env("SVC_STORE", "runs.db");
            is_clean(script, &command.output().unwrap());
        }
        holds_nowhere(NEEDLE, folder.path());
    }
}

#[track_caller]
fn is_clean(script: &str, output: &Output) {
    let both = format!("{}{}", out(output), err(output));
    assert!(!both.contains(NEEDLE), "{script}: {both}");
}

/// Searches every file below a folder, byte by byte, and every content of the stores there, before
/// its compression.
#[track_caller]
fn holds_nowhere(needle: &str, folder: &Path) {
    for store in ["runs.db", "copy.db"] {
        for content in contents(&folder.join(store)) {
            assert!(!has(needle, &content), "{}", String::from_utf8_lossy(&content));
        }
    }
    files(needle, folder);
}

fn contents(file: &Path) -> Vec<Vec<u8>> {
    let store = SqliteStore::open(file, 0).unwrap();
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut found = connection.prepare("SELECT hash FROM blobs").unwrap();
    let hashes = found.query_map([], |it| it.get::<_, [u8; 32]>(0)).unwrap();
    let all: Vec<Vec<u8>> =
        hashes.map(|it| store.blob(Hash(it.unwrap())).unwrap().unwrap()).collect();
    assert!(!all.is_empty(), "no file was searched");
    all
}

fn files(needle: &str, folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(needle, &path);
        } else {
            assert!(!has(needle, &std::fs::read(&path).unwrap()), "{}", path.display());
        }
    }
}

fn has(needle: &str, bytes: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|it| it == needle.as_bytes())
}

/// Servers that echo the key of a provider, in an answer and in a failure.
#[test]
fn the_key_of_a_provider_is_not_left_behind() {
    let report = format!(r#"{{"error": {{"message": "no such key: {KEY}", "type": "t"}}}}"#);
    let replies = [finishes("openai", &format!("your key is {KEY}")), Reply::new(400, &report)];
    for reply in replies {
        let place = Place::asking(vec![reply]);
        let logs = ["--log", "trace", "--log-format", "json", "--log-file", "log.json"];
        let ran = place.svc(&[&["run", "a.svc", "--json"], logs.as_slice()].concat());
        let mut all = vec![ran];
        all.extend(LOOKS.iter().map(|it| place.svc(it)));
        for output in all {
            let both = format!("{}{}", out(&output), err(&output));
            assert!(!both.contains(KEY), "{both}");
        }
        holds_nowhere(KEY, place.path());
    }
}

/// The secret cannot be guessed from the key of a call, either.
#[test]
fn the_key_of_a_call_does_not_tell_a_secret() {
    let keys = ["1234", "4321"].map(|secret| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = child(folder.path(), SCRIPTS[0]);
        assert!(command.env("SVC_SECRET_API_KEY", secret).status().unwrap().success());
        let store = SqliteStore::open(&folder.path().join("runs.db"), 0).unwrap();
        store.nodes(&store.run("last").unwrap().id).unwrap()[0].key
    });
    assert_eq!(keys[0], keys[1]);
}

fn ran(folder: &Path, script: &str) -> Output {
    child(folder, script).output().unwrap()
}

/// The program with components that leak, in a separate process: the test below.
fn child(folder: &Path, script: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "hostile_runs::secrets::a_process_runs_the_code_that_it_receives",
            "--nocapture",
        ])
        .env("SVC_TEST_SCRIPT", script)
        .env("SVC_TEST_FOLDER", folder)
        .env("SVC_SECRET_API_KEY", CANARY)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Everything that a run reports to its observers.
#[derive(Default)]
struct Heard(Mutex<String>);

impl Observer for Heard {
    fn event(&self, path: &str, event: &Event<'_>) {
        *self.0.lock().unwrap() += &format!("{path} {event:?}\n");
    }
}

/// Runs a script, keeps it, and prints everything that can be printed. The tests above start it.
#[tokio::test]
#[expect(clippy::print_stdout, reason = "the test around reads it")]
async fn a_process_runs_the_code_that_it_receives() {
    let Ok(script) = std::env::var("SVC_TEST_SCRIPT") else { return };
    let folder = std::env::var("SVC_TEST_FOLDER").unwrap();
    svc::bases::panics_are_brief();
    let logs = tracing_subscriber::fmt().json().with_max_level(tracing::Level::TRACE);
    logs.with_writer(std::io::stderr).init();
    let store = SqliteStore::open(&Path::new(&folder).join("runs.db"), 1).unwrap();
    let heard = Arc::new(Heard::default());
    let engine = svc::engine().with(components::ALL).with_host(Arc::new(OsHost::default()));
    let engine = engine.with_observer(heard.clone()).with_store(Arc::new(store));
    match engine.run(script.as_str()).await {
        Ok(response) => {
            println!("{} {response:?}", svc_contract::value::json::write(&response.value));
        }
        Err(error) => {
            println!("{error} {error:?} {}", error.render(Style::Plain));
            println!("{}", serde_json::to_string(&error.failure()).unwrap());
        }
    }
    println!("{}\nthe run has ended", heard.0.lock().unwrap());
}
