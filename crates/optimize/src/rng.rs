//! Normal numbers.

use std::f64::consts::TAU;

/// A number from the standard normal distribution (Box and Muller, 1958).
pub(crate) fn normal(rng: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}

/// A vector of numbers from the standard normal distribution.
pub(crate) fn normals(rng: &mut fastrand::Rng, len: usize) -> Vec<f64> {
    (0..len).map(|_| normal(rng)).collect()
}
