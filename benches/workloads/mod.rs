//! What several benchmarks measure.

pub(crate) mod nap;
pub(crate) mod planned;
pub(crate) mod scripts;
