//! The bounds of operations.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use svc::{
    blocks::{ComponentRegistry, PipelineStep, ResourceBounds},
    registry::{ErrorKind, OpError, Price},
    value::Money,
};

/// Ops that cost a cent, that fail for a while, and that never end, with the number of calls.
fn costly() -> (ComponentRegistry, Arc<AtomicU32>) {
    let calls = Arc::new(AtomicU32::new(0));
    let (paid, failed) = (calls.clone(), calls.clone());
    let cent = svc::io_op("shop.buy", move |name: String| {
        paid.fetch_add(1, Ordering::SeqCst);
        async move { name }
    });
    let busy = svc::io_op("shop.busy", move |_: String| {
        failed.fetch_add(1, Ordering::SeqCst);
        async move { Err::<String, _>(OpError::new(ErrorKind::Unavailable, "busy")) }
    });
    let stuck = svc::io_op("shop.stuck", |_: String| std::future::pending::<String>());
    let ops = [cent.price(Price::Fixed(Money::cents(1))), busy, stuck];
    (ComponentRegistry::new(svc::engine().with_ops(ops).unwrap()), calls)
}

fn step(op: &str) -> PipelineStep {
    PipelineStep::new("shop", op).param("input", "x")
}

#[test]
fn the_defaults_are_those_of_the_specification() {
    let bounds = ResourceBounds::default();
    assert_eq!(bounds.max_tokens(), 128_000);
    assert!(bounds.max_budget_usd().abs() < f64::EPSILON);
    assert_eq!(bounds.timeout_sec(), 60);
    assert_eq!(bounds.max_retries(), 3);
    for wrong in [-0.01, f64::NAN, f64::INFINITY, 1e300, 1e-12] {
        let err = bounds.with_max_budget_usd(wrong).unwrap_err();
        assert_eq!(err.kind, ErrorKind::InvalidInput, "{wrong}");
    }
    let tight = bounds.with_max_budget_usd(0.5).unwrap();
    assert!((tight.max_budget_usd() - 0.5).abs() < f64::EPSILON);
    assert_eq!(tight.with_max_budget_usd(0.0).unwrap(), bounds);
}

#[tokio::test]
async fn the_budget_is_that_of_all_steps_together() {
    let (registry, calls) = costly();
    let steps = || [step("buy"), step("buy"), step("buy")];
    registry.run_pipeline(steps()).await.unwrap();
    assert_eq!(calls.swap(0, Ordering::SeqCst), 3, "zero is unlimited");
    let within = |dollars| ResourceBounds::default().with_max_budget_usd(dollars).unwrap();
    assert_eq!(registry.within(within(0.03)).run_parallel(steps()).await.unwrap().len(), 3);
    calls.store(0, Ordering::SeqCst);
    let tight = registry.within(within(0.029));
    let err = tight.run_pipeline(steps()).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Budget, "{err}");
    assert!(err.message.contains("needs at least $0.03"), "{err}");
    assert_eq!(calls.load(Ordering::SeqCst), 0, "it was known before that they cost more");
    let err = tight.run_parallel(steps()).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Budget, "{err}");
    assert!(calls.load(Ordering::SeqCst) <= 2, "the third one never starts");
    let params = || [("input", "x".into())];
    let err = registry.within(within(0.009)).invoke("shop", "buy", params()).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Budget, "{err}");
    registry.within(within(0.01)).invoke("shop", "buy", params()).await.unwrap();
}

#[tokio::test]
async fn a_pipeline_of_blocks_keeps_the_budget_of_each_and_of_all() {
    let (registry, _) = costly();
    let cents = |it| ResourceBounds::default().with_max_budget_usd(f64::from(it) / 100.0).unwrap();
    let buy = || registry.block("shop.buy").unwrap();
    let two = || buy().within(cents(1)) >> buy().within(cents(1));
    two().process("x").await.unwrap();
    two().process_within(cents(2), "x").await.unwrap();
    let err = two().process_within(cents(1), "x").await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Budget, "{err}");
    let tight = ResourceBounds::default().with_max_budget_usd(0.005).unwrap();
    let err = (buy() >> buy().within(tight)).process("x").await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Budget, "{err}");
    assert!(err.message.starts_with("step 2: "), "{err}");
}

#[tokio::test(start_paused = true)]
async fn retries_and_time_are_those_of_each_operation() {
    let (registry, calls) = costly();
    for retries in [0, 2, 5] {
        let bounds = ResourceBounds::default().with_max_retries(retries);
        let err = registry.within(bounds).run_pipeline([step("busy")]).await.unwrap_err();
        assert_eq!(err.kind, ErrorKind::Unavailable, "{err}");
        assert_eq!(calls.swap(0, Ordering::SeqCst), retries + 1);
    }
    let bounds = ResourceBounds::default().with_timeout_sec(1);
    let steps = [step("buy"), step("stuck")];
    let err = registry.within(bounds).run_pipeline(steps).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Timeout, "{err}");
    assert!(err.message.starts_with("step 2: "), "{err}");
}

#[tokio::test]
async fn extreme_bounds_are_no_bounds_or_an_error() {
    let (registry, _) = costly();
    let most = ResourceBounds::default()
        .with_max_tokens(u64::MAX)
        .with_timeout_sec(u64::MAX)
        .with_max_retries(u32::MAX);
    registry.within(most).run_pipeline([step("buy")]).await.unwrap();
    let least = most.with_max_tokens(0).with_timeout_sec(0).with_max_retries(0);
    let err = registry.within(least).run_pipeline([step("stuck")]).await.unwrap_err();
    assert_eq!((err.kind, &*err.message), (ErrorKind::InvalidInput, "`timeout` must not be zero"));
}
