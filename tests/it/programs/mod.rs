//! Programs that scripts run: their effects and rules, when they are repeated, and that nothing of
//! them is left.
#![cfg(unix)]

mod ended;
mod many;

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use svc::{Engine, Policy};
use svc_contract::{registry::ErrorKind, value::json};
use svc_host_os::OsHost;
use tempfile::TempDir;

/// A folder with scripts, and the real command.
struct Place(TempDir);

impl Place {
    fn new(script: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("a.svc", script);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        command
            .args(args)
            .current_dir(&self.0)
            .env("SVC_STORE", "runs.db")
            .env("SVC_CACHE", self.path(".cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn svc(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn engine() -> Engine {
    svc::engine().with_host(Arc::new(OsHost::default()))
}

async fn value(script: &str) -> String {
    match engine().run(script).await {
        Ok(done) => json::write(&done.value),
        Err(err) => panic!("{script}: {err}"),
    }
}

async fn failure(script: &str) -> (ErrorKind, String, String) {
    match engine().run(script).await.unwrap_err() {
        svc::Error::Run { error, .. } => {
            let error = &error.error;
            (error.kind, error.message.clone(), error.help.clone().unwrap_or_default())
        }
        other => panic!("{script}: {other}"),
    }
}

/// The ids of the processes whose command line contains a mark.
fn alive(mark: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let is_marked = |path: &Path| {
        std::fs::read(path.join("cmdline"))
            .is_ok_and(|it| it.windows(mark.len()).any(|it| it == mark.as_bytes()))
    };
    let found = all.filter(|it| is_marked(&it.path()));
    found.map(|it| it.file_name().to_string_lossy().into_owned()).collect()
}

#[track_caller]
fn none_left(mark: &str) {
    within(Duration::from_secs(5), || alive(mark).is_empty());
}

#[track_caller]
fn within(time: Duration, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < time, "it does not hold after {time:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn arguments_are_not_read_by_a_shell() {
    let script =
        r#"exec("printf", args: ["%s|", "a b", "$HOME", "`id`", "*", "; ls", ""]) >> .stdout"#;
    assert_eq!(value(script).await, r#""a b|$HOME|`id`|*|; ls||""#);
}

#[tokio::test]
async fn secrets_of_this_process_are_not_inherited() {
    let script = r#"exec("env", env: { MINE: "1", LANG: "C.UTF-8" }) >> .stdout >> lines"#;
    let env = value(script).await;
    assert!(env.contains(r#""MINE=1""#) && env.contains("PATH="), "{env}");
    assert!(env.contains("LANG=C.UTF-8") && env.matches("LANG=").count() == 1, "{env}");
    // Cargo sets many for its tests.
    assert!(!env.contains("CARGO"), "{env}");
    let inherited = value(r#"exec("env", inherit: ["CARGO_PKG_NAME"]) >> .stdout >> lines"#).await;
    assert!(inherited.contains("CARGO_PKG_NAME=svc"), "{inherited}");
}

#[tokio::test]
async fn mistakes_and_failures_have_a_cause_and_a_next_step() {
    for (script, kind, message, help) in [
        (
            r#"exec("no-such-program")"#,
            ErrorKind::NotFound,
            "no program of that name in `PATH`",
            "install it",
        ),
        (r#"exec("/etc/passwd")"#, ErrorKind::Denied, "it is not executable", "chmod +x"),
        (
            r#"exec("true", dir: path("/nowhere"))"#,
            ErrorKind::NotFound,
            "the folder `/nowhere` does not exist",
            "check",
        ),
        (r#"exec("" + "")"#, ErrorKind::InvalidInput, "expected a text for `program`", ""),
        (
            r#"exec("env", env: { A: 1 })"#,
            ErrorKind::InvalidInput,
            "expected a string for `env.A`, found int",
            "string",
        ),
        (
            r#"exec("printf", args: ["\\377"])"#,
            ErrorKind::InvalidOutput,
            "not valid UTF-8 (invalid byte at offset 0)",
            "LC_ALL",
        ),
        (
            r#"exec("yes", max_output: 10KiB)"#,
            ErrorKind::InvalidOutput,
            "wrote more than 10KiB to stdout",
            "raise `max_output`",
        ),
        (
            r#"exec("sleep", args: ["60"]) within { timeout: 200ms }"#,
            ErrorKind::Timeout,
            "200ms",
            "",
        ),
        (r#"exec("false", check: true)"#, ErrorKind::Failed, "ended with the exit code 1", ""),
        (
            r#"1 >> exec_json(program: "true")"#,
            ErrorKind::InvalidOutput,
            "invalid JSON: empty text",
            "to stdout",
        ),
        (
            r#"1 >> exec_json(program: "sh", args: ["-c", "echo why >&2; exit 2"])"#,
            ErrorKind::Failed,
            "exit code 2: why",
            "",
        ),
        (
            r#"1 >> exec_json<string>(program: "cat")"#,
            ErrorKind::InvalidOutput,
            "expected string",
            "",
        ),
        (
            r#"[1, 2] >> exec_jsonl(program: "sh", args: ["-c", "echo 1; echo x"])"#,
            ErrorKind::InvalidOutput,
            "line 2: invalid JSON",
            "stdout",
        ),
    ] {
        let (found, text, advice) = failure(script).await;
        assert_eq!(found, kind, "{script}: {text}");
        assert!(text.contains(message) && advice.contains(help), "{script}: {text} / {advice}");
    }
}

#[tokio::test]
async fn a_program_in_another_language_is_a_component() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("score.py");
    let text = "import sys, json\nfor line in sys.stdin:\n    it = json.loads(line)\n    \
        print(json.dumps({'text': it, 'score': len(it)}), flush=True)\n";
    std::fs::write(&program, text).unwrap();
    let script = format!(
        r#"["one", "three"] >> exec_jsonl<[{{ text: string, score: int }}]>(program: "python3", args: ["{}"]) >> each {{ .score }}"#,
        program.display()
    );
    assert_eq!(value(&script).await, "[3,5]");
}

#[tokio::test]
async fn a_program_need_not_read_its_input() {
    let script = r#"range(0, 100000) >> exec_json<int>(program: "echo", args: ["7"])"#;
    assert_eq!(value(script).await, "7");
}

#[test]
fn a_plan_names_the_program_and_a_policy_decides_about_it() {
    let effects = |script: &str| {
        let plan = engine().plan(script).unwrap();
        plan.effects().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(effects(r#"exec("git", args: ["log"])"#), ["runs cmd:git"]);
    assert_eq!(effects("param tool: string\nexec(tool)"), ["runs cmd"]);
    assert_eq!(effects(r#"1 >> exec_json(program: "jq", args: ["."])"#), ["runs cmd:jq"]);
    let accepts = |rules: Policy, script: &str| engine().with_policy(rules).plan(script).is_ok();
    let git = || Policy::default().allow("runs cmd:git").unwrap();
    assert!(accepts(git(), r#"exec("git")"#));
    assert!(!accepts(git(), r#"exec("rm")"#));
    assert!(!accepts(git(), r#"exec("/tmp/git")"#));
    assert!(!accepts(git(), "param tool: string\nexec(tool)"));
    let no_rm = || Policy::default().deny("runs cmd:rm").unwrap();
    assert!(accepts(no_rm(), r#"exec("git")"#));
    assert!(!accepts(no_rm(), "param tool: string\nexec(tool)"));
}

#[test]
fn an_untrusted_script_runs_nothing_that_no_rule_allows() {
    let place = Place::new(r#"exec("echo", args: ["hi"]) >> .stdout"#);
    let refused = place.svc(&["run", "a.svc", "--untrusted"]);
    assert_eq!(refused.status.code(), Some(7), "{}", err(&refused));
    let message = err(&refused);
    assert!(
        message.contains("`exec` runs cmd:echo, which an untrusted script may not do"),
        "{message}"
    );
    assert!(message.contains(r#"--allow "runs cmd:echo""#), "{message}");
    let checked = place.svc(&["check", "a.svc", "--untrusted"]);
    assert_eq!(checked.status.code(), Some(7), "{}", err(&checked));
    let allowed = place.svc(&["run", "a.svc", "--untrusted", "--allow", "runs cmd:echo"]);
    assert_eq!(out(&allowed), "hi\n", "{}", err(&allowed));
    let trusted = place.svc(&["run", "a.svc"]);
    assert_eq!(out(&trusted), "hi\n", "{}", err(&trusted));
}

/// Counts its runs in a file, and fails in a way that is retried.
fn counting(extra: &str) -> String {
    format!(
        r#"exec("sh", args: ["-c", "echo x >> count; sleep 60"]{extra}) within {{ attempt_timeout: 300ms, timeout: 30s }}"#
    )
}

#[test]
fn only_what_is_declared_idempotent_is_retried() {
    for (extra, runs) in [("", 1), (", idempotent: false", 1), (", idempotent: true", 4)] {
        let place = Place::new(&counting(extra));
        let done = place.svc(&["run", "a.svc"]);
        assert_eq!(place.read("count").lines().count(), runs, "{extra}: {}", err(&done));
    }
    let place = Place::new(r#"exec("true") within { max_retries: 2 }"#);
    let checked = place.svc(&["check", "a.svc"]);
    assert!(out(&checked).contains("must not be retried"), "{}", out(&checked));
    place.write("a.svc", r#"exec("true", idempotent: true) within { max_retries: 2 }"#);
    assert!(place.svc(&["check", "a.svc"]).status.success());
}

/// It is unknown whether a program that was killed with the run has done its work.
#[test]
fn a_resumed_run_asks_before_it_runs_a_program_again() {
    for (extra, asks) in [("", true), (", idempotent: true", false)] {
        let place = Place::new(&format!(
            r#"exec("sh", args: ["-c", "echo x >> count; test -e go || sleep 60; echo ran"]{extra}) >> .stdout"#
        ));
        let mut child = place.command(&["run", "a.svc"]).spawn().unwrap();
        within(Duration::from_secs(20), || place.read("count").lines().count() == 1);
        child.kill().unwrap();
        child.wait().unwrap();
        place.write("go", "");
        let resumed = place.svc(&["resume", "last"]);
        if asks {
            assert!(!resumed.status.success());
            assert!(err(&resumed).contains("unknown whether"), "{}", err(&resumed));
            assert_eq!(place.read("count").lines().count(), 1);
            let again = place.svc(&["resume", "last", "--retry-write", "exec"]);
            assert_eq!(out(&again), "ran\n", "{}", err(&again));
        } else {
            assert_eq!(out(&resumed), "ran\n", "{}", err(&resumed));
        }
        assert_eq!(place.read("count").lines().count(), 2);
        // A finished call is not made again.
        place.svc(&["resume", "last"]);
        assert_eq!(place.read("count").lines().count(), 2);
    }
}

/// Nothing in a script may take an interrupted write for one that failed, nor an edit of it.
#[test]
fn an_interrupted_program_is_not_swallowed_and_not_run_again_elsewhere() {
    const EXEC: &str =
        r#"exec("sh", args: ["-c", "echo x >> count; test -e go || sleep 60; echo ran"])"#;
    for script in [
        format!("({EXEC} >> .stdout) fallback \"none\""),
        format!("parallel {{ a?: {EXEC} >> .code }} >> .a"),
        format!("[1] >> each? {{ {EXEC} >> .code }}"),
    ] {
        let place = Place::new(&script);
        let mut child = place.command(&["run", "a.svc"]).spawn().unwrap();
        within(Duration::from_secs(20), || place.read("count").lines().count() == 1);
        child.kill().unwrap();
        child.wait().unwrap();
        place.write("go", "");
        let resumed = place.svc(&["resume", "last"]);
        assert!(err(&resumed).contains("unknown whether"), "{script}: {}", err(&resumed));
        // Also where an edit moved it.
        place.write("b.svc", &format!("let moved = {script}\nmoved\n"));
        let resumed = place.svc(&["resume", "last", "--with", "b.svc"]);
        assert!(err(&resumed).contains("unknown whether"), "{script}: {}", err(&resumed));
        assert_eq!(place.read("count").lines().count(), 1, "{script}");
    }
}

/// A rule for one program does not allow other code in it. What is known only in the run is found
/// there.
#[test]
fn variables_of_the_loader_are_refused() {
    let place = Place::new(r#"exec("true", env: { LD_PRELOAD: "./other.so" }) >> .code"#);
    let done = place.svc(&["check", "a.svc"]);
    assert!(
        out(&done).contains("`LD_PRELOAD` loads other code into the program"),
        "{}",
        out(&done)
    );
    place.write(
        "a.svc",
        r#"'{"DYLD_INSERT_LIBRARIES": "x"}' >> parse_json >> exec_with
flow exec_with(env: json) -> int { exec("true", env: env) >> .code }"#,
    );
    let done = place.svc(&["run", "a.svc", "--allow", "runs cmd:true"]);
    assert!(err(&done).contains("`DYLD_INSERT_LIBRARIES` loads other code"), "{}", err(&done));
}

/// A `PATH` for a program does not choose another program than the policy names.
#[test]
fn a_program_is_looked_up_in_the_path_of_svc() {
    let place = Place::new(r#"exec("true", env: { PATH: "evil" }) >> .code"#);
    std::fs::create_dir(place.path("evil")).unwrap();
    place.write("evil/true", "#!/bin/sh\nexit 7\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.path("evil/true"), mode).unwrap();
    let done = place.svc(&["run", "a.svc", "--allow", "runs cmd:true"]);
    assert_eq!(out(&done), "0\n", "{}", out(&done));
    place.write("evil/svc-evil", "#!/bin/sh\nexit 7\n");
    place.write("a.svc", r#"exec("svc-evil", env: { PATH: "evil" }) >> .code"#);
    let done = place.svc(&["run", "a.svc"]);
    assert!(err(&done).contains("svc-evil"), "{}", err(&done));
    assert!(!done.status.success());
}
