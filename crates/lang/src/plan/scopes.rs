//! The places of the bounds of a plan, which identify what was spent under them.

use std::collections::{BTreeMap, HashMap};

use svc_contract::value::Text;

use crate::{
    check::Term,
    diag::{Source, Span},
};

/// More scopes on one level are matched by their position only.
const MOST_COMPARED: usize = 1_000;

/// The places of all `within`s, written like the paths of nodes: `each[]/within#2`.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    all: BTreeMap<String, Scope>,
    /// The innermost scope of each call that may cost something.
    calls: BTreeMap<String, String>,
    /// The scopes around the current term, innermost last.
    open: Vec<String>,
    /// The number of scopes and calls visited so far.
    visits: usize,
}

#[derive(Clone, Debug)]
struct Scope {
    /// The place of the scope around it.
    around: Option<String>,
    looks: Looks,
    /// Its position in the script.
    order: usize,
}

/// The features by which a scope is recognised after an edit.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    /// The first call in it.
    call: Text,
    source: Source,
    span: Span,
}

impl Looks {
    pub(super) fn of(body: &Term, source: &Source) -> Self {
        let call = body.first_waiting().cloned().unwrap_or_default();
        Self { call, source: source.clone(), span: body.span }
    }

    /// The first call without its number.
    fn call(&self) -> &str {
        self.call.split('#').next().unwrap_or_default()
    }

    fn text(&self) -> &str {
        self.source.text().get(self.span.range()).unwrap_or_default()
    }

    /// The likeness of two scopes.
    fn likeness(&self, other: &Self) -> u32 {
        match (self.call() == other.call(), self.text() == other.text()) {
            (true, true) => 4,
            (true, false) => 2,
            (false, _) => 1,
        }
    }
}

impl Scopes {
    pub(super) fn enter(&mut self, place: String, looks: Looks) {
        self.visits += 1;
        let (around, order) = (self.open.last().cloned(), self.all.len());
        // A scope is added before those inside it, so none is around itself.
        self.all.entry(place.clone()).or_insert(Scope { around, looks, order });
        self.open.push(place);
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    /// Records the place of a call.
    pub(super) fn call(&mut self, path: impl FnOnce() -> String) {
        self.visits += 1;
        if let Some(scope) = self.open.last() {
            self.calls.insert(path(), scope.clone());
        }
    }

    /// A counter that grows with every visited scope or call.
    pub(super) fn visits(&self) -> usize {
        self.visits
    }

    pub fn has(&self, place: &str) -> bool {
        self.all.contains_key(place)
    }

    /// The scope around a scope.
    pub fn around(&self, place: &str) -> Option<&str> {
        self.all.get(place)?.around.as_deref()
    }

    /// The innermost scope of a call.
    pub fn of_call(&self, path: &str) -> Option<&str> {
        self.calls.get(path).map(String::as_str)
    }

    /// Maps the places of these scopes to those in an edited script: on each level, the most
    /// similar scopes in the same order.
    pub fn moved_to(&self, edited: &Self) -> HashMap<String, String> {
        let (before, after) = (self.levels(), edited.levels());
        let mut moved = HashMap::new();
        for (level, olds) in &before {
            let news = after.get(level).map(Vec::as_slice).unwrap_or_default();
            for (old, new) in aligned(olds, news) {
                moved.insert(olds[old].0.to_owned(), news[new].0.to_owned());
            }
        }
        moved
    }

    /// The scopes of each level. The bounds of a whole file or flow are a separate level.
    fn levels(&self) -> BTreeMap<(&str, bool), Vec<(&str, &Scope)>> {
        let mut levels: BTreeMap<(&str, bool), Vec<(&str, &Scope)>> = BTreeMap::new();
        for (place, scope) in &self.all {
            let (level, name) = place.rsplit_once('/').unwrap_or(("", place));
            levels.entry((level, name.starts_with('!'))).or_default().push((place, scope));
        }
        for level in levels.values_mut() {
            level.sort_by_key(|(_, scope)| scope.order);
        }
        levels
    }
}

/// Matches scopes in order, with the greatest total likeness.
fn aligned(olds: &[(&str, &Scope)], news: &[(&str, &Scope)]) -> Vec<(usize, usize)> {
    if olds.len().max(news.len()) > MOST_COMPARED {
        return (0..olds.len().min(news.len())).map(|it| (it, it)).collect();
    }
    let alike = |old: usize, new: usize| olds[old].1.looks.likeness(&news[new].1.looks);
    // The greatest likeness from each position on.
    let mut best = vec![vec![0_u32; news.len() + 1]; olds.len() + 1];
    for old in (0..olds.len()).rev() {
        for new in (0..news.len()).rev() {
            let paired = best[old + 1][new + 1] + alike(old, new);
            best[old][new] = paired.max(best[old + 1][new]).max(best[old][new + 1]);
        }
    }
    let (mut old, mut new, mut pairs) = (0, 0, Vec::new());
    while old < olds.len() && new < news.len() {
        if best[old][new] == best[old + 1][new + 1] + alike(old, new) {
            pairs.push((old, new));
            (old, new) = (old + 1, new + 1);
        } else if best[old][new] == best[old + 1][new] {
            old += 1;
        } else {
            new += 1;
        }
    }
    pairs
}
