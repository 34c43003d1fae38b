//! Shared helpers for the tests of this cluster.

use std::sync::Arc;

use svc_contract::{
    registry::{Cx, Meter, Monitor, OpError, Param, ParamDefault, Params},
    value::{Value, json},
};
use svc_host_os::test::TestHost;

pub(super) struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

/// A context with an empty world.
pub(super) fn cx() -> Cx {
    let cancel = tokio_util::sync::CancellationToken::new();
    Cx::new("test", Arc::new(TestHost::new()), cancel, Arc::new(Quiet), Meter::default())
}

/// What a reader makes of a text, as JSON, or its message.
pub(super) fn as_json(
    read: fn(&str, &Cx) -> Result<Value, OpError>,
    text: &str,
) -> Result<String, String> {
    read(text, &cx()).map(|it| json::write(&it)).map_err(|it| it.message)
}

/// Not a test: the work of a process that a host of a test starts.
#[test]
fn works_where_it_is_a_worker() {
    if svc_host_os::is_worker(|asked| crate::serve(asked.get(1..).unwrap_or_default())) {
        std::process::exit(0);
    }
}

/// A context whose host can start worker processes.
pub(super) fn working() -> Cx {
    let host = TestHost::new().working_in_test("testing::works_where_it_is_a_worker");
    let cancel = tokio_util::sync::CancellationToken::new();
    Cx::new("test", Arc::new(host), cancel, Arc::new(Quiet), Meter::default())
}

/// The op of `args`, with defaults for the rest.
pub(super) fn decoded<P: Params>(args: &[(&str, Value)]) -> P {
    let given = |name: &str| args.iter().find(|(it, _)| *it == name).map(|(_, it)| it.clone());
    let value = |it: &Param| given(it.name).or(it.default.map(ParamDefault::value));
    let mut all: Vec<Value> = P::PARAMS.iter().map(|it| value(it).unwrap_or_default()).collect();
    P::decode(&mut all).unwrap()
}
