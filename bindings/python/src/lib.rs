//! The native half of the Python package `svc`. The other half, in `python/svc`, has the types that
//! users see; this one runs scripts, and converts values and errors.

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
    use super::{after_fork, engine::NativeEngine, run::NativeRun, version};
}

/// The version of svc.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// A forked process has none of the threads of its parent.
#[pyfunction]
fn after_fork() {
    svc_bindings::forget_runtime();
}
