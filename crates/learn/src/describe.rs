//! What is in a sample of numbers.

use crate::{Trouble, dist, float};

/// Moments, quantiles and intervals of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    pub n: usize,
    pub mean: f64,
    /// The standard deviation of a sample; none of one number.
    pub sd: Option<f64>,
    /// The interval in which the mean of the population lies, by the t distribution.
    pub interval: Option<(f64, f64)>,
    /// The interval of the standard deviation, by the chi-squared distribution.
    pub sd_interval: Option<(f64, f64)>,
    /// The least, the quartiles and the greatest.
    pub quartiles: [f64; 5],
    /// Skewness and excess kurtosis; none if all numbers are equal.
    pub skewness: Option<f64>,
    pub kurtosis: Option<f64>,
}

/// The mean, with the error of the first sum added.
pub fn mean(all: &[f64]) -> f64 {
    let first = all.iter().sum::<f64>() / float(all.len());
    first + all.iter().map(|it| it - first).sum::<f64>() / float(all.len())
}

/// The sum of squares around the mean, corrected for the rounding of the mean.
pub fn squares(all: &[f64]) -> f64 {
    let middle = mean(all);
    let rest: f64 = all.iter().map(|it| it - middle).sum();
    all.iter().map(|it| (it - middle) * (it - middle)).sum::<f64>() - rest * rest / float(all.len())
}

/// The variance of a sample of at least two numbers.
pub fn variance(all: &[f64]) -> f64 {
    squares(all).max(0.0) / (float(all.len()) - 1.0)
}

/// A quantile of sorted numbers, linear between two of them.
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * (float(sorted.len()) - 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the slice"
    )]
    let low = at.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (at - at.floor()) * (sorted[high] - sorted[low])
}

/// Describes a sample; `confidence` is that of the intervals.
///
/// # Errors
/// The sample is empty.
pub fn describe(all: &[f64], confidence: f64) -> Result<Description, Trouble> {
    if all.is_empty() {
        return Err(Trouble::new("expected at least one number, found none"));
    }
    let n = float(all.len());
    let middle = mean(all);
    let mut sorted = all.to_vec();
    sorted.sort_by(f64::total_cmp);
    let power = |by: i32| all.iter().map(|it| (it - middle).powi(by)).sum::<f64>() / n;
    let second = power(2);
    let is_spread = second > 1e-30 * middle * middle && second > 0.0;
    let sd = (all.len() > 1).then(|| variance(all).sqrt());
    let tail = (1.0 - confidence) / 2.0;
    let interval = sd.map(|sd| {
        let half = dist::t_quantile(1.0 - tail, n - 1.0) * sd / n.sqrt();
        (middle - half, middle + half)
    });
    let sd_interval = sd.filter(|_| is_spread).map(|sd| {
        let of = |p: f64| ((n - 1.0) / dist::chi2_quantile_above(p, n - 1.0)).sqrt() * sd;
        (of(tail), of(1.0 - tail))
    });
    Ok(Description {
        n: all.len(),
        mean: middle,
        sd,
        interval,
        sd_interval,
        quartiles: [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| quantile(&sorted, p)),
        skewness: is_spread.then(|| power(3) / second.powf(1.5)),
        kurtosis: is_spread.then(|| power(4) / (second * second) - 3.0),
    })
}
