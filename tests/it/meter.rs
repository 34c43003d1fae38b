//! Observes from outside what the ledger does inside.

use std::sync::{Mutex, MutexGuard};

use svc_contract::{registry::Usage, value::Money};
use svc_engine::run::{Event, Observer};

/// Counts the reservations and uses of the attempts of a run.
#[derive(Default)]
pub(crate) struct Meter(Mutex<Counted>);

#[derive(Default)]
pub(crate) struct Counted {
    /// Reserved, but not settled yet.
    pub(crate) open: Usage,
    pub(crate) spent: Usage,
    /// The maximum of reserved and spent together.
    pub(crate) highest: Usage,
    /// The reservation of the last attempt.
    pub(crate) most: Usage,
    pub(crate) attempts: usize,
}

impl Meter {
    pub(crate) fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap()
    }
}

impl Observer for Meter {
    fn event(&self, _: &str, event: &Event<'_>) {
        let mut it = self.counted();
        match event {
            Event::Reserved { most, .. } => {
                it.open = plus(it.open, *most, 1);
                it.most = *most;
                it.attempts += 1;
            }
            Event::Settled { reserved, used, .. } => {
                it.open = plus(it.open, *reserved, -1);
                it.spent = plus(it.spent, *used, 1);
            }
            _ => return,
        }
        let taken = plus(it.open, it.spent, 1);
        it.highest.tokens = it.highest.tokens.max(taken.tokens);
        it.highest.cost = it.highest.cost.max(taken.cost);
    }
}

fn plus(a: Usage, b: Usage, sign: i64) -> Usage {
    let cost = a.cost.nanos().saturating_add(b.cost.nanos().saturating_mul(sign));
    let tokens = match sign {
        1 => a.tokens.saturating_add(b.tokens),
        _ => a.tokens - b.tokens,
    };
    Usage { tokens, cost: Money::from_nanos(cost) }
}
