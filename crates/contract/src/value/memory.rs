//! Accounts for the memory of a run's values, and enforces its bound.
//!
//! Lists and records are counted when they are created and when they are freed, each one
//! without its parts, so shared parts count once. Strings are too many and too small for that:
//! they count with the lists and records that hold them, proportionally. The real memory of the
//! process is measured now and then, so the count need not be exact.
//!
//! **Invariant:** a bound that was exceeded once stays exceeded: nothing created from then on
//! is ever used.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
};

use super::units;

/// Returns the memory of the process, if it can be measured.
pub type MemoryProbe = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

/// The number of bytes created or freed before a thread publishes them.
const LEAST_STEP: u64 = 64 << 10;
const MOST_STEP: u64 = 4 << 20;

/// The memory of a process besides the counted one, as a fraction of the bound: freed memory
/// that the allocator keeps, and temporary memory of ops.
const LEEWAY: u64 = 6;

/// The memory that every process needs to start, allowed on top of every bound.
const SLACK: u64 = 4 << 20;

/// The memory of a run, or of a bound inside it.
pub struct Account {
    run: u32,
    /// The number of enclosing bounds.
    pub depth: usize,
    limit: u64,
    step: u64,
    live: AtomicI64,
    made: AtomicU64,
    /// The number of bytes created since the memory of the process was last measured.
    unseen: AtomicU64,
    is_full: AtomicBool,
    /// The memory of the process when this account was first checked.
    before: OnceLock<Option<u64>>,
    measure: MemoryProbe,
    outer: Option<Arc<Account>>,
}

/// No memory is left for a new value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("needs more memory than {}", units::show_size(self.limit))]
pub struct Full {
    pub limit: u64,
    pub depth: usize,
}

/// The active runs, by number; 0 means none.
static RUNS: RwLock<BTreeMap<u32, Arc<Account>>> = RwLock::new(BTreeMap::new());
static LAST: AtomicU32 = AtomicU32::new(0);

/// The bytes that this thread has counted but not yet published.
struct Local {
    run: Cell<u32>,
    live: Cell<i64>,
    made: Cell<u64>,
    /// The work done since the clock was last checked, in units of eight bytes.
    work: Cell<u64>,
    step: Cell<u64>,
    is_full: Cell<bool>,
    /// Bytes of another run that were freed here.
    other: Cell<(u32, i64)>,
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            run: Cell::new(0),
            live: Cell::new(0),
            made: Cell::new(0),
            work: Cell::new(0),
            step: Cell::new(u64::MAX),
            is_full: Cell::new(false),
            other: Cell::new((0, 0)),
        }
    };
    /// The innermost active account of this thread.
    static CURRENT: RefCell<Option<Arc<Account>>> = const { RefCell::new(None) };
}

/// Keeps a run in the list of active runs.
pub struct Opened(Arc<Account>);

impl Opened {
    pub fn account(&self) -> &Arc<Account> {
        &self.0
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        RUNS.write().unwrap_or_else(PoisonError::into_inner).remove(&self.0.run);
    }
}

impl Account {
    /// Opens the account of a run.
    pub fn open(limit: u64, measure: MemoryProbe) -> Opened {
        // Numbers wrap around after four billion runs; no run is active that long.
        let run = LAST.fetch_add(1, Relaxed).wrapping_add(1).max(1);
        let account = Arc::new(Self::new(run, 0, limit, measure, None));
        RUNS.write().unwrap_or_else(PoisonError::into_inner).insert(run, account.clone());
        Opened(account)
    }

    /// Opens an account inside this one, for a bound at `depth`.
    pub fn within(self: &Arc<Self>, limit: u64, depth: usize) -> Arc<Self> {
        Arc::new(Self::new(self.run, depth, limit, self.measure.clone(), Some(self.clone())))
    }

    fn new(
        run: u32,
        depth: usize,
        limit: u64,
        measure: MemoryProbe,
        outer: Option<Arc<Self>>,
    ) -> Self {
        Self {
            run,
            depth,
            limit,
            step: (limit / 128).clamp(LEAST_STEP, MOST_STEP),
            live: AtomicI64::new(0),
            made: AtomicU64::new(0),
            unseen: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            before: OnceLock::new(),
            measure,
            outer,
        }
    }

    /// Measures the memory of the process, including that of other runs.
    pub fn look(&self) -> Option<Full> {
        self.judge(0);
        self.full()
    }

    /// The tightest bound of this account and the enclosing ones.
    pub fn tightest(&self) -> Full {
        let all = self.chain().map(|it| Full { limit: it.limit, depth: it.depth });
        all.min_by_key(|it| it.limit).unwrap_or(Full { limit: u64::MAX, depth: 0 })
    }

    /// The bound, plus the allowance for uncounted memory.
    fn leeway(&self) -> u64 {
        self.limit.saturating_add(self.limit / LEEWAY).saturating_add(SLACK)
    }

    /// The outermost full account among this one and the enclosing ones.
    pub fn full(&self) -> Option<Full> {
        let full = self.chain().filter(|it| it.is_full.load(Relaxed)).last()?;
        Some(Full { limit: full.limit, depth: full.depth })
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |it| it.outer.as_deref())
    }

    fn add(&self, live: i64, made: u64) {
        for account in self.chain() {
            account.live.fetch_add(live, Relaxed);
            account.made.fetch_add(made, Relaxed);
        }
    }

    /// Checks whether `more` bytes fit, here and in the enclosing accounts.
    fn judge(&self, more: u64) {
        self.unseen.store(0, Relaxed);
        let taken = (self.measure)();
        for account in self.chain() {
            if account.lacks(more, taken) {
                account.is_full.store(true, Relaxed);
            }
        }
    }

    fn lacks(&self, more: u64, taken: Option<u64>) -> bool {
        let before = *self.before.get_or_init(|| taken);
        let live = u64::try_from(self.live.load(Relaxed)).unwrap_or(0);
        if live.saturating_add(more) > self.limit {
            return true;
        }
        let Some((taken, before)) = taken.zip(before) else { return false };
        let grown = taken.saturating_sub(before).saturating_add(more);
        grown > self.leeway() && !self.is_innocent(live)
    }

    /// Whether another run causes the memory use of the process: this run has not created as
    /// much in all its time, or holds little of it, or another run holds more.
    fn is_innocent(&self, live: u64) -> bool {
        let runs = RUNS.read().unwrap_or_else(PoisonError::into_inner);
        let others = || runs.values().filter(|it| it.run != self.run);
        let live = i64::try_from(live).unwrap_or(i64::MAX);
        others().next().is_some()
            && (self.made.load(Relaxed) <= self.limit
                || live < (self.limit / 4).cast_signed()
                || others().any(|it| it.live.load(Relaxed) > live))
    }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account")
            .field("limit", &self.limit)
            .field("live", &self.live)
            .finish_non_exhaustive()
    }
}

/// Counts some bytes until it is dropped.
#[derive(Debug, Default)]
pub struct Charge {
    run: u32,
    /// In units of sixteen bytes, to keep lists small.
    units: u32,
}

impl Charge {
    /// Counts bytes that were just allocated.
    pub fn of(bytes: usize) -> Self {
        LOCAL.with(|local| {
            let run = local.run.get();
            if run == 0 {
                return Self::default();
            }
            let units = u32::try_from(bytes.div_ceil(16)).unwrap_or(u32::MAX);
            let bytes = u64::from(units) * 16;
            local.live.set(local.live.get() + bytes.cast_signed());
            local.makes(bytes);
            Self { run, units }
        })
    }

    /// Counts bytes before they are allocated, if they fit.
    pub fn ahead(bytes: usize) -> Result<Self, Full> {
        room(bytes)?;
        Ok(Self::of(bytes))
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if self.units == 0 {
            return;
        }
        let bytes = (u64::from(self.units) * 16).cast_signed();
        LOCAL.with(|local| {
            if local.run.get() == self.run {
                local.live.set(local.live.get() - bytes);
                if local.live.get() < -LEAST_STEP.cast_signed() {
                    local.settle();
                }
            } else {
                local.frees(self.run, bytes);
            }
        });
    }
}

impl Local {
    fn makes(&self, bytes: u64) {
        let made = self.made.get() + bytes;
        self.made.set(made);
        if made >= self.step.get() {
            self.look(0);
        }
    }

    /// Publishes the counted bytes, and checks whether `more` bytes fit.
    #[cold]
    fn look(&self, more: u64) {
        let Some(account) = current() else { return };
        account.add(self.live.take(), self.made.take());
        account.judge(more);
        self.is_full.set(account.full().is_some());
    }

    fn settle(&self) {
        if let Some(account) = current() {
            self.settle_with(&account);
        }
    }

    /// Publishes everything in the end, however little a thread creates before it switches to
    /// another account.
    fn settle_with(&self, account: &Account) {
        let made = self.made.take();
        account.add(self.live.take(), made);
        if account.unseen.fetch_add(made, Relaxed) + made >= account.step {
            account.judge(0);
        }
    }

    /// Counts freed bytes of a run other than this thread's.
    #[cold]
    fn frees(&self, run: u32, bytes: i64) {
        let (last, freed) = self.other.get();
        if last == run && freed < LEAST_STEP.cast_signed() {
            self.other.set((run, freed + bytes));
            return;
        }
        self.other.set((run, bytes));
        let runs = RUNS.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = runs.get(&last) {
            account.live.fetch_sub(freed, Relaxed);
        }
    }
}

fn current() -> Option<Arc<Account>> {
    CURRENT.try_with(|it| it.borrow().clone()).ok().flatten()
}

/// Counts bytes that are created and may be freed at any time, such as those of a string.
pub fn makes(bytes: usize) {
    LOCAL.with(|local| {
        if local.run.get() != 0 {
            local.makes(bytes as u64);
        }
    });
}

/// The same while building a value, which can be abandoned.
pub fn make(bytes: usize) -> Result<(), Full> {
    makes(bytes);
    check()
}

/// Whether the current value should be abandoned, because it will never be used.
pub fn is_full() -> bool {
    LOCAL.with(|local| local.is_full.get())
}

/// Returns an error if more was created than the bounds allow.
pub fn check() -> Result<(), Full> {
    let full = CURRENT.try_with(|it| it.borrow().as_ref().and_then(|it| it.full()));
    full.ok().flatten().map_or(Ok(()), Err)
}

/// Checks that this many bytes fit, before they are allocated.
pub fn room(bytes: usize) -> Result<(), Full> {
    LOCAL.with(|local| {
        let bytes = bytes as u64;
        // Small allocations are found by the next check.
        if local.run.get() != 0 && bytes >= LEAST_STEP {
            local.look(bytes);
        }
    });
    check()
}

/// Counts work on bytes that were read or created, in units of eight bytes. Returns true when
/// the clock and the memory should be checked again.
pub fn works(weight: u64) -> bool {
    const ENOUGH: u64 = 64 << 10;
    LOCAL.with(|local| {
        let work = local.work.get().saturating_add(weight);
        let is_enough = work >= ENOUGH || local.is_full.get();
        local.work.set(if is_enough { 0 } else { work });
        is_enough
    })
}

/// Measures the memory now, however little was counted.
pub fn look() -> Result<(), Full> {
    LOCAL.with(|local| {
        if local.run.get() != 0 {
            local.look(0);
        }
    });
    check()
}

/// While it lives, memory created by this thread counts against an account.
pub struct Entered(Option<Arc<Account>>);

/// Makes memory created by this thread count against an account.
pub fn enter(account: &Arc<Account>) -> Entered {
    Entered(change(Some(account.clone())))
}

impl Drop for Entered {
    fn drop(&mut self) {
        change(self.0.take());
    }
}

/// Publishes the bytes counted for the previous account, and returns that account.
fn change(account: Option<Arc<Account>>) -> Option<Arc<Account>> {
    LOCAL.with(|local| {
        local.settle();
        local.run.set(account.as_ref().map_or(0, |it| it.run));
        local.step.set(account.as_ref().map_or(u64::MAX, |it| it.step));
        local.is_full.set(account.as_ref().is_some_and(|it| it.full().is_some()));
    });
    CURRENT.try_with(|it| it.replace(account)).ok().flatten()
}

/// A future whose memory counts against an account.
pub struct Accounted<F> {
    account: Arc<Account>,
    work: Pin<Box<F>>,
}

impl<F: Future> Accounted<F> {
    pub fn new(account: Arc<Account>, work: F) -> Self {
        Self { account, work: Box::pin(work) }
    }
}

impl<F: Future> Future for Accounted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _entered = enter(&self.account);
        self.work.as_mut().poll(cx)
    }
}
