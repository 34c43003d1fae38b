//! Parses a query for the index.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
};

use svc_contract::registry::OpError;
use svc_text::{
    language::{Forms, Language, lower},
    scripts,
};
use tantivy::{
    Searcher, Term,
    query::{BooleanQuery, BoostQuery, DisjunctionMaxQuery, Occur, Query, QueryParser, TermQuery},
    schema::{Field, IndexRecordOption},
};

use super::{
    analyzer,
    compounds::{self, Inner, Kind},
    fallback,
    near::Sequence,
    rank,
    schema::{self, fields},
    score::{Mean, Word},
    split, syntax,
    trouble::Trouble,
    weights::Weights,
};

/// How much a word in another word counts, compared to a word.
const INNER: f32 = 0.5;

/// How much a single letter counts, compared to a word: it is mostly an initial.
const LETTER: f32 = 0.3;

/// The maximum number of compounds of a query that are taken apart.
const MOST_COMPOUNDS: usize = 32;

/// The words of a query.
pub(super) struct Words {
    language: Language,
    /// The stems of a word in the languages of the index, the first in that of the query: how
    /// often it occurs, and the word.
    stems: BTreeMap<Vec<String>, (u16, String)>,
    /// The stems that a word of the query contains.
    inner: BTreeSet<String>,
    /// The Chinese characters of its words.
    characters: BTreeSet<String>,
    /// The stop words, if it has only such.
    stops: BTreeSet<String>,
    /// Words that may be compounds, in lower case.
    compounds: BTreeSet<String>,
    /// The words in their order.
    pub(super) sequence: Sequence,
}

impl Words {
    /// The words of a query in one of some languages.
    pub(super) fn of(text: &str, languages: &[Language]) -> Self {
        let language = language(text, languages);
        let mut words = Self {
            language,
            stems: BTreeMap::new(),
            inner: BTreeSet::new(),
            characters: BTreeSet::new(),
            stops: BTreeSet::new(),
            compounds: BTreeSet::new(),
            sequence: Sequence::default(),
        };
        let others = languages.iter().filter(|it| **it != language);
        let own = language.forms();
        let forms: Vec<Forms> = others.map(|it| it.forms()).collect();
        let mut last = None;
        for (place, stem) in analyzer::terms(language, text) {
            let lower = lower(&text[place.clone()]);
            let plain = scripts::folded(&lower);
            if split::has_compounds(language) && split::is_long(&lower) {
                words.compounds.insert(lower.to_string());
            }
            let mut stems = vec![stem];
            let others = forms.iter().filter(|it| !it.is_stop_word(&lower));
            let others = others.map(|it| it.stem(&lower)).chain([own.stem(&plain)]);
            for stem in others {
                if stems.iter().all(|it| *it != stem) {
                    stems.push(stem.into_owned());
                }
            }
            last = words.sequence.push(last, &stems);
            let word = || text[place].to_owned();
            let entry = words.stems.entry(stems).or_insert_with(|| (0, word()));
            entry.0 = entry.0.saturating_add(1);
        }
        words.add_inner(language, text);
        words
    }

    fn add_inner(&mut self, language: Language, text: &str) {
        let mut stops = BTreeSet::new();
        for Inner { word, kind, .. } in compounds::inner(language, text) {
            match kind {
                Kind::Part => self.inner.extend(analyzer::terms(language, &word).map(|it| it.1)),
                Kind::Character => _ = self.characters.insert(word),
                Kind::StopWord => _ = stops.insert(word),
                Kind::Plain => {}
            }
        }
        self.inner.retain(|it| !self.stems.keys().any(|stems| stems.contains(it)));
        if self.stems.is_empty() {
            self.stops = stops;
        }
    }

    /// The query for any of the words, each counted as often as it occurs.
    pub(super) fn query(
        &self,
        searcher: &Searcher,
        weights: &Weights,
    ) -> Result<Option<Box<dyn Query>>, Trouble> {
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        let scale = Scale { mean: Mean::of(searcher)?, weights: *weights };
        for (stems, (count, word)) in &self.stems {
            let weight = f32::from(*count) * if is_letter(word) { LETTER } else { 1.0 };
            any.push(any_form(searcher, scale, stems, word, weight)?);
        }
        for stem in self.inner.iter().chain(&self.parts(searcher)?) {
            let found = count(searcher, fields().body, stem)?;
            any.push(scale.body(stem, INNER * rarity(searcher, found)));
        }
        any.extend(self.characters.iter().map(|it| term(fields().inner, it, INNER)));
        let stop_words = self.stops.iter().map(|it| compounds::term(it));
        any.extend(stop_words.map(|it| term(fields().inner, &it, 1.0)));
        Ok(any_of(any))
    }

    /// The stems that the compounds of the query consist of, without its other words.
    fn parts(&self, searcher: &Searcher) -> Result<BTreeSet<String>, Trouble> {
        let mut all = BTreeSet::new();
        let forms = self.language.forms();
        for word in self.compounds.iter().take(MOST_COMPOUNDS) {
            let find = |part: &str| {
                let stem = forms.stem(part).into_owned();
                Ok((count(searcher, fields().body, &stem)? > 0).then_some(stem))
            };
            all.extend(split::parts(word, find)?);
        }
        let is_known = |it: &String| self.stems.keys().any(|stems| stems.contains(it));
        all.retain(|it| !self.inner.contains(it) && !is_known(it));
        Ok(all)
    }

    /// The query for the nearest indexed stems, and which were taken for which word.
    pub(super) fn nearest(&self, searcher: &Searcher) -> Result<Nearest, Trouble> {
        let mut taken = Vec::new();
        for (stems, (_, word)) in &self.stems {
            let nearest = fallback::nearest(searcher, stems.first().unwrap_or(word))?;
            taken.push((word.clone(), nearest));
        }
        taken.extend(self.stops.iter().map(|it| (it.clone(), Vec::new())));
        let stems = taken.iter().flat_map(|it| &it.1);
        let weights = Weights::default();
        let scale = Scale { mean: Mean::of(searcher)?, weights };
        let mut any = Vec::new();
        for stem in stems {
            let found = count(searcher, fields().body, stem)?;
            any.push(scale.body(stem, rarity(searcher, found)));
        }
        Ok(Nearest { query: any_of(any), taken })
    }
}

/// The language of a query: the one that most of its words are stop words of, or else the first.
fn language(text: &str, languages: &[Language]) -> Language {
    let first = languages.first().copied().unwrap_or(Language::ENGLISH);
    if languages.len() < 2 {
        return first;
    }
    let count = |it: &Language| {
        let forms = it.forms();
        let words = scripts::words(text);
        words.filter(|it| forms.is_stop_word(&lower(&text[it.clone()]))).count()
    };
    languages.iter().rev().copied().max_by_key(count).unwrap_or(first)
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

/// What the scores of all words of a search share.
#[derive(Clone, Copy)]
struct Scale {
    mean: Mean,
    weights: Weights,
}

impl Scale {
    /// The query for the documents whose text has a stem.
    fn body(self, stem: &str, weight: f32) -> Box<dyn Query> {
        let Self { mean, weights } = self;
        Box::new(Word { term: Term::from_field_text(fields().body, stem), weight, mean, weights })
    }
}

/// Whether a word is a single letter or digit; of scripts with more bytes, each is a word.
fn is_letter(word: &str) -> bool {
    word.len() <= 2 && word.chars().count() == 1
}

/// The query for a word in the forms that the index has, or for longer words that contain it.
fn any_form(
    searcher: &Searcher,
    scale: Scale,
    stems: &[String],
    word: &str,
    weight: f32,
) -> Result<Box<dyn Query>, Trouble> {
    // Forms are one word, which is as rare as all of them together.
    let mut known = Vec::new();
    for stem in stems {
        known.push((stem, count(searcher, fields().body, stem)?));
    }
    let weight = weight * rarity(searcher, known.iter().map(|it| it.1).sum());
    let known = known.into_iter().filter(|it| stems.len() == 1 || it.1 > 0);
    let mut forms: Vec<Box<dyn Query>> = known.map(|it| scale.body(it.0, weight)).collect();
    let inner = compounds::term(word);
    if count(searcher, fields().inner, &inner)? > 0 {
        forms.push(term(fields().inner, &inner, INNER));
    }
    Ok(match forms.len() {
        1 => forms.remove(0),
        _ => Box::new(DisjunctionMaxQuery::new(forms)),
    })
}

/// The number of documents with a stem.
fn count(searcher: &Searcher, field: Field, stem: &str) -> Result<u64, Trouble> {
    Ok(rank::doc_freq(searcher, &Term::from_field_text(field, stem))?)
}

/// The inverse document frequency, as BM25 weighs a word that `found` documents have.
#[expect(clippy::cast_precision_loss, reason = "so many documents do not fit into an index")]
pub(super) fn rarity(searcher: &Searcher, found: u64) -> f32 {
    let (all, found) = (searcher.num_docs().max(found) as f32, found as f32);
    ((all - found + 0.5) / (found + 0.5)).ln_1p()
}

/// Parses a query with operators, whose words are in English.
pub(super) fn parsed(text: &str) -> Result<Box<dyn Query>, OpError> {
    parsed_in(Language::ENGLISH, text)
}

/// Parses a query with operators for documents in several languages: each is compared with the
/// words in the forms of its own.
pub(super) fn parsed_in_all(languages: &[Language], text: &str) -> Result<Box<dyn Query>, OpError> {
    let only = |language: &Language| -> Result<Box<dyn Query>, OpError> {
        let of_language = term(fields().language, language.code(), 0.0);
        let query = parsed_in(*language, text)?;
        Ok(Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, of_language)])))
    };
    match languages {
        [] => parsed(text),
        [only] => parsed_in(*only, text),
        all => {
            Ok(Box::new(DisjunctionMaxQuery::new(all.iter().map(only).collect::<Result<_, _>>()?)))
        }
    }
}

fn parsed_in(language: Language, text: &str) -> Result<Box<dyn Query>, OpError> {
    // tantivy's parser panics on some invalid input, such as a `^` before a quote.
    let parsed = catch_unwind(|| syntax::parse(text));
    let parsed = parsed.unwrap_or_else(|_| Err(syntax::unexpected(text)))?;
    let (schema, body) = (fields().schema.clone(), fields().body);
    let parser = QueryParser::new(schema, vec![body], schema::tokenizers(language));
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
