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

#[expect(clippy::cast_precision_loss, reason = "widths and lengths are small")]
pub(super) fn number(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_is_that_of_its_definition() {
        for (x, wanted) in
            [(0.0, 0.0), (1.0, 0.841_344_8), (-1.0, -0.158_655_25), (3.0, 2.995_950_3), (-9.0, 0.0)]
        {
            assert!((gelu(x) - wanted).abs() < 1e-6, "{x}: {}", gelu(x));
        }
    }
}
