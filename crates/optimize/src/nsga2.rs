//! NSGA-II: several objectives.

use std::cmp::Ordering;

use crate::{Dimension, Point, Space, float, pareto, ranked};

/// How close children are to their parents: larger is closer.
const CROSSING: f64 = 15.0;
/// How close mutants are to their origin.
const MUTATION: f64 = 20.0;
/// How many children have two parents.
const CROSSED: f64 = 0.9;

/// NSGA-II, which searches the front of several objectives.
///
/// Deb et al., *A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II*, 2002, with simulated binary crossover and
/// polynomial mutation (Deb and Agrawal, 1995). The best of the old and the new points survive whenever points are asked
/// for, so asking for few at a time is the variant with a steady state (Durillo et al., 2009), which needs fewer evaluations.
#[derive(Clone, Debug)]
pub struct Nsga2 {
    space: Space,
    rng: fastrand::Rng,
    popsize: usize,
    /// The first points, last one first.
    opening: Option<Vec<Point>>,
    start: Option<Point>,
    population: Vec<Member>,
    fresh: bool,
    pending: Vec<Point>,
}

#[derive(Clone, Debug)]
struct Member {
    point: Point,
    values: Vec<f64>,
    crowding: f64,
}

impl Nsga2 {
    /// A search of the front; `start` is in the first population.
    pub fn new(space: &Space, start: Option<&Point>, seed: u64) -> Self {
        Self {
            space: space.clone(),
            rng: fastrand::Rng::with_seed(seed),
            popsize: 100,
            opening: None,
            start: start.filter(|it| it.len() == space.len()).cloned(),
            population: Vec::new(),
            fresh: false,
            pending: Vec::new(),
        }
    }

    /// The size of the population: 100 without this, or for 0; at least 4.
    #[must_use]
    pub fn popsize(mut self, popsize: usize) -> Self {
        self.popsize = if popsize == 0 { 100 } else { popsize.max(4) };
        self
    }

    /// The points of the population that nothing dominates, with their values.
    pub fn front(&self) -> Vec<(Point, Vec<f64>)> {
        let values: Vec<Vec<f64>> = self.population.iter().map(|it| it.values.clone()).collect();
        pareto::front(&values)
            .into_iter()
            .map(|it| (self.population[it].point.clone(), values[it].clone()))
            .collect()
    }

    /// The next `count` points to evaluate, each within the space.
    pub fn ask(&mut self, count: usize) -> Vec<Point> {
        self.survive();
        let mut points = Vec::with_capacity(count);
        for _ in 0..count {
            let point = self.opening_point().unwrap_or_else(|| self.child());
            self.pending.push(point.clone());
            points.push(point);
        }
        points
    }

    /// Takes the values of points, one for each objective.
    ///
    /// The points need not be asked for. A value that is not finite counts as the worst; a point with another number of
    /// params, or without values, or with more or fewer values than the first one, is ignored.
    pub fn tell(&mut self, told: &[(Point, Vec<f64>)]) {
        for (point, values) in told {
            let objectives = self.population.first().map_or(values.len(), |it| it.values.len());
            if point.len() != self.space.len() || values.is_empty() || values.len() != objectives {
                continue;
            }
            let mut point = point.clone();
            self.space.clamp(&mut point);
            let values: Vec<f64> = values.iter().map(|it| ranked(*it)).collect();
            self.pending.retain(|it| *it != point);
            if !self.population.iter().any(|it| it.point == point && it.values == values) {
                self.population.push(Member { point, values, crowding: 0.0 });
                self.fresh = true;
            }
        }
    }

    fn opening_point(&mut self) -> Option<Point> {
        if self.opening.is_none() {
            let mut points = self.space.spread(self.popsize, &mut self.rng);
            if let Some(mut start) = self.start.take() {
                self.space.clamp(&mut start);
                points[self.popsize - 1] = start;
            }
            self.opening = Some(points);
        }
        self.opening.as_mut().and_then(Vec::pop)
    }

    /// Ranks the population, and keeps its best part.
    fn survive(&mut self) {
        if !std::mem::take(&mut self.fresh) {
            return;
        }
        let values: Vec<Vec<f64>> = self.population.iter().map(|it| it.values.clone()).collect();
        let ranks = pareto::fronts(&values);
        let last = ranks.iter().copied().max().unwrap_or(0);
        let mut kept = Vec::with_capacity(self.popsize);
        for rank in 0..=last {
            let mut members: Vec<usize> =
                (0..ranks.len()).filter(|it| ranks[*it] == rank).collect();
            let room = self.popsize - kept.len();
            // One after the other, so that a gap does not grow where neighbours leave together.
            let mut distances = distances(&values, &members);
            while members.len() > room {
                let worst = (0..members.len())
                    .min_by(|left, right| distances[*left].total_cmp(&distances[*right]));
                let Some(worst) = worst else { break };
                members.remove(worst);
                distances = self::distances(&values, &members);
            }
            for (member, crowding) in members.into_iter().zip(distances) {
                kept.push(Member { crowding, ..self.population[member].clone() });
            }
            if kept.len() >= self.popsize {
                break;
            }
        }
        self.population = kept;
    }

    /// The better one of two members.
    fn parent(&mut self) -> usize {
        let left = self.rng.usize(..self.population.len());
        let right = self.rng.usize(..self.population.len());
        let (one, two) = (&self.population[left], &self.population[right]);
        // By dominance and not by rank: later fronts with room around them keep the search wide.
        if pareto::dominates(&one.values, &two.values) {
            return left;
        }
        if pareto::dominates(&two.values, &one.values) {
            return right;
        }
        match two.crowding.total_cmp(&one.crowding) {
            Ordering::Less => left,
            Ordering::Greater => right,
            Ordering::Equal => {
                if self.rng.bool() {
                    left
                } else {
                    right
                }
            }
        }
    }

    fn child(&mut self) -> Point {
        for _ in 0..100 {
            if self.population.is_empty() {
                break;
            }
            let point = self.cross();
            let known =
                self.population.iter().any(|it| it.point == point) || self.pending.contains(&point);
            if !known {
                return point;
            }
        }
        self.space.random(&mut self.rng)
    }

    fn cross(&mut self) -> Point {
        let (left, right) = (self.parent(), self.parent());
        let mut one = self.space.to_unit(&self.population[left].point);
        let mut two = self.space.to_unit(&self.population[right].point);
        let crossed = self.rng.f64() < CROSSED;
        for index in 0..one.len() {
            if !crossed || self.rng.bool() {
                continue;
            }
            if let Dimension::Choice { .. } = self.space.dimensions()[index] {
                std::mem::swap(&mut one[index], &mut two[index]);
                continue;
            }
            let (low, high) = (one[index].min(two[index]), one[index].max(two[index]));
            if high - low > 1e-14 {
                let draw = self.rng.f64();
                let lower = low + high - spread(low, high, low, draw);
                let upper = low + high + spread(low, high, 1.0 - high, draw);
                let swapped = self.rng.bool();
                let (first, second) = if swapped { (upper, lower) } else { (lower, upper) };
                one[index] = (first / 2.0).clamp(0.0, 1.0);
                two[index] = (second / 2.0).clamp(0.0, 1.0);
            }
        }
        let mut child = if self.rng.bool() { one } else { two };
        self.mutate(&mut child);
        self.space.from_unit(&child)
    }

    fn mutate(&mut self, unit: &mut [f64]) {
        let rate = (1.0 / float(unit.len())).min(0.5);
        for (index, value) in unit.iter_mut().enumerate() {
            if self.rng.f64() >= rate {
                continue;
            }
            *value = match self.space.dimensions()[index] {
                Dimension::Choice { .. } => self.rng.f64(),
                _ => mutant(*value, self.rng.f64()),
            };
        }
    }
}

/// The crowding distances of some points.
fn distances(values: &[Vec<f64>], members: &[usize]) -> Vec<f64> {
    let front: Vec<Vec<f64>> = members.iter().map(|it| values[*it].clone()).collect();
    pareto::crowding(&front)
}

/// How far away from their middle two children are, twice: simulated binary crossover within the unit interval.
fn spread(low: f64, high: f64, room: f64, draw: f64) -> f64 {
    let gap = high - low;
    let beta = 1.0 + 2.0 * room / gap;
    let alpha = 2.0 - beta.powf(-(CROSSING + 1.0));
    let power = 1.0 / (CROSSING + 1.0);
    let factor = if draw <= 1.0 / alpha {
        (draw * alpha).powf(power)
    } else {
        (1.0 / (2.0 - draw * alpha)).powf(power)
    };
    factor * gap
}

/// Polynomial mutation within the unit interval.
fn mutant(value: f64, draw: f64) -> f64 {
    let power = 1.0 / (MUTATION + 1.0);
    let moved = if draw < 0.5 {
        let rest = (1.0 - value).powf(MUTATION + 1.0);
        (2.0 * draw + (1.0 - 2.0 * draw) * rest).powf(power) - 1.0
    } else {
        let rest = value.powf(MUTATION + 1.0);
        1.0 - (2.0 * (1.0 - draw) + 2.0 * (draw - 0.5) * rest).powf(power)
    };
    (value + moved).clamp(0.0, 1.0)
}
