//! Search around the best known point.

use crate::{Dimension, Optimizer, Point, Space, float, ranked, rng::normal};

/// The smallest step that is tried, as a part of each range, before the search starts somewhere else.
const SMALLEST: f64 = 1e-10;

/// Steps from the best known point, whose size follows from their success.
///
/// A (1+1) evolution strategy with the 1/5 rule (Rechenberg, 1973; in the form of Kern et al., 2004), which changes only
/// some of the params at a time, and repeats a step that improved, twice as long (the pattern move of Hooke and Jeeves,
/// 1961). Ints move by at least 1, and a choice changes to another one. A good choice for many params and few
/// evaluations, near a point that is good already.
#[derive(Clone, Debug)]
pub struct Local {
    space: Space,
    free: Vec<usize>,
    rng: fastrand::Rng,
    sigma: f64,
    now: f64,
    opening: Option<Point>,
    best: Option<(Point, f64)>,
    /// The step of the last improvement on the unit cube, to repeat.
    repeat: Option<Vec<f64>>,
    pending: Vec<Point>,
}

impl Local {
    /// A search from `start`, or from a random point.
    pub fn new(space: &Space, start: Option<&Point>, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let opening = match start.filter(|it| it.len() == space.len()) {
            Some(start) => {
                let mut start = start.clone();
                space.clamp(&mut start);
                start
            }
            None => space.random(&mut rng),
        };
        Self {
            space: space.clone(),
            free: (0..space.len()).filter(|it| !space.dimensions()[*it].is_fixed()).collect(),
            rng,
            sigma: 0.2,
            now: 0.2,
            opening: Some(opening),
            best: None,
            repeat: None,
            pending: Vec::new(),
        }
    }

    /// The first step size, as a part of each range: 0.2 without this.
    #[must_use]
    pub fn sigma(mut self, sigma: f64) -> Self {
        if sigma.is_finite() && sigma > 0.0 {
            self.sigma = sigma.min(1.0);
            self.now = self.sigma;
        }
        self
    }

    /// The best known point with its value.
    pub fn best(&self) -> Option<(&Point, f64)> {
        self.best.as_ref().map(|(point, value)| (point, *value))
    }

    fn propose(&mut self) -> Point {
        if let Some(opening) = self.opening.take() {
            return opening;
        }
        let Some((best, _)) = &self.best else {
            return self.space.random(&mut self.rng);
        };
        let from = self.space.to_unit(best);
        if let Some(step) = self.repeat.take() {
            let unit: Vec<f64> = from.iter().zip(&step).map(|(at, step)| at + 2.0 * step).collect();
            let point = self.space.from_unit(&unit);
            if point != *best {
                return point;
            }
        }
        let best = best.clone();
        for _ in 0..20 {
            let point = self.mutate(&from, &best);
            if point != best && !self.pending.contains(&point) {
                return point;
            }
        }
        self.space.random(&mut self.rng)
    }

    /// A point with some other values; at least one.
    fn mutate(&mut self, from: &[f64], best: &Point) -> Point {
        let mut point = best.clone();
        if self.free.is_empty() {
            return point;
        }
        // Half of the steps change all params, the others few of them.
        let rate = if self.rng.bool() { 1.0 } else { (1.5 / float(self.free.len())).min(1.0) };
        let certain = self.free[self.rng.usize(..self.free.len())];
        let mut unit = from.to_vec();
        for at in 0..self.free.len() {
            let index = self.free[at];
            if index != certain && self.rng.f64() >= rate {
                continue;
            }
            let step = self.now * normal(&mut self.rng);
            match self.space.dimensions()[index] {
                Dimension::Float { .. } => unit[index] = reflect(unit[index] + step),
                Dimension::Int { min, max } => {
                    // At least a step of 1, and more while the steps are long.
                    let cells = self.space.dimensions()[index].cells().unwrap_or(1.0);
                    let moved = (step * cells).round();
                    let moved = if moved == 0.0 { step.signum() } else { moved };
                    let (low, high) = self.space.dimensions()[index].bounds();
                    let value = best[index] + moved;
                    let value =
                        if (low..=high).contains(&value) { value } else { best[index] - moved };
                    debug_assert!(min < max, "fixed params are not searched");
                    unit[index] = (value.clamp(low, high) - low + 0.5) / cells;
                }
                Dimension::Choice { count } => {
                    // Another one, but not often together with other params.
                    if index == certain || self.rng.f64() < 0.3 {
                        let current = unit[index] * float(count);
                        let shift = float(self.rng.usize(1..count));
                        unit[index] = ((current + shift) % float(count)) / float(count);
                    }
                }
            }
        }
        for (value, (index, moved)) in
            point.iter_mut().zip(self.space.from_unit(&unit).into_iter().enumerate())
        {
            if unit[index] != from[index] {
                *value = moved;
            }
        }
        point
    }
}

/// Back into the unit interval, as from a mirror.
fn reflect(unit: f64) -> f64 {
    let around = unit.rem_euclid(2.0);
    if around > 1.0 { 2.0 - around } else { around }
}

impl Optimizer for Local {
    fn ask(&mut self, count: usize) -> Vec<Point> {
        self.pending.clear();
        for _ in 0..count {
            let point = self.propose();
            self.pending.push(point);
        }
        self.pending.clone()
    }

    fn tell(&mut self, told: &[(Point, f64)]) {
        for (point, value) in told.iter().filter(|it| it.0.len() == self.space.len()) {
            let value = ranked(*value);
            let mut point = point.clone();
            self.space.clamp(&mut point);
            // In steps of the 1/5 rule: one success makes up for four failures.
            let rate = 1.0 / (float(self.free.len()) + 1.0).sqrt();
            match &self.best {
                Some((best, lowest)) if value >= *lowest => {
                    // A step along a plateau is taken, but is not a success.
                    let equal = value == *lowest && value.is_finite() && point != *best;
                    if equal {
                        self.best = Some((point, value));
                    }
                    self.now *= (-rate / 4.0).exp();
                }
                Some((best, _)) => {
                    let (from, to) = (self.space.to_unit(best), self.space.to_unit(&point));
                    self.repeat = Some(to.iter().zip(from).map(|(to, from)| to - from).collect());
                    self.now = (self.now * rate.exp()).min(0.5);
                    self.best = Some((point, value));
                }
                None => self.best = Some((point, value)),
            }
            if self.now < SMALLEST {
                self.now = self.sigma;
            }
        }
    }
}
