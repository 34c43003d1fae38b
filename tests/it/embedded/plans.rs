//! Plans that many runs share, and texts that are run again and again.

use std::{path::Path, sync::Arc, time::Duration};

use proptest::prelude::*;
use svc::{
    Engine, Error, Policy, Response,
    host::TestHost,
    plan::Plan,
    registry::{ErrorKind, Flow, Items, OpError, Price, Var},
    value::{Money, Value},
};

fn engine() -> Engine {
    let echo = svc::io_op("db.echo", async |n: i64| -> i64 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        n
    });
    svc::engine().with_ops([echo.effect("reads db")]).unwrap()
}

#[tokio::test(start_paused = true)]
async fn many_runs_share_a_plan() {
    let engine = engine();
    let plan = Arc::new(engine.plan("param n: int\n[n, n] >> each { db.echo } >> sum").unwrap());
    let mut runs = tokio::task::JoinSet::new();
    for n in 0..500_i64 {
        let (engine, plan) = (engine.clone().lend(Arc::new(n)), plan.clone());
        runs.spawn(async move {
            let run = engine.run_plan(plan).param("n", n).max_cost(Money::cents(1));
            assert_eq!(run.timeout(Duration::from_secs(5)).await.unwrap().value, Value::Int(2 * n));
        });
    }
    while let Some(ended) = runs.join_next().await {
        ended.unwrap();
    }
}

/// What inputs change is estimated again, although the plan is shared.
#[tokio::test]
async fn inputs_still_count_where_they_matter() {
    let engine = svc::engine().with_host(Arc::new(TestHost::default()));
    let waits = Arc::new(engine.plan("param t: duration\n1 >> wait(duration: t)").unwrap());
    assert!(waits.varies());
    let run = engine.run_plan(waits.clone()).param_text("t", "2m").timeout(Duration::from_secs(1));
    let error = run.await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Timeout));
    assert!(error.to_string().contains("needs at least 2m"), "before it runs: {error}");
    assert!(!engine.plan("param n: int\nn + 1").unwrap().varies());
    assert!(engine.plan("param p: path\nread_text(p)").unwrap().varies());
    assert!(engine.plan("svc 1 within { timeout: 1s }\nparam n: int\nn + 1").unwrap().varies());
}

/// A plan of another engine, or of this one before a change, is judged again.
#[tokio::test]
async fn a_plan_is_judged_by_the_engine_that_runs_it() {
    let (open, denies) = (engine(), Policy::default().deny("reads db").unwrap());
    let plan = Arc::new(open.plan("1 >> db.echo").unwrap());
    assert_eq!(open.run_plan(plan.clone()).await.unwrap().value, Value::Int(1));
    let closed = open.clone().with_policy(denies.clone());
    assert!(matches!(closed.run_plan(plan.clone()).await, Err(Error::Check(_))));
    assert!(matches!(open.run_plan(plan.clone()).with_policy(denies).await, Err(Error::Check(_))));
    assert_eq!(open.run_plan(plan).await.unwrap().value, Value::Int(1));
}

#[tokio::test]
async fn a_text_is_checked_again_when_its_engine_or_its_files_change() {
    let host = Arc::new(TestHost::default());
    host.put(Path::new("lib.svc"), b"flow two(n: int) -> int { n * 2 }".to_vec());
    let engine = engine().with_host(host.clone());
    let script = "use \"lib.svc\" as lib\n21 >> lib.two";
    assert_eq!(engine.run(script).await.unwrap().value, Value::Int(42));
    host.put(Path::new("lib.svc"), b"flow two(n: int) -> int { n * 3 }".to_vec());
    assert_eq!(engine.run(script).await.unwrap().value, Value::Int(63));

    let name = "twice.of";
    let with = |times: i64| svc::inline_op(name, move |n: i64| n * times);
    let plain = svc::engine();
    assert!(plain.run("4 >> twice.of").await.is_err());
    let two = plain.clone().with_ops([with(2)]).unwrap();
    let three = plain.clone().with_ops([with(3)]).unwrap();
    for _ in 0..2 {
        assert_eq!(two.run("4 >> twice.of").await.unwrap().value, Value::Int(8));
        assert_eq!(three.run("4 >> twice.of").await.unwrap().value, Value::Int(12));
    }
    assert!(plain.run("4 >> twice.of").await.is_err());
}

/// A change of an engine between two runs.
#[derive(Clone, Debug)]
enum Change {
    None,
    Policy(bool),
    Tuned(i64),
    Lent,
    Clone,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::None),
        any::<bool>().prop_map(Change::Policy),
        (1_i64..4).prop_map(Change::Tuned),
        Just(Change::Lent),
        Just(Change::Clone),
    ]
}

fn changed(engine: Engine, change: &Change) -> Engine {
    match change {
        Change::None => engine,
        Change::Policy(denies) => {
            let policy = Policy::default();
            engine.with_policy(if *denies { policy.deny("reads db").unwrap() } else { policy })
        }
        Change::Tuned(keep) => engine.tuned("rerank.keep", *keep).unwrap(),
        Change::Lent => engine.lend(Arc::new(1_u8)),
        Change::Clone => engine.clone(),
    }
}

const SCRIPTS: &[&str] = &[
    "param n: int\nn * 2",
    "param n: int\nn >> db.echo",
    "param n: int\n[n, 1] >> each { db.echo } >> sum",
    "param n: int\n100 / n",
    "param n: int\nif n > 5 { n >> db.echo } else { 0 }",
    "param n: int\n[{ score: 0.5, text: \"${n}\" }] >> len",
    "svc 1 within { timeout: 5s }\nparam n: int\nn >> db.echo",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A shared plan and a repeated text give what a new engine gives.
    #[test]
    fn sharing_changes_nothing(
        steps in prop::collection::vec((change(), 0..SCRIPTS.len(), 0_i64..9), 1..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let mut used = engine();
        let plans: Vec<Option<Arc<Plan>>> =
            SCRIPTS.iter().map(|it| used.plan(*it).ok().map(Arc::new)).collect();
        let mut changes = Vec::new();
        for (change, script, n) in steps {
            used = changed(used, &change);
            changes.push(change);
            let fresh = changes.iter().fold(engine(), changed);
            runtime.block_on(async {
                let expected = shown(fresh.run(SCRIPTS[script]).param("n", n).await);
                let given = shown(used.run(SCRIPTS[script]).param("n", n).await);
                prop_assert_eq!(&given, &expected);
                if let Some(plan) = &plans[script] {
                    let shared = shown(used.run_plan(plan.clone()).param("n", n).await);
                    prop_assert_eq!(shared, expected);
                }
                Ok(())
            })?;
        }
    }
}

fn shown(ended: Result<Response, Error>) -> Result<Value, String> {
    ended.map(|it| it.value).map_err(|it| it.report().message)
}

svc::params! {
    /// The params of an op that calls a flow.
    struct More {
        /// The flow.
        by: Flow<Var<'A'>, Var<'B'>>,
        /// How often it is called for each item.
        times: i64,
    }
}

/// An op that calls a flow more often than the estimate counts on fails, and nothing is spent
/// beyond the estimate.
#[tokio::test]
async fn an_op_calls_its_flow_as_often_as_it_declares() {
    let often = svc::io_op(
        "often.run",
        async |items: Items<Var<'A'>>, more: More| -> Result<i64, OpError> {
            let mut calls = 0;
            for item in &items.0 {
                for _ in 0..more.times {
                    more.by.call(Var(item.clone())).await?;
                    calls += 1;
                }
            }
            Ok(calls)
        },
    );
    let paid = svc::io_op("paid.one", async |n: i64| -> i64 { n })
        .price(Price::Fixed(Money::cents(1)))
        .effect("reads shop");
    let engine = svc::engine().with_ops([often, paid]).unwrap();
    let script = "param times: int\n[1, 2, 3] >> often.run(times: times, by: paid.one)";
    let once = engine.run(script).param("times", 1);
    let most = engine.run(script).param("times", 1).plan().unwrap().envelope().cost.max.unwrap();
    let ended = once.await.unwrap();
    assert_eq!((ended.value, ended.usage.cost), (Value::Int(3), Money::cents(3)));
    let error = engine.run(script).param("times", 2).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Bug));
    let report = error.report();
    assert!(report.message.contains("called `paid.one` more often than it declares"), "{report:?}");
    let Error::Run { error, .. } = &error else { panic!("it ran") };
    assert!(error.usage.cost <= most, "{error:?}");
}
