//! Holds accounts to their limits: calls a minute and a day, calls at once, and money.
//!
//! An account is an owner in a role, so a rotated key has no second quota. Calls of a day are taken
//! from the book in blocks before they are used: a crash may lose a few, and gives none back twice.
//! Money is reserved before a run and settled after it. See [`Book`].

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use svc_contract::{store::StoreError, value::Money};
use svc_store::book::{Book, Reserved};

use super::{
    gcra::{Cell, HEAVIEST, Pace},
    keys::DAY,
};

pub use super::refusal::{RateRefusal, Window};

/// The limits of a role. Without a limit, nothing is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    pub pace: Option<Pace>,
    pub per_day: Option<u64>,
    pub at_once: Option<u32>,
    /// The money of one run, and of all runs of a day.
    pub max_cost: Option<Money>,
    pub max_cost_per_day: Option<Money>,
    /// The size of a result in bytes.
    pub max_result: Option<u64>,
}

/// An owner in a role.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Account(Arc<str>);

/// The calls and the money of all accounts.
#[derive(Debug)]
pub struct Rates {
    book: Arc<Book>,
    known: Mutex<HashMap<Account, State>>,
}

#[derive(Debug, Default)]
struct State {
    cell: Cell,
    day: i64,
    /// The calls of the day that this process took from the book, and those it used.
    taken: u64,
    used: u64,
    /// Those that others took.
    others: u64,
    running: u32,
}

/// A call in progress; it counts until it is dropped.
#[derive(Debug)]
pub struct Slot {
    rates: Arc<Rates>,
    account: Account,
}

impl RateLimits {
    /// No limits: for the user of this machine.
    pub const NONE: Self = Self {
        pace: None,
        per_day: None,
        at_once: None,
        max_cost: None,
        max_cost_per_day: None,
        max_result: None,
    };
}

impl Account {
    pub fn new(owner: &str, role: &str) -> Self {
        // No name of an owner contains a slash.
        Self(format!("{owner}/{role}").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rates {
    pub fn open(book: Arc<Book>) -> Arc<Self> {
        Arc::new(Self { book, known: Mutex::default() })
    }

    /// Counts a call of some weight at the time `now`, in milliseconds since 1970. Returns the
    /// tightest limit.
    pub async fn admit(
        &self,
        account: &Account,
        limits: &RateLimits,
        weight: u32,
        now: i64,
    ) -> Result<Result<Option<Window>, RateRefusal>, StoreError> {
        let weight = weight.clamp(1, HEAVIEST);
        loop {
            let (day, wanted) = match self.counted(account, limits, weight, now) {
                Counted::Done(done) => return Ok(done),
                Counted::Lacks { day, wanted } => (day, wanted),
            };
            let limit = limits.per_day.unwrap_or(u64::MAX);
            let taken = self.book.take_calls(account.0.to_string(), day, wanted, limit).await?;
            let mut known = self.known();
            let state = known.entry(account.clone()).or_default();
            if state.day != day {
                // The next day began meanwhile.
                continue;
            }
            state.taken += taken.granted;
            state.others = taken.total.saturating_sub(state.taken);
            if state.taken - state.used < u64::from(weight) && taken.granted < wanted {
                let window = state.day_window(limit, now);
                return Ok(Err(RateRefusal::Day(window, window.reset)));
            }
        }
    }

    fn counted(&self, account: &Account, limits: &RateLimits, weight: u32, now: i64) -> Counted {
        let mut known = self.known();
        let state = known.entry(account.clone()).or_default();
        let day = now.div_euclid(DAY);
        state.begin(day);
        let nanos = now.saturating_mul(1_000_000);
        if let Some(limit) = limits.per_day
            && state.taken - state.used < u64::from(weight)
        {
            // A call that has to wait anyway takes nothing.
            if let Some(Err(refused)) = limits.pace.map(|it| state.peek(it, weight, nanos)) {
                return Counted::Done(Err(refused));
            }
            return Counted::Lacks { day, wanted: (limit / 100).clamp(u64::from(weight), 1_000) };
        }
        let of_minute = match limits.pace.map(|pace| state.paced(pace, weight, nanos)) {
            Some(Err(refused)) => return Counted::Done(Err(refused)),
            Some(Ok(window)) => Some(window),
            None => None,
        };
        let of_day = limits.per_day.map(|limit| {
            state.used += u64::from(weight);
            state.day_window(limit, now)
        });
        Counted::Done(Ok(of_minute.into_iter().chain(of_day).min_by_key(|it| it.remaining)))
    }

    /// Begins a call, if not too many are in progress.
    pub fn begin(
        self: &Arc<Self>,
        account: &Account,
        limits: &RateLimits,
    ) -> Result<Slot, RateRefusal> {
        let mut known = self.known();
        let state = known.entry(account.clone()).or_default();
        match limits.at_once {
            Some(most) if state.running >= most => Err(RateRefusal::AtOnce(most)),
            _ => {
                state.running += 1;
                Ok(Slot { rates: self.clone(), account: account.clone() })
            }
        }
    }

    /// Reserves money for a run, and returns its cap: the least of `most`, the most that its plan may
    /// cost, of the `cap` that the caller set, and of what the role and the day allow. A cap of zero
    /// means none. Durable once it resolves; settle it after the run.
    pub async fn reserve(
        &self,
        account: &Account,
        limits: &RateLimits,
        run: &str,
        (most, cap): (Option<Money>, Option<Money>),
        now: i64,
    ) -> Result<Result<Option<Money>, RateRefusal>, StoreError> {
        let cap = cap.filter(|it| *it > Money::ZERO);
        let all = [most, cap, limits.max_cost, limits.max_cost_per_day];
        let Some(most) = all.into_iter().flatten().min() else { return Ok(Ok(None)) };
        let limit = limits.max_cost_per_day;
        if most <= Money::ZERO || limit.is_none() {
            return Ok(Ok(Some(most.max(Money::ZERO))));
        }
        let day = now.div_euclid(DAY);
        let (run, name) = (run.to_owned(), account.0.to_string());
        Ok(match self.book.reserve(run, name, day, most, limit).await? {
            Reserved::Granted(money) => Ok(Some(money)),
            Reserved::Exhausted => {
                Err(RateRefusal::Money(limit.unwrap_or_default(), until_next_day(now)))
            }
        })
    }

    /// Settles the reservation of a run, if it has one.
    pub async fn settle(
        &self,
        limits: &RateLimits,
        run: &str,
        used: Money,
    ) -> Result<(), StoreError> {
        if limits.max_cost_per_day.is_none_or(|it| it <= Money::ZERO) {
            return Ok(());
        }
        self.book.settle(run.to_owned(), used).await.map(drop)
    }

    /// Gives back all that was reserved for a run, without waiting.
    pub fn give_back(&self, limits: &RateLimits, run: &str) {
        if limits.max_cost_per_day.is_some_and(|it| it > Money::ZERO) {
            // If it is lost, the money stays reserved, so no quota is passed.
            drop(self.book.settle(run.to_owned(), Money::ZERO));
        }
    }

    /// What is left of the money of the day.
    pub fn money_left(
        &self,
        account: &Account,
        limits: &RateLimits,
        now: i64,
    ) -> Result<Option<Money>, StoreError> {
        let Some(limit) = limits.max_cost_per_day else { return Ok(None) };
        let spent = self.book.spent(&account.0, now.div_euclid(DAY))?;
        Ok(Some(limit.checked_sub(spent).unwrap_or_default().max(Money::ZERO)))
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Account, State>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of counting a call.
enum Counted {
    Done(Result<Option<Window>, RateRefusal>),
    /// More calls of the day must be taken from the book first.
    Lacks {
        day: i64,
        wanted: u64,
    },
}

impl State {
    /// Begins a day. What was taken for an earlier one is void.
    fn begin(&mut self, day: i64) {
        if self.day != day {
            (self.day, self.taken, self.used, self.others) = (day, 0, 0, 0);
        }
    }

    fn peek(&self, pace: Pace, weight: u32, nanos: i64) -> Result<Window, RateRefusal> {
        let mut cell = self.cell;
        take(&mut cell, pace, weight, nanos)
    }

    fn paced(&mut self, pace: Pace, weight: u32, nanos: i64) -> Result<Window, RateRefusal> {
        take(&mut self.cell, pace, weight, nanos)
    }

    fn day_window(&self, limit: u64, now: i64) -> Window {
        let remaining = limit.saturating_sub(self.others).saturating_sub(self.used);
        Window { limit, remaining, reset: until_next_day(now) }
    }
}

fn take(cell: &mut Cell, pace: Pace, weight: u32, nanos: i64) -> Result<Window, RateRefusal> {
    let taken = cell.take(pace, weight, nanos);
    let left = cell.left(pace, nanos);
    let limit = u64::from(pace.per_minute);
    let window = Window { limit, remaining: left.remaining, reset: seconds(left.reset) };
    match taken {
        Ok(_) => Ok(window),
        Err(wait) => Err(RateRefusal::Minute(window, seconds(wait).max(1))),
    }
}

/// Whole seconds, rounded up.
fn seconds(nanos: i64) -> u64 {
    nanos.max(0).cast_unsigned().div_ceil(1_000_000_000)
}

/// Seconds until the next day of UTC.
fn until_next_day(now: i64) -> u64 {
    (DAY - now.rem_euclid(DAY)).cast_unsigned().div_ceil(1_000)
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(state) = self.rates.known().get_mut(&self.account) {
            state.running = state.running.saturating_sub(1);
        }
    }
}

/// Gives back the calls of the day that were taken and not used.
impl Drop for Rates {
    fn drop(&mut self) {
        let known = std::mem::take(&mut *self.known());
        #[expect(clippy::iter_over_hash_type, reason = "each account is its own")]
        for (account, state) in known {
            let unused = state.taken.saturating_sub(state.used);
            if unused > 0 {
                // They are lost otherwise, which the quota survives.
                let _ = self.book.return_calls(account.0.to_string(), state.day, unused);
            }
        }
    }
}
