//! The estimate of a plan: tokens, money and time, at least, as expected, and at most; and the
//! verdicts on its bounds that follow from it.

use std::time::Duration;

use svc_contract::value::Money;

use crate::{check::BoundKey, diag::Span};

/// An estimated amount of tokens, money or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// The least amount of a successful run.
    pub min: T,
    /// `None` if it is unknown, for example because a price is.
    pub expected: Option<T>,
    /// `None` if nothing limits the amount.
    pub max: Option<T>,
}

/// The estimate of a part of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    pub tokens: Range<u64>,
    pub cost: Range<Money>,
    pub time: Range<Duration>,
}

/// The verdict on one bound before the run.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub key: BoundKey,
    /// The value of the bound, as written by the script or the caller.
    pub limit: String,
    pub holds: Holds,
    /// The reason: `at most $0.04`, `the prompt of `ask` may be of any length`.
    pub why: String,
    /// The place of the bound; `None` for a bound of the caller.
    pub span: Option<Span>,
    /// The price tables used for the money, by name and day.
    pub prices: Vec<String>,
}

/// Whether a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The bounded stages cannot take more, and no call asks for more tokens.
    Proven,
    /// The bounded stages could take more; the ledger or the clock stops them.
    Enforced,
    /// The bounded stages always take more.
    Impossible,
    /// It has no effect, or another bound is tighter.
    Useless,
}

impl Holds {
    pub fn word(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Enforced => "enforced",
            Self::Impossible => "impossible",
            Self::Useless => "useless",
        }
    }
}

impl Envelope {
    /// An estimate of zero.
    pub const NONE: Self = Self {
        tokens: Range { min: 0, expected: Some(0), max: Some(0) },
        cost: Range { min: Money::ZERO, expected: Some(Money::ZERO), max: Some(Money::ZERO) },
        time: Range {
            min: Duration::ZERO,
            expected: Some(Duration::ZERO),
            max: Some(Duration::ZERO),
        },
    };
}
