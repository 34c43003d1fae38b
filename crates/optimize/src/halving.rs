//! Successive halving: which candidates get more samples.

use crate::ranked;

/// One round of successive halving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// How many candidates are still in the race.
    pub candidates: usize,
    /// How many samples each of them has after this round, those of earlier rounds included.
    pub samples: usize,
}

/// The rounds of a race: each keeps the best part of the candidates, and gives those that many times the samples.
///
/// Jamieson and Talwalkar, *Non-stochastic Best Arm Identification and Hyperparameter Optimization*, AISTATS 2016.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halving {
    rungs: Vec<Rung>,
}

impl Halving {
    /// A race of `candidates` in which the last round has `samples` each, and each round keeps one in `factor`.
    ///
    /// A factor below 2 counts as 2; the list is empty without candidates or samples.
    pub fn new(candidates: usize, samples: usize, factor: usize) -> Self {
        let factor = factor.max(2);
        let mut rungs = Vec::new();
        if candidates == 0 || samples == 0 {
            return Self { rungs };
        }
        let (mut kept, mut rounds) = (candidates, 0_u32);
        while kept > 1 {
            kept = kept.div_ceil(factor);
            rounds += 1;
        }
        let mut candidates = candidates;
        for round in (0..=rounds).rev() {
            let part = factor.saturating_pow(round);
            let rung = Rung { candidates, samples: (samples / part).max(1) };
            // Rounds without new samples would decide nothing.
            match rungs.last_mut() {
                Some(last) if last.samples == rung.samples => {}
                _ => rungs.push(rung),
            }
            candidates = candidates.div_ceil(factor);
        }
        Self { rungs }
    }

    /// The largest race of `candidates` whose samples are at most `total`; without rounds if there are fewer than
    /// one for each candidate.
    pub fn within(candidates: usize, total: usize, most: usize, factor: usize) -> Self {
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if Self::new(candidates, middle, factor).total() <= total {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let found = Self::new(candidates, low, factor);
        if found.total() <= total { found } else { Self { rungs: Vec::new() } }
    }

    /// The rounds, first to last.
    pub fn rungs(&self) -> &[Rung] {
        &self.rungs
    }

    /// How many samples the whole race takes.
    pub fn total(&self) -> usize {
        let mut before = 0;
        let mut total = 0_usize;
        for rung in &self.rungs {
            let more = rung.samples - before;
            total = total.saturating_add(rung.candidates.saturating_mul(more));
            before = rung.samples;
        }
        total
    }

    /// The positions of the `keep` lowest values, best first. Equal values stay in order; one that is not finite is
    /// the worst.
    pub fn keep(values: &[f64], keep: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|left, right| ranked(values[*left]).total_cmp(&ranked(values[*right])));
        order.truncate(keep);
        order
    }
}
