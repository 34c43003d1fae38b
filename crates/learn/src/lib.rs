//! Statistics and learning over plain numbers and strings.
//!
//! Nothing here knows values of the language, components or files: slices go in, structs come out, and what
//! cannot be computed is a [`Trouble`]. Long loops call a function of the caller, which stops them.

#![allow(
    clippy::float_cmp,
    reason = "ties, equal times and zeros are equal bits, and not nearly equal numbers"
)]

pub mod curve;
pub mod describe;
pub mod dist;
pub mod expr;
pub mod formula;
pub mod glm;
pub mod hypothesis;
mod matrix;
pub mod meta;
pub mod power;
pub mod survival;
#[cfg(test)]
mod tests;

pub mod textclf;
mod trouble;

pub use matrix::Matrix;
pub use trouble::{Stop, Trouble};

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^52 of anything in memory")]
fn float(count: usize) -> f64 {
    count as f64
}
