//! Folders of scripts, `--quiet`, `--watch`, and new projects.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use super::Place;

const TESTED: &str = "flow double(n: int) -> int { n * 2 }\n\
    test \"two\" { let r = 2 >> double  expect r == 4 }\n";
const FAILING: &str = "flow half(n: int) -> int { n }\n\
    test \"four\" { let r = 4 >> half  expect r == 2 }\n";

#[test]
fn a_folder_stands_for_its_scripts() {
    let place = Place::new(&[
        ("a.svc", "1 + 1\n"),
        ("lib/b.svc", "\"x\" >> uper\n"),
        ("lib/notes.txt", "no script"),
        ("out/c.svc", "nonsense("),
        (".gitignore", "out/\n"),
        (".hidden/d.svc", "nonsense("),
    ]);
    let done = place.svc(&["check", "."]);
    assert_eq!(done.code, Some(7));
    assert!(done.out.contains("a.svc: ok, result int\n"), "{}", done.out);
    assert!(done.out.contains("lib/b.svc: 1 error\n"), "{}", done.out);
    assert!(done.out.ends_with("2 scripts: 1 ok, 1 with errors\n"), "{}", done.out);
    let quiet = place.svc(&["check", "--quiet", "."]);
    assert!(!quiet.out.contains("a.svc") && quiet.out.contains("E201"), "{}", quiet.out);
    place.svc(&["check", "-q", "a.svc"]).gives("");
    let json = place.svc(&["check", "--json", "lib", "a.svc"]).json();
    assert_eq!(json["files"][0]["file"], "lib/b.svc");
    assert_eq!(json["files"][1]["file"], "a.svc");
    fs::create_dir(place.path().join("empty")).unwrap();
    place.svc(&["check", "empty"]).fails(6, "no scripts in `empty`");
    place.svc(&["test", "empty"]).fails(6, "names end in `.svc`");
}

#[test]
fn the_tests_of_a_folder_are_counted_together() {
    let place = Place::new(&[("a.svc", TESTED), ("b/c.svc", FAILING), ("d.svc", "1\n")]);
    let done = place.svc(&["test", "."]);
    assert_eq!(done.code, Some(1));
    assert!(done.out.ends_with("1 passed, 1 failed in 3 scripts\n"), "{}", done.out);
    let quiet = place.svc(&["test", "--quiet", "."]);
    assert_eq!(quiet.code, Some(1));
    assert!(quiet.out.starts_with("b/c.svc: four ... FAILED\n"), "{}", quiet.out);
    assert!(!quiet.out.contains("passed"), "{}", quiet.out);
    place.svc(&["test", "--quiet", "a.svc"]).gives("");
    assert_eq!(place.svc(&["test", ".", "--json"]).json()["failed"], 1);
}

#[test]
fn the_scripts_of_a_folder_are_formatted() {
    let place = Place::new(&[("a.svc", "1+1"), ("b/c.svc", "2 + 2\n")]);
    let check = place.svc(&["fmt", "--check", "."]);
    let listed = "a.svc: would be formatted\n2 scripts: 1 would be formatted\n";
    assert_eq!((check.code, check.out.as_str()), (Some(1), listed));
    place.svc(&["fmt", "."]).gives("a.svc: formatted\n2 scripts: 1 formatted\n");
    fs::write(place.path().join("a.svc"), "1+1").unwrap();
    place.svc(&["fmt", "-q", "."]).gives("");
    assert_eq!(fs::read_to_string(place.path().join("a.svc")).unwrap(), "1 + 1\n");
}

/// The lines of a program that goes on, from both outputs.
struct Watched {
    program: Child,
    lines: Receiver<String>,
    /// The lines that were read and not waited for yet: the order of the two outputs is open.
    seen: Vec<String>,
}

impl Watched {
    fn new(place: &Place, args: &[&str]) -> Self {
        let mut program = place.command(args).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let outputs: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(program.stdout.take().unwrap()), Box::new(program.stderr.take().unwrap())];
        for output in outputs {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        Self { program, lines, seen: Vec::new() }
    }

    /// Waits for a line that contains a text.
    #[track_caller]
    fn shows(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen.iter().position(|it| it.contains(text)) {
                self.seen.remove(at);
                return;
            }
            match self.lines.recv_timeout(Duration::from_mins(1)) {
                Ok(line) => self.seen.push(line),
                Err(why) => panic!("no `{text}` ({why}) in {:#?}", self.seen),
            }
        }
    }

    #[cfg(unix)]
    #[track_caller]
    fn ends(mut self) {
        let id = rustix::process::Pid::from_child(&self.program);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        assert_eq!(self.program.wait().unwrap().code(), Some(130));
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.program.kill();
    }
}

#[cfg(unix)]
#[test]
fn a_changed_script_is_checked_again() {
    let place = Place::new(&[("a.svc", "1 + 1\n"), ("lib/b.svc", "2\n")]);
    let mut watched = Watched::new(&place, &["check", ".", "--watch"]);
    watched.shows("2 scripts: 2 ok, 0 with errors");
    watched.shows("watching 2 files; Ctrl-C ends");
    fs::write(place.path().join("lib/b.svc"), "\"x\" >> uper\n").unwrap();
    watched.shows("`lib/b.svc` changed");
    watched.shows("lib/b.svc: 1 error");
    watched.shows("watching 2 files");
    fs::write(place.path().join("c.svc"), "3\n").unwrap();
    watched.shows("3 scripts: 2 ok, 1 with errors");
    watched.shows("watching 3 files");
    watched.ends();
}

#[cfg(unix)]
#[test]
fn a_changed_script_runs_again_and_its_outputs_do_not_count() {
    let script = "write_file(\"one\", to: \"out.txt\")\n";
    let place = Place::new(&[("a.svc", script)]);
    let mut watched = Watched::new(&place, &["run", "a.svc", "--watch", "--no-store"]);
    watched.shows("out.txt");
    watched.shows("watching 1 file;");
    fs::write(place.path().join("a.svc"), script.replace("one", "two")).unwrap();
    watched.shows("`a.svc` changed");
    watched.shows("watching 1 file;");
    assert_eq!(fs::read_to_string(place.path().join("out.txt")).unwrap(), "two");
    watched.ends();
    place.svc(&["run", "-", "--watch"]).fails(2, "cannot watch standard input");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_not_repeated() {
    let place = Place::new(&[("a.svc", "1 >> wait(duration: 10m)\n")]);
    let watched = Watched::new(&place, &["run", "a.svc", "--watch", "--no-store"]);
    // The run has no output before it ends. Without a handler, the signal would end the program
    // without an exit code.
    thread::sleep(Duration::from_secs(3));
    watched.ends();
}

#[test]
fn a_new_project_checks_tests_and_runs() {
    let place = Place::new(&[]);
    let made = place.svc(&["init", "reports"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert!(made.out.contains("reports/report.svc: written\n"), "{}", made.out);
    assert!(made.out.contains("  cd reports\n"), "{}", made.out);
    let within = |args: &[&str]| {
        let mut command = place.command(args);
        super::Done::of(command.current_dir(place.path().join("reports")).output().unwrap())
    };
    within(&["check", "."])
        .gives("report.svc: ok, result [CustomerTotal]\n1 script: 1 ok, 0 with errors\n");
    within(&["fmt", "--check", "."]).gives("1 script: 0 would be formatted\n");
    assert!(within(&["test", "."]).out.ends_with("1 passed, 0 failed in 1 script\n"));
    let run = ["run", "report.svc", "--policy", "policy.toml"];
    within(&run).gives("customer\torders\ttotal\nAnn\t2\t37.5\nBob\t1\t30.0\nCleo\t1\t8.75\n");
    within(&[&run[..], &["-p", "least=31"]].concat())
        .gives("customer\torders\ttotal\nAnn\t2\t37.5\n");
    let denied = within(&[&run[..], &["-p", "orders=/etc/hostname"]].concat());
    assert!(denied.code != Some(0) && denied.err.contains("E315"), "{}", denied.err);
    within(&["init"]).fails(1, "already exist");
}

#[test]
fn a_new_project_overwrites_nothing() {
    let place = Place::new(&[("README.md", "mine")]);
    place.svc(&["init"]).fails(1, "`./README.md` already exists");
    place.svc(&["init", "README.md"]).fails(2, "`README.md` is not a folder");
    assert_eq!(fs::read_to_string(place.path().join("README.md")).unwrap(), "mine");
    assert!(!place.path().join("report.svc").exists());
}
