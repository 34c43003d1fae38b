//! Inline code must be cheap: the cost of a record on its way through rhai.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use svc_contract::value::{Record, Text, Type, Value};
use svc_lang::script::{InlineScript, Watch, limits};
use tokio_util::sync::CancellationToken;

const RECORDS: usize = 10_000;

fn line() -> Type {
    Type::record(vec![
        ("vendor".into(), Type::Text),
        ("total".into(), Type::FLOAT),
        ("items".into(), Type::INT),
        ("paid".into(), Type::Bool),
    ])
}

fn records() -> Value {
    let names: std::sync::Arc<[Text]> = ["vendor", "total", "items", "paid"].map(Text::from).into();
    let all = (0..RECORDS).map(|it| {
        let n = i64::try_from(it).expect("it is small");
        let vendor = format!("vendor {}", n % 97);
        let values = vec![vendor.into(), Value::Float(1.5), Value::Int(n), Value::Bool(n % 2 == 0)];
        Value::Record(Record::new(names.clone(), values))
    });
    Value::List(all.collect())
}

fn watch() -> Watch {
    Watch {
        operations: limits::OPERATIONS,
        deadline: None,
        cancel: CancellationToken::new(),
        host: None,
        memory: None,
    }
}

/// Into rhai and back, without work; and with a little work for each record.
fn round_trip(c: &mut Criterion) {
    let mut group = c.benchmark_group("rhai");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let (records, watch) = (records(), watch());
    let cases = [("cross", "xs"), ("sum", "let sum = 0.0; for x in xs { sum += x.total; } xs")];
    for (name, code) in cases {
        let island = InlineScript::new(code, 0, &["xs".into()], &Type::list(line()))
            .expect("the code is valid");
        group.bench_function(name, |b| {
            b.iter(|| {
                island
                    .run(black_box(std::slice::from_ref(&records)), &watch)
                    .expect("the code ends")
            });
        });
    }
    group.finish();
}

/// Ten thousand small inline scripts, one per item.
fn each(c: &mut Criterion) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let engine = svc::engine();
    let mut group = c.benchmark_group("each");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let script = "range(0, 10_000) >> each { rhai(n: int) -> int { n * 2 + 1 } } >> len";
    let plan = engine.plan(script).expect("the script checks");
    group.bench_function("island", |b| {
        b.iter(|| {
            runtime
                .block_on(async { engine.run_plan(plan.clone()).await.expect("the script runs") })
        });
    });
    group.finish();
}

criterion_group!(benches, round_trip, each);
criterion_main!(benches);
