//! Workloads shared by several benchmarks.

pub(crate) mod nap;
pub(crate) mod planned;
pub(crate) mod scripts;
