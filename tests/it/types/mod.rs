//! A script that checks never fails by type, and what it gives is of the type that the check
//! said: held for each op of the registry, and for whole scripts by chance.

mod bench;
mod exprs;
mod kinds;
mod known;
mod lists;
mod ops;
mod scripts;
mod values;
mod write;

/// How many rounds there are: as many as usual, or as the variable says.
pub(crate) fn rounds(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
}
