//! The records shared by the components of documents and files.

use super::{OpError, record};
use crate::value::{List, Record, Text};

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
        /// Where it starts in the file, in bytes.
        start: i64,
        /// Where it ends in the file, in bytes.
        end: i64,
        /// The page, slide, sheet or chapter of the file, from 1: that where a passage starts, and that
        /// of a document's snippet. A file without pages has none.
        page: Option<i64>,
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
