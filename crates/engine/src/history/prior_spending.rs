//! The earlier spending of a resumed run, by the bounds of its script.
//!
//! Amounts spent under a bound count against the bound at the same place of the script, and
//! against the bounds around it. If an edit has removed that place, they count against the
//! bounds around the removed one; they always count against the run.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use svc_contract::{
    registry::Usage,
    store::{Payment, RunId, Store, StoreError},
};
use svc_lang::plan::Scopes;

use crate::run::{by_input, by_order, place_of};

/// The earlier spending, by the bounds of the current script.
#[derive(Debug, Default)]
pub(super) struct PriorSpending {
    by_scope: HashMap<String, Usage>,
    /// The bounds that include the cost of the call at a path.
    by_call: HashMap<String, Arc<BTreeSet<String>>>,
    /// The payments taken over from the run that this one resumes; `None` if no earlier run is
    /// known.
    pub(super) taken_over: Option<Vec<Payment>>,
    /// The number of the next payment.
    pub(super) next: u64,
}

/// The bounds of two scripts, where a run of the second resumes a run of the first.
pub(crate) struct Edit {
    before: Scopes,
    /// The new places of the earlier bounds, where they still exist.
    moved: HashMap<String, String>,
}

impl Edit {
    pub(super) fn between(before: Scopes, after: &Scopes) -> Self {
        let moved = before.moved_to(after);
        Self { before, moved }
    }

    /// The bounds of the current script under which an earlier payment was made.
    fn scopes(&self, payment: &Payment) -> Vec<String> {
        let before = payment.scopes.clone();
        let before = before.unwrap_or_else(|| around_call(&self.before, &payment.path));
        let now = |it: String| match self.moved.get(&place_of(&it)) {
            Some(place) => concrete(place, &it),
            None => it,
        };
        let stays = |it: &String| {
            let place = place_of(it);
            // The places where flows are called are not known before the run.
            self.moved.contains_key(&place) || !self.before.has(&place)
        };
        before.into_iter().filter(stays).map(now).collect()
    }
}

impl PriorSpending {
    /// Reads the spending of `run`, and of the run with another script that it resumes.
    pub(super) fn read(
        store: &dyn Store,
        run: &RunId,
        origin: Option<(&RunId, &Edit)>,
        scopes: &Scopes,
    ) -> Result<Self, StoreError> {
        let (mut payments, mut books) = (store.payments(run)?, Self::default());
        let number = |all: &[Payment]| all.iter().map(|it| it.number + 1).max().unwrap_or(0);
        if let Some((origin, edit)) = origin {
            // It may have been resumed meanwhile.
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

    /// The earlier spending under the bound at a place; that of the whole run if the place is
    /// empty. A callback is matched by its input, or by its order: the match with the higher
    /// spending counts.
    pub(super) fn spent(&self, scope: &str) -> Usage {
        let known = |it: String| self.by_scope.get(&it).copied().unwrap_or_default();
        let one = known(by_input(scope));
        let other = by_order(scope).map(known).unwrap_or_default();
        Usage { tokens: one.tokens.max(other.tokens), cost: one.cost.max(other.cost) }
    }

    /// The bounds that include the cost of the call at a path.
    pub(super) fn known_in(&self, path: &str) -> Arc<BTreeSet<String>> {
        self.by_call.get(path).cloned().unwrap_or_default()
    }
}

/// The scope of a call, if only the call is known.
fn around_call(scopes: &Scopes, path: &str) -> Vec<String> {
    let scope = scopes.of_call(&place_of(path));
    scope.map_or_else(Vec::new, |it| outwards(scopes, &concrete(it, path)))
}

/// A scope and the enclosing ones in the script.
fn outwards(scopes: &Scopes, scope: &str) -> Vec<String> {
    let mut places = vec![scope.to_owned()];
    let mut place = place_of(scope);
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
