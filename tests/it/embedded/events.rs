//! A started run: its events and its result.

use std::{sync::Arc, time::Duration};

use svc::{
    CancellationToken, Happened, RunEvent,
    registry::ErrorKind,
    value::{Value, json},
};

use super::{Seen, engine};

const SCRIPT: &str = r#"["a", "b"] >> each { slow.echo } >> join(sep: "-")"#;

/// An event without what differs between runs.
fn shown(event: &RunEvent) -> String {
    let json = json::read(&serde_json::to_string(event).unwrap()).unwrap();
    let fields = json.as_record().unwrap();
    assert_eq!(fields.get("run"), Some(&Value::from(event.run.to_string())));
    let kept = fields.iter().filter(|(it, _)| !["run", "took_ms", "usage"].contains(&it.as_ref()));
    let kept = kept.map(|(name, value)| (name.clone(), value.clone()));
    json::write(&Value::Record(kept.collect()))
}

#[tokio::test]
async fn a_run_has_events_with_paths_values_and_an_end() {
    let engine = engine();
    let mut running = engine.run(SCRIPT).start();
    let (id, mut events) = (running.id().clone(), Vec::new());
    while let Some(event) = running.events().next().await {
        assert_eq!(event.run, id);
        events.push(event);
    }
    assert_eq!(running.await.unwrap().value, Value::from("a-b"));
    let mut lines: Vec<String> = events.iter().map(shown).collect();
    let (first, last) = (lines.remove(0), lines.pop().unwrap());
    assert_eq!(first, r#"{"path":"","node":"","event":"begun"}"#);
    assert_eq!(last, r#"{"path":"","node":"","event":"ended","value":"a-b","error":null}"#);
    lines.sort();
    insta::assert_snapshot!("events_of_a_run", lines.join("\n"));
}

#[tokio::test]
async fn a_failed_run_ends_with_its_report() {
    let engine = engine();
    let mut running = engine.run(r#"["a", ""] >> each { slow.echo }"#).start();
    let mut events = running.take_events();
    let error = running.await.unwrap_err();
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event);
    }
    let Some(Happened::Ended { value: None, error: Some(report), .. }) = last.map(|it| it.what)
    else {
        panic!("the last event is the end")
    };
    assert_eq!((report.path.as_str(), report.kind), ("each[1]/slow.echo", Some("invalid_input")));
    let [told, known] = [*report, error.report()].map(|it| serde_json::to_value(it).unwrap());
    assert_eq!(told, known);
}

#[tokio::test]
async fn an_error_of_the_check_ends_a_run_that_never_began() {
    let engine = engine();
    let mut running = engine.run("\"a\" >> nothing").start();
    let only = running.events().next().await.unwrap();
    assert!(matches!(only.what, Happened::Ended { error: Some(it), .. } if it.phase == "check"));
    assert!(running.events().next().await.is_none());
    assert!(running.await.is_err());
}

#[tokio::test]
async fn a_slow_reader_misses_events_and_blocks_nothing() {
    let engine = engine();
    let mut running = engine.run("slow.chatty(times: 20000)").start();
    let mut events = running.take_events();
    assert_eq!(running.await.unwrap().value, Value::Int(20_000));
    let first = events.next().await.unwrap();
    let Happened::Missed { count } = first.what else { panic!("{first:?}") };
    let mut left = 0;
    let mut last = None;
    while let Some(event) = events.next().await {
        left += 1;
        last = Some(event.what);
    }
    assert_eq!(left, 1024);
    assert!(count > 18_000, "{count}");
    assert!(matches!(last, Some(Happened::Ended { value: Some(Value::Int(20_000)), .. })));
}

/// Values that wait for a reader count as memory of the run, so large ones are left out.
#[tokio::test]
async fn large_values_do_not_wait_for_a_reader() {
    let engine = engine();
    let text = "x".repeat(50_000);
    let script = "param text: string\nrange(0, 200) >> each { slow.echo(text) >> len } >> sum";
    let mut running = engine.run(script).param("text", text).start();
    let mut events = running.take_events();
    running.await.unwrap();
    let mut bytes = 0;
    while let Some(event) = events.next().await {
        if let Happened::Finished { value: Some(value), .. } = event.what {
            bytes += value.as_str().map_or(0, str::len);
        }
    }
    assert!(bytes <= 1 << 20, "{bytes}");
}

#[tokio::test]
async fn dropped_events_change_nothing() {
    let engine = engine();
    let mut running = engine.run(SCRIPT).start();
    drop(running.take_events());
    assert!(running.events().next().await.is_none());
    assert_eq!(running.await.unwrap().value, Value::from("a-b"));
}

#[tokio::test]
async fn a_dropped_handle_cancels_the_run() {
    let seen = Arc::new(Seen::default());
    let engine = engine().lend(seen.clone());
    let running = engine.run("\"a\" >> slow.forever").start();
    while seen.begun() == 0 {
        tokio::task::yield_now().await;
    }
    drop(running);
    tokio::time::timeout(Duration::from_secs(5), async {
        while seen.dropped() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn a_run_is_cancelled_by_its_handle_or_by_a_token() {
    let engine = engine().lend(Arc::new(Seen::default()));
    let request = || engine.run("\"a\" >> slow.forever");
    let running = request().start();
    running.cancel();
    assert_eq!(running.await.unwrap_err().kind(), Some(ErrorKind::Cancelled));
    let token = CancellationToken::new();
    let running = request().cancelled_by(token.clone()).start();
    token.cancel();
    assert_eq!(running.await.unwrap_err().kind(), Some(ErrorKind::Cancelled));
    let token = CancellationToken::new();
    let running = request().cancelled_by(token.clone()).start();
    running.cancel();
    assert!(running.await.is_err() && !token.is_cancelled(), "only this run is cancelled");
}

/// The handle needs nothing of the engine, so it can be moved to another task.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handle_outlives_its_engine() {
    let running = { engine().run(SCRIPT).start() };
    let ended = tokio::spawn(running).await.unwrap();
    assert_eq!(ended.unwrap().value, Value::from("a-b"));
}
