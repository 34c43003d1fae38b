//! The component `adapt_memory`: notes that people and agents keep, recall, forget and merge.

use std::time::Duration;

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, Effect, ErrorKind, Example, Field, Max, Op, OpError, Scheme,
        Scope, compute, params, record,
    },
    value::{Text, Timestamp, Value},
};
use svc_store::book::{Book, KeptNote};

use super::{How, Recalled, kept::notes, merge};
use crate::biases::failed;

pub const COMPONENT: Component = Component {
    name: "adapt_memory",
    cluster: "knowledge-grounding",
    summary: "Keeps notes of people and agents, and recalls, forgets and merges them.",
    version: 1,
    bias: Bias::new(
        "words times recency times use",
        &["what was used lately is needed again", "a note answers in the words of the question"],
    ),
    aliases: &[("recall", "infer"), ("remember", "remember"), ("forget", "forget")],
    ops: &[
        compute::<Infer>(),
        compute::<Remember>(),
        compute::<Forget>(),
        compute::<Consolidate>(),
    ],
};

const READS: &[Effect] = &[Effect::Reads(Scope::Named("notes"))];
const WRITES: &[Effect] = &[Effect::Writes { scope: Scope::Named("notes"), idempotent: true }];
const ERRORS: &[ErrorKind] = &[
    ErrorKind::InvalidInput,
    ErrorKind::NotFound,
    ErrorKind::Unsupported,
    ErrorKind::Exhausted,
    ErrorKind::Failed,
];

record! {
    /// A note.
    struct Note {
        /// Its name, by which it can be forgotten.
        id: Text,
        /// What it says.
        text: Text,
        /// Where it comes from.
        source: Text,
        /// Its tags.
        tags: Vec<Text>,
        /// When it was kept.
        at: Timestamp,
        /// How well it fits: higher is better.
        score: f64,
    }
}

impl Note {
    fn of(found: Recalled) -> Self {
        let Recalled { note: KeptNote { id, at, source, tags, text, .. }, score } = found;
        Self {
            id: id.into(),
            text: text.into(),
            source: source.into(),
            tags: tags.into_iter().map(Into::into).collect(),
            at: Timestamp::from_millisecond(at).unwrap_or_default(),
            score,
        }
    }
}

params! {
    /// Returns the notes that fit a question best, the best first.
    ///
    /// A note counts by its words (BM25F over its tags and its text), times a boost for what was kept
    /// or recalled lately and often: the base-level activation of ACT-R (Anderson & Schooler 1991).
    /// The time of a recall is kept with the note, as a file system keeps the time of an access.
    struct Infer {
        /// The question.
        #[filled]
        question: Text,
        /// The maximum number of notes.
        #[range(1..=100)]
        top_k: i64 = 5,
        /// The time of the question. By default it is now, and the recall is kept.
        at: Option<Timestamp> = None,
        /// How quickly a use is forgotten: the exponent of the time since then.
        #[tune]
        #[range(0.0..=1.0)]
        decay: f64 = 0.5,
        /// How much recency and use count next to words.
        #[tune]
        #[range(0.0..=1.0)]
        recency: f64 = 0.3,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Note::SCHEME, Max::Arg("top_k"));
    const EFFECTS: &'static [Effect] = READS;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "recall notes that were kept earlier",
        "what do the kept notes say about a question",
        "search long-term memory",
    ];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "Recalls the notes about a question",
        r#"recall("who approves an invoice?", top_k: 3)"#,
        "no notes are kept here",
    )];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let how = How { decay: self.decay, recency: self.recency };
        let most = usize::try_from(self.top_k).unwrap_or_default();
        let book = notes(cx)?;
        let found = match self.at {
            Some(at) => super::find(&book, &self.question, most, how, at.as_millisecond())?,
            None => super::recall(&book, &self.question, most, how, cx.host().now())?,
        };
        Ok(found.into_iter().map(Note::of).collect::<Vec<Note>>().encode())
    }
}

record! {
    /// A note that is kept.
    struct Kept {
        /// Its name.
        id: Text,
        /// Whether it was known: a note with the same words is kept once.
        duplicate: bool,
    }
}

params! {
    /// Keeps a note until it is forgotten. A note with the same words is kept once.
    struct Remember {
        /// The note, of at most 64KiB.
        #[filled]
        text: Text,
        /// Where it comes from.
        source: Text = "manual".into(),
        /// Words by which it is found, too.
        tags: Vec<Text> = vec![],
    }
}

impl Op for Remember {
    const NAME: &'static str = "remember";
    const YIELDS: Scheme = Kept::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "keep a note in long-term memory",
        "remember a fact for later runs",
        "store a note with its tags",
    ];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "Keeps a note",
        r#"remember("Invoices above 500 EUR need two signatures.", tags: ["invoices"])"#,
        "no notes are kept here",
    )];
}

impl Compute for Remember {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let tags = self.tags.iter().map(ToString::to_string).collect();
        let now = cx.host().now();
        let (id, duplicate) = super::remember(&*notes(cx)?, &self.text, &self.source, tags, now)?;
        Ok(Kept { id: id.into(), duplicate }.encode())
    }
}

record! {
    /// What was forgotten.
    struct Forgotten {
        /// The number of notes that were removed.
        removed: i64,
    }
}

params! {
    /// Removes a note, and overwrites its bytes in the database.
    struct Forget {
        /// The `id` of the note.
        #[filled]
        id: Text,
    }
}

impl Op for Forget {
    const NAME: &'static str = "forget";
    const YIELDS: Scheme = Forgotten::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "forget a note that was kept",
        "remove a note from long-term memory",
        "erase what was remembered",
    ];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "Forgets a note",
        r#"forget("note_5f1d7a84db00d2fce00b")"#,
        "no notes are kept here",
    )];
}

impl Compute for Forget {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        if !self.id.starts_with(super::PREFIX) {
            let message = format!("expected the id of a note, found `{}`", self.id);
            return Err(OpError::invalid_input(message)
                .help("`recall` shows the ids of notes: `note_` and 20 digits"));
        }
        let removed = notes(cx)?.forget_notes(vec![self.id.to_string()]).map_err(failed)?;
        Ok(Forgotten { removed: i64::try_from(removed).unwrap_or(i64::MAX) }.encode())
    }
}

record! {
    /// What became of old notes.
    struct Consolidated {
        /// The number of notes that are now part of another one.
        merged: i64,
        /// The number of notes that are left, of any age.
        kept: i64,
    }
}

params! {
    /// Merges old notes that say nearly the same into one, which has each of their sentences once,
    /// and all their sources and tags.
    ///
    /// Notes are alike if they share at least half of their shingles of three words (`MinHash`, Broder
    /// 1997, and the exact Jaccard similarity).
    struct Consolidate {
        /// The least age of a note that is merged.
        older_than: Duration = Duration::from_hours(30 * 24),
    }
}

impl Op for Consolidate {
    const NAME: &'static str = "consolidate";
    const YIELDS: Scheme = Consolidated::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "merge old notes that say the same",
        "consolidate long-term memory",
        "tidy up kept notes",
    ];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "Merges notes that are older than a week",
        "adapt_memory.consolidate(older_than: 7d)",
        "no notes are kept here",
    )];
}

impl Compute for Consolidate {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let book: &Book = &*notes(cx)?;
        let age = i64::try_from(self.older_than.as_millis()).unwrap_or(i64::MAX);
        let before = cx.host().now().saturating_sub(age);
        let merged = merge::old_ones(cx, book, before)?;
        let count = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        let kept = book.kept_notes().map_err(failed)?.len();
        Ok(Consolidated { merged: count(merged), kept: count(kept) }.encode())
    }
}
