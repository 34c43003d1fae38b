//! Calls of a script's flows from Rust.

mod kept;
mod stored;

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use svc::{
    CancellationToken, Engine, Error, Policy,
    plan::Plan,
    registry::{ErrorKind, Price},
    value::{Money, Value},
};

svc::record! {
    /// A customer.
    pub struct Customer {
        /// The name.
        name: String,
        /// The number of orders.
        orders: i64,
    }
}

/// A file of flows, without a main pipeline.
const SCRIPT: &str = r#"
type Customer = { name: string, orders: int }

flow on_hit(customer: Customer, greeting: string = "hello", mark: string? = null) -> string {
  "${greeting}, ${customer.name}" >> shout >> add_mark(mark: mark ?? "!")
}

flow add_mark(text: string, mark: string) -> string { "${text}${mark}" }

flow shout(text: string) -> string { text >> upper }

flow log(n: int) -> int { n >> crm.add }

flow twice(text: string, change: flow<string -> string>) -> string { text >> change >> change }

flow louder(text: string) -> string { text >> twice(change: shout) }

flow hide(key: secret<string>) -> secret<string> { key }

flow nothing() -> int { 7 }

flow paid(text: string) -> string { text >> crm.ask }

flow forever(n: int) -> int { n >> crm.wait }

flow drawn(n: int = (0 >> crm.add)) -> int { n }

flow typed(json: string) -> [int] { parse_json<[int]>(json) }
"#;

/// An engine with ops that write, cost and wait, and the sum of what they have added.
fn engine() -> (Engine, Arc<AtomicI64>) {
    let sum = Arc::new(AtomicI64::new(10));
    let added = sum.clone();
    let engine = svc::engine().with_ops([
        svc::op("crm.add", move |n: i64| added.fetch_add(n, Ordering::Relaxed) + n)
            .effect("writes crm"),
        svc::op("crm.ask", |text: String| format!("re: {text}"))
            .price(Price::Fixed(Money::cents(2))),
        svc::io_op("crm.wait", async |n: i64| {
            tokio::time::sleep(Duration::from_hours(1)).await;
            n
        }),
    ]);
    (engine.unwrap(), sum)
}

fn plan(engine: &Engine) -> Plan {
    engine.plan(SCRIPT).unwrap()
}

fn ada() -> Customer {
    Customer { name: "ada".into(), orders: 3 }
}

fn failed(ended: Result<svc::Response, Error>) -> Error {
    ended.map(|it| it.value).unwrap_err()
}

#[tokio::test]
async fn a_flow_is_called_with_values() {
    let (engine, _) = engine();
    let plan = plan(&engine);
    let hit: String = engine.call_flow(&plan, "on_hit", (ada(),)).await.unwrap().get().unwrap();
    assert_eq!(hit, "HELLO, ADA!");
    let two = engine.call_flow(&plan, "on_hit", (ada(), "hi")).gives::<String>();
    assert_eq!(two.await.unwrap().value, "HI, ADA!".into());
    let named = engine.call_flow(&plan, "on_hit", (ada(),)).param("mark", "?");
    assert_eq!(named.await.unwrap().value, "HELLO, ADA?".into());
    let all = engine.call_flow(&plan, "on_hit", vec![ada().into(), "a".into(), "b".into()]);
    assert_eq!(all.await.unwrap().value, "A, ADAb".into());
    let text =
        engine.call_flow(&plan, "on_hit", ()).param_text("customer", "{name: bo, orders: 1}");
    assert_eq!(failed(text.await).kind(), Some(ErrorKind::InvalidInput));
    let none: i64 = engine.call_flow(&plan, "nothing", ()).await.unwrap().get().unwrap();
    assert_eq!(none, 7);
    let inner = engine.call_flow(&plan, "louder", ("a",)).await.unwrap().value;
    assert_eq!(inner, "A".into(), "flows that it names are part of the call");
    let typed: Vec<i64> =
        engine.call_flow(&plan, "typed", ("[1, 2]",)).await.unwrap().get().unwrap();
    assert_eq!(typed, [1, 2]);
}

/// A script with a main pipeline, whose inputs and bounds are not those of its flows.
#[tokio::test]
async fn the_main_pipeline_does_not_count() {
    let (engine, sum) = engine();
    let script = format!("param needed: int\n{SCRIPT}\nneeded >> crm.add");
    let plan = engine.plan(script.as_str()).unwrap();
    let value = engine.call_flow(&plan, "shout", ("a",)).await.unwrap().value;
    assert_eq!((value, sum.load(Ordering::Relaxed)), ("A".into(), 10));
    let planned = engine.call_flow(&plan, "shout", ("a",)).plan().unwrap();
    assert!(planned.effects().is_empty() && !plan.effects().is_empty());
    assert_eq!(planned.envelope().cost.max, Some(Money::ZERO));
}

/// A default that waits is computed in the run, and only if no value is given.
#[tokio::test]
async fn a_default_may_call_an_op() {
    let (engine, sum) = engine();
    let plan = plan(&engine);
    let given = engine.call_flow(&plan, "drawn", (4,)).await.unwrap().value;
    assert_eq!(given, Value::Int(4));
    sum.store(25, Ordering::Relaxed);
    let drawn = engine.call_flow(&plan, "drawn", ()).await.unwrap().value;
    assert_eq!(drawn, Value::Int(25));
}

#[tokio::test]
async fn wrong_calls_name_what_is_wrong() {
    let (engine, _) = engine();
    let plan = plan(&engine);
    let refused = async |name: &str, args: Vec<Value>| {
        let err = failed(engine.call_flow(&plan, name, args).await);
        assert!(matches!(err, Error::Input { .. }), "{err:?}");
        assert_eq!(err.kind(), Some(ErrorKind::InvalidInput));
        err.render(svc::diag::Style::Plain)
    };
    let shown = refused("on_hitt", vec![]).await;
    assert!(shown.contains("unknown flow `on_hitt`"), "{shown}");
    assert!(shown.contains("did you mean `on_hit`?"), "{shown}");
    let shown = refused("xyz", vec![]).await;
    assert!(shown.contains("its flows are `on_hit`, `add_mark`"), "{shown}");
    let shown = refused("shout", vec![7.into()]).await;
    assert!(shown.contains("expected string for `text`, found 7"), "{shown}");
    let shown = refused("shout", vec![]).await;
    assert!(shown.contains("the flow `shout` needs `text: string`"), "{shown}");
    let shown = refused("shout", vec!["a".into(), "b".into()]).await;
    assert!(shown.contains("too many arguments for the flow `shout`: 2 (limit 1)"), "{shown}");
    let shown = refused("twice", vec!["a".into()]).await;
    assert!(shown.contains("cannot call `twice`: its param `change` is a flow"), "{shown}");
    let shown = refused("hide", vec![]).await;
    assert!(shown.contains("its result is secret<string>"), "{shown}");
    let err = failed(engine.call_flow(&plan, "shout", ("a",)).param("text", "b").await);
    assert!(err.to_string().contains("duplicate argument `text`"), "{err}");
    let err = failed(engine.call_flow(&plan, "shout", ("a",)).param("texts", "b").await);
    assert!(err.to_string().contains("the flow `shout` has no param `texts`"), "{err}");
    let err = failed(engine.call_flow(&plan, "shout", ("a",)).gives::<i64>().await);
    assert!(err.to_string().contains("expected int, found string"), "{err}");
    let blocking = std::thread::spawn(move || {
        let plan = engine.plan(SCRIPT).unwrap();
        engine.call_flow(&plan, "shout", ("a",)).blocking().map(|it| it.value)
    });
    assert_eq!(blocking.join().unwrap().unwrap(), "A".into());
}

/// A call has its own caps: neither those of the script nor of other calls count.
#[tokio::test(start_paused = true)]
async fn a_call_has_its_own_caps() {
    let (engine, _) = engine();
    let plan = plan(&engine);
    for _ in 0..3 {
        let paid = engine.call_flow(&plan, "paid", ("a",)).max_cost(Money::cents(2));
        let paid = paid.await.unwrap();
        assert_eq!((paid.value, paid.usage.cost), ("re: a".into(), Money::cents(2)));
    }
    let err = failed(engine.call_flow(&plan, "paid", ("a",)).max_cost(Money::cents(1)).await);
    assert_eq!(err.kind(), Some(ErrorKind::Budget), "{err}");
    let late = engine.call_flow(&plan, "forever", (1,)).timeout(Duration::from_secs(2));
    assert_eq!(failed(late.await).kind(), Some(ErrorKind::Timeout));
    let cancel = CancellationToken::new();
    let running = engine.call_flow(&plan, "forever", (1,)).cancelled_by(cancel.clone()).start();
    tokio::time::sleep(Duration::from_secs(1)).await;
    cancel.cancel();
    assert_eq!(failed(running.await).kind(), Some(ErrorKind::Cancelled));
}

#[tokio::test]
async fn paths_of_events_begin_with_the_flow() {
    let (engine, _) = engine();
    let plan = plan(&engine);
    let mut running = engine.call_flow(&plan, "log", (1,)).start();
    let mut paths = Vec::new();
    while let Some(event) = running.events().next().await {
        paths.push((event.path, event.node));
    }
    assert!(paths.contains(&("log/crm.add".to_owned(), "log/crm.add".to_owned())), "{paths:?}");
    assert_eq!(running.await.unwrap().value, Value::Int(11));
}

/// A policy judges what the flow calls, and nothing else.
#[tokio::test]
async fn a_policy_judges_the_called_flow() {
    let (engine, sum) = engine();
    let plan = plan(&engine);
    let closed = engine.clone().with_policy(Policy::closed());
    let loud = closed.call_flow(&plan, "shout", ("a",)).await.unwrap().value;
    assert_eq!(loud, "A".into(), "what only another flow does is not denied");
    let err = failed(closed.call_flow(&plan, "log", (1,)).await);
    assert!(matches!(err, Error::Check(_)) && err.to_string().contains("writes crm"), "{err}");
    let err = failed(engine.call_flow(&plan, "log", (1,)).with_policy(Policy::closed()).await);
    assert!(matches!(err, Error::Check(_)), "{err}");
    assert_eq!(sum.load(Ordering::Relaxed), 10, "nothing ran");
    // A request with another policy has the same arguments.
    let open = Policy::closed().allow("writes crm").unwrap();
    let allowed = closed.call_flow(&plan, "log", (1,)).with_policy(open).await.unwrap();
    assert_eq!(allowed.value, Value::Int(11));
}

/// The plan of a call can be run many times, at once, by several engines.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_calls_at_once() {
    let (engine, sum) = engine();
    let plan = Arc::new(plan(&engine));
    let calls = (0..1_000).map(|_| {
        let (engine, plan) = (engine.clone(), plan.clone());
        tokio::spawn(async move { engine.call_flow(&plan, "log", (1,)).await.map(|it| it.value) })
    });
    let values = join_all(calls).await;
    assert!(values.iter().all(|it| it.as_ref().unwrap().is_ok()));
    assert_eq!(sum.load(Ordering::Relaxed), 1_010);

    let once = Arc::new(engine.call_flow(&plan, "on_hit", ()).plan().unwrap());
    let calls = (0..1_000).map(|idx| {
        let customer = Customer { name: format!("c{idx}"), orders: idx };
        engine.run_plan(once.clone()).param("customer", customer)
    });
    let values = join_all(calls.map(IntoFuture::into_future)).await;
    for (idx, it) in values.into_iter().enumerate() {
        assert_eq!(it.unwrap().value, format!("HELLO, C{idx}!").into());
    }
}

/// Flows that call templates and flows of other files.
#[tokio::test]
async fn a_flow_uses_templates_and_files() {
    let host =
        svc::host::TestHost::new().file("lib.svc", "flow bang(t: string) -> string { \"${t}!\" }");
    let engine = svc::engine().with_host(Arc::new(host));
    let script =
        "use \"lib.svc\" as lib\nflow loud(t: string) -> string { t >> upper >> lib.bang }";
    let plan = engine.plan(script).unwrap();
    let loud = engine.call_flow(&plan, "loud", ("a",)).await.unwrap().value;
    assert_eq!(loud, "A!".into());
    let err = failed(engine.call_flow(&plan, "lib.bang", ("a",)).await);
    assert!(err.to_string().contains("unknown flow `lib.bang`"), "{err}");
    let again = engine.call_flow(&plan, "loud", ("b",)).with_policy(Policy::default());
    assert_eq!(again.await.unwrap().value, "B!".into());
}
