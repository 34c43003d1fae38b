//! Splits texts into the word pieces of BERT: words and signs, then the longest known pieces of each.

use std::{borrow::Cow, collections::HashMap};

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

/// The longest word that is split into pieces, in characters.
const LONGEST_WORD: usize = 100;

pub(super) struct Pieces {
    known: HashMap<String, usize>,
    first: usize,
    last: usize,
    unknown: usize,
    lower: bool,
    strip: bool,
    words: Regex,
    accents: Regex,
    ignored: Regex,
}

impl Pieces {
    /// Reads a vocabulary of one piece per line.
    pub(super) fn read(content: &[u8], lower: bool, strip: bool) -> Result<Self, String> {
        let text = std::str::from_utf8(content).map_err(|err| err.to_string())?;
        let known: HashMap<String, usize> =
            text.lines().enumerate().map(|(place, it)| (it.to_owned(), place)).collect();
        let special = |name: &str| known.get(name).copied().ok_or(format!("no piece `{name}`"));
        let regex = |it| Regex::new(it).map_err(|err| err.to_string());
        Ok(Self {
            first: special("[CLS]")?,
            last: special("[SEP]")?,
            unknown: special("[UNK]")?,
            // Chinese characters and signs are words by themselves.
            words: regex(
                r"[\p{P}$+<=>^`|~㐀-䶿一-鿿豈-﫿\x{20000}-\x{2CEAF}\x{2F800}-\x{2FA1F}]|[^\s\p{P}$+<=>^`|~㐀-䶿一-鿿豈-﫿\x{20000}-\x{2CEAF}\x{2F800}-\x{2FA1F}]+",
            )?,
            accents: regex(r"\p{Mn}+")?,
            ignored: regex(r"[\p{Cc}\p{Cf}\p{Co}\x{FFFD}&&[^\t\n\r]]+")?,
            known,
            lower,
            strip,
        })
    }

    /// The number of pieces.
    pub(super) fn count(&self) -> usize {
        self.known.values().max().map_or(0, |it| it + 1)
    }

    /// The numbers of the pieces of a text between the first and the last piece, at most `most`.
    pub(super) fn ids(&self, text: &str, most: usize) -> Vec<usize> {
        /// Longer than almost all pieces with the spaces around them: the rest is not looked at.
        const PER_PIECE: usize = 4 * LONGEST_WORD;
        let text = beginning(text, most.saturating_mul(PER_PIECE));
        let text = self.plain(text);
        let mut ids = vec![self.first];
        for word in self.words.find_iter(&text) {
            if ids.len() >= most.saturating_sub(1) {
                break;
            }
            self.add(word.as_str(), &mut ids);
        }
        ids.truncate(most.saturating_sub(1));
        ids.push(self.last);
        ids
    }

    fn plain<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = self.ignored.replace_all(text, "");
        if self.lower {
            // Each letter by itself: the vocabulary has no other form at the end of a word.
            text = text.chars().flat_map(char::to_lowercase).collect();
        }
        if self.strip {
            let parted: String = text.nfd().collect();
            text = self.accents.replace_all(&parted, "").into_owned().into();
        }
        text
    }

    fn add(&self, word: &str, ids: &mut Vec<usize>) {
        let start = ids.len();
        let mut rest = word;
        if word.chars().count() > LONGEST_WORD {
            rest = "";
            ids.push(self.unknown);
        }
        while !rest.is_empty() {
            let Some((id, len)) = self.longest(rest, rest.len() == word.len()) else {
                ids.truncate(start);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[len..];
        }
    }

    /// The longest known piece at the beginning of `rest`, and its length.
    fn longest(&self, rest: &str, is_first: bool) -> Option<(usize, usize)> {
        let mut piece = if is_first { String::new() } else { "##".to_owned() };
        let mark = piece.len();
        piece.push_str(rest);
        while piece.len() > mark {
            if let Some(id) = self.known.get(&piece) {
                return Some((*id, piece.len() - mark));
            }
            piece.pop();
        }
        None
    }
}

/// At most the first `most` bytes.
fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}
