//! Scores as probabilities: Platt's sigmoid, fitted as in Lin, Lin and Weng (2007).

use crate::float;

pub(super) fn probability(score: f64, (slope, offset): (f64, f64)) -> f64 {
    let x = slope * score + offset;
    if x >= 0.0 { (-x).exp() / (1.0 + (-x).exp()) } else { 1.0 / (1.0 + x.exp()) }
}

/// The slope and the offset for scores, of which each says whether it belongs to the class.
pub(super) fn sigmoid(pairs: &[(f64, bool)]) -> (f64, f64) {
    let positive = float(pairs.iter().filter(|it| it.1).count());
    let negative = float(pairs.len()) - positive;
    let (high, low) = ((positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0));
    let (mut slope, mut offset) = (0.0, ((negative + 1.0) / (positive + 1.0)).ln());
    let target = |is_own: bool| if is_own { high } else { low };
    let loss = |slope: f64, offset: f64| -> f64 {
        let of = |(score, is_own): &(f64, bool)| {
            let (x, t) = (slope * score + offset, target(*is_own));
            if x >= 0.0 { t * x + (-x).exp().ln_1p() } else { (t - 1.0) * x + x.exp().ln_1p() }
        };
        pairs.iter().map(of).sum()
    };
    let mut best = loss(slope, offset);
    for _ in 0..100 {
        let (mut aa, mut ab, mut bb, mut a, mut b) = (1e-12, 0.0, 1e-12, 0.0, 0.0);
        for (score, is_own) in pairs {
            let p = probability(*score, (slope, offset));
            let (weight, off) = (p * (1.0 - p), target(*is_own) - p);
            aa += score * score * weight;
            ab += score * weight;
            bb += weight;
            a += score * off;
            b += off;
        }
        if a.abs() < 1e-9 && b.abs() < 1e-9 {
            break;
        }
        let determinant = aa * bb - ab * ab;
        let (da, db) = (-(bb * a - ab * b) / determinant, -(aa * b - ab * a) / determinant);
        let slant = a * da + b * db;
        let mut step = 1.0;
        loop {
            let next = loss(slope + step * da, offset + step * db);
            if next < best + 1e-4 * step * slant {
                (slope, offset, best) = (slope + step * da, offset + step * db, next);
                break;
            }
            step /= 2.0;
            if step < 1e-10 {
                return (slope, offset);
            }
        }
    }
    (slope, offset)
}
