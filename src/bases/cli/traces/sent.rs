//! Exports spans as OTLP over HTTP, configured by the standard environment variables of
//! OpenTelemetry.
//!
//! Spans are sent in batches from a separate thread. A collector that does not respond costs a run
//! nothing but a short wait at its end.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use opentelemetry::{
    Key, KeyValue,
    trace::{Status, TracerProvider as _},
};
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, SpanExporter as Otlp, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider, SpanData, SpanExporter},
};
use svc_contract::host::Host;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{Layer as _, filter::Targets};

use super::{Listener, are_wanted, client::Client};
use crate::bases::cli::terminal::Terminal;

/// The maximum wait for unsent spans at the end of the program.
const FLUSH: Duration = Duration::from_secs(2);

/// The maximum number of unsent spans, unless the environment sets another one. A long list of
/// quick calls creates many spans in a moment.
const QUEUE: usize = 1 << 16;

const PROTOCOLS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/// The traces to send to a collector, if the environment names one.
pub(in crate::bases::cli) struct Traces(Option<Sending>);

struct Sending {
    provider: SdkTracerProvider,
    failed: Arc<OnceLock<String>>,
}

impl Traces {
    pub(in crate::bases::cli) fn start(host: &dyn Host, terminal: Terminal) -> Self {
        let sending = are_wanted(host).then(|| Sending::start(host));
        Self(sending.and_then(|it| {
            it.inspect_err(|err| terminal.note(&format!("no traces are sent: {err}"))).ok()
        }))
    }

    pub(in crate::bases::cli) fn listener(&self) -> Option<Listener> {
        let tracer = self.0.as_ref()?.provider.tracer("svc");
        let layer = tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false);
        let only_svc = Targets::new().with_target("svc", LevelFilter::INFO);
        Some(layer.with_filter(only_svc).boxed())
    }

    #[expect(clippy::unused_self, reason = "a program that sends no traces has something to say")]
    pub(in crate::bases::cli) fn report(&self) {}

    /// Sends the remaining spans, and reports a failure to send any.
    pub(in crate::bases::cli) async fn end(self, terminal: Terminal) {
        let Some(Sending { provider, failed }) = self.0 else { return };
        let flush = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(FLUSH));
        let ended = tokio::time::timeout(FLUSH, flush).await;
        let is_whole = matches!(ended, Ok(Ok(Ok(()))));
        let late = || "the collector did not answer in time".to_owned();
        if let Some(why) = failed.get().cloned().or_else(|| (!is_whole).then(late)) {
            terminal.note(&format!("not all traces were sent: {why}"));
        }
    }
}

impl Sending {
    fn start(host: &dyn Host) -> Result<Self, ExporterBuildError> {
        let builder = Otlp::builder().with_http().with_http_client(Client::new(host));
        let builder = if PROTOCOLS.iter().any(|it| host.env(it).is_some()) {
            builder
        } else {
            builder.with_protocol(Protocol::HttpBinary)
        };
        let failed = Arc::new(OnceLock::new());
        let exporter = Exporter { otlp: builder.build()?, failed: failed.clone() };
        let mut config = BatchConfigBuilder::default();
        if host.env("OTEL_BSP_MAX_QUEUE_SIZE").is_none() {
            config = config.with_max_queue_size(QUEUE);
        }
        let batches =
            BatchSpanProcessor::builder(exporter).with_batch_config(config.build()).build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource(host))
            .with_span_processor(batches)
            .build();
        Ok(Self { provider, failed })
    }
}

/// The description of this service from the environment; its name is `svc` by default.
fn resource(host: &dyn Host) -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let attributes = host.env("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let names_itself = attributes.split(',').any(|it| it.trim().starts_with("service.name="));
    let builder = Resource::builder().with_attribute(version);
    if host.env("OTEL_SERVICE_NAME").is_some() || names_itself {
        builder.build()
    } else {
        builder.with_service_name("svc").build()
    }
}

/// Sends spans in the conventional form, and remembers the first failure to do so.
#[derive(Debug)]
struct Exporter {
    otlp: Otlp,
    failed: Arc<OnceLock<String>>,
}

impl SpanExporter for Exporter {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        batch.iter_mut().for_each(conventional);
        let sent = self.otlp.export(batch).await;
        sent.inspect_err(|err| {
            self.failed.get_or_init(|| err.to_string());
        })
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.otlp.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.otlp.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.otlp.set_resource(resource);
    }
}

/// Applies the conventions: a call is named by its op, attributes begin with `svc.`, and the status
/// holds the error.
fn conventional(span: &mut SpanData) {
    let op = span.attributes.iter().find(|it| it.key.as_str() == "op");
    if let Some(op) = op.map(|it| it.value.to_string()) {
        span.name = Cow::Owned(op);
    }
    let events = &span.events.events;
    let mut attributes = events.iter().rev().flat_map(|it| &it.attributes);
    if let Status::Error { description } = &mut span.status
        && let Some(error) = attributes.find(|it| it.key.as_str() == "error")
    {
        *description = Cow::Owned(error.value.to_string());
    }
    for it in &mut span.attributes {
        it.key = Key::new(format!("svc.{}", it.key));
    }
}
