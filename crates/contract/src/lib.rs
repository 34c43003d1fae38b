//! What components, checker and engine agree on.
//!
//! [`value`] is what flows, [`host`] the outside world as a trait, [`registry`] what a component
//! says of itself, and [`store`] the journal of runs as a trait.
//!
//! **Invariant:** nothing here knows a script, a concrete component or the operating system, and
//! nothing here runs anything.

pub mod value;

pub mod host;

pub mod registry;

pub mod store;
