//! Notes and what became of evolutions, found again by their words, how lately and how often they were
//! used.
//!
//! The order is that of words (BM25F) times a boost by the base-level activation of ACT-R (Anderson &
//! Schooler 1991): what was used lately and often is likely to be needed.

mod kept;
mod merge;
mod ops;

use svc_contract::registry::{ErrorKind, OpError};
use svc_store::book::{Book, KeptNote, MOST_NOTES};
use svc_text::search::{Page, Search};

use crate::biases::failed;

pub use kept::Notes;
pub use ops::COMPONENT;

/// What ids of notes begin with.
const PREFIX: &str = "note_";

/// The longest note in bytes.
pub(crate) const LONGEST: usize = 64 << 10;

/// How the order of notes is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// How quickly a use is forgotten.
    pub(crate) decay: f64,
    /// How much use and time count next to words.
    pub(crate) recency: f64,
}

impl Default for How {
    fn default() -> Self {
        Self { decay: 0.5, recency: 0.3 }
    }
}

/// A note that was found.
pub(crate) struct Recalled {
    pub(crate) note: KeptNote,
    pub(crate) score: f64,
}

/// Keeps a note. Returns its id, and whether it was known.
pub(crate) fn remember(
    book: &Book,
    text: &str,
    source: &str,
    tags: Vec<String>,
    at: i64,
) -> Result<(String, bool), OpError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(OpError::invalid_input("the note is empty"));
    }
    if text.len() > LONGEST {
        let message = format!("the note is too long: {} bytes (limit {LONGEST})", text.len());
        return Err(OpError::invalid_input(message).help("keep it in parts"));
    }
    let (id, digest) = identified(text);
    let note = KeptNote {
        id,
        at,
        source: source.to_owned(),
        tags,
        text: text.to_owned(),
        digest,
        used: vec![],
    };
    let kept = book.keep_note(note).wait().map_err(failed)?;
    kept.ok_or_else(|| {
        OpError::new(ErrorKind::Exhausted, format!("there are {MOST_NOTES} notes already"))
            .help("forget or consolidate some")
    })
}

/// The best notes for a question, and notes that they were used.
pub(crate) fn recall(
    book: &Book,
    question: &str,
    most: usize,
    how: How,
    now: i64,
) -> Result<Vec<Recalled>, OpError> {
    let found = find(book, question, most, how, now)?;
    let ids: Vec<String> = found.iter().map(|it| it.note.id.clone()).collect();
    if !ids.is_empty() {
        book.use_notes(ids, now).map_err(failed)?;
    }
    Ok(found)
}

/// The best notes for a question at a time. Later notes and uses are not known then.
fn find(
    book: &Book,
    question: &str,
    most: usize,
    how: How,
    at: i64,
) -> Result<Vec<Recalled>, OpError> {
    let mut notes = book.kept_notes().map_err(failed)?;
    notes.retain(|it| it.at <= at);
    let pages = Search::of(notes.iter().map(|it| Page {
        names: it.tags.join(" "),
        phrases: Vec::new(),
        summary: it.text.clone(),
        details: it.source.clone(),
    }));
    let mut found: Vec<Recalled> = pages
        .find(question)
        .into_iter()
        .filter_map(|it| {
            let note = notes.get(it.page)?.clone();
            let score = it.score * (1.0 + how.recency * activation(&note, how.decay, at));
            Some(Recalled { note, score })
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.note.id.cmp(&b.note.id)));
    found.truncate(most);
    Ok(found)
}

/// How likely a note is needed by when it was kept and used, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "times")]
fn activation(note: &KeptNote, decay: f64, now: i64) -> f64 {
    let times = std::iter::once(&note.at).chain(&note.used).filter(|it| **it <= now);
    // In hours, at least one minute ago.
    let ago = |at: &i64| ((now - at).max(60_000)) as f64 / 3_600_000.0;
    let sum: f64 = times.map(|it| ago(it).powf(-decay)).sum();
    sum / (1.0 + sum)
}

/// The id of a text, and the hash by which it is known.
fn identified(text: &str) -> (String, [u8; 32]) {
    let hash = blake3::hash(folded(text).as_bytes());
    (format!("{PREFIX}{}", &hash.to_hex()[..20]), *hash.as_bytes())
}

/// A text without differences that do not change what it says.
fn folded(text: &str) -> String {
    let words = text.split_whitespace().map(str::to_lowercase);
    words.collect::<Vec<String>>().join(" ")
}
