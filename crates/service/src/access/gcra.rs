//! The generic cell rate algorithm: a steady rate with a burst, in one number for each account.
//!
//! The number is the time at which the account would be idle again if nothing more came. A call is
//! admitted if that time is not further ahead than the burst takes.

/// A rate with a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    pub per_minute: u32,
    pub burst: u32,
}

/// The state of an account: nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    idle_at: i64,
}

/// What is left after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PaceLeft {
    /// The calls that would be admitted at once.
    pub(super) remaining: u64,
    /// Nanoseconds until the whole burst is there again.
    pub(super) reset: i64,
}

const MINUTE: i64 = 60_000_000_000;

/// The most that a call weighs.
pub(super) const HEAVIEST: u32 = 1_000;

impl Pace {
    /// The time for one call, rounded up, so that no minute has more.
    fn interval(self) -> i64 {
        MINUTE.saturating_add(i64::from(self.per_minute) - 1) / i64::from(self.per_minute.max(1))
    }

    fn burst_time(self) -> i64 {
        self.interval().saturating_mul(i64::from(self.burst.max(1)))
    }
}

impl Cell {
    /// Takes a call of some weight at a time, or returns the nanoseconds to wait. A call heavier than
    /// the burst needs the whole burst, and is paid for by waiting afterwards.
    pub(super) fn take(&mut self, pace: Pace, weight: u32, now: i64) -> Result<PaceLeft, i64> {
        let weight = weight.clamp(1, HEAVIEST);
        let idle_at = self.at(pace, now);
        let needed = pace.interval().saturating_mul(i64::from(weight.min(pace.burst.max(1))));
        let wait = idle_at.saturating_add(needed).saturating_sub(now) - pace.burst_time();
        if wait > 0 {
            return Err(wait);
        }
        self.idle_at = idle_at.saturating_add(pace.interval().saturating_mul(i64::from(weight)));
        Ok(self.left(pace, now))
    }

    pub(super) fn left(self, pace: Pace, now: i64) -> PaceLeft {
        let reset = self.at(pace, now).saturating_sub(now);
        let free = pace.burst_time().saturating_sub(reset).max(0);
        PaceLeft { remaining: (free / pace.interval()).cast_unsigned(), reset }
    }

    /// The time of the state, not before now, and not further ahead than calls can bring it: a clock
    /// may be set back, and a reload may change the pace.
    fn at(self, pace: Pace, now: i64) -> i64 {
        let heaviest = pace.interval().saturating_mul(i64::from(HEAVIEST));
        let most = pace.burst_time().saturating_add(heaviest);
        self.idle_at.clamp(now, now.saturating_add(most))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A bucket of tokens in exact fractions: a token is `per_minute` parts, a nanosecond brings some.
    struct Model {
        tokens: i128,
        last: i64,
    }

    impl Model {
        const TOKEN: i128 = MINUTE as i128;

        fn take(&mut self, pace: Pace, weight: u32, now: i64) -> bool {
            let full = i128::from(pace.burst) * Self::TOKEN;
            let grown = i128::from(now - self.last) * i128::from(pace.per_minute);
            self.tokens = (self.tokens + grown).min(full);
            self.last = now;
            let needed = i128::from(weight.min(pace.burst)) * Self::TOKEN;
            let admits = self.tokens >= needed;
            if admits {
                self.tokens -= i128::from(weight) * Self::TOKEN;
            }
            admits
        }
    }

    proptest! {
        /// Paces that divide a minute have no rounding, so both agree on every call.
        #[test]
        fn it_admits_what_a_bucket_of_tokens_admits(
            per_minute in prop::sample::select(vec![1_u32, 6, 30, 60, 120, 600, 1_200]),
            burst in 1_u32..50,
            calls in prop::collection::vec((1_u32..25, 0_i64..20_000_000_000), 1..200),
        ) {
            let pace = Pace { per_minute, burst };
            let mut now = 1_800_000_000_000_000_000;
            let mut cell = Cell::default();
            let mut model = Model { tokens: i128::from(burst) * Model::TOKEN, last: now };
            for (weight, pause) in calls {
                now += pause;
                let taken = cell.take(pace, weight, now);
                prop_assert_eq!(taken.is_ok(), model.take(pace, weight, now));
                if let Err(wait) = taken {
                    prop_assert!(cell.take(pace, weight, now + wait - 1).is_err());
                    let mut later = cell;
                    prop_assert!(later.take(pace, weight, now + wait).is_ok());
                }
            }
        }

        /// Whatever comes, a minute has no more than the rate, the burst and one heavy call.
        #[test]
        fn no_minute_has_more(
            per_minute in 1_u32..2_000,
            burst in 1_u32..300,
            calls in prop::collection::vec((1_u32..20, 0_i64..2_000_000_000), 1..300),
        ) {
            let pace = Pace { per_minute, burst };
            let mut now = 1_800_000_000_000_000_000;
            let mut cell = Cell::default();
            let mut admitted: Vec<(i64, u32)> = Vec::new();
            for (weight, pause) in calls {
                now += pause;
                if cell.take(pace, weight, now).is_ok() {
                    admitted.push((now, weight));
                }
                let minute = admitted.iter().filter(|(at, _)| now - at < MINUTE);
                let sum: u32 = minute.map(|(_, weight)| weight).sum();
                prop_assert!(sum <= per_minute + burst + 20);
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_back_locks_no_one_out() {
        let pace = Pace { per_minute: 60, burst: 2 };
        let mut cell = Cell::default();
        let now = 1_800_000_000_000_000_000;
        cell.take(pace, 1, now).unwrap();
        let year_before = now - 365 * 24 * 60 * MINUTE;
        let wait = cell.take(pace, 1, year_before).unwrap_err();
        assert!(wait <= 1_001 * 1_000_000_000, "{wait}");
    }

    #[test]
    fn what_is_left_is_counted() {
        let pace = Pace { per_minute: 30, burst: 10 };
        let (mut cell, now) = (Cell::default(), 1_800_000_000_000_000_000);
        assert_eq!(cell.left(pace, now), PaceLeft { remaining: 10, reset: 0 });
        let left = cell.take(pace, 4, now).unwrap();
        assert_eq!(left, PaceLeft { remaining: 6, reset: 8_000_000_000 });
        assert_eq!(cell.take(pace, 7, now), Err(2_000_000_000));
        // Heavier than the burst: it needs all of it, and later calls wait longer.
        let later = now + 8_000_000_000;
        assert_eq!(cell.take(pace, 20, later).unwrap().remaining, 0);
        assert_eq!(cell.take(pace, 1, later), Err(22_000_000_000));
    }
}
