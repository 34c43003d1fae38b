//! Components that tune themselves: a change of their defaults is proposed, measured, verified, applied
//! and rolled back.
//!
//! ```text
//! cases --split--> train, validation, sealed
//! strategy + proposers --propose--> candidates --evaluate on train--> frontier --validation--> proposal
//! candidate --four layers--> a version --guard--> rollback, if it turns out to be worse
//! ```
//!
//! **Invariants:** an evaluation is a run of the engine that can only compute and read. Sealed cases are
//! read by `apply` alone. What is active, its version and its entry in the log change in one transaction.

mod advice;
mod biases;
mod candidate;
mod cases;
mod component;
mod config;
mod evaluate;
mod evolve;
mod guard;
mod knobs;
mod layers;
mod memory;
mod observe;
mod perturb;
mod principles;
mod proposers;
mod score;
mod stats;
mod strategy;
mod value;
mod work;

pub use advice::Model;
pub use biases::{Biases, TOKEN, active_tuning};
pub use cases::{Asks, Case, Cases, Part, test_set};
pub use component::COMPONENT;
pub use config::Config;
pub use evolve::{Evolved, Measured, Progress, Step, Weights};
pub use memory::{COMPONENT as MEMORY, Notes};
pub use observe::novelty;
pub use principles::{PRINCIPLES, Principle, PrincipleResult};
pub use strategy::BUILT_IN;
pub use work::{CaseCounts, WARNING, Work};
