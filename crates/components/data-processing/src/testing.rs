//! Shared helpers for the tests of this cluster.

use std::sync::Arc;

use svc_contract::{
    registry::{Cx, Meter, Monitor, OpError},
    value::{Value, json},
};
use svc_host_os::test::TestHost;

struct Quiet;

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
