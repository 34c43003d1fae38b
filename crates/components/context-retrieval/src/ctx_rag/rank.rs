//! Scores passages against a question: BM25 (Robertson & Zaragoza 2009) over passages.

use std::collections::HashMap;

use svc_contract::value::Text;
use svc_text::{
    language,
    stems::{Term, Vocabulary},
};

use super::{passages::Passage, sources::Source};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A passage that is at least an eighth of its document has no score but that of the document.
const WHOLE: f64 = 8.0;

/// What the passages of a document that follow its best one lose, for each part of it that was
/// taken: half of a document says most of what the other half does.
const REPEATED: f64 = 1.4;

/// A passage of a document, as a candidate for selection.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The index of its document among the sources.
    pub source: usize,
    /// Its number in the document, from 1.
    pub number: usize,
    pub passage: Passage,
    /// The relevance, from 0 to 1.
    pub score: f64,
    counts: Counts,
}

/// How often a passage contains the words of a question.
#[derive(Clone, Debug)]
struct Counts {
    found: Vec<(Term, f64)>,
    words: f64,
    worth: f64,
}

/// How much what is not in a passage counts for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// How much a word of its title and headings counts, compared to its own.
    pub headings: f64,
    /// How much the score of its document counts, if that is long, from 0 to 1.
    pub document: f64,
}

/// The questions of all sources, as terms.
pub(super) struct Questions {
    of: HashMap<Text, Vec<Term>>,
    all: Vec<Term>,
    words: Vocabulary,
    around: Around,
}

impl Questions {
    pub(super) fn new(sources: &[Source], around: Around) -> Self {
        let mut words = Vocabulary::of(language::most(sources.iter().map(|it| it.text.as_ref())));
        let mut of = HashMap::new();
        for source in sources {
            of.entry(source.query.clone()).or_insert_with(|| words.question(&source.query));
        }
        let mut all: Vec<Term> = of.values().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        Self { of, all, words, around }
    }

    /// Reads a passage. The words of its title and headings count as its own.
    pub(super) fn read(
        &mut self,
        at: usize,
        source: &Source,
        number: usize,
        passage: Passage,
    ) -> Candidate {
        let body = source.text.get(passage.range.clone()).unwrap_or_default();
        let mut found: Vec<(Term, f64)> = self.all.iter().map(|it| (*it, 0.0)).collect();
        let mut words = 0.0;
        let heads = passage.headings.iter().map(AsRef::as_ref).chain([source.title.as_ref()]);
        let heads = heads.map(|it| (it, self.around.headings));
        for (text, weight) in heads.chain([(body, 1.0)]) {
            for word in self.words.read(text) {
                words += weight;
                if let Ok(idx) = self.all.binary_search(&word.term) {
                    found[idx].1 += weight;
                }
            }
        }
        found.retain(|(_, count)| *count > 0.0);
        let counts = Counts { found, words, worth: worth(body, passage.is_prose) };
        Candidate { source: at, number, passage, score: 0.0, counts }
    }

    /// Scores all passages, from 0 to 1 within a query.
    pub(super) fn score(&self, candidates: &mut [Candidate], sources: &[Source]) {
        let index = Index::new(candidates);
        let mut best: HashMap<&Text, f64> = HashMap::new();
        for candidate in candidates.iter_mut() {
            let source = &sources[candidate.source];
            let asked = self.of.get(&source.query).map_or(&[][..], Vec::as_slice);
            candidate.score = index.score(&candidate.counts, asked) * candidate.counts.worth;
            let most = best.entry(&source.query).or_default();
            *most = most.max(candidate.score);
        }
        for candidate in candidates.iter_mut() {
            let most = best.get(&sources[candidate.source].query).copied().unwrap_or_default();
            candidate.score = if most > 0.0 { candidate.score / most } else { 0.0 };
        }
        for own in candidates.chunk_by_mut(|a, b| a.source == b.source) {
            add_document(own, &sources[own[0].source], self.around.document);
        }
    }
}

/// Adds the score of their document to the scores of its passages, for at least this share.
///
/// The score of a document is better evidence than its words here: a search knows which words are
/// rare in all documents, and among those that it found none of the words of the question is. So it
/// counts for as much as the passage is of the document.
fn add_document(passages: &mut [Candidate], source: &Source, least: f64) {
    passages.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
    let mut rest = 1.0;
    for passage in passages.iter_mut().filter(|it| it.score > 0.0) {
        let share = passage.share_of(source);
        let of_document = least + (1.0 - least) * (WHOLE * share).min(1.0);
        let score = of_document * source.score + (1.0 - of_document) * passage.score;
        passage.score = score * rest;
        rest *= (1.0 - REPEATED * share).max(0.0);
    }
}

impl Candidate {
    /// The part of its document that it is, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a precise share is not needed")]
    fn share_of(&self, source: &Source) -> f64 {
        self.passage.range.len() as f64 / source.text.len().max(1) as f64
    }
}

/// The statistics of all passages that BM25 needs.
struct Index {
    idf: HashMap<Term, f64>,
    average: f64,
}

impl Index {
    #[expect(clippy::cast_precision_loss, reason = "counts of passages are small")]
    fn new(candidates: &[Candidate]) -> Self {
        let total = candidates.len() as f64;
        let mut df: HashMap<Term, f64> = HashMap::new();
        for (term, _) in candidates.iter().flat_map(|it| &it.counts.found) {
            *df.entry(*term).or_default() += 1.0;
        }
        let idf = |df: f64| ((total - df + 0.5) / (df + 0.5)).ln_1p();
        let words: f64 = candidates.iter().map(|it| it.counts.words).sum();
        Self {
            idf: df.into_iter().map(|(term, df)| (term, idf(df))).collect(),
            average: (words / total.max(1.0)).max(1.0),
        }
    }

    /// The BM25 score, lowered for a passage that has only some of the words that others have.
    fn score(&self, counts: &Counts, asked: &[Term]) -> f64 {
        let idf = |term: &Term| self.idf.get(term).copied().unwrap_or_default();
        let length = K1 * (1.0 - B + B * counts.words / self.average);
        let (mut sum, mut covered) = (0.0, 0.0);
        for (term, count) in &counts.found {
            if asked.binary_search(term).is_ok() {
                sum += idf(term) * count * (K1 + 1.0) / (count + length);
                covered += idf(term);
            }
        }
        let all: f64 = asked.iter().map(idf).sum();
        if all > 0.0 { sum * (covered / all).sqrt() } else { 0.0 }
    }
}

/// A factor below 1 for passages with little content of their own: lists of links, bare lines, code
/// without an explanation.
fn worth(passage: &str, is_prose: bool) -> f64 {
    let words = passage.split_whitespace().take(10_000).count();
    let links = passage.matches("](").count() + passage.matches("://").count();
    match words {
        0..5 => 0.4,
        _ if links * 4 >= words => 0.3,
        _ if !is_prose => 0.5,
        _ => 1.0,
    }
}
