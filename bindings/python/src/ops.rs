//! Functions of Python as ops.

use std::{sync::Arc, time::Duration};

use pyo3::{prelude::*, types::PyTuple};
use svc::{
    Engine,
    registry::{BoxFuture, ClosureOp, Cx, ErrorKind, OpError},
    value::Value,
};
use svc_bindings::OpDeclaration;
use tokio::sync::oneshot;

use crate::{
    attach::attach,
    convert::{Reader, from_python, to_python},
};

/// The event loop of the caller, if the run was started in one.
pub(crate) struct CallerLoop(pub(crate) Option<Py<PyAny>>);

/// The op that calls `function(*args)`.
pub(crate) fn op(
    engine: &Engine,
    declaration: &OpDeclaration,
    function: Py<PyAny>,
) -> Result<ClosureOp, OpError> {
    let name = declaration.name.clone();
    let op = declaration.signature(engine)?.op(&name, move |_, args| {
        attached(|py| {
            let result = function.bind(py).call1(arguments(py, &args)?)?;
            from_python("the result", &result)
        })
    });
    declaration.declared(op)
}

/// The op that calls `submit(args, loop, done)`, which returns a `concurrent.futures.Future` and
/// calls `done(future)` at its end.
pub(crate) fn async_op(
    engine: &Engine,
    declaration: &OpDeclaration,
    submit: Py<PyAny>,
) -> Result<ClosureOp, OpError> {
    let name = declaration.name.clone();
    let submit = Arc::new(submit);
    let op = declaration.signature(engine)?.io_op(&name, move |cx, args| {
        let submit = submit.clone();
        let called: BoxFuture = Box::pin(async move { awaited(&submit, &cx, args).await });
        called
    });
    declaration.declared(op)
}

async fn awaited(submit: &Py<PyAny>, cx: &Cx, args: Vec<Value>) -> Result<Value, OpError> {
    let (done, ended) = oneshot::channel();
    let caller = cx.lent::<CallerLoop>()?;
    let task = attached(|py| {
        let of_caller = caller.0.as_ref().map(|it| it.clone_ref(py));
        let done = Done(std::sync::Mutex::new(Some(done)));
        Ok(submit.bind(py).call1((arguments(py, &args)?, of_caller, done))?.unbind())
    })?;
    let task = Task(task);
    let lost = |_| OpError::failed("the event loop has ended");
    let future = ended.await.map_err(lost)?;
    let result = attached(|py| from_python("the result", &future.bind(py).call_method0("result")?));
    drop(task);
    result
}

/// Reports to the op that its coroutine has ended.
#[pyclass(frozen, module = "svc._svc")]
struct Done(std::sync::Mutex<Option<oneshot::Sender<Py<PyAny>>>>);

#[pymethods]
impl Done {
    fn __call__(&self, future: Py<PyAny>) {
        let sender = self.0.lock().ok().and_then(|mut it| it.take());
        if let Some(sender) = sender {
            // A call that was cancelled does not wait any more.
            let _ = sender.send(future);
        }
    }
}

/// A running coroutine, which is cancelled with its call.
struct Task(Py<PyAny>);

impl Drop for Task {
    fn drop(&mut self) {
        attach(|py| {
            // Without effect if it has ended.
            if let Err(err) = self.0.call_method0(py, "cancel") {
                err.write_unraisable(py, None);
            }
        });
    }
}

fn arguments<'py>(py: Python<'py>, args: &[Value]) -> PyResult<Bound<'py, PyTuple>> {
    let args: PyResult<Vec<_>> = args.iter().map(|it| to_python(py, it, Reader::Op)).collect();
    PyTuple::new(py, args?)
}

fn attached<T>(call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, OpError> {
    let ended = attach(|py| call(py).map_err(|err| raised(py, err)));
    ended.unwrap_or_else(|| Err(OpError::failed("the Python interpreter is shutting down")))
}

/// An exception as an error of the call. `svc.OpError` has the fields of one; its cause is the
/// exception of the function.
fn raised(py: Python<'_>, err: PyErr) -> OpError {
    let value = err.value(py);
    let text = |name: &str| value.getattr(name).ok().and_then(|it| it.extract::<String>().ok());
    let kind = text("kind").and_then(|it| ErrorKind::parse(&it));
    let kind = kind.filter(|it| ErrorKind::RAISED.contains(it));
    let message = text("message").unwrap_or_else(|| err.to_string());
    let mut error = OpError::new(kind.unwrap_or(ErrorKind::Failed), message);
    if let Some(help) = text("help") {
        error = error.help(help);
    }
    let wait = value.getattr("retry_after").ok().and_then(|it| it.extract::<f64>().ok());
    if let Some(wait) = wait.and_then(|it| Duration::try_from_secs_f64(it).ok()) {
        error = error.retry_after(wait);
    }
    let cause = err.cause(py);
    error.because(cause.unwrap_or(err))
}
