//! The tree-structured Parzen estimator.

mod kernel;

use crate::{Optimizer, Point, Space, count, float, ranked};
use kernel::Mixture;

/// How many points are compared for each one that is asked for.
const COMPARED: usize = 32;
/// The most points on the good side.
const GOOD: usize = 25;
/// The most points that are remembered besides the good ones.
const REMEMBERED: usize = 600;

/// The tree-structured Parzen estimator, for spaces of floats, ints and choices.
///
/// Bergstra et al., *Algorithms for Hyper-Parameter Optimization*, NIPS 2011, with kernels over all params at once
/// (Falkner et al., *BOHB*, ICML 2018; Watanabe, arXiv:2304.11127), and a prior as wide as the space. Points without
/// values count as bad ones, so that several at a time differ.
#[derive(Clone, Debug)]
pub struct Tpe {
    space: Space,
    rng: fastrand::Rng,
    gamma: f64,
    startup: usize,
    start: Option<Point>,
    /// The first points, last one first.
    opening: Option<Vec<Point>>,
    /// All points with values, the best ones first.
    seen: Vec<Seen>,
    pending: Vec<Vec<f64>>,
}

#[derive(Clone, Debug)]
struct Seen {
    unit: Vec<f64>,
    value: f64,
}

impl Tpe {
    /// A search whose first point is `start`.
    pub fn new(space: &Space, start: Option<&Point>, seed: u64) -> Self {
        let start = start.filter(|it| it.len() == space.len()).map(|it| {
            let mut start = it.clone();
            space.clamp(&mut start);
            start
        });
        Self {
            space: space.clone(),
            rng: fastrand::Rng::with_seed(seed),
            gamma: 0.15,
            startup: 10,
            start,
            opening: None,
            seen: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// The part of the points that counts as good: 0.15 without this.
    #[must_use]
    pub fn gamma(mut self, gamma: f64) -> Self {
        if gamma.is_finite() && gamma > 0.0 {
            self.gamma = gamma.min(0.9);
        }
        self
    }

    /// How many points are spread over the space first: 10 without this.
    #[must_use]
    pub fn startup(mut self, points: usize) -> Self {
        self.startup = points.max(2);
        self
    }

    fn propose(&mut self) -> Point {
        if let Some(start) = self.start.take() {
            return start;
        }
        let opening =
            self.opening.get_or_insert_with(|| self.space.spread(self.startup, &mut self.rng));
        if self.seen.len() < self.startup
            && let Some(point) = opening.pop()
        {
            return point;
        }
        if self.seen.iter().filter(|it| it.value.is_finite()).count() < 2 {
            return self.space.random(&mut self.rng);
        }
        let good = count((self.gamma * float(self.seen.len())).ceil()).clamp(1, GOOD);
        let (good, bad) = self.seen.split_at(good);
        let good: Vec<&[f64]> = good.iter().map(|it| it.unit.as_slice()).collect();
        let bad = bad.iter().map(|it| &it.unit).chain(&self.pending);
        let bad: Vec<&[f64]> = bad.map(Vec::as_slice).collect();
        let good = Mixture::new(&self.space, &good, self.seen.len());
        let bad = Mixture::new(&self.space, &bad, self.seen.len());
        let mut best: Option<(f64, Point)> = None;
        for _ in 0..COMPARED {
            let unit = good.sample(&mut self.rng);
            let score = good.log_density(&unit) - bad.log_density(&unit);
            if best.as_ref().is_none_or(|it| score > it.0) {
                best = Some((score, self.space.from_unit(&unit)));
            }
        }
        match best {
            Some((_, point)) => point,
            None => self.space.random(&mut self.rng),
        }
    }
}

impl Optimizer for Tpe {
    fn ask(&mut self, count: usize) -> Vec<Point> {
        (0..count)
            .map(|_| {
                let point = self.propose();
                self.pending.push(self.space.to_unit(&point));
                if self.pending.len() > REMEMBERED {
                    self.pending.remove(0);
                }
                point
            })
            .collect()
    }

    fn tell(&mut self, told: &[(Point, f64)]) {
        for (point, value) in told.iter().filter(|it| it.0.len() == self.space.len()) {
            let (unit, value) = (self.space.to_unit(point), ranked(*value));
            if let Some(at) = self.pending.iter().position(|it| *it == unit) {
                self.pending.remove(at);
            }
            let at = self.seen.partition_point(|it| it.value <= value);
            self.seen.insert(at, Seen { unit, value });
            if self.seen.len() > REMEMBERED + GOOD {
                // The worst ones stay: they keep the search away from them. One of the middle goes.
                let at = self.rng.usize(GOOD..self.seen.len());
                self.seen.remove(at);
            }
        }
    }
}
