//! A quadratic model of the points around the best one, and its minimum.

use super::state::State;
use crate::{
    float,
    matrix::{Square, dot, eigen, norm, solve, times, transposed_times},
};

/// The most dimensions of a full quadratic model; above it, only squares of single coordinates are part of it.
const FULL: usize = 12;

/// The number of coefficients of a model in so many dimensions.
pub(super) fn coefficients(size: usize) -> usize {
    if size <= FULL { (size + 1) * (size + 2) / 2 } else { 2 * size + 1 }
}

/// Where a quadratic model has its minimum near the best point.
///
/// The model is fitted by weighted least squares to the nearest points in the metric of the distribution, as in
/// lq-CMA-ES (Hansen, *A Global Surrogate Assisted CMA-ES*, GECCO 2019). Its minimum is searched no further away than
/// `trust` times the distance of the fitted points (Moré and Sorensen, 1983).
pub(super) fn minimum(
    state: &State,
    archive: &[(Vec<f64>, f64)],
    best: &[f64],
    trust: f64,
) -> Option<Vec<f64>> {
    let size = best.len();
    let unknowns = coefficients(size);
    let mut near: Vec<(Vec<f64>, f64, f64)> = archive
        .iter()
        .filter(|it| it.1.is_finite())
        .map(|(point, value)| {
            let step: Vec<f64> =
                point.iter().zip(best).map(|(it, best)| (it - best) / state.sigma).collect();
            let white = state.whiten(&step);
            let distance = norm(&white);
            (white, *value, distance)
        })
        .collect();
    if near.len() < unknowns + 1 {
        return None;
    }
    near.sort_by(|left, right| left.2.total_cmp(&right.2));
    near.truncate((unknowns * 3 / 2).max(unknowns + 2));
    let reach = near.last().map_or(0.0, |it| it.2);
    if !(reach > 0.0 && reach.is_finite()) {
        return None;
    }
    near.sort_by(|left, right| left.1.total_cmp(&right.1));
    let (gradient, curvature) = fit(&near, size, unknowns, reach)?;
    let white: Vec<f64> =
        step(&gradient, &curvature, trust)?.into_iter().map(|it| it * reach).collect();
    let moved = state.stretch(&white);
    Some(best.iter().zip(moved).map(|(best, it)| best + state.sigma * it).collect())
}

/// The gradient and the second derivatives, given points from the best to the worst.
#[expect(
    clippy::needless_range_loop,
    reason = "the matrix is symmetric, so two cells are set at a time"
)]
fn fit(
    points: &[(Vec<f64>, f64, f64)],
    size: usize,
    unknowns: usize,
    reach: f64,
) -> Option<(Vec<f64>, Square)> {
    let lowest = points.first()?.1;
    let spread = points.get(points.len() / 2)?.1 - lowest;
    if !(spread > 0.0 && spread.is_finite()) {
        return None;
    }
    let mut normal = vec![vec![0.0; unknowns]; unknowns];
    let mut right = vec![0.0; unknowns];
    for (rank, (white, value, _)) in points.iter().enumerate() {
        let weight = (1.0 - float(rank) / float(points.len())).powi(2);
        let terms = terms(white, reach);
        // Values far above the median say little about the minimum.
        let value = ((value - lowest) / spread).min(1e3);
        for (row, left) in terms.iter().enumerate() {
            right[row] += weight * left * value;
            for (cell, term) in normal[row].iter_mut().zip(&terms) {
                *cell += weight * left * term;
            }
        }
    }
    for (index, row) in normal.iter_mut().enumerate() {
        row[index] = row[index] * (1.0 + 1e-10) + 1e-14;
    }
    let solved = solve(normal, right)?;
    let gradient = solved[1..=size].to_vec();
    let mut curvature = vec![vec![0.0; size]; size];
    let mut rest = solved[size + 1..].iter();
    for row in 0..size {
        curvature[row][row] = 2.0 * rest.next()?;
        if size <= FULL {
            for col in row + 1..size {
                let mixed = *rest.next()?;
                curvature[row][col] = mixed;
                curvature[col][row] = mixed;
            }
        }
    }
    Some((gradient, curvature))
}

/// 1, the coordinates, and their products.
fn terms(white: &[f64], reach: f64) -> Vec<f64> {
    let scaled: Vec<f64> = white.iter().map(|it| it / reach).collect();
    let mut terms = vec![1.0];
    terms.extend(&scaled);
    for (row, left) in scaled.iter().enumerate() {
        terms.push(left * left);
        if scaled.len() <= FULL {
            terms.extend(scaled[row + 1..].iter().map(|right| left * right));
        }
    }
    terms
}

/// The step to the minimum of a quadratic function within a ball.
fn step(gradient: &[f64], curvature: &Square, radius: f64) -> Option<Vec<f64>> {
    let (values, axes) = eigen(curvature);
    let slope = transposed_times(&axes, gradient);
    let at = |shift: f64| -> Vec<f64> {
        slope.iter().zip(&values).map(|(it, value)| -it / (value + shift)).collect()
    };
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let length = norm(&slope);
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let largest = values.iter().map(|it| it.abs()).fold(0.0, f64::max);
    let mut low = (-lowest).max(0.0);
    if lowest > largest * 1e-12 && dot(&at(0.0), &at(0.0)) <= radius * radius {
        return Some(times(&axes, &at(0.0)));
    }
    let mut high = low + length / radius + largest * 1e-12;
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if norm(&at(middle)) > radius {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(times(&axes, &at(high)))
}
