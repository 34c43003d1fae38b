//! Predictions of what was learnt.

use svc_contract::registry::{Cx, OpError};

use super::{
    encode::{Matrix, scaled},
    state::Fitted,
};

/// The scores of a row: the probability of each class, or one number.
pub(super) type Scores = Vec<f64>;

fn damaged() -> OpError {
    OpError::invalid_input("the model is damaged: its parts do not fit each other")
        .help("learn it again")
}

impl Fitted {
    /// The scores of all rows; `outputs` is 1 for numbers.
    pub(super) fn scores(
        &self,
        x: &Matrix,
        scales: &[(f64, f64)],
        outputs: usize,
        cx: &Cx,
    ) -> Result<Vec<Scores>, OpError> {
        if scales.len() != x.width {
            return Err(damaged());
        }
        let mut all = Vec::with_capacity(x.len());
        for row in x.rows() {
            cx.check()?;
            let scores = self.row(row, scales, outputs).filter(|it| it.len() == outputs);
            all.push(scores.ok_or_else(damaged)?);
        }
        Ok(all)
    }

    fn row(&self, row: &[f64], scales: &[(f64, f64)], outputs: usize) -> Option<Scores> {
        match self {
            Self::Constant { scores } => Some(scores.clone()),
            Self::Linear { weights, biases } => {
                let row = scaled(row, scales);
                let sum = |at: usize| -> Option<f64> {
                    let own = weights.get(at * row.len()..(at + 1) * row.len())?;
                    Some(own.iter().zip(&row).map(|(a, b)| a * b).sum::<f64>() + biases.get(at)?)
                };
                let sums: Option<Vec<f64>> = (0..biases.len()).map(sum).collect();
                sums.map(|it| if outputs > 1 { softmax(it) } else { it })
            }
            Self::Bayes { priors, means, variances } => {
                let row = scaled(row, scales);
                let score = |at: usize| -> Option<f64> {
                    let own = at * row.len()..(at + 1) * row.len();
                    let (means, variances) = (means.get(own.clone())?, variances.get(own)?);
                    let parts = row.iter().zip(means.iter().zip(variances));
                    let part = |(x, (mean, variance)): (&f64, (&f64, &f64))| {
                        variance.ln() + (x - mean) * (x - mean) / variance
                    };
                    Some(priors.get(at)? - 0.5 * parts.map(part).sum::<f64>())
                };
                let sums: Option<Vec<f64>> = (0..priors.len()).map(score).collect();
                sums.map(softmax)
            }
            Self::Neighbours { k, is_scaled, rows, targets, outputs: known } => {
                if *known != outputs {
                    return None;
                }
                let row = if *is_scaled { scaled(row, scales) } else { row.to_vec() };
                nearest(&row, rows, targets, *k, outputs)
            }
            Self::Forest { trees, outputs: known } => {
                if *known != outputs || trees.is_empty() {
                    return None;
                }
                let mut sums = vec![0.0; outputs];
                for tree in trees {
                    let values = tree.of(row, outputs)?;
                    sums.iter_mut().zip(values).for_each(|(sum, it)| *sum += f64::from(*it));
                }
                #[expect(clippy::cast_precision_loss, reason = "there are few trees")]
                let count = trees.len() as f64;
                Some(sums.into_iter().map(|it| it / count).collect())
            }
            Self::Boosted { start, rate, trees } => {
                let mut sums = start.clone();
                if sums.is_empty() {
                    return None;
                }
                for (idx, tree) in trees.iter().enumerate() {
                    let at = idx % start.len();
                    sums[at] += rate * f64::from(*tree.of(row, 1)?.first()?);
                }
                Some(if outputs > 1 { softmax(sums) } else { sums })
            }
        }
    }
}

/// Probabilities of scores; one score is that of the second of two classes.
pub(super) fn softmax(scores: Vec<f64>) -> Scores {
    let scores = if let [one] = scores[..] { vec![0.0, one] } else { scores };
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|it| (it - highest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|it| it / sum).collect()
}

/// What the nearest rows say, each by its nearness.
fn nearest(row: &[f64], rows: &[f32], targets: &[f32], k: usize, outputs: usize) -> Option<Scores> {
    if row.is_empty() || rows.len() != targets.len() * row.len() || targets.is_empty() {
        return None;
    }
    let distance = |other: &[f32]| -> f64 {
        let difference = |(a, b): (&f64, &f32)| (a - f64::from(*b)) * (a - f64::from(*b));
        row.iter().zip(other).map(difference).sum()
    };
    let mut all: Vec<(f64, usize)> = rows.chunks_exact(row.len()).map(distance).zip(0..).collect();
    let k = k.clamp(1, all.len());
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    all.select_nth_unstable_by(k - 1, order);
    all.truncate(k);
    all.sort_by(order);
    // Rows that are equal to this one decide alone.
    let is_exact = all[0].0 == 0.0;
    let weight = |it: f64| if is_exact { f64::from(u8::from(it == 0.0)) } else { 1.0 / it.sqrt() };
    let mut sums = vec![0.0; outputs];
    let mut total = 0.0;
    for (distance, at) in all {
        let (weight, target) = (weight(distance), f64::from(targets[at]));
        total += weight;
        if outputs == 1 {
            sums[0] += weight * target;
        } else {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a class")]
            let class = target as usize;
            *sums.get_mut(class)? += weight;
        }
    }
    Some(sums.into_iter().map(|it| it / total).collect())
}

/// The place of the highest score; the first one of equal scores.
pub(super) fn highest(scores: &[f64]) -> usize {
    let mut best = 0;
    for (at, it) in scores.iter().enumerate() {
        if *it > scores[best] {
            best = at;
        }
    }
    best
}
