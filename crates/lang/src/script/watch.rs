//! What a running island may use up, looked at while it runs.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use svc_contract::{host::Host, value::memory::Account};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::limits;

/// The surroundings of one evaluation.
#[derive(Clone)]
pub struct Watch {
    /// The most operations; never more than [`limits::OPERATIONS`].
    pub operations: u64,
    pub deadline: Option<Instant>,
    pub cancel: CancellationToken,
    /// Who knows how much memory the process has.
    pub host: Option<Arc<dyn Host>>,
    /// What all that the run makes may take, which may be less than what code may.
    pub memory: Option<Arc<Account>>,
}

/// Why an evaluation was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Operations,
    Time,
    Cancelled,
    Memory,
}

/// So many operations pass between two looks at the clock: each may make a string of some
/// megabytes.
const STRIDE: u64 = 8;

/// The same where there is little memory, or nobody measured before the code ran.
const SHORT_STRIDE: u64 = 2;

/// Below this, memory is little.
const LITTLE: u64 = 2 << 30;

/// How often the memory is measured.
const MEASURED: std::time::Duration = std::time::Duration::from_millis(1);

/// The memory that code took and freed, and that the allocator keeps for later. What takes
/// memory next takes this first, so it is no room beside what code may use.
static KEPT: AtomicU64 = AtomicU64::new(0);

/// What code may use at the least, however much is kept.
const LEAST: u64 = 16 << 20;

/// Whether code has made this process so large that more of it had better run elsewhere.
pub fn is_swollen() -> bool {
    KEPT.load(Ordering::Relaxed) > limits::MEMORY / 2
}

/// Counts what an evaluation left behind, or gave back.
fn keep(before: Option<u64>, after: Option<u64>) {
    let Some((before, after)) = before.zip(after) else { return };
    let counted = |kept: u64| Some((kept + after).saturating_sub(before));
    let _ = KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
}

struct Running {
    watch: Watch,
    /// How many there were. rhai's own count forgets those of functions that arrays call.
    operations: u64,
    /// The most memory that the process may have, and when it was measured.
    most_memory: Option<u64>,
    measured: Instant,
    /// So many operations pass between two looks at the clock.
    stride: u64,
    stop: Option<Stop>,
}

thread_local! {
    /// The evaluation of this thread: rhai's engine is shared, and tells its callback
    /// nothing but a count. None begins inside another.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Runs something under a watch; tells why it was stopped, if it was.
pub(super) fn watched<T>(watch: &Watch, run: impl FnOnce() -> T) -> (T, Option<Stop>) {
    let measure = || watch.host.as_ref().and_then(|it| it.memory());
    let before = measure();
    let room = limits::MEMORY.saturating_sub(KEPT.load(Ordering::Relaxed)).max(LEAST);
    let around = watch.memory.as_ref();
    let is_tight = around.is_some_and(|it| it.tightest().limit < LITTLE);
    let most = before.map(|it| it + room);
    let running = Running {
        watch: watch.clone(),
        operations: 0,
        most_memory: most,
        measured: Instant::now(),
        stride: if is_tight || before.is_none() { SHORT_STRIDE } else { STRIDE },
        stop: None,
    };
    RUNNING.with(|it| it.replace(Some(running)));
    let ended = run();
    let stop = RUNNING.with(RefCell::take).and_then(|it| it.stop);
    keep(before, measure());
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
        if !self.operations.is_multiple_of(self.stride) {
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
        if self.watch.memory.as_ref().is_some_and(|it| it.look().is_some()) {
            return Some(Stop::Memory);
        }
        let memory = self.watch.host.as_ref().and_then(|it| it.memory());
        let is_over = memory.zip(self.most_memory).is_some_and(|(now, most)| now > most);
        is_over.then_some(Stop::Memory)
    }
}
