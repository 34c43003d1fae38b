//! How many documents have each value of a field.

use std::collections::BTreeMap;

use svc_contract::value::Value;
use tantivy::DocAddress;

use super::{
    super::{place::Snapshot, trouble::Trouble},
    facts::{self, Kind},
    field::Field,
};

/// The values of a field with the number of documents that have them, the most frequent first.
pub(in super::super) struct Counts {
    pub(in super::super) values: Vec<(Value, u64)>,
    /// The number of documents without a value.
    pub(in super::super) missing: u64,
}

impl Counts {
    /// Counts the values in these documents.
    pub(in super::super) fn of(
        there: &Snapshot,
        path: &str,
        docs: impl Iterator<Item = DocAddress>,
    ) -> Result<Self, Trouble> {
        let mut by_segment: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for doc in docs {
            by_segment.entry(doc.segment_ord).or_default().push(doc.doc_id);
        }
        let (mut all, mut missing) = (BTreeMap::<Vec<u8>, u64>::new(), 0);
        for (segment, docs) in by_segment {
            let segment = there.searcher.segment_reader(segment);
            let field = Field::of(segment, &there.manifest, path)?;
            // A text that is a date has both facts, and is counted once.
            let kinds = [Kind::Bool, Kind::Number, Kind::Text];
            let kinds = kinds.map(|it| field.keys(&facts::of_field(path, Some(it))));
            let kinds = kinds.into_iter().collect::<Result<Vec<_>, _>>()?;
            let mut counts = BTreeMap::<u64, u64>::new();
            for doc in docs {
                let mut is_missing = true;
                field.each(doc, |key| {
                    if kinds.iter().any(|it| it.contains(&key)) {
                        is_missing = false;
                        *counts.entry(key).or_default() += 1;
                    }
                });
                missing += u64::from(is_missing);
            }
            for (key, count) in counts {
                *all.entry(field.fact(key)?).or_default() += count;
            }
        }
        let mut values: Vec<_> = all.into_iter().collect();
        // Equal counts keep the order of the values.
        values.sort_by_key(|it| std::cmp::Reverse(it.1));
        let value = |(fact, count): (Vec<u8>, u64)| Some((facts::read(&fact)?.1, count));
        Ok(Self { values: values.into_iter().filter_map(value).collect(), missing })
    }
}
