//! Recorded runs: the journal of a run, resuming it, and what is known of it afterwards.

pub mod cause;
#[cfg(feature = "script-tests")]
mod dry_run;
#[cfg(test)]
mod explored;
mod from_run;
mod journal;
mod prior_spending;
pub(crate) mod resume;
pub mod why;

#[cfg(feature = "script-tests")]
pub use dry_run::{DryRunResult, Fate};
