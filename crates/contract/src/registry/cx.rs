//! The context of a running op that computes or waits.

use std::{any::Any, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{Asks, Catalog, EndsWithRun, Lent, OpError, Question};
use crate::{
    host::{Answering, Host},
    value::{Money, Type, memory},
};

/// The context of one call.
#[derive(Clone)]
pub struct Cx {
    /// The component of the op.
    pub component: &'static str,
    pub cancel: CancellationToken,
    host: Arc<dyn Host>,
    monitor: Arc<dyn Monitor>,
    meter: Meter,
    wanted: Option<Type>,
    catalog: Option<Arc<dyn Catalog>>,
    lent: Lent,
}

/// The observer of a call.
pub trait Monitor: Send + Sync + 'static {
    /// `done` of `total` units of `what` are finished.
    fn progress(&self, what: &str, done: u64, total: Option<u64>);

    /// Something was left out or handled differently than requested, and the call continues.
    fn notice(&self, message: &str);

    /// The path of the call, with the numbers of items and turns; empty if it is unknown.
    fn path(&self) -> String {
        String::new()
    }

    /// The text without the secrets of the run.
    fn redacted(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// The actual usage of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub tokens: u64,
    pub cost: Money,
}

impl Usage {
    /// The sum of both, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let cost = self.cost.nanos().saturating_add(other.cost.nanos());
        Self { tokens: self.tokens.saturating_add(other.tokens), cost: Money::from_nanos(cost) }
    }
}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tokens and {}", self.tokens, self.cost)
    }
}

/// Collects the usage that a call reports.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<std::sync::Mutex<Metered>>);

#[derive(Debug, Default)]
struct Metered {
    usage: Option<Usage>,
    output_tokens: u64,
}

impl Meter {
    /// The reported usage, if any.
    pub fn read(&self) -> Option<Usage> {
        self.metered().usage
    }

    /// The tokens that a language model wrote, as far as they are reported.
    pub fn output_tokens(&self) -> u64 {
        self.metered().output_tokens
    }

    fn metered(&self) -> std::sync::MutexGuard<'_, Metered> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Cx {
    pub fn new(
        component: &'static str,
        host: Arc<dyn Host>,
        cancel: CancellationToken,
        monitor: Arc<dyn Monitor>,
        meter: Meter,
    ) -> Self {
        let (wanted, catalog, lent) = (None, None, Lent::default());
        Self { component, cancel, host, monitor, meter, wanted, catalog, lent }
    }

    /// Sets the requested type of the result.
    #[must_use]
    pub fn wanting(self, wanted: Option<Type>) -> Self {
        Self { wanted, ..self }
    }

    /// The type between `<` and `>`, for an op that receives it.
    pub fn wanted(&self) -> Option<&Type> {
        self.wanted.as_ref()
    }

    /// Adds the catalog, for a call that may query the available components.
    #[must_use]
    pub fn knowing(self, catalog: Arc<dyn Catalog>) -> Self {
        Self { catalog: Some(catalog), ..self }
    }

    /// The catalog of available components, which can also check scripts.
    pub fn catalog(&self) -> Result<Arc<dyn Catalog>, OpError> {
        self.catalog.clone().ok_or_else(|| OpError::bug("no catalog of components here"))
    }

    /// Adds the services of the embedding program.
    #[must_use]
    pub fn lending(self, lent: Lent) -> Self {
        Self { lent, ..self }
    }

    /// The service of this type that the embedding program lends to its components; an error of
    /// the kind `unsupported` if there is none.
    pub fn lent<T: Any + Send + Sync>(&self) -> Result<Arc<T>, OpError> {
        self.lent.get()
    }

    pub(super) fn services(&self) -> &Lent {
        &self.lent
    }

    /// What the run owns of this type, which all its calls share.
    pub fn of_run<T: EndsWithRun + Default>(&self) -> Arc<T> {
        self.lent.of_run()
    }

    pub fn host(&self) -> &dyn Host {
        self.host.as_ref()
    }

    /// The host, for what outlives the call.
    pub fn shared_host(&self) -> Arc<dyn Host> {
        self.host.clone()
    }

    /// Returns an error if the call was cancelled; to be called at least every 100 ms.
    ///
    /// Also returns an error if the memory is exhausted.
    pub fn check(&self) -> Result<(), OpError> {
        /// The typical work between two checks, in units of eight bytes.
        const USUAL: u64 = 64;
        if memory::works(USUAL) {
            memory::look()?;
        }
        memory::check()?;
        if self.cancel.is_cancelled() { Err(OpError::cancelled()) } else { Ok(()) }
    }

    /// Reports the actual usage of this attempt. An attempt that reports nothing counts as
    /// having used its whole reservation.
    pub fn used(&self, usage: Usage) {
        self.meter.metered().usage = Some(usage);
    }

    /// Reports how many of the used tokens a language model wrote. They are not counted again.
    pub fn wrote(&self, output_tokens: u64) {
        self.meter.metered().output_tokens = output_tokens;
    }

    /// Asks a person, with the text and the details of the question: where the program keeps
    /// questions, they are kept without the secrets of the run.
    pub fn ask(&self, text: &str, details: &str) -> Answering {
        match self.lent::<Asks>() {
            Ok(asks) => asks.ask(Question {
                path: self.monitor.path(),
                text: self.monitor.redacted(text),
                details: self.monitor.redacted(details),
            }),
            Err(_) => self.host.ask_person(text, details),
        }
    }

    /// Reports the progress of a long call to the observer.
    pub fn progress(&self, what: &str, done: u64, total: Option<u64>) {
        self.monitor.progress(what, done, total);
    }

    /// Reports to the observer that something was left out, with its name and the reason.
    pub fn notice(&self, message: impl AsRef<str>) {
        self.monitor.notice(message.as_ref());
    }
}
