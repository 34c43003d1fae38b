//! The state of a run, collected from its events: calls, places and cost.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use svc_contract::{
    registry::{ErrorKind, Usage},
    value::units,
};
use svc_engine::run::{Event, ledger::Cap, place_of};
use svc_lang::diag::visible_line;

/// The events of a run so far, summed up.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    nodes: BTreeMap<String, SeenPlace>,
    /// The number of calls that have ended, including those reused from an earlier run.
    pub ended: usize,
    pub running: usize,
    /// The total number of calls, if the plan determines it.
    pub planned: Option<usize>,
    pub spent: Usage,
    pub cap: Cap,
}

/// All nodes of one place in the script; the items of an `each` share one place.
#[derive(Clone, Debug)]
pub struct SeenPlace {
    /// The number of places seen before this one.
    order: usize,
    pub running: usize,
    pub since: Instant,
    pub finished: usize,
    pub reused: usize,
    pub took: Duration,
    pub failed: usize,
    /// The number of calls that were running when the run was cancelled.
    pub stopped: usize,
    pub progress: Option<CallProgress>,
    /// The calls whose last attempt failed, by path.
    retries: BTreeMap<String, Retry>,
    /// The items of an `each`, at the place of the `each` itself.
    pub items: Option<EachProgress>,
}

/// The progress of a long call.
#[derive(Clone, Debug)]
pub struct CallProgress {
    pub what: String,
    pub done: u64,
    pub total: Option<u64>,
}

/// The next attempt of a call.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    pub begins: Instant,
}

/// The progress of an `each`.
#[derive(Clone, Copy, Debug, Default)]
pub struct EachProgress {
    pub total: usize,
    pub done: usize,
    pub running: usize,
    pub failed: usize,
}

impl Seen {
    /// Records an event.
    pub fn note(&mut self, path: &str, event: &Event<'_>) {
        match event {
            Event::Begun { plan, cap, spent } => {
                (self.planned, self.cap, self.spent) = (plan.calls(), *cap, *spent);
            }
            Event::Started { .. } => {
                self.running += 1;
                self.at(path).start();
            }
            Event::Finished { took, .. } => {
                let node = self.end(path);
                node.finished += 1;
                node.took = node.took.saturating_add(*took);
            }
            Event::Failed { error, .. } => {
                let node = self.end(path);
                match error.kind {
                    ErrorKind::Cancelled => node.stopped += 1,
                    _ => node.failed += 1,
                }
            }
            Event::Reused { .. } => {
                self.ended += 1;
                self.at(path).reused += 1;
            }
            Event::Settled { used, .. } => self.spend(*used),
            Event::Retrying { attempt, wait, .. } => {
                let retry = Retry { attempt: attempt + 1, begins: Instant::now() + *wait };
                self.at(path).retries.insert(path.to_owned(), retry);
            }
            Event::Progress { what, done, total } => {
                let (done, total) = (*done, *total);
                self.at(path).progress =
                    Some(CallProgress { what: (*what).to_owned(), done, total });
            }
            Event::Items { total } => self.items(path).total += total,
            Event::ItemStarted => self.items(list(path)).running += 1,
            Event::ItemEnded { failed } => {
                let items = self.items(list(path));
                items.running = items.running.saturating_sub(1);
                items.done += usize::from(!failed);
                items.failed += usize::from(*failed);
            }
            _ => {}
        }
    }

    /// The matching places, in the order in which they were reached.
    pub fn in_order(&self, wanted: impl Fn(&SeenPlace) -> bool) -> Vec<(&str, &SeenPlace)> {
        let all = self.nodes.iter().map(|(path, node)| (path.as_str(), node));
        let mut nodes: Vec<_> = all.filter(|(_, it)| wanted(it)).collect();
        nodes.sort_by_key(|(_, it)| it.order);
        nodes
    }

    /// The finished calls on one line, if there are any.
    pub fn finished(&self) -> Option<String> {
        let nodes = self.in_order(|it| it.finished > 0);
        let shown: Vec<String> = nodes
            .iter()
            .map(|(path, it)| format!("{path} ({})", counted(it.finished, Some(it.took))))
            .collect();
        (!shown.is_empty()).then(|| shown.join(", "))
    }

    /// One line per place and state, with the paths made visible.
    pub fn report(&self) -> String {
        let mut text = String::new();
        for (path, node) in self.in_order(|_| true) {
            let lines = [
                ("reused", node.reused, None),
                ("finished", node.finished, Some(node.took)),
                ("running", node.running + node.stopped, None),
                ("failed", node.failed, None),
            ];
            for (word, n, took) in lines.into_iter().filter(|(_, n, _)| *n > 0) {
                let path = visible_line(path);
                let line = format!("  {word:<8}  {path}  {}", counted(n, took));
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }

    fn at(&mut self, path: &str) -> &mut SeenPlace {
        let order = self.nodes.len();
        self.nodes.entry(place_of(path)).or_insert_with(|| SeenPlace::new(order))
    }

    fn end(&mut self, path: &str) -> &mut SeenPlace {
        self.ended += 1;
        self.running = self.running.saturating_sub(1);
        let node = self.at(path);
        node.running = node.running.saturating_sub(1);
        node.progress = None;
        node.retries.remove(path);
        node
    }

    fn items(&mut self, path: &str) -> &mut EachProgress {
        self.at(path).items.get_or_insert_default()
    }

    fn spend(&mut self, used: Usage) {
        self.spent = self.spent.plus(used);
    }
}

impl SeenPlace {
    fn new(order: usize) -> Self {
        Self {
            order,
            running: 0,
            since: Instant::now(),
            finished: 0,
            reused: 0,
            took: Duration::ZERO,
            failed: 0,
            stopped: 0,
            progress: None,
            retries: BTreeMap::new(),
            items: None,
        }
    }

    fn start(&mut self) {
        if self.running == 0 {
            self.since = Instant::now();
        }
        self.running += 1;
    }

    /// Whether something runs here.
    pub fn is_running(&self) -> bool {
        self.running > 0 || self.items.is_some_and(|it| it.running > 0)
    }

    /// The calls in a retry or waiting for one.
    pub fn retries(&self) -> impl Iterator<Item = Retry> {
        self.retries.values().copied()
    }
}

/// `1.2s`, or `×12, 3.4s in total`.
fn counted(n: usize, took: Option<Duration>) -> String {
    let took = took.map(units::show_measured);
    match (n, took) {
        (1, took) => took.unwrap_or_default(),
        (n, Some(took)) => format!("×{n}, {took} in total"),
        (n, None) => format!("×{n}"),
    }
}

/// The path of the `each` that an item belongs to.
fn list(item: &str) -> &str {
    item.rsplit_once('[').map_or(item, |(list, _)| list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_at_their_each() {
        let mut seen = Seen::default();
        for outer in 0..2 {
            seen.note(&format!("each[{outer}]/each"), &Event::Items { total: 5 });
            for idx in 0..3 {
                seen.note(&format!("each[{outer}]/each[{idx}]"), &Event::ItemStarted);
            }
            let ended = |failed| Event::ItemEnded { failed };
            seen.note(&format!("each[{outer}]/each[0]"), &ended(true));
            seen.note(&format!("each[{outer}]/each[1]"), &ended(false));
        }
        let nodes = seen.in_order(SeenPlace::is_running);
        let (path, node) = nodes[0];
        let EachProgress { total, done, running, failed } = node.items.unwrap();
        assert_eq!((path, total, done, running, failed), ("each[]/each", 10, 2, 2, 2));
        assert_eq!(nodes.len(), 1);
    }
}
