//! Flows that ops keep, and the program calls after the run.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use svc::{
    CancellationToken, Engine, Error, Policy, params,
    registry::{Callback, ErrorKind, Price, Tuning},
    store::{Filter, SqliteStore, Store as _},
    value::{Money, Value},
};

use super::{Customer, ada, failed};

params! {
    /// Which flow to keep.
    struct On {
        /// The flow to call for each event.
        call: Callback<Customer, String>,
    }
}

/// What the program keeps, by event.
type Kept = Arc<Mutex<Vec<(String, Callback<Customer, String>)>>>;

struct World {
    engine: Engine,
    kept: Kept,
    sum: Arc<AtomicI64>,
}

fn world() -> World {
    let (kept, sum) = (Kept::default(), Arc::new(AtomicI64::new(0)));
    let (keep, add) = (kept.clone(), sum.clone());
    let engine = svc::engine().types::<Customer>().with_ops([
        svc::io_op("events.on", move |event: String, on: On| {
            keep.lock().unwrap().push((event.clone(), on.call));
            std::future::ready(event)
        }),
        svc::op("crm.add", move |n: i64| add.fetch_add(n, Ordering::Relaxed) + n)
            .effect("writes crm"),
        svc::inline_op("crm.name", |it: Customer| it.name.to_uppercase()),
        svc::op("crm.ask", |text: String| format!("re: {text}"))
            .price(Price::Fixed(Money::cents(2))),
        svc::io_op("crm.wait", async |text: String| {
            tokio::time::sleep(Duration::from_hours(1)).await;
            text
        }),
    ]);
    World { engine: engine.unwrap(), kept, sum }
}

impl World {
    /// The flow that a script passes to `events.on`.
    async fn kept(&self, script: &str) -> Callback<Customer, String> {
        self.engine.run(script).await.unwrap();
        self.kept.lock().unwrap().pop().unwrap().1
    }
}

const LOG: &str = r#"
flow log(c: Customer) -> string { let sum = c.orders >> crm.add  "${c.name} ${sum}" }
"hit" >> events.on(call: log)
"#;

#[tokio::test]
async fn a_kept_flow_outlives_its_run_and_its_engine() {
    let world = world();
    let script = r#"
        flow greet(c: Customer, mark: string = "!") -> string { "hi ${c.name}${mark}" >> loud }
        flow loud(text: string) -> string { text >> upper }
        "hit" >> events.on(call: greet)
    "#;
    let callback = world.kept(script).await;
    assert_eq!(callback.name(), "greet");
    let copy = callback.clone();
    drop((world, callback));
    let other = svc::engine();
    let said = std::thread::spawn(move || other.call(&copy, ada()).blocking().map(|it| it.value));
    assert_eq!(said.join().unwrap().unwrap(), "HI ADA!".into());
}

/// A flow that a flow passes on, a component, and a flow with closures of the engine.
#[tokio::test]
async fn every_flow_that_can_be_passed_can_be_kept() {
    let world = world();
    let passed_on = r#"
        flow name(c: Customer) -> string { c.name }
        flow register(event: string, call: flow<Customer -> string>) -> string {
            event >> events.on(call: call)
        }
        "hit" >> register(call: name)
    "#;
    let callback = world.kept(passed_on).await;
    let name: String = world.engine.call(&callback, ada()).await.unwrap().get().unwrap();
    assert_eq!(name, "ada");
    let callback = world.kept(LOG).await;
    let logged = world.engine.call(&callback, ada()).await.unwrap().value;
    assert_eq!(logged, "ada 3".into());
    let component = world.kept(r#""hit" >> events.on(call: crm.name)"#).await;
    let text: String = world.engine.call(&component, ada()).await.unwrap().get().unwrap();
    assert_eq!(text, "ADA");
}

#[tokio::test]
async fn a_call_is_checked_and_has_paths() {
    let world = world();
    let callback = world.kept(LOG).await;
    let err = failed(world.engine.call(&callback, 7).await);
    assert!(err.to_string().contains("for `input`, found 7"), "{err}");
    assert!(matches!(err, Error::Input { .. }));
    let mut running = world.engine.call(&callback, ada()).start();
    let mut paths = Vec::new();
    while let Some(event) = running.events().next().await {
        paths.push(event.path);
    }
    assert!(paths.contains(&"log/sum/crm.add".to_owned()), "{paths:?}");
    let tuned = world.engine.call(&callback, ada()).tuned(&Tuning::default());
    assert_eq!(failed(tuned.await).kind(), Some(ErrorKind::Unsupported));
}

/// The policy judges a script for the flows that it lets ops keep, and each call again.
#[tokio::test]
async fn a_policy_judges_a_kept_flow_twice() {
    let world = world();
    let effects = world.engine.plan(LOG).unwrap().effects().len();
    assert_eq!(effects, 1, "what a kept flow writes is an effect of the script");
    let closed = world.engine.clone().with_policy(Policy::closed());
    assert!(closed.plan(LOG).unwrap_err().to_string().contains("writes crm"));

    let callback = world.kept(LOG).await;
    let err = failed(closed.call(&callback, ada()).await);
    assert!(matches!(err, Error::Check(_)) && err.to_string().contains("writes crm"), "{err}");
    let err = failed(world.engine.call(&callback, ada()).with_policy(Policy::closed()).await);
    assert!(matches!(err, Error::Check(_)), "{err}");
    assert_eq!(world.sum.load(Ordering::Relaxed), 0, "nothing ran");
    let allowed = closed.call(&callback, ada()).with_policy(Policy::default()).await.unwrap();
    assert_eq!(allowed.value, "ada 3".into());
}

/// Keeping a flow costs nothing; each call has its own caps.
#[tokio::test(start_paused = true)]
async fn each_call_has_its_own_caps() {
    let world = world();
    let paid =
        "flow ask(c: Customer) -> string { c.name >> crm.ask }\n\"hit\" >> events.on(call: ask)";
    let most = world.engine.plan(paid).unwrap().envelope().cost.max;
    assert_eq!(most, Some(Money::ZERO));
    let callback = world.kept(paid).await;
    for _ in 0..2 {
        let asked = world.engine.call(&callback, ada()).max_cost(Money::cents(2)).await.unwrap();
        assert_eq!(asked.usage.cost, Money::cents(2));
    }
    let err = failed(world.engine.call(&callback, ada()).max_cost(Money::cents(1)).await);
    assert_eq!(err.kind(), Some(ErrorKind::Budget), "{err}");

    let waits =
        "flow wait(c: Customer) -> string { c.name >> crm.wait }\n\"hit\" >> events.on(call: wait)";
    let callback = world.kept(waits).await;
    let late = world.engine.call(&callback, ada()).timeout(Duration::from_secs(1)).await;
    assert_eq!(failed(late).kind(), Some(ErrorKind::Timeout));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let cancelled = world.engine.call(&callback, ada()).cancelled_by(cancel).await;
    assert_eq!(failed(cancelled).kind(), Some(ErrorKind::Cancelled));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_calls_of_a_kept_flow() {
    let world = world();
    let callback = world.kept(LOG).await;
    let calls = (0..1_000).map(|_| {
        let (engine, callback) = (world.engine.clone(), callback.clone());
        tokio::spawn(async move { engine.call(&callback, ada()).await.map(|it| it.value) })
    });
    assert!(join_all(calls).await.into_iter().all(|it| it.unwrap().is_ok()));
    assert_eq!(world.sum.load(Ordering::Relaxed), 3_000);
}

/// A resumed run keeps the flow again, as the program may be another process. Calls of kept flows
/// are not stored.
#[tokio::test]
async fn a_resumed_run_keeps_its_flows_again() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let (world, fails) = (world(), Arc::new(AtomicI64::new(1)));
    let is_broken = fails.clone();
    let send = svc::op("mail.send", move |text: String| match is_broken.load(Ordering::Relaxed) {
        0 => Ok(text),
        _ => Err(svc::registry::OpError::not_found("no such address")),
    });
    let engine = world.engine.clone().with_ops([send]).unwrap().with_store(store.clone());
    let script = format!(
        "{}\nlet on = \"hit\" >> events.on(call: log)\n[on] >> len >> \"${{it}}\" >> mail.send",
        LOG.rsplit_once("\"hit\"").unwrap().0
    );
    failed(engine.run(script.as_str()).await);
    assert_eq!(world.kept.lock().unwrap().len(), 1);
    fails.store(0, Ordering::Relaxed);
    engine.resume("last").unwrap().await.unwrap();
    let callback = {
        let mut kept = world.kept.lock().unwrap();
        assert_eq!(kept.len(), 2, "the resumed run passed it again");
        kept.pop().unwrap().1
    };
    let request = engine.call(&callback, ada());
    assert!(request.id().is_none());
    assert_eq!(request.await.unwrap().value, Value::from("ada 3"));
    assert_eq!(store.runs(&Filter::default()).unwrap().len(), 1);
}

/// An inline op has no effects, so it cannot keep a flow.
#[test]
fn an_inline_op_cannot_keep_a_flow() {
    let op = svc::inline_op("events.on", |_: String, on: On| on.call.name().to_owned());
    let err = svc::engine().with_ops([op]).err().unwrap();
    assert_eq!(err.message, "`events.on` takes a flow, but is an inline op");
}

/// The types of a kept flow are checked with the script.
#[test]
fn the_types_of_a_kept_flow_are_checked() {
    let World { engine, .. } = world();
    let script = "flow f(c: Customer) -> int { c.orders }\n\"hit\" >> events.on(call: f)";
    let report = engine.check(script).unwrap_err().to_string();
    assert!(report.contains("expected flow<") && report.contains("found `f`"), "{report}");
}
