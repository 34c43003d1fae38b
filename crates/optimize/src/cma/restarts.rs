//! When a run of CMA-ES ends, and how the next one begins.

use std::collections::VecDeque;

use super::{state::State, usual};
use crate::{count, float};

/// The runs so far: BIPOP has runs with ever larger populations, and in between small ones with random step sizes.
#[derive(Clone, Debug)]
pub(super) struct Restarts {
    size: usize,
    first: usize,
    pub(super) population: usize,
    /// How often the population was doubled.
    doubled: u32,
    /// Evaluations of large and of small runs.
    spent: [usize; 2],
    is_small: bool,
    /// The best values of the last generations, newest first.
    history: VecDeque<f64>,
    /// The best value of earlier runs, and of this one.
    ever: f64,
    run: f64,
}

impl Restarts {
    pub(super) fn new(size: usize, population: Option<usize>) -> Self {
        let first = population.unwrap_or_else(|| usual(size)).max(4);
        Self {
            size: size.max(1),
            first,
            population: first,
            doubled: 0,
            spent: [0, 0],
            is_small: false,
            history: VecDeque::new(),
            ever: f64::INFINITY,
            run: f64::INFINITY,
        }
    }

    pub(super) fn count(&mut self, evaluations: usize) {
        self.spent[usize::from(self.is_small)] += evaluations;
    }

    /// Whether the run cannot improve any more, given the best and the median value of its last generation.
    pub(super) fn is_over(&mut self, lowest: f64, median: f64, state: &State) -> bool {
        self.run = self.run.min(lowest);
        self.history.push_front(lowest);
        let window = 10 + 30 * self.size / self.population;
        let long = 6 * window + 60;
        self.history.truncate(long);
        if state.widest() < 1e-11 || state.condition() > 1e14 || !state.sigma.is_finite() {
            return true;
        }
        let spread = range(self.history.iter().take(window).copied().chain([median]));
        let full = self.history.len() >= window;
        // Flat, or converged to a value that is worse than that of an earlier run.
        let flat = 1e-12 + 1e-15 * self.run.abs();
        if full && (spread <= flat || spread < 1e-3 * (self.run - self.ever)) {
            return true;
        }
        let newer = middle(self.history.iter().take(20));
        let older = middle(self.history.iter().rev().take(20));
        self.history.len() >= long && newer >= older
    }

    /// The next run: its population is set, and the result is the factor of the first step size.
    pub(super) fn next(&mut self, rng: &mut fastrand::Rng) -> f64 {
        self.ever = self.ever.min(self.run);
        self.run = f64::INFINITY;
        self.history.clear();
        self.is_small = self.doubled > 0 && self.spent[1] < self.spent[0];
        if self.is_small {
            let large = f64::from(2_u32.pow(self.doubled));
            let factor = (0.5 * large).powf(rng.f64().powi(2)).max(1.0);
            self.population = count(float(self.first) * factor);
            return 10_f64.powf(-2.0 * rng.f64());
        }
        self.doubled = (self.doubled + 1).min(9);
        self.population = self.first << self.doubled;
        1.0
    }
}

fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    // Infinite values all the way are flat, too.
    if low == high { 0.0 } else { high - low }
}

fn middle<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let mut values: Vec<f64> = values.copied().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::INFINITY)
}
