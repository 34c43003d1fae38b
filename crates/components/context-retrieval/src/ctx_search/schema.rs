//! The fields of a document in an index.

use std::sync::LazyLock;

use svc_documents::Document;
use tantivy::{
    Index, TantivyDocument, Term,
    schema::{
        FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
    },
    tokenizer::TokenizerManager,
};

use super::analyzer;

/// Must be increased whenever existing indexes have to be rebuilt: after changes of the fields, the
/// analyzer or the extraction.
pub(super) const VERSION: u32 = 2;

/// The fields of every index.
pub(super) struct Fields {
    pub(super) schema: Schema,
    /// The path of the file, relative to the source.
    pub(super) file: Field,
    pub(super) id: Field,
    pub(super) title: Field,
    pub(super) text: Field,
    pub(super) start: Field,
    pub(super) end: Field,
    /// The searched text: text and title.
    pub(super) body: Field,
}

/// The schema of all indexes.
pub(super) fn fields() -> &'static Fields {
    static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
        let searched = TextFieldIndexing::default()
            .set_tokenizer(analyzer::NAME)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let mut schema = Schema::builder();
        Fields {
            file: schema.add_text_field("file", STRING | STORED | FAST),
            id: schema.add_text_field("id", STRING | STORED | FAST),
            title: schema.add_text_field("title", STORED),
            text: schema.add_text_field("text", STORED),
            start: schema.add_u64_field("start", STORED | FAST),
            end: schema.add_u64_field("end", STORED),
            body: schema
                .add_text_field("body", TextOptions::default().set_indexing_options(searched)),
            schema: schema.build(),
        }
    });
    &FIELDS
}

/// Registers the analyzer of the searched field with an index.
pub(super) fn prepared(mut index: Index) -> Index {
    index.set_tokenizers(tokenizers());
    index
}

/// The analyzer by name, in addition to those of tantivy.
pub(super) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(analyzer::NAME, analyzer::analyzer());
    tokenizers
}

/// The term that all documents of a file share.
pub(super) fn file_term(file: &str) -> Term {
    Term::from_field_text(fields().file, file)
}

/// The row of a document.
pub(super) fn row(file: &str, document: &Document) -> TantivyDocument {
    let fields = fields();
    let mut row = TantivyDocument::new();
    row.add_text(fields.file, file);
    row.add_text(fields.id, &document.id);
    row.add_text(fields.title, &document.title);
    row.add_text(fields.text, &document.text);
    row.add_u64(fields.start, document.start);
    row.add_u64(fields.end, document.end);
    row.add_text(fields.body, &document.text);
    if !has_its_title(document) {
        row.add_text(fields.body, &document.title);
    }
    row
}

/// Whether the text begins with roughly the title, which then already counts.
fn has_its_title(document: &Document) -> bool {
    const BEGINNING: usize = 1_000;
    let title = document.title.trim_end_matches('…');
    let beginning = document.text.floor_char_boundary(BEGINNING + title.len());
    document.text[..beginning].contains(title)
}
