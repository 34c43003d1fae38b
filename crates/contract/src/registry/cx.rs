//! What an op that computes or waits may reach while it runs.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Catalog, FlowCalls, OpError};
use crate::{
    host::Host,
    value::{Money, Type, memory},
};

/// The surroundings of one call.
#[derive(Clone)]
pub struct Cx {
    /// The component whose op this is.
    pub component: &'static str,
    pub cancel: CancellationToken,
    host: Arc<dyn Host>,
    monitor: Arc<dyn Monitor>,
    meter: Meter,
    wanted: Option<Type>,
    flow_calls: Option<FlowCalls>,
    catalog: Option<Arc<dyn Catalog>>,
}

/// Who watches a call.
pub trait Monitor: Send + Sync + 'static {
    /// `done` of `total` units of `what` are finished.
    fn progress(&self, what: &str, done: u64, total: Option<u64>);

    /// Something was left out or went another way than asked, and the call goes on.
    fn notice(&self, message: &str);
}

/// What a call really used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub tokens: u64,
    pub cost: Money,
}

impl Usage {
    /// Both together. What is more than can be counted stays at the most that can.
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

/// Where a call writes down what it used.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<std::sync::Mutex<Option<Usage>>>);

impl Meter {
    /// What was reported, if anything was.
    pub fn read(&self) -> Option<Usage> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn report(&self, usage: Usage) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(usage);
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
        let (wanted, flow_calls, catalog) = (None, None, None);
        Self { component, cancel, host, monitor, meter, wanted, flow_calls, catalog }
    }

    /// The same for a call that is told which type to give.
    #[must_use]
    pub fn wanting(self, wanted: Option<Type>) -> Self {
        Self { wanted, ..self }
    }

    /// The type between `<` and `>`, for an op that is told it.
    pub fn wanted(&self) -> Option<&Type> {
        self.wanted.as_ref()
    }

    /// The same for a call some of whose arguments are flows.
    #[must_use]
    pub fn calling(self, calls: FlowCalls) -> Self {
        Self { flow_calls: Some(calls), ..self }
    }

    pub(super) fn flow_calls(&self) -> Option<&FlowCalls> {
        self.flow_calls.as_ref()
    }

    /// The same for a call that may ask what there is to call.
    #[must_use]
    pub fn knowing(self, catalog: Arc<dyn Catalog>) -> Self {
        Self { catalog: Some(catalog), ..self }
    }

    /// What there is to call, and whether a script would run.
    pub fn catalog(&self) -> Result<Arc<dyn Catalog>, OpError> {
        self.catalog.clone().ok_or_else(|| OpError::bug("nobody knows the components here"))
    }

    pub fn host(&self) -> &dyn Host {
        self.host.as_ref()
    }

    /// Ends a computation that was cancelled; to be called at least every 100 ms.
    ///
    /// Ends one that makes more than there is memory for, too.
    pub fn check(&self) -> Result<(), OpError> {
        /// What passes between two checks, in pieces of eight bytes.
        const USUAL: u64 = 64;
        if memory::works(USUAL) {
            memory::look()?;
        }
        memory::check()?;
        if self.cancel.is_cancelled() { Err(OpError::cancelled()) } else { Ok(()) }
    }

    /// Says what this attempt really used. An attempt that says nothing is taken to have
    /// used all that was reserved for it.
    pub fn used(&self, usage: Usage) {
        self.meter.report(usage);
    }

    /// Tells who watches how far a long call is.
    pub fn progress(&self, what: &str, done: u64, total: Option<u64>) {
        self.monitor.progress(what, done, total);
    }

    /// Tells who watches that something was left out, with its name and the reason.
    pub fn notice(&self, message: impl AsRef<str>) {
        self.monitor.notice(message.as_ref());
    }
}
