//! Shared helpers for the tests of this cluster.

use std::sync::Arc;

use svc_contract::registry::{Cx, Meter, Monitor};
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
