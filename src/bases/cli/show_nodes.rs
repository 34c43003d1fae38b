//! The calls of a run as rows of a table, with their times.

use std::time::Duration;

use svc_contract::{
    registry::Usage,
    store::{Node, NodeState, Run},
    value::{Record, Value, units},
};

use super::{
    folded::{self, Place, ended},
    runs::{cost, recorded_error},
    show::Reader,
};

/// Places with fewer calls than this show each call.
const FOLDED_FROM: usize = 4;

/// The number of failed calls shown per folded place.
const FAILURES: usize = 10;

/// The number of slowest calls shown per folded place.
const SLOWEST: usize = 3;

/// The width of a bar that spans the whole run, in columns.
const BAR: i64 = 16;

/// The terminal width from which bars are shown, in columns.
const ROOMY: u16 = 100;

/// One row per call.
pub(super) fn all(run: &Run, nodes: &[Node], reader: Reader) -> Value {
    let recorded_error: Vec<Row> = nodes.iter().map(|it| Row::of_node(it, "")).collect();
    Clock::of(run, nodes, reader).rows(&recorded_error)
}

/// One row per place, followed by its failed and its slowest calls.
pub(super) fn folded(run: &Run, nodes: &[Node], reader: Reader) -> Value {
    let mut recorded_error = Vec::new();
    for place in folded::places(nodes) {
        if place.nodes.len() < FOLDED_FROM {
            recorded_error.extend(place.nodes.iter().map(|it| Row::of_node(it, "")));
        } else {
            recorded_error.push(Row::of_place(&place));
            recorded_error.extend(notable(&place).map(|(node, why)| Row::of_node(node, why)));
        }
    }
    Clock::of(run, nodes, reader).rows(&recorded_error)
}

/// The notable calls of a place, each with the reason.
fn notable<'n>(place: &Place<'n>) -> impl Iterator<Item = (&'n Node, &'static str)> {
    let failed = place.nodes.iter().filter(|it| folded::state(it) == folded::FAILED).take(FAILURES);
    let done = place.nodes.iter().copied();
    let done = done.filter(|it| it.state == NodeState::Done && it.origin.is_none());
    let mut slowest: Vec<&Node> = done.collect();
    slowest.sort_by_key(|it| std::cmp::Reverse(it.took));
    slowest.truncate(SLOWEST);
    let failed: Vec<&Node> = failed.copied().collect();
    failed.into_iter().map(|it| (it, "")).chain(slowest.into_iter().map(|it| (it, "slowest")))
}

/// The start and length of a run, to place calls in it.
struct Clock {
    /// Milliseconds since 1970.
    started: i64,
    /// Milliseconds.
    length: i64,
    reader: Reader,
}

/// The content of a row, for one call or for many.
struct Row {
    path: String,
    state: String,
    tries: u32,
    started: i64,
    ended: i64,
    took: Duration,
    used: Usage,
    note: String,
}

impl Row {
    fn of_node(node: &Node, why: &str) -> Self {
        let error = recorded_error(node.error.as_deref());
        let message = error.as_ref().and_then(|it| it["message"].as_str());
        Self {
            path: node.path.clone(),
            state: folded::state(node).to_owned(),
            tries: node.attempts,
            started: node.started,
            ended: ended(node),
            took: folded::took(node),
            used: node.used,
            note: message.unwrap_or(why).to_owned(),
        }
    }

    fn of_place(place: &Place<'_>) -> Self {
        let failed = place.count(folded::FAILED);
        let hidden = failed.saturating_sub(FAILURES);
        Self {
            path: format!("{} ×{}", place.path, place.nodes.len()),
            state: place.state(),
            tries: place.nodes.iter().fold(0, |sum, it| it.attempts.saturating_add(sum)),
            started: place.started(),
            ended: place.ended(),
            took: place.took(),
            used: place.used(),
            note: if hidden > 0 { format!("{hidden} more failed: --all") } else { String::new() },
        }
    }
}

impl Clock {
    fn of(run: &Run, nodes: &[Node], reader: Reader) -> Self {
        let last = nodes.iter().map(ended).chain(run.ended).max().unwrap_or(run.started);
        Self { started: run.started, length: last.saturating_sub(run.started).max(1), reader }
    }

    /// The rows as a table. A pipe always receives the same columns; a terminal omits empty columns
    /// and shows bars if it is wide enough.
    fn rows(&self, recorded_error: &[Row]) -> Value {
        let Reader::Terminal { width, .. } = self.reader else {
            return self.table(recorded_error, |it| it != "time");
        };
        let tries = recorded_error.iter().any(|it| it.tries != 1);
        let costs = recorded_error.iter().any(|it| it.used != Usage::default());
        let notes = recorded_error.iter().any(|it| !it.note.is_empty());
        self.table(recorded_error, |column| match column {
            "tries" => tries,
            "cost" => costs,
            "note" => notes,
            "time" => width >= ROOMY,
            _ => true,
        })
    }

    fn table(&self, recorded_error: &[Row], is_shown: impl Fn(&str) -> bool) -> Value {
        let all = ["node", "state", "tries", "start", "took", "time", "cost", "note"];
        let columns: Vec<&str> = all.into_iter().filter(|it| is_shown(it)).collect();
        let row = |it: &Row| {
            let cells = columns.iter().map(|name| ((*name).into(), self.cell(it, name)));
            Value::Record(cells.collect::<Record>())
        };
        recorded_error.iter().map(row).collect::<Vec<_>>().into()
    }

    fn cell(&self, recorded_error: &Row, column: &str) -> Value {
        match column {
            "node" => recorded_error.path.as_str().into(),
            "state" => recorded_error.state.as_str().into(),
            "tries" => Value::Int(recorded_error.tries.into()),
            "start" => {
                let after =
                    u64::try_from(recorded_error.started.saturating_sub(self.started)).unwrap_or(0);
                format!("+{}", units::show_duration(Duration::from_millis(after))).into()
            }
            "took" => units::show_measured(recorded_error.took).into(),
            "time" => self.bar(recorded_error.started, recorded_error.ended).into(),
            "cost" => cost(recorded_error.used).into(),
            _ => recorded_error.note.as_str().into(),
        }
    }

    /// The position of an interval within the run: `····██··········`.
    fn bar(&self, from: i64, to: i64) -> String {
        let column = |at: i64| {
            let after = at.saturating_sub(self.started).clamp(0, self.length);
            after.saturating_mul(BAR) / self.length
        };
        let first = column(from).min(BAR - 1);
        let width = (column(to) - first).max(1);
        let count = |it: i64| usize::try_from(it).unwrap_or(0);
        // Dots, because the table trims spaces at the ends of a cell.
        ["·".repeat(count(first)), "█".repeat(count(width)), "·".repeat(count(BAR - first - width))]
            .concat()
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Reader};

    #[test]
    fn bars_stand_in_the_time_of_the_run() {
        let clock = Clock { started: 1_000, length: 1_600, reader: Reader::Pipe };
        assert_eq!(clock.bar(1_000, 2_600), "█".repeat(16));
        assert_eq!(clock.bar(1_200, 1_400), format!("··██{}", "·".repeat(12)));
        assert_eq!(clock.bar(2_600, 2_600), format!("{}█", "·".repeat(15)));
        assert_eq!(clock.bar(0, 0), format!("█{}", "·".repeat(15)));
    }
}
