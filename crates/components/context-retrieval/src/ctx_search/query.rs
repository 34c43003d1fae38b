//! Parses a query for the index.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
};

use svc_contract::registry::OpError;
use tantivy::{
    Searcher, Term,
    query::{BooleanQuery, BoostQuery, DisjunctionMaxQuery, Occur, Query, QueryParser, TermQuery},
    schema::{Field, IndexRecordOption},
};

use super::{
    analyzer, compounds, fallback,
    schema::{self, fields},
    syntax,
    trouble::Trouble,
};

/// How much a word in another word counts, compared to a word.
const INNER: f32 = 0.5;

/// The words of a query.
#[derive(Default)]
pub(super) struct Words {
    /// The stems to search the text for: how often each occurs, and its first word.
    stems: BTreeMap<String, (u16, String)>,
    /// The stems that a word of the query contains.
    inner: BTreeSet<String>,
    /// The stop words, if it has only such.
    stops: BTreeSet<String>,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut words = Self::default();
        let mut analyzer = analyzer::analyzer();
        let mut tokens = analyzer.token_stream(text);
        while let Some(token) = tokens.next() {
            let word = || text[token.offset_from..token.offset_to].to_owned();
            let entry = words.stems.entry(token.text.clone()).or_insert_with(|| (0, word()));
            entry.0 = entry.0.saturating_add(1);
        }
        let (stop_words, inner): (Vec<_>, Vec<_>) =
            compounds::inner(text).into_iter().partition(|it| it.is_stop_word);
        for inner in inner {
            let mut analyzer = analyzer::analyzer();
            let mut tokens = analyzer.token_stream(&inner.word);
            while let Some(token) = tokens.next() {
                words.inner.insert(token.text.clone());
            }
        }
        words.inner.retain(|it| !words.stems.contains_key(it));
        if words.stems.is_empty() {
            words.stops = stop_words.into_iter().map(|it| it.word).collect();
        }
        words
    }

    /// The query for any of the words, each counted as often as it occurs.
    pub(super) fn query(&self, searcher: &Searcher) -> Result<Option<Box<dyn Query>>, Trouble> {
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        for (stem, (count, word)) in &self.stems {
            any.push(either(searcher, term(fields().body, stem, f32::from(*count)), word)?);
        }
        any.extend(self.inner.iter().map(|it| term(fields().body, it, INNER)));
        let stop_words = self.stops.iter().filter_map(|it| compounds::term(it));
        any.extend(stop_words.map(|it| term(fields().inner, &it, 1.0)));
        Ok(any_of(any))
    }

    /// The query for the nearest indexed stems, and which were taken for which word.
    pub(super) fn nearest(&self, searcher: &Searcher) -> Result<Nearest, Trouble> {
        let mut taken = Vec::new();
        for (stem, (_, word)) in &self.stems {
            taken.push((word.clone(), fallback::nearest(searcher, stem)?));
        }
        taken.extend(self.stops.iter().map(|it| (it.clone(), Vec::new())));
        let stems = taken.iter().flat_map(|it| &it.1);
        let query = any_of(stems.map(|it| term(fields().body, it, 1.0)).collect());
        Ok(Nearest { query, taken })
    }
}

/// A query for other words.
pub(super) struct Nearest {
    pub(super) query: Option<Box<dyn Query>>,
    /// The words of the query, each with the stems that were taken for it.
    pub(super) taken: Vec<(String, Vec<String>)>,
}

fn any_of(queries: Vec<Box<dyn Query>>) -> Option<Box<dyn Query>> {
    let any: Vec<_> = queries.into_iter().map(|it| (Occur::Should, it)).collect();
    (!any.is_empty()).then(|| Box::new(BooleanQuery::new(any)) as _)
}

fn term(field: Field, stem: &str, weight: f32) -> Box<dyn Query> {
    let term = Term::from_field_text(field, stem);
    let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
    Box::new(BoostQuery::new(Box::new(query), weight))
}

/// The query for a word, or for longer words that contain it, if there are any.
fn either(
    searcher: &Searcher,
    query: Box<dyn Query>,
    word: &str,
) -> Result<Box<dyn Query>, Trouble> {
    let Some(stem) = compounds::term(word) else { return Ok(query) };
    if searcher.doc_freq(&Term::from_field_text(fields().inner, &stem))? == 0 {
        return Ok(query);
    }
    let inner = term(fields().inner, &stem, INNER);
    Ok(Box::new(DisjunctionMaxQuery::new(vec![query, inner])))
}

/// Parses a query with operators.
pub(super) fn parsed(text: &str) -> Result<Box<dyn Query>, OpError> {
    // tantivy's parser panics on some invalid input, such as a `^` before a quote.
    let parsed = catch_unwind(|| syntax::parse(text));
    let parsed = parsed.unwrap_or_else(|_| Err(syntax::unexpected(text)))?;
    let (schema, body) = (fields().schema.clone(), fields().body);
    let parser = QueryParser::new(schema, vec![body], schema::tokenizers());
    match catch_unwind(AssertUnwindSafe(|| parser.build_query_from_user_input_ast(parsed))) {
        Ok(Ok(query)) => Ok(query),
        Ok(Err(err)) => Err(syntax::refused(&err)),
        Err(_) => Err(syntax::unexpected(text)),
    }
}

/// The stems that a query searches the text for.
pub(super) fn terms(query: &dyn Query) -> Vec<String> {
    let mut found = Vec::new();
    query.query_terms(&mut |term, _| {
        if term.field() == fields().body
            && let Some(it) = term.value().as_str()
        {
            found.push(it.to_owned());
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}
