//! The paths that execute most of a run's instructions, for a profiler that counts them:
//! `benches/instructions` reports the count of each, and its change.
//!
//! `cargo bench --bench hot -- PATH ROUNDS` executes one of them this many times. With 0 rounds it
//! only prepares, so the difference is the cost of the path.

use std::{hint::black_box, sync::Arc};

use svc_store::SqliteStore;

mod workloads;

use workloads::{
    nap::NAP,
    planned::{Planned, numbers, runtime},
    scripts,
};

/// A path: prepares its data, and returns the function that executes it once.
type Path = fn() -> Box<dyn FnMut()>;

const PATHS: [(&str, Path); 5] =
    [("check", check), ("chain", chain), ("each", each), ("calls", calls), ("kept", kept)];

/// A script of 2,000 lines is checked.
fn check() -> Box<dyn FnMut()> {
    let (engine, text) = (svc::engine(), scripts::lines(2_000));
    Box::new(move || drop(black_box(engine.check(text.as_str()))))
}

/// A value goes through 1,000 cheap stages.
fn chain() -> Box<dyn FnMut()> {
    planned(&format!("\"a b\"{}", " >> upper >> trim".repeat(500)), 0)
}

/// 10,000 numbers go through one operator each.
fn each() -> Box<dyn FnMut()> {
    planned("param xs: [int]\nxs >> each { (it + 1) }", 10_000)
}

/// 1,000 calls one after another, without a store.
fn calls() -> Box<dyn FnMut()> {
    planned(CALLS, 0)
}

/// The same with a store.
fn kept() -> Box<dyn FnMut()> {
    let store = Arc::new(SqliteStore::in_memory().expect("a store in memory can be created"));
    let (engine, runtime) = (svc::engine().with(&[&NAP]).with_store(store), runtime());
    let plan = engine.plan(CALLS).expect("the script checks");
    Box::new(move || {
        let run = async { engine.run_plan(plan.clone()).await.expect("the script runs") };
        drop(black_box(runtime.block_on(run)));
    })
}

const CALLS: &str = "0 >> repeat 1000 { it >> nod } until false else { it }";

fn planned(script: &str, items: i64) -> Box<dyn FnMut()> {
    let (planned, inputs) = (Planned::new(script), numbers(items));
    Box::new(move || drop(black_box(planned.run(inputs.clone()))))
}

/// Without a path, as in a test, each is executed once.
fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let rounds = args.get(1).and_then(|it| it.parse().ok()).unwrap_or(1);
    let asked = |it: &&(&str, Path)| args.first().is_none_or(|name| name == it.0);
    for (_, path) in PATHS.iter().filter(asked) {
        let mut walk = path();
        (0..rounds).for_each(|_| walk());
    }
}
