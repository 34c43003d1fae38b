//! The normal distribution that CMA-ES samples from, and its update.

use super::weights::Weights;
use crate::{
    float,
    matrix::{Square, eigen, identity, norm, times, transposed_times},
    rng::normals,
};

/// A normal distribution over the unit cube with its evolution paths.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) mean: Vec<f64>,
    pub(super) sigma: f64,
    covariance: Square,
    /// Eigenvectors of the covariance as columns.
    axes: Square,
    /// Square roots of its eigenvalues.
    scales: Vec<f64>,
    path_covariance: Vec<f64>,
    path_sigma: Vec<f64>,
    generations: i32,
}

impl State {
    pub(super) fn new(mean: Vec<f64>, sigma: f64) -> Self {
        let size = mean.len();
        Self {
            mean,
            sigma,
            covariance: identity(size),
            axes: identity(size),
            scales: vec![1.0; size],
            path_covariance: vec![0.0; size],
            path_sigma: vec![0.0; size],
            generations: 0,
        }
    }

    pub(super) fn sample(&self, rng: &mut fastrand::Rng) -> Vec<f64> {
        let step = self.stretch(&normals(rng, self.mean.len()));
        self.mean.iter().zip(step).map(|(mean, step)| mean + self.sigma * step).collect()
    }

    /// From coordinates in which the distribution is standard normal, without the step size and the mean.
    pub(super) fn stretch(&self, white: &[f64]) -> Vec<f64> {
        let scaled: Vec<f64> =
            white.iter().zip(&self.scales).map(|(it, scale)| it * scale).collect();
        times(&self.axes, &scaled)
    }

    /// The inverse of [`State::stretch`], in the coordinates of the axes.
    pub(super) fn whiten(&self, step: &[f64]) -> Vec<f64> {
        let turned = transposed_times(&self.axes, step);
        turned.iter().zip(&self.scales).map(|(it, scale)| it / scale).collect()
    }

    /// The steps from the mean to a point, in step sizes.
    pub(super) fn step(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.mean).map(|(it, mean)| (it - mean) / self.sigma).collect()
    }

    /// The largest standard deviation of a coordinate.
    pub(super) fn widest(&self) -> f64 {
        let widest = (0..self.mean.len()).map(|it| self.covariance[it][it]).fold(0.0, f64::max);
        self.sigma * widest.sqrt()
    }

    /// The ratio of the longest to the shortest axis, squared.
    pub(super) fn condition(&self) -> f64 {
        let longest = self.scales.iter().copied().fold(0.0, f64::max);
        let shortest = self.scales.iter().copied().fold(f64::INFINITY, f64::min);
        (longest / shortest).powi(2)
    }

    /// Moves and reshapes the distribution, given points from the best to the worst.
    ///
    /// The update is the one of the tutorial (see [`Weights`]) with negative weights (Jastrebski and Arnold, 2006). The
    /// points are those that were evaluated, so moves to the bounds are part of the update; long steps are shortened
    /// (Hansen, *Injecting External Solutions Into CMA-ES*, arXiv:1110.4181).
    pub(super) fn update(&mut self, sorted: &[&[f64]]) {
        let n = float(self.mean.len());
        let weights = Weights::new(self.mean.len(), sorted.len());
        let longest = n.sqrt() + 2.0 * n / (n + 2.0);
        let steps: Vec<(Vec<f64>, f64)> = sorted
            .iter()
            .map(|point| {
                let mut step = self.step(point);
                let length = norm(&self.whiten(&step));
                if length > longest {
                    for it in &mut step {
                        *it *= longest / length;
                    }
                }
                (step, length.min(longest))
            })
            .collect();
        let mut mean = vec![0.0; self.mean.len()];
        for ((step, _), weight) in steps.iter().zip(&weights.ranks).filter(|it| *it.1 > 0.0) {
            mean.iter_mut().zip(step).for_each(|(sum, it)| *sum += weight * it);
        }
        self.mean.iter_mut().zip(&mean).for_each(|(at, step)| *at += self.sigma * step);

        self.generations = self.generations.saturating_add(1);
        // `axes * white` is the inverse root of the covariance times the step.
        let white = times(&self.axes, &self.whiten(&mean));
        let rate = weights.path_sigma;
        let factor = (rate * (2.0 - rate) * weights.effective).sqrt();
        self.path_sigma
            .iter_mut()
            .zip(&white)
            .for_each(|(it, step)| *it = (1.0 - rate) * *it + factor * step);
        let length = norm(&self.path_sigma);
        let expected = (1.0 - (1.0 - rate).powi(2 * self.generations)).sqrt();
        let stalled = length / expected >= (1.4 + 2.0 / (n + 1.0)) * weights.length;

        let rate = weights.path_covariance;
        let factor = if stalled { 0.0 } else { (rate * (2.0 - rate) * weights.effective).sqrt() };
        self.path_covariance
            .iter_mut()
            .zip(&mean)
            .for_each(|(it, step)| *it = (1.0 - rate) * *it + factor * step);
        self.reshape(&steps, &weights, stalled);

        let change = (weights.path_sigma / weights.damping) * (length / weights.length - 1.0);
        self.sigma *= change.min(1.0).exp();
    }

    /// The updates of rank one and of rank mu of the covariance.
    fn reshape(&mut self, steps: &[(Vec<f64>, f64)], weights: &Weights, stalled: bool) {
        let size = self.mean.len();
        let n = float(size);
        let rate = weights.path_covariance;
        let kept = if stalled { rate * (2.0 - rate) * weights.rank_one } else { 0.0 };
        let total: f64 = weights.ranks.iter().sum();
        let keep = 1.0 + kept - weights.rank_one - weights.rank_mu * total;
        self.covariance.iter_mut().flatten().for_each(|it| *it *= keep);
        add_outer(&mut self.covariance, &self.path_covariance, weights.rank_one);
        for ((step, length), weight) in steps.iter().zip(&weights.ranks) {
            let scaled =
                if *weight < 0.0 { weight * n / length.powi(2).max(1e-300) } else { *weight };
            add_outer(&mut self.covariance, step, weights.rank_mu * scaled);
        }
        let (values, axes) = eigen(&self.covariance);
        let largest = values.iter().copied().fold(0.0, f64::max);
        if !largest.is_finite() || largest <= 0.0 {
            *self = Self::new(self.mean.clone(), self.sigma);
            return;
        }
        let smallest = largest * 1e-15;
        self.scales = values.iter().map(|it| it.max(smallest).sqrt()).collect();
        self.axes = axes;
    }

    /// Widens the distribution in a coordinate to at least this standard deviation.
    pub(super) fn widen(&mut self, coordinate: usize, deviation: f64) {
        let has = self.sigma * self.covariance[coordinate][coordinate].sqrt();
        if has < deviation && has > 0.0 {
            let ratio = deviation / has;
            for other in 0..self.mean.len() {
                self.covariance[coordinate][other] *= ratio;
                self.covariance[other][coordinate] *= ratio;
            }
            let (values, axes) = eigen(&self.covariance);
            let largest = values.iter().copied().fold(1e-300, f64::max);
            self.scales = values.iter().map(|it| it.max(largest * 1e-15).sqrt()).collect();
            self.axes = axes;
        }
    }
}

fn add_outer(matrix: &mut Square, vector: &[f64], factor: f64) {
    for (row, left) in matrix.iter_mut().zip(vector) {
        for (cell, right) in row.iter_mut().zip(vector) {
            *cell += factor * left * right;
        }
    }
}
