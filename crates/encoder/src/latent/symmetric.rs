//! Symmetric matrices: their factors, and their eigenvectors by Householder reflections and implicit
//! QL steps (Golub & Van Loan, chapters 4.2 and 8.3).

use ndarray::Array2;

use super::{Check, add};

/// A column that is this much shorter without its share of the others depends on them; squared.
const DEPENDENT: f64 = 1e-12;

/// The most QL steps for one eigenvalue; it takes two or three.
const MOST_STEPS: usize = 60;

/// The rows of a matrix.
type Square = Vec<Vec<f64>>;

/// The factor by which columns must be multiplied to be orthonormal, from their products with each
/// other. It has a column for each one that does not depend on those before it.
pub(super) fn independent<E>(gram: &Array2<f64>, check: Check<'_, E>) -> Result<Array2<f64>, E> {
    let mut kept: Vec<usize> = Vec::with_capacity(gram.nrows());
    // The rows of the Cholesky factor of the columns that are kept.
    let mut lower: Square = Vec::new();
    for column in 0..gram.nrows() {
        check()?;
        let mut row: Vec<f64> = Vec::with_capacity(kept.len() + 1);
        for (other, known) in kept.iter().zip(&lower) {
            let rest = gram[[column, *other]] - dot(&row, known);
            row.push(rest / known[row.len()]);
        }
        let whole = gram[[column, column]];
        let rest = whole - dot(&row, &row);
        if rest > whole * DEPENDENT && rest > f64::MIN_POSITIVE {
            row.push(rest.sqrt());
            kept.push(column);
            lower.push(row);
        }
    }
    let mut factor = Array2::zeros((gram.nrows(), kept.len()));
    for (place, solved) in inverse(&lower, check)?.iter().enumerate() {
        for (column, it) in solved.iter().enumerate() {
            factor[[kept[column], place]] = *it;
        }
    }
    Ok(factor)
}

/// The rows of the inverse of a lower triangle.
fn inverse<E>(lower: &Square, check: Check<'_, E>) -> Result<Square, E> {
    let mut inverse: Square = Vec::with_capacity(lower.len());
    for row in lower {
        check()?;
        let Some((diagonal, rest)) = row.split_last() else { continue };
        let mut solved = vec![0.0; row.len()];
        for (factor, known) in rest.iter().zip(&inverse) {
            add(&mut solved[..known.len()], known, -factor / diagonal);
        }
        solved[rest.len()] = diagonal.recip();
        inverse.push(solved);
    }
    Ok(inverse)
}

/// The eigenvalues, the greatest first, and a row with the eigenvector of each.
pub(super) fn eigen<E>(matrix: &Array2<f64>, check: Check<'_, E>) -> Result<(Vec<f64>, Square), E> {
    let rows = matrix.rows().into_iter().map(|it| it.to_vec()).collect();
    let (mut values, mut beside, mut vectors) = tridiagonal(rows, check)?;
    diagonalize(&mut values, &mut beside, &mut vectors, check)?;
    let mut all: Vec<(f64, Vec<f64>)> = values.into_iter().zip(vectors).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(all.into_iter().unzip())
}

/// The diagonal and the numbers next to it of a similar matrix that has no others, and the base in
/// which it is that, as rows.
fn tridiagonal<E>(
    mut matrix: Square,
    check: Check<'_, E>,
) -> Result<(Vec<f64>, Vec<f64>, Square), E> {
    let size = matrix.len();
    let mut beside = vec![0.0; size];
    let mut base: Square = (0..size).map(|at| unit(size, at)).collect();
    for at in 1..size {
        check()?;
        let mut mirror: Vec<f64> = matrix[at..].iter().map(|row| row[at - 1]).collect();
        let length = dot(&mirror, &mirror).sqrt();
        beside[at - 1] = mirror[0];
        if mirror.len() < 2 || length <= f64::MIN_POSITIVE {
            continue;
        }
        beside[at - 1] = -length.copysign(mirror[0]);
        mirror[0] -= beside[at - 1];
        let length = dot(&mirror, &mirror).sqrt();
        for it in &mut mirror {
            *it /= length;
        }
        let mut across: Vec<f64> =
            matrix[at..].iter().map(|row| dot(&row[at..], &mirror)).collect();
        let share = dot(&across, &mirror);
        add(&mut across, &mirror, -share);
        for (row, (own, other)) in matrix[at..].iter_mut().zip(mirror.iter().zip(&across)) {
            add(&mut row[at..], &across, -2.0 * own);
            add(&mut row[at..], &mirror, -2.0 * other);
        }
        // The rows of the base are its columns, so each is reflected by itself.
        let mut shares = vec![0.0; size];
        for (row, own) in base[at..].iter().zip(&mirror) {
            add(&mut shares, row, *own);
        }
        for (row, own) in base[at..].iter_mut().zip(&mirror) {
            add(row, &shares, -2.0 * own);
        }
    }
    let diagonal = matrix.iter().enumerate().map(|(at, row)| row[at]).collect();
    Ok((diagonal, beside, base))
}

fn unit(size: usize, at: usize) -> Vec<f64> {
    let mut row = vec![0.0; size];
    row[at] = 1.0;
    row
}

/// Turns a matrix with these numbers on and next to its diagonal until those next to it are 0, and
/// the rows of `vectors` with it.
fn diagonalize<E>(
    values: &mut [f64],
    beside: &mut [f64],
    vectors: &mut Square,
    check: Check<'_, E>,
) -> Result<(), E> {
    for first in 0..values.len() {
        for _ in 0..MOST_STEPS {
            check()?;
            let is_small = |it: &usize| {
                let scale = values[*it].abs() + values[it + 1].abs();
                beside[*it].abs() <= f64::EPSILON * scale
            };
            let last = (first..values.len() - 1).find(is_small).unwrap_or(values.len() - 1);
            if last == first {
                break;
            }
            step(values, beside, vectors, first, last);
        }
    }
    Ok(())
}

/// One implicit QL step on the part from `first` to `last`.
fn step(values: &mut [f64], beside: &mut [f64], vectors: &mut Square, first: usize, last: usize) {
    let half = (values[first + 1] - values[first]) / (2.0 * beside[first]);
    let root = half.hypot(1.0).copysign(half);
    let mut bulge = values[last] - values[first] + beside[first] / (half + root);
    let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
    for at in (first..last).rev() {
        let (far, near) = (sine * beside[at], cosine * beside[at]);
        let length = far.hypot(bulge);
        beside[at + 1] = length;
        if length <= 0.0 {
            values[at + 1] -= shift;
            beside[last] = 0.0;
            return;
        }
        (sine, cosine) = (far / length, bulge / length);
        bulge = values[at + 1] - shift;
        let turn = (values[at] - bulge) * sine + 2.0 * cosine * near;
        shift = sine * turn;
        values[at + 1] = bulge + shift;
        bulge = cosine * turn - near;
        let (upper, lower) = vectors.split_at_mut(at + 1);
        for (a, b) in upper[at].iter_mut().zip(&mut lower[0]) {
            (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
        }
    }
    values[first] -= shift;
    beside[first] = bulge;
    beside[last] = 0.0;
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 4;
    let len = a.len().min(b.len());
    let ((a, a_rest), (b, b_rest)) = (a[..len].as_chunks::<LANES>(), b[..len].as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}
