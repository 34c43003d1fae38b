//! What `smartcore` learns: linear models and naive Bayes, as plain numbers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use smartcore::{
    linalg::basic::{arrays::Array, matrix::DenseMatrix},
    linear::{
        logistic_regression::{LogisticRegression, LogisticRegressionParameters},
        ridge_regression::{RidgeRegression, RidgeRegressionParameters},
    },
    naive_bayes::gaussian::{GaussianNB, GaussianNBParameters},
};

use super::{algorithms::Unfit, encode::Matrix, state::Fitted};

/// Calls the library, which panics for some matrices.
fn guarded<T>(work: impl FnOnce() -> Result<T, smartcore::error::Failed>) -> Result<T, Unfit> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(it)) => Ok(it),
        Ok(Err(err)) => Err(Unfit::Failed(err.to_string())),
        Err(_) => Err(Unfit::Failed("it cannot learn from these numbers".to_owned())),
    }
}

fn finite(fitted: Fitted, numbers: &[&[f64]]) -> Result<Fitted, Unfit> {
    if numbers.iter().all(|it| it.iter().all(|it| it.is_finite())) {
        return Ok(fitted);
    }
    Err(Unfit::Failed("its numbers became infinite".to_owned()))
}

fn dense(x: &Matrix) -> Result<DenseMatrix<f64>, smartcore::error::Failed> {
    DenseMatrix::new(x.len(), x.width, x.cells.clone(), false)
}

pub(super) fn ridge(x: &Matrix, y: &[f64], alpha: f64) -> Result<Fitted, Unfit> {
    #[expect(clippy::cast_precision_loss, reason = "there are at most 50,000 rows")]
    let mean = y.iter().sum::<f64>() / y.len().max(1) as f64;
    let centred: Vec<f64> = y.iter().map(|it| it - mean).collect();
    let weights: Vec<f64> = guarded(|| {
        let params = RidgeRegressionParameters::default().with_alpha(alpha).with_normalize(false);
        let found = RidgeRegression::fit(&dense(x)?, &centred, params)?;
        Ok(found.coefficients().iterator(0).copied().collect())
    })?;
    let biases = vec![mean];
    finite(
        Fitted::Linear { weights: weights.clone(), biases: biases.clone() },
        &[&weights, &biases],
    )
}

pub(super) fn logistic(
    x: &Matrix,
    of: &[usize],
    outputs: usize,
    alpha: f64,
) -> Result<Fitted, Unfit> {
    // The library numbers the classes that it sees; a rare class may be missing in a part.
    let classes: Vec<i64> = of.iter().map(|it| i64::try_from(*it).unwrap_or(0)).collect();
    let (own, bias, seen): (Vec<f64>, Vec<f64>, Vec<i64>) = guarded(|| {
        let params = LogisticRegressionParameters::default().with_alpha(alpha);
        let found = LogisticRegression::fit(&dense(x)?, &classes, params)?;
        let all = |it: &DenseMatrix<f64>| it.iterator(0).copied().collect();
        Ok((all(found.coefficients()), all(found.intercept()), found.classes().clone()))
    })?;
    if seen.len() == 2 && outputs == 2 {
        let fitted = Fitted::Linear { weights: own.clone(), biases: bias.clone() };
        return finite(fitted, &[&own, &bias]);
    }
    let mut weights = vec![0.0; outputs * x.width];
    let mut biases = vec![-1e9; outputs];
    // Of two classes, the library has the weights of the second one.
    let rows = own.chunks_exact(x.width).zip(&bias);
    let owners = if seen.len() == 2 { &seen[1..] } else { &seen[..] };
    if let (2, Some(first)) = (seen.len(), seen.first().and_then(|it| usize::try_from(*it).ok())) {
        biases[first] = 0.0;
    }
    for ((row, bias), class) in rows.zip(owners) {
        let at = usize::try_from(*class).unwrap_or(0);
        weights[at * x.width..][..x.width].copy_from_slice(row);
        biases[at] = *bias;
    }
    finite(
        Fitted::Linear { weights: weights.clone(), biases: biases.clone() },
        &[&weights, &biases],
    )
}

pub(super) fn bayes(x: &Matrix, of: &[usize], outputs: usize) -> Result<Fitted, Unfit> {
    let classes: Vec<u32> = of.iter().map(|it| u32::try_from(*it).unwrap_or(0)).collect();
    let (own_priors, theta, var, seen) = guarded(|| {
        let found = GaussianNB::fit(&dense(x)?, &classes, GaussianNBParameters::default())?;
        let parts = (found.class_priors().clone(), found.theta().clone(), found.var().clone());
        Ok((parts.0, parts.1, parts.2, found.classes().clone()))
    })?;
    let mut priors = vec![-1e9; outputs];
    let mut means = vec![0.0; outputs * x.width];
    let mut variances = vec![1.0; outputs * x.width];
    for (idx, class) in seen.iter().enumerate() {
        let at = *class as usize;
        priors[at] = own_priors[idx].max(f64::MIN_POSITIVE).ln();
        means[at * x.width..][..x.width].copy_from_slice(&theta[idx]);
        // The columns are scaled, so a small share of 1 keeps constant ones from deciding alone.
        let smoothed = var[idx].iter().map(|it| it + 1e-9);
        variances[at * x.width..][..x.width].iter_mut().zip(smoothed).for_each(|(to, it)| *to = it);
    }
    let parts = [priors.clone(), means.clone(), variances.clone()];
    let fitted = Fitted::Bayes { priors, means, variances };
    finite(fitted, &[&parts[0], &parts[1], &parts[2]])
}
