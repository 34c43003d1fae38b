//! MCP servers as components: `svc mcp add`, and scripts that call them, against real servers.

mod agents;
mod both;
mod dynamic;
mod locks;
mod promises;
mod reference;
mod web;
mod wrong;

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use super::{Done, Place};
use crate::foreign::skipped;

/// A folder with a server that does what its tools are named after, and with scripts that call it as
/// `calc`.
struct Project(Place);

impl Project {
    /// `None` without a Python; the test is skipped then.
    fn new(test: &str, scripts: &[(&str, &str)]) -> Option<Self> {
        if Command::new("python3").arg("--version").output().is_err() {
            skipped(test, "no python3");
            return None;
        }
        let place = Place::new(scripts);
        fs::write(place.path().join("server.py"), include_str!("server.py")).unwrap();
        Some(Self(place))
    }

    /// The same, with the server added as `calc`.
    fn with_calc(test: &str, scripts: &[(&str, &str)]) -> Option<Self> {
        let project = Self::new(test, scripts)?;
        let added = project.add("calc", &[]);
        assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
        Some(project)
    }

    fn add(&self, name: &str, options: &[&str]) -> Done {
        let log = format!("LOG={}", self.log_file().display());
        let mut args = vec!["mcp", "add", name, "--env", &log];
        args.extend(options);
        if !options.contains(&"python3") {
            args.extend(["python3", "server.py"]);
        }
        self.svc(&args)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(args);
        command.env("XDG_DATA_HOME", self.0.path().join(".data"));
        command
    }

    fn svc(&self, args: &[&str]) -> Done {
        Done::of(self.command(args).output().unwrap())
    }

    fn script(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Adds lines to the table of `calc`.
    fn settings(&self, lines: &str) {
        let file = self.0.path().join("svc.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(file, text + lines).unwrap();
    }

    fn log_file(&self) -> std::path::PathBuf {
        self.0.path().join("log.txt")
    }

    /// What the server did so far.
    fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    fn forget(&self) {
        let _ = fs::remove_file(self.log_file());
    }

    /// How often the log has a line that begins so.
    fn count(&self, start: &str) -> usize {
        self.log().lines().filter(|it| it.starts_with(start)).count()
    }

    #[track_caller]
    fn wait_for(&self, start: &str, times: usize) {
        let began = Instant::now();
        while self.count(start) < times {
            assert!(began.elapsed() < Duration::from_secs(30), "no `{start}`: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether a server that was started still runs.
    fn survivors(&self) -> Vec<String> {
        let log = self.log();
        let ids = log.lines().filter_map(|it| it.strip_prefix("start "));
        // One that ended, and that no parent has asked for yet, is there as a zombie.
        let alive = |id: &&str| {
            let state = fs::read_to_string(format!("/proc/{id}/stat"));
            state.is_ok_and(|it| !it.contains(") Z "))
        };
        ids.filter(alive).map(str::to_owned).collect()
    }
}

/// What a command says on its error output, without the breaks of its lines.
fn said(done: &Done) -> String {
    format!("{}{}", done.err, done.out).replace("\n  │ ", " ")
}

#[track_caller]
fn fails(done: &Done, code: i32, why: &str) {
    let said = said(done);
    assert_eq!(done.code, Some(code), "{}{said}", done.out);
    assert!(said.contains(why), "{said}");
}
