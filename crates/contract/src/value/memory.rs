//! How much memory the values of a run take, and the bound on it.
//!
//! Lists and records are counted where they are made and where they are freed, each with its
//! own part only, so that what is shared counts once. Strings are too many and too small for
//! that: they count with the lists and records that hold them, in parts. What the process
//! really takes is measured now and then, so that the count need not be exact.
//!
//! **Invariant:** a bound that was once exceeded stays so: nothing made from then on is ever
//! used.

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

/// What the process takes of memory, where that can be known.
pub type Measure = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

/// So many bytes are made, or freed, before a thread adds them to what others see.
const LEAST_STEP: u64 = 64 << 10;
const MOST_STEP: u64 = 4 << 20;

/// What a process may take beside what is counted, as a part of the bound: freed memory that
/// the allocator keeps, and what ops need while they work.
const LEEWAY: u64 = 6;

/// A bound smaller than this could not even hold what a process needs to begin with.
const SLACK: u64 = 4 << 20;

/// The memory of a run, or of a bound inside it.
pub struct Account {
    run: u32,
    /// How many bounds lie around it.
    pub depth: usize,
    limit: u64,
    step: u64,
    live: AtomicI64,
    made: AtomicU64,
    /// What was made since the memory of the process was looked at.
    unseen: AtomicU64,
    is_full: AtomicBool,
    /// What the process had taken when this account was first looked at.
    before: OnceLock<Option<u64>>,
    measure: Measure,
    outer: Option<Arc<Account>>,
}

/// There is no room left for what would be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("needs more memory than {}", units::show_size(self.limit))]
pub struct Full {
    pub limit: u64,
    pub depth: usize,
}

/// The runs that go on, by their numbers; 0 is none.
static RUNS: RwLock<BTreeMap<u32, Arc<Account>>> = RwLock::new(BTreeMap::new());
static LAST: AtomicU32 = AtomicU32::new(0);

/// What this thread has counted and not handed on yet.
struct Local {
    run: Cell<u32>,
    live: Cell<i64>,
    made: Cell<u64>,
    /// What was read and made since somebody looked at the clock, in pieces of eight bytes.
    work: Cell<u64>,
    step: Cell<u64>,
    is_full: Cell<bool>,
    /// What was freed here of another run.
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
    /// The innermost account that is in force on this thread.
    static CURRENT: RefCell<Option<Arc<Account>>> = const { RefCell::new(None) };
}

/// Keeps a run in the list of those that go on.
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
    pub fn open(limit: u64, measure: Measure) -> Opened {
        // Numbers come round after four billion runs; none of those goes on by then.
        let run = LAST.fetch_add(1, Relaxed).wrapping_add(1).max(1);
        let account = Arc::new(Self::new(run, 0, limit, measure, None));
        RUNS.write().unwrap_or_else(PoisonError::into_inner).insert(run, account.clone());
        Opened(account)
    }

    /// An account inside this one, for a bound that lies `depth` deep.
    pub fn within(self: &Arc<Self>, limit: u64, depth: usize) -> Arc<Self> {
        Arc::new(Self::new(self.run, depth, limit, self.measure.clone(), Some(self.clone())))
    }

    fn new(run: u32, depth: usize, limit: u64, measure: Measure, outer: Option<Arc<Self>>) -> Self {
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

    /// Looks at the memory of the process, whoever takes it.
    pub fn look(&self) -> Option<Full> {
        self.judge(0);
        self.full()
    }

    /// The tightest bound of this account and those around it.
    pub fn tightest(&self) -> Full {
        let all = self.chain().map(|it| Full { limit: it.limit, depth: it.depth });
        all.min_by_key(|it| it.limit).unwrap_or(Full { limit: u64::MAX, depth: 0 })
    }

    /// The bound with what lies beside what is counted.
    fn leeway(&self) -> u64 {
        self.limit.saturating_add(self.limit / LEEWAY).saturating_add(SLACK)
    }

    /// Whether this account, or one around it, has no room left; the outermost such one.
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

    /// Looks whether there is room for `more`, here and around.
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

    /// Whether the process takes so much because of another run: this one has not made so
    /// much in all its time, or holds little of it, or another one holds more.
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

/// Something that is counted until it is dropped.
#[derive(Debug, Default)]
pub struct Charge {
    run: u32,
    /// In pieces of sixteen bytes, so that a list is no larger for it than it must be.
    units: u32,
}

impl Charge {
    /// Counts what was just made.
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

    /// Counts what will be made, if there is room for it.
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

    /// Hands on what was counted, and looks whether there is room for `more`.
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

    /// However little a thread makes before it turns to something else, all of it is looked
    /// at in the end.
    fn settle_with(&self, account: &Account) {
        let made = self.made.take();
        account.add(self.live.take(), made);
        if account.unseen.fetch_add(made, Relaxed) + made >= account.step {
            account.judge(0);
        }
    }

    /// Counts what is freed of a run that is not this thread's.
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

/// Counts bytes that are made and may be freed at any time, such as those of a string.
pub fn makes(bytes: usize) {
    LOCAL.with(|local| {
        if local.run.get() != 0 {
            local.makes(bytes as u64);
        }
    });
}

/// The same while something is made that can be given up.
pub fn make(bytes: usize) -> Result<(), Full> {
    makes(bytes);
    check()
}

/// Whether what is being made had better be given up: nobody will use it.
pub fn is_full() -> bool {
    LOCAL.with(|local| local.is_full.get())
}

/// Ends what makes more than there is room for.
pub fn check() -> Result<(), Full> {
    let full = CURRENT.try_with(|it| it.borrow().as_ref().and_then(|it| it.full()));
    full.ok().flatten().map_or(Ok(()), Err)
}

/// Makes sure that there is room for so many bytes, before they are taken.
pub fn room(bytes: usize) -> Result<(), Full> {
    LOCAL.with(|local| {
        let bytes = bytes as u64;
        // What is small is found by the next look.
        if local.run.get() != 0 && bytes >= LEAST_STEP {
            local.look(bytes);
        }
    });
    check()
}

/// Counts what was read or made, in pieces of eight bytes. True where that was enough to look
/// at the clock again, and at the memory.
pub fn works(weight: u64) -> bool {
    const ENOUGH: u64 = 64 << 10;
    LOCAL.with(|local| {
        let work = local.work.get().saturating_add(weight);
        let is_enough = work >= ENOUGH || local.is_full.get();
        local.work.set(if is_enough { 0 } else { work });
        is_enough
    })
}

/// Whether nothing at all has no room: looks, whatever was counted.
pub fn look() -> Result<(), Full> {
    LOCAL.with(|local| {
        if local.run.get() != 0 {
            local.look(0);
        }
    });
    check()
}

/// While it lives, what this thread makes counts for an account.
pub struct Entered(Option<Arc<Account>>);

/// Lets what this thread makes count for an account.
pub fn enter(account: &Arc<Account>) -> Entered {
    Entered(change(Some(account.clone())))
}

impl Drop for Entered {
    fn drop(&mut self) {
        change(self.0.take());
    }
}

/// Hands on what was counted for the account before, which it gives.
fn change(account: Option<Arc<Account>>) -> Option<Arc<Account>> {
    LOCAL.with(|local| {
        local.settle();
        local.run.set(account.as_ref().map_or(0, |it| it.run));
        local.step.set(account.as_ref().map_or(u64::MAX, |it| it.step));
        local.is_full.set(account.as_ref().is_some_and(|it| it.full().is_some()));
    });
    CURRENT.try_with(|it| it.replace(account)).ok().flatten()
}

/// A future whose work counts for an account.
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
