//! Integrals of smooth functions over pieces, by Gauss and Legendre.

use std::sync::LazyLock;

const POINTS: usize = 20;

/// The places and weights of the rule on -1..1.
static RULE: LazyLock<[(f64, f64); POINTS]> = LazyLock::new(|| {
    let mut rule = [(0.0, 0.0); POINTS];
    for (idx, point) in rule.iter_mut().enumerate() {
        *point = point_of(idx);
    }
    rule
});

/// A root of the Legendre polynomial, by Newton's method, and its weight.
#[expect(clippy::cast_precision_loss, reason = "there are 20 points")]
fn point_of(idx: usize) -> (f64, f64) {
    let n = POINTS as f64;
    let mut x = (std::f64::consts::PI * (idx as f64 + 0.75) / (n + 0.5)).cos();
    let mut slope = 1.0;
    for _ in 0..50 {
        let (mut before, mut value) = (1.0, x);
        for degree in 2..=POINTS {
            let k = degree as f64;
            (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
        }
        slope = n * (x * value - before) / (x * x - 1.0);
        let step = value / slope;
        x -= step;
        if step.abs() < 1e-16 {
            break;
        }
    }
    (x, 2.0 / ((1.0 - x * x) * slope * slope))
}

/// The places and weights between `low` and `high`.
pub(super) fn points(low: f64, high: f64) -> impl Iterator<Item = (f64, f64)> {
    let (middle, half) = (low.midpoint(high), 0.5 * (high - low));
    RULE.iter().map(move |(x, weight)| (middle + half * x, half * weight))
}

pub(super) fn gauss(low: f64, high: f64, of: impl Fn(f64) -> f64) -> f64 {
    points(low, high).map(|(x, weight)| weight * of(x)).sum()
}
