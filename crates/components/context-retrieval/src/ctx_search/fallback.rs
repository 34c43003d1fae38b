//! Other words for a query that finds nothing: words that begin with its words, or differ by a
//! typo.

use std::{cmp::Reverse, collections::BTreeSet};

use svc_text::language::Language;
use tantivy::{Searcher, TantivyDocument, Term, query::FuzzyTermQuery, schema::Value as _};

use super::{
    analyzer,
    rank::Ranked,
    schema::{self, fields},
    trouble::Trouble,
};

/// The maximum number of words that one is replaced by.
const MOST: usize = 3;

/// The fewest letters of a word that others may begin with.
const SHORTEST_PREFIX: usize = 3;

/// Returns the indexed stems nearest to a stem that no document has, the most frequent first. A
/// word that begins with the stem is as near as one with one wrong letter.
pub(super) fn nearest(searcher: &Searcher, stem: &str) -> Result<Vec<String>, Trouble> {
    let letters = stem.chars().count();
    let mut found = BTreeSet::new();
    if letters >= SHORTEST_PREFIX {
        beginning(searcher, stem, &mut found)?;
    }
    // A short word differs from many others by one letter.
    if letters > 3 {
        similar(searcher, stem, 1, &mut found)?;
    }
    if found.is_empty() && letters > 6 {
        similar(searcher, stem, 2, &mut found)?;
    }
    let mut nearest = Vec::with_capacity(found.len());
    for stem in found {
        let count = searcher.doc_freq(&Term::from_field_text(fields().body, &stem))?;
        nearest.push((Reverse(count), stem));
    }
    nearest.sort_unstable();
    nearest.truncate(MOST);
    Ok(nearest.into_iter().map(|it| it.1).collect())
}

type Stems = BTreeSet<String>;

/// Adds the stems that begin with `stem`.
fn beginning(searcher: &Searcher, stem: &str, found: &mut Stems) -> Result<(), Trouble> {
    let end = format!("{stem}{}", char::MAX);
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(fields().body)?;
        let mut stems = index.terms().range().ge(stem).lt(&end).into_stream()?;
        while let Some((key, _)) = stems.next() {
            found.insert(String::from_utf8_lossy(key).into_owned());
        }
    }
    Ok(())
}

/// Adds the stems that differ from `stem` by at most `distance` letters.
fn similar(
    searcher: &Searcher,
    stem: &str,
    distance: u8,
    found: &mut Stems,
) -> Result<(), Trouble> {
    let query = FuzzyTermQuery::new(Term::from_field_text(fields().body, stem), distance, true);
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(fields().body)?;
        let mut stems = index.terms().search(query.automaton()?).into_stream()?;
        while let Some((key, _)) = stems.next() {
            found.insert(String::from_utf8_lossy(key).into_owned());
        }
    }
    Ok(())
}

/// Returns a word with this stem as a found document spells it, or else the stem.
pub(super) fn spelled(searcher: &Searcher, found: &[Ranked], stem: &str) -> String {
    let spelled = found.iter().take(20).find_map(|ranked| {
        let row: TantivyDocument = searcher.doc(ranked.doc).ok()?;
        let language = schema::language(&row);
        let texts = [fields().text, fields().title].map(|it| row.get_first(it));
        texts.into_iter().flatten().find_map(|it| word(language, it.as_str()?, stem))
    });
    spelled.unwrap_or_else(|| stem.to_owned())
}

fn word(language: Language, text: &str, stem: &str) -> Option<String> {
    let found = analyzer::terms(language, text).find(|it| it.1 == stem)?;
    Some(text[found.0].to_lowercase())
}
