//! Effects of several studies as one.

use crate::{Trouble, dist, float};

/// How the effects of the studies differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// All studies have the same effect.
    Fixed,
    /// Effects vary; the variance is estimated by `DerSimonian` and Laird.
    DerSimonianLaird,
    /// The variance has the largest restricted likelihood.
    Reml,
}

/// The effect of all studies.
#[derive(Clone, Debug)]
pub struct Pooled {
    pub estimate: f64,
    pub error: f64,
    pub interval: (f64, f64),
    pub z: f64,
    pub p: f64,
    /// Cochran's Q, its degrees of freedom and its p-value.
    pub q: (f64, f64, f64),
    /// The share of the variance that is between studies.
    pub i2: f64,
    /// The variance between studies.
    pub tau2: f64,
    /// The interval of the effect of a new study.
    pub prediction: Option<(f64, f64)>,
    /// The share of each study.
    pub weights: Vec<f64>,
}

fn mean(effects: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    effects.iter().zip(weights).map(|(it, w)| it * w).sum::<f64>() / sum
}

/// Pools effects with their standard errors.
///
/// # Errors
/// Fewer than two studies, or an error that is not positive.
pub fn pool(effects: &[f64], errors: &[f64], model: Model) -> Result<Pooled, Trouble> {
    let n = effects.len();
    if n < 2 {
        return Err(Trouble::new(format!("expected at least two studies, found {n}")));
    }
    if let Some(at) = errors.iter().position(|it| *it <= 0.0) {
        let (row, found) = (at + 1, errors[at]);
        return Err(Trouble::new(format!(
            "expected a standard error above 0 in row {row}, found {found}"
        )));
    }
    let variances: Vec<f64> = errors.iter().map(|it| it * it).collect();
    let weights: Vec<f64> = variances.iter().map(|it| 1.0 / it).collect();
    let middle = mean(effects, &weights);
    let q: f64 = effects.iter().zip(&weights).map(|(it, w)| w * (it - middle).powi(2)).sum();
    let df = float(n - 1);
    let (sum, squares) =
        (weights.iter().sum::<f64>(), weights.iter().map(|it| it * it).sum::<f64>());
    let laird = ((q - df) / (sum - squares / sum)).max(0.0);
    let tau2 = match model {
        Model::Fixed => 0.0,
        Model::DerSimonianLaird => laird,
        Model::Reml => restricted(effects, &variances, laird),
    };
    let weights: Vec<f64> = variances.iter().map(|it| 1.0 / (it + tau2)).collect();
    let sum: f64 = weights.iter().sum();
    let estimate = mean(effects, &weights);
    let error = (1.0 / sum).sqrt();
    let half = dist::normal_quantile(0.975) * error;
    let prediction = (n > 2 && model != Model::Fixed).then(|| {
        let half = dist::t_quantile(0.975, float(n - 2)) * (tau2 + error * error).sqrt();
        (estimate - half, estimate + half)
    });
    Ok(Pooled {
        estimate,
        error,
        interval: (estimate - half, estimate + half),
        z: estimate / error,
        p: 2.0 * dist::normal_above((estimate / error).abs()),
        q: (q, df, dist::chi2_above(q, df)),
        i2: if q > df { (q - df) / q } else { 0.0 },
        tau2,
        prediction,
        weights: weights.iter().map(|it| it / sum).collect(),
    })
}

/// The variance between studies with the largest restricted likelihood: where its slope is zero.
fn restricted(effects: &[f64], variances: &[f64], start: f64) -> f64 {
    let slope = |tau2: f64| {
        let weights: Vec<f64> = variances.iter().map(|it| 1.0 / (it + tau2)).collect();
        let middle = mean(effects, &weights);
        let (mut sum, mut squares, mut fit) = (0.0, 0.0, 0.0);
        for (it, w) in effects.iter().zip(&weights) {
            sum += w;
            squares += w * w;
            fit += w * w * (it - middle).powi(2);
        }
        fit - sum + squares / sum
    };
    let spread: f64 =
        effects.iter().fold(0.0, |most, it| f64::max(most, (it - effects[0]).powi(2)));
    // The slope may have several roots; of each interval in which it turns from positive to negative, the likelihood decides.
    let log_likelihood = |tau2: f64| {
        let weights: Vec<f64> = variances.iter().map(|it| 1.0 / (it + tau2)).collect();
        let middle = mean(effects, &weights);
        let sum: f64 = weights.iter().sum();
        let fit: f64 = effects.iter().zip(&weights).map(|(it, w)| w * (it - middle).powi(2)).sum();
        -0.5 * (-weights.iter().map(|it| it.ln()).sum::<f64>() + sum.ln() + fit)
    };
    let most = 4.0 * spread + start;
    let mut places = vec![0.0];
    places.extend((0..=200).map(|it| most * 1e-10_f64.powf(1.0 - f64::from(it) / 200.0)));
    let mut best = (log_likelihood(0.0), 0.0);
    for pair in places.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        if slope(low) <= 0.0 || slope(high) > 0.0 {
            continue;
        }
        for _ in 0..100 {
            let middle = low.midpoint(high);
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        let found = low.midpoint(high);
        if log_likelihood(found) > best.0 {
            best = (log_likelihood(found), found);
        }
    }
    best.1
}
