//! The bounds of operations.

use std::{fmt::Write as _, time::Duration};

use svc_contract::{
    registry::{Limits, OpError, OpRef},
    value::Money,
};

use super::Result;

/// The bounds of operations: tokens, time and retries of each one, and the cost of all together.
///
/// Immutable: the methods `with_..` return other bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceBounds {
    max_tokens: u64,
    /// Zero sets no bound.
    budget: Money,
    timeout_sec: u64,
    max_retries: u32,
}

impl Default for ResourceBounds {
    /// 128,000 tokens, an unlimited budget, 60 seconds and 3 retries.
    fn default() -> Self {
        let Limits { max_tokens, timeout, max_retries, .. } = Limits::DEFAULT;
        Self {
            max_tokens: max_tokens.unwrap_or(u64::MAX),
            budget: Money::ZERO,
            timeout_sec: timeout.map_or(u64::MAX, |it| it.as_secs()),
            max_retries,
        }
    }
}

impl ResourceBounds {
    /// The tokens of each operation.
    pub fn max_tokens(&self) -> u64 {
        self.max_tokens
    }

    /// The cost of all operations together in dollars; 0.0 means unlimited.
    pub fn max_budget_usd(&self) -> f64 {
        self.budget.dollars()
    }

    /// The time of each operation in seconds, including its retries.
    pub fn timeout_sec(&self) -> u64 {
        self.timeout_sec
    }

    /// The attempts of each operation after the first one.
    pub fn max_retries(&self) -> u32 {
        self.max_retries
    }

    /// The same bounds with another number of tokens.
    #[must_use]
    pub fn with_max_tokens(self, max_tokens: u64) -> Self {
        Self { max_tokens, ..self }
    }

    /// The same bounds with another budget in dollars; 0.0 means unlimited. An amount that is
    /// negative, not a number or too large is an error of the kind `invalid_input`.
    pub fn with_max_budget_usd(self, dollars: f64) -> Result<Self> {
        let budget = Money::from_dollars(dollars).filter(|it| *it >= Money::ZERO);
        // An amount that rounds to zero is not an unlimited one.
        let budget = budget.filter(|it| *it > Money::ZERO || dollars == 0.0);
        let budget = budget.ok_or_else(|| {
            let message =
                format!("expected an amount of dollars for `max_budget_usd`, found {dollars}");
            OpError::invalid_input(message).help("write 0.0 for an unlimited budget")
        })?;
        Ok(Self { budget, ..self })
    }

    /// The same bounds with another time in seconds.
    #[must_use]
    pub fn with_timeout_sec(self, timeout_sec: u64) -> Self {
        Self { timeout_sec, ..self }
    }

    /// The same bounds with another number of retries.
    #[must_use]
    pub fn with_max_retries(self, max_retries: u32) -> Self {
        Self { max_retries, ..self }
    }

    /// The cap of the cost, if it is not unlimited.
    pub(super) fn budget(self) -> Option<Money> {
        (self.budget > Money::ZERO).then_some(self.budget)
    }

    /// The tighter one of each bound.
    pub(super) fn and(self, other: Self) -> Self {
        let budget = match (self.budget(), other.budget()) {
            (Some(one), Some(two)) => one.min(two),
            (one, two) => one.or(two).unwrap_or(Money::ZERO),
        };
        Self {
            max_tokens: self.max_tokens.min(other.max_tokens),
            budget,
            timeout_sec: self.timeout_sec.min(other.timeout_sec),
            max_retries: self.max_retries.min(other.max_retries),
        }
    }

    /// The bounds of one call as a script writes them, with a cap of its cost. An inline op takes no
    /// time, uses no tokens and is not retried.
    pub(super) fn of_call(self, op: OpRef, cap: Option<Money>) -> String {
        if op.op.is_inline() {
            return String::new();
        }
        let Self { max_tokens, timeout_sec, max_retries, .. } = self;
        // The numbers of the language have 63 bits, and its durations count nanoseconds.
        let tokens = max_tokens.min(i64::MAX.unsigned_abs());
        let seconds = timeout_sec.min(Duration::from_nanos(i64::MAX.unsigned_abs()).as_secs());
        let mut text = String::from(" within { ");
        // Writing to a string cannot fail.
        let _ = write!(text, "max_tokens: {tokens}, timeout: {seconds}s, ");
        let _ = write!(text, "max_retries: {max_retries}");
        if let Some(cap) = cap {
            let _ = write!(text, ", max_cost: {cap}");
        }
        text.push_str(" }");
        text
    }
}
