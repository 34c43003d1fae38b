//! Workers that answer, crash, wait and flood. The binary of these tests is the worker.

use std::{env, hint, thread, time::Duration};

use super::*;

/// The tasks of workers in these tests.
fn work(asked: &[u8]) -> Vec<u8> {
    match asked {
        b"own: abort" => std::process::abort(),
        b"own: panic" => panic!("on purpose"),
        b"own: memory" => vec![1; 1 << 40],
        b"own: much" => vec![1; 2 << 20],
        b"own: spin" => loop {
            hint::spin_loop();
        },
        b"own: sleep" => loop {
            thread::sleep(Duration::from_mins(1));
        },
        b"own: overflow" => vec![u8::try_from(deep(u64::MAX) % 2).unwrap_or_default()],
        b"own: id" => std::process::id().to_string().into_bytes(),
        b"own: environment" => environment().into_bytes(),
        _ => Vec::new(),
    }
}

/// The binary of these tests has no `main` of ours, so this test is the worker.
#[test]
fn works_where_it_is_a_worker() {
    if is_worker(work) {
        std::process::exit(0);
    }
}

/// Recursion that compilers do not turn into a loop.
fn deep(left: u64) -> u64 {
    match hint::black_box(left) {
        0 => 0,
        left => hint::black_box(deep(left - 1)).wrapping_add(left),
    }
}

/// The world as a worker sees it.
#[cfg(unix)]
fn environment() -> String {
    let variables: Vec<String> = env::vars().map(|(name, _)| name).collect();
    let folder = env::current_dir().map(|it| it.display().to_string());
    #[expect(clippy::disallowed_methods, reason = "it is to fail")]
    let opened = std::fs::File::open("/dev/null").map(|_| ()).map_err(|it| it.raw_os_error());
    let group = rustix::process::getpgrp() == rustix::process::getpid();
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let is_fixed = files.current.is_some() && files.current == files.maximum;
    format!("{variables:?} {folder:?} {opened:?} {group} {is_fixed}")
}

#[cfg(not(unix))]
fn environment() -> String {
    String::new()
}

fn workers() -> Workers {
    Workers::of_test("workers::tests::works_where_it_is_a_worker").unwrap()
}

struct Limits {
    memory: u64,
    processor: Duration,
    time: Duration,
}

const AMPLE: Limits =
    Limits { memory: 1 << 30, processor: Duration::from_mins(1), time: Duration::from_mins(10) };

fn ask(workers: &Workers, work: &str, limits: &Limits) -> Result<String, WorkerError> {
    ask_while(workers, work, limits, &|| true)
}

fn ask_while(
    workers: &Workers,
    work: &str,
    limits: &Limits,
    goes_on: &dyn Fn() -> bool,
) -> Result<String, WorkerError> {
    let limits = WorkerLimits {
        process: Process::Kept,
        memory: limits.memory,
        processor: limits.processor,
        time: limits.time,
        answer: 1 << 20,
        goes_on,
    };
    let answer = workers.run(format!("own: {work}").into(), &limits)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn id(workers: &Workers) -> String {
    ask(workers, "id", &AMPLE).unwrap()
}

#[test]
fn failures_are_distinguished_and_the_next_worker_works() {
    let workers = workers();
    let short = Limits { processor: Duration::from_secs(1), ..AMPLE };
    let late = Limits { time: Duration::from_millis(50), ..AMPLE };
    for kept in [false, true] {
        // With a worker that did work before, and without one.
        let before = || {
            if kept {
                drop(id(&workers));
            }
        };
        let of = |work: &str, limits: &Limits| {
            before();
            ask(&workers, work, limits).unwrap_err()
        };
        assert!(matches!(of("abort", &AMPLE), WorkerError::Crashed));
        assert!(matches!(of("panic", &AMPLE), WorkerError::Crashed));
        assert!(matches!(of("overflow", &AMPLE), WorkerError::Crashed));
        assert!(matches!(of("memory", &AMPLE), WorkerError::Memory));
        assert!(matches!(of("much", &AMPLE), WorkerError::TooLarge));
        assert!(matches!(of("sleep", &late), WorkerError::Late));
        assert!(matches!(of("spin", &short), WorkerError::Processor));
        before();
        let stopped = ask_while(&workers, "sleep", &AMPLE, &|| false);
        assert!(matches!(stopped, Err(WorkerError::Cancelled)));
    }
    assert_ne!(id(&workers), "");
}

#[test]
fn a_worker_is_kept_and_another_one_takes_the_place_of_one_that_was_killed() {
    let workers = workers();
    let first = id(&workers);
    assert_eq!(id(&workers), first);
    let pool = workers.0.pool();
    let pid = rustix::process::Pid::from_raw(first.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    drop(pool);
    let second = id(&workers);
    assert_ne!(second, first);
    // An idle worker ends after a while, and leaves nothing behind.
    assert!(rustix::process::test_kill_process(pid).is_err(), "it was waited for");
    for (_, since) in &mut workers.0.pool().idle {
        *since = since.checked_sub(IDLE).unwrap();
    }
    assert!(!workers.0.sweep());
    let pid = rustix::process::Pid::from_raw(second.parse().unwrap()).unwrap();
    assert!(rustix::process::test_kill_process(pid).is_err());
}

#[test]
fn no_more_workers_than_cores_are_at_work() {
    let workers = workers();
    let cores = thread::available_parallelism().map_or(2, usize::from);
    let ids: std::collections::BTreeSet<String> = thread::scope(|scope| {
        let asked: Vec<_> = (0..cores * 4).map(|_| scope.spawn(|| id(&workers))).collect();
        asked.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(ids.len() <= cores, "{ids:?}");
    assert_eq!(workers.0.pool().busy, 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_sees_nothing_of_its_surroundings() {
    let seen = ask(&workers(), "environment", &AMPLE).unwrap();
    let too_many_files = 24;
    assert_eq!(seen, format!(r#"["SVC_WORKER"] Ok("/") Err(Some({too_many_files})) true true"#));
}

#[test]
fn a_program_that_is_no_worker_is_said_to_be_none() {
    let other = Workers::of("/bin/echo".into());
    let Err(WorkerError::Lost(err)) = ask(&other, "id", &AMPLE) else { panic!() };
    assert!(err.to_string().contains("is not a worker"), "{err}");
    let none = Workers::of("/nowhere/at/all".into());
    assert!(matches!(ask(&none, "id", &AMPLE), Err(WorkerError::Lost(_))));
}
