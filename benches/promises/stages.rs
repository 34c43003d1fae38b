//! The cost of the engine itself, compared with direct calls of the same ops.

use std::hint::black_box;

use svc_contract::{registry::Body, value::Value};
use tokio::task::JoinSet;

use super::{
    planned::{Planned, numbers, runtime},
    table::{Table, tell},
    timing::micros,
};

/// The function of an inline op.
type Inline = fn(&mut [Value]) -> Result<Value, svc_contract::registry::OpError>;

/// The function of an inline op, from the op table.
fn op(name: &str) -> Inline {
    let engine = svc::engine();
    let found = engine.registry().resolve(name).expect("the op exists");
    let Body::Inline(run) = found.op.body else { panic!("`{name}` is not inline") };
    run
}

fn called(op: Inline, value: Value) -> Value {
    op(&mut [value]).expect("the op accepts any text")
}

/// 1,000 stages one after another.
pub(crate) fn chain(table: &mut Table) {
    const RUNS: usize = 200;
    const STAGES: f64 = 1_000.0;
    let planned = Planned::new(&format!("\"a b\"{}", " >> upper >> lower".repeat(500)));
    let chain = table.best(RUNS, || drop(black_box(planned.run(numbers(0)))));
    let ops = [op("upper"), op("lower")];
    let direct = table.best(RUNS, || {
        let value = (0..500)
            .fold(Value::from("a b"), |it, _| ops.iter().fold(it, |it, op| called(*op, it)));
        black_box(value);
    });
    let rhai = rhai_chain(table, RUNS);
    table.at_most("a cheap stage of a chain of 1,000", micros(chain) / STAGES, 0.25, "µs");
    let ratio = chain.as_secs_f64() / direct.as_secs_f64();
    table.at_most("  times direct calls through the op table", ratio, 3.0, "×");
    tell("  a direct call", micros(direct) / STAGES, "µs");
    tell("  a call of the same chain in rhai", rhai / STAGES, "µs");
}

/// Microseconds for the same chain in rhai, compiled in advance.
fn rhai_chain(table: &Table, runs: usize) -> f64 {
    let engine = rhai::Engine::new();
    let body = "s = s.to_upper(); s = s.to_lower();".repeat(500);
    let chain = engine.compile(format!("let s = \"a b\"; {body} s")).expect("the code is valid");
    micros(table.best(runs, || {
        black_box(engine.eval_ast::<String>(&chain)).expect("the result is a text");
    }))
}

/// Many items, and many branches.
pub(crate) fn each_and_parallel(table: &mut Table) {
    const BRANCHES: u32 = 100;
    let count: i32 = table.size(1_000_000, 1_000);
    let planned = Planned::new("param xs: [int]\nxs >> each { (it + 1) }");
    let inputs = numbers(count.into());
    let each = table.best(5, || drop(black_box(planned.run(inputs.clone()))));
    let items = f64::from(count);
    table.at_most("an item of `each` over 1,000,000, `it + 1`", micros(each) / items, 0.5, "µs");

    let branches: Vec<String> = (0..BRANCHES).map(|it| format!("b{it}: upper")).collect();
    let planned = Planned::new(&format!("\"a\" >> parallel {{ {} }}", branches.join(", ")));
    let parallel = table.best(500, || drop(black_box(planned.run(numbers(0)))));
    let a_branch = micros(parallel) / f64::from(BRANCHES);
    table.at_most("a branch of `parallel` with 100 cheap ones", a_branch, 1.0, "µs");
    let spawned = join_set(table, BRANCHES);
    tell("  a task of a `JoinSet` with 100 of them", spawned / f64::from(BRANCHES), "µs");
}

/// Microseconds for the same number of equivalent tasks.
fn join_set(table: &Table, branches: u32) -> f64 {
    let (runtime, upper) = (runtime(), op("upper"));
    micros(table.best(500, || {
        runtime.block_on(async {
            let mut tasks = JoinSet::new();
            for _ in 0..branches {
                tasks.spawn(async move { called(upper, Value::from("a")) });
            }
            black_box(tasks.join_all().await);
        });
    }))
}
