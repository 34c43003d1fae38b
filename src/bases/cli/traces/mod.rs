//! Export of traces to a collector, if the environment names one.
//!
//! The export is the feature `otlp`, because few users want its dependencies. Without the feature,
//! the log reports that nothing is sent.

#[cfg(feature = "otlp")]
mod client;
#[cfg(feature = "otlp")]
mod sent;
#[cfg(not(feature = "otlp"))]
mod unsent;

#[cfg(feature = "otlp")]
pub(super) use sent::Traces;
#[cfg(not(feature = "otlp"))]
pub(super) use unsent::Traces;

use svc_contract::host::Host;
use tracing_subscriber::{Layer, Registry};

/// A listener for spans, the first of all listeners.
pub(super) type Listener = Box<dyn Layer<Registry> + Send + Sync>;

/// The variables that name a collector.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Whether the environment asks for traces.
fn are_wanted(host: &dyn Host) -> bool {
    let is = |name, value: &str| host.env(name).is_some_and(|it| it.eq_ignore_ascii_case(value));
    let is_off = is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none");
    !is_off && ENDPOINTS.iter().any(|it| host.env(it).is_some())
}

#[cfg(test)]
mod tests {
    use super::are_wanted;
    use svc_host_os::test::TestHost;

    #[test]
    fn traces_are_wanted_where_a_collector_is_named() {
        let host = || TestHost::new().env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
        assert!(!are_wanted(&TestHost::new()));
        assert!(are_wanted(&host()));
        assert!(!are_wanted(&host().env("OTEL_SDK_DISABLED", "TRUE")));
        assert!(!are_wanted(&host().env("OTEL_TRACES_EXPORTER", "none")));
    }
}
