//! What a plan takes before it runs: tokens, money and time, at the least, as expected, and
//! at the most; and what that says about its bounds.

use std::time::Duration;

use svc_contract::value::Money;

use crate::{check::BoundKey, diag::Span};

/// An amount of tokens, money or time before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// What a run that ends well takes at the least.
    pub min: T,
    /// Nothing where nobody can say, as where a price is not known.
    pub expected: Option<T>,
    /// Nothing where no run is long or dear enough to be ruled out.
    pub max: Option<T>,
}

/// What a part of a plan takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    pub tokens: Range<u64>,
    pub cost: Range<Money>,
    pub time: Range<Duration>,
}

/// What is known of one bound before the run.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub key: BoundKey,
    /// The bound's value, as the script or the caller wrote it.
    pub limit: String,
    pub holds: Holds,
    /// Why, in words: `at most $0.04`, `the prompt of `ask` may be of any length`.
    pub why: String,
    /// Where the bound stands; nothing for a bound of the caller.
    pub span: Option<Span>,
    /// The price tables that the money was counted with, by name and day.
    pub prices: Vec<String>,
}

/// Whether a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// What it bounds cannot take more, and where it counts tokens, no call asks for more.
    Proven,
    /// What it bounds could take more; the ledger or the clock ends it.
    Enforced,
    /// What it bounds takes more, whatever happens.
    Impossible,
    /// It bounds nothing, or another one is tighter.
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
    /// Nothing at all.
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
