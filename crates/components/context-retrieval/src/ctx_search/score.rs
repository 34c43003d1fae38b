//! How much a word counts in a document: BM25 (Robertson & Zaragoza 2009).
//!
//! In the length of a document, numbers count a tenth. Tables, lists of references and dates are
//! mostly numbers: a text with one at its end says as much about its subject as without it.

use std::sync::Arc;

use tantivy::{
    DocId, DocSet, Score, Searcher, SegmentReader, TantivyError, Term,
    columnar::{Cardinality, ColumnValues},
    fieldnorm::FieldNormReader,
    postings::{Postings, SegmentPostings},
    query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight},
    schema::IndexRecordOption,
};

use super::{
    schema::{NUMBERS, fields},
    weights::Weights,
};

/// How much a number counts in the length of a document, compared to a word.
const NUMBER: f32 = 0.1;

/// The mean length of the documents of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean(f32);

impl Mean {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a mean")]
    pub(super) fn of(searcher: &Searcher) -> tantivy::Result<Self> {
        const AT_ONCE: usize = 1 << 10;
        let mut sum = 0.0_f64;
        let mut some = [0_u64; AT_ONCE];
        for segment in searcher.segment_readers() {
            let norms = segment.get_fieldnorms_reader(fields().body)?;
            let numbers = numbers_of(segment)?;
            let alive = segment.alive_bitset();
            for from in (0..segment.max_doc()).step_by(AT_ONCE) {
                let docs = from..segment.max_doc().min(from + AT_ONCE as u32);
                let some = &mut some[..docs.len()];
                numbers.get_range(u64::from(from), some);
                let both = docs.zip(some).filter(|it| alive.is_none_or(|all| all.is_alive(it.0)));
                let lengths = both.map(|(doc, numbers)| length(norms.fieldnorm(doc), *numbers));
                // A sum of each portion, so that it is exact enough.
                sum += f64::from(lengths.sum::<f32>());
            }
        }
        Ok(Self((sum / searcher.num_docs().max(1) as f64).max(1.0) as f32))
    }
}

fn numbers_of(segment: &SegmentReader) -> tantivy::Result<Arc<dyn ColumnValues<u64>>> {
    let column = segment.fast_fields().u64(NUMBERS)?;
    let is_full = column.get_cardinality() == Cardinality::Full;
    Ok(if is_full { column.values } else { column.first_or_default_col(0) })
}

/// The length of a document with so many words, and so many numbers in a thousand words.
#[expect(clippy::cast_precision_loss, reason = "lengths are not exact")]
fn length(words: u32, numbers: u64) -> f32 {
    words as f32 * (1.0 - (1.0 - NUMBER) / 1000.0 * numbers as f32)
}

/// The lengths of the documents of a segment, as BM25 uses them.
pub(super) struct Lengths {
    norms: FieldNormReader,
    numbers: Arc<dyn ColumnValues<u64>>,
    mean: Mean,
    weights: Weights,
}

impl Lengths {
    pub(super) fn of(
        segment: &SegmentReader,
        mean: Mean,
        weights: Weights,
    ) -> tantivy::Result<Self> {
        let norms = segment.get_fieldnorms_reader(fields().body)?;
        Ok(Self { norms, numbers: numbers_of(segment)?, mean, weights })
    }

    /// What `count` occurrences in a document are worth: less with each, and less in a long one.
    pub(super) fn saturated(&self, doc: DocId, count: f32) -> f32 {
        let Weights { k1, b, .. } = self.weights;
        let length = length(self.norms.fieldnorm(doc), self.numbers.get_val(doc));
        count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length / self.mean.0))
    }
}

/// The query for the documents with a word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) term: Term,
    /// The rarity of the word, times how often the query has it.
    pub(super) weight: f32,
    pub(super) mean: Mean,
    pub(super) weights: Weights,
}

impl Query for Word {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }

    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        visitor(&self.term, false);
    }
}

impl Weight for Word {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let index = segment.inverted_index(self.term.field())?;
        let Some(postings) = index.read_postings(&self.term, IndexRecordOption::WithFreqs)? else {
            return Ok(Box::new(EmptyScorer));
        };
        let lengths = Lengths::of(segment, self.mean, self.weights)?;
        Ok(Box::new(Occurrences { postings, lengths, weight: self.weight * boost }))
    }

    fn explain(&self, segment: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        let mut scorer = self.scorer(segment, 1.0)?;
        if scorer.doc() > doc || scorer.seek(doc) != doc {
            let why = format!("document {doc} does not have the word");
            return Err(TantivyError::InvalidArgument(why));
        }
        Ok(Explanation::new("BM25", scorer.score()))
    }
}

/// The documents of a segment with a word.
struct Occurrences {
    postings: SegmentPostings,
    lengths: Lengths,
    weight: f32,
}

impl DocSet for Occurrences {
    fn advance(&mut self) -> DocId {
        self.postings.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.postings.seek(target)
    }

    fn doc(&self) -> DocId {
        self.postings.doc()
    }

    fn size_hint(&self) -> u32 {
        self.postings.size_hint()
    }
}

impl Scorer for Occurrences {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn score(&mut self) -> Score {
        let count = self.postings.term_freq() as f32;
        self.weight * self.lengths.saturated(self.postings.doc(), count)
    }
}
