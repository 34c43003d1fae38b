//! The language: text is parsed into a tree, checked against a registry, and made into a plan.
//!
//! **Invariant:** nothing here runs a script, reads a file or starts a thread.

// Modules stand in the order of their layers: each knows only those above it.

extern crate alloc;

pub mod diag;

pub mod syntax;

pub mod script;

pub mod stdlib;

pub mod constructs;

pub mod topics;

pub mod check;

pub mod plan;
