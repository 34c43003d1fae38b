//! The records shared by the components of documents and files.

use super::{OpError, record};
use crate::value::{List, Record, Text, Value};

/// The records of a list of hits, as an op receives it.
pub fn records(hits: &List) -> impl Iterator<Item = Result<&Record, OpError>> {
    hits.iter().enumerate().map(|(idx, hit)| {
        hit.as_record().ok_or_else(|| {
            let kind = hit.kind();
            let message = format!("expected [Hit] for `hits`, found {kind} as item {}", idx + 1);
            OpError::invalid_input(message)
        })
    })
}

record! {
    /// A document: one file, or one record of a file of records.
    pub struct Doc {
        /// The identifier in its source: the path, or the record's own id.
        id: Text,
        /// Its title, or its file name if it has none.
        title: Text,
        /// The path of the file that contains it.
        path: Text,
        /// Its text, without markup.
        text: Text,
        /// What it says about itself: an object with the other fields of a record, the front matter
        /// of Markdown, or fields such as `author` and `published`.
        meta: Option<Value>,
    }
}

impl Doc {
    /// A document that says nothing about itself.
    pub fn new(id: Text, title: Text, path: Text, text: Text) -> Self {
        Self { id, title, path, text, meta: None }
    }
}

record! {
    /// A document or a passage that answers a query.
    pub struct Hit {
        /// The identifier of the document in its source.
        id: Text,
        /// The document's title.
        title: Text,
        /// The path of the file that contains it.
        path: Text,
        /// The text of the document or passage.
        text: Text,
        /// The query that it answers.
        query: Text,
        /// How well it answers: higher is better, comparable within one query.
        score: f64,
        /// The part of the text around the query's words, which are marked with `**`.
        snippet: Text,
        /// Where it starts, in bytes: in the file, or for a passage of a document whose text is not
        /// the file's own, such as a PDF, in that text.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
        /// The page, slide, sheet or chapter of the file, from 1: that where a passage starts, and that
        /// of a document's snippet. A file without pages has none.
        page: Option<i64>,
        /// What its document says about itself: see `Doc`.
        meta: Option<Value>,
    }
}

record! {
    /// A piece of a text: `text[start..end]` in bytes.
    pub struct Span {
        /// Where it starts, in bytes.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
        /// The piece itself.
        text: Text,
    }
}

record! {
    /// A name, a code, a quantity or personal data in a text: `text[start..end]` in bytes.
    pub struct Entity {
        /// The piece itself.
        text: Text,
        /// What it is, such as `person` or `money`.
        r#type: Text,
        /// Where it starts, in bytes.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
        /// How sure this is, from 0 to 1.
        score: f64,
        /// The identifier of what it names in a list, if it is known.
        id: Option<Text>,
    }
}

record! {
    /// A piece of a document that supports something.
    pub struct Cite {
        /// The identifier of the document or passage.
        source: Text,
        /// The path of the file that contains it.
        path: Text,
        /// The page on which it starts, if the file has pages.
        page: Option<i64>,
        /// Where it starts, in bytes: in the file, or in the document's text if that is not the
        /// file's own, as with PDF.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
        /// The piece itself.
        text: Text,
    }
}

record! {
    /// A judgement of how well a document answers a query.
    pub struct Judged {
        /// The query.
        query: Text,
        /// The identifier of the document in its source.
        id: Text,
        /// From 0, not relevant; higher is better.
        grade: i64,
    }
}

record! {
    /// A file in memory.
    pub struct File {
        /// The name, with its folders.
        name: Text,
        /// The type of the content, by the extension of the name.
        mime: Text,
        /// The content.
        bytes: std::sync::Arc<[u8]>,
    }
}
