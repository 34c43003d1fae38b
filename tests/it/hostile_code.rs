//! `tests/rhai/*.svc`: code that would never end, or use all memory. The first line of each script
//! states how it is stopped.
//!
//! All of them run one after another in one separate process, which is this test run again: its
//! memory is measured after each script, and it stays alive.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use svc::Error;

/// Marks the process that runs the scripts.
const VARIABLE: &str = "SVC_HOSTILE_CODE";

/// The time limit of a script, on a machine with other load.
const LONGEST: Duration = Duration::from_secs(30);

/// The memory limit for any script, in kilobytes: the memory of the process before, what the
/// allocator keeps from earlier scripts, the limit of the code, and what a few operations may use
/// before it is noticed.
const MOST_MEMORY: u64 = 320 << 10;

/// The result of a script.
#[derive(Debug)]
struct Ended {
    name: String,
    /// `check`, `nothing`, or the kind of the error.
    how: String,
    message: String,
    /// Whether the failure has a place in the script.
    is_placed: bool,
    took: Duration,
    /// The peak memory of the process, in kilobytes.
    memory: u64,
}

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rhai");
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn hostile_code_is_stopped() {
    if std::env::var_os(VARIABLE).is_some() {
        return run_all();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "hostile_code::hostile_code_is_stopped", "--nocapture"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the process stays alive\n{text}");
    let ended: Vec<Ended> = text.lines().filter_map(read).collect();
    let scripts = scripts();
    assert!(scripts.len() >= 25);
    assert_eq!(ended.len(), scripts.len(), "every script ended\n{text}");
    let wrong: Vec<String> = scripts.iter().zip(&ended).filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The difference between a script's first line and its result.
fn wrong((path, ended): (&PathBuf, &Ended)) -> Option<String> {
    let text = fs::read_to_string(path).unwrap();
    let due = text
        .lines()
        .next()?
        .strip_prefix("# stops: ")
        .expect("the first line states how it is stopped");
    let (kinds, message) = due.split_once(' ').unwrap_or((due, ""));
    let fits = path.file_stem()? == ended.name.as_str()
        && kinds.split(',').any(|it| it == ended.how)
        && ended.message.contains(message)
        && ended.message.len() < 500
        && ended.is_placed
        && ended.took < LONGEST
        && ended.memory < MOST_MEMORY;
    (!fits).then(|| format!("expected {due:?}, found {ended:?}"))
}

/// A line of the child: `@name|how|place|ms|kilobytes|message`.
fn read(line: &str) -> Option<Ended> {
    let mut parts = line.split_once('@')?.1.splitn(6, '|');
    let mut next = || parts.next();
    Some(Ended {
        name: next()?.to_owned(),
        how: next()?.to_owned(),
        is_placed: next()? == "true",
        took: Duration::from_millis(next()?.parse().ok()?),
        memory: next()?.parse().ok()?,
        message: next()?.to_owned(),
    })
}

fn run_all() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let engine = svc::engine();
    for path in scripts() {
        let text = fs::read_to_string(&path).unwrap();
        reset_peak();
        let begun = Instant::now();
        let ended = runtime.block_on(async { engine.run(text.as_str()).await });
        let (how, placed, message) = match &ended {
            Ok(_) => ("nothing".to_owned(), true, String::new()),
            Err(Error::Run { error, .. }) => (
                error.kind().name().to_owned(),
                text.get(error.span.range()).is_some() && error.span.end > 0,
                error.error.message.clone(),
            ),
            Err(other) => ("check".to_owned(), true, first_line(&other.to_string())),
        };
        let (name, took) = (path.file_stem().unwrap().to_string_lossy(), begun.elapsed());
        let (ms, peak, message) = (took.as_millis(), peak(), first_line(&message));
        let line = format!("@{name}|{how}|{placed}|{ms}|{peak}|{message}\n");
        std::io::stdout().write_all(line.as_bytes()).unwrap();
    }
    let ended = runtime.block_on(async { engine.run("1 >> rhai(n: int) -> int { n + 1 }").await });
    assert_eq!(ended.unwrap().get::<i64>().unwrap(), 2, "the engine works afterwards");
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// Resets the measured peak memory, if the system supports that.
fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The peak memory in kilobytes, without the pages of the program itself; zero if the system does
/// not report it.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| -> u64 {
        let line = status.lines().find_map(|it| it.strip_prefix(name));
        line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    };
    of("VmHWM:").saturating_sub(of("RssFile:"))
}

/// Untrusted scripts run their code in separate processes, which end.
#[test]
fn code_that_is_not_trusted_runs_apart() {
    let svc = assert_cmd::cargo::cargo_bin!("svc");
    let run = |script: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("script.svc");
        fs::write(&file, script).unwrap();
        let output = Command::new(svc)
            .args(["run", "--untrusted", "--no-store"])
            .arg(&file)
            .output()
            .unwrap();
        let (out, err) = (output.stdout, output.stderr);
        format!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err))
    };
    let amounts = run(r#"{ cost: $0.05, time: 2s, list: ["ü", "b"], none: null }
        >> rhai(x: { cost: money, time: duration, list: [string], none: string? }) -> {
             cost: money, time: duration, list: [string], none: string?, f: float
           } { x.list.push("c"); x.cost *= 2; x + #{ f: 1.0 } }
        >> rhai(x: { list: [string], f: float }) -> string { x.list[0] + x.list[2] + x.f }"#);
    assert_eq!(amounts, "üc1.0\n");
    let misfit = run("1 >> rhai(n: int) -> { a: [int] } { #{ a: [n, 'x'] } }");
    assert!(misfit.contains("expected int for `a[1]` of the result of the code"), "{misfit}");
    let endless = run("1 >> (rhai(n: int) -> int { loop {} } within { timeout: 300ms })");
    assert!(endless.contains("E405") || endless.contains("E410"), "{endless}");
    let large =
        fs::read_to_string(scripts().iter().find(|it| it.ends_with("many_variables.svc")).unwrap());
    let large = run(&large.unwrap());
    assert!(large.contains("E410"), "{large}");
}

/// A program that does not check for the worker role is not started again.
#[tokio::test]
async fn a_program_without_the_entry_says_so() {
    let engine = svc::engine().untrusted();
    let err = engine.run("1 >> rhai(n: int) -> int { n }").await.unwrap_err().to_string();
    assert!(err.contains("needs a worker process"), "{err}");
}
