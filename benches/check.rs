//! A check of a script written by a person is imperceptible, and the time for a generated one is
//! proportional to its length.

use std::{fmt::Write as _, hint::black_box};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[path = "workloads/scripts.rs"]
mod scripts;

fn lets(c: &mut Criterion) {
    let engine = svc::engine();
    let mut group = c.benchmark_group("check/lines");
    group.sample_size(20);
    for lines in [200, 1_000, 2_000, 4_000, 8_000] {
        let text = scripts::lines(lines);
        engine.check(text.as_str()).expect("the script checks");
        group.throughput(Throughput::Elements(lines as u64));
        group.bench_with_input(BenchmarkId::from_parameter(lines), &text, |b, text| {
            b.iter(|| black_box(engine.check(text.as_str())).is_ok());
        });
    }
}

fn flows(c: &mut Criterion) {
    let engine = svc::engine();
    let mut group = c.benchmark_group("check/flows");
    group.sample_size(20);
    for flows in [250, 500, 1_000, 2_000] {
        let text = flow_chain(flows);
        engine.check(text.as_str()).expect("the script checks");
        group.throughput(Throughput::Elements(flows as u64));
        group.bench_with_input(BenchmarkId::from_parameter(flows), &text, |b, text| {
            b.iter(|| black_box(engine.check(text.as_str())).is_ok());
        });
    }
}

/// Flows that each call the previous one.
fn flow_chain(flows: usize) -> String {
    let mut text = String::from("flow f0(x: int) -> int { (x + 1) }\n");
    for idx in 1..=flows {
        writeln!(text, "flow f{idx}(x: int) -> int {{ x >> f{} }}", idx - 1)
            .expect("writing to a string cannot fail");
    }
    text + format!("1 >> f{flows}\n").as_str()
}

criterion_group!(benches, lets, flows);
criterion_main!(benches);
