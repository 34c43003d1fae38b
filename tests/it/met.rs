//! Caps on an `each?`: the items that they cannot fund are null, the same ones when resumed.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use svc::{
    Engine,
    registry::{ErrorKind, OpError},
};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;

use crate::{components, meter::Meter};

/// An engine with a store, and with `crm.last`, which fails when it is called first.
fn engine(meter: &Arc<Meter>) -> Engine {
    let calls = Arc::new(AtomicU64::new(0));
    let last = svc::io_op("crm.last", move |it: Vec<Option<String>>| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        let finished = i64::try_from(it.iter().flatten().count()).unwrap();
        let ended = if call == 0 { Err(OpError::failed("not yet")) } else { Ok(finished) };
        std::future::ready(ended)
    });
    svc::engine()
        .with(components::ALL)
        .with_host(Arc::new(TestHost::new()))
        .with_observer(meter.clone())
        .with_store(Arc::new(SqliteStore::in_memory().unwrap()))
        .with_ops([last])
        .unwrap()
}

/// A call may cost 1.6 cents and costs 1.5: one that was declined while another one was reserved would be
/// funded later.
fn script(cents: u64) -> String {
    format!(
        r#"["a", "b", "c", "d"] >> each? {{ paid(max_tokens: 1000) }} within {{ max_cost: $0.0{cents} }} >> crm.last"#
    )
}

#[tokio::test(start_paused = true)]
async fn a_resumed_run_leaves_out_the_same_items() {
    let meter = Arc::new(Meter::default());
    let engine = engine(&meter);
    let script = script(4);
    assert_eq!(engine.run(script.as_str()).await.unwrap_err().kind(), Some(ErrorKind::Failed));
    assert_eq!(meter.counted().attempts, 2);
    let resumed = engine.resume("last").unwrap().await.unwrap();
    assert_eq!((resumed.get::<i64>().unwrap(), meter.counted().attempts), (2, 2));
    let run = engine.kept_run("last").unwrap();
    assert!(engine.replay(run, None).unwrap().is_same(Some("2")));
}

/// What a script caught, a replay catches: a timeout, also around several calls, a branch that another
/// one ended, and items that one of them ended.
#[tokio::test(start_paused = true)]
async fn calls_that_did_not_finish_are_replayed() {
    let engine = engine(&Arc::new(Meter::default()));
    for (script, wanted) in [
        ("(1 >> wait(duration: 2s) within { timeout: 1s }) fallback 7", "7"),
        (
            "((1 >> wait(duration: 2s) >> wait(duration: 1ms)) within { timeout: 1s }) fallback 7",
            "7",
        ),
        (
            "([1, 2] >> each { wait(duration: 3s) within { timeout: 2s } } within { timeout: 1s }) \
             fallback [9]",
            "[9]",
        ),
        (
            r#"("a" >> parallel { x: wait(duration: 2s), y: wait(duration: 1s) >> fail(message: "no") } >> .x)
                fallback "b""#,
            r#""b""#,
        ),
        (
            r#"["a", "b"] >> each? { wait(duration: 1s) >> if it == "a" { fail(message: "no") } else { it } } "#,
            r#"[null,"b"]"#,
        ),
        (
            r#"(race { a: "x" >> wait(duration: 2s) >> fail(message: "a"),
                       b: "y" >> wait(duration: 1s) >> fail(message: "b") }) fallback "z""#,
            r#""z""#,
        ),
        (
            r#"([1, 2, 3, 4, 5, 6] >> each { wait(duration: 1s) >>
                if it == 2 { fail(message: "no") } else { it } } within { max_parallel: 2 }) fallback [0]"#,
            "[0]",
        ),
    ] {
        let value = engine.run(script).await.unwrap().value;
        assert_eq!(svc::value::json::write(&value), wanted, "{script}");
        let run = engine.kept_run("last").unwrap();
        let replayed = engine.replay(run, None).unwrap();
        assert!(replayed.is_same(Some(wanted)), "{script}: {:?}", replayed.ended);
    }
}

#[tokio::test(start_paused = true)]
async fn a_raised_cap_funds_more_items() {
    let meter = Arc::new(Meter::default());
    let engine = engine(&meter);
    assert!(engine.run(script(4).as_str()).await.is_err());
    let resumed = engine.resume_with("last", script(7).as_str()).unwrap().await.unwrap();
    assert_eq!((resumed.get::<i64>().unwrap(), meter.counted().attempts), (4, 4));
}

/// A cap of the run is around it, and ends it.
#[tokio::test(start_paused = true)]
async fn a_cap_around_it_ends_it() {
    let meter = Arc::new(Meter::default());
    let engine = engine(&meter);
    let capped = engine.run(script(9).as_str()).max_cost(svc::value::Money::cents(4)).await;
    assert_eq!(capped.unwrap_err().kind(), Some(ErrorKind::Budget));
    assert_eq!(meter.counted().attempts, 2);
}
