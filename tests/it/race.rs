//! `race`: the first branch that succeeds, the same one in every resumed run.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use svc::{
    Engine,
    registry::{ErrorKind, OpError, Usage},
    store::{NodeState, Store as _},
    value::Money,
};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;

use crate::{components, meter::Meter};

struct World {
    engine: Engine,
    store: Arc<SqliteStore>,
    meter: Arc<Meter>,
    /// The calls of `crm.first`, which fails when it is called first, and of `crm.last`, which
    /// fails until it is called a third time.
    calls: [Arc<AtomicU64>; 2],
}

fn world() -> World {
    let (store, meter) = (Arc::new(SqliteStore::in_memory().unwrap()), Arc::new(Meter::default()));
    let calls = [Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0))];
    let fails = |calls: &Arc<AtomicU64>, times: u64| {
        let calls = calls.clone();
        move |it: i64| {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            let ended = if call < times { Err(OpError::failed("not yet")) } else { Ok(it) };
            std::future::ready(ended)
        }
    };
    let engine = svc::engine()
        .with(components::ALL)
        .with_host(Arc::new(TestHost::new()))
        .with_observer(meter.clone())
        .with_store(store.clone())
        .with_ops([
            svc::io_op("crm.first", fails(&calls[0], 1)),
            svc::io_op("crm.last", fails(&calls[1], 2)),
        ])
        .unwrap();
    World { engine, store, meter, calls }
}

impl World {
    fn calls(&self) -> [u64; 2] {
        self.calls.each_ref().map(|it| it.load(Ordering::Relaxed))
    }
}

/// In the resumed run, the first branch would succeed at once; the second one stays the winner.
#[tokio::test(start_paused = true)]
async fn a_resumed_run_has_the_same_winner() {
    let world = world();
    let script = "1 >> race { a: crm.first >> 10, b: wait(duration: 1s) >> (it + 1) } >> crm.last";
    let script = script.replace("crm.first >> 10", "crm.first >> (it * 10)");
    assert!(world.engine.run(script.as_str()).await.is_err());
    let run = world.store.run("last").unwrap();
    let winner = world.store.node(&run.id, "race").unwrap().unwrap();
    assert_eq!(winner.state, NodeState::Done);
    assert_eq!(world.store.text(winner.output.unwrap()).unwrap().unwrap(), "\"b\"");
    assert_eq!(world.calls(), [1, 1]);
    assert!(world.engine.resume("last").unwrap().await.is_err());
    let ended = world.engine.resume("last").unwrap().await.unwrap();
    assert_eq!(ended.get::<i64>().unwrap(), 2);
    assert_eq!(world.calls(), [1, 3], "the loser was never asked again");
    let run = world.store.run("last").unwrap();
    assert!(world.engine.replay(run, None).unwrap().is_same(Some("2")));
}

/// With other branches it is another race.
#[tokio::test(start_paused = true)]
async fn an_edited_race_is_run_again() {
    let world = world();
    let race = |a: u8, b: u8| {
        format!(
            "1 >> race {{ a: wait(duration: {a}s) >> (it + 6), b: wait(duration: {b}s) }} >> crm.last"
        )
    };
    assert!(world.engine.run(race(5, 2).as_str()).await.is_err());
    let edited = |a, b| world.engine.resume_with("last", race(a, b)).unwrap();
    assert!(edited(5, 2).await.is_err());
    assert_eq!(edited(1, 3).await.unwrap().get::<i64>().unwrap(), 7);
}

/// A branch that a cap cannot fund loses; only if none succeeds, the cap ends the run.
#[tokio::test(start_paused = true)]
async fn a_cap_may_fund_one_branch() {
    let World { engine, meter, .. } = world();
    let script = r#""x" >> race { dear: paid(max_tokens: 5000), cheap: wait(duration: 1s) }"#;
    let run = engine.run(script).max_cost(Money::cents(1)).await.unwrap();
    assert_eq!((run.value.as_str(), run.usage), (Some("x"), Usage::default()));
    let script = r#""x" >> race { dear: paid(max_tokens: 5000), bad: fail("no") }"#;
    let err = engine.run(script).max_cost(Money::cents(1)).await.unwrap_err();
    assert_eq!((err.kind(), meter.counted().attempts), (Some(ErrorKind::Budget), 0));
}

/// What was asked of the losers counts, and none of them outlives the race.
#[tokio::test(start_paused = true)]
async fn losers_are_cancelled_and_count() {
    let World { engine, meter, store, .. } = world();
    let script = r#""x" >> race { a: slow >> upper, b: wait(duration: 1ms), c: paid(max_tokens: 10) >> wait(duration: 1h) }"#;
    let began = tokio::time::Instant::now();
    let run = engine.run(script).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(run.value.as_str(), Some("x"));
    assert_eq!(meter.counted().attempts, 1);
    assert!(run.usage.cost > Money::ZERO && run.usage == store.run("last").unwrap().used);
}

/// Bounds around a race end it; bounds of a branch end the branch.
#[tokio::test(start_paused = true)]
async fn bounds_around_it_end_it() {
    let World { engine, .. } = world();
    let around = r#""x" >> race { a: slow, b: slow >> upper } within { timeout: 1s }"#;
    let err = engine.run(around).await.unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Timeout), "{err}");
    let inside =
        r#""x" >> race { a: slow within { timeout: 1s }, b: wait(duration: 2h) >> upper }"#;
    assert_eq!(engine.run(inside).await.unwrap().get::<String>().unwrap(), "X");
}
