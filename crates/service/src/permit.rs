//! What a call takes of the limits of its caller; what is settled and recorded at its end.

use std::{sync::Arc, time::Instant};

use svc_contract::{host::Host, registry::ErrorKind, value::Money};
use svc_engine::Error;

use crate::{
    Answer, Caller, Fault,
    access::{
        audit::AuditEntry,
        rates::{RateLimits, Slot},
    },
    gate::{Gate, of_rate},
};

/// The permission of one run, which ends with [`Permit::settle`]. If it is dropped before the run has
/// begun, its money is given back; after that it stays reserved, since it may be spent.
#[derive(Default)]
pub(crate) struct Permit(Option<Counted>);

struct Counted {
    slot: Slot,
    /// Whether money may be reserved.
    is_reserved: bool,
    has_begun: bool,
    limits: RateLimits,
    run: String,
    note: Note,
}

/// What a run asks for.
pub(crate) struct Wish<'a> {
    /// What it counts as, besides its request.
    pub(crate) weight: u32,
    /// A name that no other run has.
    pub(crate) run: &'a str,
    pub(crate) spending: Spending,
    /// The cap that the caller set.
    pub(crate) cap: Option<Money>,
}

/// Whether a run may cost money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spending {
    Nothing,
    AtMost(Money),
    /// Nothing in the plan limits it.
    Unlimited,
}

/// A decision on a call, to be recorded when its status is known.
#[derive(Clone)]
pub(crate) struct Note {
    pub(crate) gate: Arc<Gate>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) caller: Caller,
    pub(crate) surface: &'static str,
    pub(crate) tool: String,
    pub(crate) work: String,
    /// The rule that decided.
    pub(crate) rule: String,
    pub(crate) arguments: String,
    pub(crate) begun: Instant,
}

impl Note {
    /// Records the decision, with what became of the call.
    pub(crate) fn record(&self, decision: &str, status: &str, cost: Money) {
        let Ok(Some(access)) = self.gate.access(self.host.as_ref()) else { return };
        let key = self.caller.key.map(|it| it.to_string());
        let entry = AuditEntry {
            at: self.host.now(),
            key: key.as_deref(),
            owner: Some(&self.caller.owner),
            surface: self.surface,
            tool: &self.tool,
            work: &self.work,
            decision,
            rule: &self.rule,
            policy: &self.caller.policy,
            status,
            took: u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            cost,
            arguments: Some(self.arguments.as_bytes()),
        };
        if let Err(error) = access.audit.append(&entry) {
            tracing::error!(%error, "a decision cannot be recorded");
        }
    }
}

/// Asks for a run. Returns its permission and its cap.
pub(crate) async fn ask(note: Note, wish: Wish<'_>) -> Result<(Permit, Option<Money>), Fault> {
    let granted = granted(&note, &wish).await;
    granted.map_err(|(rule, fault)| {
        let note = Note { rule: rule.to_owned(), ..note };
        note.record("refuse", fault.why.name(), Money::ZERO);
        fault
    })
}

async fn granted(
    note: &Note,
    wish: &Wish<'_>,
) -> Result<(Permit, Option<Money>), (&'static str, Fault)> {
    let of_book = |err: svc_contract::store::StoreError| ("book", Fault::of_book(err));
    let of_limit = |it: crate::access::rates::RateRefusal| (it.rule(), of_rate(&it));
    let host = note.host.as_ref();
    let Some(access) = note.gate.access(host).map_err(of_book)? else {
        return Err(("book", Fault::not_found("the service has no keys")));
    };
    // What cannot be recorded is not made.
    access.audit.test().map_err(of_book)?;
    let (account, limits, now) = (&note.caller.account, note.caller.limits(), host.now());
    // First: a call that is refused for those that run is not counted in the rates.
    let slot = access.rates.begin(account, limits).map_err(of_limit)?;
    if wish.weight > 0 {
        let admitted = access.rates.admit(account, limits, wish.weight, now).await;
        admitted.map_err(of_book)?.map_err(of_limit)?;
    }
    let most = match wish.spending {
        Spending::Nothing => None,
        Spending::AtMost(most) => Some(Some(most)),
        Spending::Unlimited => Some(None),
    };
    // Before money is reserved: its caller may go away meanwhile.
    let mut permit = Permit(Some(Counted {
        slot,
        is_reserved: most.is_some(),
        has_begun: false,
        limits: *limits,
        run: wish.run.to_owned(),
        note: note.clone(),
    }));
    let Some(most) = most else { return Ok((permit, None)) };
    let reserved = access.rates.reserve(account, limits, wish.run, (most, wish.cap), now).await;
    match reserved.map_err(of_book).and_then(|it| it.map_err(of_limit)) {
        Ok(cap) => Ok((permit, cap)),
        Err(refused) => {
            // Nothing is reserved, and the refusal is recorded.
            permit.0 = None;
            Err(refused)
        }
    }
}

impl Permit {
    /// Gives back what the run did not use, and records what became of it.
    pub(crate) async fn settle(mut self, status: &str, used: Money) {
        let Some(counted) = self.0.take() else { return };
        let Counted { slot, is_reserved, limits, run, note, has_begun: _ } = counted;
        drop(slot);
        note.record("allow", status, used);
        if !is_reserved {
            return;
        }
        let Ok(Some(access)) = note.gate.access(note.host.as_ref()) else { return };
        if let Err(error) = access.rates.settle(&limits, &run, used).await {
            // The money stays reserved, so no quota is passed.
            tracing::error!(%error, "the money of a run cannot be settled");
        }
    }

    /// From now on, money may be spent.
    pub(crate) fn begin(&mut self) {
        if let Some(counted) = &mut self.0 {
            counted.has_begun = true;
        }
    }

    /// The largest result in bytes.
    pub(crate) fn largest_result(&self) -> Option<u64> {
        self.0.as_ref().and_then(|it| it.limits.max_result)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(counted) = self.0.take().filter(|it| !it.has_begun) else { return };
        counted.note.record("allow", ErrorKind::Cancelled.name(), Money::ZERO);
        if let (true, Ok(Some(access))) =
            (counted.is_reserved, counted.note.gate.access(counted.note.host.as_ref()))
        {
            access.rates.give_back(&counted.limits, &counted.run);
        }
    }
}

/// Settles what a run has cost, less what another run has paid for the calls that it took over.
pub(crate) async fn settle(
    permit: Permit,
    ended: &Result<Result<Answer, Error>, Fault>,
    paid: Money,
) {
    let (status, used) = match ended {
        Ok(Ok(answer)) => ("ok", answer.usage.cost),
        Ok(Err(error)) => (error.kind().map_or("check", ErrorKind::name), error.usage().cost),
        Err(fault) => (fault.why.name(), paid),
    };
    permit.settle(status, used.checked_sub(paid).unwrap_or_default()).await;
}
