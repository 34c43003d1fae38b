//! No secret is left behind: not in the store, nor in what the program prints, however a run
//! ends.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex},
};

use svc::{
    Engine,
    diag::Style,
    host::os::OsHost,
    run::{Event, Observer},
    store::{Hash, Store},
};

use super::{err, out};
use crate::components;

/// What must be seen nowhere. JSON writes it in another way; its beginning is the same.
const CANARY: &str = "canary-4711\" or \\ \u{e4}";
const NEEDLE: &str = "canary-47";

/// Runs that succeed, fail and panic, and put the secret wherever they can.
const SCRIPTS: [&str; 7] = [
    r#"secret api_key  "ada" >> login(key: api_key)"#,
    r#"secret api_key  "ada" >> blab(key: api_key)"#,
    r#"secret api_key  "ada" >> blab(key: api_key) fallback error.message"#,
    r#"secret api_key  "ada" >> spills(key: api_key)"#,
    r#"secret api_key  "ada" >> spills_busy(key: api_key)"#,
    r#"secret api_key  "ada" >> echoes(key: api_key)"#,
    r#"secret api_key  ["a", "b"] >> each { login(key: api_key) >> quick } >> take(n: 1)"#,
];

/// How one looks into a run afterwards. Whatever they write into the folder is looked at, too.
const LOOKS: [&[&str]; 8] = [
    &["runs"],
    &["runs", "--json"],
    &["show", "last"],
    &["show", "last", "--json"],
    &["tap", "last", "--json"],
    &["tap", "last", "echoes", "--json"],
    &["doctor"],
    &["store", "backup", "copy.db"],
];

#[test]
fn no_secret_is_left_behind() {
    for (script, idx) in SCRIPTS.into_iter().zip(0..) {
        let folder = tempfile::tempdir().unwrap();
        let ran = ran(folder.path(), script);
        assert!(out(&ran).contains("the run has ended"), "{script}: {}{}", out(&ran), err(&ran));
        is_clean(script, &ran);
        let mut kept = 0;
        for look in LOOKS {
            let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
            command.args(look).current_dir(folder.path()).env("SVC_STORE", "runs.db");
            is_clean(script, &command.output().unwrap());
        }
        for file in ["runs.db", "copy.db"] {
            kept += contents(&folder.path().join(file), script);
        }
        assert!(kept > 0, "{idx}: nothing was looked at");
        files(folder.path(), script);
    }
}

#[track_caller]
fn is_clean(script: &str, output: &Output) {
    let both = format!("{}{}", out(output), err(output));
    assert!(!both.contains(NEEDLE), "{script}: {both}");
}

/// Every content of a store, as it was before it was packed. Gives how many there are.
fn contents(file: &Path, script: &str) -> usize {
    let store = Store::open(file, 0).unwrap();
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut found = connection.prepare("SELECT hash FROM blobs").unwrap();
    let hashes = found.query_map([], |it| it.get::<_, [u8; 32]>(0)).unwrap();
    let hashes: Vec<Hash> = hashes.map(|it| Hash(it.unwrap())).collect();
    for hash in &hashes {
        let content = store.blob(*hash).unwrap().unwrap();
        assert!(!has_needle(&content), "{script}: {}", String::from_utf8_lossy(&content));
    }
    hashes.len()
}

/// Every file below a folder, byte by byte.
fn files(folder: &Path, script: &str) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, script),
            false => {
                let bytes = std::fs::read(&path).unwrap();
                assert!(!has_needle(&bytes), "{script}: {}", path.display());
            }
        }
    }
}

fn has_needle(bytes: &[u8]) -> bool {
    bytes.windows(NEEDLE.len()).any(|it| it == NEEDLE.as_bytes())
}

/// The secret cannot be guessed from the key of a call, either.
#[test]
fn the_key_of_a_call_does_not_tell_a_secret() {
    let keys = ["1234", "4321"].map(|secret| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = child(folder.path(), SCRIPTS[0]);
        assert!(command.env("SVC_SECRET_API_KEY", secret).status().unwrap().success());
        let store = Store::open(&folder.path().join("runs.db"), 0).unwrap();
        store.nodes(&store.run("last").unwrap().id).unwrap()[0].key
    });
    assert_eq!(keys[0], keys[1]);
}

fn ran(folder: &Path, script: &str) -> Output {
    child(folder, script).output().unwrap()
}

/// The program with components that leak, in a process of its own: the test below.
fn child(folder: &Path, script: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "hostile_runs::secrets::a_process_runs_what_it_is_told", "--nocapture"])
        .env("SVC_TEST_SCRIPT", script)
        .env("SVC_TEST_FOLDER", folder)
        .env("SVC_SECRET_API_KEY", CANARY)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Everything that a run tells those who watch it.
#[derive(Default)]
struct Heard(Mutex<String>);

impl Observer for Heard {
    fn event(&self, path: &str, event: &Event<'_>) {
        *self.0.lock().unwrap() += &format!("{path} {event:?}\n");
    }
}

/// Runs a script, keeps it, and prints whatever there is to print. The tests above start it.
#[tokio::test]
#[expect(clippy::print_stdout, reason = "the test around reads it")]
async fn a_process_runs_what_it_is_told() {
    let Ok(script) = std::env::var("SVC_TEST_SCRIPT") else { return };
    let folder = std::env::var("SVC_TEST_FOLDER").unwrap();
    svc::bases::cli::panics_are_brief();
    let store = Store::open(&Path::new(&folder).join("runs.db"), 1).unwrap();
    let heard = Arc::new(Heard::default());
    let engine = Engine::new().with(components::ALL).on(Arc::new(OsHost::default()));
    let engine = engine.watched_by(heard.clone()).keeping(Arc::new(store));
    match engine.run(script.as_str()).await {
        Ok(response) => println!("{} {response:?}", svc::value::json::write(&response.value)),
        Err(error) => {
            println!("{error} {error:?} {}", error.render(Style::Plain));
            println!("{}", serde_json::to_string(&error.failure()).unwrap());
        }
    }
    println!("{}\nthe run has ended", heard.0.lock().unwrap());
}
