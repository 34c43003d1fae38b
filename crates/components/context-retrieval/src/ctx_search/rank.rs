//! Finds the best documents for a query, in an order that depends on the documents and the query
//! only.

use std::{cell::OnceCell, cmp::Ordering, collections::HashMap, io, sync::Arc};

use svc_contract::registry::Cx;
use tantivy::{
    DocAddress, DocId, Score, Searcher, SegmentOrdinal, SegmentReader, TantivyError, Term,
    collector::{Collector, SegmentCollector},
    query::{Bm25StatisticsProvider, Query},
    schema::{Field, IndexRecordOption},
};

use super::{
    feedback,
    meta::{Condition, Order, Segment},
    near::{self, Sequence},
    place::Snapshot,
    schema::fields,
    trouble::Trouble,
    weights::Weights,
};

/// A document with its score.
pub(super) struct Ranked {
    pub(super) score: f64,
    pub(super) doc: DocAddress,
    /// Its value of the field by which documents are sorted.
    key: Option<u64>,
}

/// Which of the documents with the words are wanted, and in which order.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted<'a> {
    pub(super) condition: Option<&'a Condition>,
    pub(super) order: Option<&'a Order>,
    /// The words of the query, whose places in the best documents count.
    pub(super) sequence: Option<&'a Sequence>,
    pub(super) weights: Weights,
}

/// The documents that were found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) ranked: Vec<Ranked>,
    /// How many documents with the words do not fulfil the conditions.
    pub(super) excluded: u64,
}

/// Returns the `most` best documents: by field if there is an order, then by score, id, file and
/// position.
pub(super) fn best(
    cx: &Cx,
    there: &Snapshot,
    query: &dyn Query,
    most: usize,
    wanted: Wanted<'_>,
) -> Result<Found, Trouble> {
    let mut all = all(cx, there, query, wanted)?;
    if let (None, Some(sequence)) = (wanted.order, wanted.sequence) {
        all.found.raise(cx, there, sequence, most, &wanted.weights)?;
    }
    let excluded = all.found.excluded;
    Ok(Found { ranked: all.best(there, most, wanted.order)?, excluded })
}

/// All documents that are found, in any order.
pub(super) struct All {
    segments: Arc<[Segment]>,
    pub(super) found: Found,
}

/// Returns all documents that are found.
pub(super) fn all(
    cx: &Cx,
    there: &Snapshot,
    query: &dyn Query,
    wanted: Wanted<'_>,
) -> Result<All, Trouble> {
    let searcher = &there.searcher;
    let readers = searcher.segment_readers().iter();
    let segment = |it| Segment::of(it, &there.manifest, wanted.condition, wanted.order);
    let segments: Arc<[Segment]> = readers.map(segment).collect::<Result<_, _>>()?;
    let statistics = Alive { searcher, tokens: OnceCell::new() };
    let wanted = Everything { segments: segments.clone() };
    let found = searcher.search_with_statistics_provider(query, &wanted, &statistics)?;
    cx.check()?;
    Ok(All { segments, found })
}

impl Found {
    /// Keeps the `most` best documents and those that may be among them, and raises those in which
    /// words of the query that follow each other are close together, or words come early. With
    /// feedback, also those like the best ones, and those like others with high scores.
    pub(super) fn raise(
        &mut self,
        cx: &Cx,
        there: &Snapshot,
        sequence: &Sequence,
        most: usize,
        weights: &Weights,
    ) -> Result<(), Trouble> {
        keep_best(&mut self.ranked, most.max(near::EXAMINED + 1));
        sequence.raise(cx, &there.searcher, weights, &mut self.ranked)?;
        if weights.feedback.is_off() {
            return Ok(());
        }
        feedback::apply(cx, there, weights.feedback, &mut self.ranked)
    }
}

impl All {
    /// The `most` best of them, in order.
    pub(super) fn best(
        self,
        there: &Snapshot,
        most: usize,
        order: Option<&Order>,
    ) -> Result<Vec<Ranked>, Trouble> {
        let Self { segments, found } = self;
        let mut found = found.ranked;
        match order {
            Some(order) => found = order::best(found, &segments, order, most)?,
            None => keep_best(&mut found, most),
        }
        let (mut keyed, mut values) = (Vec::new(), order::Values::new(&segments));
        for ranked in found {
            keyed.push((values.of(&ranked)?, key(there, ranked.doc)?, ranked));
        }
        keyed.sort_unstable_by(|(value, key, a), (other_value, other, b)| {
            let by_field = order.map(|it| it.compare(value.as_ref(), other_value.as_ref()));
            let by_score = || b.score.total_cmp(&a.score).then_with(|| key.cmp(other));
            by_field.unwrap_or(Ordering::Equal).then_with(by_score)
        });
        keyed.truncate(most);
        Ok(keyed.into_iter().map(|it| it.2).collect())
    }
}

/// Drops documents with a lower score than the one at index `most`; its equals stay.
pub(super) fn keep_best(found: &mut Vec<Ranked>, most: usize) {
    keep_first(found, most, |a, b| b.score.total_cmp(&a.score));
}

/// Drops documents behind the one at index `most`; its equals stay.
fn keep_first(
    found: &mut Vec<Ranked>,
    most: usize,
    mut compare: impl FnMut(&Ranked, &Ranked) -> Ordering,
) {
    let Some(last) = most.checked_sub(1).filter(|it| *it < found.len()) else { return };
    let (_, cut, _) = found.select_nth_unstable_by(last, &mut compare);
    let worst = Ranked { ..*cut };
    found.retain(|it| compare(it, &worst).is_le());
}

/// The scores and addresses of the `most` best documents, in order.
pub(super) fn first(
    there: &Snapshot,
    found: &mut [Ranked],
    most: usize,
) -> Result<Vec<(f64, DocAddress)>, Trouble> {
    found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    let last = found.get(most.saturating_sub(1)).map_or(f64::NEG_INFINITY, |it| it.score);
    let end = found.partition_point(|it| it.score >= last);
    // Only equal scores need their keys, which take a while to be read.
    for equal in found[..end].chunk_by_mut(|a, b| a.score.total_cmp(&b.score).is_eq()) {
        if equal.len() > 1 {
            let mut keys = HashMap::new();
            for it in equal.iter() {
                keys.insert(it.doc, key(there, it.doc)?);
            }
            equal.sort_by(|a, b| keys[&a.doc].cmp(&keys[&b.doc]));
        }
    }
    Ok(found[..end.min(most)].iter().map(|it| (it.score, it.doc)).collect())
}

/// The order of documents with equal scores.
fn key(there: &Snapshot, doc: DocAddress) -> Result<(String, String, u64), Trouble> {
    let columns = there.searcher.segment_reader(doc.segment_ord).fast_fields();
    let text = |name: &str| -> Result<String, TantivyError> {
        let mut text = String::new();
        if let Some(column) = columns.str(name)?
            && let Some(ord) = column.term_ords(doc.doc_id).next()
        {
            column.ord_to_str(ord, &mut text)?;
        }
        Ok(text)
    };
    let place = columns.u64("start")?.first(doc.doc_id).unwrap_or(0);
    let file = text("file")?;
    let start = there.manifest.position(&file, place);
    Ok((text("id")?, file, start))
}

/// Statistics of the existing documents. tantivy's own statistics include removed documents until
/// their segment is merged, so scores would depend on the history of an index.
struct Alive<'a> {
    searcher: &'a Searcher,
    tokens: OnceCell<u64>,
}

impl Bm25StatisticsProvider for Alive<'_> {
    fn total_num_tokens(&self, _: Field) -> tantivy::Result<u64> {
        if let Some(tokens) = self.tokens.get() {
            return Ok(*tokens);
        }
        let tokens = tokens(self.searcher)?;
        Ok(*self.tokens.get_or_init(|| tokens))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.searcher.num_docs())
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        Ok(doc_freq(self.searcher, term)?)
    }
}

/// The number of existing documents with a term.
pub(super) fn doc_freq(searcher: &Searcher, term: &Term) -> io::Result<u64> {
    let mut sum: u64 = 0;
    for segment in searcher.segment_readers() {
        sum += u64::from(doc_freq_in(segment, term)?);
    }
    Ok(sum)
}

fn doc_freq_in(segment: &SegmentReader, term: &Term) -> io::Result<u32> {
    let index = segment
        .inverted_index(term.field())
        .map_err(|err| io::Error::new(io::ErrorKind::InvalidData, err))?;
    let Some(alive) = segment.alive_bitset() else { return index.doc_freq(term) };
    let postings = index.read_postings(term, IndexRecordOption::Basic)?;
    Ok(postings.map_or(0, |it| it.doc_freq_given_deletes(alive)))
}

/// The number of words of all documents, each counted to the precision that BM25 uses.
fn tokens(searcher: &Searcher) -> tantivy::Result<u64> {
    let mut sum: u64 = 0;
    for segment in searcher.segment_readers() {
        let norms = segment.get_fieldnorms_reader(fields().body)?;
        sum += segment.doc_ids_alive().map(|it| u64::from(norms.fieldnorm(it))).sum::<u64>();
    }
    Ok(sum)
}

/// Collects all matching documents that fulfil the conditions.
struct Everything {
    segments: Arc<[Segment]>,
}

struct InSegment {
    segment: SegmentOrdinal,
    all: Arc<[Segment]>,
    found: Found,
}

impl Collector for Everything {
    type Fruit = Found;
    type Child = InSegment;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        _: &SegmentReader,
    ) -> tantivy::Result<InSegment> {
        Ok(InSegment { segment, all: self.segments.clone(), found: Found::default() })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Found>) -> tantivy::Result<Found> {
        let mut all = Found::default();
        for found in fruits {
            all.excluded += found.excluded;
            all.ranked.extend(found.ranked);
        }
        Ok(all)
    }
}

impl SegmentCollector for InSegment {
    type Fruit = Found;

    fn collect(&mut self, doc: DocId, score: Score) {
        let Some(segment) = self.all.get(self.segment as usize) else { return };
        if !segment.holds(doc) {
            self.found.excluded += 1;
            return;
        }
        let score = rounded(f64::from(score));
        let key = segment.sorted.as_ref().and_then(|it| it.key(doc));
        let doc = DocAddress::new(self.segment, doc);
        self.found.ranked.push(Ranked { score, doc, key });
    }

    fn harvest(self) -> Found {
        self.found
    }
}

/// A sum of floats depends on the order of its terms, which differs between segments: rounded,
/// equal documents have equal scores.
pub(super) fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// The order of documents by a field.
mod order {
    use super::{HashMap, Order, Ranked, Segment, Trouble, keep_first};

    /// Drops documents that are not among the `most` first; the equals of the last one stay.
    pub(super) fn best(
        found: Vec<Ranked>,
        segments: &[Segment],
        order: &Order,
        most: usize,
    ) -> Result<Vec<Ranked>, Trouble> {
        let mut of_segments: Vec<Vec<Ranked>> = segments.iter().map(|_| Vec::new()).collect();
        for ranked in found {
            of_segments[ranked.doc.segment_ord as usize].push(ranked);
        }
        let by_score = |a: &Ranked, b: &Ranked| b.score.total_cmp(&a.score);
        let mut values = Values::new(segments);
        let mut all = Vec::new();
        for mut found in of_segments {
            keep_first(&mut found, most, |a, b| {
                order.compare(a.key.as_ref(), b.key.as_ref()).then_with(|| by_score(a, b))
            });
            for ranked in &found {
                values.of(ranked)?;
            }
            all.extend(found);
        }
        keep_first(&mut all, most, |a, b| {
            order.compare(values.known(a), values.known(b)).then_with(|| by_score(a, b))
        });
        Ok(all)
    }

    /// The values by which documents are sorted, each read once.
    pub(super) struct Values<'a> {
        segments: &'a [Segment],
        known: HashMap<(u32, u64), Vec<u8>>,
    }

    impl<'a> Values<'a> {
        pub(super) fn new(segments: &'a [Segment]) -> Self {
            Self { segments, known: HashMap::new() }
        }

        pub(super) fn of(&mut self, ranked: &Ranked) -> Result<Option<Vec<u8>>, Trouble> {
            let Some(key) = ranked.key else { return Ok(None) };
            if let Some(known) = self.known(ranked) {
                return Ok(Some(known.clone()));
            }
            let segment = ranked.doc.segment_ord;
            let sorted = self.segments.get(segment as usize).and_then(|it| it.sorted.as_ref());
            let value = sorted.map(|it| it.value(key)).transpose()?.unwrap_or_default();
            self.known.insert((segment, key), value.clone());
            Ok(Some(value))
        }

        fn known(&self, ranked: &Ranked) -> Option<&Vec<u8>> {
            self.known.get(&(ranked.doc.segment_ord, ranked.key?))
        }
    }
}
