//! `svc serve`: components, tools and scripts over HTTP, as other programs see them.

mod bias;
mod client;
mod desktop;
mod endpoints;
mod hooks;
mod jobs;
mod keys;
mod mcp;
mod mistakes;
mod oauth;
mod once;
mod openai;
mod operation;
mod owners;
mod quality;
mod runs;
mod scripts;
mod socket;
mod system;
mod tls;
mod tools;
mod walls;
mod workflow;

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use tempfile::TempDir;

use client::{Answer, Client};

/// A running server with a folder of scripts.
struct Server {
    child: Child,
    place: TempDir,
    client: Client,
    /// What it printed before it listened.
    notes: String,
}

const SCRIPTS: [(&str, &str); 6] = [
    (
        "word-count.svc",
        "# Counts the words of a text.\n\n## The text.\nparam text: string\n\n{ words: text >> split(sep: \" \") >> len }",
    ),
    ("reports/by_day.svc", "param n: int 1..10 = 3\nrange(1, n + 1) >> each { it * 2 }"),
    ("slow.svc", "param time: duration = 20s\n\"slept\" >> wait(duration: time)"),
    ("library.svc", "flow double(n: int) -> int { n * 2 }"),
    ("broken.svc", "param n: int\nn >> uper"),
    ("guide_ask.svc", "1"),
];

impl Server {
    fn start() -> Self {
        Self::with(&SCRIPTS, &[])
    }

    fn with(scripts: &[(&str, &str)], args: &[&str]) -> Self {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in scripts {
            write(place.path(), name, text);
        }
        Self::at(place, args)
    }

    fn at(place: TempDir, args: &[&str]) -> Self {
        Self::among(place, args, &[])
    }

    /// The same with these variables.
    fn among(place: TempDir, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = place.path().to_owned();
        Self::spawned(place, &folder, ".", args, variables)
    }

    /// A server for a folder of `root`.
    fn of(root: &Path, folder: &str, args: &[&str]) -> Self {
        Self::spawned(tempfile::tempdir().unwrap(), root, folder, args, &[])
    }

    fn spawned(
        place: TempDir,
        root: &Path,
        folder: &str,
        args: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(["serve", folder, "--bind", "127.0.0.1:0"])
            .args(args)
            .current_dir(root)
            .env("SVC_CACHE", place.path().join(".cache"))
            .env("SVC_STORE", place.path().join(".runs/runs.db"))
            .env_remove("SVC_MODEL")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        let (tell, told) = mpsc::channel();
        // Reads on, so that the server never waits for its notes to be read.
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        let mut notes = String::new();
        let address = loop {
            let line = told.recv_timeout(Duration::from_mins(2)).expect("the server listens");
            notes += &format!("{line}\n");
            if let Some((_, address)) = line.split_once("listening at ") {
                let (_, address) = address.split_once("://").unwrap();
                break address.trim().parse().unwrap();
            }
        };
        Self { child, place, client: Client::new(address), notes }
    }

    fn get(&self, path: &str) -> Answer {
        self.client.get(path)
    }

    fn post(&self, path: &str, body: &str) -> Answer {
        self.client.post(path, body)
    }

    fn write(&self, name: &str, text: &str) {
        write(self.place.path(), name, text);
    }

    /// Kills the server, and returns its folder.
    fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let empty = tempfile::tempdir().unwrap();
        std::mem::replace(&mut self.place, empty)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Waits until something holds.
fn until(mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("it does not hold after 30 s");
}
