//! Corrects misspelt words of a goal to words of the documentation.

use std::collections::BTreeSet;

use svc_contract::registry::Index;
use svc_text::{synonyms, typos::is_near};

use super::goal::{BETWEEN, FILLERS};

/// Shorter words have too many neighbours.
const SHORTEST: usize = 6;

/// Longer words are data.
const LONGEST: usize = 24;

/// The words in the names of ops.
pub(super) struct Spelling<'i> {
    index: &'i Index,
    words: BTreeSet<String>,
}

impl<'i> Spelling<'i> {
    pub(super) fn of(index: &'i Index) -> Self {
        let plain = BETWEEN.into_iter().chain(FILLERS.split_whitespace());
        let meant = synonyms::all().chain(plain).map(str::to_owned);
        let words = index.names().chain(meant).filter(|it| it.len() >= SHORTEST);
        Self { words: words.collect(), index }
    }

    /// The only word in the names of ops that differs by one typo from an unknown word: an extra,
    /// missing or wrong letter, or two swapped letters.
    pub(super) fn corrected(&self, word: &str) -> Option<&str> {
        let is_word = (SHORTEST..=LONGEST).contains(&word.len())
            && word.bytes().all(|it| it.is_ascii_lowercase());
        if !is_word || self.words.contains(word) || self.index.knows(word) {
            return None;
        }
        // Another form of a word is not a typo.
        if word.strip_suffix('s').is_some_and(|it| self.words.contains(it)) {
            return None;
        }
        let mut near = self.words.iter().filter(|it| it[..1] == word[..1] && is_near(it, word));
        let first = near.next()?;
        near.next().is_none().then_some(first)
    }
}
