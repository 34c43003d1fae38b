//! Distributions: both tails, quantiles, and the noncentral ones that power needs.
//!
//! Tails are computed themselves, not as one minus the other, so that small probabilities keep their digits.

use statrs::function::{
    beta::beta_reg,
    erf::erfc,
    gamma::{gamma_lr, gamma_ur, ln_gamma},
};

/// The probability that a standard normal variable is above `x`.
pub fn normal_above(x: f64) -> f64 {
    0.5 * erfc(x / std::f64::consts::SQRT_2)
}

pub fn normal_below(x: f64) -> f64 {
    normal_above(-x)
}

/// The value that a standard normal variable is below with probability `p`.
pub fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    // Newton's method on the logarithm of the lower tail, which is nearly a parabola.
    let mut x = if p < 0.4 { -(-2.0 * (2.0 * p).max(1e-320).ln()).sqrt() } else { 0.0 };
    for _ in 0..60 {
        let below = normal_below(x);
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let step = (below.ln() - p.ln()) * below / density;
        x -= step;
        if step.abs() <= 1e-15 * x.abs().max(1.0) {
            break;
        }
    }
    x
}

/// Student's t: the probability above `t`.
pub fn t_above(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    if df.is_infinite() {
        return normal_above(t);
    }
    let square = t * t;
    // The argument near 0 is the one that keeps its digits.
    let tail = if df > square {
        0.5 * (1.0 - beta_reg(0.5, df / 2.0, square / (df + square)))
    } else {
        0.5 * beta_reg(df / 2.0, 0.5, df / (df + square))
    };
    let tail = if tail < 0.1 && df > square {
        0.5 * beta_reg(df / 2.0, 0.5, df / (df + square))
    } else {
        tail
    };
    if t >= 0.0 { tail } else { 1.0 - tail }
}

pub fn t_two_sided(t: f64, df: f64) -> f64 {
    (2.0 * t_above(t.abs(), df)).min(1.0)
}

/// The value that a t variable is below with probability `p`.
pub fn t_quantile(p: f64, df: f64) -> f64 {
    if p < 0.5 {
        return -t_quantile(1.0 - p, df);
    }
    falling_root(0.0, 1.0, |x| t_above(x, df) - (1.0 - p))
}

/// Chi-squared: the probability above `x`.
pub fn chi2_above(x: f64, df: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(df / 2.0, x / 2.0) }
}

/// The value that a chi-squared variable is above with probability `p`.
pub fn chi2_quantile_above(p: f64, df: f64) -> f64 {
    falling_root(0.0, df.max(1.0), |x| chi2_above(x, df) - p)
}

/// F: the probability above `x`.
pub fn f_above(x: f64, df1: f64, df2: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    beta_reg(df2 / 2.0, df1 / 2.0, df2 / (df2 + df1 * x))
}

pub fn f_quantile_above(p: f64, df1: f64, df2: f64) -> f64 {
    falling_root(0.0, 2.0, |x| f_above(x, df1, df2) - p)
}

/// The root of a function that falls from `low` on; `step` is a first guess of its distance.
fn falling_root(low: f64, step: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, low + step);
    while f(high) > 0.0 && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = low.midpoint(high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.midpoint(high)
}

/// Where the terms of a series with the weights of a Poisson distribution are largest, and the sum of `term` over it.
fn poisson_sum(mean: f64, term: impl Fn(f64) -> f64) -> f64 {
    let weight = |k: f64| (k * mean.ln() - mean - ln_gamma(k + 1.0)).exp();
    let middle = mean.floor().max(0.0);
    let mut sum = 0.0;
    let mut k = middle;
    while k >= 0.0 {
        let w = weight(k);
        sum += w * term(k);
        if w < 1e-18 {
            break;
        }
        k -= 1.0;
    }
    let mut k = middle + 1.0;
    loop {
        let w = weight(k);
        sum += w * term(k);
        if w < 1e-18 {
            return sum;
        }
        k += 1.0;
    }
}

/// Noncentral F: the probability above `x`.
pub fn noncentral_f_above(x: f64, df1: f64, df2: f64, noncentrality: f64) -> f64 {
    if noncentrality <= 0.0 {
        return f_above(x, df1, df2);
    }
    let y = df2 / (df2 + df1 * x);
    poisson_sum(noncentrality / 2.0, |k| beta_reg(df2 / 2.0, df1 / 2.0 + k, y)).min(1.0)
}

/// Noncentral chi-squared: the probability above `x`.
pub fn noncentral_chi2_above(x: f64, df: f64, noncentrality: f64) -> f64 {
    if noncentrality <= 0.0 {
        return chi2_above(x, df);
    }
    let below = poisson_sum(noncentrality / 2.0, |k| gamma_lr(df / 2.0 + k, x / 2.0));
    (1.0 - below).clamp(0.0, 1.0)
}

/// Noncentral t: the probability above `t`.
///
/// The mean over the chi distribution of the scale, by Simpson's rule: a smooth integrand over a known range.
pub fn noncentral_t_above(t: f64, df: f64, shift: f64) -> f64 {
    // With few degrees of freedom, the range is wide, and the integrand steep.
    let parts: usize = if df < 10.0 { 20_000 } else { 2_000 };
    let half = df / 2.0;
    let log_norm = half * half.ln() - ln_gamma(half) + std::f64::consts::LN_2;
    // The density of sqrt(chi2(df)/df), whose deviation is about 1/sqrt(2 df).
    let density = |s: f64| {
        if s <= 0.0 {
            // With one degree of freedom, the density is largest at zero.
            return if df > 1.0 { 0.0 } else { log_norm.exp() };
        }
        (log_norm + (df - 1.0) * s.ln() - half * s * s).exp()
    };
    let spread = 12.0 / (2.0 * df).sqrt();
    let (low, high) = ((1.0 - spread).max(0.0), 1.0 + spread);
    let step = (high - low) / crate::float(parts);
    let sum: f64 = (0..=parts)
        .map(|idx| {
            let s = low + step * crate::float(idx);
            let factor = match idx {
                it if it == 0 || it == parts => 1.0,
                it if it % 2 == 1 => 4.0,
                _ => 2.0,
            };
            factor * density(s) * normal_above(t * s - shift)
        })
        .sum();
    (sum * step / 3.0).clamp(0.0, 1.0)
}
