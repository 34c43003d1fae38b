//! A program without the feature `otlp` reports that it cannot send traces.

use svc_contract::host::Host;

use super::{Listener, are_wanted};
use crate::bases::cli::terminal::Terminal;

/// Traces that are not sent.
pub(in crate::bases::cli) struct Traces {
    are_wanted: bool,
}

impl Traces {
    pub(in crate::bases::cli) fn start(host: &dyn Host, _: Terminal) -> Self {
        Self { are_wanted: are_wanted(host) }
    }

    /// Always `None`: spans are not collected.
    #[expect(clippy::unused_self, reason = "the listener of traces that are sent knows of them")]
    pub(in crate::bases::cli) fn listener(&self) -> Option<Listener> {
        None
    }

    /// Logs a warning if the environment asks for traces.
    pub(in crate::bases::cli) fn report(&self) {
        if self.are_wanted {
            tracing::warn!(
                target: "svc",
                "no traces are sent: this svc was built without the feature `otlp`"
            );
        }
    }

    #[expect(clippy::unused_async, reason = "the end of traces that are sent takes a while")]
    pub(in crate::bases::cli) async fn end(self, _: Terminal) {}
}
