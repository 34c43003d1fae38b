//! The output of a run to `tracing`: a span for the run and one for each call, with events.
//!
//! Without a subscriber nothing is allocated, not even the path of a node. Spans have the level
//! `ERROR`, so that a subscriber that sees a warning also sees its span; the level of the
//! events sets the detail. Fields never contain arguments or values.

use svc_contract::{
    registry::{ErrorKind, Usage},
    value::Value,
};
use svc_lang::{check::TypedCall, plan::Plan};
use tracing::{
    Span, debug, error,
    field::Empty,
    info,
    instrument::{Instrument as _, Instrumented},
    warn,
};

use super::{
    error::{Result, RunError},
    events::Event,
    path::Path,
    secrets::Secrets,
};

/// The span of a whole run. `id` is its name in the store, if any.
pub(super) fn run(plan: &Plan, id: Option<&str>) -> Span {
    let script = plan.program().source.name();
    tracing::error_span!(
        target: "svc", "run",
        run = id, script, tokens = Empty, cost = Empty, outcome = Empty
    )
}

/// Reports the end of a run, inside its span.
pub(super) fn run_ended(ended: &Result<Value>, usage: Usage, secrets: &Secrets) {
    used(&Span::current(), usage);
    match ended {
        Ok(_) => {
            Span::current().record("outcome", outcome(None));
            info!(target: "svc", "the run ended");
        }
        Err(err) => run_failed(err, secrets),
    }
}

/// Reports why a run failed, inside its span.
pub(super) fn run_failed(err: &RunError, secrets: &Secrets) {
    Span::current().record("outcome", outcome(Some(err)));
    match err.kind() {
        ErrorKind::Cancelled => info!(target: "svc", "the run was cancelled"),
        _ => {
            let error = secrets.redact(&err.error.message);
            error!(target: "svc", kind = err.kind().name(), node = err.path, %error, "the run failed");
        }
    }
}

fn used(span: &Span, usage: Usage) {
    span.record("tokens", usage.tokens);
    span.record("cost", usage.cost.dollars());
}

fn outcome(failure: Option<&RunError>) -> &'static str {
    match failure.map(RunError::kind) {
        None => "ok",
        Some(ErrorKind::Cancelled) => "cancelled",
        Some(_) => "failed",
    }
}

/// The span of one call. Inline calls have none.
pub(super) struct Node(Span);

impl Node {
    pub(super) fn of(call: &TypedCall, path: &Path<'_>) -> Self {
        if call.op.op.is_inline() {
            return Self(Span::none());
        }
        Self(tracing::error_span!(
            target: "svc", "node",
            node = %path, op = %call.op, version = call.op.version(),
            attempts = Empty, tokens = Empty, cost = Empty, outcome = Empty
        ))
    }

    /// Reports an event inside the span, if there is one.
    fn log(&self, what: impl FnOnce()) {
        if !self.0.is_disabled() {
            self.0.in_scope(what);
        }
    }

    /// Runs work inside the span.
    pub(super) fn around<F: Future>(&self, work: F) -> Instrumented<F> {
        work.instrument(self.0.clone())
    }

    /// Reports that the call begins.
    pub(super) fn began(&self) {
        self.log(|| debug!(target: "svc", "the call began"));
    }

    /// Reports that the call was made before.
    pub(super) fn reused(&self) {
        self.0.record("outcome", "reused");
        self.log(|| debug!(target: "svc", "the call was made before"));
    }

    /// Reports the end of the call.
    pub(super) fn ended(
        &self,
        tries: u32,
        usage: Usage,
        result: &Result<Value>,
        secrets: &Secrets,
    ) {
        self.0.record("attempts", tries);
        used(&self.0, usage);
        match result {
            Ok(_) => {
                self.0.record("outcome", outcome(None));
                self.log(|| debug!(target: "svc", "the call ended"));
            }
            Err(err) => self.failed(err, secrets),
        }
    }

    /// Reports why the call failed or could not begin.
    pub(super) fn failed(&self, err: &RunError, secrets: &Secrets) {
        self.0.record("outcome", outcome(Some(err)));
        self.log(|| match err.kind() {
            ErrorKind::Cancelled => debug!(target: "svc", "the call was cancelled"),
            kind => {
                let (kind, error) = (kind.name(), secrets.redact(&err.error.message));
                error!(target: "svc", kind, %error, "the call failed");
            }
        });
    }
}

/// Reports events that the end of a call does not reveal.
pub(super) fn happened(path: &Path<'_>, event: &Event<'_>, secrets: &Secrets) {
    match event {
        Event::Retrying { attempt, wait, error, .. } => {
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            let kind = error.kind.name();
            let error = secrets.redact(&error.message);
            warn!(target: "svc", attempt, wait_ms, kind, %error, "an attempt failed, retrying");
        }
        Event::Swallowed { error, .. } => {
            let (kind, error) = (error.kind.name(), secrets.redact(&error.message));
            info!(target: "svc", node = %path, kind, %error, "a failure was swallowed");
        }
        Event::Straggler { .. } => {
            warn!(target: "svc", "a computation did not stop in time; its result is dropped");
        }
        _ => {}
    }
}

/// Reports what a component left out; may run on any thread, so the node is named.
pub(super) fn noticed(path: &str, notice: &str) {
    info!(target: "svc", node = path, notice, "something was left out");
}
