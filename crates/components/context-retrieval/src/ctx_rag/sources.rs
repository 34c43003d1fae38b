//! The incoming hits, as documents to cut.

use std::collections::HashSet;

use svc_contract::{
    registry::{OpError, documents},
    value::{List, Record, Text, Value},
};
use svc_text::pages;

/// A hit whose text is searched. The snippet is not used: it may not have been created yet.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub id: Text,
    pub title: Text,
    pub path: Text,
    pub text: Text,
    /// The query that its passages should answer.
    pub query: Text,
    pub start: i64,
    pub end: i64,
    /// The page where the text starts, if it has pages.
    pub page: Option<i64>,
    /// The score, from 0 to 1 for the best hit of its query.
    pub score: f64,
    /// What its document says about itself, which its passages keep.
    pub meta: Value,
}

/// Returns the hits with text, without duplicates, the best of a query first.
pub(super) fn sources(hits: &List, query: Option<&Text>) -> Result<Vec<Source>, OpError> {
    let mut found = Vec::with_capacity(hits.len());
    for record in documents::records(hits) {
        let record = record?;
        found.push(source(record, query));
    }
    found.sort_by(|a, b| {
        a.query.cmp(&b.query).then(b.score.total_cmp(&a.score)).then_with(|| a.id.cmp(&b.id))
    });
    let mut seen = HashSet::new();
    found.retain(|it| {
        let key = (it.query.clone(), it.path.clone(), it.id.clone(), it.start, it.end);
        !it.text.trim().is_empty() && seen.insert(key)
    });
    scale(&mut found);
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(found)
}

/// Reads a hit or a document.
pub(super) fn source(record: &Record, query: Option<&Text>) -> Source {
    let text = |name| match record.get(name) {
        Some(Value::Text(it) | Value::Path(it)) => it.clone(),
        _ => Text::default(),
    };
    let int = |name| match record.get(name) {
        Some(Value::Int(it)) => *it,
        _ => 0,
    };
    let page = match record.get("page") {
        Some(Value::Int(page)) => Some(*page),
        _ => None,
    };
    let page = pages::first(page, &text("id"), &text("path"), &text("text"));
    Source {
        id: text("id"),
        title: text("title"),
        path: text("path"),
        text: text("text"),
        page,
        query: query.cloned().unwrap_or_else(|| text("query")),
        start: int("start"),
        end: int("end"),
        score: score(record),
        meta: record.get("meta").cloned().unwrap_or_default(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
fn score(record: &Record) -> f64 {
    match record.get("score") {
        Some(Value::Float(it)) if it.is_finite() => *it,
        Some(Value::Int(it)) => *it as f64,
        _ => 0.0,
    }
}

/// Scales the scores of each query, so that its best document has 1. Without scores, all have.
fn scale(sources: &mut [Source]) {
    for group in sources.chunk_by_mut(|a, b| a.query == b.query) {
        let most = group.iter().map(|it| it.score).fold(0.0, f64::max);
        for it in group {
            it.score = if most > 0.0 { (it.score / most).max(0.0) } else { 1.0 };
        }
    }
}

impl Source {
    /// The page of a position of the text.
    pub(super) fn page_at(&self, at: usize) -> Option<i64> {
        self.page.map(|first| pages::at(first, &self.text, at))
    }

    /// The position of the passage at `start..end` of the text: in the file if the text is the
    /// file's own bytes, otherwise in the document's text.
    pub(super) fn place(&self, start: usize, end: usize) -> (i64, i64) {
        let is_aligned = usize::try_from(self.end.saturating_sub(self.start))
            .is_ok_and(|len| len == self.text.len());
        let first = if is_aligned { self.start } else { 0 };
        let place = |it: usize| first.saturating_add(i64::try_from(it).unwrap_or(i64::MAX));
        (place(start), place(end))
    }
}
