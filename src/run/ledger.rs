//! What a run may spend, has reserved and has spent.
//!
//! Every attempt reserves its own upper bound against every cap around it in one step,
//! before it starts, and settles afterwards with what it really used. What is reserved
//! and spent together never exceeds a cap, so no cap can be overshot.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{registry::Usage, value::Money};

/// One ledger a run.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Vec<Account>>);

/// The cap of one `within`, and what stands against it.
#[derive(Debug)]
struct Account {
    cap: Cap,
    taken: Usage,
}

/// The most that may be spent; nothing said is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cap {
    pub(super) tokens: Option<u64>,
    pub(super) cost: Option<Money>,
}

/// An account of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccountId(usize);

/// What cannot be funded, and the account that lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) account: AccountId,
    pub(super) message: String,
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, Vec<Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self, cap: Cap) -> AccountId {
        let mut accounts = self.lock();
        accounts.push(Account { cap, taken: Usage::default() });
        AccountId(accounts.len() - 1)
    }

    /// Takes `most` from every account, or from none.
    pub(super) fn reserve(&self, chain: &[AccountId], most: Usage) -> Result<(), Refused> {
        let mut accounts = self.lock();
        for id in chain {
            if let Some(message) = accounts[id.0].refusal(most) {
                return Err(Refused { account: *id, message });
            }
        }
        for id in chain {
            let taken = &mut accounts[id.0].taken;
            taken.tokens = taken.tokens.saturating_add(most.tokens);
            taken.cost = taken.cost.checked_add(most.cost).unwrap_or(taken.cost);
        }
        Ok(())
    }

    /// Replaces what was reserved by what was used.
    pub(super) fn settle(&self, chain: &[AccountId], reserved: Usage, used: Usage) {
        let mut accounts = self.lock();
        for id in chain {
            let taken = &mut accounts[id.0].taken;
            taken.tokens = taken.tokens.saturating_sub(reserved.tokens).saturating_add(used.tokens);
            let cost = taken.cost.nanos().saturating_sub(reserved.cost.nanos());
            taken.cost = Money::from_nanos(cost.saturating_add(used.cost.nanos()));
        }
    }

    /// Whether any of the accounts has a cap.
    pub(super) fn is_capped(&self, chain: &[AccountId]) -> bool {
        let accounts = self.lock();
        chain.iter().any(|id| accounts[id.0].cap != Cap::default())
    }

    /// Whether any of the accounts has a cap of tokens.
    pub(super) fn caps_tokens(&self, chain: &[AccountId]) -> bool {
        let accounts = self.lock();
        chain.iter().any(|id| accounts[id.0].cap.tokens.is_some())
    }

    /// Whether any of the accounts has a cap of money.
    pub(super) fn caps_cost(&self, chain: &[AccountId]) -> bool {
        let accounts = self.lock();
        chain.iter().any(|id| accounts[id.0].cap.cost.is_some())
    }

    /// What stands against an account: spent, and still reserved.
    pub(super) fn taken(&self, account: AccountId) -> Usage {
        self.lock()[account.0].taken
    }
}

impl Account {
    /// Why `most` more cannot be taken, if it cannot.
    fn refusal(&self, most: Usage) -> Option<String> {
        let tokens = self.taken.tokens.checked_add(most.tokens);
        if let Some(cap) = self.cap.tokens
            && tokens.is_none_or(|it| it > cap)
        {
            let (needs, left) = (most.tokens, cap.saturating_sub(self.taken.tokens));
            return Some(format!("needs up to {needs} tokens, and {left} of {cap} are left"));
        }
        let cost = self.taken.cost.checked_add(most.cost);
        match self.cap.cost {
            Some(cap) if cost.is_none_or(|it| it > cap) => {
                let left = cap.checked_sub(self.taken.cost).unwrap_or(Money::ZERO);
                Some(format!("costs up to {}, and {left} of {cap} are left", most.cost))
            }
            None if cost.is_none() => Some("costs more than can be counted".to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usage(tokens: u64, cents: i64) -> Usage {
        Usage { tokens, cost: Money::cents(cents) }
    }

    #[test]
    fn what_cannot_be_funded_takes_nothing() {
        let ledger = Ledger::default();
        let outer = ledger.open(Cap { cost: Some(Money::cents(10)), tokens: None });
        let inner = ledger.open(Cap { tokens: Some(100), cost: None });
        assert_eq!(ledger.reserve(&[inner, outer], usage(60, 6)), Ok(()));
        assert_eq!(ledger.reserve(&[inner, outer], usage(10, 6)).unwrap_err().account, outer);
        assert_eq!(ledger.taken(inner), usage(60, 6));
        ledger.settle(&[inner, outer], usage(60, 6), usage(5, 1));
        assert_eq!(ledger.reserve(&[inner, outer], usage(95, 9)), Ok(()));
    }

    proptest! {
        /// However attempts interleave, a cap is never exceeded.
        #[test]
        fn no_cap_is_overshot(calls in prop::collection::vec((0_u64..50, 0_u64..50), 1..60)) {
            let ledger = Ledger::default();
            let cap = ledger.open(Cap { tokens: Some(200), cost: None });
            let mut open = Vec::new();
            for (most, used) in calls {
                if ledger.reserve(&[cap], usage(most, 0)).is_ok() {
                    open.push((most, used.min(most)));
                }
                prop_assert!(ledger.taken(cap).tokens <= 200);
                if open.len() > 3 {
                    let (most, used) = open.remove(0);
                    ledger.settle(&[cap], usage(most, 0), usage(used, 0));
                }
                prop_assert!(ledger.taken(cap).tokens <= 200);
            }
        }
    }
}
