//! Finds the ends of sentences in plain text and Markdown.
//!
//! Rules similar to Unicode's UAX #29, with lists of abbreviations. Headings, list items, code and
//! tables are boundaries. No sentence is longer than [`LONGEST`] bytes: text without a full stop is
//! cut between words. The time is linear in the length of any text, and nothing is allocated.

use std::ops::Range;

use super::{
    abbreviations::{Abbreviation, abbreviation, follows_ordinals},
    blocks::{Block, blocks},
    lines::trim,
};

/// The length limit of a sentence, in bytes.
pub const LONGEST: usize = 1_000;

/// A full stop before a lower-case letter ends a sentence that is at least this long, because some
/// texts have no capitals.
const LONG: usize = 200;

/// The sentences in the paragraphs and list items of `text`, as byte ranges.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    blocks(text).filter(Block::is_prose).flat_map(move |it| split(text, it.body))
}

/// Returns the sentences of `range`, which is treated as one block of prose.
pub fn split(text: &str, range: Range<usize>) -> Split<'_> {
    let end = range.end.min(text.len());
    Split { text: text.get(..end).unwrap_or_default(), at: range.start }
}

/// The iterator of [`split`].
#[derive(Clone, Debug)]
pub struct Split<'a> {
    /// The text up to the end of the block.
    text: &'a str,
    at: usize,
}

impl Iterator for Split<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + (rest.len() - rest.trim_start().len());
        if start >= self.text.len() {
            return None;
        }
        self.at = end_of_sentence(self.text, start);
        Some(trim(self.text, start..self.at))
    }
}

fn end_of_sentence(text: &str, start: usize) -> usize {
    let limit = text.floor_char_boundary(start.saturating_add(LONGEST));
    let mut at = start;
    let mut has_word = false;
    while let Some(stop) = find(text, at..limit, |it| is_stop(it) || it == '`') {
        has_word |= text.get(at..stop).is_some_and(|it| it.contains(char::is_alphanumeric));
        if let Some(end) = end_of_code(text, stop, limit) {
            at = end;
            has_word = true;
            continue;
        }
        let tail = find(text, stop..limit, |it| !is_stop(it) && !is_closer(it)).unwrap_or(limit);
        if has_word && is_end(text, start, stop, tail) {
            return tail;
        }
        at = tail;
    }
    if limit == text.len() { limit } else { cut(text, start, limit) }
}

/// The end of the code in backticks that begins at `start`, if there is one: full stops in code do
/// not end a sentence. A single backtick is treated as a quotation mark.
fn end_of_code(text: &str, start: usize, limit: usize) -> Option<usize> {
    const LONGEST_CODE: usize = 200;
    let inner = text.get(start..limit)?.strip_prefix('`')?;
    let near = inner.get(..inner.floor_char_boundary(LONGEST_CODE))?;
    Some(start + 1 + near.find('`')? + 1)
}

fn find(text: &str, range: Range<usize>, wanted: impl Fn(char) -> bool) -> Option<usize> {
    let start = range.start;
    text.get(range)?.find(wanted).map(|it| start + it)
}

/// The position of the last white space in the second half of a piece that must be cut, or its end.
fn cut(text: &str, start: usize, limit: usize) -> usize {
    let half = text.ceil_char_boundary(start + (limit - start) / 2);
    let space = text.get(half..limit).and_then(|it| it.rfind(char::is_whitespace));
    space.map_or(limit, |it| half + it)
}

fn is_stop(it: char) -> bool {
    matches!(it, '.' | '!' | '?' | '…') || is_wide_stop(it)
}

/// Whether it is a full stop that always ends a sentence: of scripts without spaces or without
/// capitals, such as the danda of Devanagari.
fn is_wide_stop(it: char) -> bool {
    matches!(it, '。' | '！' | '？' | '．' | '｡' | '।' | '॥' | '؟' | '۔' | '։' | '።' | '။')
}

fn is_closer(it: char) -> bool {
    matches!(it, '"' | '\'' | ')' | ']' | '}' | '*' | '_' | '`' | '”' | '’' | '»' | '」' | '』')
}

fn is_opener(it: char) -> bool {
    matches!(it, '"' | '\'' | '(' | '[' | '*' | '_' | '“' | '‘' | '«' | '「' | '„' | '¿' | '¡')
}

/// Whether the punctuation from `stop` to `tail`, including closing quotes, ends the sentence that
/// began at `start`.
fn is_end(text: &str, start: usize, stop: usize, tail: usize) -> bool {
    let (before, after) = (text.get(start..stop), text.get(tail..));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let signs = text.get(stop..tail).unwrap_or_default();
    let next = after.trim_start();
    if signs.contains(is_wide_stop) || next.is_empty() {
        return true;
    }
    if !after.starts_with(char::is_whitespace) {
        return false;
    }
    let goes_on = next
        .chars()
        .take(4)
        .find(|it| !is_opener(*it))
        .is_some_and(|it| it.is_lowercase() || it == ',' || it == ';');
    if signs.starts_with('.') && !signs.starts_with("..") {
        ends_at_full_stop(before, next, goes_on)
    } else {
        !goes_on
    }
}

fn ends_at_full_stop(before: &str, next: &str, goes_on: bool) -> bool {
    let word = last_word(before);
    if word.is_empty() {
        // "it was seen . it was noted": punctuation between spaces is a boundary.
        return true;
    }
    let is_numbering = || word.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    if word.len() == before.len() && is_numbering() {
        return false;
    }
    if is_spaced_abbreviation(word, next) || is_ordinal(word, next) {
        return false;
    }
    let is_number = next.starts_with(|it: char| it.is_ascii_digit());
    match abbreviation(word) {
        Some(Abbreviation::Title) => false,
        Some(Abbreviation::Numbered) => !is_number && !goes_on,
        Some(Abbreviation::Tail) => !goes_on,
        None if is_initial(word) => false,
        None => !goes_on || (before.len() >= LONG && word.chars().count() >= 3),
    }
}

/// Whether `word` is like `z` in `z. B.`, and `т` in `т. е.`
fn is_spaced_abbreviation(word: &str, next: &str) -> bool {
    let is_letter = |it: &str| {
        let mut chars = it.chars();
        chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
    };
    let end = next.find(|it: char| !it.is_alphanumeric()).unwrap_or(next.len());
    let (first, rest) = next.split_at(end);
    is_letter(word)
        && word.starts_with(char::is_lowercase)
        && is_letter(first)
        && rest.starts_with('.')
}

/// Whether `word` is a German ordinal before a noun, as in `am 3. Oktober`. Nouns have capitals
/// there, so a capital says nothing.
fn is_ordinal(word: &str, next: &str) -> bool {
    let is_small = matches!(word.len(), 1 | 2) && word.bytes().all(|it| it.is_ascii_digit());
    let end = next.find(|it: char| !it.is_alphabetic()).unwrap_or(next.len());
    is_small && follows_ordinals(&next[..end])
}

/// Whether `word` is like `J` in `J. Smith`, or has inner full stops, like `e.g` and `U.S`.
fn is_initial(word: &str) -> bool {
    let mut chars = word.chars();
    let is_letter = chars.next().is_some_and(char::is_uppercase) && chars.next().is_none();
    let is_letters = |it: &str| it.chars().count() == 1 && it.chars().all(char::is_alphabetic);
    let parts_are_letters = || word.split('.').all(is_letters);
    (is_letter && word != "I") || (word.contains('.') && parts_are_letters())
}

/// The letters, digits and inner full stops at the end of `text`, at most about 24 bytes.
fn last_word(text: &str) -> &str {
    let near = text.ceil_char_boundary(text.len().saturating_sub(24));
    let near = text.get(near..).unwrap_or_default();
    let start = near
        .char_indices()
        .rev()
        .find(|(_, it)| !it.is_alphanumeric() && *it != '.')
        .map_or(0, |(idx, it)| idx + it.len_utf8());
    let word = near.get(start..).unwrap_or_default();
    // "`code`." has no last word, but its full stop is not between spaces either.
    if word.is_empty() && !near.ends_with(char::is_whitespace) { near } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        sentences(text).map(|it| &text[it]).collect()
    }

    #[test]
    fn stops_that_end_nothing() {
        for whole in [
            "Dr. J. Smith paid $3.50, e.g. for pp. 12 and Fig. 3 of v1.2.",
            "\"Why?\" he said, and \"Stop!\" she said.",
            "In the U.S. Army, i.e. there, it is so.",
            "Use `name?` and `a.b` in main.rs now.",
            "It is `{ a: T? } .. Or` so, don`t worry",
            "Wait... what is it",
            "Smith et al. found it.",
            "1.2. Scope of the text",
        ] {
            assert_eq!(shown(whole), [whole]);
        }
    }

    #[test]
    fn stops_that_end_a_sentence() {
        assert_eq!(
            shown("One. Two! Three? Four… Five"),
            ["One.", "Two!", "Three?", "Four…", "Five"]
        );
        assert_eq!(
            shown("He said \"Go.\" Then (really.) we went."),
            ["He said \"Go.\"", "Then (really.) we went."]
        );
        assert_eq!(
            shown("Pens, ink, etc. All sold. No. Yes."),
            ["Pens, ink, etc.", "All sold.", "No.", "Yes."]
        );
        assert_eq!(
            shown("So **it is.** `svc` runs. 3 cats."),
            ["So **it is.**", "`svc` runs.", "3 cats."]
        );
        assert_eq!(shown("It is version 5.2. Then stop."), ["It is version 5.2.", "Then stop."]);
        assert_eq!(shown("it was seen . it was noted ."), ["it was seen .", "it was noted ."]);
        assert_eq!(shown("これは一。それは二。"), ["これは一。", "それは二。"]);
    }

    #[test]
    fn stops_of_other_languages() {
        for whole in [
            "Am 3. Oktober 1990, z. B. im 19. Jahrhundert, bzw. ca. 1.000 Jahre vor Chr. Geburt.",
            "El Sr. García y la Sra. Pérez viven en la pág. 3 del libro.",
            "Это было, т. е. стало, в 1990 г. и позже.",
        ] {
            assert_eq!(shown(whole), [whole]);
        }
        for (text, expected) in [
            ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
            ("ما هذا؟ هذا كتاب.", ["ما هذا؟", "هذا كتاب."]),
            ("Er kam am 3. Dann ging er.", ["Er kam am 3.", "Dann ging er."]),
            (
                "Это было в 1990 г. Потом всё стало иначе.",
                ["Это было в 1990 г.", "Потом всё стало иначе."],
            ),
            ("¿Qué es esto? ¡Nada!", ["¿Qué es esto?", "¡Nada!"]),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn blocks_are_borders() {
        let text = "# Head. Line\r\nText that\r\ngoes on\r\n\r\n1. First item\n2. Second. Half\n```\nx. Y\n```\n| a. B |";
        assert_eq!(shown(text), ["Text that\r\ngoes on", "First item", "Second.", "Half"]);
    }

    #[test]
    fn hostile_texts_are_cut_and_done_quickly() {
        for text in [
            "word ".repeat(200_000),
            "a".repeat(1 << 20),
            "ü".repeat(1 << 19),
            ". ".repeat(1 << 19),
            ".)".repeat(1 << 19),
            format!("x.{}", " ".repeat(1 << 20)),
            "e.g. ".repeat(200_000),
            "# \n- \n```\n".repeat(100_000),
            "[](".repeat(300_000),
        ] {
            let mut end = 0;
            for it in sentences(&text) {
                assert!(end <= it.start && it.len() <= LONGEST && !it.is_empty());
                end = it.end;
            }
        }
        assert_eq!(shown(""), [""; 0]);
        assert_eq!(shown(" \n\t"), [""; 0]);
    }
}
