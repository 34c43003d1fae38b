//! Calls of flows on an engine with a store.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use svc::{
    Engine,
    registry::{ErrorKind, OpError},
    store::{SqliteStore, Store as _},
    value::Value,
};

const SCRIPT: &str = r#"
param n: int
flow on_hit(text: string, mark: string = "!") -> string {
  let seen = text >> crm.seen
  "${seen}${mark}" >> crm.send
}
n
"#;

struct World {
    engine: Engine,
    store: Arc<SqliteStore>,
    seen: Arc<AtomicI64>,
    broken: Arc<AtomicI64>,
}

/// An op that counts its calls, and one that fails as long as it is broken.
fn world() -> World {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let [seen, broken] = [0, 1].map(|it| Arc::new(AtomicI64::new(it)));
    let (count, is_broken) = (seen.clone(), broken.clone());
    let engine = svc::engine().with_store(store.clone()).with_ops([
        svc::op("crm.seen", move |text: String| {
            format!("{text} {}", count.fetch_add(1, Ordering::Relaxed))
        })
        .version(1),
        svc::op("crm.send", move |text: String| match is_broken.load(Ordering::Relaxed) {
            0 => Ok(text.to_uppercase()),
            _ => Err(OpError::not_found("no such address")),
        })
        .effect("reads mail"),
    ]);
    World { engine: engine.unwrap(), store, seen, broken }
}

#[tokio::test]
async fn a_call_is_resumed_as_the_same_call() {
    let World { engine, store, seen, broken } = world();
    let plan = engine.plan(SCRIPT).unwrap();
    let request = engine.call_flow(&plan, "on_hit", ("hit", "?"));
    let id = request.id().unwrap().to_string();
    let err = request.await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::NotFound), "{err}");
    let run = store.run(&id).unwrap();
    assert_eq!(run.params, r#"{"mark":"?","text":"hit"}"#);
    let paths: Vec<_> = store.nodes(&run.id).unwrap().into_iter().map(|it| it.path).collect();
    assert_eq!(paths, ["on_hit/seen/crm.seen", "on_hit/crm.send"]);

    broken.store(0, Ordering::Relaxed);
    let resumed = engine.resume(&id).unwrap().await.unwrap();
    assert_eq!(resumed.value, Value::from("HIT 0?"));
    assert_eq!(seen.load(Ordering::Relaxed), 1, "what ended well is not done again");
    let replayed = engine.replay(store.run(&id).unwrap(), None).unwrap();
    assert!(!replayed.calls.is_empty());
    let (_, test) = engine.test_of(&id).unwrap();
    assert!(test.contains("on_hit("), "{test}");
    let tested = engine.check(format!("{SCRIPT}\n{test}")).unwrap();
    let results = engine.test(&tested, "");
    assert!(results.len() == 1 && results[0].passed(), "{test}");
}

/// A run is resumed with an edited script: with its flow of the same name.
#[tokio::test]
async fn a_call_is_resumed_with_another_script() {
    let World { engine, seen, .. } = world();
    let plan = engine.plan(SCRIPT).unwrap();
    engine.call_flow(&plan, "on_hit", ("hit",)).await.map(|it| it.value).unwrap_err();
    let edited = SCRIPT.replace(">> crm.send", ">> upper");
    let resumed = engine.resume_with("last", edited.as_str()).unwrap().await.unwrap();
    assert_eq!(resumed.value, Value::from("HIT 0!"));
    assert_eq!(seen.load(Ordering::Relaxed), 1);
    let without = engine.resume_with("last", "1").unwrap().await.map(|it| it.value).unwrap_err();
    assert!(without.to_string().contains("unknown flow `on_hit`"), "{without}");
}
