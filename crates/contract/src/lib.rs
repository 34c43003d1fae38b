//! What components, checker and engine agree on.
//!
//! [`value`] is what flows, [`host`] the outside world as a trait, [`registry`] what a component
//! says of itself.
//!
//! **Invariant:** nothing here knows a script, a run, a concrete component or the operating system.

pub mod value;

pub mod host;

pub mod registry;
