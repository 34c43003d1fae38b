//! Minimisation of functions that can only be evaluated.
//!
//! A [`Space`] lists the params: floats, ints and choices. An [`Optimizer`] proposes points of it and is shown their
//! values; the caller evaluates them, where and when it likes. Everything follows from the seed: the same seed and the
//! same values give the same points. Nothing here knows files, clocks, threads, or the language.
//!
//! - [`Cma`]: CMA-ES with restarts and a quadratic model, for floats and ints; the default.
//! - [`Tpe`]: tree-structured Parzen estimator, for spaces with choices and for few evaluations.
//! - [`Local`]: a search around the best known point.
//! - [`Random`]: the baseline.
//! - [`Nsga2`]: several objectives, with the measures of [`pareto`].
//! - [`Halving`]: which candidates get more samples.

#![allow(
    clippy::float_cmp,
    reason = "bounds of an empty range, repeated points and ties are equal bits, and not nearly equal numbers"
)]

mod cma;
mod halving;
mod local;
mod matrix;
mod nsga2;
pub mod pareto;
mod random;
mod rng;
mod space;
#[cfg(test)]
mod tests;
mod tpe;

pub use cma::Cma;
pub use halving::{Halving, Rung};
pub use local::Local;
pub use nsga2::Nsga2;
pub use random::Random;
pub use space::{Dimension, Point, Space, SpaceError};
pub use tpe::Tpe;

/// Proposes points to evaluate, and learns from values: lower is better.
pub trait Optimizer: Send {
    /// The next `count` points to evaluate, each within the space.
    ///
    /// Points may be asked for before the earlier ones have values.
    fn ask(&mut self, count: usize) -> Vec<Point>;

    /// Takes the values of points.
    ///
    /// The points need not be asked for: they may come from another optimizer, or be repeated. A value that is not
    /// finite counts as the worst, and a point with another number of params is ignored.
    fn tell(&mut self, told: &[(Point, f64)]);
}

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^52 of anything in memory")]
fn float(count: usize) -> f64 {
    count as f64
}

/// A float as a count: whole, not negative, and not larger than a `u32`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is clamped to the range of u32"
)]
fn count(value: f64) -> usize {
    value.clamp(0.0, f64::from(u32::MAX)) as usize
}

/// A value to minimise: infinity if it is not finite.
fn ranked(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::INFINITY }
}
