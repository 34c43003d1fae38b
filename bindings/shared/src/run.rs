//! A run that threads without a runtime can watch, cancel and wait for.

use std::{
    pin::pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use svc::{CancellationToken, Error, Events, Request, Response, RunEvent, registry::OpError};

use crate::{call_error, runtime::runtime};

type Ended = Result<Response, Error>;
type Callback = Box<dyn FnOnce() + Send>;

/// A started run. Dropping it cancels the run.
pub struct Run {
    cancel: CancellationToken,
    events: Mutex<Events>,
    end: Arc<End>,
}

/// What a wait has led to.
#[derive(Debug)]
pub enum Waited<T> {
    /// It is there.
    Ready(T),
    /// The time is over.
    TimedOut,
}

/// The end of a run.
#[derive(Default)]
struct End {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    has_ended: bool,
    /// The result, until it is taken.
    result: Option<Ended>,
    callback: Option<Callback>,
}

impl Run {
    /// Starts a request. It runs on threads that all runs of the process share.
    pub fn start(request: Request<'_>) -> Result<Self, OpError> {
        let runtime = runtime()?;
        let cancel = CancellationToken::new();
        let mut running = {
            let _inside = runtime.enter();
            request.cancelled_by(cancel.clone()).start()
        };
        let events = Mutex::new(running.take_events());
        let end = Arc::new(End::default());
        let ended = end.clone();
        runtime.spawn(async move { ended.set(running.await) });
        Ok(Self { cancel, events, end })
    }

    /// Cancels the run. Its result is then an error of the kind `cancelled`, unless it had ended
    /// before. May be called from any thread, also while others wait.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits for the next event; `None` after the last one. Without a timeout, as long as it
    /// takes.
    pub fn next_event(&self, timeout: Option<Duration>) -> Waited<Option<RunEvent>> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        wait(events.next(), timeout)
    }

    /// Waits for the end, and takes the result: a second call is an error.
    pub fn join(&self, timeout: Option<Duration>) -> Waited<Ended> {
        let state = self.end.state();
        let running = |it: &mut State| !it.has_ended;
        let changed = &self.end.changed;
        let mut state = match timeout {
            Some(time) => {
                changed
                    .wait_timeout_while(state, time, running)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
            None => changed.wait_while(state, running).unwrap_or_else(PoisonError::into_inner),
        };
        if !state.has_ended {
            return Waited::TimedOut;
        }
        let taken = || Err(call_error(OpError::invalid_input("the result was already taken")));
        Waited::Ready(state.result.take().unwrap_or_else(taken))
    }

    /// Calls `callback` once the run has ended, on a thread of the runtime; at once if it has. It
    /// replaces an earlier one.
    pub fn when_ended(&self, callback: impl FnOnce() + Send + 'static) {
        let mut state = self.end.state();
        if state.has_ended {
            drop(state);
            callback();
        } else {
            state.callback = Some(Box::new(callback));
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl End {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, result: Ended) {
        let mut state = self.state();
        (state.has_ended, state.result) = (true, Some(result));
        let callback = state.callback.take();
        drop(state);
        self.changed.notify_all();
        if let Some(callback) = callback {
            callback();
        }
    }
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future that needs no runtime.
fn wait<F: Future>(future: F, timeout: Option<Duration>) -> Waited<F::Output> {
    let mut future = pin!(future);
    let until = timeout.and_then(|it| Instant::now().checked_add(it));
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(it) = future.as_mut().poll(&mut cx) {
            return Waited::Ready(it);
        }
        match until.map(|it| it.saturating_duration_since(Instant::now())) {
            Some(Duration::ZERO) => return Waited::TimedOut,
            Some(left) => thread::park_timeout(left),
            None => thread::park(),
        }
    }
}
