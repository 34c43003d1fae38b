//! Reuse of the results of closures by other runs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use svc::{
    Engine,
    registry::{
        Bias, ClosureOp, Component, Compute, Cx, ErrorKind, Example, Flow, Op, OpError, Scheme,
        Var, compute,
    },
    store::SqliteStore,
    value::Value,
};

const HOUR: Duration = Duration::from_hours(1);

/// Counts calls, as a service of the program.
#[derive(Default)]
struct Calls(AtomicU64);

impl Calls {
    fn next(&self) -> i64 {
        i64::try_from(self.0.fetch_add(1, Ordering::Relaxed)).unwrap() + 1
    }
}

struct World {
    engine: Engine,
    calls: Arc<Calls>,
}

impl World {
    fn new() -> Self {
        let (store, calls) = (Arc::new(SqliteStore::in_memory().unwrap()), Arc::default());
        Self { engine: svc::engine().with_store(store), calls }
    }

    /// An engine that has just loaded this op.
    fn with(&self, op: ClosureOp) -> Engine {
        self.engine.clone().lend(self.calls.clone()).with_ops([op]).unwrap()
    }

    fn captured(&self) -> ClosureOp {
        let calls = self.calls.clone();
        svc::op("crm.next", move |_: i64| calls.next())
    }
}

/// The results of two runs with the same argument.
async fn twice(a: &Engine, b: &Engine, script: &str) -> [i64; 2] {
    let run = async |it: &Engine| it.run(script).reuse(HOUR).await.unwrap().get().unwrap();
    [run(a).await, run(b).await]
}

const SCRIPT: &str = "7 >> crm.next";

#[tokio::test]
async fn a_result_is_reused_only_with_a_version() {
    let world = World::new();
    let next = || world.captured();
    let loaded = |op| world.with(op);
    assert_eq!(twice(&loaded(next()), &loaded(next()), SCRIPT).await, [1, 2]);
    let one = loaded(next());
    assert_eq!(twice(&one, &one, SCRIPT).await, [3, 4], "also of the same engine");
    let [a, b] = [next().version(1), next().version(1)].map(loaded);
    assert_eq!(twice(&a, &b, SCRIPT).await, [5, 5]);
    assert_eq!(twice(&loaded(next().version(2)), &a, SCRIPT).await, [6, 5]);
    let other = world.with(svc::op("crm.next", |_: f64| 9_i64).version(1));
    assert_eq!(twice(&other, &other, SCRIPT).await, [9, 9], "the types are part of the key");
    let reads = || loaded(next().effect("reads crm").version(3));
    assert_eq!(twice(&reads(), &reads(), SCRIPT).await, [7, 7]);
    let writes = || loaded(next().effect("writes crm").version(4));
    assert_eq!(twice(&writes(), &writes(), SCRIPT).await, [8, 9], "a write is never reused");
}

svc::params! {
    /// What to apply.
    struct By {
        /// A flow or an op.
        flow: Flow<Var<'A'>, Var<'B'>>,
    }
}

/// A flow that calls a closure without a version is not known to be the same one.
#[tokio::test]
async fn a_call_of_a_flow_is_reused_only_if_the_flow_is_known() {
    let world = World::new();
    let load = |next: ClosureOp| {
        let apply =
            svc::io_op("crm.apply", async |it: Var<'A'>, by: By| -> Result<Var<'B'>, OpError> {
                by.flow.call(it).await
            });
        world.with(next).with_ops([apply.version(1)]).unwrap()
    };
    let script = "7 >> crm.apply(flow: crm.next)";
    let load = |version: Option<u32>| {
        let next = world.captured();
        load(match version {
            Some(version) => next.version(version),
            None => next,
        })
    };
    assert_eq!(twice(&load(None), &load(None), script).await, [1, 2]);
    assert_eq!(twice(&load(Some(1)), &load(Some(1)), script).await, [3, 3]);
    assert_eq!(twice(&load(Some(2)), &load(Some(2)), script).await, [4, 4]);
}

/// A resumed run is the same run, so also calls without a version are not made again.
#[tokio::test]
async fn a_resumed_run_keeps_what_it_has_done() {
    let world = World::new();
    let fails = |_: i64| -> Result<i64, OpError> { Err(OpError::failed("not today")) };
    let engine = world.with(world.captured());
    let broken = engine.clone().with_ops([svc::op("crm.rest", fails)]).unwrap();
    let script = "7 >> crm.next >> crm.rest";
    assert!(broken.run(script).await.is_err());
    let works = engine.with_ops([svc::op("crm.rest", |it: i64| it * 10)]).unwrap();
    let value: i64 = works.resume("last").unwrap().await.unwrap().get().unwrap();
    assert_eq!(value, 10, "the first call of this run is not made again");
}

#[tokio::test]
async fn a_result_from_a_lent_service_is_not_reused() {
    let world = World::new();
    let next = || svc::op("crm.next", |cx: Cx, _: i64| cx.lent::<Calls>().map(|it| it.next()));
    let [a, b] = [next(), next()].map(|it| world.with(it));
    assert_eq!(twice(&a, &b, SCRIPT).await, [1, 2]);
    let [a, b] = [next(), next()].map(|it| world.with(it.version(1)));
    assert_eq!(twice(&a, &b, SCRIPT).await, [3, 3], "its version covers the service");

    let engine = world.engine.clone().with(&[&COUNTER]).lend(world.calls.clone());
    assert_eq!(twice(&engine, &engine, "7 >> counter").await, [4, 5], "no version covers it");
}

const COUNTER: Component = Component {
    name: "counter",
    cluster: "test",
    summary: "Counts calls.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[compute::<Next>()],
};

svc::params! {
    /// Counts the calls.
    struct Next {
        /// Any number.
        given: i64,
    }
}

impl Op for Next {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Int;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] =
        &["count the calls", "how often was it called", "the number of calls"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Compute for Next {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _ = self.given;
        Ok(Value::Int(cx.lent::<Calls>()?.next()))
    }
}
