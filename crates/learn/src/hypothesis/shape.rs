//! Whether numbers have a normal distribution.

use super::{Outcome, constant, is_rounding, needs};
use crate::{Trouble, describe::squares, dist, float};

fn polynomial(factors: &[f64], x: f64) -> f64 {
    factors.iter().rev().fold(0.0, |sum, it| sum * x + it)
}

/// Shapiro and Wilk's test, by Royston's algorithm AS R94 (1995).
pub fn shapiro(all: &[f64]) -> Result<Outcome, Trouble> {
    needs("the sample", all, 3)?;
    if all.len() > 5_000 {
        let found = all.len();
        return Err(Trouble::new(format!("too many numbers: {found} (limit 5000)"))
            .help("take a sample: `list.sample`"));
    }
    let mut x = all.to_vec();
    x.sort_by(f64::total_cmp);
    let spread = squares(&x);
    if is_rounding(&[all], spread, x[0]) {
        return Err(constant());
    }
    let weights = weights(x.len());
    let n = x.len();
    let sum: f64 = weights.iter().enumerate().map(|(at, it)| it * (x[n - 1 - at] - x[at])).sum();
    let w = (sum * sum / spread).min(1.0);
    Ok(Outcome {
        method: "Shapiro-Wilk test of normality".to_owned(),
        statistic: w,
        p: probability(w, n),
        ..Outcome::default()
    })
}

/// The weights of the differences of the largest and the smallest numbers.
fn weights(n: usize) -> Vec<f64> {
    const FIRST: [f64; 6] = [0.0, 0.221_157, -0.147_981, -2.071_19, 4.434_685, -2.706_056];
    const SECOND: [f64; 6] = [0.0, 0.042_981, -0.293_762, -1.752_461, 5.682_633, -3.582_633];
    if n == 3 {
        return vec![0.5_f64.sqrt()];
    }
    let scores: Vec<f64> = (1..=n / 2)
        .map(|at| dist::normal_quantile((float(at) - 0.375) / (float(n) + 0.25)))
        .collect();
    let square = 2.0 * scores.iter().map(|it| it * it).sum::<f64>();
    let root = 1.0 / float(n).sqrt();
    let first = polynomial(&FIRST, root) - scores[0] / square.sqrt();
    let mut weights: Vec<f64> = vec![first];
    let mut left = square - 2.0 * scores[0] * scores[0];
    let mut share = 1.0 - 2.0 * first * first;
    if n > 5 {
        let second = polynomial(&SECOND, root) - scores[1] / square.sqrt();
        weights.push(second);
        left -= 2.0 * scores[1] * scores[1];
        share -= 2.0 * second * second;
    }
    let factor = (left / share).sqrt();
    let known = weights.len();
    weights.extend(scores[known..].iter().map(|it| -it / factor));
    weights
}

fn probability(w: f64, n: usize) -> f64 {
    let count = float(n);
    if n == 3 {
        let p = 6.0 / std::f64::consts::PI * (w.sqrt().asin() - 0.75_f64.sqrt().asin());
        return p.clamp(0.0, 1.0);
    }
    let y = (1.0 - w).ln();
    let (y, mean, sd) = if n <= 11 {
        let gamma = polynomial(&[-2.273, 0.459], count);
        if y >= gamma {
            return 1e-99;
        }
        (
            -(gamma - y).ln(),
            polynomial(&[0.544, -0.399_78, 0.025_054, -6.714e-4], count),
            polynomial(&[1.382_2, -0.778_57, 0.062_767, -0.002_032_2], count).exp(),
        )
    } else {
        let log = count.ln();
        (
            y,
            polynomial(&[-1.586_1, -0.310_82, -0.083_751, 0.003_891_5], log),
            polynomial(&[-0.480_3, -0.082_676, 0.003_030_2], log).exp(),
        )
    };
    dist::normal_above((y - mean) / sd)
}
