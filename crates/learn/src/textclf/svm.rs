//! A linear support vector machine with squared hinge loss, by dual coordinate descent (Hsieh et al. 2008).

use super::{Document, Settings, Weights};
use crate::{Stop, Trouble};

const MOST_ROUNDS: usize = 200;
/// The descent ends when no gradient is larger.
const NEAR: f64 = 0.01;

pub(super) fn train(
    documents: &[Document],
    rows: &[usize],
    of: &[usize],
    outputs: usize,
    width: usize,
    settings: Settings,
    stop: &Stop<'_>,
) -> Result<Weights, Trouble> {
    let mut all = Weights::default();
    for output in 0..outputs {
        let class = if outputs == 1 { 1 } else { output };
        let (weights, bias) = one(documents, rows, |row| of[row] == class, width, settings, stop)?;
        all.outputs.push(weights);
        all.biases.push(bias);
    }
    Ok(all)
}

#[expect(clippy::cast_possible_truncation, reason = "weights need no more digits")]
fn one(
    documents: &[Document],
    rows: &[usize],
    is_own: impl Fn(usize) -> bool,
    width: usize,
    settings: Settings,
    stop: &Stop<'_>,
) -> Result<(Vec<f32>, f64), Trouble> {
    let mut rng = fastrand::Rng::with_seed(settings.seed);
    let diagonal = 0.5 / settings.cost;
    // The bias is the weight of a feature that is 1 in all texts.
    let square =
        |row: usize| 1.0 + documents[row].iter().map(|it| f64::from(it.1).powi(2)).sum::<f64>();
    let squares: Vec<f64> = rows.iter().map(|row| square(*row) + diagonal).collect();
    let (mut weights, mut bias) = (vec![0.0_f64; width], 0.0_f64);
    let mut alphas = vec![0.0_f64; rows.len()];
    let mut order: Vec<usize> = (0..rows.len()).collect();
    for _ in 0..MOST_ROUNDS {
        stop.check()?;
        rng.shuffle(&mut order);
        let mut largest = 0.0_f64;
        for at in &order {
            let document = &documents[rows[*at]];
            let sign = if is_own(rows[*at]) { 1.0 } else { -1.0 };
            let score = bias
                + document
                    .iter()
                    .map(|(at, it)| weights[*at as usize] * f64::from(*it))
                    .sum::<f64>();
            let slope = sign * score - 1.0 + alphas[*at] * diagonal;
            let along = if alphas[*at] == 0.0 { slope.min(0.0) } else { slope };
            if along.abs() < 1e-12 {
                continue;
            }
            largest = largest.max(along.abs());
            let before = alphas[*at];
            alphas[*at] = (before - slope / squares[*at]).max(0.0);
            let step = (alphas[*at] - before) * sign;
            bias += step;
            for (at, it) in document {
                weights[*at as usize] += step * f64::from(*it);
            }
        }
        if largest < NEAR {
            break;
        }
    }
    Ok((weights.iter().map(|it| *it as f32).collect(), bias))
}
