//! A run that was started: its events, and its result.

mod event;
mod events;

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use svc_contract::{
    registry::{ErrorKind, OpError},
    store::RunId,
};
use svc_lang::diag::Span;
use tokio::{runtime::Handle, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

pub use event::{Happened, OpFailure, RunEvent};
pub use events::Events;

use super::{Error, Request, Response};
use crate::run::{RunError, ended_by_panic};
use events::{Closing, Queue, Recorder};

/// A run that was started. Await it for its result.
///
/// Dropping it ends the run, as dropping an awaited [`Request`] does: pending I/O is dropped,
/// computations are cancelled, and a stored run can be resumed.
#[must_use = "dropping it cancels the run"]
pub struct Running {
    run: RunId,
    events: Events,
    cancel: CancellationToken,
    work: Work,
}

enum Work {
    Task(JoinHandle<Result<Response, Error>>),
    /// The run cannot begin.
    Refused(Option<Error>),
}

impl Request<'_> {
    /// Starts the run as a task of the current tokio runtime, and returns its events and its
    /// result as one handle. Without a runtime, the result is an error.
    pub fn start(self) -> Running {
        let mut request = self.into_owned();
        let engine = request.engine.to_mut();
        let run = request.id.clone().unwrap_or_else(|| RunId::new(engine.host.now()));
        let queue = Queue::new(run.clone());
        let other = std::mem::replace(&mut engine.observer, Arc::new(crate::run::Unwatched));
        engine.observer = Arc::new(Recorder { queue: queue.clone(), other });
        request.cancel = request.cancel.child_token();
        let cancel = request.cancel.clone();
        let events = Events::of(queue.clone());
        let closing = Closing(queue);
        let work = match Handle::try_current() {
            Ok(runtime) => Work::Task(runtime.spawn(watched(request, closing).in_current_span())),
            Err(_) => {
                let refused = Err(without_runtime());
                closing.0.push("", end(&refused));
                Work::Refused(refused.err())
            }
        };
        Running { run, events, cancel, work }
    }
}

/// Runs a request, and reports its end as the last event.
async fn watched(request: Request<'static>, closing: Closing) -> Result<Response, Error> {
    let ended = request.run().await;
    closing.0.push("", end(&ended));
    ended
}

fn end(ended: &Result<Response, Error>) -> Happened {
    match ended {
        Ok(response) => Happened::Ended {
            value: Some(response.value.clone()),
            usage: Some(response.usage.into()),
            error: None,
        },
        Err(error) => {
            let report = error.report();
            Happened::Ended {
                value: None,
                usage: report.usage.clone(),
                error: Some(Box::new(report)),
            }
        }
    }
}

impl Running {
    /// The run: its name in the store, if it is stored.
    pub fn id(&self) -> &RunId {
        &self.run
    }

    /// The events of the run. They need not be read.
    pub fn events(&mut self) -> &mut Events {
        &mut self.events
    }

    /// Takes the events away, to read them elsewhere.
    pub fn take_events(&mut self) -> Events {
        let none = Queue::new(self.run.clone());
        drop(Closing(none.clone()));
        std::mem::replace(&mut self.events, Events::of(none))
    }

    /// Cancels the run. Its result is then an error of the kind `cancelled`, unless it had ended
    /// before.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

impl Future for Running {
    type Output = Result<Response, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.work {
            Work::Task(task) => Pin::new(task).poll(cx).map(|it| match it {
                Ok(ended) => ended,
                Err(err) if err.is_cancelled() => Err(unplaced(OpError::cancelled())),
                Err(_) => Err(failed(ended_by_panic(Span::default()))),
            }),
            Work::Refused(error) => match error.take() {
                Some(error) => Poll::Ready(Err(error)),
                None => Poll::Pending,
            },
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Work::Task(task) = &self.work {
            task.abort();
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("run", &self.run).finish_non_exhaustive()
    }
}

/// The error of a run that needs a runtime and has none.
pub(crate) fn without_runtime() -> Error {
    let error = OpError::new(ErrorKind::Unsupported, "a run needs a tokio runtime");
    unplaced(error.help("await the request inside a runtime, or call `.blocking()`"))
}

/// The error of a run that would block a runtime.
pub(crate) fn inside_runtime() -> Error {
    let message = "`.blocking()` would block the tokio runtime that calls it";
    let error = OpError::new(ErrorKind::Unsupported, message);
    unplaced(error.help("await the request, or call `.blocking()` on a thread of its own"))
}

/// The error of a runtime that the system refuses.
pub(crate) fn no_runtime(err: std::io::Error) -> Error {
    unplaced(OpError::failed(format!("cannot start a tokio runtime: {err}")).because(err))
}

fn unplaced(error: OpError) -> Error {
    failed(RunError::outside(error, Span::default()))
}

/// A failure without a place in the script.
fn failed(error: Box<RunError>) -> Error {
    Error::Input { source: "".into(), error }
}
