//! A started run.

use std::time::Duration;

use pyo3::{IntoPyObjectExt as _, prelude::*};
use svc::{Error, Response};
use svc_bindings::{Run, Waited, response_json, usage_json};

use crate::{
    attach::attach,
    convert::{Reader, to_python},
    failure::{Failure, failure},
};

/// How often a wait looks for signals, such as Ctrl-C.
const TURN: Duration = Duration::from_millis(50);

/// A started run. Dropping it cancels the run.
#[pyclass(frozen, module = "svc._svc")]
pub(crate) struct NativeRun(pub(crate) Run);

/// The value, the usage and the warnings as JSON.
type Success = (Py<PyAny>, String, String);

#[pymethods]
impl NativeRun {
    /// Cancels the run.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Waits for the end: `(success, None)` or `(None, failure)`; None after `timeout` seconds. The
    /// result can be taken once.
    #[pyo3(signature = (timeout=None))]
    fn join(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<Py<PyAny>>> {
        let ended = waited(py, timeout, |turn| self.0.join(Some(turn)))?;
        let Some(ended) = ended else { return Ok(None) };
        let ended: (Option<Success>, Option<Failure>) = match ended {
            Ok(response) => (Some(success(py, &response)?), None),
            Err(error) => (None, Some(failure(py, &error))),
        };
        ended.into_py_any(py).map(Some)
    }

    /// Waits for the next event as JSON, `""` after the last one; None after `timeout` seconds.
    #[pyo3(signature = (timeout=None))]
    fn next_event(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<String>> {
        let event = waited(py, timeout, |turn| self.0.next_event(Some(turn)))?;
        Ok(event.map(|it| it.and_then(|it| serde_json::to_string(&it).ok()).unwrap_or_default()))
    }

    /// Calls `callback()` on another thread once the run has ended.
    fn when_ended(&self, py: Python<'_>, callback: Py<PyAny>) {
        let call = move || {
            // An interpreter that is going away has no one to call.
            attach(|py| {
                if let Err(err) = callback.call0(py) {
                    err.write_unraisable(py, Some(callback.bind(py)));
                }
            });
        };
        py.detach(|| self.0.when_ended(call));
    }
}

fn success(py: Python<'_>, response: &Response) -> PyResult<Success> {
    let warnings = response_json(response)["warnings"].to_string();
    let value = to_python(py, &response.value, Reader::Caller)?.unbind();
    Ok((value, usage_json(&response.usage).to_string(), warnings))
}

/// Waits in turns without the interpreter, until something is there, the time in seconds is over
/// or a signal raises an exception.
fn waited<T: Send>(
    py: Python<'_>,
    timeout: Option<f64>,
    mut wait: impl FnMut(Duration) -> Waited<T> + Send,
) -> PyResult<Option<T>> {
    // A time that no clock holds means no bound.
    let mut left = timeout.and_then(|it| Duration::try_from_secs_f64(it.max(0.0)).ok());
    loop {
        let turn = left.map_or(TURN, |it| it.min(TURN));
        if let Waited::Ready(it) = py.detach(|| wait(turn)) {
            return Ok(Some(it));
        }
        py.check_signals()?;
        left = left.map(|it| it.saturating_sub(turn));
        if left == Some(Duration::ZERO) {
            return Ok(None);
        }
    }
}

pub(crate) fn started(
    result: Result<Run, Error>,
    py: Python<'_>,
) -> (Option<NativeRun>, Option<Failure>) {
    match result {
        Ok(run) => (Some(NativeRun(run)), None),
        Err(error) => (None, Some(failure(py, &error))),
    }
}
