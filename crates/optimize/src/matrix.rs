//! Small symmetric matrices as rows: eigenvalues, and linear systems.

/// A square matrix as rows.
pub(crate) type Square = Vec<Vec<f64>>;

/// The unit matrix.
pub(crate) fn identity(size: usize) -> Square {
    (0..size).map(|row| (0..size).map(|col| f64::from(u8::from(row == col))).collect()).collect()
}

/// The eigenvalues of a symmetric matrix, and its eigenvectors as columns.
///
/// The cyclic Jacobi method (Golub and Van Loan, *Matrix Computations*, 8.5): exact to the last bits, and quick enough
/// for the few dozen dimensions of a search.
pub(crate) fn eigen(matrix: &[Vec<f64>]) -> (Vec<f64>, Square) {
    let size = matrix.len();
    let mut work: Square = matrix.to_vec();
    let mut vectors = identity(size);
    let scale: f64 = work.iter().flatten().map(|it| it * it).sum();
    for _ in 0..60 {
        let above = work.iter().enumerate().flat_map(|(at, row)| &row[at + 1..]);
        let off: f64 = above.map(|it| it * it).sum();
        if off <= scale * 1e-30 {
            break;
        }
        for row in 0..size {
            for col in row + 1..size {
                rotate(&mut work, &mut vectors, row, col);
            }
        }
    }
    ((0..size).map(|it| work[it][it]).collect(), vectors)
}

/// One rotation, after which the element at (`p`, `q`) is 0.
#[expect(clippy::needless_range_loop, reason = "two rows change together")]
fn rotate(work: &mut Square, vectors: &mut Square, p: usize, q: usize) {
    let off = work[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (work[q][q] - work[p][p]) / (2.0 * off);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for row in work.iter_mut().chain(vectors.iter_mut()) {
        let (left, right) = (row[p], row[q]);
        row[p] = cosine * left - sine * right;
        row[q] = sine * left + cosine * right;
    }
    for col in 0..work.len() {
        let (left, right) = (work[p][col], work[q][col]);
        work[p][col] = cosine * left - sine * right;
        work[q][col] = sine * left + cosine * right;
    }
}

/// The solution of a system with a symmetric positive definite matrix, by Cholesky. `None` if it is not one.
pub(crate) fn solve(mut matrix: Square, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for row in 0..size {
        for col in 0..=row {
            let (above, below) = matrix.split_at(row);
            let other = if col < row { &above[col] } else { &below[0] };
            let sum = below[0][col] - dot(&below[0][..col], &other[..col]);
            if col < row {
                let pivot = matrix[col][col];
                matrix[row][col] = sum / pivot;
            } else if sum > 0.0 {
                matrix[row][row] = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    for row in 0..size {
        right[row] = (right[row] - dot(&matrix[row][..row], &right[..row])) / matrix[row][row];
    }
    for row in (0..size).rev() {
        let sum: f64 = (row + 1..size).map(|it| matrix[it][row] * right[it]).sum();
        right[row] = (right[row] - sum) / matrix[row][row];
    }
    right.iter().all(|it| it.is_finite()).then_some(right)
}

/// The product of a matrix and a vector.
pub(crate) fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

/// The product of the transposed matrix and a vector.
pub(crate) fn transposed_times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; matrix.first().map_or(0, Vec::len)];
    for (row, factor) in matrix.iter().zip(vector) {
        for (sum, value) in product.iter_mut().zip(row) {
            *sum += value * factor;
        }
    }
    product
}

/// The scalar product.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The Euclidean length.
pub(crate) fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}
