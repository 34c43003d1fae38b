//! CMA-ES: evolution strategy with covariance matrix adaptation.

mod model;
mod restarts;
mod state;
mod weights;

use std::collections::VecDeque;

use crate::{Optimizer, Point, Space, count, float, ranked};
use restarts::Restarts;
use state::State;

/// How often a point outside of the cube is drawn again before it is moved to the surface.
const REDRAWS: usize = 10;

/// CMA-ES with restarts, for floats and ints.
///
/// - Sampling and update: Hansen, *The CMA Evolution Strategy: A Tutorial*, arXiv:1604.00772, with the active update.
/// - Restarts: BIPOP (Hansen, *Benchmarking a BI-Population CMA-ES on the BBOB-2009 Function Testbed*, GECCO 2009).
/// - A quadratic model of the points so far proposes one point a generation, and more while it improves (after
///   Hansen, *A Global Surrogate Assisted CMA-ES*, GECCO 2019).
/// - Bounds: points outside are drawn again, and in the end moved to the surface.
/// - Ints: a coordinate keeps a deviation of a part of a step, as in CMA-ES with margin (Hamano et al., GECCO 2022).
/// - Choices are searched in their order; [`crate::Tpe`] is the better one for them.
///
/// Better points that were not asked for enter the next update (Hansen, arXiv:1110.4181).
#[derive(Clone, Debug)]
pub struct Cma {
    space: Space,
    /// The dimensions with more than one value; all vectors below are of these.
    free: Vec<usize>,
    base: Vec<f64>,
    rng: fastrand::Rng,
    sigma: f64,
    with_model: bool,
    state: State,
    restarts: Restarts,
    /// Whether the start point is still to be asked.
    opening: bool,
    pending: VecDeque<Pending>,
    generation: Vec<(Vec<f64>, f64)>,
    archive: VecDeque<(Vec<f64>, f64)>,
    best: Option<(Vec<f64>, f64)>,
    model: Model,
}

/// A point that has no value yet.
#[derive(Clone, Debug)]
struct Pending {
    point: Point,
    unit: Vec<f64>,
    of_model: bool,
}

/// When the model is asked for a point, and how far away from the best one.
#[derive(Clone, Debug)]
struct Model {
    trust: f64,
    /// Generations until the next point.
    wait: u32,
    failures: u32,
    /// Whether a better point of the model is part of the generation already.
    counted: bool,
}

impl Model {
    const NEW: Self = Self { trust: 1.0, wait: 0, failures: 0, counted: false };
}

impl Cma {
    /// A search from `start`, or from the middle of the space.
    pub fn new(space: &Space, start: Option<&Point>, seed: u64) -> Self {
        let start = start.filter(|it| it.len() == space.len());
        let base = space.to_unit(start.unwrap_or(&space.center()));
        let free: Vec<usize> =
            (0..space.len()).filter(|it| !space.dimensions()[*it].is_fixed()).collect();
        let mean: Vec<f64> = free.iter().map(|it| base[*it]).collect();
        let sigma = 0.3;
        Self {
            space: space.clone(),
            rng: fastrand::Rng::with_seed(seed),
            sigma,
            with_model: true,
            restarts: Restarts::new(free.len(), None),
            state: State::new(mean, sigma),
            opening: true,
            pending: VecDeque::new(),
            generation: Vec::new(),
            archive: VecDeque::new(),
            best: None,
            model: Model::NEW,
            free,
            base,
        }
    }

    /// The first step size, as a part of each range: 0.3 without this.
    #[must_use]
    pub fn sigma(mut self, sigma: f64) -> Self {
        if sigma.is_finite() && sigma > 0.0 {
            self.sigma = sigma;
            self.state.sigma = sigma;
        }
        self
    }

    /// The points of a generation: 4 + 3 ln(params) without this, or for 0.
    #[must_use]
    pub fn popsize(mut self, popsize: usize) -> Self {
        self.restarts = Restarts::new(self.free.len(), (popsize > 0).then_some(popsize));
        self
    }

    /// Whether a quadratic model proposes points, too: it does without this.
    #[must_use]
    pub fn model(mut self, with: bool) -> Self {
        self.with_model = with;
        self
    }

    fn point(&self, unit: &[f64]) -> Point {
        let mut all = self.base.clone();
        for (index, value) in self.free.iter().zip(unit) {
            all[*index] = *value;
        }
        self.space.from_unit(&all)
    }

    fn unit(&self, point: &[f64]) -> Vec<f64> {
        let all = self.space.to_unit(point);
        self.free.iter().map(|it| all[*it]).collect()
    }

    fn propose(&mut self) -> Pending {
        if self.opening {
            self.opening = false;
            let unit = self.state.mean.clone();
            return Pending { point: self.point(&unit), unit, of_model: false };
        }
        if self.model.wait == 0 {
            self.model.wait = 1 << self.model.failures.min(3);
            if let Some(unit) = self.of_model() {
                return Pending { point: self.point(&unit), unit, of_model: true };
            }
        }
        let mut unit = self.state.sample(&mut self.rng);
        for _ in 0..REDRAWS {
            if unit.iter().all(|it| (0.0..=1.0).contains(it)) {
                break;
            }
            unit = self.state.sample(&mut self.rng);
        }
        confine(&mut unit);
        Pending { point: self.point(&unit), unit, of_model: false }
    }

    /// The minimum of the model, unless it is known.
    fn of_model(&mut self) -> Option<Vec<f64>> {
        if !self.with_model {
            return None;
        }
        let (best, _) = self.best.as_ref()?;
        let archive = self.archive.make_contiguous();
        let mut unit = model::minimum(&self.state, archive, best, self.model.trust)?;
        confine(&mut unit);
        let point = self.point(&unit);
        let known = self.archive.iter().any(|(it, _)| self.point(it) == point)
            || self.pending.iter().any(|it| it.point == point);
        (!known && unit.iter().all(|it| it.is_finite())).then_some(unit)
    }

    fn take(&mut self, point: &Point, value: f64) {
        let at = self.pending.iter().position(|it| it.point == *point);
        let asked = at.and_then(|it| self.pending.remove(it));
        let better = self.best.as_ref().is_none_or(|best| value < best.1);
        let (unit, of_model) = match asked {
            Some(asked) => (asked.unit, asked.of_model),
            None => {
                let unit = self.unit(point);
                if better && !self.model.counted {
                    self.model.counted = true;
                    self.generation.push((unit.clone(), value));
                }
                self.remember(unit, value, better);
                return;
            }
        };
        if of_model {
            self.model.judge(better);
            if better && !self.model.counted {
                self.model.counted = true;
                self.generation.push((unit.clone(), value));
            }
        } else {
            self.generation.push((unit.clone(), value));
        }
        self.restarts.count(1);
        self.remember(unit, value, better);
        if self.generation.len() >= self.restarts.population {
            self.advance();
        }
    }

    fn remember(&mut self, unit: Vec<f64>, value: f64, better: bool) {
        if better {
            self.best = Some((unit.clone(), value));
        }
        self.archive.push_back((unit, value));
        if self.archive.len() > 3 * model::coefficients(self.free.len()) + 100 {
            self.archive.pop_front();
        }
    }

    fn advance(&mut self) {
        let mut generation = std::mem::take(&mut self.generation);
        generation.sort_by(|left, right| left.1.total_cmp(&right.1));
        let sorted: Vec<&[f64]> = generation.iter().map(|it| it.0.as_slice()).collect();
        self.state.update(&sorted);
        confine(&mut self.state.mean);
        for (coordinate, index) in self.free.iter().enumerate() {
            if let Some(cells) = self.space.dimensions()[*index].cells() {
                self.state.widen(coordinate, 0.4 / cells);
            }
        }
        self.model.wait = self.model.wait.saturating_sub(1);
        self.model.counted = false;
        let lowest = generation[0].1;
        let middle = generation[generation.len() / 2].1;
        if self.restarts.is_over(lowest, middle, &self.state) {
            let spread = self.restarts.next(&mut self.rng);
            let mean = self.free.iter().map(|_| self.rng.f64()).collect();
            self.state = State::new(mean, self.sigma * spread);
            self.best = None;
            self.model = Model::NEW;
            self.pending.clear();
        }
    }
}

impl Model {
    /// Whether its last point was better than all before.
    fn judge(&mut self, better: bool) {
        if better {
            *self = Self { trust: (self.trust * 1.5).min(2.0), wait: 0, failures: 0, ..*self };
        } else {
            self.trust = (self.trust * 0.6).max(0.05);
            self.failures += 1;
        }
    }
}

impl Optimizer for Cma {
    fn ask(&mut self, count: usize) -> Vec<Point> {
        if self.free.is_empty() {
            return vec![self.point(&[]); count];
        }
        (0..count)
            .map(|_| {
                let pending = self.propose();
                let point = pending.point.clone();
                self.pending.push_back(pending);
                if self.pending.len() > 10_000 {
                    self.pending.pop_front();
                }
                point
            })
            .collect()
    }

    fn tell(&mut self, told: &[(Point, f64)]) {
        if self.free.is_empty() {
            return;
        }
        let params = self.space.len();
        for (point, value) in told.iter().filter(|it| it.0.len() == params) {
            self.take(point, ranked(*value));
        }
    }
}

/// Moves a vector to the surface of the unit cube if it is outside.
fn confine(unit: &mut [f64]) {
    for it in unit {
        *it = it.clamp(0.0, 1.0);
    }
}

/// The usual size of a population.
fn usual(size: usize) -> usize {
    4 + count((3.0 * float(size.max(1)).ln()).floor())
}
