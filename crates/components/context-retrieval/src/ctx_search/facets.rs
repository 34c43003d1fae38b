//! Counts of the values of a field.

use std::path::PathBuf;

use svc_contract::{
    registry::{
        Compute, Cx, DecideEffects, Effect, ErrorKind, Example, Field, Limits, Op, OpError, Scheme,
        params, record,
    },
    value::{Text, Value},
};

use super::{
    DECIDE, EFFECTS, MEANING, Mode, Syntax,
    job::{self, How, Search, Wanted},
    meta::{Condition, Conditions, Counts},
    weights::Weights,
};
use crate::meaning::Given;

record! {
    /// The values of a field of metadata.
    struct Facet {
        /// The field; a dot stands before the name of a nested one.
        field: Text,
        /// The values, the most frequent first.
        values: Vec<FacetValue>,
        /// The number of documents that were counted.
        documents: i64,
        /// The number of these documents without a value.
        missing: i64,
    }
}

record! {
    /// A value of a field of metadata.
    struct FacetValue {
        /// The value: a text, a number, true or false.
        value: Value,
        /// The number of documents that have it.
        count: i64,
    }
}

params! {
    /// Counts the values of a field of `meta` in all documents that a search finds.
    ///
    /// Takes the same query, source and conditions as `search`, and counts in the index, whatever
    /// number of hits a search would return. An empty query counts in all documents. A list counts
    /// once for each different value, and the values of equal count are in their own order. Values
    /// that are longer than 1 KiB are cut, as in `meta`.
    pub(super) struct Facets {
        /// The words or query to search for; empty for all documents.
        query: Text,
        /// The field to count: `lang`, or `author.name` for a nested one.
        field: Text,
        /// A folder of documents, or one file.
        source: PathBuf = PathBuf::from("."),
        /// The maximum number of values, from 1 to 1000.
        #[range(1..=1000)]
        most: i64 = 20,
        /// How to read the query: see `search`.
        syntax: Syntax = Syntax::Words,
        /// Conditions on `meta`: see `search`.
        r#where: Option<Conditions> = None,
        /// What is compared: see `search`. By meaning, the 100 nearest documents are found.
        mode: Mode = Mode::Words,
        /// The model for meaning: see `search`.
        model: Option<Given> = None,
        /// The name of an index: see `search`.
        index: Option<Text> = None,
    }
}

impl Op for Facets {
    const NAME: &'static str = "facets";
    const YIELDS: Scheme = Facet::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const DECIDE: Option<DecideEffects> = DECIDE;
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "count search results by category",
        "how many documents of each language are there",
        "facets of a search",
        "which authors wrote about a subject, and how often",
        "number of matching records per year",
        "histogram of a metadata field over my documents",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "How many records of each year",
            r#"facets("", field: "year", source: "books.jsonl") >> .values"#,
            r#"[{"value":1999,"count":2},{"value":2020,"count":1}]"#,
        )
        .with(BOOKS),
        Example::ok(
            "Only those with a word, of one language",
            r#"facets("whales", field: "year", source: "books.jsonl", where: { lang: "en" })"#,
            r#"{"field":"year","values":[{"value":1999,"count":1}],"documents":1,"missing":0}"#,
        )
        .with(BOOKS),
        Example::err(
            "A condition with an unknown operator",
            r#"facets("", field: "year", source: "books.jsonl", where: { year: { at_least: 1, upto: 9 } })"#,
            "unknown operator `upto` for `year`",
        )
        .with(BOOKS),
    ];
}

/// Records with fields.
pub(super) const BOOKS: &[(&str, &str)] = &[(
    "books.jsonl",
    concat!(
        r#"{"id": "b1", "text": "about whales", "year": 1999, "lang": "en"}"#,
        "\n",
        r#"{"id": "b2", "text": "of whales and ships", "year": 2020, "lang": "de"}"#,
        "\n",
        r#"{"id": "b3", "text": "cooking", "year": 1999, "lang": "en"}"#,
    ),
)];

impl Compute for Facets {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let field = self.field.trim().to_owned();
        if field.is_empty() {
            return Err(super::meta::unnamed("field"));
        }
        let search = Search {
            condition: Condition::of(self.r#where.as_ref())?,
            wanted: Wanted::Counts { field, most: usize::try_from(self.most).unwrap_or_default() },
            query: self.query,
            source: self.source,
            index: self.index,
            syntax: self.syntax,
            how: How { mode: self.mode, model: self.model, weight: MEANING },
            weights: Weights::default(),
        };
        let counts = job::run(cx, search)?.pop();
        counts.ok_or_else(|| OpError::bug("no counts"))
    }
}

/// The result for a field.
pub(super) fn record(field: &str, counts: Counts, documents: usize, most: usize) -> Value {
    let int = |it: u64| i64::try_from(it).unwrap_or(i64::MAX);
    let value = |(value, count)| FacetValue { value, count: int(count) };
    let values = counts.values.into_iter().take(most).map(value).collect();
    let (documents, missing) = (int(documents as u64), int(counts.missing));
    Facet { field: field.into(), values, documents, missing }.encode()
}
