//! An embedded engine next to its peers, in one run: a rule from text and planned once, calls of
//! async ops under caps next to a program written by hand, many scripts that wait, and the
//! neighbours of scripts that compute.
//!
//! `cargo run --release`, on an idle machine.

use std::{
    future::IntoFuture as _,
    sync::Arc,
    time::{Duration, Instant},
};

use svc::{Engine, value::Money};

/// The best of some rounds, each of this many repetitions, in microseconds for one.
fn best(repetitions: u32, mut once: impl FnMut()) -> f64 {
    let round = |once: &mut dyn FnMut()| {
        let begun = Instant::now();
        (0..repetitions).for_each(|_| once());
        begun.elapsed().as_secs_f64() * 1e6 / f64::from(repetitions)
    };
    (0..15).map(|_| round(&mut once)).fold(f64::INFINITY, f64::min)
}

fn row(name: &str, time: f64, beside: Option<f64>) {
    match beside {
        Some(other) => println!("{name:<54}{time:>10.3} µs {:>8.2} ×", time / other),
        None => println!("{name:<54}{time:>10.3} µs"),
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    expressions(&runtime);
    calls(&runtime);
    waiting(&runtime, 1_000);
    waiting(&runtime, 20_000);
    neighbours(&runtime);
}

/// The price of an order: a rule with three inputs.
const RHAI: &str = "if vip { price * n * 0.9 } else { price * n + 4.5 }";
const LUA: &str = "local price, n, vip = ...
if vip then return price * n * 0.9 else return price * n + 4.5 end";
const SVC: &str = "param price: float  param n: int  param vip: bool
if vip { price * n * 0.9 } else { price * n + 4.5 }";

const ORDER: (f64, i64, bool) = (20.0, 2, true);
const TOTAL: f64 = 36.0;

fn expressions(runtime: &tokio::runtime::Runtime) {
    let rhai = rhai::Engine::new();
    let scope = || {
        let mut scope = rhai::Scope::new();
        scope.push("price", ORDER.0).push("n", ORDER.1 as f64).push("vip", ORDER.2);
        scope
    };
    let from_text = best(2_000, || is_total(rhai.eval_with_scope(&mut scope(), RHAI).unwrap()));
    let ast = rhai.compile_with_scope(&scope(), RHAI).unwrap();
    let cached = best(10_000, || is_total(rhai.eval_ast_with_scope(&mut scope(), &ast).unwrap()));
    row("rhai: a rule from text", from_text, None);
    row("rhai: the same compiled", cached, None);

    let lua = mlua::Lua::new();
    let lua_text = best(2_000, || is_total(lua.load(LUA).call(ORDER).unwrap()));
    let function = lua.load(LUA).into_function().unwrap();
    let lua_cached = best(10_000, || is_total(function.call(ORDER).unwrap()));
    row("mlua: a rule from text", lua_text, None);
    row("mlua: the same compiled", lua_cached, None);

    let engine = svc::engine();
    let number = std::cell::Cell::new(0_u64);
    let new_text = || {
        number.set(number.get() + 1);
        SVC.replace("4.5", &format!("{}.5", number.get()))
    };
    let run = timed(2_000, async || is_total(float(ordered(engine.run(new_text())).await)));
    row("svc: a rule from a new text, times rhai", runtime.block_on(run), Some(from_text));
    let run = timed(2_000, async || is_total(float(ordered(engine.run(SVC)).await)));
    row("svc: a rule from a known text, times rhai", runtime.block_on(run), Some(from_text));
    let plan = Arc::new(engine.plan(SVC).unwrap());
    let run = timed(10_000, async || is_total(float(ordered(engine.run_plan(plan.clone())).await)));
    row("svc: the same planned, times rhai", runtime.block_on(run), Some(cached));
}

fn ordered(run: svc::Request<'_>) -> svc::Request<'_> {
    run.param("price", ORDER.0).param("n", ORDER.1).param("vip", ORDER.2)
}

fn is_total(given: f64) {
    assert!((given - TOTAL).abs() < 1e-9, "{given}");
}

fn float(ended: Result<svc::Response, svc::Error>) -> f64 {
    ended.unwrap().get().unwrap()
}

fn int(ended: Result<svc::Response, svc::Error>) -> i64 {
    ended.unwrap().get().unwrap()
}

/// The best of some rounds of something asynchronous, in microseconds for one.
async fn timed(repetitions: u32, once: impl AsyncFn()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let begun = Instant::now();
        for _ in 0..repetitions {
            once().await;
        }
        best = best.min(begun.elapsed().as_secs_f64() * 1e6 / f64::from(repetitions));
    }
    best
}

/// An op that waits for nothing but the executor.
async fn served(n: i64) -> i64 {
    tokio::task::yield_now().await;
    n + 1
}

fn serving() -> Engine {
    svc::engine().with_ops([svc::io_op("served", served).effect("reads service")]).unwrap()
}

/// The overhead of a call of an async op, in a run with caps, next to a loop with a timeout.
fn calls(runtime: &tokio::runtime::Runtime) {
    const CALLS: u32 = 1_000;
    let by_hand = runtime.block_on(timed(10, async || {
        let mut n = 0;
        for _ in 0..CALLS {
            n = tokio::time::timeout(Duration::from_secs(60), served(n)).await.unwrap();
        }
        assert_eq!(n, i64::from(CALLS));
    }));
    let engine = serving();
    let script = format!("0 >> repeat {CALLS} {{ served }} until false else {{ it }}");
    let plan = Arc::new(engine.plan(script.as_str()).unwrap());
    let ours = runtime.block_on(timed(10, async || {
        let run = engine.run_plan(plan.clone()).max_cost(Money::cents(5)).max_tokens(1_000);
        assert_eq!(int(run.timeout(Duration::from_secs(3600 * 24 * 30)).await), i64::from(CALLS));
    }));
    let calls = f64::from(CALLS);
    row("tokio: a call of an async function with a timeout", by_hand / calls, None);
    row("svc: a call of an async op in a run with caps", ours / calls, None);
    row("  its overhead", (ours - by_hand) / calls, None);
}

/// The time and the memory of scripts that all wait at the same time.
fn waiting(runtime: &tokio::runtime::Runtime, scripts: usize) {
    let nap = svc::io_op("nap", async |n: i64| -> i64 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        n + 1
    });
    let engine = svc::engine().with_ops([nap.effect("reads service")]).unwrap();
    let plan = Arc::new(engine.plan("param n: int\nn >> nap").unwrap());
    let before = resident();
    let begun = Instant::now();
    let most = runtime.block_on(async {
        let local = tokio::task::LocalSet::new();
        let runs: Vec<_> = (0..scripts)
            .map(|idx| {
                let (engine, plan) = (engine.clone(), plan.clone());
                local.spawn_local(async move {
                    let n = i64::try_from(idx).unwrap();
                    assert_eq!(int(engine.run_plan(plan).param("n", n).await), n + 1);
                })
            })
            .collect();
        local
            .run_until(async {
                tokio::time::sleep(Duration::from_millis(400)).await;
                let most = resident();
                for run in runs {
                    run.await.unwrap();
                }
                most
            })
            .await
    });
    let (time, memory) = (begun.elapsed().as_secs_f64() - 0.5, (most - before) / 1e6);
    println!(
        "{scripts:>6} scripts that wait: {memory:>7.1} MB more, {:>8.1} ms besides the wait",
        time * 1e3
    );
}

/// The longest wait of a neighbour on the same thread, and the time until an outer timeout ends
/// a script, while it computes over three million items.
fn neighbours(runtime: &tokio::runtime::Runtime) {
    let engine = svc::engine();
    let xs: Vec<i64> = (0..3_000_000).collect();
    let xs = svc::value::Value::from(xs);
    let scripts = [
        ("numbers", "param xs: [int]  xs >> each { it + 1 } >> sum"),
        ("records", "param xs: [int]  xs >> each { { n: it, t: \"n ${it}\" } } >> len"),
        ("a sort", "param xs: [int]  xs >> sort { 0 - it } >> len"),
    ];
    for (name, script) in scripts {
        let plan = Arc::new(engine.plan(script).unwrap());
        let (longest, took) = runtime.block_on(async {
            let run = engine.run_plan(plan.clone()).param("xs", xs.clone()).into_future();
            let mut run = std::pin::pin!(run);
            let (mut longest, begun) = (Duration::ZERO, Instant::now());
            loop {
                let before = Instant::now();
                tokio::select! {
                    biased;
                    ended = &mut run => { ended.unwrap(); break }
                    () = tokio::time::sleep(Duration::from_millis(1)) => {}
                }
                longest = longest.max(before.elapsed());
            }
            (longest, begun.elapsed())
        });
        let ended = runtime.block_on(async {
            let begun = Instant::now();
            let run = engine.run_plan(plan.clone()).param("xs", xs.clone()).into_future();
            assert!(tokio::time::timeout(Duration::from_millis(50), run).await.is_err());
            begun.elapsed()
        });
        let (longest, ended) = (longest.as_secs_f64() * 1e3, ended.as_secs_f64() * 1e3);
        let took = took.as_secs_f64() * 1e3;
        println!(
            "{name:<10} {took:>8.0} ms, a neighbour waits {longest:>6.2} ms, 50 ms end after {ended:>6.1} ms"
        );
    }
}

/// The resident memory of this process in bytes.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<f64>().unwrap() * 4096.0
}
