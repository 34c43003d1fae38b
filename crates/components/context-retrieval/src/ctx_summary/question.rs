//! The effect of a question on the ranks of sentences.

use std::collections::HashSet;

use svc_contract::value::Text;
use svc_text::stems::{Term, words};

use super::{candidates::Sentence, input::Document};

/// The damping factor of `LexRank`: mostly, the walk goes from sentence to sentence.
const FOLLOW: f64 = 0.85;

/// The weight of a word of the question that is in a title or heading instead of the sentence.
const IN_CONTEXT: f64 = 0.4;

/// The advantage of the sentences of the hit with the highest score.
const PRIOR: f64 = 1.0;

/// The parameters of the walk over the sentences.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// The probability of each sentence as a start.
    pub starts: Vec<f64>,
    pub follow: f64,
    /// Whether a question determines the starts.
    pub is_answer: bool,
}

/// Returns the given question, or else the queries of the documents.
pub(super) fn question(docs: &[Document], given: Option<&Text>) -> String {
    if let Some(given) = given {
        return given.as_ref().to_owned();
    }
    let mut seen = HashSet::new();
    let queries = docs.iter().map(|it| it.query.as_ref()).filter(|it| seen.insert(*it));
    queries.collect::<Vec<&str>>().join(" ")
}

/// The walk for a question of these terms. Without a question, or if no sentence has any of the
/// terms, it starts anywhere. Otherwise it restarts at sentences with the terms with a probability
/// of `restart`.
pub(super) fn walk(
    sentences: &[Sentence],
    docs: &[Document],
    asked: &[Term],
    restart: f64,
) -> Walk {
    let starts = relevance(sentences, docs, asked);
    let sum: f64 = starts.iter().sum();
    if sum > 0.0 {
        let starts = starts.iter().map(|it| it / sum).collect();
        return Walk { starts, follow: 1.0 - restart, is_answer: true };
    }
    let each = 1.0 / count(sentences.len()).max(1.0);
    Walk { starts: vec![each; sentences.len()], follow: FOLLOW, is_answer: false }
}

/// The relevance of each sentence, higher for sentences of a hit with a high score.
fn relevance(sentences: &[Sentence], docs: &[Document], asked: &[Term]) -> Vec<f64> {
    let asked: Vec<(Term, f64)> = asked.iter().map(|it| (*it, idf(*it, sentences))).collect();
    let highest = docs.iter().map(|it| it.score).fold(f64::MIN_POSITIVE, f64::max);
    let gain = |doc: &Document| 1.0 + PRIOR * doc.score / highest;
    let gains: Vec<f64> = docs.iter().map(gain).collect();
    sentences.iter().map(|it| it.answers(&asked) * gains[it.doc]).collect()
}

fn idf(term: Term, sentences: &[Sentence]) -> f64 {
    let df = sentences.iter().filter(|it| it.weight_of(term) > 0.0).count();
    if df == 0 { 0.0 } else { (count(sentences.len()) / count(df)).ln_1p() }
}

#[expect(clippy::cast_precision_loss, reason = "counts of sentences are small")]
fn count(it: usize) -> f64 {
    it as f64
}

impl Sentence {
    /// Otterbacher's `sum ln(tf + 1) idf` over the words of the question, lowered for a sentence
    /// that has only some of them.
    fn answers(&self, asked: &[(Term, f64)]) -> f64 {
        let (mut sum, mut covered, mut all) = (0.0, 0.0, 0.0);
        for (term, idf) in asked {
            let weight = self.weight_of(*term);
            sum += weight * idf;
            covered += if weight > 0.0 { *idf } else { 0.0 };
            all += idf;
        }
        if all > 0.0 { sum * (covered / all).sqrt() } else { 0.0 }
    }

    fn weight_of(&self, term: Term) -> f64 {
        let own = count(self.terms.iter().filter(|it| **it == term).count()).ln_1p();
        let around = if self.context.contains(&term) { IN_CONTEXT } else { 0.0 };
        own.max(around)
    }

    /// A factor below 1 for sentences that are hard to understand on their own: questions,
    /// references to text that is not shown, those that mostly list code or point to another text,
    /// and in an answer long ones. Without a question, a long sentence often is the one that sums up.
    pub(super) fn bearing(&self, is_answer: bool) -> f64 {
        const LONG: usize = 35;
        let all = words(&self.text).count();
        let said: usize = self.text.split('`').step_by(2).map(|it| words(it).count()).sum();
        let mut bearing = 1.0;
        bearing *= if self.text.ends_with('?') { 0.5 } else { 1.0 };
        bearing *= if points_back(&self.text) { 0.75 } else { 1.0 };
        bearing *= if self.points_away { 0.5 } else { 1.0 };
        bearing *= if is_answer && all > LONG { 0.75 } else { 1.0 };
        bearing * if said * 2 < all { 0.6 } else { 1.0 }
    }
}

/// Whether the first word refers to something mentioned before.
fn points_back(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "they",
        "them",
        "their",
        "he",
        "she",
        "his",
        "her",
        "however",
        "but",
        "and",
        "or",
        "so",
        "also",
        "then",
        "thus",
        "therefore",
        "otherwise",
        "such",
        "here",
    ];
    let first = text.split(|it: char| !it.is_alphanumeric()).find(|it| !it.is_empty());
    first.is_some_and(|first| WORDS.iter().any(|it| it.eq_ignore_ascii_case(first)))
}
