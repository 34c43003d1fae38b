//! Observes a run: its progress and its notes.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use svc_api::seen::Seen;
use svc_contract::{
    registry::{ErrorKind, OpError},
    value::units,
};
use svc_engine::run::{Event, Observer};
use svc_lang::diag::{Source, Span};

use super::{
    lines::{self, Moment},
    screen::Screen,
    terminal::Terminal,
};

/// The maximum number of notes about retries.
const MOST_ASIDES: usize = 5;

/// The maximum number of places whose swallowed failures are printed.
const MOST_PLACES: usize = 20;

/// The state of a run while it runs.
pub(super) struct Watch {
    terminal: Terminal,
    /// The drawn progress; every other write to standard error must go through it.
    pub(super) screen: Screen,
    started: Instant,
    seen: Mutex<Seen>,
    /// The number of notes about retries so far.
    asides: AtomicUsize,
    /// The script, once the run began.
    script: OnceLock<Source>,
    /// The number of swallowed failures at each place.
    swallowed: Mutex<BTreeMap<String, u64>>,
}

impl Watch {
    /// Progress is drawn on a terminal only.
    pub(super) fn new(terminal: Terminal) -> Self {
        let screen = Screen::new(terminal.draws);
        let (started, seen) = (Instant::now(), Mutex::default());
        let (asides, swallowed) = (AtomicUsize::new(0), Mutex::default());
        Self { terminal, screen, started, seen, asides, script: OnceLock::new(), swallowed }
    }

    /// The lines of the next frame.
    pub(super) fn lines(&self, frame: usize, (columns, rows): (usize, usize)) -> Vec<String> {
        let (now, elapsed) = (Instant::now(), self.started.elapsed());
        lines::lines(&self.seen(), Moment { now, elapsed, frame, columns, rows })
    }

    /// The finished calls on one line, if there are any.
    pub(super) fn finished(&self) -> Option<String> {
        self.seen().finished()
    }

    /// The report of an interrupted run: one line per place and state.
    pub(super) fn report(&self) -> String {
        let after = units::show_measured(self.started.elapsed());
        format!("interrupted after {after}\n{}", self.seen().report())
    }

    /// Prints a note without disturbing the drawn progress.
    pub(super) fn note(&self, message: &str) {
        self.screen.give_way(|| {
            self.terminal.note(message);
        });
    }

    /// Prints a note if a person is at the terminal.
    pub(super) fn hint(&self, message: &str) {
        if self.terminal.err.is_terminal {
            self.note(message);
        }
    }

    /// The same for frequent events.
    fn aside(&self, message: &str) {
        let count = self.asides.fetch_add(1, Ordering::Relaxed) + 1;
        if count <= MOST_ASIDES {
            self.hint(message);
        } else if count == MOST_ASIDES + 1 {
            self.hint("further notes of this kind are omitted");
        }
    }

    /// Prints the first failure that the script swallowed at a place, as soon as it happens.
    fn swallow(&self, error: &OpError, count: u64, span: Span, source: Option<&Source>) {
        let source = source.or_else(|| self.script.get());
        let place = source.map_or_else(String::new, |it| {
            let (line, column) = it.position(span.start);
            format!("{}:{line}:{column}", it.name())
        });
        let mut swallowed = self.swallowed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = swallowed.entry(place.clone()).or_default();
        let is_first = *known == 0;
        *known += count;
        let is_told = is_first && swallowed.len() <= MOST_PLACES;
        drop(swallowed);
        if is_told {
            self.note(&format!("{place}: continued without it: {error}"));
            // The person who runs the script can allow it; its author cannot.
            if let (ErrorKind::Denied, Some(help)) = (error.kind, &error.help) {
                self.note(help);
            }
        }
    }

    /// Prints how often the script swallowed failures at places where there was more than one.
    pub(super) fn sum_up(&self) {
        let swallowed = self.swallowed.lock().unwrap_or_else(PoisonError::into_inner);
        let repeated = swallowed.iter().filter(|(_, it)| **it > 1);
        for (place, count) in repeated.take(MOST_PLACES) {
            self.note(&format!("{place}: {count} failures in all"));
        }
        if let Some(more) = swallowed.len().checked_sub(MOST_PLACES + 1) {
            self.note(&format!("and failures at {} other places", more + 1));
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
                self.aside(&format!("{component}: {error}; retrying in {wait}"));
            }
            Event::Begun { plan, .. } => {
                self.script.get_or_init(|| plan.program().source.clone());
            }
            Event::Swallowed { error, count, span, source } => {
                self.swallow(error, *count, *span, *source);
            }
            Event::Notice { message } => self.note(message),
            Event::Straggler { component } => {
                self.note(&format!("{component} did not stop in time; its result is discarded"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::bases::cli::terminal::{Color, Terminal};
    use svc_contract::{
        registry::{OpError, Usage},
        value::Value,
    };
    use svc_host_os::test::TestHost;

    #[test]
    fn items_are_reported_together() {
        let watch = Watch::new(Terminal::new(Color::Never, &TestHost::new()));
        let (component, took) = ("summary", Duration::from_millis(20));
        for idx in 0..3 {
            watch.event(&format!("each[{idx}]/summary"), &Event::Started { component });
        }
        let finished =
            Event::Finished { component, took, usage: Usage::default(), value: &Value::Null };
        watch.event("each[0]/summary", &finished);
        watch.event("each[1]/summary", &finished);
        let error = &OpError::cancelled();
        watch.event("each[2]/summary", &Event::Failed { component, took, error });

        assert_eq!(watch.finished().unwrap(), "each[]/summary (×2, 40ms in total)");
        let report = watch.report();
        assert!(report.contains("  finished  each[]/summary  ×2, 40ms in total\n"), "{report}");
        assert!(report.ends_with("  running   each[]/summary\n"), "{report}");
    }
}
