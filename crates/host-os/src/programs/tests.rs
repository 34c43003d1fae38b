//! Real programs: their output, their ends, and that nothing of them is left.
#![cfg(unix)]

use std::{fs, time::Instant};

use super::*;

fn shell(script: &str) -> ProgramCall {
    ProgramCall {
        program: "sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        max_output: 1 << 20,
        ..ProgramCall::default()
    }
}

async fn done(call: ProgramCall) -> Result<ProgramOutput, ProgramError> {
    run(call, CancellationToken::new()).await
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The processes whose command line contains a mark.
fn alive(mark: &str) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter(|it| fs::read(it.path().join("cmdline")).is_ok_and(|it| contains(&it, mark))).count()
}

fn contains(text: &[u8], mark: &str) -> bool {
    text.windows(mark.len()).any(|it| it == mark.as_bytes())
}

/// A mark that only one test uses.
fn mark() -> String {
    format!("mark{}x{}", std::process::id(), fastrand::u64(..))
}

/// Waits until no process with a mark is left: a killed one is reaped a little later.
async fn none_left(mark: &str) {
    for _ in 0..100 {
        if alive(mark) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} processes are left", alive(mark));
}

#[tokio::test]
async fn output_input_and_code_are_separate() {
    let call = ProgramCall { stdin: b"in".to_vec(), ..shell("cat; echo bad >&2; exit 3") };
    let output = done(call).await.unwrap();
    assert_eq!((output.code, text(&output.stdout), text(&output.stderr)), (3, "in", "bad\n"));
    assert!(!output.is_held_open);
    let killed = done(shell("kill -9 $$")).await.unwrap();
    assert_eq!(killed.code, 137);
}

#[tokio::test]
async fn the_environment_is_the_one_of_the_call() {
    let env = vec![("A".to_owned(), "b c".to_owned())];
    let output = done(ProgramCall { env, ..shell("echo \"$A,$HOME,$CARGO\"") }).await.unwrap();
    assert_eq!(text(&output.stdout), "b c,,\n");
}

/// More than a pipe holds, in both directions at once.
#[tokio::test]
async fn large_input_and_output_do_not_block_each_other() {
    let input = vec![b'x'; 4 << 20];
    let call = ProgramCall { stdin: input.clone(), max_output: 4 << 20, ..shell("cat") };
    assert_eq!(done(call).await.unwrap().stdout, input);
}

#[tokio::test]
async fn an_input_need_not_be_read() {
    let call = ProgramCall { stdin: vec![0; 4 << 20], ..shell("exec <&-; echo done") };
    assert_eq!(text(&done(call).await.unwrap().stdout), "done\n");
}

#[tokio::test]
async fn an_endless_output_is_an_error_and_ends_the_program() {
    let mark = mark();
    for (script, stream) in [("while :; do echo", "stdout"), ("while :; do echo >&2", "stderr")] {
        let started = Instant::now();
        let ended = done(shell(&format!("{script} {mark}; done"))).await;
        assert!(matches!(ended, Err(ProgramError::TooLarge(it)) if it == stream), "{ended:?}");
        assert!(started.elapsed() < Duration::from_secs(20));
        none_left(&mark).await;
    }
}

#[tokio::test]
async fn starts_that_fail_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("plain"), "text").unwrap();
    fs::write(path("script"), "#!/no/such/interpreter\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path("script"), mode).unwrap();
    for (program, why) in [
        ("no-such-program-here".to_owned(), "no program of that name in `PATH`"),
        (path("missing"), "the file does not exist"),
        (path("plain"), "it is not executable"),
        (path(""), "it is a folder"),
        (path("script"), "the program named in its first line"),
        ("a\0b".to_owned(), "nul byte"),
    ] {
        match done(ProgramCall { program: program.clone(), ..ProgramCall::default() }).await {
            Err(ProgramError::Start(err)) => assert!(err.to_string().contains(why), "{err}"),
            other => panic!("{program}: {other:?}"),
        }
    }
    let dir = Some(path("nowhere").into());
    let Err(ProgramError::Start(err)) = done(ProgramCall { dir, ..shell("true") }).await else {
        panic!("it started in a folder that does not exist");
    };
    assert!(err.to_string().contains("nowhere` does not exist"), "{err}");
}

/// Children that ignore the request to end, and that were forked by children.
#[tokio::test]
async fn a_cancel_kills_the_whole_group() {
    let mark = mark();
    let script = format!(
        "trap '' TERM; (trap '' TERM; sh -c 'trap \"\" TERM; sleep 60; : {mark}') & sleep 60; : {mark}"
    );
    let cancel = CancellationToken::new();
    let running = tokio::spawn(run(shell(&script), cancel.clone()));
    while alive(&mark) < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let started = Instant::now();
    cancel.cancel();
    assert!(matches!(running.await.unwrap(), Err(ProgramError::Cancelled)));
    assert!(started.elapsed() < Duration::from_millis(1_500), "{:?}", started.elapsed());
    none_left(&mark).await;
}

#[tokio::test]
async fn a_program_may_clean_up_when_it_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cleaned");
    let ready = folder.path().join("ready");
    let script = format!(
        "trap 'echo ends >&2; echo > {}; exit' TERM; echo > {}; while :; do sleep 0.05; done",
        file.display(),
        ready.display()
    );
    let cancel = CancellationToken::new();
    let running = tokio::spawn(run(shell(&script), cancel.clone()));
    while !ready.exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    cancel.cancel();
    assert!(matches!(running.await.unwrap(), Err(ProgramError::Cancelled)));
    assert!(file.exists());
}

#[tokio::test]
async fn a_dropped_call_kills_the_group() {
    let mark = mark();
    let running = tokio::spawn(run(
        shell(&format!("sleep 60 & sleep 60; : {mark}")),
        CancellationToken::new(),
    ));
    while alive(&mark) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    none_left(&mark).await;
}

/// What it leaves in the background neither outlives it nor holds the call up.
#[tokio::test]
async fn leftovers_are_killed() {
    let mark = mark();
    let started = Instant::now();
    let output = done(shell(&format!("(sleep 60; : {mark}) & echo done"))).await.unwrap();
    assert_eq!((text(&output.stdout), output.is_held_open), ("done\n", false));
    assert!(started.elapsed() < Duration::from_secs(10));
    none_left(&mark).await;
}

/// A daemon leaves the group. It may live, but the call ends.
#[tokio::test]
async fn an_output_that_a_daemon_holds_open_is_reported() {
    let started = Instant::now();
    let output = done(shell("setsid sleep 5 & sleep 0.2; echo done")).await.unwrap();
    assert_eq!((text(&output.stdout), output.is_held_open), ("done\n", true));
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_hundred_at_once_leave_no_descriptor() {
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    done(shell("true")).await.unwrap();
    let before = open();
    let all = (0..100).map(|it| done(shell(&format!("echo {it}"))));
    for (idx, output) in futures_util::future::join_all(all).await.into_iter().enumerate() {
        assert_eq!(text(&output.unwrap().stdout), format!("{idx}\n"));
    }
    // Other tests of this process have some open meanwhile.
    let allowed = before + 40;
    assert!(open() <= allowed, "{} of {before} before", open());
}
