//! Arithmetic of amounts between a minimum and a maximum.

use std::time::Duration;

use svc_contract::value::Money;

use crate::plan::Range;

/// An amount that can be added up.
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

/// The number of times that something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) least: u64,
    pub(super) usual: u64,
    pub(super) most: Option<u64>,
}

impl Count {
    /// The number of rounds for this count, with `at_once` in each.
    pub(super) fn in_rounds(self, at_once: u64) -> Self {
        let rounds = |it: u64| it.div_ceil(at_once.max(1));
        Self { least: rounds(self.least), usual: rounds(self.usual), most: self.most.map(rounds) }
    }
}

#[expect(private_bounds, reason = "only estimates use amounts")]
impl<T: Amount> Range<T> {
    pub(super) fn exactly(amount: T) -> Self {
        Self { min: amount, expected: Some(amount), max: Some(amount) }
    }

    pub(super) fn none() -> Self {
        Self::exactly(T::default())
    }

    /// Both in sequence.
    #[must_use]
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.plus(other.min),
            expected: both(self.expected, other.expected, T::plus),
            max: both(self.max, other.max, T::plus),
        }
    }

    /// Both at the same time: the longer one counts.
    #[must_use]
    pub(super) fn longest(self, other: Self) -> Self {
        Self {
            min: self.min.max(other.min),
            expected: both(self.expected, other.expected, T::max),
            max: both(self.max, other.max, T::max),
        }
    }

    /// One of the two, known only in the run.
    #[must_use]
    pub(super) fn either(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), ..self.longest(other) }
    }

    /// A number of times.
    #[must_use]
    pub(super) fn times(self, count: Count) -> Self {
        let max = match (self.max, count.most) {
            (Some(each), Some(count)) => Some(each.times(count)),
            // Zero remains zero, however often it happens.
            (Some(each), None) if each == T::default() => Some(each),
            (_, Some(0)) => Some(T::default()),
            _ => None,
        };
        let expected = self.expected.map(|it| it.times(count.usual));
        Self { min: self.min.times(count.least), expected, max }
    }

    /// Limits the expected amount to the maximum.
    #[must_use]
    pub(super) fn sensible(self) -> Self {
        let within = |it: T| self.max.map_or(it, |max| it.min(max));
        Self { expected: self.expected.map(within), ..self }
    }

    /// Perhaps not at all, or only in part.
    #[must_use]
    pub(super) fn perhaps(self) -> Self {
        Self { min: T::default(), ..self }
    }

    /// Limits the maximum to `most`.
    #[must_use]
    pub(super) fn capped(self, most: T) -> Self {
        Self {
            min: self.min.min(most),
            expected: self.expected.map(|it| it.min(most)),
            max: Some(self.max.map_or(most, |it| it.min(most))),
        }
    }
}

fn both<T>(a: Option<T>, b: Option<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    a.zip(b).map(|(a, b)| join(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_add_and_multiply() {
        let one = Range { min: 1_u64, expected: Some(2), max: Some(3) };
        assert_eq!(one.plus(one), Range { min: 2, expected: Some(4), max: Some(6) });
        let open = Count { least: 0, usual: 2, most: None };
        assert_eq!(one.times(open), Range { min: 0, expected: Some(4), max: None });
        assert_eq!(Range::<u64>::none().times(open).max, Some(0));
        assert_eq!(one.either(Range::none()), Range { min: 0, expected: Some(2), max: Some(3) });
        assert_eq!(open.in_rounds(64).usual, 1);
        let long = Duration::from_secs(90).times(3);
        assert_eq!(long, Duration::from_secs(270));
    }
}
