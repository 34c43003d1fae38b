//! The cost of keeping runs.

use std::{
    hint::black_box,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use svc::Engine;
use svc_store::SqliteStore;

use super::{
    nap::NAP,
    planned::runtime,
    table::{Table, tell},
    timing::micros,
};

pub(crate) fn journal(table: &mut Table) {
    const CALLS: u32 = 10_000;
    let others = table.size(30, 1);
    let folder = tempfile::tempdir().expect("a folder can be created");
    let engine = svc::engine().with(&[&NAP]);
    let off = table.best(10, || drop(run(&engine)));
    let mut stores = 0;
    let mut kept = |_| {
        stores += 1;
        let engine = keeping(&engine, &folder.path().join(format!("{stores}.db")));
        (table.best(1, || drop(run(&engine))), engine)
    };
    let new = (0..table.size(5, 1)).map(&mut kept).map(|(took, _)| took).min();
    let (_, old) = kept(0);
    (1..others).for_each(|_| drop(run(&old)));
    let with_others = table.best(5, || drop(run(&old)));
    let a_call = |it: Duration| micros(it) / f64::from(CALLS);
    let more = |it: Duration| a_call(it) - a_call(off);
    tell("a call, not kept", a_call(off), "µs");
    table.at_most("the extra time when kept, new store", more(new.unwrap_or_default()), 20.0, "µs");
    table.at_most("  next to 300,000 others", more(with_others), 20.0, "µs");
    without_calls(table, &engine, &old);
    paid(table, &engine, folder.path());
}

/// The cost of a call whose price must be on disk before it starts: one after another, and many at
/// once. Medians, because disk times have no meaningful minimum.
fn paid(table: &Table, engine: &Engine, folder: &Path) {
    let count = table.size(10_000, 10);
    let kept = keeping(engine, &folder.join("paid.db"));
    let ways = [
        (
            "one after another",
            format!("0 >> repeat {count} {{ it >> fee }} until false else {{ it }}"),
        ),
        ("many at once", format!("range(0, {count}) >> each {{ it >> fee }} >> len")),
    ];
    for (way, script) in ways {
        let a_call = |engine: &Engine| {
            let once = || runtime().block_on(async { engine.run(script.as_str()).await });
            let mut took: Vec<Duration> = (0..table.size(5, 1))
                .map(|_| {
                    let begun = Instant::now();
                    drop(black_box(once().expect("it runs")));
                    begun.elapsed()
                })
                .collect();
            took.sort();
            micros(took[took.len() / 2]) / f64::from(count)
        };
        tell(&format!("a paid call, {way}, not kept"), a_call(engine), "µs");
        tell("  kept", a_call(&kept), "µs");
    }
}

/// A run without calls to keep must not pay for a store.
fn without_calls(table: &mut Table, off: &Engine, on: &Engine) {
    let script = format!("\"a b\"{}", " >> upper >> trim".repeat(500));
    let plan = off.plan(script.as_str()).expect("the script checks");
    let runtime = runtime();
    let stages = |engine: &Engine| {
        let run = async { engine.run_plan(plan.clone()).await.expect("the script runs") };
        drop(black_box(runtime.block_on(run)));
    };
    let (off, on) = (table.best(100, || stages(off)), table.best(20, || stages(on)));
    tell("a run of 1,000 inline stages, not kept", micros(off), "µs");
    tell("  kept: two commits and an end", micros(on), "µs");
}

fn keeping(engine: &Engine, file: &Path) -> Engine {
    engine.clone().with_store(Arc::new(SqliteStore::open(file, 0).expect("a store can be created")))
}

fn run(engine: &Engine) -> svc::Response {
    let script = "0 >> repeat 10000 { it >> nod } until false else { it }";
    runtime().block_on(async { engine.run(script).await.expect("it runs") })
}
