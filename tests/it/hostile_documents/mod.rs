//! Documents that attack the process, its memory or its time. Each is skipped with a reason, the
//! documents around it are read, and no process is left running.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use svc_contract::registry::ErrorKind;
use svc_host_os::{OsHost, test::TestHost};
use tempfile::TempDir;

mod data_mutants;
mod mutants;
mod pages;
mod pdf;

/// The number of good files among the hostile ones.
const GOOD: usize = 4;

/// The address space of a worker, which is more than it ever uses.
const WORKER: u64 = 512 << 10;

/// The memory limit of the program itself, in kilobytes.
const OWN: u64 = 256 << 10;

/// The result of a watched command.
struct Watched {
    output: Output,
    took: Duration,
    /// The peak memory of the program, and of any process that it started, in kilobytes.
    own: u64,
    worker: u64,
    /// The processes that it started.
    started: Vec<u32>,
}

fn svc(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    command.current_dir(folder).env("SVC_CACHE", folder.join("cache")).env_remove("RUST_BACKTRACE");
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command and measures its memory at intervals. `meanwhile` gets its id each time.
fn watched(mut command: Command, mut meanwhile: impl FnMut(u32, &[u32])) -> Watched {
    let begun = Instant::now();
    let child = command.spawn().unwrap();
    let id = child.id();
    let waiting = thread::spawn(move || child.wait_with_output().unwrap());
    let (mut own, mut worker, mut started) = (0, 0, Vec::new());
    while !waiting.is_finished() {
        own = own.max(memory(id));
        let children = children(id);
        worker = children.iter().map(|it| memory(*it)).fold(worker, u64::max);
        meanwhile(id, &children);
        started.extend(children);
        thread::sleep(Duration::from_millis(2));
    }
    started.sort_unstable();
    started.dedup();
    let output = waiting.join().unwrap();
    Watched { output, took: begun.elapsed(), own, worker, started }
}

/// The peak memory of a process, in kilobytes; zero if the system does not report it.
fn memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children"));
    let all: String = tasks.filter_map(|it| of(it).ok()).collect();
    all.split_whitespace().filter_map(|it| it.parse().ok()).collect()
}

/// Whether a process exists and is not a zombie.
fn is_there(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, it)| !it.starts_with('Z'))
}

fn gone(ids: &[u32]) -> bool {
    let since = Instant::now();
    while ids.iter().any(|it| is_there(*it)) {
        if since.elapsed() > Duration::from_secs(20) {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Prints the measurements.
#[expect(clippy::print_stdout, reason = "the output is for people who run the long rounds")]
fn report(measured: &str) {
    println!("{measured}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of good files with these among them.
fn folder_with(hostile: impl IntoIterator<Item = (String, Vec<u8>)>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    fs::create_dir(&docs).unwrap();
    for number in 0..GOOD {
        let file = docs.join(format!("{}_good.pdf", ["a", "g", "n", "z"][number]));
        fs::write(file, pdf::good(&format!("neighbour number {number}"))).unwrap();
    }
    fs::write(docs.join("note.txt"), "a neighbour in plain text").unwrap();
    for (name, content) in hostile {
        fs::write(docs.join(name), content).unwrap();
    }
    folder
}

const SEARCH: &str = r#""neighbour" >> search(source: "docs", top_k: 100) >> each { .path }"#;

const FOUND: [&str; GOOD + 1] =
    ["docs/a_good.pdf", "docs/g_good.pdf", "docs/n_good.pdf", "docs/note.txt", "docs/z_good.pdf"];

/// The number of rounds per shape: `SVC_ROUNDS=20` runs more.
fn count() -> usize {
    std::env::var("SVC_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(1)
}

/// The results for every shape, including a file that would kill the program.
#[test]
#[cfg(target_os = "linux")]
fn hostile_pdfs_are_skipped_and_their_neighbours_are_found() {
    let mut rounds = Vec::new();
    for round in 0..count() {
        let mut rng = Rng::with_seed(7 + round as u64);
        let hostile: Vec<_> = pdf::SHAPES
            .iter()
            .map(|(name, make)| (format!("h_{name}.pdf"), make(&mut rng)))
            .chain([("h_51_gb.pdf".to_owned(), pdf::absurd_count(2_147_483_647))])
            .collect();
        let folder = folder_with(hostile);
        fs::write(folder.path().join("a.svc"), SEARCH).unwrap();
        let run = || {
            let command = svc(folder.path(), &["run", "--no-store", "--json", "a.svc"]);
            let ended = watched(command, |_, _| {});
            let (out, err) = (text(&ended.output.stdout), text(&ended.output.stderr));
            assert!(ended.output.status.success(), "round {round}: {out}{err}");
            for path in FOUND {
                assert!(out.contains(path), "round {round}: {path} is not in {out}{err}");
            }
            assert!(ended.own < OWN, "round {round}: {} kB of its own", ended.own);
            assert!(ended.worker <= WORKER, "round {round}: {} kB", ended.worker);
            assert!(gone(&ended.started), "round {round}: a worker is still running");
            (ended, err)
        };
        let (first, err) = run();
        let damaged = err.lines().filter(|it| it.contains("skipped: it is damaged")).count();
        assert!(damaged >= 2, "round {round}: {err}");
        // Damaged files are remembered.
        let (second, _) = run();
        rounds.push((round, damaged, first.took, first.own, first.worker, second.took));
        if round == 0 {
            assert!(second.took < first.took);
        }
    }
    report(&format!("(round, damaged, took, own kB, worker kB, took again): {rounds:?}"));
}

/// As the only document, it is an error, which scripts handle like any other.
#[test]
fn a_hostile_pdf_alone_is_an_error_of_its_file() {
    let mut rng = Rng::with_seed(1);
    let count = pdf::absurd_count(2_147_483_647);
    let flood = pdf::SHAPES.iter().find(|it| it.0 == "q_flood").unwrap().1(&mut rng);
    assert!(flood.len() < 64 << 10, "{}", flood.len());
    let hostile = [("count.pdf".to_owned(), count), ("flood.pdf".to_owned(), flood)];
    let folder = folder_with(hostile);
    let run = |script: &str| {
        fs::write(folder.path().join("a.svc"), script).unwrap();
        let output = svc(folder.path(), &["run", "--no-store", "a.svc"]).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for name in ["count", "flood"] {
        let (code, _, err) = run(&format!(r#"path("docs/{name}.pdf") >> pdf_text"#));
        assert_eq!(code, Some(1), "{err}");
        let one_line = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            one_line.contains("error[E40") && one_line.contains(&format!("docs/{name}.pdf")),
            "{err}"
        );
        let whys: &[&str] = match name {
            "count" => &["of memory"],
            // Its content is read step by step, which a slow machine does not finish.
            _ => &["contains no text", "takes longer than"],
        };
        assert!(whys.iter().any(|it| one_line.contains(it)), "{err}");
    }
    let (code, out, err) =
        run(r#"read_files(folder: "docs", glob: "*.pdf") >> each? { pdf_text } >> compact >> len"#);
    assert_eq!((code, out.trim()), (Some(0), "4"), "{err}");
    let (code, out, err) = run(r#"(path("docs/count.pdf") >> pdf_text) fallback "nothing there""#);
    assert_eq!((code, out.trim()), (Some(0), "nothing there"), "{err}");
}

/// The pages of a long book are walked once in total, and not once per page.
#[test]
fn a_book_of_3000_pages_is_read_to_its_end() {
    let words = ["market", "the ledger", "of", "river", "and then", "a question", "answers"];
    let mut rng = Rng::with_seed(5);
    let line = |_| (0..12).map(|_| words[rng.usize(..words.len())]).collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = (0..40).map(line).collect();
    let folder = folder_with([]);
    fs::write(folder.path().join("book.pdf"), pdf::book(30, 100, &lines)).unwrap();
    fs::write(folder.path().join("a.svc"), r#"path("book.pdf") >> pdf_text"#).unwrap();
    let ended = watched(svc(folder.path(), &["run", "--no-store", "a.svc"]), |_, _| {});
    let (out, err) = (text(&ended.output.stdout), text(&ended.output.stderr));
    assert!(ended.output.status.success(), "{err}");
    for number in [1, 2, 1_500, 3_000] {
        assert!(out.contains(&format!("page number {number}\n")), "{number}: {err}");
    }
    report(&format!("{} MB of text in {:?}", out.len() >> 20, ended.took));
}

/// A file whose pages take too long to read.
fn endless() -> Vec<u8> {
    pdf::pages_of(60_000, &b"q ".repeat(20_000))
}

#[test]
#[cfg(target_os = "linux")]
fn a_timeout_and_a_signal_end_the_worker() {
    let folder = folder_with([("long.pdf".to_owned(), endless())]);
    let script = r#"(path("docs/long.pdf") >> pdf_text) within { timeout: 1s } fallback "late""#;
    fs::write(folder.path().join("a.svc"), script).unwrap();
    let ended = watched(svc(folder.path(), &["run", "--no-store", "a.svc"]), |_, _| {});
    assert_eq!(text(&ended.output.stdout).trim(), "late", "{}", text(&ended.output.stderr));
    assert!(ended.took < Duration::from_secs(8), "{:?}", ended.took);
    assert!(!ended.started.is_empty() && gone(&ended.started));

    fs::write(folder.path().join("a.svc"), SEARCH).unwrap();
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::KILL] {
        let mut sent = None;
        let ended = watched(svc(folder.path(), &["run", "--no-store", "a.svc"]), |id, children| {
            let busy = children.iter().any(|it| memory(*it) > 40 << 10);
            if busy && sent.is_none() {
                let pid = rustix::process::Pid::from_raw(id.try_into().unwrap()).unwrap();
                rustix::process::kill_process(pid, signal).unwrap();
                sent = Some(Instant::now());
            }
        });
        let since = sent.expect("a worker was at work").elapsed();
        assert!(!ended.output.status.success());
        assert!(since < Duration::from_secs(6), "{signal:?}: {since:?}");
        assert!(gone(&ended.started), "{signal:?}: a worker is still running");
        assert!(!text(&ended.output.stderr).contains("skipped"), "nothing is wrong with the file");
    }
}

/// Without workers, a PDF is never read; with another program as the worker, it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_without_workers_reads_no_pdf() {
    let script = r#"path("a.pdf") >> pdf_text"#;
    let host = || TestHost::new().file("a.pdf", pdf::good("hello"));
    let err =
        svc::engine().with_host(Arc::new(host())).run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unsupported));
    assert!(err.to_string().contains("call `svc::is_worker()` first of all"), "{err}");
    let folder = r#"read_files(folder: ".") >> each? { pdf_text } >> compact >> len"#;
    let none = svc::engine().with_host(Arc::new(host())).run(folder).await.unwrap();
    assert_eq!(none.get::<i64>().unwrap(), 0);

    let program = assert_cmd::cargo::cargo_bin!("svc");
    let with = svc::engine().with_host(Arc::new(host().working_in(program)));
    assert_eq!(with.run(script).await.unwrap().get::<String>().unwrap(), "hello");

    let folder = folder_with([]);
    let script = format!("path({:?}) >> pdf_text", folder.path().join("docs/a_good.pdf"));
    let with = svc::engine().with_host(Arc::new(OsHost::default().working_in(program)));
    let read = with.run(script.as_str()).await.unwrap().get::<String>().unwrap();
    assert_eq!(read, "neighbour number 0");
}
