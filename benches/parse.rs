//! The time for reading text is proportional to its length, whether it is a script or not.

use std::{fmt::Write as _, hint::black_box};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use svc_lang::syntax::parse;

const THOUSANDS: [usize; 4] = [1_000, 2_000, 4_000, 8_000];

fn lines(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse/lines");
    group.sample_size(20);
    for lines in THOUSANDS {
        let text = script(lines);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(lines), &text, |b, text| {
            b.iter(|| black_box(parse(text)).problems.len());
        });
    }
}

fn one_statement(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse/stages");
    group.sample_size(20);
    for stages in THOUSANDS {
        let text = format!("1{}", "\n  >> search(top_k: 5)".repeat(stages));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(stages), &text, |b, text| {
            b.iter(|| black_box(parse(text)).problems.len());
        });
    }
}

fn unclosed(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse/unclosed");
    group.sample_size(20);
    for bracket in ["(", "[", "{", "\"${"] {
        for count in THOUSANDS {
            let text = bracket.repeat(count);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_with_input(BenchmarkId::new(bracket, count), &text, |b, text| {
                b.iter(|| black_box(parse(text)).problems.len());
            });
        }
    }
}

fn mistakes(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse/mistakes");
    group.sample_size(20);
    for lines in THOUSANDS {
        let text = "let a = $x // why\nlet b = (1 + \nlet c = \"open\n".repeat(lines / 3);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(lines), &text, |b, text| {
            b.iter(|| black_box(parse(text)).problems.len());
        });
    }
}

/// A script of this many lines, with typical content.
fn script(lines: usize) -> String {
    let mut text = String::from("param question: string\n");
    for idx in 0..lines / 4 {
        write!(
            text,
            "## Finds the best {idx}.\n\
             let hits{idx} = question >> search(top_k: 20) within {{ timeout: 30s }}\n\
             let best{idx} = hits{idx} >> where {{ .score > 0.5 and len(.title) < 80 }} >> first\n\
             let shown{idx} = {{ title: best{idx}?.title ?? \"none\", of: \"${{len(hits{idx})}} hits\" }}\n"
        )
        .expect("writing to a string cannot fail");
    }
    text + "question\n"
}

criterion_group!(benches, lines, one_statement, unclosed, mistakes);
criterion_main!(benches);
