//! Amounts that are known to lie between a least and a most.

use std::time::Duration;

use crate::value::Money;

/// An amount of tokens, money or time before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range<T> {
    /// What a run that ends well takes at the least.
    pub min: T,
    pub expected: T,
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

/// An amount that can be counted together.
pub(super) trait Amount: Copy + Ord + Default {
    fn plus(self, other: Self) -> Self;

    fn times(self, count: u64) -> Self;
}

impl Amount for u64 {
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    fn times(self, count: u64) -> Self {
        self.saturating_mul(count)
    }
}

impl Amount for Money {
    fn plus(self, other: Self) -> Self {
        Self::from_nanos(self.nanos().saturating_add(other.nanos()))
    }

    fn times(self, count: u64) -> Self {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        Self::from_nanos(self.nanos().saturating_mul(count))
    }
}

impl Amount for Duration {
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    fn times(self, count: u64) -> Self {
        let nanos = self.as_nanos().saturating_mul(u128::from(count));
        let secs = u64::try_from(nanos / 1_000_000_000).unwrap_or(u64::MAX);
        Self::new(secs, u32::try_from(nanos % 1_000_000_000).unwrap_or(0))
    }
}
