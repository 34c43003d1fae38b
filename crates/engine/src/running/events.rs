//! The events of a run on their way to their reader.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use futures_util::{Stream, StreamExt};
use svc_contract::store::RunId;

use super::event::{Happened, RunEvent};
use crate::run::{Event, Observer};

/// The most events that wait for a reader.
const MOST: usize = 1024;

/// The most bytes of values that wait for a reader: they count as memory of the run.
const MOST_BYTES: u64 = 1 << 20;

/// The events of a run: a stream that ends with the run.
///
/// At most 1024 events wait for their reader, with at most 1 MiB of values. If it is slower than
/// the run, the oldest events are dropped, and [`Happened::Missed`] says how many. A reader
/// neither slows the run down nor makes it fail, even if it is dropped.
#[derive(Debug)]
pub struct Events {
    queue: Arc<Queue>,
}

#[derive(Debug)]
pub(super) struct Queue {
    run: RunId,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<RunEvent>,
    /// The bytes of the waiting values.
    bytes: u64,
    missed: u64,
    /// Whether the run has ended.
    is_over: bool,
    /// Whether the reader is gone.
    is_unread: bool,
    reader: Option<Waker>,
}

impl Events {
    pub(super) fn of(queue: Arc<Queue>) -> Self {
        Self { queue }
    }

    /// The next event; `None` after the last one.
    pub async fn next(&mut self) -> Option<RunEvent> {
        StreamExt::next(self).await
    }
}

impl Stream for Events {
    type Item = RunEvent;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<RunEvent>> {
        let mut state = self.queue.state();
        if let Some(event) = state.take(&self.queue.run) {
            return Poll::Ready(Some(event));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.is_unread = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting);
    }
}

impl Queue {
    pub(super) fn new(run: RunId) -> Arc<Self> {
        Arc::new(Self { run, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_read(&self) -> bool {
        !self.state().is_unread
    }

    pub(super) fn push(&self, path: &str, what: Happened) {
        let event = RunEvent::of(&self.run, path, what);
        let mut state = self.state();
        if state.is_unread || state.is_over {
            return;
        }
        let dropped = state.add(event);
        let reader = state.reader.take();
        drop(state);
        drop(dropped);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn close(&self) {
        let mut state = self.state();
        state.is_over = true;
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

impl State {
    /// Adds an event, and returns those that must make room for it.
    fn add(&mut self, event: RunEvent) -> Vec<RunEvent> {
        let mut dropped = Vec::new();
        self.bytes += event.size();
        self.waiting.push_back(event);
        while self.waiting.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.bytes -= oldest.size();
            self.missed += 1;
            dropped.push(oldest);
        }
        dropped
    }

    fn take(&mut self, run: &RunId) -> Option<RunEvent> {
        if let count @ 1.. = std::mem::take(&mut self.missed) {
            return Some(RunEvent::of(run, "", Happened::Missed { count }));
        }
        let event = self.waiting.pop_front()?;
        self.bytes -= event.size();
        Some(event)
    }
}

/// Ends the stream when the run ends, whatever ends it.
pub(super) struct Closing(pub(super) Arc<Queue>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// An observer that also passes events to the reader of a run.
pub(super) struct Recorder {
    pub(super) queue: Arc<Queue>,
    /// The observer of the engine.
    pub(super) other: Arc<dyn Observer>,
}

impl Observer for Recorder {
    fn event(&self, path: &str, event: &Event<'_>) {
        if self.other.listens() {
            self.other.event(path, event);
        }
        if self.queue.is_read()
            && let Some(what) = Happened::of(event)
        {
            self.queue.push(path, what);
        }
    }

    fn listens(&self) -> bool {
        self.queue.is_read() || self.other.listens()
    }
}
