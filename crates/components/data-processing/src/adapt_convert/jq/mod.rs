//! `jq` programs, by the crate `jaq-core`, in a worker process.

mod dates;
mod natives;
mod program;

pub(crate) use program::run;
