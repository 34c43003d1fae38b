//! The words of operations: those with which users ask for them, in the registry, and the closed
//! classes that compare, negate and count.

use std::collections::HashMap;

use svc_contract::registry::Registry;
use svc_text::stems::{Term, Vocabulary};

use super::{
    closed::{is_different, superlative, total},
    words::Token,
};

/// A word that asks for more ops than this asks for none of them.
const MOST_SPREAD: usize = 6;

/// Words that only ask for something, whatever it is.
const REQUESTS: &str = "please pls work something need want like give show tell list find get see \
    look take use using just only all every everything everybody everyone everywhere anybody anyone \
    who whose where let know turn make have keep leave call called name according going go come came \
    said say says still yet far so also too really here there one ones rest made got gave took placed \
    collect gather print display whats hows";

/// The words of ops that a query about a table may need.
pub(crate) struct Lexicon {
    pub(super) contains: Vec<Term>,
    /// Words of `starts_with`, and of `ends_with`, that the other one does not have.
    pub(super) starts: Vec<Term>,
    pub(super) ends: Vec<Term>,
    pub(super) round: Vec<Term>,
    pub(super) markdown: Vec<Term>,
    pub(super) csv: Vec<Term>,
    pub(super) json: Vec<Term>,
    count: Vec<Term>,
    alphabetical: Vec<Term>,
    requests: Vec<Term>,
}

impl Lexicon {
    pub(crate) fn of(registry: &Registry, words: &mut Vocabulary) -> Self {
        let spread = spread(registry, words);
        let mut rare = |name: &str| {
            let mut terms = words.terms(&format!("{name} {}", says(registry, name)));
            terms.retain(|it| spread.get(it).is_none_or(|it| *it <= MOST_SPREAD));
            terms
        };
        let round = rare("round");
        let (markdown, csv, json) = (rare("to_markdown"), rare("to_csv"), rare("save_json"));
        // Next to a value, also a frequent word says how it is looked for.
        let mut every = |name: &str| {
            words.terms(&format!("{} {}", name.replace('_', " "), says(registry, name)))
        };
        let contains = every("contains");
        let (mut starts, mut ends) = (every("starts_with"), every("ends_with"));
        let both: Vec<Term> = starts.iter().filter(|it| ends.contains(it)).copied().collect();
        starts.retain(|it| !both.contains(it));
        ends.retain(|it| !both.contains(it));
        let mut terms = |text: &str| words.read(text).map(|it| it.term).collect::<Vec<_>>();
        Self {
            contains,
            starts,
            ends,
            round,
            markdown,
            csv,
            json,
            count: terms("many count number often"),
            alphabetical: terms("alphabetical alphabetically"),
            requests: terms(REQUESTS),
        }
    }

    pub(super) fn counts(&self, token: &Token) -> bool {
        has(&self.count, token)
    }

    pub(super) fn is_alphabetical(&self, token: &Token) -> bool {
        has(&self.alphabetical, token)
    }

    /// Whether a word only asks for something, whatever it is.
    pub(crate) fn requests(&self, token: &Token) -> bool {
        // To call somebody is not to be called something.
        has(&self.requests, token) && token.lower != "call"
    }

    /// Whether a word means something else than a value.
    pub(super) fn means(&self, token: &Token) -> bool {
        let all = [&self.contains, &self.round, &self.markdown, &self.json, &self.count];
        all.iter().any(|it| has(it, token))
            || total(token).is_some()
            || is_different(token)
            || self.requests(token)
            || self.is_alphabetical(token)
            || superlative(token).is_some()
    }
}

/// The phrases that ask for an op.
fn says(registry: &Registry, name: &str) -> String {
    registry.resolve(name).map(|it| it.op.says.join(", ")).unwrap_or_default()
}

/// How many ops ask for something with a word: `column` says nothing about an op.
fn spread(registry: &Registry, words: &mut Vocabulary) -> HashMap<Term, usize> {
    let mut spread: HashMap<Term, usize> = HashMap::new();
    for op in registry.components().iter().flat_map(|it| it.ops.iter()) {
        let mut own = words.terms(&format!("{} {}", op.name, op.says.join(" ")));
        own.sort_unstable();
        own.dedup();
        for term in own {
            *spread.entry(term).or_default() += 1;
        }
    }
    spread
}

pub(super) fn has(terms: &[Term], token: &Token) -> bool {
    token.term.is_some_and(|it| terms.contains(&it))
}
