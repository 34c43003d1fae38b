//! The order of hits by a field.

use std::{cmp::Ordering, ops::Range};

use svc_contract::registry::OpError;
use tantivy::{DocId, SegmentReader};

use super::{
    super::{manifest::Manifest, trouble::Trouble},
    facts::{self, Kind},
    field::Field,
    unnamed,
};

/// An order by the values of a field. Documents without one are last.
#[derive(Clone, Debug)]
pub(in super::super) struct Order {
    pub(in super::super) path: String,
    is_descending: bool,
}

impl Order {
    /// Reads the argument `sort`: the name of a field, with a `-` before it for the reverse.
    pub(in super::super) fn of(text: &str) -> Result<Self, OpError> {
        let text = text.trim();
        let path = text.strip_prefix('-').unwrap_or(text);
        if path.is_empty() {
            return Err(unnamed("sort")
                .help("write `sort: \"date\"`, or `sort: \"-date\"` for the latest first"));
        }
        Ok(Self { path: path.to_owned(), is_descending: path.len() < text.len() })
    }

    pub(super) fn of_segment(
        &self,
        segment: &SegmentReader,
        manifest: &Manifest,
    ) -> Result<Sorted, Trouble> {
        let field = Field::of(segment, manifest, &self.path)?;
        // A text that is a date is also a text.
        let kinds = [Kind::Date, Kind::Number, Kind::Text, Kind::Bool];
        let kinds = kinds.map(|it| field.keys(&facts::of_field(&self.path, Some(it))));
        let kinds = kinds.into_iter().collect::<Result<_, _>>()?;
        Ok(Sorted { field, kinds, is_descending: self.is_descending })
    }

    /// Compares the keys or the values of two documents.
    pub(in super::super) fn compare<T: Ord>(&self, a: Option<&T>, b: Option<&T>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if self.is_descending => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
}

/// The order in a segment.
pub(in super::super) struct Sorted {
    field: Field,
    /// The keys of each kind, the most telling first.
    kinds: Vec<Range<u64>>,
    is_descending: bool,
}

impl Sorted {
    /// The key by which a document is sorted: of several values, the one that puts it first.
    pub(in super::super) fn key(&self, doc: DocId) -> Option<u64> {
        let mut best: Option<(usize, u64)> = None;
        self.field.each(doc, |key| {
            let Some(kind) = self.kinds.iter().position(|it| it.contains(&key)) else { return };
            let is_better = best.is_none_or(|(known, value)| {
                let is_before = if self.is_descending { key > value } else { key < value };
                kind < known || kind == known && is_before
            });
            if is_better {
                best = Some((kind, key));
            }
        });
        best.map(|it| it.1)
    }

    /// The value of a key, which can be compared with that of another segment.
    pub(in super::super) fn value(&self, key: u64) -> Result<Vec<u8>, Trouble> {
        self.field.fact(key)
    }
}
