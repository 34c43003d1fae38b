//! What a result says in sentences, and the sources that it carries itself.

use svc_contract::value::{List, Record, Text, Value};
use svc_text::{claims::claims_of, stems::words};

use super::passages::Passages;

/// The most text that is looked at, in bytes.
const MOST_TEXT: usize = 64 << 10;

/// The most sentences that are compared with sources.
const MOST_CLAIMS: usize = 200;

/// The most values of a result that are looked at, and how deep.
const MOST_VALUES: usize = 10_000;
const DEEPEST: usize = 8;

/// Shorter pieces of text are names, numbers or words.
const FEWEST_WORDS: usize = 3;

/// The fields of a record that hold its text; the first that is there counts.
const TEXTS: [&str; 6] = ["answer", "summary", "text", "reply", "report", "content"];

/// The fields that hold what a text stands on, what was asked, or how it was made.
const NOT_SAID: [&str; 8] =
    ["sources", "passages", "hits", "checks", "steps", "usage", "query", "question"];

/// The sentences of a result.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) claims: Vec<String>,
    /// The sources that it carries itself.
    pub(super) cited: Passages,
    /// Whether it is a record whose text is empty.
    pub(super) is_blank: bool,
    /// The bytes of the sentences.
    text: usize,
    values: usize,
}

impl Said {
    pub(super) fn of(value: &Value) -> Self {
        let mut said = Self::default();
        said.add(value, 0);
        said
    }

    fn is_full(&self) -> bool {
        self.text >= MOST_TEXT || self.claims.len() >= MOST_CLAIMS || self.values >= MOST_VALUES
    }

    fn add(&mut self, value: &Value, depth: usize) {
        self.values += 1;
        if depth > DEEPEST || self.is_full() {
            return;
        }
        match value {
            Value::Text(text) => self.add_text(text),
            Value::List(items) => self.add_list(items, depth),
            Value::Record(of) => self.add_record(of, depth),
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let left = MOST_TEXT.saturating_sub(self.text);
        let text = text.get(..text.floor_char_boundary(left)).unwrap_or_default();
        self.text += text.len();
        let left = MOST_CLAIMS.saturating_sub(self.claims.len());
        let is_sentence = |it: &String| words(it).nth(FEWEST_WORDS - 1).is_some();
        self.claims.extend(claims_of(text).into_iter().filter(is_sentence).take(left));
    }

    fn add_list(&mut self, items: &List, depth: usize) {
        for item in items {
            if self.is_full() {
                return;
            }
            self.add(item, depth + 1);
        }
    }

    fn add_record(&mut self, of: &Record, depth: usize) {
        if let Some(Value::List(cited)) = of.get("sources") {
            cited.iter().for_each(|it| self.cited.add(it, false));
        }
        if is_document(of) {
            return;
        }
        if let Some(sentences @ Value::List(_)) = of.get("sentences") {
            return self.add(sentences, depth + 1);
        }
        let text = TEXTS.iter().find_map(|name| match of.get(name)? {
            Value::Text(it) => Some(it),
            _ => None,
        });
        if let Some(text) = text {
            self.is_blank = depth == 0 && text.trim().is_empty();
            return self.add_text(text);
        }
        let is_part = |(name, it): &(&Text, &Value)| {
            let is_said = !NOT_SAID.contains(&name.as_ref());
            is_said && matches!(it, Value::List(_) | Value::Record(_))
        };
        for (_, part) in of.iter().filter(is_part) {
            self.add(part, depth + 1);
        }
    }
}

/// Whether a record is a document or a hit of a search, which says nothing of its own.
fn is_document(of: &Record) -> bool {
    let has = |name| matches!(of.get(name), Some(Value::Text(_) | Value::Path(_)));
    has("title") && (has("path") || has("url"))
}
