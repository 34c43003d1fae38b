//! Where the words of a query are in the best documents. Words that follow each other in the query
//! count more where they are close together (the sequential dependence model of Metzler & Croft
//! 2005), and each counts more the earlier it first occurs (chronological term rank, Troy & Zhang
//! 2007): titles and first sentences say what a document is about.

use svc_contract::registry::Cx;
use tantivy::{
    DocId, DocSet as _, Searcher, SegmentReader, Term,
    postings::{Postings as _, SegmentPostings},
    schema::IndexRecordOption,
};

use super::{
    query::rarity,
    rank::{self, Ranked},
    schema::fields,
    score::{Lengths, Mean},
    trouble::Trouble,
    weights::Weights,
};

/// Words up to this far apart are close together.
const WINDOW: u32 = 8;

/// After this many words, a word counts 1/e of the first one.
const BEGINNING: f32 = 10.0;

/// The number of best documents whose words are examined.
pub(super) const EXAMINED: usize = 200;

/// The maximum number of pairs of a query, and of occurrences of a word in a document.
const MOST_PAIRS: usize = 64;
const MOST_OCCURRENCES: usize = 1_000;

/// The words of a query, and which of them follow each other.
#[derive(Default)]
pub(super) struct Sequence {
    /// The words, each as its stems.
    words: Vec<Vec<String>>,
    /// The indexes of two words.
    pairs: Vec<(usize, usize)>,
}

impl Sequence {
    /// Adds the next word of a query.
    pub(super) fn push(&mut self, last: Option<usize>, stems: &[String]) -> Option<usize> {
        if self.pairs.len() == MOST_PAIRS {
            return None;
        }
        let known = self.words.iter().position(|it| it == stems);
        let idx = known.unwrap_or_else(|| {
            self.words.push(stems.to_vec());
            self.words.len() - 1
        });
        if let Some(last) = last
            && last != idx
            && !self.pairs.contains(&(last, idx))
        {
            self.pairs.push((last, idx));
        }
        Some(idx)
    }

    /// Raises the scores of the best documents by what the places of the words are worth.
    pub(super) fn raise(
        &self,
        cx: &Cx,
        searcher: &Searcher,
        weights: &Weights,
        found: &mut [Ranked],
    ) -> Result<(), Trouble> {
        if self.words.is_empty() || found.is_empty() {
            return Ok(());
        }
        let best = examined(found);
        let mean = Mean::of(searcher)?;
        let mut rarities = Vec::with_capacity(self.words.len());
        for stems in &self.words {
            let mut found = 0;
            for stem in stems {
                found += rank::doc_freq(searcher, &term(stem))?;
            }
            rarities.push(rarity(searcher, found));
        }
        best.sort_unstable_by_key(|it| it.doc);
        for own in best.chunk_by_mut(|a, b| a.doc.segment_ord == b.doc.segment_ord) {
            let segment = searcher.segment_reader(own[0].doc.segment_ord);
            self.raise_in(cx, segment, mean, weights, &rarities, own)?;
        }
        Ok(())
    }

    /// Raises scores of documents of one segment, which are in its order.
    fn raise_in(
        &self,
        cx: &Cx,
        segment: &SegmentReader,
        mean: Mean,
        weights: &Weights,
        rarities: &[f32],
        found: &mut [Ranked],
    ) -> Result<(), Trouble> {
        let lengths = Lengths::of(segment, mean, *weights)?;
        let mut words = Vec::with_capacity(self.words.len());
        for stems in &self.words {
            words.push(Occurrences::of(segment, stems)?);
        }
        for ranked in found {
            cx.check()?;
            let doc = ranked.doc.doc_id;
            for it in &mut words {
                it.read(doc);
            }
            let early = words.iter().zip(rarities).map(|(it, rarity)| it.earliness() * rarity);
            let early = weights.title_boost * early.sum::<f32>();
            let mut sum = 0.0;
            for (first, second) in &self.pairs {
                let count = together(&words[*first].places, &words[*second].places);
                if count > 0.0 {
                    let rarity = rarities[*first].min(rarities[*second]);
                    sum += rarity * lengths.saturated(doc, count);
                }
            }
            let raised = f64::from(weights.proximity * sum + early);
            ranked.score = rank::rounded(ranked.score + raised);
        }
        Ok(())
    }
}

/// The best documents, and those as good as the last of them unless these are many.
fn examined(found: &mut [Ranked]) -> &mut [Ranked] {
    found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    let Some(last) = found.get(EXAMINED).map(|it| it.score) else { return found };
    let as_good = found.partition_point(|it| it.score >= last);
    let better = found.partition_point(|it| it.score > last);
    let many = as_good > 2 * EXAMINED;
    &mut found[..if many { better } else { as_good }]
}

fn term(stem: &str) -> Term {
    Term::from_field_text(fields().body, stem)
}

/// The occurrences of a word in a segment, document by document.
struct Occurrences {
    forms: Vec<SegmentPostings>,
    /// The places of the word in the current document.
    places: Vec<u32>,
}

impl Occurrences {
    fn of(segment: &SegmentReader, stems: &[String]) -> Result<Self, Trouble> {
        let index = segment.inverted_index(fields().body)?;
        let mut forms = Vec::new();
        for stem in stems {
            let option = IndexRecordOption::WithFreqsAndPositions;
            forms.extend(index.read_postings(&term(stem), option)?);
        }
        Ok(Self { forms, places: Vec::new() })
    }

    /// Reads the places in a document behind those before.
    fn read(&mut self, doc: DocId) {
        self.places.clear();
        for form in &mut self.forms {
            if form.doc() < doc {
                form.seek(doc);
            }
            if form.doc() == doc {
                form.append_positions_with_offset(0, &mut self.places);
            }
        }
        if self.forms.len() > 1 {
            self.places.sort_unstable();
        }
        self.places.truncate(MOST_OCCURRENCES);
    }

    /// How early the word first occurs in the current document: 1 if it is the first word, 0 if it
    /// does not occur.
    fn earliness(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a late place counts nothing")]
        self.places.first().map_or(0.0, |it| (-(*it as f32) / BEGINNING).exp())
    }
}

/// How often two words are together: those that follow each other, in order, count twice.
fn together(first: &[u32], second: &[u32]) -> f32 {
    let mut sum = 0.0;
    let mut from = 0;
    for place in first {
        from += second[from..].partition_point(|it| it + WINDOW < *place);
        for other in second[from..].iter().take_while(|it| **it <= place + WINDOW) {
            let is_next = *other > *place && other - place <= 2;
            sum += if is_next { 1.0 } else { 0.5 };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(word: &str) -> Vec<String> {
        vec![word.to_owned()]
    }

    #[test]
    fn neighbours_in_order_count_twice() {
        let counts = [
            together(&[1, 50], &[2]),
            together(&[2], &[1]),
            together(&[1], &[9]),
            together(&[1], &[10]),
            together(&[], &[1]),
        ];
        assert!(counts.iter().zip([1.0, 0.5, 0.5, 0.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-6));
    }

    #[test]
    fn pairs_of_a_query_are_distinct_and_few() {
        let mut sequence = Sequence::default();
        let mut last = None;
        for word in ["heat", "flow", "flow", "heat", "flow"] {
            last = sequence.push(last, &stems(word));
        }
        assert_eq!(sequence.pairs, [(0, 1), (1, 0)]);
        for idx in 0..10_000 {
            last = sequence.push(last, &stems(&idx.to_string()));
        }
        assert_eq!(sequence.pairs.len(), MOST_PAIRS);
    }

    #[test]
    fn the_first_occurrence_counts_the_more_the_earlier_it_is() {
        let at =
            |places: &[u32]| Occurrences { forms: Vec::new(), places: places.to_vec() }.earliness();
        assert!((at(&[0, 90]) - 1.0).abs() < 1e-6);
        assert!(at(&[1]) < at(&[0]) && at(&[10]) < at(&[1]) && at(&[100]) < 1e-3);
        assert!(at(&[]).abs() < f32::MIN_POSITIVE);
    }
}
