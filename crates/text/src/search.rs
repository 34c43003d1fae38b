//! Ranks pages against words: names, phrasings, a summary and details, each with a weight of its own.
//!
//! Words are compared by their stems. The score of a page is BM25F over its fields (Robertson,
//! Zaragoza and Taylor, 2004), plus how much of a phrasing the words cover, plus the pairs of
//! adjacent words in the order of the page. An unknown word is taken for the known one that differs
//! by one letter.

use std::collections::{BTreeSet, HashMap};

use super::stems::{Term, Vocabulary, words};

/// The number of fields.
const FIELDS: usize = 4;

/// How the parts of a score are weighed against each other.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// The weight of a word in each field.
    pub fields: [f64; FIELDS],
    /// How much the length of a field counts.
    pub lengths: [f64; FIELDS],
    /// How soon further occurrences count less.
    pub k1: f64,
    /// The weight of a stop word.
    pub stop: f64,
    /// The weight of the phrasing that fits best.
    pub phrase: f64,
    /// The weight of a pair of adjacent words.
    pub pair: f64,
    pub typo: f64,
    pub power: f64,
}

/// The weights by cross-validation on phrasings of people who had not seen those of the pages.
pub const WEIGHTS: Weights = Weights {
    fields: [4.0, 3.0, 1.5, 0.5],
    lengths: [0.3, 0.3, 0.5, 0.75],
    k1: 1.5,
    stop: 0.3,
    phrase: 1.0,
    pair: 0.5,
    typo: 0.6,
    power: 1.0,
};

/// What is found.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub names: String,
    /// Phrasings in which people ask for it.
    pub phrases: Vec<String>,
    pub summary: String,
    pub details: String,
}

/// The part of a page that contains a word, from the most to the least important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Name,
    Phrase,
    Summary,
    Details,
}

const ALL: [Field; FIELDS] = [Field::Name, Field::Phrase, Field::Summary, Field::Details];

/// A page that matches.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of the page.
    pub page: usize,
    /// Higher is better, comparable within one search.
    pub score: f64,
}

/// Pages, indexed.
pub struct Search {
    words: Vocabulary,
    weights: Weights,
    pages: usize,
    /// The pages with a word: how often it occurs in each field, relative to the field's length.
    occurrences: HashMap<Term, Vec<Occurrence>>,
    phrases: Vec<Phrase>,
    phrases_with: HashMap<Term, Vec<usize>>,
    pairs: HashMap<(Term, Term), BTreeSet<usize>>,
    known: Vec<Box<str>>,
}

struct Occurrence {
    page: usize,
    counts: [f64; FIELDS],
}

struct Phrase {
    page: usize,
    terms: BTreeSet<Term>,
    is_stop: HashMap<Term, bool>,
    weight: f64,
}

/// A word of a question.
#[derive(Clone, Debug)]
pub struct Asked {
    pub word: String,
    term: Term,
    weight: f64,
}

impl Search {
    pub fn of(pages: &[Page], weights: Weights) -> Self {
        let mut all = Self {
            words: Vocabulary::default(),
            weights,
            pages: pages.len(),
            occurrences: HashMap::new(),
            phrases: Vec::new(),
            phrases_with: HashMap::new(),
            pairs: HashMap::new(),
            known: Vec::new(),
        };
        let mut lengths = Vec::new();
        let mut known = BTreeSet::new();
        for (number, page) in pages.iter().enumerate() {
            lengths.push(all.add(number, page, &mut known));
        }
        all.known = known.into_iter().map(Into::into).collect();
        let total = f64::from(u32::try_from(pages.len().max(1)).unwrap_or(u32::MAX));
        let mut average = [0.0; FIELDS];
        for length in &lengths {
            for (sum, it) in average.iter_mut().zip(length) {
                *sum += it / total;
            }
        }
        for occurrence in all.occurrences.values_mut().flatten() {
            for field in 0..FIELDS {
                let b = weights.lengths[field];
                let relative = lengths[occurrence.page][field] / average[field].max(1.0);
                occurrence.counts[field] /= 1.0 - b + b * relative;
            }
        }
        for idx in 0..all.phrases.len() {
            let phrase = &all.phrases[idx];
            let weight = phrase
                .terms
                .iter()
                .map(|it| all.rarity(*it) * if phrase.is_stop[it] { weights.stop } else { 1.0 })
                .sum();
            all.phrases[idx].weight = weight;
        }
        all
    }

    fn add(&mut self, number: usize, page: &Page, known: &mut BTreeSet<String>) -> [f64; FIELDS] {
        let mut lengths = [0.0; FIELDS];
        let parts: [Vec<&str>; FIELDS] = [
            vec![&page.names],
            page.phrases.iter().map(String::as_str).collect(),
            vec![&page.summary],
            vec![&page.details],
        ];
        for (field, texts) in parts.iter().enumerate() {
            for text in texts {
                let text = folded(text);
                for range in words(&text) {
                    if text[range.clone()].len() > 3 {
                        known.insert(text[range].to_lowercase());
                    }
                }
                let read: Vec<_> = self.words.read(&text).collect();
                if field < 3 {
                    for pair in read.windows(2) {
                        self.pairs.entry((pair[0].term, pair[1].term)).or_default().insert(number);
                    }
                }
                for word in read.iter().filter(|it| field < 2 || !it.is_stop) {
                    lengths[field] += 1.0;
                    let all = self.occurrences.entry(word.term).or_default();
                    if all.last().is_none_or(|it| it.page != number) {
                        all.push(Occurrence { page: number, counts: [0.0; FIELDS] });
                    }
                    if let Some(last) = all.last_mut() {
                        last.counts[field] += 1.0;
                    }
                }
                if field == 1 {
                    let terms: BTreeSet<Term> = read.iter().map(|it| it.term).collect();
                    for term in &terms {
                        self.phrases_with.entry(*term).or_default().push(self.phrases.len());
                    }
                    let is_stop = read.iter().map(|it| (it.term, it.is_stop)).collect();
                    self.phrases.push(Phrase { page: number, terms, is_stop, weight: 0.0 });
                }
            }
        }
        lengths
    }

    fn rarity(&self, term: Term) -> f64 {
        let found = self.occurrences.get(&term).map_or(0, Vec::len);
        let (total, found) = (self.pages as f64, found as f64);
        ((total - found + 0.5) / (found + 0.5)).ln_1p()
    }

    fn asked(&self, question: &str) -> Vec<Asked> {
        let question = folded(question);
        let mut asked: Vec<Asked> = Vec::new();
        for range in words(&question) {
            let word = question[range].to_lowercase();
            let (known, share) = match self.words.known(&word) {
                Some(it) => (Some(it), 1.0),
                None => {
                    (self.corrected(&word).and_then(|it| self.words.known(it)), self.weights.typo)
                }
            };
            let Some((term, is_stop)) = known else { continue };
            let share = if is_stop { self.weights.stop } else { share };
            asked.push(Asked { word, term, weight: self.rarity(term) * share });
        }
        asked
    }

    fn corrected(&self, word: &str) -> Option<&str> {
        if word.len() < 5 || word.len() > 24 || !word.bytes().all(|it| it.is_ascii_lowercase()) {
            return None;
        }
        let mut near = self.known.iter().filter(|it| it[..1] == word[..1] && is_near(it, word));
        near.next().map(|it| &**it)
    }

    /// The pages that match, best first; ties in their order.
    pub fn find(&self, question: &str) -> Vec<Found> {
        let asked = self.asked(question);
        let mut scores: HashMap<usize, f64> = HashMap::new();
        let mut seen = BTreeSet::new();
        for it in asked.iter().filter(|it| seen.insert(it.term)) {
            for at in self.occurrences.get(&it.term).into_iter().flatten() {
                let count: f64 =
                    at.counts.iter().zip(self.weights.fields).map(|(n, w)| n * w).sum();
                *scores.entry(at.page).or_default() +=
                    it.weight * count / (self.weights.k1 + count);
            }
        }
        for pair in asked.windows(2) {
            for page in self.pairs.get(&(pair[0].term, pair[1].term)).into_iter().flatten() {
                *scores.entry(*page).or_default() +=
                    self.weights.pair * (pair[0].weight + pair[1].weight) / 2.0;
            }
        }
        let total: f64 = {
            let mut seen = BTreeSet::new();
            asked.iter().filter(|it| seen.insert(it.term)).map(|it| it.weight).sum()
        };
        let mut shared: HashMap<usize, f64> = HashMap::new();
        let mut seen = BTreeSet::new();
        for it in asked.iter().filter(|it| seen.insert(it.term)) {
            for phrase in self.phrases_with.get(&it.term).into_iter().flatten() {
                *shared.entry(*phrase).or_default() += it.weight;
            }
        }
        let mut best: HashMap<usize, f64> = HashMap::new();
        for (phrase, weight) in shared {
            let phrase = &self.phrases[phrase];
            let cover = 2.0 * weight / (total + phrase.weight).max(0.1);
            let fit = weight * cover.powf(self.weights.power);
            let all = best.entry(phrase.page).or_default();
            *all = all.max(fit);
        }
        for (page, fit) in best {
            *scores.entry(page).or_default() += self.weights.phrase * fit;
        }
        let mut found: Vec<Found> =
            scores.into_iter().map(|(page, score)| Found { page, score }).collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.page.cmp(&b.page)));
        found
    }
}

/// American and British spellings as one.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in words(text) {
        out.push_str(&text[at..range.start]);
        let word = text[range.clone()].to_lowercase();
        let ends = [
            ("ising", "izing"),
            ("ised", "ized"),
            ("ises", "izes"),
            ("isation", "ization"),
            ("ise", "ize"),
        ];
        match ends.iter().find_map(|(end, other)| Some((word.strip_suffix(end)?, other))) {
            Some((stem, other)) if stem.len() > 3 => {
                out.push_str(stem);
                out.push_str(other);
            }
            _ => out.push_str(&word),
        }
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Whether two words differ by one letter: an extra, missing or wrong one, or two swapped.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same..], &other[same..]);
    match (one, other) {
        ([a, b, rest @ ..], [c, d, others @ ..]) if a == d && b == c => rest == others,
        _ => {
            let (longer, shorter) =
                if one.len() >= other.len() { (one, other) } else { (other, one) };
            let is_wrong = one.len() == other.len() && one.get(1..) == other.get(1..);
            is_wrong || (longer.len() == shorter.len() + 1 && longer.get(1..) == Some(shorter))
        }
    }
}
