//! Loads: the estimated usage of a part of a script, in a form that can be combined.

use std::{rc::Rc, time::Duration};

use svc_contract::{
    registry::OpError,
    value::{Money, Text},
};

use super::amount::{Amount, Count};
use crate::{
    check::BoundKey,
    diag::{Source, Span},
    plan::{Envelope, Range},
};

/// The estimated usage of a part of a script.
///
/// The maximum of `time` is the longest chain of calls without waiting for a free slot. Waiting
/// is added where the number of slots is limited: while one call waits, all slots are busy, so
/// it lasts at most the time of all calls together divided by the number of slots.
#[derive(Clone, Debug)]
pub(super) struct ResourceUse {
    pub(super) tokens: Range<u64>,
    pub(super) cost: Range<Money>,
    pub(super) time: Range<Duration>,
    /// The lowest cap under which it can succeed, because attempts reserve what they may use.
    pub(super) needs: Needs,
    /// The most time of all calls together.
    pub(super) turns: Option<Duration>,
    /// The most time of all computing calls together.
    pub(super) compute: Option<Duration>,
    /// Whether it may wait for a worker beyond the maximum of `time`.
    pub(super) is_delayed: bool,
    /// The most tokens that one attempt asks to reserve, whether a cap allows it or not; `None` if
    /// it may be any number.
    pub(super) asks: Option<u64>,
    /// Whether it calls anything that costs something.
    pub(super) spends: bool,
    /// The reasons why a maximum is unknown.
    pub(super) causes: Vec<Rc<Cause>>,
    /// The price tables used.
    pub(super) prices: Vec<Text>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) tokens: u64,
    pub(super) cost: Money,
}

/// The reason why a maximum is unknown.
#[derive(Debug)]
pub(super) enum Cause {
    /// Something runs for every item of a list of any length.
    List { span: Span, source: Source, is_given: bool },
    /// The price is in no table, or no table is available.
    Unpriced {
        component: String,
        span: Span,
        source: Source,
        /// Whether its tokens are unknown, too.
        counts_tokens: bool,
        error: OpError,
    },
    /// A call cannot be priced before the run, or not on this host.
    Unquoted { component: String, why: String },
    /// A bound whose value is not known yet.
    Open(BoundKey),
}

/// The most causes that are kept; no one reads more.
const MOST_CAUSES: usize = 20;

impl ResourceUse {
    /// The load of a call that a result of another run may replace.
    pub(super) fn unless_reused(mut self) -> Self {
        self.tokens.min = 0;
        self.cost.min = Money::ZERO;
        self.time.min = Duration::ZERO;
        self.needs = Needs::default();
        self
    }

    pub(super) fn none() -> Self {
        Self {
            tokens: Range::none(),
            cost: Range::none(),
            time: Range::none(),
            needs: Needs::default(),
            turns: Some(Duration::ZERO),
            compute: Some(Duration::ZERO),
            is_delayed: false,
            asks: Some(0),
            spends: false,
            causes: Vec::new(),
            prices: Vec::new(),
        }
    }

    pub(super) fn envelope(&self) -> Envelope {
        Envelope { tokens: self.tokens, cost: self.cost, time: self.time }
    }

    /// Both in sequence.
    #[must_use]
    pub(super) fn then(self, next: Self) -> Self {
        let needs = Needs {
            tokens: self.needs.tokens.max(self.tokens.min.plus(next.needs.tokens)),
            cost: self.needs.cost.max(self.cost.min.plus(next.needs.cost)),
        };
        let time = self.time.plus(next.time);
        Self { time, needs, ..self.with(next) }
    }

    /// Both at the same time.
    #[must_use]
    pub(super) fn alongside(self, other: Self) -> Self {
        let needs = Needs {
            tokens: self.needs.tokens.max(other.needs.tokens),
            cost: self.needs.cost.max(other.needs.cost),
        };
        let time = self.time.longest(other.time);
        Self { time, needs, ..self.with(other) }
    }

    /// One of the two, known only in the run.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        let longer = |a: Option<Duration>, b: Option<Duration>| a.zip(b).map(|(a, b)| a.max(b));
        let needs = Needs {
            tokens: self.needs.tokens.min(other.needs.tokens),
            cost: self.needs.cost.min(other.needs.cost),
        };
        Self {
            tokens: self.tokens.either(other.tokens),
            cost: self.cost.either(other.cost),
            time: self.time.either(other.time),
            needs,
            turns: longer(self.turns, other.turns),
            compute: longer(self.compute, other.compute),
            ..self.with(other)
        }
    }

    /// This one first, and `next` if it fails.
    #[must_use]
    pub(super) fn or_else(self, next: Self) -> Self {
        let expected = (self.tokens.expected, self.cost.expected, self.time.expected);
        let best = self.clone().or(next.clone());
        let mut both = self.perhaps().then(next);
        both.needs = best.needs;
        both.tokens = Range { min: best.tokens.min, expected: expected.0, ..both.tokens };
        both.cost = Range { min: best.cost.min, expected: expected.1, ..both.cost };
        both.time = Range { min: best.time.min, expected: expected.2, ..both.time };
        both
    }

    /// One of the two, whichever ends first.
    #[must_use]
    pub(super) fn or_sooner(self, other: Self) -> Self {
        let expected = self.time.expected.zip(other.time.expected).map(|(a, b)| a.min(b));
        let either = self.or(other);
        Self { time: Range { expected, ..either.time }, ..either }
    }

    /// All of it, or only the part `one`, which ends first: the rest is cancelled and may have
    /// taken anything up to its maximum.
    #[must_use]
    pub(super) fn unless_first(self, one: &Self) -> Self {
        Self {
            tokens: Range { min: one.tokens.min, ..self.tokens },
            cost: Range { min: one.cost.min, ..self.cost },
            time: Range { max: self.time.max, ..one.time },
            needs: one.needs,
            ..self
        }
    }

    /// A number of times, `at_once` of them at the same time.
    #[must_use]
    pub(super) fn times(self, count: Count, at_once: u64) -> Self {
        let total = |it: Option<Duration>| Range { max: it, ..Range::none() }.times(count).max;
        let more = count.least.saturating_sub(1);
        let needs = match count.least {
            0 => Needs::default(),
            _ => Needs {
                tokens: self.tokens.min.times(more).plus(self.needs.tokens),
                cost: self.cost.min.times(more).plus(self.needs.cost),
            },
        };
        // Something that never happens leaves nothing open.
        let causes = if count.most == Some(0) { Vec::new() } else { self.causes };
        Self {
            tokens: self.tokens.times(count),
            cost: self.cost.times(count),
            time: self.time.times(count.in_rounds(at_once)),
            needs,
            turns: total(self.turns),
            compute: total(self.compute),
            causes,
            ..self
        }
    }

    /// Perhaps not at all, or only in part.
    #[must_use]
    pub(super) fn perhaps(self) -> Self {
        Self {
            tokens: self.tokens.perhaps(),
            cost: self.cost.perhaps(),
            time: self.time.perhaps(),
            needs: Needs::default(),
            ..self
        }
    }

    /// Whether every run stays within this number of tokens.
    pub(super) fn is_within(&self, tokens: u64) -> bool {
        self.tokens.max.is_some_and(|it| it <= tokens)
    }

    /// Whether every attempt asks for at most this number of tokens.
    pub(super) fn asks_within(&self, tokens: u64) -> bool {
        self.asks.is_some_and(|it| it <= tokens)
    }

    /// Adds the cause of an unknown maximum, if there is one.
    pub(super) fn because(&mut self, cause: impl FnOnce() -> Cause) {
        let is_open = self.tokens.max.is_none() || self.cost.max.is_none();
        if is_open && self.causes.len() < MOST_CAUSES {
            self.causes.push(Rc::new(cause()));
        }
    }

    /// The sums of both; the caller must set `time` and `needs`.
    fn with(mut self, other: Self) -> Self {
        let sum = |a: Option<Duration>, b: Option<Duration>| a.zip(b).map(|(a, b)| a.plus(b));
        for cause in other.causes {
            let is_new = !self.causes.iter().any(|it| Rc::ptr_eq(it, &cause));
            if is_new && self.causes.len() < MOST_CAUSES {
                self.causes.push(cause);
            }
        }
        for table in other.prices {
            if !self.prices.contains(&table) {
                self.prices.push(table);
            }
        }
        Self {
            tokens: self.tokens.plus(other.tokens),
            cost: self.cost.plus(other.cost),
            turns: sum(self.turns, other.turns),
            compute: sum(self.compute, other.compute),
            is_delayed: self.is_delayed || other.is_delayed,
            asks: self.asks.zip(other.asks).map(|(a, b)| a.max(b)),
            spends: self.spends || other.spends,
            ..self
        }
    }
}
