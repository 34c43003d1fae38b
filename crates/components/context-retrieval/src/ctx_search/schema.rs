//! The fields of a document in an index.

use std::{borrow::Cow, cmp::Reverse, collections::BTreeMap, sync::LazyLock};

use svc_contract::value::json;
use svc_documents::Document;
use svc_text::language::Language;
use tantivy::{
    Index, Searcher, TantivyDocument, Term,
    schema::{
        FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
        Value as _,
    },
    tokenizer::TokenizerManager,
};

use super::{analyzer, collection, compounds, meta::facts, trouble::Trouble, vectors};

/// Must be increased whenever existing indexes have to be rebuilt: after changes of the fields, the
/// analyzer or the extraction.
pub(super) const VERSION: u32 = 8;

/// The name of the field with the share of numbers in the words of the searched text, in permille.
pub(super) const NUMBERS: &str = "numbers";

/// The fields of every index.
pub(super) struct Fields {
    pub(super) schema: Schema,
    /// The path of the file, relative to the source.
    pub(super) file: Field,
    pub(super) id: Field,
    pub(super) title: Field,
    pub(super) text: Field,
    /// The place of the document: where it was in the file when it was indexed, or where it
    /// would have been without the edits since then.
    pub(super) start: Field,
    pub(super) end: Field,
    /// The path that a document of a named collection has; others have that of their file.
    pub(super) path: Field,
    /// The identity of a record; other documents have none.
    pub(super) hash: Field,
    /// The key of its vectors: see [`vectors`].
    pub(super) key: Field,
    /// The language of the searched text.
    pub(super) language: Field,
    /// The searched text: title and text.
    pub(super) body: Field,
    /// The words in words of the searched text, and its stop words.
    pub(super) inner: Field,
    /// See [`NUMBERS`].
    pub(super) numbers: Field,
    /// What the document says about itself, as JSON; a document may have none.
    pub(super) meta: Field,
    /// The same for conditions: see [`facts`].
    pub(super) facts: Field,
}

/// The schema of all indexes.
pub(super) fn fields() -> &'static Fields {
    static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
        let searched = TextFieldIndexing::default()
            .set_tokenizer(analyzer::NAME)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let inner = TextFieldIndexing::default()
            .set_tokenizer(compounds::NAME)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::WithFreqs);
        let mut schema = Schema::builder();
        Fields {
            file: schema.add_text_field("file", STRING | STORED | FAST),
            id: schema.add_text_field("id", STRING | STORED | FAST),
            title: schema.add_text_field("title", STORED),
            text: schema.add_text_field("text", STORED),
            start: schema.add_u64_field("start", STORED | FAST),
            end: schema.add_u64_field("end", STORED),
            path: schema.add_text_field("path", STORED),
            hash: schema.add_u64_field("hash", FAST),
            key: schema.add_u64_field("key", FAST),
            language: schema.add_text_field("language", STRING | STORED),
            body: schema
                .add_text_field("body", TextOptions::default().set_indexing_options(searched)),
            inner: schema
                .add_text_field("inner", TextOptions::default().set_indexing_options(inner)),
            numbers: schema.add_u64_field(NUMBERS, FAST),
            meta: schema.add_text_field("meta", STORED),
            facts: schema.add_bytes_field("facts", FAST),
            schema: schema.build(),
        }
    });
    &FIELDS
}

/// Registers the analyzer of the searched field with an index.
pub(super) fn prepared(mut index: Index) -> Index {
    index.set_tokenizers(tokenizers(Language::ENGLISH));
    index
}

/// The analyzers by name, in addition to those of tantivy, for queries in a language.
pub(super) fn tokenizers(language: Language) -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(analyzer::NAME, analyzer::analyzer(language));
    tokenizers.register(compounds::NAME, compounds::analyzer());
    tokenizers
}

/// The term that all documents of a file share.
pub(super) fn file_term(file: &str) -> Term {
    Term::from_field_text(fields().file, file)
}

/// The row of a document, with its place and the identity of its record.
pub(super) fn row(
    file: &str,
    document: &Document,
    place: u64,
    record: Option<u64>,
    is_collection: bool,
) -> TantivyDocument {
    let fields = fields();
    let mut row = TantivyDocument::new();
    let meta = if is_collection {
        let (path, own) = collection::parts(&document.meta);
        row.add_text(fields.path, path);
        Cow::Owned(own)
    } else {
        Cow::Borrowed(&document.meta)
    };
    row.add_text(fields.file, file);
    row.add_text(fields.id, &document.id);
    row.add_text(fields.title, &document.title);
    row.add_text(fields.text, &document.text);
    row.add_u64(fields.start, place);
    row.add_u64(fields.end, place + (document.end - document.start));
    if let Some(hash) = record {
        row.add_u64(fields.hash, hash);
    }
    if !meta.is_null() {
        row.add_text(fields.meta, json::write(&meta));
        for fact in facts::of(&meta) {
            row.add_bytes(fields.facts, &fact);
        }
    }
    row.add_u64(fields.key, vectors::key(&document.title, &document.text));
    let language = analyzer::language(&document.text);
    row.add_text(fields.language, language.code());
    let title = (!has_its_title(document)).then_some(&document.title);
    let (mut words, mut numbers) = (0, 0);
    // The title first: words count more the earlier they come.
    for text in [title, Some(&document.text)].into_iter().flatten() {
        let counts = count(text);
        (words, numbers) = (words + counts.0, numbers + counts.1);
        let marked = analyzer::marked(language, text);
        row.add_text(fields.inner, &marked);
        row.add_text(fields.body, marked);
    }
    row.add_u64(fields.numbers, 1_000 * numbers / words.max(1));
    row
}

/// How many words a text has, roughly, and how many of them have only digits. A character of more
/// than two bytes is one.
fn count(text: &str) -> (u64, u64) {
    let (mut words, mut numbers) = (0, 0);
    let (mut is_word, mut is_number) = (false, false);
    for it in text.bytes().chain([b' ']) {
        if it.is_ascii_digit() {
            is_number |= !is_word;
        } else if it.is_ascii_alphabetic() || matches!(it, 0x80..0xe0) {
            is_number = false;
        } else {
            words += u64::from(is_word);
            numbers += u64::from(is_number);
            (is_word, is_number) = (it > b'~', false);
            continue;
        }
        is_word = true;
    }
    (words, numbers)
}

/// The language of a row.
pub(super) fn language(row: &TantivyDocument) -> Language {
    let code = row.get_first(fields().language).and_then(|it| it.as_str());
    code.and_then(Language::of_code).unwrap_or(Language::ENGLISH)
}

/// The languages of an index, those of most documents first.
pub(super) fn languages(searcher: &Searcher) -> Result<Vec<Language>, Trouble> {
    let mut counts: BTreeMap<Language, u32> = BTreeMap::new();
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(fields().language)?;
        let mut codes = index.terms().stream()?;
        while let Some((code, found)) = codes.next() {
            let language = std::str::from_utf8(code).ok().and_then(Language::of_code);
            let language = language.unwrap_or(Language::ENGLISH);
            *counts.entry(language).or_default() += found.doc_freq;
        }
    }
    let mut languages: Vec<Language> = counts.keys().copied().collect();
    languages.sort_by_key(|it| Reverse(counts[it]));
    Ok(languages)
}

/// Whether the text begins with roughly the title, which then already counts.
fn has_its_title(document: &Document) -> bool {
    const BEGINNING: usize = 1_000;
    let title = document.title.trim_end_matches('…');
    let beginning = document.text.floor_char_boundary(BEGINNING + title.len());
    document.text[..beginning].contains(title)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn words_and_numbers_are_counted() {
        for (text, words, numbers) in [
            ("", 0, 0),
            ("1", 1, 1),
            ("in 1984, 10.5%", 4, 3),
            ("a1 2b x3y é7 c", 5, 0),
            ("小猫 24 次", 4, 1),
        ] {
            assert_eq!(count(text), (words, numbers), "{text}");
        }
    }
}
