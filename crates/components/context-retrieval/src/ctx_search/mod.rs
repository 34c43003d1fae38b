//! Full-text search over a folder of documents or a file of records.
//!
//! A search walks its source, brings the index of that source up to date
//! ([`update`]), ranks ([`rank`]) and reads the best documents ([`hits`]). The index lives in
//! the cache directory ([`place`]), one folder a source; where that cannot be, it is
//! built in memory.
//!
//! **Invariant:** scores and order follow from the documents and the query alone, not
//! from how often or in which order the index was updated.

use std::path::PathBuf;

use svc_contract::{
    registry::{
        Component, Compute, Cx, Effect, ErrorKind, Example, Field, Limits, Max, Op, OpError,
        Scheme, Scope, choices, compute, documents::Hit, params,
    },
    value::{Text, Value},
};

mod analyzer;
mod hits;
mod job;
mod manifest;
mod notices;
mod place;
mod query;
mod queue;
mod rank;
mod reading;
mod schema;
mod seal;
mod snippet;
mod source;
mod trouble;
mod update;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_search",
    cluster: "context-retrieval",
    summary: "Full-text search over a folder of documents or a file of records.",
    version: 1,
    aliases: &[("search", "infer")],
    ops: &[compute::<Infer>()],
};

choices! {
    /// How a query is read.
    pub(super) enum Syntax {
        Words = "words",
        Query = "query",
    }
}

params! {
    /// Finds the documents that answer a query best, whole, the best one first.
    ///
    /// Ranks with BM25 (k1 1.2, b 0.75) over words in lower case, without English stop
    /// words, reduced to their stems by the English Snowball stemmer. Equal scores are
    /// ordered by id. Scores are rounded to four places and compare only within one query.
    /// A query without any word to look for finds nothing.
    ///
    /// Reads Markdown, HTML, PDF, plain text of any ending, and records as JSON Lines or a
    /// JSON list (`{"id", "text", "title"?}`). Files are read up to 64MiB, HTML up to 16MiB;
    /// JSON Lines has no limit but 16MiB a line. Ignore files (`.gitignore`, `.ignore`) are
    /// obeyed and hidden files are left out. A file that cannot be read is named in a
    /// notice, and the search goes on.
    ///
    /// The index is built at the first search of a source, kept in the cache directory, and
    /// updated when files change. Where the cache cannot be written, it is built in memory
    /// for every search.
    ///
    /// A hit has the byte range of its file that it was made from: of plain text and Markdown
    /// the text itself, of a record its line, else the whole file.
    ///
    /// Fails with `not_found` if the source does not exist, and with `invalid_input` if
    /// `syntax` is `query` and the query does not follow it.
    struct Infer {
        /// What to look for.
        query: Text,
        /// A folder of documents, or one file.
        source: PathBuf = PathBuf::from("."),
        /// The most hits, from 1 to 1000.
        #[range(1..=1000)]
        top_k: i64 = 10,
        /// `words`: any words, of which one that occurs twice counts twice. `query`: words,
        /// `"phrases"`, `+must`, `-not`, `AND`, `OR` and parentheses, as in Lucene.
        syntax: Syntax = Syntax::Words,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::Arg("top_k"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("source"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const LIMITS: Limits = Limits::UNTIMED;
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Which note speaks of it",
            r#""watering the plants" >> search(source: "notes") >> each { .path }"#,
            r#"["notes/garden.md"]"#,
        )
        .with(NOTES),
        Example::ok(
            "The words in their sentence",
            r#""budgets" >> search(source: "notes", top_k: 1) >> each { .snippet }"#,
            r##"["# Money The **budget** is enforced every month."]"##,
        )
        .with(NOTES),
        Example::ok(
            "Records, and a query with syntax",
            r#""+cat -dog" >> search(source: "pets.jsonl", syntax: "query") >> each { .id }"#,
            r#"["p1"]"#,
        )
        .with(&[(
            "pets.jsonl",
            concat!(
                r#"{"id": "p1", "text": "a cat on a mat"}"#,
                "\n",
                r#"{"id": "p2", "text": "a cat and a dog"}"#,
            ),
        )]),
        Example::err(
            "A folder that is not there",
            r#""x" >> search(source: "nowhere")"#,
            "cannot use `nowhere`: it does not exist",
        ),
    ];
}

const NOTES: &[(&str, &str)] = &[
    ("notes/garden.md", "# Garden\n\nPlants need water.\n"),
    ("notes/money.md", "# Money\n\nThe budget is enforced every month.\n"),
];

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        job::run(cx, self)
    }
}

#[cfg(test)]
mod tests;
