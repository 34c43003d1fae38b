//! A script that checks never fails by type, and its result has the type from the check: tested for
//! each op of the registry, and for random whole scripts.

mod bench;
mod exprs;
mod kinds;
mod known;
mod lists;
mod ops;
mod scripts;
mod values;
mod write;

/// The number of rounds: the usual one, or that of the variable.
pub(crate) fn rounds(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
}
