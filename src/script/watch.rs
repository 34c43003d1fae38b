//! What a running island may use up, looked at while it runs.

use std::{cell::RefCell, sync::Arc};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::limits;
use crate::host::Host;

/// The surroundings of one evaluation.
#[derive(Clone)]
pub struct Watch {
    /// The most operations; never more than [`limits::OPERATIONS`].
    pub operations: u64,
    pub deadline: Option<Instant>,
    pub cancel: CancellationToken,
    /// Who knows how much memory the process has.
    pub host: Option<Arc<dyn Host>>,
}

/// Why an evaluation was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Operations,
    Time,
    Cancelled,
    Memory,
}

/// So many operations pass between two looks at the clock.
const STRIDE: u64 = 8;

/// How often the memory is measured.
const MEASURED: std::time::Duration = std::time::Duration::from_millis(1);

struct Running {
    watch: Watch,
    /// How many there were. rhai's own count forgets those of functions that arrays call.
    operations: u64,
    /// The memory at the beginning, and when to measure it next.
    memory: Option<u64>,
    measured: Instant,
    stop: Option<Stop>,
}

thread_local! {
    /// The evaluation of this thread: rhai's engine is shared, and tells its callback
    /// nothing but a count. None begins inside another.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Runs something under a watch; tells why it was stopped, if it was.
pub(super) fn watched<T>(watch: &Watch, run: impl FnOnce() -> T) -> (T, Option<Stop>) {
    let memory = watch.host.as_ref().and_then(|it| it.memory());
    let measured = Instant::now();
    let running = Running { watch: watch.clone(), operations: 0, memory, measured, stop: None };
    RUNNING.with(|it| it.replace(Some(running)));
    let ended = run();
    let stop = RUNNING.with(RefCell::take).and_then(|it| it.stop);
    (ended, stop)
}

/// Whether the evaluation of this thread must end after one operation more. Once it must, it
/// must: code that catches errors cannot go on.
pub(super) fn must_stop() -> bool {
    RUNNING.with(|it| match &mut *it.borrow_mut() {
        Some(running) => {
            running.stop = running.stop.or_else(|| running.look());
            running.stop.is_some()
        }
        None => false,
    })
}

impl Running {
    fn look(&mut self) -> Option<Stop> {
        self.operations += 1;
        if self.operations > self.watch.operations.min(limits::OPERATIONS) {
            return Some(Stop::Operations);
        }
        if !self.operations.is_multiple_of(STRIDE) {
            return None;
        }
        let now = Instant::now();
        if self.watch.deadline.is_some_and(|it| now >= it) {
            return Some(Stop::Time);
        }
        if self.watch.cancel.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        if now.duration_since(self.measured) < MEASURED {
            return None;
        }
        self.measured = now;
        let memory = self.watch.host.as_ref().and_then(|it| it.memory());
        let grown = memory.zip(self.memory).map(|(now, before)| now.saturating_sub(before));
        grown.filter(|it| *it > limits::MEMORY).map(|_| Stop::Memory)
    }
}
