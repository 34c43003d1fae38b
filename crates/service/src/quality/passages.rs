//! The texts that a run read.

use std::collections::HashSet;

use svc_contract::{
    registry::{Effect, OpDef, Scope},
    value::{Record, Text, Value},
};

/// The most passages, and the most bytes of them.
const MOST: usize = 500;
const MOST_BYTES: usize = 512 << 10;

/// The most values that are looked at, and how deep.
const MOST_VALUES: usize = 50_000;
const DEEPEST: usize = 8;

/// What names where a text stands.
const PLACES: [&str; 3] = ["path", "url", "source"];

/// Passages, each text once.
#[derive(Debug, Default)]
pub(super) struct Passages {
    texts: Vec<Text>,
    known: HashSet<Text>,
    bytes: usize,
    values: usize,
}

impl Passages {
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    pub(super) fn is_full(&self) -> bool {
        self.texts.len() >= MOST || self.bytes >= MOST_BYTES || self.values >= MOST_VALUES
    }

    /// Adds the passages of a value: the texts of records that name a place. If the value was read
    /// from outside, a bare text is one, too.
    pub(super) fn add(&mut self, value: &Value, is_read: bool) {
        match value {
            Value::Text(text) if is_read => self.add_text(text),
            _ => self.look(value, 0),
        }
    }

    fn look(&mut self, value: &Value, depth: usize) {
        self.values += 1;
        if depth > DEEPEST || self.is_full() {
            return;
        }
        match value {
            Value::List(items) => items.iter().for_each(|it| self.look(it, depth + 1)),
            Value::Record(of) => match text_of(of) {
                Some(text) => self.add_text(text),
                None => of.iter().for_each(|(_, it)| self.look(it, depth + 1)),
            },
            _ => {}
        }
    }

    fn add_text(&mut self, text: &Text) {
        if text.is_empty() || self.is_full() || self.known.contains(text) {
            return;
        }
        let left = MOST_BYTES - self.bytes;
        let kept: Text = match text.get(..text.floor_char_boundary(left)) {
            Some(part) if part.len() < text.len() => part.into(),
            _ => text.clone(),
        };
        self.bytes += kept.len();
        self.known.insert(text.clone());
        self.texts.push(kept);
    }
}

/// The text of a passage.
fn text_of(of: &Record) -> Option<&Text> {
    let has_place =
        PLACES.iter().any(|it| matches!(of.get(it), Some(Value::Text(_) | Value::Path(_))));
    match of.get("text") {
        Some(Value::Text(text)) if has_place => Some(text),
        _ => None,
    }
}

/// Whether the result of an op is its own words, and not what it read: then nothing of it is a
/// passage.
pub(super) fn is_made(op: &OpDef) -> bool {
    let from_model = |it: &Effect| matches!(it, Effect::Reads(Scope::Named("llm")));
    let runs = |it: &Effect| matches!(it, Effect::Runs(_) | Effect::Asks);
    let pays = op.effects.contains(&Effect::Spends) && !reads(op);
    pays || op.effects.iter().any(|it| from_model(it) || runs(it))
}

/// Whether an op reads files or the web.
pub(super) fn reads(op: &OpDef) -> bool {
    let is_outside = |it: &Effect| match it {
        Effect::Reads(Scope::Path(_) | Scope::Web(_) | Scope::Site(_)) => true,
        Effect::Reads(Scope::Named(name)) => *name == "search_engine",
        _ => false,
    };
    op.effects.iter().any(is_outside)
}
