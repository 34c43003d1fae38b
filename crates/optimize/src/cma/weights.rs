//! The strategy parameters of CMA-ES, which follow from the dimension and the size of the population.

use crate::float;

/// Weights and learning rates (Hansen, *The CMA Evolution Strategy: A Tutorial*, arXiv:1604.00772, table 1).
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// For each rank, best first; the worse half is negative: the active update.
    pub(super) ranks: Vec<f64>,
    pub(super) effective: f64,
    pub(super) path_covariance: f64,
    pub(super) path_sigma: f64,
    pub(super) rank_one: f64,
    pub(super) rank_mu: f64,
    pub(super) damping: f64,
    /// The expected length of a standard normal vector.
    pub(super) length: f64,
}

impl Weights {
    pub(super) fn new(size: usize, population: usize) -> Self {
        let (n, lambda) = (float(size), float(population));
        let raw: Vec<f64> = (1..=population)
            .map(|rank| f64::midpoint(lambda, 1.0).ln() - float(rank).ln())
            .collect();
        let (positive, effective) = sums(raw.iter().copied().filter(|it| *it > 0.0));
        let (negative, effective_negative) = sums(raw.iter().copied().filter(|it| *it < 0.0));
        let path_covariance = (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n);
        let path_sigma = (effective + 2.0) / (n + effective + 5.0);
        let rank_one = 2.0 / ((n + 1.3).powi(2) + effective);
        let rank_mu = (2.0 * (0.25 + effective + 1.0 / effective - 2.0)
            / ((n + 2.0).powi(2) + effective))
            .min(1.0 - rank_one);
        let damping =
            1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + path_sigma;
        let limit = (1.0 + rank_one / rank_mu)
            .min(1.0 + 2.0 * effective_negative / (effective_negative + 2.0))
            .min((1.0 - rank_one - rank_mu) / (n * rank_mu));
        let ranks =
            raw.iter()
                .map(|it| {
                    if *it > 0.0 { it / positive } else { limit * it / negative.abs().max(1e-300) }
                })
                .collect();
        let length = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        Self { ranks, effective, path_covariance, path_sigma, rank_one, rank_mu, damping, length }
    }
}

/// The sum of weights, and how many equal weights would have the same variance.
fn sums(weights: impl Iterator<Item = f64>) -> (f64, f64) {
    let (sum, squares) =
        weights.fold((0.0, 0.0), |(sum, squares), it| (sum + it, squares + it * it));
    (sum, if squares > 0.0 { sum * sum / squares } else { 0.0 })
}
