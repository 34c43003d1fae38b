//! The runtime of all runs that other languages start.

use std::sync::{Arc, Mutex, PoisonError};

use svc::registry::OpError;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: Mutex<Option<Arc<Runtime>>> = Mutex::new(None);

/// The runtime; the first call starts it.
pub(crate) fn runtime() -> Result<Arc<Runtime>, OpError> {
    let mut current = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*current {
        return Ok(runtime.clone());
    }
    let started =
        Builder::new_multi_thread().worker_threads(2).enable_all().thread_name("svc").build();
    let started = started
        .map_err(|err| OpError::failed(format!("cannot start threads: {err}")).because(err))?;
    Ok(current.insert(Arc::new(started)).clone())
}

/// Lets the next run start a new runtime. A process that was forked calls it: it has none of the
/// threads of its parent.
pub fn forget_runtime() {
    let mut current = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    // Dropping it would wait for threads that do not exist.
    std::mem::forget(current.take());
}
