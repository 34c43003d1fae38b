//! The native half of the Python package `svc`. The other half, in `python/svc`, has the types that
//! users see; this one runs scripts, and converts values and errors.

mod attach;
mod convert;
mod engine;
mod failure;
mod ops;
mod run;

use pyo3::prelude::*;

/// The native half of the package `svc`.
#[pymodule(name = "_svc")]
mod native {
    #[pymodule_export]
    use super::{
        attach::{after_fork, end},
        engine::NativeEngine,
        run::NativeRun,
        version,
    };
}

/// The version of svc.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
