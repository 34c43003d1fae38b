//! What can be observed of a run from outside: spans, logs, traces, and the screen.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

mod logs;
mod screen;
mod spans;
#[cfg(feature = "otlp")]
mod traces;

/// Runs the program in a folder with `a.svc`, without log settings in the environment.
fn svc(script: &str, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.svc"), script).unwrap();
    command(args, variables).current_dir(place.path()).output().unwrap()
}

fn command(args: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    for (name, _) in std::env::vars() {
        if name.starts_with("OTEL_") || name.starts_with("SVC_LOG") {
            command.env_remove(name);
        }
    }
    command
        .env("SVC_STORE", "runs.db")
        .args(args)
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    command
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A JSON log, line by line.
fn lines(log: &str) -> Vec<Json> {
    log.lines().map(|it| serde_json::from_str(it).unwrap_or_else(|_| panic!("{log}"))).collect()
}
