//! Kept runs: what they reuse, what they do not repeat, and what the store does not contain.

use std::sync::Arc;

use svc::{Engine, Error};
use svc_contract::{
    registry::ErrorKind,
    store::{NodeState, RunState, Store as _},
    value::{Money, json},
};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;

use crate::{components, meter::Meter};

struct World {
    engine: Engine,
    store: Arc<SqliteStore>,
    meter: Arc<Meter>,
}

fn world() -> World {
    let (store, meter) = (Arc::new(SqliteStore::in_memory().unwrap()), Arc::new(Meter::default()));
    let host = TestHost::new().env("SVC_SECRET_API_KEY", CANARY);
    let engine = svc::engine().with(components::ALL).with_host(Arc::new(host));
    World { engine: engine.with_observer(meter.clone()).with_store(store.clone()), store, meter }
}

const CANARY: &str = "canary-4711";

/// The whole content of a store of these tests.
fn all_of(store: &SqliteStore) -> String {
    let run = store.run("last").unwrap();
    let nodes = store.nodes(&run.id).unwrap();
    let outputs = nodes.iter().filter_map(|it| it.output).chain(run.value);
    let outputs: Vec<_> = outputs.map(|it| store.text(it).unwrap()).collect();
    format!("{run:?} {nodes:?} {outputs:?}")
}

#[tokio::test(start_paused = true)]
async fn what_ended_well_is_not_done_again() {
    let World { engine, store, meter } = world();
    let script = r#"["a", "b"] >> each { paid(max_tokens: 10) } >> join(sep: "-") >> append_log"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unavailable), "{err}");
    assert_eq!(meter.counted().attempts, 2);
    let run = store.run("last").unwrap();
    assert_eq!((run.state, run.used.tokens), (RunState::Failed, 20));
    let state = |path: &str| store.node(&run.id, path).unwrap().unwrap().state;
    assert_eq!((state("each[1]/paid"), state("append_log")), (NodeState::Done, NodeState::Failed));

    // A failed write may have written: it is not repeated without a request.
    let err = engine.resume("last").unwrap().await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("it is unknown whether it wrote"), "{err}");
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("allow the write at `append_log` to be repeated"), "{shown}");
    let again = engine.resume("last").unwrap().retry_write("append_log");
    assert_eq!(again.await.map(|it| it.value).unwrap_err().kind(), Some(ErrorKind::Unavailable));
    assert_eq!(meter.counted().attempts, 2, "no call was paid for twice");
    assert_eq!(store.runs(&svc_contract::store::Filter::default()).unwrap().len(), 1);
    assert_eq!(store.run("last").unwrap().used.tokens, 20, "earlier spending is counted once");
}

#[tokio::test(start_paused = true)]
async fn caps_outlive_a_run() {
    let World { engine, meter, .. } = world();
    let script = r#"["a", "b", "c"] >> each { paid(max_tokens: 1000) } within { max_parallel: 1 }"#;
    let run = engine.run(script).max_cost(Money::cents(4)).await;
    assert_eq!(run.map(|it| it.value).unwrap_err().kind(), Some(ErrorKind::Budget));
    assert_eq!(meter.counted().attempts, 2, "each may cost 1.6 cents and costs 1.5");
    let again = engine.resume("last").unwrap().await;
    assert_eq!(again.map(|it| it.value).unwrap_err().kind(), Some(ErrorKind::Budget));
    assert_eq!(meter.counted().attempts, 2, "earlier spending counts");
    let raised = engine.resume("last").unwrap().max_cost(Money::cents(5)).await.unwrap();
    assert_eq!(json::write(&raised.value), r#"["an answer","an answer","an answer"]"#);
    assert_eq!((meter.counted().attempts, raised.usage.cost.nanos()), (3, 45_000_000));
}

#[tokio::test(start_paused = true)]
async fn inputs_are_those_of_the_first_time() {
    let World { engine, store, .. } = world();
    let script =
        "param wait: duration\nparam who: string = \"x\"\nwho >> slow >> wait(duration: wait)";
    let run = engine.run(script).param_text("wait", "5s").param("who", "ada").await;
    assert!(run.is_err(), "`slow` exceeds its timeout");
    let shown = store.run("last").unwrap();
    assert_eq!(shown.params, r#"{"wait":"5s","who":"ada"}"#);
    let again = engine.resume("last").unwrap().await.map(|it| it.value).unwrap_err();
    assert_eq!(again.kind(), Some(ErrorKind::Timeout), "{again}");
    assert!(engine.resume("missing").is_err());
}

#[tokio::test(start_paused = true)]
async fn a_cap_below_what_was_spent_only_stops_further_spending() {
    let World { engine, meter, .. } = world();
    let script = r#"["a", "b"] >> each { paid(max_tokens: 10) } >> join(sep: "-")"#;
    engine.run(script).await.unwrap();
    let resumed = engine.resume("last").unwrap().max_tokens(5).await.unwrap();
    assert_eq!(meter.counted().attempts, 2, "{:?}", resumed.value);
    let resumed = engine.resume("last").unwrap().max_tokens(5).again("each[1]/paid").await;
    assert_eq!(resumed.map(|it| it.value).unwrap_err().kind(), Some(ErrorKind::Budget));
    assert_eq!(meter.counted().attempts, 2);
}

/// Two calls at one path would be one call in the records: a resumed run would make it again, or take
/// the result of the other one.
#[tokio::test(start_paused = true)]
async fn parts_with_the_same_name_have_paths_of_their_own() {
    const WRITE: &str = r#"append_file(to: "log.txt")"#;
    let use_gate = r#"read_text(path: "gate.txt")"#;
    for (script, written) in [
        (
            format!(
                "\"1\" >> parallel {{ a: {WRITE} }} >> \"2\" >> parallel {{ a: {WRITE} }} >> {use_gate}"
            ),
            "12",
        ),
        (
            format!("let a = \"1\" >> {WRITE}\n\"2\" >> parallel {{ a: {WRITE} }} >> {use_gate}"),
            "12",
        ),
        (
            format!(
                "flow a(x: string) -> path {{ x >> {WRITE} }}\n\"1\" >> a >> \"2\" >> parallel {{ a: {WRITE} }} >> {use_gate}"
            ),
            "12",
        ),
        (
            format!(
                "flow a(x: string) -> path {{ x >> {WRITE} }}\n\"1\" >> parallel {{ a: {WRITE} }} >> \"2\" >> a >> {use_gate}"
            ),
            "12",
        ),
        (
            format!(
                "parallel {{ a: \"1\" >> {WRITE}, b: parallel {{ a: \"2\" >> {WRITE} }} }} >> {use_gate}"
            ),
            "12",
        ),
    ] {
        let host = Arc::new(TestHost::new());
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let engine = svc::engine().with_host(host.clone()).with_store(store.clone());
        let failed = engine.run(script.as_str()).await.map(|it| it.value).unwrap_err();
        assert!(failed.to_string().contains("gate.txt"), "{script}: {failed}");
        let nodes = store.nodes(&store.run("last").unwrap().id).unwrap();
        assert_eq!(
            nodes.iter().filter(|it| it.op == "append_file").count(),
            2,
            "{script}: {nodes:?}"
        );
        host.put(std::path::Path::new("gate.txt"), b"open".to_vec());
        let resumed = engine.resume("last").unwrap().await.map(|it| it.value);
        assert_eq!(resumed.unwrap(), "open".into(), "{script}");
        let log = String::from_utf8(host.content("log.txt").unwrap()).unwrap();
        let mut lines: Vec<&str> = log.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines.concat(), written, "{script}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_to_repeat_must_be_known() {
    let World { engine, .. } = world();
    engine.run(r#"["a", "b"] >> each { paid(max_tokens: 10) }"#).await.unwrap();
    for (path, help) in [
        ("each[1]/payd", "did you mean `each[1]/paid`?"),
        ("summary", "name the path of one of its calls"),
    ] {
        let resumed = engine.resume("last").unwrap();
        let error = resumed.again(path).await.map(|it| it.value).unwrap_err();
        let shown = error.render(svc_lang::diag::Style::Plain);
        assert!(shown.contains(&format!("has no call `{path}`")), "{shown}");
        assert!(shown.contains(help), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time() {
    let World { engine, store, .. } = world();
    assert!(engine.run(r#""x" >> append_log"#).await.is_err());
    let id = store.run("last").unwrap().id;
    let claim = store.claim(&id).unwrap();
    let Err(Error::Run { error, .. }) = engine.resume("last").unwrap().await else {
        panic!("another process has claimed it")
    };
    assert!(error.to_string().contains("is already working on run"), "{error}");
    drop(claim);
    assert!(engine.resume("last").unwrap().retry_write("append_log").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_store_learns_no_secret() {
    for script in [
        "secret api_key\n\"ada\" >> login(key: api_key)",
        "secret api_key\n\"ada\" >> blab(key: api_key)",
    ] {
        let World { engine, store, .. } = world();
        let _ = engine.run(script).await;
        let all = all_of(&store);
        assert!(all.contains("***"), "the argument is listed: {all}");
        assert!(!all.contains(CANARY), "{all}");
    }
}
