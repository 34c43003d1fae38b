//! Curves through points: nonlinear least squares by Levenberg and Marquardt, with exact derivatives.
//!
//! Own code, as the crate `levenberg-marquardt` needs an other nalgebra than the rest of the tree; the step is that of
//! Nielsen (1999), on columns that are scaled as in MINPACK, and the last steps are those of Gauss and Newton.

use crate::{Matrix, Stop, Trouble, dist, expr::Expression, float};

/// A curve, and the points that it should go through.
pub struct Problem<'a> {
    pub curve: &'a Expression,
    /// For each name of the curve: the number of its parameter, or its column.
    pub names: Vec<Name>,
    pub columns: Vec<Vec<f64>>,
    pub y: Vec<f64>,
}

/// What a name of the curve is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Parameter(usize),
    Column(usize),
}

/// A fitted curve.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub estimates: Vec<f64>,
    pub errors: Vec<f64>,
    pub intervals: Vec<(f64, f64)>,
    pub rss: f64,
    /// The standard deviation of the residuals.
    pub sigma: f64,
    pub df: f64,
    pub iterations: usize,
}

/// A point on the way: the parameters, the residuals, and their sum of squares.
#[derive(Clone)]
struct Point {
    at: Vec<f64>,
    residuals: Vec<f64>,
    rss: f64,
}

struct Way {
    end: Point,
    iterations: usize,
    is_converged: bool,
}

const MOST_ITERATIONS: usize = 2_000;

/// By what the damping of each parameter is multiplied.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    /// The largest length of its column so far, as in MINPACK.
    Largest,
    /// The current length of its column: for starts from which the slopes fall by many orders.
    Current,
    /// The same, and the parameters in which the curve is linear are not damped, but solved for at each point (variable
    /// projection, Kaufman 1975): for valleys along which they change by orders.
    Separated,
    One,
}

/// Where the damping starts, and how it is scaled: tried in this order.
const STRATEGIES: [(f64, Scale); 7] = [
    (1e-3, Scale::Largest),
    (1e-3, Scale::Separated),
    (1e-3, Scale::Current),
    (1.0, Scale::Largest),
    (1e2, Scale::Current),
    (1e-2, Scale::One),
    (1e-9, Scale::Largest),
];

impl Problem<'_> {
    fn numbers(&self, at: &[f64], row: usize) -> Vec<f64> {
        let number = |it: &Name| match it {
            Name::Parameter(it) => at[*it],
            Name::Column(it) => self.columns[*it][row],
        };
        self.names.iter().map(number).collect()
    }

    fn point(&self, at: Vec<f64>) -> Option<Point> {
        let of = |(row, y): (usize, &f64)| y - self.curve.value(&self.numbers(&at, row));
        let residuals: Vec<f64> = self.y.iter().enumerate().map(of).collect();
        let rss: f64 = residuals.iter().map(|it| it * it).sum();
        rss.is_finite().then_some(Point { at, residuals, rss })
    }

    /// The derivatives of the curve by the parameters.
    fn slopes(&self, at: &[f64]) -> Matrix {
        let rows = self.y.len();
        let mut columns = vec![vec![0.0; rows]; at.len()];
        let mut slopes = vec![0.0; self.names.len()];
        for row in 0..rows {
            slopes.fill(0.0);
            self.curve.slopes(&self.numbers(at, row), &mut slopes);
            for (name, slope) in self.names.iter().zip(&slopes) {
                if let Name::Parameter(it) = name {
                    let column: &mut Vec<f64> = &mut columns[*it];
                    column[row] += slope;
                }
            }
        }
        Matrix::new(rows, columns)
    }

    /// Parameters in which the curve is linear, all of them together: their slopes do not depend on them.
    fn linear(&self, at: &[f64]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for parameter in 0..at.len() {
            let tried: Vec<usize> = found.iter().copied().chain([parameter]).collect();
            let mut moved = at.to_vec();
            tried
                .iter()
                .zip([1.7, 0.6, 2.3].iter().cycle())
                .for_each(|(it, by)| moved[*it] = moved[*it] * by + 1.0);
            let (before, after) = (self.slopes(at), self.slopes(&moved));
            let is_same = |it: &usize| {
                let pairs = before.columns[*it].iter().zip(&after.columns[*it]);
                pairs.into_iter().all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()))
            };
            if tried.iter().all(is_same) {
                found = tried;
            }
        }
        found
    }

    /// The point, with the best numbers for the parameters in which the curve is linear.
    fn solved(&self, mut at: Vec<f64>, linear: &[usize]) -> Option<Point> {
        if linear.is_empty() {
            return self.point(at);
        }
        for it in linear {
            at[*it] = 0.0;
        }
        let rest = self.point(at.clone())?.residuals;
        let slopes = self.slopes(&at);
        let columns = linear.iter().map(|it| slopes.columns[*it].clone()).collect();
        let found = Matrix::new(rest.len(), columns).qr().ok()?.solve(&rest);
        linear.iter().zip(found).for_each(|(it, found)| at[*it] = found);
        self.point(at)
    }

    fn descend(
        &self,
        start: &Point,
        damping: f64,
        scale_by: Scale,
        stop: &Stop<'_>,
    ) -> Result<Way, Trouble> {
        let width = start.at.len();
        let linear = if scale_by == Scale::Separated { self.linear(&start.at) } else { Vec::new() };
        let mut point = self.solved(start.at.clone(), &linear).unwrap_or_else(|| start.clone());
        let mut scales = vec![if scale_by == Scale::One { 1.0_f64 } else { 0.0 }; width];
        let (mut damping, mut growth) = (damping, 2.0);
        let mut iterations = 0;
        let mut slopes = self.slopes(&point.at);
        while iterations < MOST_ITERATIONS {
            stop.check()?;
            iterations += 1;
            for (scale, column) in scales.iter_mut().zip(&slopes.columns) {
                let length = column.iter().map(|it| it * it).sum::<f64>().sqrt();
                *scale = match scale_by {
                    Scale::Largest => scale.max(length),
                    Scale::Separated => length,
                    Scale::Current => length,
                    Scale::One => 1.0,
                };
            }
            for it in &linear {
                scales[*it] = 0.0;
            }
            let Some(step) = damped(&slopes, &point.residuals, &scales, damping) else {
                damping = (damping * 10.0).max(1e-10);
                if damping > 1e30 {
                    break;
                }
                continue;
            };
            let is_small = step
                .iter()
                .zip(&point.at)
                .all(|(step, at)| step.abs() <= 1e-14 * at.abs().max(1e-30));
            if is_small {
                return Ok(Way { end: point, iterations, is_converged: true });
            }
            let next =
                self.solved(point.at.iter().zip(&step).map(|(a, b)| a + b).collect(), &linear);
            let Some(next) = next.filter(|it| it.rss < point.rss) else {
                damping *= growth;
                growth *= 2.0;
                if damping > 1e60 {
                    return Ok(Way { end: point, iterations, is_converged: true });
                }
                continue;
            };
            let expected: f64 = step
                .iter()
                .enumerate()
                .map(|(at, it)| {
                    let along: f64 =
                        slopes.columns[at].iter().zip(&point.residuals).map(|(a, b)| a * b).sum();
                    it * (damping * scales[at] * scales[at] * it + along)
                })
                .sum();
            let gain = (point.rss - next.rss) / expected;
            damping *= (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
            growth = 2.0;
            point = next;
            slopes = self.slopes(&point.at);
            if slopes.columns.iter().flatten().any(|it| !it.is_finite()) {
                break;
            }
        }
        Ok(Way { end: point, iterations, is_converged: false })
    }

    /// Full steps, as long as they become smaller: the descent stops where the sum of squares no longer falls, which is
    /// half of the digits of the parameters.
    fn polished(&self, mut point: Point) -> Point {
        let mut last = f64::INFINITY;
        for _ in 0..30 {
            let slopes = self.slopes(&point.at);
            let Ok(qr) = slopes.qr() else { break };
            let step = qr.solve(&point.residuals);
            let size = step
                .iter()
                .zip(&point.at)
                .map(|(s, a)| s.abs() / a.abs().max(1e-30))
                .fold(0.0, f64::max);
            let next = self.point(point.at.iter().zip(&step).map(|(a, b)| a + b).collect());
            let Some(next) = next.filter(|it| it.rss <= point.rss * (1.0 + 1e-9) && size < last)
            else {
                break;
            };
            last = size;
            point = next;
        }
        point
    }

    /// Whether the residuals are as good as orthogonal to the tangent plane, or as good as zero.
    fn is_minimum(&self, point: &Point) -> bool {
        let largest = self.y.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        if point.rss <= 1e-20 * largest * largest {
            return true;
        }
        let slopes = self.slopes(&point.at);
        let Ok(qr) = slopes.qr() else {
            // Parameters that the points do not determine: each slope alone.
            let along = |it: &Vec<f64>| {
                it.iter().zip(&point.residuals).map(|(a, b)| a * b).sum::<f64>().powi(2)
            };
            let square = |it: &Vec<f64>| it.iter().map(|it| it * it).sum::<f64>();
            return slopes.columns.iter().all(|it| along(it) <= 1e-8 * square(it) * point.rss);
        };
        let turned = qr.turned(&point.residuals);
        let along: f64 = turned[..qr.width()].iter().map(|it| it * it).sum();
        along <= 1e-8 * point.rss
    }
}

/// The step for a damping; none if it is not a number.
fn damped(slopes: &Matrix, residuals: &[f64], scales: &[f64], damping: f64) -> Option<Vec<f64>> {
    let width = slopes.width();
    let column = |(at, it): (usize, &Vec<f64>)| {
        let mut column = it.clone();
        column.extend(
            (0..width)
                .map(|row| if row == at { damping.sqrt() * scales[at].max(1e-150) } else { 0.0 }),
        );
        column
    };
    let columns = slopes.columns.iter().enumerate().map(column).collect();
    let mut y = residuals.to_vec();
    y.resize(residuals.len() + width, 0.0);
    let step = Matrix::new(y.len(), columns).qr().ok()?.solve(&y);
    step.iter().all(|it| it.is_finite()).then_some(step)
}

/// Finds the parameters with the least squares, from a start.
///
/// # Errors
/// Too few points, a curve that is not a number at the start, parameters that the points do not determine, or no convergence.
pub fn fit(
    problem: &Problem<'_>,
    start: &[f64],
    names: &[String],
    stop: &Stop<'_>,
) -> Result<Fitted, Trouble> {
    let (n, k) = (problem.y.len(), start.len());
    if n <= k {
        return Err(Trouble::new(format!(
            "expected more rows than parameters: {n} rows, {k} parameters"
        ))
        .help("add rows"));
    }
    let Some(first) = problem.point(start.to_vec()) else {
        let is_bad = |row: &usize| !problem.curve.value(&problem.numbers(start, *row)).is_finite();
        let row = (0..n).find(is_bad).map_or(0, |it| it + 1);
        return Err(Trouble::new(format!("the curve is not a number at the start, in row {row}"))
            .help("choose other numbers in `start`"));
    };
    let mut best: Option<Way> = None;
    let mut iterations = 0;
    for (damping, scale) in STRATEGIES {
        let way = problem.descend(&first, damping, scale, stop)?;
        iterations += way.iterations;
        let end = problem.polished(way.end);
        let is_converged = problem.is_minimum(&end);
        let is_better = best
            .as_ref()
            .is_none_or(|it| (is_converged, -end.rss) > (it.is_converged, -it.end.rss));
        if is_better {
            best = Some(Way { end, iterations, is_converged });
        }
        // A second way is only for those that did not arrive: it may end in an other valley.
        if is_converged && way.is_converged {
            break;
        }
    }
    let Some(best) = best.filter(|it| it.is_converged) else {
        return Err(Trouble::new("the curve does not converge from this start")
            .help("choose numbers in `start` that are nearer, for example from a plot"));
    };
    let slopes = problem.slopes(&best.end.at);
    let qr = slopes.qr().map_err(|at| {
        Trouble::new(format!("the rows do not determine `{}`", names[at]))
            .help("leave it out of the formula, or add rows where it matters")
    })?;
    let df = float(n - k);
    let variance = best.end.rss / df;
    let inverse = qr.inverse_of_square();
    let t = dist::t_quantile(0.975, df);
    let errors: Vec<f64> = (0..k).map(|at| (variance * inverse[at][at]).sqrt()).collect();
    let intervals =
        best.end.at.iter().zip(&errors).map(|(it, error)| (it - t * error, it + t * error));
    Ok(Fitted {
        intervals: intervals.collect(),
        estimates: best.end.at,
        errors,
        rss: best.end.rss,
        sigma: variance.sqrt(),
        df,
        iterations,
    })
}
