//! A search by meaning, or by words and meaning.

use std::collections::BTreeMap;

use svc_contract::{
    registry::{Cx, OpError},
    value::Value,
};
use svc_text::language::Language;
use tantivy::{
    DocAddress,
    query::{AllQuery, ConstScoreQuery, EmptyQuery, Query},
};

use super::{
    super::{
        Mode, Syntax,
        notices::Notices,
        place::{Place, Snapshot},
        query::Words,
        rank::{self, Found, Ranked},
        trouble::Trouble,
        vectors::Meaning,
    },
    Job, Search, Wanted, excluded,
};
use crate::meaning::{Given, Space, spread};

/// How many of the best documents by words, and how many by meaning, are fused.
const DEEPEST: usize = 1_000;

/// Every document is more or less near to a query. Those that are sorted by a field or counted are
/// this many.
const NEAREST: usize = 100;

/// What a search compares, and the model for meaning.
pub(in super::super) struct How {
    pub(in super::super) mode: Mode,
    pub(in super::super) model: Option<Given>,
    /// How much meaning counts next to words.
    pub(in super::super) weight: f64,
}

impl Search {
    /// Reads the model, if the search needs one.
    pub(super) fn space(&self, cx: &Cx) -> Result<Option<Space>, OpError> {
        let (mode, syntax) = match self.how.mode {
            Mode::Words if self.how.model.is_none() => return Ok(None),
            Mode::Words => {
                let message = "`model` does nothing with `mode: \"words\"`";
                return Err(OpError::invalid_input(message).help("add `mode: \"both\"`"));
            }
            Mode::Meaning => ("meaning", self.syntax),
            Mode::Both => ("both", self.syntax),
        };
        if syntax == Syntax::Query {
            let message = format!(
                "expected `syntax: \"words\"` with `mode: \"{mode}\"`, found `syntax: \"query\"`"
            );
            return Err(OpError::invalid_input(message).help("exclude documents with `where`"));
        }
        let model = self.how.model.as_ref().ok_or_else(|| {
            let message = format!("missing argument `model`, which `mode: \"{mode}\"` needs");
            OpError::invalid_input(message)
                .help("give the folder of a sentence encoder, or what `vectors.learn` returned")
        })?;
        let is_needed = !self.query.trim().is_empty();
        is_needed.then(|| model.read(cx)).transpose()
    }
}

impl Job<'_> {
    pub(super) fn by_meaning(
        &self,
        there: &Snapshot,
        place: Option<&Place>,
        space: &Space,
        languages: &[Language],
        notices: &Notices,
    ) -> Result<Vec<Value>, Trouble> {
        let (cx, text) = (self.cx, &self.search.query);
        let words = Words::of(text, languages);
        let by_words = words.query(&there.searcher, &self.search.weights)?;
        let everything = ConstScoreQuery::new(Box::new(AllQuery), 0.0);
        let mut all = rank::all(cx, there, &everything, self.conditions())?;
        Meaning { cx, there, place, space, notices }.score(text, &mut all.found.ranked)?;
        let (deepest, is_ranked) = match &self.search.wanted {
            Wanted::Hits { most, order: None, .. } => (DEEPEST.max(*most), true),
            Wanted::Hits { most, .. } => (NEAREST.max(*most), false),
            Wanted::Counts { .. } => (NEAREST, false),
        };
        rank::keep_best(&mut all.found.ranked, deepest);
        if self.search.how.mode == Mode::Both
            && let Some(query) = &by_words
        {
            let mut found = rank::all(cx, there, query.as_ref(), self.conditions())?.found;
            if is_ranked {
                found.raise(cx, there, &words.sequence, deepest, &self.search.weights)?;
                rank::keep_best(&mut found.ranked, deepest);
            }
            all.found.ranked = fused(found.ranked, all.found.ranked, self.search.how.weight);
        }
        let found = match &self.search.wanted {
            Wanted::Hits { most, order, .. } => {
                let excluded = all.found.excluded;
                Found { ranked: all.best(there, *most, order.as_ref())?, excluded }
            }
            Wanted::Counts { .. } => all.found,
        };
        if found.ranked.is_empty() {
            excluded(&found, notices);
        }
        let by_words: &dyn Query = by_words.as_deref().unwrap_or(&EmptyQuery);
        self.result(there, by_words, &found)
    }
}

/// Adds the scores of both rankings, each mapped to 0..1. A document that one of them lacks is
/// there like its last one.
fn fused(words: Vec<Ranked>, meaning: Vec<Ranked>, weight: f64) -> Vec<Ranked> {
    let mut all: BTreeMap<DocAddress, Ranked> = BTreeMap::new();
    for (list, weight) in [(words, 1.0 - weight), (meaning, weight)] {
        let scores: Vec<f64> = list.iter().map(|it| it.score).collect();
        for (mut ranked, score) in list.into_iter().zip(spread(&scores)) {
            ranked.score = 0.0;
            all.entry(ranked.doc).or_insert(ranked).score += weight * score;
        }
    }
    for it in all.values_mut() {
        it.score = (it.score * 1e4).round() / 1e4;
    }
    all.into_values().collect()
}
