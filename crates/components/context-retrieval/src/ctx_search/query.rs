//! Parses a query for the index.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use svc_contract::registry::OpError;
use tantivy::{
    Term,
    query::{BooleanQuery, BoostQuery, Occur, Query, QueryParser, TermQuery},
    schema::IndexRecordOption,
};

use super::{
    Syntax, analyzer,
    schema::{self, fields},
};

/// The maximum depth of parentheses; the parser is recursive.
const DEEPEST: usize = 32;

/// Parses `text`; returns `None` if it has no word to search for.
pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Option<Box<dyn Query>>, OpError> {
    match syntax {
        Syntax::Words => Ok(words(text)),
        Syntax::Query => parsed(text).map(Some),
    }
}

/// A bag of words: each counts as often as it occurs.
fn words(text: &str) -> Option<Box<dyn Query>> {
    let mut counts: BTreeMap<Term, u16> = BTreeMap::new();
    let mut analyzer = analyzer::analyzer();
    let mut tokens = analyzer.token_stream(text);
    while let Some(token) = tokens.next() {
        let count = counts.entry(Term::from_field_text(fields().body, &token.text)).or_default();
        *count = count.saturating_add(1);
    }
    let weighted = |(term, count): (Term, u16)| -> (Occur, Box<dyn Query>) {
        let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
        (Occur::Should, Box::new(BoostQuery::new(Box::new(term), count.into())))
    };
    let words: Vec<_> = counts.into_iter().map(weighted).collect();
    (!words.is_empty()).then(|| Box::new(BooleanQuery::new(words)) as _)
}

fn parsed(text: &str) -> Result<Box<dyn Query>, OpError> {
    let refused = |why: &str| OpError::invalid_input(format!("invalid `query`: {why}"));
    if deepest(text) > DEEPEST {
        return Err(refused(&format!("parentheses nested too deeply (limit {DEEPEST})")));
    }
    let (schema, body) = (fields().schema.clone(), fields().body);
    let parser = QueryParser::new(schema, vec![body], schema::tokenizers());
    // tantivy's parser panics on some invalid input, such as a `^` before a quote.
    match catch_unwind(AssertUnwindSafe(|| parser.parse_query(text))) {
        Ok(Ok(query)) => Ok(query),
        Ok(Err(err)) => Err(refused(&err.to_string())),
        Err(_) => Err(refused("unexpected syntax")),
    }
}

fn deepest(text: &str) -> usize {
    let mut depth: usize = 0;
    let mut deepest = 0;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
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
