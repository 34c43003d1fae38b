//! How long an immediate computation may keep its thread.

use std::{cell::Cell, time::Instant};

use super::swallowed::Swallowed;

/// The steps between two looks at the clock: calls, items, turns.
const STEPS_PER_LOOK: u64 = 64;

/// Processing a value of this weight takes as long as a step.
const WEIGHT_OF_STEP: u64 = 64;

/// One op on a value of up to this weight is brief: a text of 64 KiB, a list of 8,000 numbers.
pub(super) const LIGHT: u64 = 8 << 10;

/// Counts the steps of one computation.
///
/// A brief computation gives up when its time is over: it is pure, so it can start again where
/// nothing waits for it.
pub(super) struct Pace {
    /// When a brief computation gives up.
    until: Option<Instant>,
    steps: Cell<u64>,
    has_given_up: Cell<bool>,
    pub(super) swallowed: Swallowed,
}

impl Pace {
    /// For a computation that may take as long as its bounds allow.
    pub(super) const fn patient() -> Self {
        Self {
            until: None,
            steps: Cell::new(0),
            has_given_up: Cell::new(false),
            swallowed: Swallowed::none(),
        }
    }

    /// For a computation that gives up at `until`.
    pub(super) const fn brief(until: Instant) -> Self {
        let mut pace = Self::patient();
        pace.until = Some(until);
        pace
    }

    /// Counts one step over values of this weight. Returns true when it is time to look at the
    /// clock.
    pub(super) fn steps(&self, weight: u64) -> bool {
        let steps = self.steps.get().saturating_add(1 + weight / WEIGHT_OF_STEP);
        let is_time = steps >= STEPS_PER_LOOK;
        self.steps.set(if is_time { 0 } else { steps });
        is_time
    }

    /// Returns whether the computation gives up, because its time is over.
    pub(super) fn is_over(&self) -> bool {
        if self.until.is_some_and(|it| Instant::now() >= it) {
            self.has_given_up.set(true);
        }
        self.has_given_up.get()
    }

    /// Returns whether the computation gives up before one step over a value of this weight.
    pub(super) fn is_too_heavy(&self, weight: u64) -> bool {
        if self.until.is_some() && weight > LIGHT {
            self.has_given_up.set(true);
        }
        self.has_given_up.get()
    }

    pub(super) fn has_given_up(&self) -> bool {
        self.has_given_up.get()
    }
}
