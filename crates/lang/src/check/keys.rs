//! Keys of `where`, `sort` and `group` that call something slow.

use super::{Checker, Shape};
use crate::diag::{Code, Problem, Span};

/// A key that is being checked, and its calls that must be written as pipelines.
#[derive(Debug, Default)]
pub(super) struct OpenKey {
    pub(super) pipelines: Vec<(Span, String)>,
}

impl Checker<'_> {
    /// Reports a key that calls a slow component or a passed flow, with the stages that compute it
    /// first.
    pub(super) fn slow_key(&mut self, shape: Shape, key: Span, stage: Span, open: &OpenKey) {
        let word = shape.word();
        let Some(written) = self.key_as_value(key, open) else { return };
        let after = match shape {
            Shape::Where | Shape::Sort => "each { .item }",
            Shape::Group => "each { { key: .key, items: (.items >> each { .item }) } }",
        };
        let stages = |key: &str| {
            format!("each {{ {{ item: it, key: {key} }} }} >> {word} {{ .key }} >> {after}")
        };
        self.report(
            Problem::error(Code::E218, key, format!("`{word}` cannot call a slow component"))
                .label("runs for every item, without bounds")
                .help(format!("compute the key first: `{}`", stages("..")))
                .suggest(stage, stages(&written)),
        );
    }

    /// The text of a key, with its calls as pipelines.
    fn key_as_value(&self, key: Span, open: &OpenKey) -> Option<String> {
        let mut text = self.source.text().get(key.range())?.to_owned();
        let mut calls: Vec<_> = open.pipelines.iter().collect();
        // From the end, so that the places before stay true; a call inside another is part of it.
        calls.sort_by_key(|(span, _)| (std::cmp::Reverse(span.end), span.start));
        let mut last = key.end;
        for (span, pipeline) in calls {
            if span.start < key.start || span.end > last {
                continue;
            }
            text.replace_range(span.start - key.start..span.end - key.start, pipeline);
            last = span.start;
        }
        Some(text)
    }
}
