//! `jq` programs, by the crate `jaq-core`, in a worker process.

mod dates;
mod natives;
mod numbers;
mod program;

pub(crate) use program::run;
