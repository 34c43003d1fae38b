//! Chooses passages for a budget: the greedy maximum of a submodular function under a knapsack
//! (Lin & Bilmes 2011), with lazy evaluation (Minoux 1978).
//!
//! The value of a set is a mean of two parts from 0 to 1: the relevance of its passages, and how much
//! of what all passages say it says at least once. A term counts by its rarity and by the relevance
//! of the best passage with it, and a term of the question more.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, HashMap, HashSet},
};

use svc_contract::registry::{Cx, OpError};
use svc_text::stems::Term;

use super::dedupe::BETWEEN_CHECKS;

/// By how much a term of the question counts more than others.
const ASKED: f64 = 4.0;

/// A passage to choose or not.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    /// From 0 to 1.
    pub relevance: f64,
    pub tokens: usize,
    /// The distinct terms, ordered.
    pub terms: Vec<Term>,
}

/// What a choice is worth.
pub(super) struct Worth {
    /// The share of the relevance of a set in its value; the rest is what it covers.
    relevance: f64,
    all_relevance: f64,
    weights: HashMap<Term, f64>,
    all_weights: f64,
}

impl Worth {
    #[expect(clippy::cast_precision_loss, reason = "numbers of passages are small")]
    pub(super) fn new(passages: &[Passage], asked: &[Term], relevance: f64) -> Self {
        let mut found: HashMap<Term, (f64, f64)> = HashMap::new();
        for passage in passages {
            for term in &passage.terms {
                let (df, best) = found.entry(*term).or_default();
                *df += 1.0;
                *best = best.max(passage.relevance);
            }
        }
        let count = passages.len() as f64;
        let weight = |(term, (df, best)): (Term, (f64, f64))| {
            let is_asked = asked.binary_search(&term).is_ok();
            let factor = if is_asked { ASKED } else { 1.0 };
            (term, (count / df).ln_1p() * best * factor)
        };
        let weights: HashMap<Term, f64> = found.into_iter().map(weight).collect();
        // Summed in the order of the terms, as the sum of floats depends on it.
        let mut terms: Vec<(&Term, &f64)> = weights.iter().collect();
        terms.sort_unstable_by_key(|it| it.0);
        let all_weights = terms.iter().map(|it| it.1).sum();
        let all_relevance = passages.iter().map(|it| it.relevance).sum();
        Self { relevance, all_relevance, weights, all_weights }
    }

    /// What a passage adds to the chosen ones.
    fn gain(&self, passage: &Passage, covered: &HashSet<Term>) -> f64 {
        let fresh = passage.terms.iter().filter(|it| !covered.contains(it));
        let fresh: f64 = fresh.filter_map(|it| self.weights.get(it)).sum();
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        self.relevance * share(passage.relevance, self.all_relevance)
            + (1.0 - self.relevance) * share(fresh, self.all_weights)
    }
}

/// The gain per token of a passage, as it was when so many were chosen.
#[derive(Debug)]
struct Offer {
    ratio: f64,
    idx: usize,
    round: usize,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.ratio.total_cmp(&other.ratio).then(Reverse(self.idx).cmp(&Reverse(other.idx)))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Offer {}

/// Returns the indices of the chosen passages, which together have at most `budget` tokens, in the
/// order in which they were chosen.
pub(super) fn choose(
    passages: &[Passage],
    worth: &Worth,
    budget: usize,
    cx: &Cx,
) -> Result<Vec<usize>, OpError> {
    let mut covered = HashSet::new();
    let offer = |idx: usize, round: usize, covered: &HashSet<Term>| {
        let passage = &passages[idx];
        #[expect(clippy::cast_precision_loss, reason = "numbers of tokens are small")]
        let ratio = worth.gain(passage, covered) / passage.tokens.max(1) as f64;
        Offer { ratio, idx, round }
    };
    let mut offers: BinaryHeap<Offer> =
        (0..passages.len()).map(|it| offer(it, 0, &covered)).collect();
    let (mut chosen, mut left, mut value) = (Vec::new(), budget, 0.0);
    let mut steps = 0;
    while let Some(best) = offers.pop() {
        steps += 1;
        if steps % BETWEEN_CHECKS == 0 {
            cx.check()?;
        }
        let passage = &passages[best.idx];
        if passage.tokens > left {
            continue;
        }
        if best.round < chosen.len() {
            // What is covered since can only make it worth less.
            offers.push(offer(best.idx, chosen.len(), &covered));
            continue;
        }
        value += worth.gain(passage, &covered);
        left -= passage.tokens;
        covered.extend(&passage.terms);
        chosen.push(best.idx);
    }
    // One long passage may be worth more than many short ones, which the ratio prefers.
    let none = HashSet::new();
    let alone = (0..passages.len()).filter(|it| passages[*it].tokens <= budget);
    let alone = alone.map(|it| (worth.gain(&passages[it], &none), it));
    match alone.min_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))) {
        Some((gain, idx)) if gain > value => Ok(vec![idx]),
        _ => Ok(chosen),
    }
}
