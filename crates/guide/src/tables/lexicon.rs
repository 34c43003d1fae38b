//! The words of operations: those with which users ask for them, in the registry, and the closed
//! classes that compare, negate and count.

use std::collections::HashMap;

use svc_contract::registry::{Effect, Registry};
use svc_text::stems::{Term, Vocabulary};

use super::words::Token;

/// A word that asks for more ops than this asks for none of them.
const MOST_SPREAD: usize = 6;

/// Ops from a list of numbers to a number.
const TOTALS: [&str; 5] = ["sum", "avg", "median", "stdev", "mode"];

/// Words that only ask for something, whatever it is.
const REQUESTS: &str = "please pls work something need want like give show tell list find get see \
    look take use using just only all every everything everybody everyone everywhere anybody anyone \
    who whose where let know turn make have keep leave call called name according going go come came \
    said say says still yet far so also too really exactly here there one ones rest collect gather";

/// The words of ops that a query about a table may need.
pub(super) struct Lexicon {
    /// The ops of `TOTALS`, and the words that ask for each.
    pub(super) totals: Vec<(&'static str, Vec<Term>)>,
    /// The phrases that ask for them.
    phrases: Vec<(&'static str, String)>,
    pub(super) unique: Vec<Term>,
    pub(super) contains: Vec<Term>,
    /// Words of `starts_with`, and of `ends_with`, that the other one does not have.
    pub(super) starts: Vec<Term>,
    pub(super) ends: Vec<Term>,
    pub(super) round: Vec<Term>,
    pub(super) markdown: Vec<Term>,
    pub(super) csv: Vec<Term>,
    pub(super) json: Vec<Term>,
    /// The words of ops that write files.
    pub(super) writes: Vec<Term>,
    count: Vec<Term>,
    high: Vec<Term>,
    low: Vec<Term>,
    new: Vec<Term>,
    old: Vec<Term>,
    alphabetical: Vec<Term>,
    requests: Vec<Term>,
}

/// The side of a superlative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    High,
    Low,
    New,
    Old,
}

/// A comparison, with its length in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    More,
    AtLeast,
    Less,
    AtMost,
}

impl Compare {
    pub(super) fn inverted(self) -> Self {
        match self {
            Self::More => Self::AtMost,
            Self::AtLeast => Self::Less,
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::More,
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Less => "<",
            Self::AtMost => "<=",
        }
    }
}

const BEFORE: [(&str, Compare); 20] = [
    ("more than", Compare::More),
    ("greater than", Compare::More),
    ("larger than", Compare::More),
    ("higher than", Compare::More),
    ("later than", Compare::More),
    ("over", Compare::More),
    ("above", Compare::More),
    ("after", Compare::More),
    ("at least", Compare::AtLeast),
    ("since", Compare::AtLeast),
    ("less than", Compare::Less),
    ("fewer than", Compare::Less),
    ("lower than", Compare::Less),
    ("smaller than", Compare::Less),
    ("earlier than", Compare::Less),
    ("under", Compare::Less),
    ("below", Compare::Less),
    ("before", Compare::Less),
    ("at most", Compare::AtMost),
    ("until", Compare::AtMost),
];

const BEHIND: [(&str, Compare); 8] = [
    ("or more", Compare::AtLeast),
    ("or later", Compare::AtLeast),
    ("or above", Compare::AtLeast),
    ("or over", Compare::AtLeast),
    ("or less", Compare::AtMost),
    ("or earlier", Compare::AtMost),
    ("or below", Compare::AtMost),
    ("or fewer", Compare::AtMost),
];

const NOT: [&str; 22] = [
    "skip",
    "ignore",
    "omit",
    "exclude",
    "leaving",
    "unless",
    "not",
    "no",
    "never",
    "without",
    "isn't",
    "hasn't",
    "haven't",
    "aren't",
    "wasn't",
    "doesn't",
    "don't",
    "didn't",
    "nobody",
    "none",
    "except",
    "excluding",
];

impl Lexicon {
    pub(super) fn of(registry: &Registry, words: &mut Vocabulary) -> Self {
        let spread = spread(registry, words);
        let mut rare = |name: &str| {
            let mut terms = words.terms(&format!("{name} {}", says(registry, name)));
            terms.retain(|it| spread.get(it).is_none_or(|it| *it <= MOST_SPREAD));
            terms
        };
        let all: Vec<(&'static str, Vec<Term>)> =
            TOTALS.into_iter().map(|name| (name, rare(name))).collect();
        let (unique, round) = (rare("unique"), rare("round"));
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
        let writes = words.terms(&writers(registry));
        let mut terms = |text: &str| words.read(text).map(|it| it.term).collect::<Vec<_>>();
        Self {
            totals: apart(&all),
            phrases: TOTALS.map(|name| (name, says(registry, name))).into(),
            unique,
            contains,
            starts,
            ends,
            round,
            markdown,
            csv,
            json,
            writes,
            count: terms("many count number often"),
            high: terms(&format!(
                "{} most best top maximum busiest",
                superlatives(registry, "max")
            )),
            low: terms(&format!("{} least fewest minimum worst", superlatives(registry, "min"))),
            new: terms("newest latest youngest recent"),
            old: terms("oldest earliest first"),
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
    pub(super) fn requests(&self, token: &Token) -> bool {
        has(&self.requests, token)
    }

    pub(super) fn side(&self, token: &Token) -> Option<Side> {
        let sides = [
            (&self.high, Side::High),
            (&self.low, Side::Low),
            (&self.new, Side::New),
            (&self.old, Side::Old),
        ];
        sides.into_iter().find(|(terms, _)| has(terms, token)).map(|(_, it)| it)
    }

    /// The op that a word asks for, or two words: `add up`. Returns its name and their number.
    pub(super) fn total(&self, tokens: &[Token], at: usize) -> Option<(&'static str, usize)> {
        if let Some(next) = tokens.get(at + 1) {
            let pair = format!("{} {}", tokens[at].lower, next.lower);
            let mut all = self.phrases.iter().filter(|(_, says)| says.contains(&pair));
            if let (Some((name, _)), None, false) = (all.next(), all.next(), tokens[at].is_stop) {
                return Some((name, 2));
            }
        }
        if matches!(tokens[at].lower.as_str(), "per" | "each" | "every") {
            return None;
        }
        let found = self.totals.iter().find(|(_, terms)| has(terms, &tokens[at]));
        found.map(|(name, _)| (*name, 1))
    }
}

/// The phrases that ask for an op.
fn says(registry: &Registry, name: &str) -> String {
    registry.resolve(name).map(|it| it.op.says.join(", ")).unwrap_or_default()
}

/// The phrases that ask for an op that writes files.
fn writers(registry: &Registry) -> String {
    let ops = registry.components().iter().flat_map(|it| it.ops.iter());
    let writers = ops.filter(|it| it.effects.iter().any(|it| matches!(it, Effect::Writes { .. })));
    writers.map(|it| it.says.join(" ")).collect::<Vec<_>>().join(" ")
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

/// The words that one of the ops has more often than all others.
fn apart(all: &[(&'static str, Vec<Term>)]) -> Vec<(&'static str, Vec<Term>)> {
    let count = |terms: &[Term], term: Term| terms.iter().filter(|it| **it == term).count();
    let is_own = |own: &[Term], term: Term| {
        let most = all.iter().map(|(_, terms)| count(terms, term)).max().unwrap_or(0);
        let firsts = all.iter().filter(|(_, terms)| count(terms, term) == most).count();
        count(own, term) == most && firsts == 1
    };
    let own = all.iter().map(|(name, terms)| {
        (*name, terms.iter().copied().filter(|it| is_own(terms, *it)).collect())
    });
    own.collect()
}

/// The superlatives with which users ask for an op: `cheapest` is a word of `min`.
fn superlatives(registry: &Registry, name: &str) -> String {
    let says = says(registry, name);
    let words = says.split([' ', ',']);
    let all = words.filter(|it| it.ends_with("est") && !matches!(*it, "earliest" | "latest"));
    all.collect::<Vec<_>>().join(" ")
}

pub(super) fn has(terms: &[Term], token: &Token) -> bool {
    token.term.is_some_and(|it| terms.contains(&it))
}

/// The comparison that begins at a token, and its length.
pub(super) fn compares(tokens: &[Token], at: usize) -> Option<(Compare, usize)> {
    one_of(&BEFORE, tokens, at)
}

/// The comparison that follows a value, and its length.
pub(super) fn compares_behind(tokens: &[Token], at: usize) -> Option<(Compare, usize)> {
    one_of(&BEHIND, tokens, at)
}

fn one_of(all: &[(&str, Compare)], tokens: &[Token], at: usize) -> Option<(Compare, usize)> {
    all.iter().find_map(|(text, compare)| {
        let words: Vec<&str> = text.split(' ').collect();
        let own = tokens.get(at..at + words.len())?;
        own.iter()
            .zip(&words)
            .all(|(token, word)| token.lower == *word)
            .then_some((*compare, words.len()))
    })
}

pub(super) fn negates(token: &Token) -> bool {
    NOT.contains(&token.lower.replace('’', "'").as_str())
}
