//! Watching a run: what runs, what has finished, and what to tell of it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{screen::Screen, terminal::Terminal};
use crate::{
    registry::ErrorKind,
    run::{Event, Observer},
    value::units,
};

/// How many retries and left-out parts are told one by one.
const MOST_ASIDES: usize = 20;

/// What is known of a run while it runs.
pub(super) struct Watch {
    terminal: Terminal,
    /// Where progress is drawn; what is written between must go through it.
    pub(super) screen: Screen,
    started: Instant,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    nodes: BTreeMap<String, Node>,
    asides: usize,
}

/// All nodes of one place in the script: the items of an `each` are one.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// How many places were seen before it.
    order: usize,
    pub(super) running: usize,
    pub(super) since: Instant,
    finished: usize,
    reused: usize,
    took: Duration,
    failed: usize,
    /// How many were running when the run was cancelled.
    stopped: usize,
    pub(super) progress: Option<Progress>,
}

/// How far a long call is.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub(super) what: String,
    pub(super) done: u64,
    pub(super) total: Option<u64>,
}

impl Watch {
    /// Progress is drawn on a terminal only.
    pub(super) fn new(terminal: Terminal) -> Self {
        let screen = Screen::new(terminal.draws);
        Self { terminal, screen, started: Instant::now(), seen: Mutex::default() }
    }

    /// The places where something runs, in the order in which they were reached.
    pub(super) fn running(&self) -> Vec<(String, Node)> {
        self.in_order(|it| it.running > 0)
    }

    /// One line with what had finished, unless nothing had.
    pub(super) fn finished(&self) -> Option<String> {
        let nodes = self.in_order(|it| it.finished > 0);
        let shown: Vec<String> = nodes
            .iter()
            .map(|(path, it)| format!("{path} ({})", counted(it.finished, Some(it.took))))
            .collect();
        (!shown.is_empty()).then(|| shown.join(", "))
    }

    /// What an interrupted run had done, line by line.
    pub(super) fn report(&self) -> String {
        let after = units::show_measured(self.started.elapsed());
        let mut text = format!("interrupted after {after}\n");
        for (path, node) in self.in_order(|_| true) {
            let lines = [
                ("reused", node.reused, None),
                ("finished", node.finished, Some(node.took)),
                ("running", node.running + node.stopped, None),
                ("failed", node.failed, None),
            ];
            for (word, n, took) in lines.into_iter().filter(|(_, n, _)| *n > 0) {
                let path = self.terminal.err.printable(&path);
                let line = format!("  {word:<8}  {path}  {}", counted(n, took));
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }

    /// Tells something without disturbing the progress that is drawn.
    pub(super) fn note(&self, message: &str) {
        self.screen.give_way(|| {
            self.terminal.note(message);
        });
    }

    /// Tells what only a person at a terminal wants to know.
    pub(super) fn hint(&self, message: &str) {
        if self.terminal.err.is_terminal {
            self.note(message);
        }
    }

    /// The same of things that may happen often.
    fn aside(&self, message: &str) {
        let told = {
            let mut seen = self.seen();
            seen.asides += 1;
            seen.asides
        };
        if told <= MOST_ASIDES {
            self.hint(message);
        } else if told == MOST_ASIDES + 1 {
            self.hint("further notes of this kind are left out");
        }
    }

    fn change(&self, path: &str, change: impl FnOnce(&mut Node)) {
        let mut seen = self.seen();
        let order = seen.nodes.len();
        change(seen.nodes.entry(place(path)).or_insert_with(|| Node::new(order)));
    }

    fn in_order(&self, wanted: impl Fn(&Node) -> bool) -> Vec<(String, Node)> {
        let seen = self.seen();
        let chosen = seen.nodes.iter().filter(|(_, it)| wanted(it));
        let mut nodes: Vec<_> = chosen.map(|(path, it)| (path.clone(), it.clone())).collect();
        nodes.sort_by_key(|(_, it)| it.order);
        nodes
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Node {
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
        }
    }

    fn start(&mut self) {
        if self.running == 0 {
            self.since = Instant::now();
        }
        self.running += 1;
    }

    fn end(&mut self) {
        self.running = self.running.saturating_sub(1);
        self.progress = None;
    }
}

impl Observer for Watch {
    fn event(&self, path: &str, event: &Event<'_>) {
        match event {
            Event::Started { .. } => self.change(path, Node::start),
            Event::Finished { took, .. } => self.change(path, |it| {
                it.end();
                it.finished += 1;
                it.took = it.took.saturating_add(*took);
            }),
            Event::Reused { .. } => self.change(path, |it| it.reused += 1),
            Event::Failed { error, .. } => self.change(path, |it| {
                it.end();
                match error.kind {
                    ErrorKind::Cancelled => it.stopped += 1,
                    _ => it.failed += 1,
                }
            }),
            Event::Retrying { component, wait, error, .. } => {
                let wait = units::show_measured(*wait);
                self.aside(&format!("{component}: {error}; another try in {wait}"));
            }
            Event::Swallowed { error } => self.aside(&format!("{path}: went on without: {error}")),
            Event::Progress { what, done, total } => self.change(path, |it| {
                it.progress =
                    Some(Progress { what: (*what).to_owned(), done: *done, total: *total });
            }),
            Event::Notice { message } => self.note(message),
            Event::Reserved { .. } | Event::Settled { .. } => {}
            Event::Straggler { component } => {
                self.note(&format!("{component} did not stop in time; its result is dropped"));
            }
        }
    }
}

/// A node's path without the numbers of items: `each[3]/summary` is `each[]/summary`.
pub(super) fn place(path: &str) -> String {
    let mut place = String::with_capacity(path.len());
    let mut inside = false;
    for it in path.chars() {
        inside = inside && it != ']';
        if !inside {
            place.push(it);
        }
        inside = inside || it == '[';
    }
    place
}

/// `1.2s`, or `×12, 3.4s in all`.
fn counted(n: usize, took: Option<Duration>) -> String {
    let took = took.map(units::show_measured);
    match (n, took) {
        (1, took) => took.unwrap_or_default(),
        (n, Some(took)) => format!("×{n}, {took} in all"),
        (n, None) => format!("×{n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bases::cli::terminal::{Color, Terminal},
        host::test::TestHost,
        registry::{OpError, Usage},
    };

    #[test]
    fn items_are_told_together() {
        let watch = Watch::new(Terminal::new(Color::Never, &TestHost::new()));
        let (component, took) = ("summary", Duration::from_millis(20));
        for idx in 0..3 {
            watch.event(&format!("each[{idx}]/summary"), &Event::Started { component });
        }
        let finished = Event::Finished { component, took, usage: Usage::default() };
        watch.event("each[0]/summary", &finished);
        watch.event("each[1]/summary", &finished);
        let error = &OpError::cancelled();
        watch.event("each[2]/summary", &Event::Failed { component, took, error });

        assert_eq!(watch.finished().unwrap(), "each[]/summary (×2, 40ms in all)");
        let report = watch.report();
        assert!(report.contains("  finished  each[]/summary  ×2, 40ms in all\n"), "{report}");
        assert!(report.ends_with("  running   each[]/summary\n"), "{report}");
    }
}
