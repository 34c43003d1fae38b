//! Databases of `SQLite` for components.
//!
//! A [`Session`] is one open database during one call: its statements stop when the call is cancelled,
//! and can neither attach other files nor load code. Results are tables, in columns.
//!
//! **Invariant:** a file is opened only at the path that the host gives for it, without following links.

mod bind;
mod error;
mod explain;
mod rows;
mod rules;
mod schema;
mod session;
mod tables;
#[cfg(test)]
mod tests;
mod write;

pub use error::quoted;
pub use explain::Explained;
pub use rows::typed;
pub use rules::Allowed;
pub use schema::{DbColumn, DbIndex, DbReference, DbSchema, DbTable};
pub use session::Session;
pub use tables::{KnownTable, over_tables, test_query};
