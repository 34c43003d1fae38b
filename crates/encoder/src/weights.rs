//! The tensors of a safetensors file.

use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors};

pub(super) struct Weights<'a> {
    tensors: SafeTensors<'a>,
    /// Some models have a prefix before all names.
    prefix: &'static str,
}

impl<'a> Weights<'a> {
    pub(super) fn read(content: &'a [u8]) -> Result<Self, String> {
        let tensors = SafeTensors::deserialize(content).map_err(|err| err.to_string())?;
        let is_prefixed = tensors.names().iter().any(|it| it.starts_with("bert.embeddings."));
        Ok(Self { tensors, prefix: if is_prefixed { "bert." } else { "" } })
    }

    pub(super) fn matrix(&self, name: &str, shape: [usize; 2]) -> Result<Array2<f32>, String> {
        let numbers = self.numbers(name, &shape)?;
        Array2::from_shape_vec(shape, numbers).map_err(|err| err.to_string())
    }

    pub(super) fn vector(&self, name: &str, len: usize) -> Result<Array1<f32>, String> {
        self.numbers(name, &[len]).map(Array1::from)
    }

    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let tensor = self.tensors.tensor(&format!("{}{name}", self.prefix));
        let tensor = tensor.map_err(|_| format!("no tensor `{name}`"))?;
        if tensor.shape() != shape {
            return Err(format!("expected {shape:?} for `{name}`, found {:?}", tensor.shape()));
        }
        let numbers: Vec<f32> = match tensor.dtype() {
            Dtype::F32 => {
                let (numbers, _) = tensor.data().as_chunks();
                numbers.iter().map(|it| f32::from_le_bytes(*it)).collect()
            }
            Dtype::BF16 => {
                let (numbers, _) = tensor.data().as_chunks();
                let wide = |it: &[u8; 2]| f32::from_le_bytes([0, 0, it[0], it[1]]);
                numbers.iter().map(wide).collect()
            }
            Dtype::F16 => {
                let (numbers, _) = tensor.data().as_chunks();
                numbers.iter().map(|it| of_half(u16::from_le_bytes(*it))).collect()
            }
            other => return Err(format!("unsupported numbers {other:?} of `{name}`")),
        };
        if numbers.iter().any(|it| !it.is_finite()) {
            return Err(format!("a number of `{name}` is not finite"));
        }
        Ok(numbers)
    }
}

/// A number of 16 bits, as in IEEE 754.
fn of_half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff) / 1024.0);
    sign * match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "all of them are exact")]
    fn halves_are_read() {
        for (bits, wanted) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0, 0.0),
        ] {
            assert_eq!(of_half(bits), wanted);
        }
        assert!(of_half(0x7c00).is_infinite() && of_half(0x7e00).is_nan());
    }
}
