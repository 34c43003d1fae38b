//! Completion is imperceptible, also with many components: Tab after `>>` at the prompt.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use svc::Engine;
use svc_assist::{Asked, Draft, complete, session::Session};
use svc_contract::registry::{Component, OpDef};
use svc_engine::Unsaved;

const MANY: usize = 300;

/// Lines with the cursor at their end.
const LINES: [&str; 4] = [
    "search(\"budgets\", source: \"docs\") >> ",
    "\"some text\" >> ",
    "[1, 2, 3] >> take(",
    "[{ a: 1, b: \"x\" }] >> each { .",
];

fn completion(c: &mut Criterion) {
    let mut group = c.benchmark_group("complete");
    for (name, engine) in [("as it is", svc::engine()), ("300 components", crowded())] {
        let session = Session::new(engine, ".");
        for line in LINES {
            group.bench_with_input(BenchmarkId::new(name, line.trim()), line, |b, line| {
                b.iter(|| black_box(offered(&session, line)));
            });
        }
    }
    group.finish();
}

/// The number of completions at the end of a line.
fn offered(session: &Session, line: &str) -> usize {
    let (source, analysis) = session.analyse(line);
    let (engine, unsaved) = (session.engine(), &Unsaved::new());
    let draft = Draft { engine, source: &source, unsaved, analysis: &analysis };
    complete(&draft, line.len(), Asked::Plainly).map_or(0, |it| it.all.len())
}

/// The built-in components, repeated under other names.
fn crowded() -> Engine {
    let engine = svc::engine();
    let own = engine.registry().components().to_vec();
    let more = (own.len()..MANY).map(|idx| {
        let like = own[idx % own.len()];
        let name: &'static str = format!("{}_{idx}", like.name).leak();
        // Names of tools are unique.
        let ops = like.ops.iter().map(|it| OpDef { tool: None, ..*it }).collect::<Vec<_>>();
        let more = Component { name, aliases: &[], ops: ops.leak(), ..*like };
        &*Box::leak(Box::new(more))
    });
    let more: Vec<&'static Component> = more.collect();
    engine.with(&more)
}

criterion_group!(benches, completion);
criterion_main!(benches);
