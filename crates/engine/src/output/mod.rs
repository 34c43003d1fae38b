//! What the engine found, as objects with a JSON Schema.

pub mod estimates;
pub mod failure;
pub mod planned;
pub mod report;
pub mod verdict;
