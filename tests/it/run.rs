//! The promises of the engine about time, attempts, money and ends. Clocks are paused: an hour
//! costs nothing.

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use svc::{Engine, Error};
use svc_contract::{
    registry::{ErrorKind, Usage},
    value::{Money, Value, json},
};
use svc_engine::run::{Event, Observer};
use svc_host_os::test::TestHost;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::components::{self, APPENDED, BUSY};

fn engine() -> Engine {
    svc::engine().with(components::ALL).with_host(Arc::new(TestHost::new()))
}

async fn value(script: &str) -> Value {
    engine().run(script).await.map_or_else(|err| panic!("{err}"), |it| it.value)
}

async fn failure(script: &str) -> Error {
    engine().run(script).await.map(|it| it.value).expect_err("it should fail")
}

/// Held by tests that count the actions of misbehaving components.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Records events as `started path`.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Observer for Log {
    fn event(&self, path: &str, event: &Event<'_>) {
        let word = match event {
            Event::Started { .. } => "started",
            Event::Finished { .. } => "finished",
            Event::Reused { .. } => "reused",
            Event::Failed { .. } => "failed",
            Event::Retrying { .. } => "retrying",
            Event::Swallowed { .. } => "swallowed",
            Event::Straggler { .. } => "straggler",
            _ => return,
        };
        self.0.lock().unwrap().push(format!("{word} {path}"));
    }
}

impl Log {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn branches_items_and_lets_overlap() {
    let started = Instant::now();
    let got = value(
        r#"
        let a = "a" >> wait(duration: 1h)
        let b = "b" >> wait(duration: 1h)
        let both = a + b
        both >> parallel {
          c: wait(duration: 1h),
          d: (["x", "y", "z"] >> each { wait(duration: 1h) }),
          e: "${(it >> wait(duration: 1h))}${(it >> wait(duration: 1h))}",
        }
        "#,
    )
    .await;
    assert_eq!(json::write(&got), r#"{"c":"ab","d":["x","y","z"],"e":"abab"}"#);
    assert_eq!(started.elapsed().as_secs() / 3600, 2, "lets, then branches");
}

#[tokio::test(start_paused = true)]
async fn results_keep_their_order() {
    let script = r#"[30, 10, 20]
        >> each { let n = it  "${it}" >> wait(duration: 1ms * n) >> parse_int }"#;
    // A duration that depends on the item makes the items end in another order.
    assert_eq!(json::write(&value(script).await), "[30,10,20]");
}

#[tokio::test(start_paused = true)]
async fn the_first_failure_ends_the_block() {
    let log = Arc::new(Log::default());
    let engine = engine().with_observer(log.clone());
    let started = Instant::now();
    let script = r#""x" >> parallel { a: wait(duration: 5h), b: wait(duration: 1s) >> parse_int }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::InvalidInput));
    assert_eq!(started.elapsed().as_secs(), 1);
    assert!(log.lines().contains(&"failed a/wait".to_owned()), "{:?}", log.lines());
}

#[tokio::test]
async fn a_cancelled_computation_has_ended_when_the_block_returns() {
    let _alone = ALONE.lock().await;
    let err =
        failure(r#""x" >> parallel { a: busy, b: busy, c: wait(duration: 50ms) >> parse_int }"#)
            .await;
    assert_eq!(err.kind(), Some(ErrorKind::InvalidInput));
    assert_eq!(BUSY.load(Ordering::SeqCst), 0, "nothing outlives its block");
}

#[tokio::test]
async fn a_straggler_is_left_behind_after_its_grace_and_named() {
    let log = Arc::new(Log::default());
    let engine = engine().with_observer(log.clone());
    let started = std::time::Instant::now();
    let script = r#""x" >> stuck within { timeout: 50ms }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Timeout));
    assert!(started.elapsed() < Duration::from_millis(2500), "one second of grace");
    assert!(log.lines().contains(&"straggler stuck".to_owned()), "{:?}", log.lines());
}

#[tokio::test(start_paused = true)]
async fn timeout_is_everything_and_attempt_timeout_is_one_try() {
    let started = Instant::now();
    let script = r#""x" >> repeat 1 { wait(duration: 1h) } until it == "y" within
        { attempt_timeout: 10s, max_retries: 2, timeout: 2h }"#;
    let err = failure(script).await;
    assert_eq!(err.kind(), Some(ErrorKind::Timeout));
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(30), "three tries of ten seconds: {took:?}");
    assert!(took < Duration::from_secs(40), "and two short waits: {took:?}");

    let started = Instant::now();
    let script = r#""x" >> repeat 1 { wait(duration: 1h) } until it == "y" within
        { attempt_timeout: 10s, max_retries: 99, timeout: 25s }"#;
    assert_eq!(failure(script).await.kind(), Some(ErrorKind::Timeout));
    assert_eq!(started.elapsed().as_secs(), 25);
}

/// Waiting beyond the end is useless, so the call fails at once, with its own error.
#[tokio::test(start_paused = true)]
async fn a_wait_that_ends_too_late_is_not_begun() {
    let cases = [
        (r#""x" >> limited(wait: 60s) within { timeout: 10s }"#, "10s of the `timeout` are left"),
        (
            r#"("x" >> limited(wait: 1h)) within { timeout: 2h, max_retries: 9 }"#,
            "and 1h of the `timeout` are left",
        ),
        (
            r#""x" >> limited(wait: 2m)"#,
            "the other side asks to wait 2m, and 1m of the `timeout` are left",
        ),
    ];
    for (script, wanted) in cases {
        let started = Instant::now();
        let err = failure(script).await;
        assert_eq!(err.kind(), Some(ErrorKind::RateLimit), "{script}");
        let shown = err.render(svc_lang::diag::Style::Plain);
        assert!(shown.contains(wanted), "{shown}");
        assert!(started.elapsed() < Duration::from_hours(2), "{:?}", started.elapsed());
    }
    let started = Instant::now();
    let script = r#"(("x" >> limited(wait: 60s)) fallback "y") within { timeout: 10s }"#;
    assert_eq!(value(script).await, Value::from("y"));
    assert_eq!(started.elapsed(), Duration::ZERO, "there is time for the fallback");
}

#[tokio::test(start_paused = true)]
async fn a_back_off_that_does_not_fit_is_not_begun() {
    let script = r#""x" >> limited(wait: 0s) within { timeout: 20s, max_retries: 99 }"#;
    let started = Instant::now();
    let err = failure(script).await;
    assert_eq!(err.kind(), Some(ErrorKind::RateLimit));
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("too little for another attempt"), "{shown}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// A call that backs off does not block others.
#[tokio::test(start_paused = true)]
async fn waiting_for_another_try_holds_no_turn() {
    let started = Instant::now();
    let script = r#"{
          a?: "x" >> limited(wait: 10s) within { max_retries: 1 },
          b: "y" >> wait(duration: 6s) >> wait(duration: 3s),
        }"#;
    let script = format!("\"x\" >> (parallel {script} within {{ max_parallel: 1 }})");
    assert_eq!(json::write(&value(&script).await), r#"{"a":null,"b":"y"}"#);
    assert_eq!(started.elapsed().as_secs(), 10);
}

/// The cap ends it, but the earlier failure is reported, too.
#[tokio::test(start_paused = true)]
async fn an_attempt_without_funds_reports_the_previous_one() {
    let script = r#"("x" >> paid(max_tokens: 1000))
        within { max_tokens: 2000, attempt_timeout: 1ms, max_retries: 5 }"#;
    let err = failure(script).await;
    assert_eq!(err.kind(), Some(ErrorKind::Budget));
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("the previous attempt failed: took longer than 1ms"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn only_the_kinds_in_retry_on_are_tried_again() {
    let started = Instant::now();
    let script =
        r#""x" >> limited(wait: 10s) within { max_retries: 2, retry_on: ["unavailable"] }"#;
    assert_eq!(failure(script).await.kind(), Some(ErrorKind::RateLimit));
    assert_eq!(started.elapsed(), Duration::ZERO);
    let script = r#""x" >> limited(wait: 10s) within { max_retries: 2, retry_on: ["rate_limit"] }"#;
    assert_eq!(failure(script).await.kind(), Some(ErrorKind::RateLimit));
    assert_eq!(started.elapsed().as_secs(), 20);
}

#[tokio::test(start_paused = true)]
async fn queueing_counts_as_time() {
    let script = r#"[1, 2, 3] >> each { "x" >> repeat 1 { wait(duration: 10s) } until it == "y" else { it } }
        within { max_parallel: 1, timeout: 25s }"#;
    let started = Instant::now();
    assert_eq!(failure(script).await.kind(), Some(ErrorKind::Timeout));
    assert_eq!(started.elapsed().as_secs(), 25);
}

#[tokio::test(start_paused = true)]
async fn max_parallel_holds_for_everything_inside() {
    let started = Instant::now();
    let script = r#""x" >> (parallel {
          a: (["1", "2", "3"] >> each { wait(duration: 1s) }),
          b: (["1", "2", "3"] >> each { wait(duration: 1s) } within { max_parallel: 5 }),
        } within { max_parallel: 2 })"#;
    value(script).await;
    assert_eq!(started.elapsed().as_secs(), 3, "six waits, two at a time");
}

#[tokio::test(start_paused = true)]
async fn an_inner_loop_without_awaits_still_obeys_the_clock() {
    let script = r"range(0, to: 3_000_000)
        >> each { range(0, to: 1000) >> each { it * 2 } >> sum } within { timeout: 1ms }";
    tokio::time::resume();
    assert_eq!(failure(script).await.kind(), Some(ErrorKind::Timeout));
}

#[tokio::test(start_paused = true)]
async fn a_write_is_never_tried_again() {
    let _alone = ALONE.lock().await;
    APPENDED.store(0, Ordering::SeqCst);
    let script = r#"("x" >> append_log) within { max_retries: 5, timeout: 1h }"#;
    assert_eq!(failure(script).await.kind(), Some(ErrorKind::Unavailable));
    assert_eq!(APPENDED.load(Ordering::SeqCst), 1);

    // The same holds for a call that runs a flow with a write.
    let script = r#"flow note(line: string) -> string { line >> trim >> append_log }
        ("x" >> relay(flow: note)) within { max_retries: 5, timeout: 1h }"#;
    assert_eq!(failure(script).await.kind(), Some(ErrorKind::Unavailable));
    assert_eq!(APPENDED.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn sixty_four_branches_race_for_the_last_cent() {
    let names: Vec<String> = (0..64).map(|it| format!("b{it}?: paid(max_tokens: 1000)")).collect();
    // One call reserves 257 * $3 + 1000 * $15 per million tokens, and settles at $0.015.
    let script =
        format!("\"x\" >> parallel {{ {} }} within {{ max_cost: $0.10 }}", names.join(", "));
    let err = engine().run(script.as_str()).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Budget), "the bound encloses the branches");

    let script = format!("\"x\" >> (parallel {{ {} }})", names.join(", "));
    let response = engine().run(script.as_str()).await.unwrap();
    let cents = Money::from_nanos(15_000_000 * 64);
    assert_eq!(response.usage, Usage { tokens: 64_000, cost: cents });
}

#[tokio::test(start_paused = true)]
async fn an_inner_cap_can_be_caught_and_the_outer_one_still_counts() {
    let script = r#"
        (parallel {
          a: (["x", "y"] >> each { paid(max_tokens: 1000) } within { max_tokens: 2000 })
            fallback ["too dear"],
          b: "x" >> paid(max_tokens: 100),
        }) within { max_tokens: 4000 }"#;
    let response = engine().run(script).await.unwrap();
    assert_eq!(json::write(&response.value), r#"{"a":["too dear"],"b":"an answer"}"#);
    assert_eq!(response.usage.tokens, 1_100, "the first item was paid for");
}

/// The calls of a component end before the component's own call does, for whatever reason it ends.
#[tokio::test]
async fn what_a_component_calls_does_not_outlive_it() {
    let _alone = ALONE.lock().await;
    let script = |bounds: &str| {
        format!(
            r#"flow f(x: string) -> string {{
                 if x == "a" {{ x >> wait(duration: 50ms) >> paid(max_tokens: 1000) }} else {{ x >> busy }}
               }}
               ([{{ input: "a", expected: "a" }}, {{ input: "b", expected: "b" }}]
                 >> (evaluate(flow: f) within {{ {bounds} }}) >> .score) fallback 0.5"#
        )
    };
    for bounds in ["max_cost: $0.001", "timeout: 30ms", "attempt_timeout: 30ms, max_retries: 0"] {
        assert_eq!(value(&script(bounds)).await, Value::Float(0.5), "{bounds}");
        assert_eq!(BUSY.load(Ordering::SeqCst), 0, "{bounds}");
    }
}

#[tokio::test]
async fn a_run_can_be_cancelled_from_outside() {
    let _alone = ALONE.lock().await;
    let cancel = CancellationToken::new();
    let log = Arc::new(Log::default());
    let engine = engine().with_observer(log.clone());
    let stop = cancel.clone();
    let script = r#""x" >> parallel { a?: busy, b: wait(duration: 1h) fallback "none", c: upper }"#;
    let (ended, ()) =
        tokio::join!(async { engine.run(script).cancelled_by(cancel).await }, async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            stop.cancel();
        });
    let err = ended.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Cancelled), "it passes through `?` and `fallback`");
    assert!(err.render(svc_lang::diag::Style::Plain).contains("E411"));
    assert_eq!(BUSY.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn dropping_a_run_ends_it() {
    let _alone = ALONE.lock().await;
    let engine = engine();
    let run = async { engine.run(r#""x" >> busy within { timeout: 1h }"#).await };
    assert!(tokio::time::timeout(Duration::from_millis(50), run).await.is_err());
    for _ in 0..100 {
        if BUSY.load(Ordering::SeqCst) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the computation is still running");
}

#[tokio::test(start_paused = true)]
async fn lets_that_nothing_uses_do_not_run_unless_they_act() {
    let _alone = ALONE.lock().await;
    APPENDED.store(0, Ordering::SeqCst);
    let script = r#"
        let unused = "x" >> wait(duration: 1h)
        let acts = ("x" >> append_log) fallback "failed"
        "y" >> wait(duration: 1s)"#;
    let started = Instant::now();
    value(script).await;
    assert_eq!(started.elapsed().as_secs(), 1);
    assert_eq!(APPENDED.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn arms_and_right_sides_are_lazy() {
    let started = Instant::now();
    let script = r#"
        param n: int? = 3
        {
          arm: (if n == 3 { "three" } else { "x" >> wait(duration: 1h) }),
          coalesced: n ?? len(("x" >> wait(duration: 1h))),
          decided: n == 3 or ("x" >> wait(duration: 1h)) == "y",
        }"#;
    value(script).await;
    assert_eq!(started.elapsed().as_secs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_items_wait_together_when_they_may() {
    let started = Instant::now();
    let script = r#"range(0, to: 1000) >> each { "${it}" >> wait(duration: 10ms) }
        within { max_parallel: 1000 } >> len"#;
    assert_eq!(value(script).await, Value::Int(1000));
    assert!(started.elapsed() < Duration::from_millis(30), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn tasks_that_never_wait_still_obey_the_clock() {
    tokio::time::resume();
    let waits = r#"if it < 0 { "x" >> wait(duration: 1ms) >> len } else { it }"#;
    let each = format!("range(0, to: 1_000_000) >> each {{ {waits} }} within {{ timeout: 1ms }}");
    assert_eq!(failure(&each).await.kind(), Some(ErrorKind::Timeout));
    let repeat = format!(
        "0 >> repeat 4_000_000 {{ (({waits}) >> (it + 1)) }} until it < 0 within {{ timeout: 1ms }}"
    );
    assert_eq!(failure(&repeat).await.kind(), Some(ErrorKind::Timeout));
}

#[tokio::test(start_paused = true)]
async fn a_path_inside_a_path_starts_from_one_folder() {
    let host = TestHost::new();
    host.put(std::path::Path::new("scripts/docs/a.md"), "found".into());
    let script = r#"
        param docs: path = "docs"
        param name: string = "a"
        (read_text(path: "${docs}/${name}.md")) + (read_text(path: "docs/${name}.md"))"#;
    let source = svc_lang::diag::Source::new("s.svc", script).in_folder("scripts");
    let got = svc::engine().with_host(Arc::new(host)).run(source).await.unwrap().value;
    assert_eq!(got, Value::from("foundfound"));
}

/// Items may wait for longer than the op's own timeout; a script without a timeout must not fail
/// only because it has much to do.
#[tokio::test(start_paused = true)]
async fn an_ops_own_time_begins_when_it_is_its_turn() {
    let script = r#"range(0, to: 10) >> each { "x" >> wait(duration: 1ms) >> quick }
        within { max_parallel: 1 } >> len"#;
    assert_eq!(value(script).await, Value::Int(10));
}
