//! Calls that cannot be funded: no new call starts, running calls may finish, and finished results
//! are kept. Also the caps of a run, which can only be tightened.

use std::{sync::Arc, time::Duration};

use svc::{Engine, Error};
use svc_contract::{
    registry::ErrorKind,
    value::{Money, json},
};
use svc_engine::run::{Partial, Parts};
use svc_host_os::test::TestHost;
use tokio::time::Instant;

use crate::{components, meter::Meter};

/// The reservation and use of `paid` for `max_tokens: 1000` and a prompt of one byte.
const RESERVED: i64 = 257 * 3_000 + 1000 * 15_000;
const USED: i64 = 1000 * 15_000;

fn engine() -> Engine {
    svc::engine().with(components::ALL).with_host(Arc::new(TestHost::new()))
}

async fn failure(script: &str) -> Error {
    engine().run(script).await.map(|it| it.value).expect_err("it should fail")
}

async fn kept(script: &str) -> Partial {
    let err = failure(script).await;
    assert_eq!(err.kind(), Some(ErrorKind::Budget), "{err}");
    err.partial().cloned().expect("something was finished")
}

fn dollars(nanos: i64) -> String {
    Money::from_nanos(nanos).to_string()
}

#[tokio::test(start_paused = true)]
async fn items_that_are_finished_are_kept() {
    let script = format!(
        r#"["a", "b", "c", "d", "e"] >> each {{ paid(max_tokens: 1000) }}
            within {{ max_cost: {}, max_parallel: 2 }}"#,
        dollars(2 * USED + RESERVED)
    );
    let kept = kept(&script).await;
    assert_eq!((kept.parts, kept.done, kept.of), (Parts::Items, 3, 5));
    assert_eq!((kept.path.as_str(), kept.items.as_slice()), ("each", [0, 1, 2].as_slice()));
    assert_eq!(json::write(&kept.value), r#"["an answer","an answer","an answer"]"#);
}

/// The second item cannot be funded while the first one runs: the first one was paid for.
#[tokio::test(start_paused = true)]
async fn what_runs_is_not_cancelled_by_what_cannot_begin() {
    let meter = Arc::new(Meter::default());
    let script = format!(
        r#"["a", "b", "c"] >> each {{ let n = it  n >> paid(max_tokens: 1000) >> wait(duration: 1h) }}
            within {{ max_cost: {} }}"#,
        dollars(RESERVED)
    );
    let ended = engine().with_observer(meter.clone()).run(script.as_str()).await;
    let err = ended.map(|it| it.value).unwrap_err();
    let kept = err.partial().expect("the first item is kept");
    assert_eq!((kept.done, kept.of, kept.items.as_slice()), (1, 3, [0].as_slice()));
    assert_eq!(json::write(&kept.value), r#"["an answer"]"#);
    assert_eq!(meter.counted().attempts, 1, "no other call was started");
}

#[tokio::test(start_paused = true)]
async fn other_failures_still_cancel_the_others() {
    let started = Instant::now();
    let script = r#"["x", "1"] >> each { let n = parse_int(text: it)  "${n}" >> wait(duration: 1h) }
        within { max_cost: $1 }"#;
    let err = failure(script).await;
    assert_eq!(err.kind(), Some(ErrorKind::InvalidInput), "{err}");
    assert!(err.partial().is_none());
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_cap_inside_an_item_is_the_items_own_affair() {
    let long = "long ".repeat(20);
    let script = format!(
        r#"["a", "{long}"] >> each {{ paid(max_tokens: 1000) within {{ max_tokens: 1300 }} }}"#
    );
    let err = failure(&script).await;
    assert_eq!(err.kind(), Some(ErrorKind::Budget));
    assert!(err.partial().is_none());
}

#[tokio::test(start_paused = true)]
async fn branches_that_are_finished_are_kept() {
    let script = format!(
        r#""a" >> parallel {{ cheap: upper, one: paid(max_tokens: 1000), two: paid(max_tokens: 1000) }}
            within {{ max_cost: {} }}"#,
        dollars(RESERVED)
    );
    let kept = kept(&script).await;
    assert_eq!((kept.parts, kept.done, kept.of), (Parts::Branches, 2, 3));
    assert_eq!(json::write(&kept.value), r#"{"cheap":"A","one":"an answer"}"#);
}

#[tokio::test(start_paused = true)]
async fn the_last_finished_turn_is_kept() {
    let script = format!(
        r#""a" >> repeat 9 {{ (it >> paid(max_tokens: 1000)) + "!" }} until it == ""
            within {{ max_cost: {} }}"#,
        dollars(2 * USED + RESERVED)
    );
    let kept = kept(&script).await;
    assert_eq!((kept.parts, kept.done, kept.of), (Parts::Turns, 2, 9));
    assert_eq!(json::write(&kept.value), r#""an answer!""#);
}

#[tokio::test(start_paused = true)]
async fn what_was_paid_for_before_a_stage_is_kept() {
    let cap = dollars(USED + RESERVED);
    let script = format!(
        r#"("a" >> paid(max_tokens: 1000) >> upper >> paid(max_tokens: 2000)) within {{ max_cost: {cap} }}"#
    );
    let stages = kept(&script).await;
    assert_eq!((stages.parts, stages.done, stages.of), (Parts::Stages, 3, 4));
    assert_eq!(json::write(&stages.value), r#""AN ANSWER""#);
    let script = format!(
        r#"svc 1 within {{ max_cost: {cap} }}
        let first = "a" >> paid(max_tokens: 1000)
        let second = first >> paid(max_tokens: 2000)
        second + first"#
    );
    let lets = kept(&script).await;
    assert_eq!((lets.parts, lets.done, lets.of), (Parts::Lets, 1, 2));
    assert_eq!(json::write(&lets.value), r#"{"first":"an answer"}"#);
}

#[tokio::test(start_paused = true)]
async fn the_fields_of_a_record_are_kept() {
    let script = format!(
        r#"{{ name: "n", one: ("a" >> paid(max_tokens: 1000)), two: ("b" >> paid(max_tokens: 1000)) }}
            within {{ max_cost: {} }}"#,
        dollars(RESERVED)
    );
    let kept = kept(&script).await;
    assert_eq!((kept.parts, kept.done, kept.of), (Parts::Fields, 1, 2));
    assert_eq!(json::write(&kept.value), r#"{"one":"an answer"}"#);
}

/// An `each` in a flow in a `parallel`: the finished branch, and the items of the other.
#[tokio::test(start_paused = true)]
async fn what_is_kept_nests() {
    let script = format!(
        r#"
        flow all(texts: [string]) -> int {{ texts >> each {{ paid(max_tokens: 1000) }} >> len }}
        ["a", "b", "c"] >> parallel {{ count: len, answers: all }}
            within {{ max_cost: {}, max_parallel: 1 }}"#,
        dollars(USED + RESERVED)
    );
    let outer = kept(&script).await;
    assert_eq!((outer.path.as_str(), outer.done, outer.of), ("", 1, 2));
    assert_eq!(json::write(&outer.value), r#"{"count":3}"#);
    let inner = &outer.inside[0];
    assert_eq!((inner.path.as_str(), inner.done, inner.of), ("answers/all/each", 2, 3));
}

/// 64 calls race for one cap: whatever they do, it is never exceeded, and the run reports what they
/// used.
#[tokio::test(start_paused = true)]
async fn events_follow_the_ledger() {
    let meter = Arc::new(Meter::default());
    let cap = 10 * RESERVED;
    let script = format!(
        r#"range(0, to: 64) >> each {{ "a" >> paid(max_tokens: 1000) }} within {{ max_cost: {} }}"#,
        dollars(cap)
    );
    let ended = engine().with_observer(meter.clone()).run(script.as_str()).await;
    let Err(Error::Run { error, .. }) = ended else { panic!("the cap is too low") };
    let counted = meter.counted();
    assert!(counted.highest.cost.nanos() <= cap, "{} of {cap}", counted.highest);
    assert_eq!((counted.open.cost, counted.spent), (Money::ZERO, error.usage));
    assert_eq!(error.partial.as_ref().unwrap().done, counted.attempts);
}

/// However an attempt ends, it is settled once, and its possible use counts as spent.
#[tokio::test(start_paused = true)]
async fn attempts_that_break_off_are_settled_in_full() {
    let cases = [
        (r#""a" >> bursts"#, 5, ErrorKind::Bug),
        (r#""a" >> bursts within { timeout: 1ms }"#, 5, ErrorKind::Timeout),
        (
            r#""a" >> parallel { b: bursts, c: wait(duration: 1ms) >> parse_int }"#,
            5,
            ErrorKind::InvalidInput,
        ),
        (r#"["a", "b", "c"] >> each { bursts }"#, 15, ErrorKind::Bug),
    ];
    for (script, cents, kind) in cases {
        let meter = Arc::new(Meter::default());
        let ended = engine().with_observer(meter.clone()).run(script).await;
        let Err(Error::Run { error, .. }) = ended else { panic!("{script} must fail") };
        assert_eq!(error.kind(), kind, "{script}: {error}");
        let counted = meter.counted();
        assert_eq!((counted.open.cost, counted.spent), (Money::ZERO, error.usage), "{script}");
        assert_eq!(error.usage.cost, Money::cents(cents), "{script}");
    }
}

#[tokio::test]
async fn an_attempt_that_is_dropped_is_settled_in_full() {
    let meter = Arc::new(Meter::default());
    let engine = engine().with_observer(meter.clone());
    let reserved = async {
        while meter.counted().open.cost == Money::ZERO {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        () = reserved => {}
        _ = async { engine.run(r#""a" >> paid(max_tokens: 1000)"#).await } => panic!("it is dropped"),
    }
    let counted = meter.counted();
    assert_eq!((counted.attempts, counted.open.tokens), (1, 0));
    assert_eq!(counted.spent.cost.nanos(), RESERVED);
}

#[tokio::test(start_paused = true)]
async fn caps_of_the_run_hold_in_addition_to_those_of_the_script() {
    let script = r#"("a" >> paid(max_tokens: 1000)) within { max_cost: $0.10, max_tokens: 9_999 }"#;
    assert!(engine().run(script).max_cost(Money::cents(5)).max_tokens(5_000).await.is_ok());
    let err = engine().run(script).max_cost(Money::cents(1)).await.map(|it| it.value).unwrap_err();
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("the run needs at least $0.015771, and its `max_cost` is $0.01"));
    assert!(shown.contains("nothing ran: raise the cap of the run"), "{shown}");
    let many = r#"["a", "b"] >> each { paid(max_tokens: 1000) }"#;
    let err = engine().run(many).max_tokens(2000).await.map(|it| it.value).unwrap_err();
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("needs up to 1257 tokens, and 743 of the run's 2000"), "{shown}");
    assert!(shown.contains("raise the cap of the run"), "{shown}");
    let tight = format!("{many} within {{ max_cost: $0.02 }}");
    let err = engine().run(tight.as_str()).max_cost(Money::cents(9)).await;
    let shown = err.map(|it| it.value).unwrap_err().render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("of $0.02 are left"), "{shown}");
    assert!(shown.contains("this cap cannot fund it"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn caps_of_the_run_loosen_nothing() {
    let long = format!(r#""{}" >> paid(max_tokens: 1000)"#, "long ".repeat(40_000));
    let err =
        engine().run(long.as_str()).max_tokens(1_000_000).await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("one call may use at most 128000"), "{err}");
    let started = Instant::now();
    let err = engine().run(r#""x" >> slow"#).timeout(Duration::from_hours(9)).await;
    assert_eq!(err.map(|it| it.value).unwrap_err().kind(), Some(ErrorKind::Timeout));
    assert!(started.elapsed() < Duration::from_secs(1), "its own timeout applies");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_run_is_everything() {
    let started = Instant::now();
    let script =
        r#"(["a", "b"] >> each? { wait(duration: 1h) } fallback []) within { timeout: 9h }"#;
    let ended = engine().run(script).timeout(Duration::from_mins(5)).await;
    let err = ended.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Timeout), "nothing catches it");
    assert_eq!(started.elapsed(), Duration::from_mins(5));
    assert!(err.render(svc_lang::diag::Style::Plain).contains("raise the `timeout` of the run"));
}

#[tokio::test(start_paused = true)]
async fn a_cap_of_nothing_still_runs_what_is_free() {
    let script = r#"["a", "b"] >> each { wait(duration: 1s) >> upper }"#;
    assert!(engine().run(script).max_cost(Money::ZERO).max_tokens(0).await.is_ok());
    let ended = engine().run(r#""a" >> paid(max_tokens: 0)"#).max_cost(Money::ZERO).await;
    assert_eq!(ended.map(|it| it.value).unwrap_err().kind(), Some(ErrorKind::Budget));
}
