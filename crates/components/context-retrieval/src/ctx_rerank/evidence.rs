//! The evidence in a text for a question: which of its words occur, how often, and how close
//! together.

use std::collections::HashMap;

use svc_contract::registry::{Cx, OpError};
use svc_text::stems::{Term, Vocabulary};

/// The words at the beginning of a text, which say what it is about.
const BEGINNING: usize = 40;

/// The maximum number of words of a text that are read.
const MOST_WORDS: usize = 200_000;

/// The maximum number of pairs of neighbouring words of a question.
const MOST_PAIRS: usize = 64;

/// A question, prepared for the search.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Its distinct words.
    pub terms: Vec<Term>,
    /// Words that follow each other in it.
    pub pairs: Vec<(Term, Term)>,
}

/// The occurrences of a question's words in a hit.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    pub counts: HashMap<Term, f64>,
    pub in_title: Vec<Term>,
    /// For each pair, how often it occurs together; in order and adjacent counts more.
    pub together: Vec<f64>,
    /// The words of the question at the beginning of the text.
    pub early: Vec<Term>,
    /// The occurrences of all words, if they were requested.
    pub all: HashMap<Term, f64>,
    pub words: f64,
}

/// How hits are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Words up to this far apart count as being together.
    pub window: usize,
    /// Whether all words are counted, not only those of the question.
    pub all: bool,
}

impl Question {
    pub(super) fn new(text: &str, words: &mut Vocabulary) -> Self {
        let terms = words.question(text);
        let in_order: Vec<Term> =
            words.terms(text).into_iter().filter(|it| terms.binary_search(it).is_ok()).collect();
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        for pair in in_order.windows(2).map(|it| (it[0], it[1])) {
            if pair.0 != pair.1 && !pairs.contains(&pair) {
                pairs.push(pair);
            }
            if pairs.len() == MOST_PAIRS {
                break;
            }
        }
        Self { terms, pairs }
    }

    /// Reads a hit.
    pub(super) fn read(
        &self,
        title: &str,
        text: &str,
        reading: Reading,
        words: &mut Vocabulary,
        cx: &Cx,
    ) -> Result<Evidence, OpError> {
        /// A few milliseconds of work.
        const BETWEEN_CHECKS: usize = 4_096;
        cx.check()?;
        let mut evidence =
            Evidence { together: vec![0.0; self.pairs.len()], ..Evidence::default() };
        let is_asked = |it: &Term| self.terms.binary_search(it).is_ok();
        evidence.in_title = words.terms(title);
        evidence.in_title.retain(is_asked);
        evidence.in_title.sort_unstable();
        evidence.in_title.dedup();
        let mut places: Vec<(Term, usize)> = Vec::new();
        let both = [(title, false), (text, true)];
        let mut all = 0_usize;
        for (part, is_text) in both {
            for (idx, word) in words.read(part).take(MOST_WORDS).enumerate() {
                all += 1;
                if reading.all && !word.is_stop {
                    *evidence.all.entry(word.term).or_default() += 1.0;
                }
                if all.is_multiple_of(BETWEEN_CHECKS) {
                    cx.check()?;
                }
                if is_asked(&word.term) {
                    *evidence.counts.entry(word.term).or_default() += 1.0;
                    places.push((word.term, all));
                    if is_text && idx < BEGINNING {
                        evidence.early.push(word.term);
                    }
                }
            }
            // No pair extends across the end of the title.
            all += reading.window;
        }
        evidence.early.sort_unstable();
        evidence.early.dedup();
        #[expect(clippy::cast_precision_loss, reason = "texts have few words")]
        let words = all as f64;
        evidence.words = words;
        self.count_pairs(&places, reading.window, &mut evidence.together, cx)?;
        Ok(evidence)
    }

    fn count_pairs(
        &self,
        places: &[(Term, usize)],
        window: usize,
        together: &mut [f64],
        cx: &Cx,
    ) -> Result<(), OpError> {
        const BETWEEN_CHECKS: usize = 1_024;
        let known: HashMap<(Term, Term), usize> =
            self.pairs.iter().enumerate().map(|(idx, pair)| (*pair, idx)).collect();
        for (idx, (first, at)) in places.iter().enumerate() {
            if idx % BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            let near = places[idx + 1..].iter().take_while(|(_, it)| it - at <= window);
            for (second, place) in near {
                if let Some(pair) = known.get(&(*first, *second)) {
                    together[*pair] += if place - at <= 2 { 1.0 } else { 0.5 };
                } else if let Some(pair) = known.get(&(*second, *first)) {
                    together[*pair] += 0.5;
                }
            }
        }
        Ok(())
    }
}
