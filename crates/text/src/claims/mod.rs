//! Whether sentences support a claim, without a model.
//!
//! The words of a claim must be in the sentences that support it, weighted by how rare they are.
//! What decides the meaning must agree with them at the same place: numbers with their units, dates,
//! names, negations and opposites. One disagreement outweighs all other words.
//!
//! **Invariant:** the time for a claim is linear in the sentences that share a word with it, plus a
//! constant number of comparisons.

mod compare;
mod items;
mod named;
mod negation;
#[cfg(feature = "markdown")]
mod sources;
mod tokens;
mod words;

use std::collections::{HashMap, HashSet};

use crate::language::Language;
use compare::{Claim, Compared, compare};
pub use named::{Named, named};
#[cfg(feature = "markdown")]
pub use sources::{SUPPORTED, Sources, claims_of, statements};
use tokens::{Kind, Reader, Token};
use words::Related;

/// How many sentences are compared with a claim, alone and in pairs.
const NEAREST: usize = 4;

/// Sentences that have this much less of the words of a claim than the best say something else.
const ABOUT_AS_MUCH: f64 = 0.1;

/// What a second sentence must add to the score.
const ANOTHER_SENTENCE: f64 = 0.02;

/// Longer sentences are compared by their first words.
const LONGEST: usize = 200;

/// The sentences that can support a claim.
pub struct Evidence {
    reader: Reader,
    sentences: Vec<Sentence>,
    with: HashMap<Box<str>, Vec<usize>>,
}

struct Sentence {
    passage: usize,
    tokens: Vec<Token>,
}

/// What a claim is worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// From 0, without support, to 1.
    pub score: f64,
    /// The numbers of the sentences that are nearest to it, in the order of their addition.
    pub support: Vec<usize>,
    /// The reason: what disagrees, or which words are missing; empty if all of it is supported.
    pub faults: Vec<String>,
}

impl Evidence {
    /// No sentences yet; those that follow are in a language.
    pub fn of(language: Language) -> Self {
        let reader = Reader::new(language.forms());
        Self { reader, sentences: Vec::new(), with: HashMap::new() }
    }

    /// Learns from a text which of its words are names. All texts are learnt before the first
    /// sentence is added.
    pub fn learn(&mut self, text: &str) {
        self.reader.learn(text);
    }

    /// Adds the next sentence of a passage.
    pub fn add(&mut self, passage: usize, sentence: &str) {
        let mut tokens = self.reader.read(sentence);
        tokens.truncate(LONGEST);
        let number = self.sentences.len();
        for token in tokens.iter().filter(|it| it.is_content()) {
            let with = self.with.entry(posting(token)).or_default();
            if with.last() != Some(&number) {
                with.push(number);
            }
        }
        self.sentences.push(Sentence { passage, tokens });
    }

    /// Compares a claim with the sentences.
    pub fn judge(&self, claim: &str) -> Judged {
        let mut tokens = self.reader.read(claim);
        tokens.truncate(LONGEST);
        let weights = self.weights(&tokens);
        let nearest = self.nearest(&tokens, &weights);
        let related = tokens.iter().map(|it| Related::of(&it.word)).collect();
        let claim = Claim { tokens, weights, related };
        let compared = self.sets(&nearest).into_iter();
        let compared: Vec<(Compared, Vec<usize>)> =
            compared.map(|set| (self.compared(&claim, &set), set)).collect();
        let most = compared.iter().map(|(it, _)| it.found).fold(0.0, f64::max);
        // Sentences about something else do not disagree: only those that say most of it count.
        let nearest = compared.into_iter().filter(|(it, _)| it.found >= most - ABOUT_AS_MUCH);
        let worth =
            |(it, set): &(Compared, Vec<usize>)| it.score - count(set.len()) * ANOTHER_SENTENCE;
        let Some((best, support)) = nearest.min_by(|a, b| worth(b).total_cmp(&worth(a))) else {
            let faults = vec!["no source has any of its words".to_owned()];
            return Judged { faults, ..Judged::default() };
        };
        Judged { score: best.score, support, faults: best.faults }
    }

    fn compared(&self, claim: &Claim, set: &[usize]) -> Compared {
        let border = Token::border();
        let mut said: Vec<&Token> = Vec::new();
        for it in set {
            said.extend(&self.sentences[*it].tokens);
            said.push(&border);
        }
        let passages: HashSet<usize> = set.iter().map(|it| self.sentences[*it].passage).collect();
        let is_around = |key: &str| {
            let with = self.with.get(key).map_or(&[][..], Vec::as_slice);
            with.iter().any(|it| passages.contains(&self.sentences[*it].passage))
        };
        compare(claim, &said, &is_around)
    }

    /// The weight of each token: its idf among the sentences, more for a name or number, 0 for a
    /// word without a meaning of its own.
    fn weights(&self, claim: &[Token]) -> Vec<f64> {
        let all = count(self.sentences.len());
        let weight = |it: &Token| {
            let with = self.with.get(&posting(it)).map_or(0, Vec::len);
            let idf = ((all + 1.0) / (count(with) + 0.5)).ln_1p();
            match it.kind {
                _ if !it.is_content() => 0.0,
                Kind::Word | Kind::First => idf,
                _ => 1.5 * idf,
            }
        };
        claim.iter().map(weight).collect()
    }

    /// The sentences that share most with a claim, the best first.
    fn nearest(&self, claim: &[Token], weights: &[f64]) -> Vec<usize> {
        let mut shared: HashMap<usize, f64> = HashMap::new();
        let mut seen = HashSet::new();
        for (token, weight) in claim.iter().zip(weights) {
            let key = posting(token);
            if *weight > 0.0 && seen.insert(key.clone()) {
                for it in self.with.get(&key).into_iter().flatten() {
                    *shared.entry(*it).or_default() += weight;
                }
            }
        }
        let mut order: Vec<(usize, f64)> = shared.into_iter().collect();
        order.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
        order.truncate(NEAREST);
        order.into_iter().map(|(it, _)| it).collect()
    }

    /// The sentences that may support a claim together: each of the nearest, with its neighbours,
    /// and with another one of them.
    fn sets(&self, nearest: &[usize]) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = nearest.iter().map(|it| vec![*it]).collect();
        for (at, one) in nearest.iter().enumerate() {
            let passage = self.sentences[*one].passage;
            let neighbours = [one.checked_sub(1), one.checked_add(1)].into_iter().flatten();
            let is_near =
                |it: &usize| self.sentences.get(*it).is_some_and(|it| it.passage == passage);
            let others = nearest.iter().skip(at + 1).copied();
            for other in neighbours.filter(is_near).chain(others) {
                let set = vec![(*one).min(other), (*one).max(other)];
                if !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
        sets
    }
}

/// The number that a word in lower case or digits means.
pub(crate) fn numeral(word: &str) -> Option<f64> {
    words::number(word).or_else(|| word.parse().ok().filter(|it: &f64| it.is_finite()))
}

/// A test whether another word in lower case says nearly the same as `word`.
pub(crate) fn related(word: &str) -> impl Fn(&str) -> bool {
    let related = Related::of(word);
    move |other| related.has_synonym(other)
}

/// A test whether another word in lower case says the opposite of `word`.
pub(crate) fn opposed(word: &str) -> impl Fn(&str) -> bool {
    let related = Related::of(word);
    move |other| related.has_opposite(other)
}

/// Whether a word in lower case negates what follows, in one of the languages that are known.
pub fn is_negation(word: &str) -> bool {
    word.ends_with("n't") || word.ends_with("n’t") || word == "cannot" || words::negates(word)
}

#[expect(clippy::cast_precision_loss, reason = "counts of sentences are small")]
fn count(it: usize) -> f64 {
    it as f64
}

/// What equal tokens of claims and sentences have in common in the index.
fn posting(token: &Token) -> Box<str> {
    match token.kind {
        Kind::Number(it) => it.value.to_string().into(),
        _ => token.key.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(source: &str, claim: &str) -> Judged {
        let mut evidence = Evidence::of(Language::ENGLISH);
        evidence.learn(source);
        for range in crate::sentences::sentences(source) {
            evidence.add(0, &source[range]);
        }
        evidence.judge(claim)
    }

    const SOURCE: &str = "The Denver Broncos defeated the Carolina Panthers 24–10 on February 7, \
        2016. The game was played in Santa Clara, and 71,088 people attended it. Peyton Manning \
        was not the most valuable player. He retired in March after 18 seasons.";

    #[test]
    fn what_the_source_says_is_supported() {
        for claim in [
            "The Denver Broncos defeated the Carolina Panthers 24–10 on February 7, 2016.",
            "In 2016, the Broncos defeated the Panthers.",
            "The Broncos beat the Panthers on 7 February 2016.",
            "The Broncos defeated the Panthers, and the game was played in Santa Clara.",
            "Peyton Manning retired in March after eighteen seasons.",
            "Peyton Manning wasn't the most valuable player.",
            "About 71,000 people attended the game in Santa Clara.",
        ] {
            let it = judged(SOURCE, claim);
            assert!(it.score >= 0.6, "{claim} {it:?}");
        }
    }

    #[test]
    fn what_the_source_does_not_say_is_not() {
        for claim in [
            "The Denver Broncos defeated the Carolina Panthers 24–13 on February 7, 2016.",
            "The Denver Broncos defeated the Carolina Panthers 24–10 on March 7, 2016.",
            "The Carolina Panthers defeated the Denver Broncos 24–10 on February 7, 2016.",
            "The Denver Broncos did not defeat the Carolina Panthers.",
            "The game was played in San Francisco, and 71,088 people attended it.",
            "71,088 people left the game in Santa Clara before February 2017.",
            "Peyton Manning was the most valuable player.",
            "Tom Brady retired in March after 18 seasons.",
            "Bread is baked from flour and water.",
        ] {
            let it = judged(SOURCE, claim);
            assert!(it.score < 0.6 && !it.faults.is_empty(), "{claim} {it:?}");
        }
    }

    /// Each takes the place of another one of its kind.
    #[test]
    fn one_of_a_family_excludes_the_others() {
        for (source, claim) in [
            ("She won the first prize in Rome.", "She won the second prize in Rome."),
            (
                "About half of the houses in the town burned.",
                "About a quarter of the houses in the town burned.",
            ),
            (
                "The annual report of the club has 40 pages.",
                "The monthly report of the club has 40 pages.",
            ),
            (
                "The war lasted for a decade in the north.",
                "The war lasted for a century in the north.",
            ),
            ("His father was a doctor in Ghent.", "His mother was a doctor in Ghent."),
        ] {
            assert!(judged(source, source).score >= 0.6, "{source}");
            let it = judged(source, claim);
            assert!(it.score < 0.6, "{claim} {it:?}");
        }
    }

    #[test]
    fn odd_claims_have_no_support() {
        for claim in ["", "...", "the of and", "?!", "不不不"] {
            assert!(judged(SOURCE, claim).score < 1e-9, "{claim}");
        }
        assert!(judged("", "A claim.").score < 1e-9);
    }

    #[test]
    fn long_claims_and_sources_are_done_in_time() {
        let source = "The budget of 12 runs is not enforced by Anna. ".repeat(5_000);
        let claim = "Anna enforced 13 budgets, not runs, ".repeat(2_000);
        assert!(judged(&source, &claim).score < 0.6);
    }
}
