//! The events of a run as server-sent events.

use svc_contract::value::{Value, json};
use svc_engine::{Happened, RunEvent};
use svc_service::{Live, Numbered, RunEnd};

use super::{
    fault::{self, WithRequest},
    object,
    scripts::{accepted, ended},
};

/// The name of an event for readers.
pub fn name(event: &RunEvent) -> &'static str {
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

/// An event as text.
pub fn text(it: &Numbered) -> String {
    let data = serde_json::to_string(it.event.as_ref()).unwrap_or_default();
    written(it.number, name(&it.event), &data)
}

/// Events that a reader comes too late for: `next` is the number of the first one that is left.
pub fn gap(run: &Live, next: u64) -> String {
    let next = i64::try_from(next).unwrap_or(i64::MAX);
    let data = object([
        ("run", run.id().as_str().into()),
        ("next", next.into()),
        ("state", run.word().into()),
    ]);
    written(next.unsigned_abs().saturating_sub(1), "gap", &json::write(&data))
}

/// The end of a run: what a call that waited would have got.
pub fn end(run: &Live, number: u64, outcome: RunEnd) -> String {
    let (name, data): (_, Value) = match outcome {
        // It goes on when a person has answered.
        Err(_) if run.is_waiting() => ("approval", accepted(run)),
        Ok(answer) => ("result", ended(run, answer)),
        Err(fault) => {
            ("error", fault::body(&WithRequest { fault: &fault, request_id: run.id().as_str() }))
        }
    };
    written(number, name, &json::write(&data))
}

/// JSON has no line ends, so the data is one line.
fn written(number: u64, name: &str, data: &str) -> String {
    format!("id: {number}\nevent: {name}\ndata: {data}\n\n")
}
