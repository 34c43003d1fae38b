//! What a transformer computes, apart from products of matrices.

use ndarray::{Array1, Array2, ArrayView1, Axis};

/// Normalises each row to mean 0 and variance 1, then scales and shifts it.
pub(super) fn layer_norm(
    rows: &mut Array2<f32>,
    scale: &Array1<f32>,
    shift: &Array1<f32>,
    eps: f32,
) {
    let width = number(rows.ncols());
    for mut row in rows.rows_mut() {
        let mean = row.sum() / width;
        let variance = row.iter().map(|it| (it - mean).powi(2)).sum::<f32>() / width;
        let factor = (variance + eps).sqrt().recip();
        for ((it, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
            *it = (*it - mean) * factor * scale + shift;
        }
    }
}

/// Turns each row into probabilities.
pub(super) fn softmax(rows: &mut Array2<f32>) {
    for mut row in rows.rows_mut() {
        let most = row.fold(f32::MIN, |a, b| a.max(*b));
        row.mapv_inplace(|it| (it - most).exp());
        let sum = row.sum();
        row /= sum;
    }
}

/// The Gaussian error linear unit, by its definition.
pub(super) fn gelu(it: f32) -> f32 {
    0.5 * it * (1.0 + erf(it * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function to 1.5e-7 (Abramowitz & Stegun 1964, 7.1.26).
fn erf(x: f32) -> f32 {
    const FACTORS: [f32; 5] = [1.061_405_4, -1.453_152_1, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let t = (1.0 + 0.327_591_1 * x.abs()).recip();
    let sum = FACTORS.iter().fold(0.0, |sum, it| (sum + it) * t);
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

pub(super) fn mean_of_rows(rows: &Array2<f32>) -> Vec<f32> {
    rows.mean_axis(Axis(0)).map(|it| it.to_vec()).unwrap_or_default()
}

/// Scales a vector to length 1; one of zeros stays as it is.
pub(super) fn normalize(vector: &mut [f32]) {
    let view = ArrayView1::from(&*vector);
    let length = view.dot(&view).sqrt();
    if length > 0.0 {
        for it in vector {
            *it /= length;
        }
    }
}

/// Sums that are computed side by side.
const LANES: usize = 8;

/// The sum of the products of two vectors of one length, in an order that depends on it alone.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    a.iter().zip(b).for_each(|(a, b)| add_products(&mut sums, a, b));
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// The same for a vector as little-endian bytes, four for each number.
pub fn dot_of_bytes(a: &[u8], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<4>().0.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        add_products(&mut sums, &a.map(f32::from_le_bytes), b);
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| f32::from_le_bytes(*a) * b).sum();
    sums.iter().sum::<f32>() + rest
}

fn add_products(sums: &mut [f32; LANES], a: &[f32; LANES], b: &[f32; LANES]) {
    for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
        *sum += a * b;
    }
}

#[expect(clippy::cast_precision_loss, reason = "widths and lengths are small")]
pub(super) fn number(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_the_same_for_numbers_and_bytes() {
        let a: Vec<f32> = (0..37_u8).map(|it| f32::from(it) / 7.0 - 2.0).collect();
        let b: Vec<f32> = a.iter().rev().copied().collect();
        let bytes: Vec<u8> = a.iter().flat_map(|it| it.to_le_bytes()).collect();
        let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        assert!((f64::from(dot(&a, &b)) - exact).abs() < 1e-4);
        assert_eq!(dot(&a, &b).to_bits(), dot_of_bytes(&bytes, &b).to_bits());
        assert!(dot(&[], &b).abs() + dot_of_bytes(&[1, 2], &b).abs() <= 0.0);
    }

    #[test]
    fn gelu_is_that_of_its_definition() {
        for (x, wanted) in
            [(0.0, 0.0), (1.0, 0.841_344_8), (-1.0, -0.158_655_25), (3.0, 2.995_950_3), (-9.0, 0.0)]
        {
            assert!((gelu(x) - wanted).abs() < 1e-6, "{x}: {}", gelu(x));
        }
    }
}
