//! The main axes of a sparse matrix, by a randomised singular value decomposition (Halko, Martinsson
//! & Tropp 2011, algorithm 4.4 on the columns): what latent semantic analysis is made of.
//!
//! Only matrices with a row for each column of the input are dense, so the memory does not grow with
//! the number of rows. All sums have a fixed order: equal input gives equal bytes.

use ndarray::{Array2, Axis};

mod symmetric;

/// More axes than wanted are computed, as the last ones are the least exact.
pub const SURPLUS: usize = 10;

/// How often the axes are multiplied by the matrix and its transpose.
const PASSES: usize = 6;

/// Multiplications between two checks: some milliseconds.
const BETWEEN_CHECKS: usize = 8 << 20;

/// A sparse matrix, row by row.
#[derive(Clone, Debug)]
pub struct Rows {
    width: usize,
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

/// Axes of a matrix, those that its rows vary most along first.
#[derive(Clone, Debug)]
pub struct Axes {
    /// The singular values, the greatest first.
    pub singular: Vec<f64>,
    /// A row for each column of the matrix, with as many numbers as there are axes. The greatest
    /// number of each axis is positive.
    pub axes: Array2<f64>,
}

impl Rows {
    /// A matrix without rows, with so many columns.
    pub fn new(width: usize) -> Self {
        Self { width, ends: Vec::new(), columns: Vec::new(), values: Vec::new() }
    }

    /// Adds a row by its columns that are not 0. Columns that do not exist are ignored.
    pub fn push(&mut self, row: impl IntoIterator<Item = (u32, f32)>) {
        let exists = |it: &(u32, f32)| (it.0 as usize) < self.width;
        for (column, value) in row.into_iter().filter(exists) {
            self.columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.columns.len());
    }

    /// The sum of the squares of all numbers.
    pub fn sum_of_squares(&self) -> f64 {
        self.values.iter().map(|it| f64::from(*it).powi(2)).sum()
    }

    fn iter(&self) -> impl Iterator<Item = (&[u32], &[f32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| (&self.columns[from..*to], &self.values[from..*to]))
    }

    /// The product of the transpose, this matrix and `dense`.
    fn squared<E>(&self, dense: &Array2<f64>, check: Check<'_, E>) -> Result<Array2<f64>, E> {
        let count = dense.ncols();
        let mut product = Array2::zeros(dense.raw_dim());
        let mut row = vec![0.0; count];
        let mut work = 0;
        for (columns, values) in self.iter() {
            row.fill(0.0);
            for (column, value) in columns.iter().zip(values) {
                let from = dense.row(*column as usize);
                add(&mut row, from.as_slice().unwrap_or_default(), f64::from(*value));
            }
            for (column, value) in columns.iter().zip(values) {
                let mut to = product.row_mut(*column as usize);
                add(to.as_slice_mut().unwrap_or_default(), &row, f64::from(*value));
            }
            work += columns.len() * count;
            if work > BETWEEN_CHECKS {
                check()?;
                work = 0;
            }
        }
        Ok(product)
    }
}

fn add(to: &mut [f64], from: &[f64], factor: f64) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// Fails when the computation is to stop.
type Check<'a, E> = &'a mut dyn FnMut() -> Result<(), E>;

/// The first axes of a matrix: at most `count`, and not more than its rank.
///
/// `random` returns numbers from 0 to 1. `check` is called every few milliseconds.
pub fn axes<E>(
    rows: &Rows,
    count: usize,
    random: &mut dyn FnMut() -> f64,
    check: Check<'_, E>,
) -> Result<Axes, E> {
    let wide = (count + SURPLUS).min(rows.width).min(rows.ends.len());
    let mut dense = Array2::from_shape_simple_fn((rows.width, wide), || random() - 0.5);
    for _ in 0..PASSES {
        dense = rows.squared(&orthonormal(dense, check)?, check)?;
    }
    let base = orthonormal(dense, check)?;
    let image = rows.squared(&base, check)?;
    let projected = products(&base, &image, check)?;
    let (squares, vectors) = symmetric::eigen(&projected, check)?;
    let singular: Vec<f64> = squares.iter().map(|it| it.max(0.0).sqrt()).collect();
    let least = singular.first().copied().unwrap_or_default() * 1e-7;
    let count = singular.iter().take(count).take_while(|it| **it > least).count();
    let turn = Array2::from_shape_fn((base.ncols(), count), |(row, axis)| vectors[axis][row]);
    let mut axes = multiplied(&base, &turn, check)?;
    axes.columns_mut().into_iter().for_each(|mut axis| {
        let most =
            axis.iter().fold(0.0_f64, |most, it| if it.abs() > most.abs() { *it } else { most });
        if most < 0.0 {
            axis.mapv_inplace(|it| -it);
        }
    });
    Ok(Axes { singular: singular[..count].to_vec(), axes })
}

/// An orthonormal base of the columns, by two rounds of Cholesky QR (Yamamoto et al. 2015). Columns
/// that depend on others are left out.
fn orthonormal<E>(dense: Array2<f64>, check: Check<'_, E>) -> Result<Array2<f64>, E> {
    let mut dense = dense;
    for _ in 0..2 {
        let gram = products(&dense, &dense, check)?;
        let factor = symmetric::independent(&gram, check)?;
        dense = multiplied(&dense, &factor, check)?;
    }
    Ok(dense)
}

/// The transpose of `a` times `b`.
fn products<E>(a: &Array2<f64>, b: &Array2<f64>, check: Check<'_, E>) -> Result<Array2<f64>, E> {
    let mut sum = Array2::zeros((a.ncols(), b.ncols()));
    let len = part(a.ncols() * b.ncols());
    for (a, b) in a.axis_chunks_iter(Axis(0), len).zip(b.axis_chunks_iter(Axis(0), len)) {
        check()?;
        sum += &a.t().dot(&b);
    }
    Ok(sum)
}

/// The rows times `by`.
fn multiplied<E>(
    rows: &Array2<f64>,
    by: &Array2<f64>,
    check: Check<'_, E>,
) -> Result<Array2<f64>, E> {
    let mut product = Array2::zeros((rows.nrows(), by.ncols()));
    let len = part(rows.ncols() * by.ncols());
    let parts = rows.axis_chunks_iter(Axis(0), len);
    for (rows, mut to) in parts.zip(product.axis_chunks_iter_mut(Axis(0), len)) {
        check()?;
        to.assign(&rows.dot(by));
    }
    Ok(product)
}

/// The rows that are multiplied between two checks, if each takes so many multiplications.
fn part(of_row: usize) -> usize {
    (16 * BETWEEN_CHECKS / of_row.max(1)).clamp(1, 1 << 16)
}

#[cfg(test)]
mod tests;
