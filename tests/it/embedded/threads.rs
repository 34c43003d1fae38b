//! Long computations let go of the thread that polls them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use svc::{CancellationToken, Engine, registry::ErrorKind, value::Value};

/// Scripts that compute for a long time, however fast the machine is, in all ways.
const ENDLESS: &[(&str, &str)] = &[
    ("repeat", "0 >> repeat 4000000000 { it + 1 } until false else { it }"),
    ("inline ops", r#""a" >> repeat 4000000000 { upper >> lower } until false else { it }"#),
    ("records", "{ n: 0 } >> repeat 4000000000 { { n: it.n + 1 } } until false else { it } >> .n"),
    ("rhai", "0 >> rhai(n: int) -> int { while true { n += 1; } n }"),
    (
        "flows",
        "flow a(n: int) -> int { [n, n, n, n] >> each { b(n + 1) } >> sum }
         flow b(n: int) -> int { [n, n, n, n] >> each { c(n + 1) } >> sum }
         flow c(n: int) -> int { 0 >> repeat 4000000000 { it + n } until false else { it } }
         a(0)",
    ),
    (
        "an each of long items",
        "[1, 2, 3] >> each { 0 >> repeat 4000000000 { it + 1 } until false else { it } } >> len",
    ),
    (
        "next to a call that waits",
        "{ a: (1 >> slow.echo_int), b: (0 >> repeat 4000000000 { it + 1 } until false else { it }) }",
    ),
];

fn engine() -> Engine {
    let echo = svc::io_op("slow.echo_int", async |n: i64| -> i64 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        n
    });
    svc::engine().with_ops([echo]).unwrap()
}

/// A runtime with one thread. Dropping it waits until its computations have ended, so a test
/// that leaves one behind hangs.
fn one_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn an_outer_timeout_ends_what_computes() {
    for (name, script) in ENDLESS {
        one_thread().block_on(async {
            let engine = engine();
            let ended = tokio::time::timeout(Duration::from_millis(30), engine.run(*script)).await;
            assert!(ended.is_err(), "{name}: {ended:?}");
        });
    }
}

#[test]
fn an_abort_ends_what_computes() {
    for (name, script) in ENDLESS {
        one_thread().block_on(async {
            let run = tokio::spawn(async move { engine().run(*script).await.map(drop) });
            tokio::time::sleep(Duration::from_millis(20)).await;
            run.abort();
            let ended = run.await;
            assert!(ended.is_err_and(|it| it.is_cancelled()), "{name}");
        });
    }
}

#[test]
fn a_token_a_bound_and_a_cap_end_what_computes() {
    for (name, script) in ENDLESS {
        let bounded = format!("svc 1 within {{ timeout: 20ms }}\n{script}");
        one_thread().block_on(async {
            let (engine, cancel) = (engine(), CancellationToken::new());
            let ends = cancel.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                ends.cancel();
            });
            let error = engine.run(*script).cancelled_by(cancel).await.unwrap_err();
            assert_eq!(error.kind(), Some(ErrorKind::Cancelled), "{name}");
            let error = engine.run(bounded).await.unwrap_err();
            assert_eq!(error.kind(), Some(ErrorKind::Timeout), "{name}: {error}");
            let capped = engine.run(*script).timeout(Duration::from_millis(20));
            let error = capped.await.unwrap_err();
            assert_eq!(error.kind(), Some(ErrorKind::Timeout), "{name}: {error}");
        });
    }
}

#[test]
fn neighbours_work_while_a_run_computes() {
    let work = [
        "xs >> each { { n: it * 2, t: \"n ${it}\" } } >> sort { 0 - it.n } >> len",
        "xs >> each { it + 1 } >> where { it > 3 } >> group { it % 7 } >> len",
        "xs >> to_json >> parse_json<[int]>() >> len",
        "xs >> each { [it, it] >> each { it + 1 } >> sum } >> sum",
        "xs >> rhai(xs: [int]) -> int { let s = 0; for x in xs { s += x; } s }",
    ];
    for script in work {
        one_thread().block_on(async {
            let (turns, is_over) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
            let (counted, stops) = (turns.clone(), is_over.clone());
            let neighbour = tokio::spawn(async move {
                while !stops.load(Ordering::Relaxed) {
                    counted.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_micros(100)).await;
                }
            });
            let xs: Vec<i64> = (0..60_000).collect();
            let engine = engine();
            let ended = engine.run(format!("param xs: [int]\n{script}")).param("xs", xs).await;
            assert!(ended.is_ok(), "{script}: {}", ended.unwrap_err());
            is_over.store(true, Ordering::Relaxed);
            neighbour.await.unwrap();
            assert!(turns.load(Ordering::Relaxed) > 5, "{script}: {turns:?}");
        });
    }
}

/// What moves to another thread has the same values, failures and places.
#[tokio::test]
async fn moving_changes_nothing() {
    let engine = engine();
    for len in [3_usize, 100_000] {
        let xs: Vec<i64> = (0..i64::try_from(len).unwrap()).collect();
        let run = async |script: &str| {
            let script = format!("param xs: [int]\n{script}");
            engine.run(script).param("xs", xs.clone()).await
        };
        let last = len - 1;
        let sum: i64 = xs.iter().map(|it| it * 3).sum();
        let ended = run("xs >> each { it * 3 } >> sum").await.unwrap();
        assert_eq!(ended.value, Value::Int(sum));
        let ended = run(&format!("(xs >> each? {{ 1 / ({last} - it) }} >> last) ?? 42.0")).await;
        assert_eq!(ended.unwrap().value, Value::Float(42.0), "only the failed item is null");
        let ended = run("xs >> each? { it + 1 } >> where { it == null } >> len").await.unwrap();
        assert_eq!(ended.value, Value::Int(0), "giving up is not a failure of an item");
        let ended = run("(xs >> each { it + 1 } >> len) fallback 0").await.unwrap();
        assert_eq!(ended.value, Value::from(i64::try_from(len).unwrap()));
        let failing = format!("xs >> each {{ 1 / ({last} - it) }} >> len");
        let error = run(&failing).await.unwrap_err();
        let report = error.report();
        assert_eq!(report.path, format!("each[{last}]"), "{report:?}");
        let lets = run(
            "let a = xs >> each { it + 1 }\nlet b = 7 >> slow.echo_int\nlet c = a >> each { it + b }\nc >> sum",
        );
        let expected: i64 = xs.iter().map(|it| it + 8).sum();
        assert_eq!(lets.await.unwrap().value, Value::Int(expected));
    }
}
