//! The limits of running inline code, checked while it runs.

use std::{
    cell::RefCell,
    sync::atomic::{AtomicU64, Ordering},
};

use tokio::time::Instant;

use super::{Watch, limits};

/// The reason why an evaluation was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Operations,
    Time,
    Cancelled,
    Memory,
}

/// The number of operations between two checks of the clock: each may create a string of
/// some megabytes.
const STRIDE: u64 = 8;

/// The stride if memory is low, or was not measured before the code ran.
const SHORT_STRIDE: u64 = 2;

/// The memory limit below which memory is low.
const LITTLE: u64 = 2 << 30;

/// The time between two measurements of memory.
const MEASURED: std::time::Duration = std::time::Duration::from_millis(1);

/// The memory that code took and freed, and that the allocator keeps. Later allocations use
/// it first, so it does not add to the room of code.
static KEPT: AtomicU64 = AtomicU64::new(0);

/// The least memory that code may use, however much is kept.
const LEAST: u64 = 16 << 20;

/// Whether code has made this process so large that further code should run elsewhere.
pub fn is_swollen() -> bool {
    KEPT.load(Ordering::Relaxed) > limits::MEMORY / 2
}

/// Counts the memory that an evaluation left behind or returned.
fn keep(before: Option<u64>, after: Option<u64>) {
    let Some((before, after)) = before.zip(after) else { return };
    let counted = |kept: u64| Some((kept + after).saturating_sub(before));
    let _ = KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
}

struct Running {
    watch: Watch,
    /// The number of operations. rhai's own count omits those in functions called by arrays.
    operations: u64,
    /// The most memory that the process may have.
    most_memory: Option<u64>,
    measured: Option<Instant>,
    /// The number of operations between two checks of the clock.
    stride: u64,
    stop: Option<Stop>,
}

thread_local! {
    /// The evaluation of this thread: the engine of rhai is shared, and passes only a count to
    /// its callback. Evaluations are not nested.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// The time; none in a browser, where the number of operations is the only limit.
pub(super) fn clock() -> Option<Instant> {
    (!cfg!(target_family = "wasm")).then(Instant::now)
}

/// Runs something under a watch, and returns why it was stopped, if it was.
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
        measured: clock(),
        stride: if is_tight || before.is_none() { SHORT_STRIDE } else { STRIDE },
        stop: None,
    };
    RUNNING.with(|it| it.replace(Some(running)));
    let ended = run();
    let stop = RUNNING.with(RefCell::take).and_then(|it| it.stop);
    keep(before, measure());
    (ended, stop)
}

/// Counts an operation, and returns whether the evaluation of this thread must stop. The answer
/// stays true once it is true: code that catches errors cannot continue.
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
        let now = clock();
        if now.zip(self.watch.deadline).is_some_and(|(now, end)| now >= end) {
            return Some(Stop::Time);
        }
        if self.watch.cancel.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        if now.zip(self.measured).is_some_and(|(now, last)| now.duration_since(last) < MEASURED) {
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
