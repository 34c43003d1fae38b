//! Tables as typed columns, for work on many rows.
//!
//! A [`Table`] has names and a [`Column`] for each: one buffer of a type, and a [`Bits`] of the rows
//! that have a value. What has no buffer of its own is kept as values of the caller's type, an
//! [`Other`]. Every operation gives the same result as the same work row by row, and on equal input
//! equal bytes.
//!
//! **Invariant:** this crate knows no other crate, and starts no threads.

mod bits;
mod build;
pub mod bytes;
mod codes;
mod column;
pub mod csv;
mod error;
mod exact;
pub mod expr;
mod factor;
mod join;
mod measure;
mod select;
mod sort;
mod table;
mod total;
mod window;

#[cfg(test)]
mod tests;

pub use bits::Bits;
pub use build::Builder;
pub use codes::{Groups, groups};
pub use column::{Cell, Column, Data, Kind, Other, Words};
pub use error::TableError;
pub use factor::{Factor, rounded, rounded_units};
pub use join::{How, Pairs, asof, join};
pub use measure::{Measure, measure};
pub use sort::{Key, first_within, order, order_within};
pub use table::Table;
pub use total::FloatSum;
pub use window::{Window, ties, window};

/// Shared text.
pub type Text = std::sync::Arc<str>;
