//! The events of a run for a reader: each with its number, its name and its data as JSON.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use svc_contract::value::{Value, json};
use svc_engine::{Happened, RunEvent};
use svc_service::{Live, Numbered, RunEnd, Seen};

use super::{
    EventsOf,
    fault::{self, WithRequest},
    object,
    scripts::{accepted, ended},
};

/// Progress is sent at most this often.
const PROGRESS: Duration = Duration::from_millis(250);

/// A reader of the events of a run.
pub struct Following {
    run: Arc<Live>,
    after: u64,
    cancel_on_close: bool,
    last_progress: Option<Instant>,
    is_over: bool,
}

/// An event as it is sent.
#[derive(Clone, Debug)]
pub struct SentEvent {
    pub number: u64,
    pub name: &'static str,
    /// JSON, which has no line ends.
    pub data: String,
}

impl Following {
    pub fn new(of: EventsOf) -> Self {
        let EventsOf { run, after, cancel_on_close } = of;
        Self { run, after, cancel_on_close, last_progress: None, is_over: false }
    }

    /// The next event; `None` after the end. Waits for it, and may be dropped while it waits.
    pub async fn next(&mut self) -> Option<SentEvent> {
        loop {
            if self.is_over {
                return None;
            }
            match self.run.next(self.after).await {
                Seen::Gap(next) => {
                    self.after = next - 1;
                    return Some(gap(&self.run, next));
                }
                Seen::Ended(outcome) => {
                    self.is_over = true;
                    return Some(end(&self.run, self.after + 1, *outcome));
                }
                Seen::Event(it) => {
                    self.after = it.number;
                    let is_progress = name(&it.event) == "progress";
                    if is_progress && self.last_progress.is_some_and(|at| at.elapsed() < PROGRESS) {
                        continue;
                    }
                    if is_progress {
                        self.last_progress = Some(Instant::now());
                    }
                    return Some(of(&it));
                }
            }
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        if self.cancel_on_close && !self.is_over {
            self.run.cancel();
        }
    }
}

impl SentEvent {
    /// The event as a server-sent one.
    pub fn sse(&self) -> String {
        let Self { number, name, data } = self;
        format!("id: {number}\nevent: {name}\ndata: {data}\n\n")
    }

    /// The event as a message that belongs to another one.
    pub(crate) fn message(&self, id: &Value) -> String {
        let Self { number, name, data } = self;
        let id = json::write(id);
        format!(r#"{{"id":{id},"event":"{name}","number":{number},"data":{data}}}"#)
    }
}

/// The name of an event for readers.
fn name(event: &RunEvent) -> &'static str {
    match event.what {
        Happened::Begun => "begun",
        Happened::Items { .. }
        | Happened::ItemStarted
        | Happened::ItemEnded { .. }
        | Happened::Progress { .. } => "progress",
        Happened::Notice { .. } | Happened::Swallowed { .. } | Happened::Straggler { .. } => {
            "notice"
        }
        Happened::Missed { .. } => "gap",
        _ => "call",
    }
}

fn of(it: &Numbered) -> SentEvent {
    let data = serde_json::to_string(it.event.as_ref()).unwrap_or_default();
    SentEvent { number: it.number, name: name(&it.event), data }
}

/// Events that a reader comes too late for: `next` is the number of the first one that is left.
fn gap(run: &Live, next: u64) -> SentEvent {
    let next = i64::try_from(next).unwrap_or(i64::MAX);
    let data = object([
        ("run", run.id().as_str().into()),
        ("next", next.into()),
        ("state", run.word().into()),
    ]);
    let number = next.unsigned_abs().saturating_sub(1);
    SentEvent { number, name: "gap", data: json::write(&data) }
}

/// The end of a run: what a call that waited would have got.
fn end(run: &Live, number: u64, outcome: RunEnd) -> SentEvent {
    let (name, data): (_, Value) = match outcome {
        // It goes on when a person has answered.
        Err(_) if run.is_waiting() => ("approval", accepted(run)),
        Ok(answer) => ("result", ended(run, answer)),
        Err(fault) => {
            ("error", fault::body(&WithRequest { fault: &fault, request_id: run.id().as_str() }))
        }
    };
    SentEvent { number, name, data: json::write(&data) }
}
