//! Locks out those who guess keys.
//!
//! Failures are counted for each pair of an address and a key, and for each address as a whole; never
//! for a key alone, or strangers could lock its owner out. An address is one of IPv4, or a /64 of
//! IPv6. Five failures within 15 minutes lock a pair for 15 minutes, twice as long each further time,
//! up to a day; 20 lock the address. A loopback address is treated like any other. All of it is
//! written before the caller gets an answer, so a restart forgets nothing.

use core::net::{IpAddr, Ipv6Addr};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use svc_contract::store::StoreError;
use svc_store::book::{Book, LockRow, Written};

use super::{
    key::KeyId,
    keys::{DAY, FRESH},
};

/// How long a refused key waits for its answer at least, from when it was received.
pub const PAUSE: Duration = Duration::from_millis(250);

const MINUTE: i64 = 60 * 1_000;

/// Only failures of this time count together.
const WINDOW: i64 = 15 * MINUTE;

/// The first lock.
const FIRST: i64 = 15 * MINUTE;

/// The longest lock. The level of locks is forgotten as long after the last one.
const LONGEST: i64 = DAY;

/// The failures that lock a pair, and an address.
const OF_PAIR: usize = 5;
const OF_ADDRESS: usize = 20;

/// The number of addresses and pairs in memory.
const MOST: usize = 100_000;

/// A lock that refuses a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// In milliseconds since 1970.
    pub until: i64,
    /// Whether it concerns the address as a whole.
    pub is_of_address: bool,
}

/// What counts as one address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Network(String);

/// The failures and locks of a service.
#[derive(Debug)]
pub struct Lockout {
    book: Arc<Book>,
    known: Mutex<HashMap<(Network, String), LockRow>>,
    /// The removals by other processes that are known, and when they were last looked for.
    changes: AtomicU64,
    looked: AtomicI64,
    swept: AtomicI64,
}

impl Network {
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(it) => it.to_string(),
            IpAddr::V6(it) => {
                let [a, b, c, d, ..] = it.segments();
                format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
        })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Lockout {
    pub fn open(book: Arc<Book>, now: i64) -> Result<Self, StoreError> {
        let lockout = Self {
            changes: AtomicU64::new(book.lock_changes()?),
            looked: AtomicI64::new(now),
            swept: AtomicI64::new(now),
            known: Mutex::default(),
            book,
        };
        lockout.load()?;
        Ok(lockout)
    }

    /// The lock of an address, or of its pair with a key, at the time `now`.
    pub fn check(
        &self,
        address: &Network,
        key: Option<KeyId>,
        now: i64,
    ) -> Result<Option<Lock>, StoreError> {
        self.refresh(now)?;
        let known = self.known();
        if known.is_empty() {
            return Ok(None);
        }
        let lock = |key: String, is_of_address| {
            let row = known.get(&(address.clone(), key))?;
            // A clock that was set back does not prolong a lock.
            let until = row.until.min(now.saturating_add(LONGEST));
            (until > now).then_some(Lock { until, is_of_address })
        };
        let of_address = lock(String::new(), true);
        let of_pair = key.and_then(|it| lock(it.to_string(), false));
        Ok(of_address.into_iter().chain(of_pair).max_by_key(|it| it.until))
    }

    /// Counts a failure. `is_guess` says whether it also counts for the address as a whole: a key
    /// that has expired does not. Await the result before the caller gets an answer.
    pub fn fail(
        &self,
        address: &Network,
        key: Option<KeyId>,
        is_guess: bool,
        now: i64,
    ) -> Vec<Written<()>> {
        // Held until the writes are queued: they are done in the order of the failures.
        let mut known = self.known();
        let mut writes = Vec::new();
        if let Some(key) = key {
            let row = failed(&mut known, address, key.to_string(), OF_PAIR, now);
            writes.push(self.book.keep_lock(row));
        }
        if is_guess || key.is_none() {
            let row = failed(&mut known, address, String::new(), OF_ADDRESS, now);
            writes.push(self.book.keep_lock(row));
        }
        bound(&mut known, now);
        writes
    }

    /// Forgets the failures of a pair whose key was right. Those of the address stay: one key that
    /// is known does not allow to guess others.
    pub fn succeed(&self, address: &Network, key: KeyId) -> Result<(), StoreError> {
        let mut known = self.known();
        if known.is_empty() {
            return Ok(());
        }
        match known.remove(&(address.clone(), key.to_string())) {
            Some(row) => self.book.drop_lock(row.address, row.key),
            None => Ok(()),
        }
    }

    /// All locks at the time `now`.
    pub fn locks(&self, now: i64) -> Result<Vec<LockRow>, StoreError> {
        let all = self.book.locks()?;
        Ok(all.into_iter().filter(|it| it.until > now).collect())
    }

    /// Removes locks and failures: those of a key, of an address, or all. Returns their number.
    pub fn unlock(
        &self,
        key: Option<KeyId>,
        address: Option<&Network>,
    ) -> Result<usize, StoreError> {
        let key = key.map(|it| it.to_string());
        let removed = self.book.unlock(key, address.map(|it| it.0.clone())).wait()?;
        self.load()?;
        Ok(removed)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(Network, String), LockRow>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notices locks that another process removed, and forgets old ones.
    fn refresh(&self, now: i64) -> Result<(), StoreError> {
        if now.abs_diff(self.looked.load(Ordering::Relaxed)) < FRESH.unsigned_abs() {
            return Ok(());
        }
        let changes = self.book.lock_changes()?;
        if self.changes.swap(changes, Ordering::Relaxed) != changes {
            self.book.flush().wait()?;
            self.load()?;
        }
        self.looked.store(now, Ordering::Relaxed);
        if now.abs_diff(self.swept.swap(now, Ordering::Relaxed)) > (60 * MINUTE).unsigned_abs() {
            self.known().retain(|_, it| !is_over(it, now));
            self.book.forget_locks(now.saturating_sub(LONGEST))?;
        }
        Ok(())
    }

    fn load(&self) -> Result<(), StoreError> {
        let rows = self.book.locks()?;
        let rows = rows.into_iter().rev().take(MOST);
        *self.known() =
            rows.map(|it| ((Network(it.address.clone()), it.key.clone()), it)).collect();
        Ok(())
    }
}

/// Counts a failure, and locks if it is one too many.
fn failed(
    known: &mut HashMap<(Network, String), LockRow>,
    address: &Network,
    key: String,
    most: usize,
    now: i64,
) -> LockRow {
    let row = known.entry((address.clone(), key.clone())).or_insert_with(|| LockRow {
        address: address.0.clone(),
        key,
        ..LockRow::default()
    });
    if now.saturating_sub(row.until) > LONGEST {
        row.level = 0;
    }
    row.failures.retain(|it| now.abs_diff(*it) < WINDOW.unsigned_abs());
    row.failures.push(now);
    if row.failures.len() >= most {
        let length = FIRST.saturating_mul(1 << row.level.min(16)).min(LONGEST);
        row.until = now.saturating_add(length);
        row.level = row.level.saturating_add(1);
        row.failures.clear();
    }
    row.clone()
}

/// Whether nothing of it matters any more.
fn is_over(row: &LockRow, now: i64) -> bool {
    let is_old = |it: &i64| now.saturating_sub(*it) > LONGEST;
    is_old(&row.until) && row.failures.iter().all(is_old)
}

/// Makes room, if there are too many. Locks go last.
fn bound(known: &mut HashMap<(Network, String), LockRow>, now: i64) {
    if known.len() <= MOST {
        return;
    }
    known.retain(|_, it| !is_over(it, now));
    let excess = known.len().saturating_sub(MOST - MOST / 10);
    let rank = |it: &LockRow| (it.until > now, it.until, it.failures.last().copied());
    let mut all: Vec<_> = known.iter().map(|(at, it)| (rank(it), at.clone())).collect();
    all.sort_by_key(|(rank, _)| *rank);
    for (_, at) in all.into_iter().take(excess) {
        known.remove(&at);
    }
}
