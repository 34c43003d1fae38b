//! What the engine itself costs: beside any real step it must vanish.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc, time::Duration};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use svc::{
    Engine,
    host::test::TestHost,
    plan::{Caps, Plan},
    registry::{Component, Cx, Example, Io, Op, OpError, Scheme, io},
    run::{Outcome, Surroundings, Unwatched, run},
    store::Store,
    value::{Text, Value},
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
};
use tokio_util::sync::CancellationToken;

/// A component that only waits, as one does that asks somebody else.
const NAP: Component = Component {
    name: "nap",
    cluster: "benches",
    summary: "Waits.",
    version: 1,
    aliases: &[("nap", "nap"), ("nod", "nod")],
    ops: &[io::<Nap>(), io::<Nod>()],
};

svc::params! {
    /// Waits ten milliseconds.
    struct Nap {
        /// What comes back.
        input: i64,
    }
}

impl Op for Nap {
    const NAME: &'static str = "nap";
    const YIELDS: Scheme = Scheme::Int;
    const EXAMPLES: &'static [Example] = &[Example::ok("A nap", "1 >> nap", "1")];
}

impl Io for Nap {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.host().sleep(Duration::from_millis(10)).await;
        Ok(Value::Int(self.input))
    }
}

svc::params! {
    /// Gives back what comes, as a call that the journal writes down.
    struct Nod {
        /// What comes back.
        input: i64,
    }
}

impl Op for Nod {
    const NAME: &'static str = "nod";
    const YIELDS: Scheme = Scheme::Int;
    const EXAMPLES: &'static [Example] = &[Example::ok("A nod", "1 >> nod", "1")];
}

impl Io for Nod {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        Ok(Value::Int(self.input + 1))
    }
}

fn chain(c: &mut Criterion) {
    let bench = Bench::new(&format!("\"a b\"{}", " >> upper >> trim".repeat(500)));
    bench.measure(c, "1,000 stages", 1_000, &[]);
}

fn each(c: &mut Criterion) {
    let bench = Bench::new("param xs: [int]\nxs >> each { (it + 1) }");
    bench.measure(c, "each over 1,000,000 items", 1_000_000, &items(1_000_000));
    let bench = Bench::new("param xs: [int]\nxs >> each { { double: it * 2, text: \"n ${it}\" } }");
    bench.measure(c, "each over 100,000 items, to records", 100_000, &items(100_000));
}

fn parallel(c: &mut Criterion) {
    let branches = (0..100).fold(String::new(), |mut text, idx| {
        write!(text, "b{idx}: upper, ").expect("a string takes all");
        text
    });
    let bench = Bench::new(&format!("\"a\" >> parallel {{ {branches} }}"));
    bench.measure(c, "parallel of 100 branches", 100, &[]);
}

fn waiting(c: &mut Criterion) {
    let bench = Bench::new("param xs: [int]\nxs >> each { nap }");
    bench.measure(c, "1,000 items that wait 10ms each", 1_000, &items(1_000));
    let branches = (0..100).fold(String::new(), |mut text, idx| {
        write!(text, "b{idx}: nap, ").expect("a string takes all");
        text
    });
    let bench = Bench::new(&format!("1 >> parallel {{ {branches} }}"));
    bench.measure(c, "100 branches that wait 10ms each", 100, &[]);
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn items(count: i64) -> Vec<Value> {
    (0..count).map(Value::Int).collect()
}

/// A plan and what it runs in.
struct Bench {
    plan: Plan,
    around: Surroundings,
    runtime: Runtime,
}

impl Bench {
    fn new(script: &str) -> Self {
        let engine = Engine::new().with(&[&NAP]);
        let plan = engine.plan(script).expect("the script checks");
        let around = Surroundings {
            host: Arc::new(TestHost::new()),
            catalog: Arc::new(engine),
            observer: Arc::new(Unwatched),
            workers: Arc::new(Semaphore::new(2)),
            cancel: CancellationToken::new(),
            caps: Caps::default(),
            records: None,
            spent: svc::registry::Usage::default(),
            isolates: false,
            id: None,
        };
        Self { plan, around, runtime: runtime() }
    }

    /// Measures runs of the plan; `steps` of them are one run.
    fn measure(&self, c: &mut Criterion, name: &str, steps: u64, xs: &[Value]) {
        let inputs = match xs {
            [] => BTreeMap::new(),
            xs => BTreeMap::from([(Text::from("xs"), Value::from(xs.to_vec()))]),
        };
        let mut group = c.benchmark_group("engine");
        group.sample_size(10).throughput(Throughput::Elements(steps));
        group.bench_function(name, |b| b.iter(|| self.run(inputs.clone())));
    }

    fn run(&self, inputs: BTreeMap<Text, Value>) -> Outcome {
        let run = run(&self.plan, inputs, self.around.clone());
        self.runtime.block_on(run).expect("the script runs")
    }
}

/// What it costs to write down what a run does: the same chain of calls with a store and
/// without.
fn kept(c: &mut Criterion) {
    const CALLS: u64 = 10_000;
    let script = "0 >> repeat 10000 { it >> nod } until false else { it }";
    let folder = tempfile::tempdir().expect("there is room for a store");
    let mut stores = 0;
    let mut kept = |engine: &Engine| {
        stores += 1;
        let file = folder.path().join(format!("{stores}.db"));
        engine.clone().keeping(Arc::new(Store::open(&file, 0).expect("it can be made")))
    };
    let engine = Engine::new().with(&[&NAP]);
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
    group.bench_function("kept beside 300,000 others", |b| b.iter(|| run(&old)));
    group.finish();
}

criterion_group!(benches, chain, each, parallel, waiting, kept);
criterion_main!(benches);
