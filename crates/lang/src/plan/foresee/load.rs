//! What a part of a script takes, with what is needed to put parts together.

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

/// What a part of a script takes.
///
/// The most time is the longest chain of calls, as if none of them ever waited for its turn.
/// Waiting is counted where it is limited: as long as one waits for a turn, as many calls as
/// there are turns are running. So it lasts at most as long as all calls together take,
/// divided by the turns.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) tokens: Range<u64>,
    pub(super) cost: Range<Money>,
    pub(super) time: Range<Duration>,
    /// The least cap under which it can end well, because attempts reserve what they may use.
    pub(super) needs: Needs,
    /// How long calls take their turns, all together, at the most.
    pub(super) turns: Option<Duration>,
    /// The same of calls that compute.
    pub(super) compute: Option<Duration>,
    /// Whether it may wait for a worker longer than its most time says.
    pub(super) is_delayed: bool,
    /// The most tokens that one attempt wants to reserve, whether a cap allows it or not;
    /// nothing where that may be any number.
    pub(super) asks: Option<u64>,
    /// Whether it calls anything that costs, however much that is.
    pub(super) spends: bool,
    /// Why a most is not known.
    pub(super) causes: Vec<Rc<Cause>>,
    /// The tables that prices are from.
    pub(super) prices: Vec<Text>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) tokens: u64,
    pub(super) cost: Money,
}

/// Why nobody can say what something takes at the most.
#[derive(Debug)]
pub(super) enum Cause {
    /// Something runs for every item of a list of any length.
    List { span: Span, source: Source, is_given: bool },
    /// The price is in no table, or nobody has any.
    Unpriced {
        component: String,
        span: Span,
        source: Source,
        /// Not even its tokens are known.
        counts_tokens: bool,
        error: OpError,
    },
    /// A call cannot be priced before the run, or not on this host.
    Unquoted { component: String, why: String },
    /// A bound whose value is not known yet.
    Open(BoundKey),
}

/// How many causes are kept; nobody reads more.
const MOST_CAUSES: usize = 20;

impl Load {
    /// The same of a call for which a result of another run may stand.
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

    /// One after the other.
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
    pub(super) fn beside(self, other: Self) -> Self {
        let needs = Needs {
            tokens: self.needs.tokens.max(other.needs.tokens),
            cost: self.needs.cost.max(other.needs.cost),
        };
        let time = self.time.longest(other.time);
        Self { time, needs, ..self.with(other) }
    }

    /// One of the two; which one, only the run knows.
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

    /// Tried first, and then `next` where it failed.
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

    /// So many times, `at_once` of them at the same time.
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
        // What never happens leaves nothing open.
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

    /// Perhaps not at all, and it may break off anywhere.
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

    /// Whether no run takes more tokens than these.
    pub(super) fn is_within(&self, tokens: u64) -> bool {
        self.tokens.max.is_some_and(|it| it <= tokens)
    }

    /// Whether no attempt asks for more tokens than these.
    pub(super) fn asks_within(&self, tokens: u64) -> bool {
        self.asks.is_some_and(|it| it <= tokens)
    }

    /// Says why a most is not known, if one is not.
    pub(super) fn because(&mut self, cause: impl FnOnce() -> Cause) {
        let is_open = self.tokens.max.is_none() || self.cost.max.is_none();
        if is_open && self.causes.len() < MOST_CAUSES {
            self.causes.push(Rc::new(cause()));
        }
    }

    /// The sums of both; who uses this says what becomes of time and needs.
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
