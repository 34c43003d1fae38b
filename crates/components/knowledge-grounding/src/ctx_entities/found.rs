//! Pieces of a text that may be entities, and the choice among those that overlap.

use std::{cmp::Reverse, ops::Range};

use svc_contract::{
    registry::{Cx, OpError, documents::Entity},
    value::Text,
};

/// How a piece was found. Later ones give way to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A checksum or a form that means nothing else, such as a mail address.
    Sure,
    /// A list of the user's.
    List,
    Model,
    Pattern,
    Shape,
}

/// A piece of a text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub range: Range<usize>,
    pub kind: Text,
    pub score: f64,
    pub source: Source,
    pub id: Option<Text>,
}

impl Found {
    pub(super) fn new(range: Range<usize>, kind: &'static str, score: f64, source: Source) -> Self {
        Self { range, kind: kind.into(), score, source, id: None }
    }

    pub(super) fn entity(self, text: &str) -> Entity {
        let place = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        Entity {
            text: text.get(self.range.clone()).unwrap_or_default().into(),
            r#type: self.kind,
            start: place(self.range.start),
            end: place(self.range.end),
            score: self.score,
            id: self.id,
        }
    }
}

/// The pieces in the order of the text. Of two that overlap, the surer one stays, and then the longer
/// one; a name that contains one of a list stays instead of it.
pub(super) fn without_overlaps(mut all: Vec<Found>, cx: &Cx) -> Result<Vec<Found>, OpError> {
    cx.check()?;
    all.retain(|it| !it.range.is_empty());
    all.sort_by(|a, b| {
        a.source
            .cmp(&b.source)
            .then_with(|| Reverse(a.range.len()).cmp(&Reverse(b.range.len())))
            .then_with(|| b.score.total_cmp(&a.score))
            .then_with(|| a.range.start.cmp(&b.range.start))
            .then_with(|| a.kind.cmp(&b.kind))
    });
    let mut kept: std::collections::BTreeMap<usize, Found> = std::collections::BTreeMap::new();
    for it in all {
        let before = kept.range(..it.range.end).next_back();
        if before.is_none_or(|(_, other)| other.range.end <= it.range.start) {
            kept.insert(it.range.start, it);
        }
    }
    cx.check()?;
    Ok(kept.into_values().collect())
}
