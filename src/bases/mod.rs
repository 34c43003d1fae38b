//! The ways in: one folder a protocol, each a thin layer over [`crate::engine::Engine`].
//!
//! **Invariant:** no base knows another one, and none has logic of its own.

pub mod cli;
pub mod lsp;
