//! The memory of a run: whatever a script creates, it fails before the machine does, and other runs
//! are not affected.

#[cfg(target_os = "linux")]
mod peak;

use std::{
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use svc::{Engine, Error, Response};
use svc_contract::registry::ErrorKind;
use svc_host_os::test::TestHost;

/// Its host does not measure the process, which also runs many other tests; the memory of runs is
/// counted all the same.
static ENGINE: LazyLock<Arc<Engine>> =
    LazyLock::new(|| Arc::new(svc::engine().with_host(Arc::new(TestHost::new()))));

/// Uses all available memory.
const ENDLESS: &str = "range(0, 200000) >> each { range(0, 10000) } >> len";

const BOUND: u64 = 30 << 20;

fn failure(ended: Result<Response, Error>) -> (ErrorKind, String, String) {
    let Err(Error::Run { error, .. }) = ended else { panic!("it should fail: {ended:?}") };
    let help = error.error.help.clone().unwrap_or_default();
    (error.kind(), format!("{}: {error}", error.path), help)
}

#[tokio::test]
async fn a_run_that_needs_more_fails_with_its_stage_and_the_next_step() {
    let (kind, message, help) = failure(ENGINE.run(ENDLESS).max_memory(BOUND).await);
    assert_eq!(kind, ErrorKind::Exhausted);
    assert!(message.starts_with("each["), "{message}");
    assert!(message.ends_with("needs more memory than the 30MiB of the run"), "{message}");
    assert!(help.contains("raise the memory limit of the run"), "{help}");
}

#[tokio::test]
async fn the_engine_bounds_all_its_runs() {
    let engine = ENGINE.as_ref().clone().max_memory(BOUND);
    assert_eq!(failure(engine.run(ENDLESS).await).0, ErrorKind::Exhausted);
    let count = engine.run("range(0, 100000) >> each { range(0, 1) } >> len").await;
    assert_eq!(count.unwrap().value, 100_000.into());
}

/// Freed memory can be used again, whatever the total.
#[tokio::test]
async fn only_what_is_held_counts() {
    let script = "range(0, 2000) >> each { range(0, 10000) >> len } >> sum";
    let sum = ENGINE.run(script).max_memory(BOUND).await.unwrap().value;
    assert_eq!(sum, 20_000_000.into());
}

/// Shared values are counted once.
#[tokio::test]
async fn what_is_shared_counts_once() {
    let script = "let xs = range(0, 100000)\nrange(0, 1000) >> each { { xs: xs, n: it } } >> len";
    let count = ENGINE.run(script).max_memory(BOUND).await.unwrap().value;
    assert_eq!(count, 1_000.into());
}

#[tokio::test]
async fn a_bound_inside_can_be_caught_and_one_around_cannot() {
    let inside = format!("(({ENDLESS}) within {{ max_memory: 20MiB }}) fallback -1");
    assert_eq!(ENGINE.run(inside).await.unwrap().value, (-1).into());
    let around = format!("(({ENDLESS}) fallback -1) within {{ max_memory: 20MiB }}");
    let (kind, message, help) = failure(ENGINE.run(around).await);
    assert_eq!(kind, ErrorKind::Exhausted);
    assert!(message.contains("its `max_memory` of 20MiB"), "{message}");
    assert!(help.contains("`max_memory`"), "{help}");
    let run = format!("({ENDLESS}) fallback -1");
    assert_eq!(failure(ENGINE.run(run).max_memory(BOUND).await).0, ErrorKind::Exhausted);
    let optional = format!("range(0, 2) >> each? {{ {ENDLESS} }}");
    assert_eq!(failure(ENGINE.run(optional).max_memory(BOUND).await).0, ErrorKind::Exhausted);
}

/// After a bound that was exceeded and caught, the rest of the run has its memory.
#[tokio::test]
async fn a_run_goes_on_after_a_bound_inside() {
    let script = format!(
        "let a = (({ENDLESS}) within {{ max_memory: 10MiB }}) fallback -1\n\
         let b = range(0, 100000) >> each {{ [it + a] }} >> len\n\
         {{ a: a, b: b }}"
    );
    let value = ENGINE.run(script).max_memory(3 * BOUND).await.unwrap().value;
    assert_eq!(value.to_string(), r#"{"a":-1,"b":100000}"#);
}

#[tokio::test]
async fn an_inner_bound_only_tightens() {
    let wide = format!("({ENDLESS}) within {{ max_memory: 100GB }}");
    let (_, message, _) = failure(ENGINE.run(wide).max_memory(BOUND).await);
    assert!(message.contains("the 30MiB of the run"), "{message}");
}

/// The first one ends the others, which would wait for hours.
#[tokio::test]
async fn siblings_are_cancelled() {
    let script = format!("\"x\" >> parallel {{ a: wait(duration: 10h), b: ({ENDLESS}) }} >> .b");
    let begun = Instant::now();
    let (kind, _, _) = failure(ENGINE.run(script).max_memory(BOUND).await);
    assert_eq!(kind, ErrorKind::Exhausted);
    assert!(begun.elapsed() < Duration::from_mins(2));
}

/// Several runs in one process: the one that uses too much fails, the others do not.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn other_runs_go_on() {
    let quiet = "range(0, 60) >> each { range(0, 20000) >> each { [it] } >> len } >> sum";
    let runs = [quiet, ENDLESS, quiet, ENDLESS].map(|script| {
        let engine = ENGINE.clone();
        tokio::spawn(async move { engine.run(script).max_memory(2 * BOUND).await })
    });
    for (idx, run) in runs.into_iter().enumerate() {
        match run.await.unwrap() {
            Ok(response) if idx % 2 == 0 => assert_eq!(response.value, 1_200_000.into()),
            other if idx % 2 == 1 => assert_eq!(failure(other).0, ErrorKind::Exhausted),
            other => panic!("a run that takes little fails: {other:?}"),
        }
    }
}

/// Items that each take long still respect the timeout, however few they are.
#[tokio::test]
async fn the_time_of_what_computes_is_kept() {
    let scripts = [
        "range(0, 200000) >> each { range(0, 10000) >> len } >> len",
        "range(0, 250) >> each { range(0, 1000000) >> len } >> len",
        "let xs = range(0, 1000000)\nrange(0, 250) >> each { xs >> sum } >> len",
        "let xs = range(0, 1000000)\nrange(0, 250) >> each { xs == xs + [1] } >> len",
        "let xs = range(0, 100000)\nrange(0, 250) >> where { \"${xs}\" == \"\" } >> len",
        "let xs = range(0, 100000)\nrange(0, 250) >> sort { \"${xs}\" } >> len",
    ];
    for script in scripts {
        let begun = Instant::now();
        let (kind, message, _) =
            failure(ENGINE.run(script).timeout(Duration::from_millis(100)).await);
        assert_eq!(kind, ErrorKind::Timeout, "{script}: {message}");
        // The whole would take minutes.
        assert!(begun.elapsed() < Duration::from_secs(20), "{script}: {:?}", begun.elapsed());
    }
}

#[test]
fn bounds_of_memory_are_sizes() {
    let report = ENGINE.check("range(0, 5) within { max_memory: 5 }").unwrap_err();
    let message: Vec<String> = report.errors().map(ToString::to_string).collect();
    assert!(message[0].contains("expected size for `max_memory`"), "{message:?}");
    let report = ENGINE.check("range(0, 5) within { memory: 5MB }").unwrap_err();
    assert_eq!(report.errors().next().unwrap().fixes[0].text, "max_memory");
    let fine = ENGINE.check("param most: size = 5MB\nrange(0, 5) within { max_memory: most }");
    assert!(fine.unwrap().warnings.problems.is_empty());
}
