//! Threads of the library that call Python. They must be done before the interpreter ends: it
//! ends threads that wait for it, which no Rust code survives.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};

use pyo3::prelude::*;

static IS_ENDING: AtomicBool = AtomicBool::new(false);
static ATTACHED: AtomicUsize = AtomicUsize::new(0);

/// How long the end of the interpreter waits for functions that still run.
const PATIENCE: Duration = Duration::from_secs(2);

/// Counts a thread that calls Python.
struct Call;

impl Call {
    fn begin() -> Self {
        ATTACHED.fetch_add(1, SeqCst);
        Self
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        ATTACHED.fetch_sub(1, SeqCst);
    }
}

/// Calls Python on a thread of the library; `None` if the interpreter ends.
pub(crate) fn attach<T>(call: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let _counted = Call::begin();
    if IS_ENDING.load(SeqCst) { None } else { Python::try_attach(call) }
}

/// Lets no further thread call Python, and waits for those that do.
#[pyfunction]
pub(crate) fn end(py: Python<'_>) {
    IS_ENDING.store(true, SeqCst);
    py.detach(|| {
        let begun = Instant::now();
        while ATTACHED.load(SeqCst) > 0 && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// A forked process has none of the threads of its parent.
#[pyfunction]
pub(crate) fn after_fork() {
    ATTACHED.store(0, SeqCst);
    svc_bindings::forget_runtime();
}
