//! Finds the best documents for a query, in an order that depends on the documents and the query
//! only.

use std::io;

use svc_contract::registry::Cx;
use tantivy::{
    DocAddress, DocId, Score, Searcher, SegmentOrdinal, SegmentReader, TantivyError, Term,
    collector::{Collector, SegmentCollector},
    query::{Bm25StatisticsProvider, Query},
    schema::{Field, IndexRecordOption},
};

use super::{place::Snapshot, schema::fields, trouble::Trouble};

/// A document with its score.
pub(super) struct Ranked {
    pub(super) score: f64,
    pub(super) doc: DocAddress,
}

/// Returns the `most` best documents: by score, then id, file and position.
pub(super) fn best(
    cx: &Cx,
    there: &Snapshot,
    query: &dyn Query,
    most: usize,
) -> Result<Vec<Ranked>, Trouble> {
    let searcher = &there.searcher;
    let statistics = Alive { searcher, tokens: tokens(searcher)? };
    let mut found = searcher.search_with_statistics_provider(query, &Everything, &statistics)?;
    cx.check()?;
    keep_best(&mut found, most);
    let mut keyed = Vec::with_capacity(found.len());
    for ranked in found {
        keyed.push((key(there, ranked.doc)?, ranked));
    }
    keyed.sort_unstable_by(|(key, a), (other, b)| {
        b.score.total_cmp(&a.score).then_with(|| key.cmp(other))
    });
    keyed.truncate(most);
    Ok(keyed.into_iter().map(|(_, ranked)| ranked).collect())
}

/// Drops documents worse than the one at index `most`; its equals stay.
fn keep_best(found: &mut Vec<Ranked>, most: usize) {
    let Some(last) = most.checked_sub(1).filter(|it| *it < found.len()) else { return };
    let (_, cut, _) = found.select_nth_unstable_by(last, |a, b| b.score.total_cmp(&a.score));
    let worst = cut.score;
    found.retain(|it| it.score >= worst);
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
    tokens: u64,
}

impl Bm25StatisticsProvider for Alive<'_> {
    fn total_num_tokens(&self, _: Field) -> tantivy::Result<u64> {
        Ok(self.tokens)
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
fn tokens(searcher: &Searcher) -> Result<u64, Trouble> {
    let mut sum: u64 = 0;
    for segment in searcher.segment_readers() {
        let norms = segment.get_fieldnorms_reader(fields().body)?;
        sum += segment.doc_ids_alive().map(|it| u64::from(norms.fieldnorm(it))).sum::<u64>();
    }
    Ok(sum)
}

/// Collects all matching documents.
struct Everything;

struct InSegment {
    segment: SegmentOrdinal,
    found: Vec<Ranked>,
}

impl Collector for Everything {
    type Fruit = Vec<Ranked>;
    type Child = InSegment;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        _: &SegmentReader,
    ) -> tantivy::Result<InSegment> {
        Ok(InSegment { segment, found: Vec::new() })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Vec<Ranked>>) -> tantivy::Result<Vec<Ranked>> {
        Ok(fruits.into_iter().flatten().collect())
    }
}

impl SegmentCollector for InSegment {
    type Fruit = Vec<Ranked>;

    fn collect(&mut self, doc: DocId, score: Score) {
        // A sum of floats depends on the order of its terms, which differs between segments:
        // rounded, equal documents have equal scores.
        let score = (f64::from(score) * 1e4).round() / 1e4;
        self.found.push(Ranked { score, doc: DocAddress::new(self.segment, doc) });
    }

    fn harvest(self) -> Vec<Ranked> {
        self.found
    }
}
