//! Whole runs under adverse conditions: no space, no permission to write, a store that is removed,
//! signals, a clock that is set back. A run ends with a reason, and can be resumed once the problem
//! is solved.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use svc_contract::store::{NodeState, Run, Store as _};
use svc_store::SqliteStore;
use tempfile::TempDir;

use crate::models::{
    KEY, PRICES,
    provider::finishes,
    server::{Reply, Server},
};

mod clock;
mod modes;
mod secrets;
mod signals;
mod space;
mod taken;
mod together;

/// All parts of a run: a sequence, branches, many items, turns, paid calls, and a write that must
/// not be repeated without a request.
pub(crate) const SCRIPT: &str = r#"
let xs = range(0, 200) >> each { "${it}" >> wait(duration: 2ms) >> upper } within { max_parallel: 16 }
let asked = xs >> take(n: 5) >> each { ask(max_tokens: 20) } within { max_cost: $1, max_parallel: 2 }
let turned = "a" >> repeat 5 { wait(duration: 5ms) >> "${it}a" } until len(it) > 9 else { it }
let both = "x" >> parallel { a: wait(duration: 9ms) >> upper, b: wait(duration: 6ms) }
{ xs: xs, asked: asked, turned: turned, both: both } >> save_json(to: "out.json")
"#;

/// A folder with the script, in which the program runs, and the provider that it calls.
pub(super) struct Place {
    folder: TempDir,
    server: Server,
}

impl Place {
    pub(super) fn new() -> Self {
        Self::asking(vec![finishes("openai", "yes")])
    }

    /// The same with a provider that sends these replies.
    pub(super) fn asking(replies: Vec<Reply>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.svc"), SCRIPT).unwrap();
        std::fs::write(folder.path().join("prices.toml"), PRICES).unwrap();
        Self { folder, server: Server::start(replies) }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn store(&self) -> PathBuf {
        self.path().join("runs.db")
    }

    /// The number of requests to the provider.
    pub(super) fn asked(&self) -> usize {
        self.server.requests().len()
    }

    /// The program with the store of this folder.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        self.with(Command::new(assert_cmd::cargo::cargo_bin!("svc")), args)
    }

    /// The same from a shell, which first runs another command.
    pub(super) fn after(&self, first: &str, args: &[&str]) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{first}; exec \"$0\" \"$@\"")]);
        shell.arg(assert_cmd::cargo::cargo_bin!("svc"));
        self.with(shell, args)
    }

    fn with(&self, mut command: Command, args: &[&str]) -> Command {
        command
            .args(args)
            .current_dir(self.path())
            .env("SVC_STORE", "runs.db")
            .env("SVC_MODEL", "openai/priced")
            .env("OPENAI_BASE_URL", format!("{}/v1", self.server.url))
            .env("OPENAI_API_KEY", KEY)
            .env("SVC_PRICES", "prices.toml")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(super) fn svc(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Resumes the latest run, and checks that it has the result of an undisturbed one, that no
    /// recorded call is repeated, and that every other call is paid for.
    #[track_caller]
    pub(super) fn goes_on(&self) {
        let (before, asked) = (done(&self.store()), self.asked());
        let resumed = self.svc(&["resume", "last"]);
        assert!(resumed.status.success(), "{}", err(&resumed));
        assert_eq!(std::fs::read_to_string(self.path().join("out.json")).unwrap(), whole());
        let after = done(&self.store());
        for node in &before {
            assert!(after.contains(node), "{node:?} was done again");
        }
        let known = before.iter().filter(|(path, _)| path.ends_with("/ask")).count();
        assert_eq!(self.asked() - asked, 5 - known, "answered calls are not repeated");
        let doctor = self.svc(&["doctor"]);
        assert!(doctor.status.success(), "{}", err(&doctor));
    }
}

/// The file that an undisturbed run writes.
fn whole() -> String {
    static WHOLE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let run = || {
        let place = Place::new();
        let done = place.svc(&["run", "a.svc"]);
        assert!(done.status.success(), "{}", err(&done));
        std::fs::read_to_string(place.path().join("out.json")).unwrap()
    };
    WHOLE.get_or_init(run).clone()
}

/// The latest run of a store, if any.
pub(super) fn last(store: &Path) -> Option<Run> {
    SqliteStore::open_reading(store, 0).ok()?.run("last").ok()
}

/// The finished calls of the latest run: paths with the times of their starts.
fn done(store: &Path) -> Vec<(String, i64)> {
    let store = SqliteStore::open_reading(store, 0).unwrap();
    let Ok(run) = store.run("last") else { return Vec::new() };
    let nodes = store.nodes(&run.id).unwrap().into_iter();
    nodes.filter(|it| it.state == NodeState::Done).map(|it| (it.path, it.started)).collect()
}

/// Waits until the run has recorded this many calls.
pub(super) fn wait_for(store: &Path, nodes: u64) {
    let patience = std::time::Instant::now();
    let written =
        || SqliteStore::open_reading(store, 0).and_then(|it| it.size()).map(|it| it.nodes);
    while written().unwrap_or(0) < nodes {
        assert!(patience.elapsed().as_secs() < 60, "the run never got that far");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

pub(super) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(super) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
