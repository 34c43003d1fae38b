//! The amounts that a run may spend, has reserved and has spent.
//!
//! Every attempt reserves its own upper bound from every enclosing cap in one step before it
//! starts, and afterwards settles with its actual usage. Reserved and spent amounts together
//! never exceed a cap, so no cap can be overshot.
//!
//! **Invariant:** only a report of more than was reserved pushes an account over its cap, and
//! from then on that account funds nothing.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use svc_contract::{registry::Usage, value::Money};

use super::path::{by_input, by_order};

/// The accounts of one run, behind a single lock.
#[derive(Debug, Default)]
struct Ledger(Mutex<Book>);

/// The open accounts, and the free slots of closed ones.
#[derive(Debug, Default)]
struct Book {
    entries: Vec<Entry>,
    free: Vec<usize>,
    /// What was spent in this run under bounds that are closed, by their names: a race whose
    /// earlier winner fails is run again, and opens them again.
    closed: HashMap<String, Usage>,
}

/// The cap of one bound, with the reserved and spent amounts.
#[derive(Debug)]
struct Entry {
    cap: Cap,
    depth: usize,
    outer: Option<usize>,
    reserved: Usage,
    spent: Usage,
    /// The part of `spent` that was spent before this account was opened.
    before: Usage,
    /// Whether an attempt reported more than was reserved for it.
    misled: bool,
}

/// The limits on spending; `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cap {
    pub tokens: Option<u64>,
    pub cost: Option<Money>,
}

impl Cap {
    /// Combines both caps: for each kind the tighter limit.
    #[must_use]
    pub fn or_tighter(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.into_iter().chain(other.tokens).min(),
            cost: self.cost.into_iter().chain(other.cost).min(),
        }
    }
}

/// An account: spending here also counts against every enclosing account. Dropping it closes
/// it.
#[derive(Debug)]
pub struct Account {
    ledger: Arc<Ledger>,
    place: usize,
    /// The place of its bound in the script; empty for the whole run.
    scope: String,
    /// Keeps the enclosing account open as long as this one.
    outer: Option<Arc<Account>>,
    is_capped: bool,
    caps_cost: bool,
    script_caps_tokens: bool,
}

/// The earlier history of a bound, when its account is opened.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// The place of the bound in the script.
    pub scope: String,
    /// The amount spent there by earlier attempts.
    pub spent: Usage,
}

/// The reason why an amount cannot be funded, and the depth of the bound that lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub depth: usize,
    pub message: String,
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    /// Opens the account of a whole run, with a new ledger.
    pub fn of_run(cap: Cap) -> Arc<Self> {
        Self::open(Arc::default(), cap, 0, None, Before::default())
    }

    /// Opens an account inside this one, for a bound at `depth`.
    pub fn within(self: &Arc<Self>, cap: Cap, depth: usize) -> Arc<Self> {
        self.going_on(cap, depth, Before::default())
    }

    /// Like [`Self::within`], for a bound with earlier spending. The enclosing accounts already
    /// include it.
    pub fn going_on(self: &Arc<Self>, cap: Cap, depth: usize, before: Before) -> Arc<Self> {
        Self::open(self.ledger.clone(), cap, depth, Some(self.clone()), before)
    }

    fn open(
        ledger: Arc<Ledger>,
        cap: Cap,
        depth: usize,
        outer: Option<Arc<Self>>,
        Before { scope, spent }: Before,
    ) -> Arc<Self> {
        let around = |is: fn(&Self) -> bool| outer.as_ref().is_some_and(|it| is(it));
        let is_capped = cap != Cap::default() || around(Self::is_capped);
        let caps_cost = cap.cost.is_some() || around(Self::caps_cost);
        let script_caps_tokens =
            (depth > 0 && cap.tokens.is_some()) || around(Self::script_caps_tokens);
        let mut entry = Entry {
            cap,
            depth,
            outer: outer.as_ref().map(|it| it.place),
            reserved: Usage::default(),
            spent,
            before: spent,
            misled: false,
        };
        let mut book = ledger.lock();
        entry.spent = entry.spent.plus(book.spent_before(&scope));
        entry.before = entry.spent;
        // The cap may be lower than before.
        entry.misled = !entry.is_kept();
        let place = book.open(entry);
        drop(book);
        Arc::new(Self { ledger, place, scope, outer, is_capped, caps_cost, script_caps_tokens })
    }

    /// The places of this bound and of the enclosing ones, innermost first.
    pub fn scopes(&self) -> Vec<String> {
        let all = std::iter::successors(Some(self), |it| it.outer.as_deref());
        all.filter(|it| !it.scope.is_empty()).map(|it| it.scope.clone()).collect()
    }

    /// Reserves `most` from this account and from every enclosing one, or from none. A
    /// reservation of zero is never refused.
    pub fn reserve(&self, most: Usage) -> Result<(), Refused> {
        if most == Usage::default() {
            return Ok(());
        }
        let mut book = self.ledger.lock();
        if let Some(refused) = book.chain(self.place).find_map(|it| it.refusal(most)) {
            return Err(refused);
        }
        book.change(self.place, |it| {
            it.reserved = it.reserved.plus(most);
            it.keeps_its_cap();
        });
        Ok(())
    }

    /// Replaces a reservation by the actual usage. Returns the depth of the outermost bound
    /// that is overdrawn because more was used than reserved.
    pub fn settle(&self, reserved: Usage, used: Usage) -> Option<usize> {
        if reserved == Usage::default() && used == Usage::default() {
            return None;
        }
        let misled = used.tokens > reserved.tokens || used.cost > reserved.cost;
        let mut book = self.ledger.lock();
        book.change(self.place, |it| {
            it.reserved = difference(it.reserved, reserved);
            it.spent = it.spent.plus(used);
            it.misled |= misled;
            it.keeps_its_cap();
        });
        let broken = book.chain(self.place).filter(|it| misled && !it.is_kept());
        broken.map(|it| it.depth).last()
    }

    /// Settles an attempt after its usage was recorded. What this releases may be reserved again at
    /// once, and that must not be on disk without this record.
    pub fn settle_after<R>(
        &self,
        reserved: Usage,
        used: Usage,
        record: impl FnOnce() -> R,
    ) -> (R, Option<usize>) {
        let recorded = record();
        (recorded, self.settle(reserved, used))
    }

    /// Adds earlier spending, from here outwards up to the first account that already includes
    /// it.
    pub fn remember(&self, used: Usage, knows: impl Fn(&str) -> bool) {
        let mut book = self.ledger.lock();
        let mut at = Some(self);
        while let Some(account) = at.filter(|it| !knows(&it.scope)) {
            let entry = &mut book.entries[account.place];
            entry.spent = entry.spent.plus(used);
            entry.before = entry.before.plus(used);
            entry.misled |= !entry.is_kept();
            at = account.outer.as_deref();
        }
    }

    /// The amount taken from this account: spent, and still reserved.
    pub fn taken(&self) -> Usage {
        self.ledger.lock().entries[self.place].taken()
    }

    /// The caps here and around, innermost first, of bounds inside `outer` ones.
    pub(super) fn caps_inside(&self, outer: usize) -> Vec<Cap> {
        let book = self.ledger.lock();
        let inside = book.chain(self.place).take_while(|it| it.depth > outer);
        inside.map(|it| it.cap).collect()
    }

    /// The depth of the innermost bound with a cap; that of the whole run if there is none.
    pub(super) fn innermost_cap(&self) -> usize {
        let book = self.ledger.lock();
        book.chain(self.place).find(|it| it.cap != Cap::default()).map_or(0, |it| it.depth)
    }

    /// Whether there is a cap of any kind, here or around.
    pub fn is_capped(&self) -> bool {
        self.is_capped
    }

    /// Whether the script, and not only the caller of the run, caps tokens here or around.
    pub fn script_caps_tokens(&self) -> bool {
        self.script_caps_tokens
    }

    /// Whether money is capped, here or around.
    pub fn caps_cost(&self) -> bool {
        self.caps_cost
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let mut book = self.ledger.lock();
        let entry = &book.entries[self.place];
        let spent = difference(entry.taken(), entry.before);
        if spent != Usage::default() && !self.scope.is_empty() {
            for scope in names_of(&self.scope) {
                let closed = book.closed.entry(scope).or_default();
                *closed = closed.plus(spent);
            }
        }
        book.free.push(self.place);
    }
}

impl Book {
    fn open(&mut self, entry: Entry) -> usize {
        match self.free.pop() {
            Some(place) => {
                self.entries[place] = entry;
                place
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        }
    }

    /// What was spent in this run under the bound at a place that was closed. As with earlier
    /// runs, a callback is matched by its input, or by its order: the higher spending counts.
    fn spent_before(&self, scope: &str) -> Usage {
        if scope.is_empty() || self.closed.is_empty() {
            return Usage::default();
        }
        let known = names_of(scope).filter_map(|it| self.closed.get(&it));
        known.fold(Usage::default(), |most, it| Usage {
            tokens: most.tokens.max(it.tokens),
            cost: most.cost.max(it.cost),
        })
    }

    /// An entry and the enclosing ones, innermost first.
    fn chain(&self, place: usize) -> impl Iterator<Item = &Entry> {
        std::iter::successors(Some(&self.entries[place]), |it| {
            it.outer.map(|outer| &self.entries[outer])
        })
    }

    fn change(&mut self, place: usize, change: impl Fn(&mut Entry)) {
        let mut at = Some(place);
        while let Some(place) = at {
            let entry = &mut self.entries[place];
            change(entry);
            at = entry.outer;
        }
    }
}

impl Entry {
    fn taken(&self) -> Usage {
        self.reserved.plus(self.spent)
    }

    fn is_kept(&self) -> bool {
        let taken = self.taken();
        self.cap.tokens.is_none_or(|it| taken.tokens <= it)
            && self.cap.cost.is_none_or(|it| taken.cost <= it)
    }

    fn keeps_its_cap(&self) {
        debug_assert!(self.misled || self.is_kept(), "a cap was overshot: {self:?}");
    }

    /// The reason why `most` more cannot be reserved, if any.
    fn refusal(&self, most: Usage) -> Option<Refused> {
        let (taken, whose) = (self.taken(), if self.depth == 0 { "the run's " } else { "" });
        let refused = |message| Some(Refused { depth: self.depth, message });
        if let Some(cap) = self.cap.tokens
            && taken.tokens.checked_add(most.tokens).is_none_or(|it| it > cap)
        {
            let (needs, left) = (most.tokens, cap.saturating_sub(taken.tokens));
            return refused(format!(
                "needs up to {needs} tokens, and {left} of {whose}{cap} are left"
            ));
        }
        let cost = taken.cost.checked_add(most.cost);
        match self.cap.cost {
            Some(cap) if cost.is_none_or(|it| it > cap) => {
                let left = Money::from_nanos(cap.nanos().saturating_sub(taken.cost.nanos()).max(0));
                let needs = most.cost;
                refused(format!("costs up to {needs}, and {left} of {whose}{cap} are left"))
            }
            None if cost.is_none() => refused("costs more than can be counted".to_owned()),
            _ => None,
        }
    }
}

/// The names by which a bound is known again.
fn names_of(scope: &str) -> impl Iterator<Item = String> {
    [by_input(scope)].into_iter().chain(by_order(scope))
}

fn difference(a: Usage, b: Usage) -> Usage {
    let cost = Money::from_nanos(a.cost.nanos().saturating_sub(b.cost.nanos()));
    Usage { tokens: a.tokens.saturating_sub(b.tokens), cost }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usage(tokens: u64, cents: i64) -> Usage {
        Usage { tokens, cost: Money::cents(cents) }
    }

    fn tokens(most: u64) -> Cap {
        Cap { tokens: Some(most), cost: None }
    }

    #[test]
    fn what_cannot_be_funded_takes_nothing() {
        let outer = Account::of_run(Cap { cost: Some(Money::cents(10)), tokens: None });
        let inner = outer.within(tokens(100), 1);
        assert_eq!(inner.reserve(usage(60, 6)), Ok(()));
        let refused = inner.reserve(usage(10, 6)).unwrap_err();
        assert_eq!((refused.depth, inner.taken()), (0, usage(60, 6)));
        assert_eq!(refused.message, "costs up to $0.06, and $0.04 of the run's $0.10 are left");
        assert_eq!(inner.settle(usage(60, 6), usage(5, 1)), None);
        assert_eq!(inner.reserve(usage(95, 9)), Ok(()));
    }

    #[test]
    fn a_cap_of_nothing_funds_what_costs_nothing() {
        let cap = Cap { cost: Some(Money::ZERO), tokens: Some(0) };
        let account = Account::of_run(cap);
        assert_eq!(account.reserve(usage(0, 0)), Ok(()));
        assert!(account.reserve(usage(1, 0)).is_err());
        assert!(account.reserve(usage(0, 1)).is_err());
    }

    #[test]
    fn closed_accounts_leave_their_place_to_others() {
        let run = Account::of_run(Cap::default());
        for _ in 0..1000 {
            let one = run.within(tokens(5), 1);
            let two = one.within(tokens(5), 2);
            assert_eq!(two.reserve(usage(5, 0)), Ok(()));
            assert_eq!(two.settle(usage(5, 0), usage(5, 0)), None);
        }
        assert_eq!(run.ledger.lock().entries.len(), 3);
        assert_eq!(run.taken(), usage(5000, 0));
    }

    #[test]
    fn what_is_used_beyond_a_cap_is_counted_and_ends_it() {
        let run = Account::of_run(tokens(100));
        let middle = run.within(tokens(50), 1);
        let inner = middle.within(tokens(10), 2);
        assert_eq!(inner.reserve(usage(10, 0)), Ok(()));
        assert_eq!(inner.settle(usage(10, 0), usage(60, 0)), Some(1), "the middle one, too");
        assert_eq!(run.taken(), usage(60, 0));
        assert_eq!(middle.reserve(usage(1, 0)).unwrap_err().depth, 1);
        assert_eq!(run.reserve(usage(40, 0)), Ok(()));
    }

    #[test]
    fn no_amount_is_too_large_to_be_counted() {
        let run = Account::of_run(Cap::default());
        let all = Usage { tokens: u64::MAX, cost: Money::from_nanos(i64::MAX) };
        assert_eq!(run.reserve(all), Ok(()));
        assert!(run.reserve(usage(0, 1)).is_err());
        assert_eq!(run.settle(all, all), None);
        assert_eq!(run.taken(), all);
    }

    #[test]
    fn a_bound_that_is_opened_again_goes_on_with_what_was_spent() {
        let run = Account::of_run(Cap::default());
        let open = |scope: &str, tokens_before| {
            let before = Before { scope: scope.to_owned(), spent: usage(tokens_before, 0) };
            run.going_on(tokens(90), 1, before)
        };
        let spend = |account: Arc<Account>, most| {
            account.reserve(usage(most, 0)).map(|()| account.settle(usage(most, 0), usage(most, 0)))
        };
        assert!(spend(open("race/a/!within", 30), 40).is_ok());
        assert!(spend(open("race/b/!within", 0), 90).is_ok(), "another bound");
        assert!(spend(open("race/a/!within", 30), 21).is_err());
        assert!(spend(open("race/a/!within", 30), 20).is_ok(), "earlier runs count once");
        assert!(spend(open("race/a/!within", 30), 1).is_err());
        // A callback with another input is matched by its order.
        assert!(spend(open("twice/f@aa.1~1/!within", 0), 60).is_ok());
        assert!(spend(open("twice/f@bb.1~1/!within", 0), 31).is_err());
        assert!(spend(open("twice/f@aa.1~2/!within", 0), 31).is_err());
        assert!(spend(open("twice/f@bb.1~2/!within", 0), 90).is_ok());
    }

    proptest! {
        /// However attempts of nested accounts interleave, no cap is ever exceeded, and in the
        /// end each account has spent the usage of its attempts.
        #[test]
        fn no_cap_is_overshot(
            calls in prop::collection::vec((0_u64..50, 0_u64..50, 0_usize..3), 1..60),
        ) {
            let run = Account::of_run(tokens(300));
            let outer = run.within(tokens(200), 1);
            let accounts = [run.clone(), outer.clone(), outer.within(tokens(90), 2)];
            let (mut open, mut spent) = (Vec::new(), 0);
            let kept = || accounts.iter().zip([300, 200, 90]).all(|(it, cap)| it.taken().tokens <= cap);
            for (most, used, at) in calls {
                if accounts[at].reserve(usage(most, 0)).is_ok() {
                    open.push((at, most, used.min(most)));
                }
                prop_assert!(kept());
                if open.len() > 3 {
                    let (at, most, used) = open.remove(0);
                    accounts[at].settle(usage(most, 0), usage(used, 0));
                    spent += used;
                }
                prop_assert!(kept());
            }
            for (at, most, used) in open {
                accounts[at].settle(usage(most, 0), usage(used, 0));
                spent += used;
            }
            prop_assert_eq!(run.taken().tokens, spent);
        }
    }
}
