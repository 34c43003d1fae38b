//! Complement naive Bayes (Rennie et al. 2003): the weights of a class come from the texts of all others.

use super::{Document, Weights};

/// Added to each count.
const SMOOTHING: f64 = 0.1;

#[expect(clippy::cast_possible_truncation, reason = "weights need no more digits")]
pub(super) fn train(
    documents: &[Document],
    rows: &[usize],
    of: &[usize],
    outputs: usize,
    width: usize,
) -> Weights {
    let classes = outputs.max(2);
    let mut counts = vec![vec![SMOOTHING; width]; classes];
    for row in rows {
        for (at, it) in &documents[*row] {
            counts[of[*row]][*at as usize] += f64::from(*it);
        }
    }
    let all: Vec<f64> = (0..width).map(|at| counts.iter().map(|it| it[at]).sum()).collect();
    let logs = |class: usize| -> Vec<f64> {
        let rest = all.iter().zip(&counts[class]).map(|(all, own)| all - own);
        let sum: f64 = rest.clone().sum();
        rest.map(|it| -(it / sum).ln()).collect()
    };
    let weights: Vec<Vec<f64>> = (0..classes).map(logs).collect();
    let narrow = |it: Vec<f64>| it.into_iter().map(|it| it as f32).collect();
    let outputs: Vec<Vec<f32>> = if outputs == 1 {
        vec![narrow(weights[1].iter().zip(&weights[0]).map(|(a, b)| a - b).collect())]
    } else {
        weights.into_iter().map(narrow).collect()
    };
    let biases = vec![0.0; outputs.len()];
    Weights { outputs, biases }
}
