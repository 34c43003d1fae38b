//! The calls of a run as rows of a table, with their times: `svc show`.

use std::time::Duration;

use svc_contract::{
    registry::Usage,
    store::{Node, NodeState, Run},
    value::{Record, Value, units},
};

use crate::{
    folded::{self, FoldedPlace, ended},
    runs::{cost, recorded_error},
};

/// Places with fewer calls than this show each call.
const FOLDED_FROM: usize = 4;

/// The number of failed calls shown per folded place.
const FAILURES: usize = 10;

/// The number of slowest calls shown per folded place.
const SLOWEST: usize = 3;

/// The width of a bar that spans the whole run, in columns.
const BAR: i64 = 16;

/// The columns of the table.
const COLUMNS: [&str; 8] = ["node", "state", "tries", "start", "took", "time", "cost", "note"];

/// The rows of a table of calls.
pub struct Calls {
    clock: Clock,
    rows: Vec<Row>,
}

impl Calls {
    /// One row per call.
    pub fn all(run: &Run, nodes: &[Node]) -> Self {
        let rows = nodes.iter().map(|it| Row::of_node(it, "")).collect();
        Self { clock: Clock::of(run, nodes), rows }
    }

    /// One row per place, followed by its failed and its slowest calls.
    pub fn folded(run: &Run, nodes: &[Node]) -> Self {
        let mut rows = Vec::new();
        for place in folded::places(nodes) {
            if place.nodes.len() < FOLDED_FROM {
                rows.extend(place.nodes.iter().map(|it| Row::of_node(it, "")));
            } else {
                rows.push(Row::of_place(&place));
                rows.extend(notable(&place).map(|(node, why)| Row::of_node(node, why)));
            }
        }
        Self { clock: Clock::of(run, nodes), rows }
    }

    /// Whether a row has something unusual in this column.
    pub fn is_used(&self, column: &str) -> bool {
        match column {
            "tries" => self.rows.iter().any(|it| it.tries != 1),
            "cost" => self.rows.iter().any(|it| it.used != Usage::default()),
            "note" => self.rows.iter().any(|it| !it.note.is_empty()),
            _ => true,
        }
    }

    /// The rows as records with the columns that are shown. `time` is a bar within the run.
    pub fn table(&self, is_shown: impl Fn(&str) -> bool) -> Value {
        let columns: Vec<&str> = COLUMNS.into_iter().filter(|it| is_shown(it)).collect();
        let row = |it: &Row| {
            let cells = columns.iter().map(|name| ((*name).into(), self.clock.cell(it, name)));
            Value::Record(cells.collect::<Record>())
        };
        self.rows.iter().map(row).collect::<Vec<_>>().into()
    }
}

/// The notable calls of a place, each with the reason.
fn notable<'n>(place: &FoldedPlace<'n>) -> impl Iterator<Item = (&'n Node, &'static str)> {
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

    fn of_place(place: &FoldedPlace<'_>) -> Self {
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
    fn of(run: &Run, nodes: &[Node]) -> Self {
        let last = nodes.iter().map(ended).chain(run.ended).max().unwrap_or(run.started);
        Self { started: run.started, length: last.saturating_sub(run.started).max(1) }
    }

    fn cell(&self, row: &Row, column: &str) -> Value {
        match column {
            "node" => row.path.as_str().into(),
            "state" => row.state.as_str().into(),
            "tries" => Value::Int(row.tries.into()),
            "start" => {
                let after = u64::try_from(row.started.saturating_sub(self.started)).unwrap_or(0);
                format!("+{}", units::show_duration(Duration::from_millis(after))).into()
            }
            "took" => units::show_measured(row.took).into(),
            "time" => self.bar(row.started, row.ended).into(),
            "cost" => cost(row.used).into(),
            _ => row.note.as_str().into(),
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
    use super::Clock;

    #[test]
    fn bars_stand_in_the_time_of_the_run() {
        let clock = Clock { started: 1_000, length: 1_600 };
        assert_eq!(clock.bar(1_000, 2_600), "█".repeat(16));
        assert_eq!(clock.bar(1_200, 1_400), format!("··██{}", "·".repeat(12)));
        assert_eq!(clock.bar(2_600, 2_600), format!("{}█", "·".repeat(15)));
        assert_eq!(clock.bar(0, 0), format!("█{}", "·".repeat(15)));
    }
}
