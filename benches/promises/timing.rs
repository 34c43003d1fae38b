//! Measures times.

use std::time::{Duration, Instant};

use super::table::Table;

impl Table {
    /// The shortest time of this many runs.
    pub(crate) fn best(&self, runs: usize, mut work: impl FnMut()) -> Duration {
        let timed = (0..self.size(runs, 1)).map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        });
        timed.min().unwrap_or_default()
    }
}

pub(crate) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
