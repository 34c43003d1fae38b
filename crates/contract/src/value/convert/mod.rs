//! Conversion between values and the Rust types that serde knows.
//!
//! Structs and maps are records, sequences are lists, an `Option` without content is null, and
//! enums are tagged as serde does it by default: `"Paid"`, `{ Sent: { .. } }`. Durations, money
//! and `SystemTime` stay what they are, and so does a [`Value`] inside of a struct. A type that reads
//! itself from a string, such as `jiff::Timestamp`, reads times and dates, too.

mod errors;
pub(super) mod native;
mod read;
mod write;

use serde::{Deserialize, Serialize};

use super::{TypeMismatch, Value, misfit::Misfit};

/// Converts anything that serde can write to a value.
///
/// Fails, with the place, for what no value can hold: an int beyond 64 bits with a sign, a float
/// that is not finite, a map whose keys are not strings, and a secret.
pub fn to_value<T: Serialize + ?Sized>(it: &T) -> Result<Value, TypeMismatch> {
    it.serialize(write::ValueWriter).map_err(Misfit::whole)
}

/// Converts a value to anything that serde can read. A misfit has the place in the value.
pub fn from_value<'a, T: Deserialize<'a>>(value: &'a Value) -> Result<T, TypeMismatch> {
    T::deserialize(read::ValueReader::of(value)).map_err(Misfit::whole)
}

#[cfg(test)]
mod tests;
