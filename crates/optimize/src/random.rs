//! Random search.

use crate::{Optimizer, Point, Space};

/// Uniform random points: the baseline of every comparison.
#[derive(Clone, Debug)]
pub struct Random {
    space: Space,
    start: Option<Point>,
    rng: fastrand::Rng,
}

impl Random {
    /// Random points of a space; the first one is `start`.
    pub fn new(space: &Space, start: Option<&Point>, seed: u64) -> Self {
        let start = start.filter(|it| it.len() == space.len()).map(|it| {
            let mut start = it.clone();
            space.clamp(&mut start);
            start
        });
        Self { space: space.clone(), start, rng: fastrand::Rng::with_seed(seed) }
    }
}

impl Optimizer for Random {
    fn ask(&mut self, count: usize) -> Vec<Point> {
        (0..count)
            .map(|_| self.start.take().unwrap_or_else(|| self.space.random(&mut self.rng)))
            .collect()
    }

    fn tell(&mut self, _: &[(Point, f64)]) {}
}
