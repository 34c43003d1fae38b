//! How hard an English text is to read: the reading ease of Flesch (1948) and the grade of Kincaid
//! et al. (1975).
//!
//! Words, sentences and syllables are counted as the Python package `textstat` 0.7.13 counts them.
//! The syllables of frequent words are those of the Carnegie Mellon Pronouncing Dictionary; others
//! have one more than Liang's patterns (1983) have places to hyphenate them.

use std::{collections::HashMap, sync::LazyLock};

use hypher::{Lang, hyphenate_bounded};

/// The frequent words of the dictionary whose syllables the patterns do not count.
const DICTIONARY: &str = include_str!("syllables.txt");

/// A longer word is counted in pieces: the patterns take at most 45 bytes.
const LONGEST: usize = 40;

/// The number of words of a sentence that does not count.
const SHORT: usize = 2;

/// The counts of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub words: usize,
    pub sentences: usize,
    pub syllables: usize,
}

impl Counts {
    /// Counts an English text. `check` is called for each word, and ends the work with its error.
    pub fn of<E>(text: &str, mut check: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let mut counts = Self::default();
        let mut word = String::new();
        words(text, &mut word, |it| {
            check()?;
            counts.words += 1;
            counts.syllables += syllables(it);
            Ok(())
        })?;
        counts.sentences = sentences(text, &mut word, check)?;
        Ok(counts)
    }

    /// The reading ease of Flesch: 100 is very easy, 0 very hard; it has no bounds. 0 without words.
    pub fn flesch(self) -> f64 {
        self.score(|words, syllables| 206.835 - 1.015 * words - 84.6 * syllables)
    }

    /// The years of school (in the United States) that the text needs. 0 without words.
    pub fn grade(self) -> f64 {
        self.score(|words, syllables| 0.39 * words + 11.8 * syllables - 15.59)
    }

    /// A score of the words in a sentence and the syllables in a word.
    #[expect(clippy::cast_precision_loss, reason = "texts have fewer words")]
    fn score(self, of: impl Fn(f64, f64) -> f64) -> f64 {
        if self.words == 0 {
            return 0.0;
        }
        let words = self.words as f64;
        of(words / self.sentences.max(1) as f64, self.syllables as f64 / words)
    }
}

/// Calls `each` for the words of `text` in lower case: what is between white space, without
/// punctuation. Only an apostrophe as in `don't` stays.
fn words<E>(
    text: &str,
    word: &mut String,
    mut each: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    word.clear();
    for (at, it) in text.char_indices() {
        if is_space(it) {
            if !word.is_empty() {
                each(word)?;
                word.clear();
            }
        } else if is_letter(it) {
            word.extend(it.to_lowercase());
        } else if it == '\'' && is_contraction(&text[at + 1..]) {
            word.push('\'');
        }
    }
    if word.is_empty() { Ok(()) } else { each(word) }
}

fn is_space(it: char) -> bool {
    it.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&it)
}

fn is_letter(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

fn is_contraction(rest: &str) -> bool {
    rest.starts_with(['t', 's', 'd']) || ["ve", "ll", "re"].iter().any(|it| rest.starts_with(it))
}

/// The number of sentences: what a full stop, exclamation or question mark ends, unless it has at
/// most two words; at least one in a text that is not empty.
fn sentences<E>(
    text: &str,
    word: &mut String,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<usize, E> {
    let is_stop = |it: char| matches!(it, '.' | '!' | '?');
    let mut count = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find(is_letter).map(|it| at + it) {
        let rest = &text[start..];
        at = rest.find(is_stop).map_or(text.len(), |it| start + it);
        let mut number = 0;
        words(&text[start..at], word, |_| {
            number += 1;
            check()
        })?;
        count += usize::from(number > SHORT);
        let rest = &text[at..];
        at = rest.find(|it| !is_stop(it)).map_or(text.len(), |it| at + it);
    }
    Ok(if text.is_empty() { 0 } else { count.max(1) })
}

/// The syllables of a word in lower case, at least one.
pub fn syllables(word: &str) -> usize {
    if let Some(known) = dictionary().get(word) {
        return usize::from(*known);
    }
    let mut count = 0;
    let mut rest = word;
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(rest.floor_char_boundary(LONGEST));
        count += hyphenate_bounded(piece, Lang::English, 2, 2).count();
        rest = others;
    }
    count.max(1)
}

/// The syllables of frequent words.
fn dictionary() -> &'static HashMap<&'static str, u8> {
    static ALL: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
        let lines = DICTIONARY.lines().filter(|it| !it.starts_with('#'));
        let counts = lines.filter_map(|it| it.split_once(' '));
        let words = counts.filter_map(|(count, words)| Some((count.parse().ok()?, words)));
        words.flat_map(|(count, words)| words.split(' ').map(move |it| (it, count))).collect()
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Counts {
        Counts::of(text, || Ok::<(), ()>(())).unwrap()
    }

    fn shown(text: &str) -> [usize; 3] {
        let Counts { words, sentences, syllables } = counts(text);
        [words, sentences, syllables]
    }

    /// What `textstat` 0.7.13 prints for the same texts.
    #[test]
    fn counts_are_those_of_textstat() {
        let text = "The cat sat on the mat. It was happy with its beautiful situation.";
        assert_eq!(shown(text), [13, 2, 19]);
        assert!((counts(text).flesch() - 76.591_346_153_846_15).abs() < 1e-9);
        assert_eq!(shown("Yes. No. Maybe so, said he."), [6, 1, 7]);
        assert_eq!(shown(""), [0, 0, 0]);
        assert_eq!(shown("?!"), [0, 1, 0]);
        assert_eq!(shown("It's a well-known 'fact' that don't count"), [7, 1, 8]);
    }

    #[test]
    fn a_text_without_words_scores_0() {
        for text in ["", "?! ...", " \n "] {
            let scores = [counts(text).flesch(), counts(text).grade()];
            assert!(scores.iter().all(|it| it.abs() < f64::EPSILON), "{scores:?}");
        }
    }

    #[test]
    fn words_have_their_syllables() {
        for (word, expected) in
            [("business", 2), ("area", 3), ("people", 2), ("hyphenation", 4), ("x", 1), ("2019", 1)]
        {
            assert_eq!(syllables(word), expected, "{word}");
        }
    }

    #[test]
    fn hostile_texts_are_done_quickly() {
        for text in ["a".repeat(1 << 20), "👍".repeat(1 << 18), "a. ".repeat(1 << 18)] {
            assert!(counts(&text).flesch().is_finite());
        }
    }
}
