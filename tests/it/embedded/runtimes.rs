//! Requests with and without an async runtime.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use svc::{Happened, registry::ErrorKind, value::Value};

use super::engine;

/// Polls a future once, as an executor without tokio would.
fn polled<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(it) => it,
        Poll::Pending => panic!("it should end at once"),
    }
}

#[test]
fn a_request_runs_without_a_runtime() {
    let engine = engine();
    let request = engine.run("param n: int\nslow.chatty(times: n)").param("n", 3);
    assert_eq!(request.blocking().unwrap().value, Value::Int(3));
    let words: Vec<String> =
        engine.run(r#"["a"] >> each { slow.echo }"#).blocking().unwrap().get().unwrap();
    assert_eq!(words, ["a"]);
}

#[tokio::test]
async fn blocking_inside_a_runtime_is_an_error() {
    let engine = engine();
    let error = engine.run("1").blocking().unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Unsupported));
    let text = "`.blocking()` would block the tokio runtime that calls it";
    assert_eq!(error.report().message, text);
    let value = std::thread::spawn(move || engine.run("1").blocking()).join().unwrap();
    assert_eq!(value.unwrap().value, Value::Int(1));
}

#[test]
fn awaiting_without_a_runtime_is_an_error_that_names_blocking() {
    let engine = engine();
    let error = polled(engine.run("1").into_future()).unwrap_err();
    let mut running = engine.run("1").start();
    let last = polled(running.events().next()).unwrap().what;
    assert!(matches!(last, Happened::Ended { error: Some(_), .. }), "{last:?}");
    assert!(polled(running.events().next()).is_none());
    for error in [error, polled(running).unwrap_err()] {
        assert_eq!(error.kind(), Some(ErrorKind::Unsupported));
        let report = error.report();
        assert_eq!(report.message, "a run needs a tokio runtime");
        assert!(report.problems[0].help.as_ref().unwrap().contains("`.blocking()`"));
        assert!(report.problems[0].span.is_none(), "it has no place in the script");
    }
}
