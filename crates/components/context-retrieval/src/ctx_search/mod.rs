//! Full-text search over a folder of documents or a file of records.
//!
//! A search walks its source, updates the index of that source ([`update`]), ranks the documents
//! ([`rank`]) and reads the best ones ([`hits`]). The index is in the cache directory ([`place`]),
//! one folder per source; if that is not possible, it is built in memory. A script may also fill a
//! source of its own, a named [`collection`] in the cache.
//!
//! **Invariant:** scores and order depend on the documents and the query alone, not on how often or
//! in which order the index was updated.

use std::path::PathBuf;

use svc_contract::{
    registry::{
        Bias, CallEffects, Cases, Component, Compute, Cx, DecideEffects, Effect, ErrorKind,
        Example, Field, Generic, KnownArgs, Limits, Max, Op, OpError, Scheme, Scope, Tool, choices,
        compute, documents::Hit, params,
    },
    value::{Text, Value},
};

use self::{
    job::{How, Search, Wanted},
    meta::{Condition, Conditions, Order},
    weights::{Feedback, Weights},
};
use crate::meaning::Given;

mod analyzer;
mod collection;
mod compounds;
mod facets;
mod fallback;
mod feedback;
mod fill;
mod hits;
mod job;
mod manifest;
mod meta;
mod near;
mod notices;
mod place;
mod query;
mod queue;
mod rank;
mod reading;
mod records;
mod schema;
mod score;
mod seal;
mod snippet;
mod source;
mod split;
mod stems;
mod syntax;
mod trouble;
mod update;
mod vectors;
mod weights;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_search",
    cluster: "context-retrieval",
    summary: "Full-text search over a folder of documents or a file of records.",
    version: 7,
    bias: Bias::new(
        "bm25",
        &[
            "a document is in one language",
            "documents differ in length",
            "rare words say more",
            "titles and beginnings say what a text is about",
        ],
    )
    .judged_by(CASES),
    aliases: &[("search", "infer"), ("facets", "facets")],
    ops: &[
        compute::<Infer>(),
        compute::<facets::Facets>(),
        compute::<fill::Fill>(),
        compute::<fill::Remove>(),
    ],
};

/// Questions about the ops of this program, whose documentation is searched.
const CASES: Cases = cases!("ctx_search.jsonl", "ops.jsonl");

choices! {
    /// What a search compares.
    pub(super) enum Mode {
        Words = "words",
        Meaning = "meaning",
        Both = "both",
    }
}

choices! {
    /// The syntax of a query.
    pub(super) enum Syntax {
        Words = "words",
        Query = "query",
    }
}

params! {
    /// Finds the documents that answer a query best. Returns whole documents, best first.
    ///
    /// Ranks with BM25 (`k1`, `b`) over words in lower case, without the stop words of their
    /// language, reduced to their stems by its Snowball stemmer. Numbers count a tenth in the length
    /// of a document. Words count more if they come early, as in the title
    /// (`title_boost`), and neighbouring words of the query where they are close together
    /// (`proximity`). With `feedback_terms`, the 100 best hits are also compared with the words of the
    /// first ones (relevance feedback, Rocchio 1971), and with `neighbour_weight` with each other (score
    /// regularization, Diaz 2005): the order behind the first hit changes, but not which documents are
    /// found.
    /// Equal scores are ordered by id.
    /// Scores are rounded to four places and are comparable only within one query. A query of stop
    /// words only finds documents with them. A name such as `getUserName` or `get_user_name` is also
    /// found by its parts and by `username`, and `e-mail` by `email`.
    ///
    /// If no document has a word of the query, words that begin with its words or differ by one or
    /// two letters are taken instead, which a notice reports. An empty result has a notice, too.
    ///
    /// Reads Markdown, HTML, PDF, DOCX, PPTX, XLSX, ODT, ODP, ODS, EPUB, plain text with any
    /// extension, and records as JSON Lines or a JSON list (`{"id", "text", "title"?}`). Of mail (EML,
    /// mbox), each message and attachment is a document, and so is each file in ZIP and GZIP, up to
    /// 4 archives deep: `a.zip/b.txt`. Text is in UTF-8, UTF-16 with a byte order mark, or an older
    /// encoding, which is guessed. Files are read up to 64MiB, HTML up to 16MiB; JSON Lines may have
    /// any size with at most 16MiB per line. Ignore files (`.gitignore`, `.ignore`) are respected and
    /// hidden files are skipped. A file that cannot be read is reported in a notice, and the search
    /// continues.
    ///
    /// The index is built by the first search of a source, stored in the cache directory, and
    /// updated when files change. If the cache is not writable, every search builds the index in
    /// memory.
    ///
    /// A hit has the byte range of its file that it was made from: of plain text and Markdown the
    /// text itself, of a record its line, otherwise the whole file; and the page, slide, sheet or
    /// chapter of its snippet.
    ///
    /// Fails with `not_found` if the source or the index does not exist, and with `invalid_input` if
    /// `syntax` is `query` and the query does not follow it.
    struct Infer {
        /// The words or query to search for.
        query: Text,
        /// A folder of documents, or one file.
        source: PathBuf = PathBuf::from("."),
        /// The maximum number of hits, from 1 to 1000.
        #[range(1..=1000)]
        top_k: i64 = 10,
        /// `words`: any words; a repeated word counts as often as it is repeated. `query`: words,
        /// `"phrases"`, `+must`, `-not`, `AND`, `OR`, `NOT` and parentheses, fields (`body`,
        /// `file`, `id`), ranges and weights.
        syntax: Syntax = Syntax::Words,
        /// Conditions on `meta`, all of which a hit fulfils: a record of fields, each with a value,
        /// a list of values, or operators as in `{ year: { at_least: 2020 }, lang: "en" }`.
        r#where: Option<Conditions> = None,
        /// The field of `meta` to sort by instead of the score: `"date"`, or `"-date"` for the latest
        /// first.
        sort: Option<Text> = None,
        /// `words`: the words of the query. `meaning`: what a text says, in whichever words. `both`:
        /// the scores of both, each mapped to 0..1, are added.
        mode: Mode = Mode::Words,
        /// The model for meaning: the folder of a sentence encoder, or what `vectors.learn` returned.
        model: Option<Given> = None,
        /// How much meaning counts in `both`; words count the rest.
        #[tune]
        #[range(0.0..=1.0)]
        meaning_weight: f64 = MEANING,
        /// How slowly more occurrences of a word count less: 0.2, the second counts hardly anything;
        /// 3, it counts nearly as much as the first.
        #[tune]
        #[range(0.2..=3.0)]
        k1: f64 = 1.2,
        /// How much the length of a document counts: 0, a long one counts as a short one; 1, only the
        /// share of the words counts.
        #[tune]
        #[range(0.0..=1.0)]
        b: f64 = 0.6,
        /// How much words count more in the title and at the beginning: the first word of a document
        /// counts this much more, and later ones less.
        #[tune]
        #[range(0.0..=5.0)]
        title_boost: f64 = 0.6,
        /// How much neighbouring words of the query count where they are close together, compared to
        /// a word.
        #[tune]
        #[range(0.0..=1.0)]
        proximity: f64 = 0.2,
        /// How many words of the best hits count as evidence for other hits; 0 for none.
        #[tune]
        #[range(0..=50)]
        feedback_terms: i64 = 0,
        /// How much they count: 1, half of what the words of the query count.
        #[tune]
        #[range(0.0..=1.0)]
        feedback_weight: f64 = 1.0,
        /// How many of the best hits they are taken from.
        #[tune]
        #[range(1..=50)]
        feedback_docs: i64 = 10,
        /// How much the scores of the ten hits that a hit is most like count for it: 1, half of what the
        /// words of the query count; 0, nothing. Weights of both that are more than 1 together count
        /// as shares of 1.
        #[tune]
        #[range(0.0..=1.0)]
        neighbour_weight: f64 = 0.0,
        /// The name of an index that `search.index` filled, which is searched instead of a source.
        index: Option<Text> = None,
    }
}

/// How much meaning counts next to words.
const MEANING: f64 = 0.5;

/// Whether a call reads a model, and a source or a named index.
pub(super) const DECIDE: Option<DecideEffects> = Some(|args: &KnownArgs<'_, '_>| {
    let has = |name| args.get(name).map(|it| !matches!(it, Value::Null));
    let effects = match (has("index")?, has("model")?) {
        (false, false) => &EFFECTS[..1],
        (false, true) => &EFFECTS[..2],
        (true, true) => &EFFECTS[1..],
        (true, false) => &EFFECTS[2..],
    };
    Some(CallEffects { effects, is_idempotent: true })
});

const EFFECTS: &[Effect] = &[
    Effect::Reads(Scope::Path("source")),
    Effect::Reads(Scope::Path("model")),
    Effect::Reads(Scope::Named("cache")),
];

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::Arg("top_k"));
    const GENERIC: Generic = Generic::Field("meta");
    const EFFECTS: &'static [Effect] = EFFECTS;
    const DECIDE: Option<DecideEffects> = DECIDE;
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "search my documents",
        "find files about a subject",
        "which notes mention a name",
        "look for something in a folder",
        "full-text search with phrases",
        "where did i write about this",
        "query a collection of records",
        "hunt through my notes or papers for a keyword",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("search_documents"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The notes about a subject",
            r#""watering the plants" >> search(source: "notes") >> each { .path }"#,
            r#"["notes/garden.md"]"#,
        )
        .with(NOTES),
        Example::ok(
            "A snippet with the words",
            r#""budgets" >> search(source: "notes", top_k: 1) >> each { .snippet }"#,
            r##"["# Money The **budget** is enforced every month."]"##,
        )
        .with(NOTES),
        Example::ok(
            "Records, and a query with operators",
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
            "A missing folder",
            r#""x" >> search(source: "nowhere")"#,
            "cannot use `nowhere`: it does not exist",
        ),
    ];
}

const NOTES: &[(&str, &str)] = &[
    ("notes/garden.md", "# Garden\n\nPlants need water.\n"),
    ("notes/money.md", "# Money\n\nThe budget is enforced every month.\n"),
];

impl Infer {
    #[expect(clippy::cast_possible_truncation, reason = "scores are not that precise")]
    fn weights(&self) -> Weights {
        let count = |it: i64| usize::try_from(it).unwrap_or_default();
        Weights {
            k1: self.k1 as f32,
            b: self.b as f32,
            title_boost: self.title_boost as f32,
            proximity: self.proximity as f32,
            feedback: Feedback {
                terms: count(self.feedback_terms),
                weight: self.feedback_weight,
                docs: count(self.feedback_docs),
                neighbours: self.neighbour_weight,
            },
        }
    }
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let weights = self.weights();
        let search = Search {
            condition: Condition::of(self.r#where.as_ref())?,
            wanted: Wanted::Hits {
                most: usize::try_from(self.top_k).unwrap_or(usize::MAX),
                order: self.sort.as_deref().map(Order::of).transpose()?,
                meta: cx.wanted().cloned(),
            },
            query: self.query,
            source: self.source,
            index: self.index,
            syntax: self.syntax,
            how: How { mode: self.mode, model: self.model, weight: self.meaning_weight },
            weights,
        };
        Ok(Value::List(job::run(cx, search)?.into()))
    }
}

#[cfg(test)]
mod tests;
