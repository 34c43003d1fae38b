//! Shared helpers for the tests of this cluster.

use std::sync::Arc;

use svc_contract::{
    registry::{Compute, Cx, Meter, Monitor, OpError},
    value::{Value, json},
};
use svc_host_os::test::TestHost;
use tokio_util::sync::CancellationToken;

struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

/// A context with an empty world.
pub(super) fn cx() -> Cx {
    let cancel = CancellationToken::new();
    Cx::new("test", Arc::new(TestHost::new()), cancel, Arc::new(Quiet), Meter::default())
}

/// A context whose call was cancelled.
pub(super) fn cancelled() -> Cx {
    let cx = cx();
    cx.cancel.cancel();
    cx
}

/// Calls an op with an input and other arguments, all as values.
pub(super) fn call<O: Compute>(
    input: Value,
    args: &[(&str, Value)],
    cx: &Cx,
) -> Result<Value, OpError> {
    let value = |it: &svc_contract::registry::Param| {
        let given = args.iter().find(|(name, _)| *name == it.name).map(|it| it.1.clone());
        given.or_else(|| it.default.map(|it| it.value())).unwrap_or_default()
    };
    let mut all: Vec<Value> = O::PARAMS.iter().map(value).collect();
    all[0] = input;
    O::decode(&mut all)?.run(cx)
}

/// The value of a JSON text.
pub(super) fn read(text: &str) -> Value {
    json::read(text).unwrap()
}

/// A number in a result, by its path, such as `posterior.rate.mean` or `posterior.rate.ci95.0`.
pub(super) fn number(value: &Value, path: &str) -> f64 {
    let inner =
        path.split('.').fold(value.clone(), |it, part| match (&it, part.parse::<usize>()) {
            (Value::List(items), Ok(at)) => items.get(at).cloned().unwrap(),
            (Value::Record(record), _) => record.get(part).cloned().unwrap_or_default(),
            _ => panic!("no `{part}` of `{path}` in {value}"),
        });
    match inner {
        Value::Float(it) => it,
        #[expect(clippy::cast_precision_loss, reason = "test data are small")]
        Value::Int(it) => it as f64,
        other => panic!("`{path}` is {other} in {value}"),
    }
}
