//! Means: t tests and the analysis of variance.

use super::{Alternative, Outcome, constant, constants, is_rounding, needs, untestable};
use crate::{
    Trouble,
    describe::{mean, squares, variance},
    dist, float,
};

fn of_t(method: &str, estimate: f64, error: f64, df: f64, d: f64, side: Alternative) -> Outcome {
    let t = estimate / error;
    let half = dist::t_quantile(0.975, df) * error;
    Outcome {
        method: method.to_owned(),
        statistic: t,
        df: Some(df),
        p: side.of_t(t, df),
        estimate: Some(estimate),
        interval: Some((estimate - half, estimate + half)),
        effect: Some(("cohen_d", d)),
        ..Outcome::default()
    }
}

/// Student's t test of two samples with equal variances.
pub fn student(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    needs("the first sample", a, 2)?;
    needs("the second sample", b, 2)?;
    let (n, m) = (float(a.len()), float(b.len()));
    let df = n + m - 2.0;
    let pooled = (squares(a) + squares(b)) / df;
    if is_rounding(&[a, b], pooled, mean(a).abs().max(mean(b).abs())) {
        return Err(constants(&[a, b]));
    }
    let difference = mean(a) - mean(b);
    let error = (pooled * (1.0 / n + 1.0 / m)).sqrt();
    Ok(of_t(
        "Student's t test of two samples",
        difference,
        error,
        df,
        difference / pooled.sqrt(),
        side,
    ))
}

/// Welch's t test of two samples.
pub fn welch(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    needs("the first sample", a, 2)?;
    needs("the second sample", b, 2)?;
    let (n, m) = (float(a.len()), float(b.len()));
    let (va, vb) = (variance(a), variance(b));
    let (of_a, of_b) = (va / n, vb / m);
    if is_rounding(&[a, b], va + vb, mean(a).abs().max(mean(b).abs())) {
        return Err(constants(&[a, b]));
    }
    let df = (of_a + of_b).powi(2) / (of_a * of_a / (n - 1.0) + of_b * of_b / (m - 1.0));
    let difference = mean(a) - mean(b);
    let d = difference / f64::midpoint(va, vb).sqrt();
    Ok(of_t("Welch's t test of two samples", difference, (of_a + of_b).sqrt(), df, d, side))
}

/// The t test of one sample against a mean.
pub fn one_sample(a: &[f64], against: f64, side: Alternative) -> Result<Outcome, Trouble> {
    needs("the sample", a, 2)?;
    let v = variance(a);
    if is_rounding(&[a], v, mean(a)) {
        return Err(constant());
    }
    let n = float(a.len());
    let difference = mean(a) - against;
    Ok(of_t(
        "t test of one sample",
        difference,
        (v / n).sqrt(),
        n - 1.0,
        difference / v.sqrt(),
        side,
    ))
}

/// The t test of the differences of pairs.
pub fn paired(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    needs("the pairs", &differences, 2)?;
    if is_rounding(&[&differences], variance(&differences), mean(&differences)) {
        return Err(untestable("the differences of the pairs are equal"));
    }
    let found = one_sample(&differences, 0.0, side)?;
    Ok(Outcome { method: "t test of pairs".to_owned(), ..found })
}

/// The analysis of variance of two groups or more.
pub fn anova(groups: &[Vec<f64>]) -> Result<Outcome, Trouble> {
    if groups.len() < 2 {
        return Err(Trouble::new(format!("expected at least two groups, found {}", groups.len())));
    }
    if let Some(at) = groups.iter().position(Vec::is_empty) {
        return Err(Trouble::new(format!("group {} has no numbers", at + 1)));
    }
    let n: usize = groups.iter().map(Vec::len).sum();
    let (df, df2) = (float(groups.len() - 1), float(n) - float(groups.len()));
    if df2 < 1.0 {
        return Err(Trouble::new("every group has a single number").help("add rows"));
    }
    // Around the mean of all, so that large numbers keep their digits.
    let all: Vec<f64> = groups.concat();
    let middle = mean(&all);
    let moved: Vec<Vec<f64>> =
        groups.iter().map(|it| it.iter().map(|it| it - middle).collect()).collect();
    let whole = mean(&moved.concat());
    let between: f64 = moved.iter().map(|it| float(it.len()) * (mean(it) - whole).powi(2)).sum();
    let within: f64 = moved.iter().map(|it| squares(it)).sum();
    let samples: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
    if is_rounding(&samples, within, middle) {
        return Err(Trouble::new("the numbers do not vary within the groups"));
    }
    let f = (between / df) / (within / df2);
    Ok(Outcome {
        method: "analysis of variance".to_owned(),
        statistic: f,
        df: Some(df),
        df2: Some(df2),
        p: dist::f_above(f, df, df2),
        effect: Some(("eta_squared", between / (between + within))),
        ..Outcome::default()
    })
}
