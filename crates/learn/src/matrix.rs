//! Dense matrices of columns, and least squares by Householder reflections.

use crate::Trouble;

/// Columns of numbers of equal length.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    pub rows: usize,
    pub columns: Vec<Vec<f64>>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The length of a vector, without overflow.
fn length(all: &[f64]) -> f64 {
    let largest = all.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * all.iter().map(|it| (it / largest) * (it / largest)).sum::<f64>().sqrt()
}

/// A sum with twice the digits of a float.
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn new(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    fn add(&mut self, it: f64) {
        let sum = self.high + it;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (it - part);
        self.high = sum;
    }

    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.low += a.mul_add(b, -product);
        self.add(product);
    }

    fn value(&self) -> f64 {
        self.high + self.low
    }
}

/// A decomposition into an orthogonal and a triangular matrix.
pub struct Qr {
    /// The vectors of the reflections.
    reflections: Vec<Vec<f64>>,
    /// Column after column, above the diagonal.
    r: Vec<Vec<f64>>,
}

impl Matrix {
    pub fn new(rows: usize, columns: Vec<Vec<f64>>) -> Self {
        Self { rows, columns }
    }

    pub fn width(&self) -> usize {
        self.columns.len()
    }

    pub fn cell(&self, row: usize, column: usize) -> f64 {
        self.columns[column][row]
    }

    /// The product with a vector.
    pub fn times(&self, by: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.rows];
        for (column, by) in self.columns.iter().zip(by) {
            sum.iter_mut().zip(column).for_each(|(sum, it)| *sum += it * by);
        }
        sum
    }

    /// The decomposition, or the first column that is a combination of those before it.
    pub fn qr(&self) -> Result<Qr, usize> {
        let mut columns = self.columns.clone();
        let mut reflections: Vec<Vec<f64>> = Vec::with_capacity(columns.len());
        let mut r: Vec<Vec<f64>> = Vec::with_capacity(columns.len());
        for at in 0..columns.len() {
            let whole = length(&self.columns[at]);
            let mut column = std::mem::take(&mut columns[at]);
            for (from, reflection) in reflections.iter().enumerate() {
                reflect(&mut column[from..], reflection);
            }
            if column.len() <= at {
                return Err(at);
            }
            let rest = length(&column[at..]);
            // What is left of the column is rounding.
            if rest <= 1e-13 * whole {
                return Err(at);
            }
            let sign = if column[at] > 0.0 { -1.0 } else { 1.0 };
            let mut reflection = column[at..].to_vec();
            reflection[0] -= sign * rest;
            let norm = length(&reflection);
            if norm > 0.0 {
                for it in &mut reflection {
                    *it /= norm;
                }
            }
            let mut above = column[..at].to_vec();
            above.push(sign * rest);
            r.push(above);
            reflections.push(reflection);
        }
        Ok(Qr { reflections, r })
    }
}

fn reflect(of: &mut [f64], by: &[f64]) {
    let twice = 2.0 * dot(of, by);
    of.iter_mut().zip(by).for_each(|(it, by)| *it -= twice * by);
}

impl Qr {
    pub fn width(&self) -> usize {
        self.r.len()
    }

    /// The right side, turned as the columns were.
    pub fn turned(&self, y: &[f64]) -> Vec<f64> {
        let mut y = y.to_vec();
        for (from, it) in self.reflections.iter().enumerate() {
            reflect(&mut y[from..], it);
        }
        y
    }

    /// The coefficients with the least squares.
    pub fn solve(&self, y: &[f64]) -> Vec<f64> {
        self.back(&self.turned(y))
    }

    /// The coefficients and the residuals, refined until both are as good as the data: the equations of both are solved
    /// again for what is missing, which is summed with twice the digits (Björck 1967).
    pub fn refined(&self, columns: &[Vec<f64>], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut x = self.solve(y);
        let mut r = vec![0.0; y.len()];
        let mut last = f64::INFINITY;
        for _ in 0..10 {
            let missing: Vec<f64> = (0..y.len())
                .map(|row| {
                    let mut sum = Sum::new(y[row]);
                    sum.add(-r[row]);
                    columns
                        .iter()
                        .zip(&x)
                        .for_each(|(column, x)| sum.add_product(-column[row], *x));
                    sum.value()
                })
                .collect();
            let along: Vec<f64> = columns
                .iter()
                .map(|column| {
                    let mut sum = Sum::new(0.0);
                    column.iter().zip(&r).for_each(|(a, b)| sum.add_product(-a, *b));
                    sum.value()
                })
                .collect();
            let forward = self.forward(&along);
            let turned = self.turned(&missing);
            let step: Vec<f64> = turned.iter().zip(&forward).map(|(a, b)| a - b).collect();
            let step = self.back(&step);
            let mut change = turned;
            change[..forward.len()].copy_from_slice(&forward);
            self.turn_back(&mut change);
            let size =
                length(&step) / length(&x).max(1e-300) + length(&change) / length(&r).max(1e-300);
            if size >= last && last < f64::INFINITY {
                break;
            }
            x.iter_mut().zip(&step).for_each(|(it, by)| *it += by);
            r.iter_mut().zip(&change).for_each(|(it, by)| *it += by);
            last = size;
        }
        (x, r)
    }

    /// Applies the reflections in reverse order.
    fn turn_back(&self, y: &mut [f64]) {
        for (from, it) in self.reflections.iter().enumerate().rev() {
            reflect(&mut y[from..], it);
        }
    }

    /// Solves the equations of the transposed triangle.
    fn forward(&self, y: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(y.len());
        for (at, column) in self.r.iter().enumerate() {
            let known: f64 = column[..at].iter().zip(&x).map(|(a, b)| a * b).sum();
            x.push((y[at] - known) / column[at]);
        }
        x
    }

    fn back(&self, turned: &[f64]) -> Vec<f64> {
        let n = self.r.len();
        let mut x = vec![0.0; n];
        for at in (0..n).rev() {
            let known: f64 = (at + 1..n).map(|it| self.r[it][at] * x[it]).sum();
            x[at] = (turned[at] - known) / self.r[at][at];
        }
        x
    }

    /// The inverse of the product of the matrix with itself.
    pub fn inverse_of_square(&self) -> Vec<Vec<f64>> {
        let n = self.r.len();
        let inverse: Vec<Vec<f64>> = (0..n)
            .map(|at| {
                let mut unit = vec![0.0; n];
                unit[at] = 1.0;
                self.back(&unit)
            })
            .collect();
        // inverse[k] is column k of the inverse of the triangle.
        let cell = |i: usize, j: usize| inverse.iter().map(|it| it[i] * it[j]).sum::<f64>();
        (0..n).map(|i| (0..n).map(|j| cell(i, j)).collect()).collect()
    }
}

/// Solves a symmetric positive system of equations, or says that it is not positive.
pub(crate) fn cholesky(mut a: Vec<Vec<f64>>) -> Result<Cholesky, Trouble> {
    let n = a.len();
    for at in 0..n {
        let whole = a[at][at];
        for before in 0..at {
            a[at][at] -= a[at][before] * a[at][before];
        }
        // Also one that is not a number.
        if a[at][at].is_nan() || a[at][at] <= 1e-13 * whole.abs() {
            return Err(Trouble::new("the columns depend on each other"));
        }
        a[at][at] = a[at][at].sqrt();
        for row in at + 1..n {
            let known: f64 = (0..at).map(|it| a[row][it] * a[at][it]).sum();
            a[row][at] = (a[row][at] - known) / a[at][at];
        }
    }
    Ok(Cholesky(a))
}

/// A triangle whose square is the matrix.
pub(crate) struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    pub(crate) fn solve(&self, y: &[f64]) -> Vec<f64> {
        let l = &self.0;
        let n = l.len();
        let mut x = y.to_vec();
        for at in 0..n {
            let known: f64 = (0..at).map(|it| l[at][it] * x[it]).sum();
            x[at] = (x[at] - known) / l[at][at];
        }
        for at in (0..n).rev() {
            let known: f64 = (at + 1..n).map(|it| l[it][at] * x[it]).sum();
            x[at] = (x[at] - known) / l[at][at];
        }
        x
    }

    pub(crate) fn inverse(&self) -> Vec<Vec<f64>> {
        let n = self.0.len();
        let unit =
            |at: usize| (0..n).map(|it| if it == at { 1.0 } else { 0.0 }).collect::<Vec<_>>();
        (0..n).map(|at| self.solve(&unit(at))).collect()
    }
}
