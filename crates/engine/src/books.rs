//! What a run has spent before it goes on, under each bound of its script.
//!
//! What was spent under a bound counts against the bound at the same place of the script, and
//! against those around it there. Where an edit has removed that place, it counts against what
//! stood around it; against the run, it always does.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use svc_contract::registry::Usage;
use svc_lang::plan::Scopes;
use svc_store::{Payment, RunId, Store, StoreError};

use crate::run::{by_input, by_order, place_of, scope_of};

/// What was spent, by the bounds of the script that runs now.
#[derive(Debug, Default)]
pub(super) struct Books {
    by_scope: HashMap<String, Usage>,
    /// The bounds that count what the call at a path has cost.
    by_call: HashMap<String, Arc<BTreeSet<String>>>,
    /// What is taken over from the run that this one goes on from; nothing where none is
    /// known.
    pub(super) taken_over: Option<Vec<Payment>>,
    /// The number of the next payment.
    pub(super) next: u64,
}

/// The bounds of two scripts, the second of which goes on from the first.
pub(super) struct Edit {
    before: Scopes,
    /// The places that stand for those of before, where there are any.
    moved: HashMap<String, String>,
}

impl Edit {
    pub(super) fn between(before: Scopes, after: &Scopes) -> Self {
        let moved = before.moved_to(after);
        Self { before, moved }
    }

    /// The bounds of the script that runs now under which a payment was made before.
    fn scopes(&self, payment: &Payment) -> Vec<String> {
        let before = payment.scopes.clone();
        let before = before.unwrap_or_else(|| around_call(&self.before, &payment.path));
        let now = |it: String| match self.moved.get(&scope_of(&it)) {
            Some(place) => concrete(place, &it),
            None => it,
        };
        let stays = |it: &String| {
            let place = scope_of(it);
            // Nobody can say before the run where all flows are called.
            self.moved.contains_key(&place) || !self.before.has(&place)
        };
        before.into_iter().filter(stays).map(now).collect()
    }
}

impl Books {
    /// What `run` has spent, and what the run has that it goes on from with another script.
    pub(super) fn read(
        store: &Store,
        run: &RunId,
        origin: Option<(&RunId, &Edit)>,
        scopes: &Scopes,
    ) -> Result<Self, StoreError> {
        let (mut payments, mut books) = (store.payments(run)?, Self::default());
        let number = |all: &[Payment]| all.iter().map(|it| it.number + 1).max().unwrap_or(0);
        if let Some((origin, edit)) = origin {
            // It may have gone on meanwhile.
            payments.retain(|it| it.origin.is_none());
            let taken = (number(&payments)..).zip(store.payments(origin)?);
            let taken: Vec<Payment> = taken
                .map(|(number, it)| {
                    let scopes = Some(edit.scopes(&it));
                    let origin = Some(it.origin.unwrap_or(it.run));
                    Payment { run: run.clone(), number, origin, scopes, ..it }
                })
                .collect();
            payments.extend(taken.iter().cloned());
            books.taken_over = Some(taken);
        }
        books.next = number(&payments);
        for payment in &payments {
            books.enter(payment, scopes);
        }
        Ok(books)
    }

    fn enter(&mut self, payment: &Payment, scopes: &Scopes) {
        let known = payment.scopes.clone();
        let known = known.unwrap_or_else(|| around_call(scopes, &payment.path));
        let places: BTreeSet<String> = known.iter().flat_map(|it| outwards(scopes, it)).collect();
        let ordered = places.iter().filter_map(|it| by_order(it));
        let places: BTreeSet<String> = places.iter().map(|it| by_input(it)).collect();
        let whole = String::new();
        for place in places.iter().cloned().chain(ordered.collect::<BTreeSet<_>>()).chain([whole]) {
            let spent = self.by_scope.entry(place).or_default();
            *spent = spent.plus(payment.counts());
        }
        self.by_call.insert(payment.path.clone(), Arc::new(places));
    }

    /// What was spent under the bound at a place; by the whole run where that is empty. A
    /// callback may be the one that the same value has entered, or the one that was in its
    /// order: the one that has spent more counts.
    pub(super) fn spent(&self, scope: &str) -> Usage {
        let known = |it: String| self.by_scope.get(&it).copied().unwrap_or_default();
        let one = known(by_input(scope));
        let other = by_order(scope).map(known).unwrap_or_default();
        Usage { tokens: one.tokens.max(other.tokens), cost: one.cost.max(other.cost) }
    }

    /// The bounds that count what the call at a path has cost.
    pub(super) fn known_in(&self, path: &str) -> Arc<BTreeSet<String>> {
        self.by_call.get(path).cloned().unwrap_or_default()
    }
}

/// The scope of a call, where only the call is known.
fn around_call(scopes: &Scopes, path: &str) -> Vec<String> {
    let scope = scopes.of_call(&place_of(path));
    scope.map_or_else(Vec::new, |it| outwards(scopes, &concrete(it, path)))
}

/// A scope and those around it in the script.
fn outwards(scopes: &Scopes, scope: &str) -> Vec<String> {
    let mut places = vec![scope.to_owned()];
    let mut place = scope_of(scope);
    while let Some(around) = scopes.around(&place) {
        places.push(concrete(around, scope));
        place = around.to_owned();
    }
    places
}

/// A place of the script with the items, turns and callbacks of a path.
fn concrete(place: &str, path: &str) -> String {
    let (level, name) = place.rsplit_once('/').unwrap_or(("", place));
    let depth = if level.is_empty() { 0 } else { level.split('/').count() };
    let steps: Vec<&str> = path.split('/').take(depth).chain([name]).collect();
    steps.join("/")
}
