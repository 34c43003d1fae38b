//! Watching a run: what runs, what has finished, and what to tell of it.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use svc_contract::value::units;
use svc_engine::run::{Event, Observer};
use svc_lang::diag::visible_line;

use super::{
    lines::{self, Moment},
    screen::Screen,
    seen::Seen,
    terminal::Terminal,
};

/// How many retries and left-out parts are told one by one.
const MOST_ASIDES: usize = 5;

/// What is known of a run while it runs.
pub(super) struct Watch {
    terminal: Terminal,
    /// Where progress is drawn; what is written between must go through it.
    pub(super) screen: Screen,
    started: Instant,
    seen: Mutex<Seen>,
    /// How many retries and left-out parts were told.
    asides: AtomicUsize,
}

impl Watch {
    /// Progress is drawn on a terminal only.
    pub(super) fn new(terminal: Terminal) -> Self {
        let screen = Screen::new(terminal.draws);
        let (started, seen) = (Instant::now(), Mutex::default());
        Self { terminal, screen, started, seen, asides: AtomicUsize::new(0) }
    }

    /// What is drawn of the run now, in so many columns and rows.
    pub(super) fn lines(&self, frame: usize, (columns, rows): (usize, usize)) -> Vec<String> {
        let (now, elapsed) = (Instant::now(), self.started.elapsed());
        lines::lines(&self.seen(), Moment { now, elapsed, frame, columns, rows })
    }

    /// One line with what had finished, unless nothing had.
    pub(super) fn finished(&self) -> Option<String> {
        let seen = self.seen();
        let nodes = seen.in_order(|it| it.finished > 0);
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
        for (path, node) in self.seen().in_order(|_| true) {
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
        let told = self.asides.fetch_add(1, Ordering::Relaxed) + 1;
        if told <= MOST_ASIDES {
            self.hint(message);
        } else if told == MOST_ASIDES + 1 {
            self.hint("further notes of this kind are left out");
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watch {
    fn event(&self, path: &str, event: &Event<'_>) {
        self.seen().note(path, event);
        match event {
            Event::Retrying { component, wait, error, .. } => {
                let wait = units::show_measured(*wait);
                self.aside(&format!("{component}: {error}; another try in {wait}"));
            }
            Event::Swallowed { error } => self.aside(&format!("{path}: went on without: {error}")),
            Event::Notice { message } => self.note(message),
            Event::Straggler { component } => {
                self.note(&format!("{component} did not stop in time; its result is dropped"));
            }
            _ => {}
        }
    }
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
    use crate::bases::cli::terminal::{Color, Terminal};
    use svc_contract::registry::{OpError, Usage};
    use svc_host_os::test::TestHost;

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
