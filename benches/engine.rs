//! The cost of the engine itself, which must be negligible compared to any real step.

use std::{fmt::Write as _, sync::Arc};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use svc::Engine;
use svc_store::SqliteStore;

#[path = "workloads/nap.rs"]
mod nap;
#[path = "workloads/planned.rs"]
mod planned;

use nap::NAP;
use planned::{Planned, numbers, runtime};

fn chain(c: &mut Criterion) {
    let script = format!("\"a b\"{}", " >> upper >> trim".repeat(500));
    measure(c, "1,000 stages", 1_000, &script, 0);
}

fn each(c: &mut Criterion) {
    let script = "param xs: [int]\nxs >> each { (it + 1) }";
    measure(c, "each over 1,000,000 items", 1_000_000, script, 1_000_000);
    let script = "param xs: [int]\nxs >> each { { double: it * 2, text: \"n ${it}\" } }";
    measure(c, "each over 100,000 items, to records", 100_000, script, 100_000);
}

fn parallel(c: &mut Criterion) {
    let branches = (0..100).fold(String::new(), |mut text, idx| {
        write!(text, "b{idx}: upper, ").expect("writing to a string cannot fail");
        text
    });
    let script = format!("\"a\" >> parallel {{ {branches} }}");
    measure(c, "parallel of 100 branches", 100, &script, 0);
}

fn waiting(c: &mut Criterion) {
    let script = "param xs: [int]\nxs >> each { nap }";
    measure(c, "1,000 items that wait 10ms each", 1_000, script, 1_000);
    let branches = (0..100).fold(String::new(), |mut text, idx| {
        write!(text, "b{idx}: nap, ").expect("writing to a string cannot fail");
        text
    });
    let script = format!("1 >> parallel {{ {branches} }}");
    measure(c, "100 branches that wait 10ms each", 100, &script, 0);
}

/// Measures runs of a script over this many numbers; a run has `steps` steps.
fn measure(c: &mut Criterion, name: &str, steps: u64, script: &str, items: i64) {
    let (planned, inputs) = (Planned::new(script), numbers(items));
    let mut group = c.benchmark_group("engine");
    group.sample_size(10).throughput(Throughput::Elements(steps));
    group.bench_function(name, |b| b.iter(|| planned.run(inputs.clone())));
}

/// The cost of recording a run: the same chain of calls with and without a store.
fn kept(c: &mut Criterion) {
    const CALLS: u64 = 10_000;
    let script = "0 >> repeat 10000 { it >> nod } until false else { it }";
    let folder = tempfile::tempdir().expect("a folder can be created");
    let mut stores = 0;
    let mut kept = |engine: &Engine| {
        stores += 1;
        let file = folder.path().join(format!("{stores}.db"));
        engine
            .clone()
            .with_store(Arc::new(SqliteStore::open(&file, 0).expect("a store can be created")))
    };
    let engine = svc::engine().with(&[&NAP]);
    let runtime = runtime();
    let mut group = c.benchmark_group("a chain of 10,000 calls");
    group.throughput(Throughput::Elements(CALLS)).sample_size(10);
    let run =
        |engine: &Engine| runtime.block_on(async { engine.run(script).await.expect("it runs") });
    group.bench_function("not kept", |b| b.iter(|| run(&engine)));
    group.bench_function("kept in a new store", |b| {
        b.iter_batched_ref(|| kept(&engine), |it| run(it), BatchSize::PerIteration);
    });
    let old = kept(&engine);
    (0..30).for_each(|_| drop(run(&old)));
    group.bench_function("kept next to 300,000 others", |b| b.iter(|| run(&old)));
    group.finish();
}

criterion_group!(benches, chain, each, parallel, waiting, kept);
criterion_main!(benches);
