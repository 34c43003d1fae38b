//! Reads the tokens of sentences.

use std::{collections::HashMap, ops::Range};

use svc_contract::value::Text;
use svc_text::{blocks::blocks, segments, sentences::split, snowball::Stems, tagger::Tag};

use super::{Token, offset, state::Knowledge};

/// Longer words are data, not language, and have no stem.
const LONGEST: usize = 64;

/// The number of distinct tokens whose forms are shared.
const MOST_SHARED: usize = 100_000;

/// A text being read.
pub(super) struct Reader<'a> {
    text: &'a str,
    stems: Option<Stems>,
    knowledge: Option<&'a Knowledge>,
    /// The forms of tokens that were read, which later ones share.
    known: HashMap<&'a str, Shapes>,
}

/// A token, in lower case, and its stem.
#[derive(Clone)]
struct Shapes {
    text: Text,
    lower: Text,
    stem: Text,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        text: &'a str,
        stems: Option<Stems>,
        knowledge: Option<&'a Knowledge>,
    ) -> Self {
        Self { text, stems, knowledge, known: HashMap::new() }
    }

    /// The sentences, also those of headings, tables and code.
    pub(super) fn sentences(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let text = self.text;
        blocks(text).flat_map(move |it| split(text, it.body))
    }

    /// The tokens of a sentence, as ranges of the text.
    pub(super) fn tokens(&self, sentence: Range<usize>) -> Vec<Range<usize>> {
        let start = sentence.start;
        let found = segments::tokens(&self.text[sentence]);
        let mut tokens = Vec::new();
        for token in found.map(|it| start + it.start..start + it.end) {
            match self.parts(&self.text[token.clone()]) {
                Some(at) => {
                    tokens.extend([token.start..token.start + at, token.start + at..token.end]);
                }
                None => tokens.push(token),
            }
        }
        tokens
    }

    /// Where a word with an apostrophe that the model does not know is split into two that it
    /// knows: `do` and `n't`, `it` and `'s`, `l'` and `homme`.
    fn parts(&self, word: &str) -> Option<usize> {
        let words = self.knowledge?.words();
        let (at, sign) = word.char_indices().find(|(_, it)| matches!(it, '\'' | '’'))?;
        let has = |it: &str| !it.is_empty() && words.has(&plain(it));
        if word.len() > LONGEST || has(word) {
            return None;
        }
        let n = at.checked_sub(1).filter(|it| word[*it..].starts_with(['n', 'N']));
        let places = [n, Some(at), Some(at + sign.len_utf8())];
        places.into_iter().flatten().find(|it| {
            let (one, other) = word.split_at(*it);
            // Known is the part with the apostrophe; the other one may be any word.
            let apostrophe = if one.len() > at { one } else { other };
            !one.is_empty() && !other.is_empty() && has(apostrophe)
        })
    }

    pub(super) fn token(&mut self, range: Range<usize>, tag: Option<Tag>) -> Token {
        let Shapes { text, lower, stem } = self.shapes(&self.text[range.clone()]);
        let pos = tag.map(|it| it.name().into());
        Token { start: offset(range.start), end: offset(range.end), text, lower, stem, pos }
    }

    fn shapes(&mut self, token: &'a str) -> Shapes {
        if let Some(known) = self.known.get(token) {
            return known.clone();
        }
        let text = Text::from(token);
        let small = token.to_lowercase();
        let small = if small == token { text.clone() } else { small.into() };
        let stem = match &self.stems {
            Some(stems) if token.len() <= LONGEST && segments::is_word(token) => {
                let stem = stems.stem(&small);
                if stem == small.as_ref() { small.clone() } else { stem.as_ref().into() }
            }
            _ => small.clone(),
        };
        let shapes = Shapes { text, lower: small, stem };
        if self.known.len() < MOST_SHARED {
            self.known.insert(token, shapes.clone());
        }
        shapes
    }
}

/// A word as a model counts it: in lower case, with the plain apostrophe.
pub(super) fn plain(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}
