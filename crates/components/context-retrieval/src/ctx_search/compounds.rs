//! Words in words: `getUserName` has `user` and `username`, and `e-mail` is also `email`.

use std::{borrow::Cow, ops::Range};

use svc_text::{
    language::{Forms, Language, lower},
    scripts,
};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

use super::analyzer;

/// The name of the analyzer in an index.
pub(super) const NAME: &str = "compounds";

/// A word of more parts is data, such as a key, and is not taken apart.
const MOST_PARTS: usize = 6;

/// A word in another one.
pub(super) struct Inner {
    /// In lower case.
    pub(super) word: String,
    place: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A part of a word, or some of its parts.
    Part,
    /// A whole word that the analyzer leaves out.
    StopWord,
    /// A Chinese character: elsewhere, pairs are words.
    Character,
    /// A word without its accents, if it has another stem then.
    Plain,
}

/// Returns what the analyzer of the searched text does not: stop words, the parts of words with
/// inner capitals, neighbouring parts of such words and of words with `-` or `_` as one word, and
/// single Chinese characters, and words without their accents.
pub(super) fn inner(language: Language, text: &str) -> Vec<Inner> {
    let forms = language.forms();
    let mut found = Vec::new();
    for (whole, is_joined) in runs(text) {
        let parts = parts(text, &whole);
        if parts.len() == 1 || parts.len() > MOST_PARTS {
            stop_words(&forms, text, &parts, &mut found);
        } else if text[whole.clone()].contains(char::is_alphabetic) {
            stop_words(&forms, text, &parts, &mut found);
            combine(text, &parts, is_joined, &mut found);
        }
    }
    characters(text, &mut found);
    if language != Language::ENGLISH {
        plain(&forms, text, &mut found);
    }
    found
}

fn plain(forms: &Forms, text: &str, found: &mut Vec<Inner>) {
    for place in scripts::words(text).filter(|it| !text[it.clone()].is_ascii()) {
        let lower = lower(&text[place.clone()]);
        let plain = scripts::folded(&lower);
        if plain.is_ascii()
            && !forms.is_stop_word(&lower)
            && forms.stem(&plain) != forms.stem(&lower)
        {
            found.push(Inner { word: plain.into_owned(), place, kind: Kind::Plain });
        }
    }
}

fn characters(text: &str, found: &mut Vec<Inner>) {
    for (at, it) in text.char_indices().filter(|(_, it)| scripts::is_ideograph(*it)) {
        let place = at..at + it.len_utf8();
        found.push(Inner { word: it.to_string(), place, kind: Kind::Character });
    }
}

fn stop_words(forms: &Forms, text: &str, parts: &[Range<usize>], found: &mut Vec<Inner>) {
    const LONGEST: usize = 20;
    for place in parts.iter().filter(|it| it.len() <= LONGEST) {
        let word = lower(&text[place.clone()]);
        if forms.is_stop_word(&word) {
            let word = word.into_owned();
            found.push(Inner { word, place: place.clone(), kind: Kind::StopWord });
        }
    }
}

/// Adds neighbouring parts as one word. Joined parts are words of their own already, and so is a
/// word with inner capitals as a whole.
fn combine(text: &str, parts: &[Range<usize>], is_joined: bool, found: &mut Vec<Inner>) {
    for first in 0..parts.len() {
        for last in first..parts.len() {
            let is_whole = last - first + 1 == parts.len();
            if (is_joined && first == last) || (!is_joined && is_whole) {
                continue;
            }
            let words = parts[first..=last].iter().map(|it| &text[it.clone()]);
            let place = parts[first].start..parts[last].end;
            let word = words.collect::<String>().to_lowercase();
            found.push(Inner { word, place, kind: Kind::Part });
        }
    }
}

/// The runs of letters and digits, with single `-` and `_` between them; and whether a run has
/// one.
fn runs(text: &str) -> impl Iterator<Item = (Range<usize>, bool)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        let (mut end, mut is_joined) = (start, false);
        let mut letters = text[start..].chars().peekable();
        while let Some(letter) = letters.next() {
            let goes_on = letters.peek().is_some_and(|it| it.is_alphanumeric());
            match letter {
                '-' | '_' if goes_on => is_joined = true,
                _ if letter.is_alphanumeric() => {}
                _ => break,
            }
            end += letter.len_utf8();
        }
        at = end;
        Some((start..end, is_joined))
    })
}

/// The parts of a run: between `-` and `_`, and from one capital to the next.
fn parts(text: &str, run: &Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = run.start;
    let mut before: Option<char> = None;
    let letters = &text[run.clone()];
    for (idx, letter) in letters.char_indices() {
        let at = run.start + idx;
        let next = letters[idx + letter.len_utf8()..].chars().next();
        let is_hump = before.is_some_and(|before| {
            letter.is_uppercase()
                && (before.is_lowercase()
                    || (before.is_uppercase() && next.is_some_and(char::is_lowercase)))
        });
        if matches!(letter, '-' | '_') {
            parts.push(start..at);
            start = at + 1;
        } else if is_hump {
            parts.push(start..at);
            start = at;
        }
        before = Some(letter);
    }
    parts.push(start..run.end);
    parts.retain(|it| !it.is_empty());
    parts
}

/// The analyzer of the words in words.
pub(super) fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(Compounds).build()
}

/// The term of a whole word among the words in words. They are identifiers, whatever the language
/// around them, so they have English stems.
pub(super) fn term(word: &str) -> String {
    Language::ENGLISH.forms().stem(&lower(word)).into_owned()
}

#[derive(Clone)]
struct Compounds;

impl Tokenizer for Compounds {
    type TokenStream<'a> = Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream {
        let (language, text) = analyzer::unmarked(text).unwrap_or((Language::ENGLISH, text));
        let rest = inner(language, text).into_iter();
        Stream { rest, forms: Language::ENGLISH.forms(), token: Token::default() }
    }
}

struct Stream {
    rest: std::vec::IntoIter<Inner>,
    forms: Forms,
    token: Token,
}

impl TokenStream for Stream {
    fn advance(&mut self) -> bool {
        let Some(Inner { word, place, .. }) = self.rest.next() else { return false };
        self.token.text = match self.forms.stem(&word) {
            Cow::Owned(stem) => stem,
            Cow::Borrowed(stem) if stem.len() == word.len() => word,
            Cow::Borrowed(stem) => stem.to_owned(),
        };
        (self.token.offset_from, self.token.offset_to) = (place.start, place.end);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, inner};

    fn words(text: &str) -> String {
        inner(Language::ENGLISH, text).into_iter().map(|it| it.word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parts_and_their_neighbours_are_words() {
        assert_eq!(words("getUserName"), "get getuser user username name");
        assert_eq!(words("get_user_name"), "getuser getusername username");
        assert_eq!(words("an HTTPServer"), "an http server");
        assert_eq!(words("E-Mail"), "email");
    }

    #[test]
    fn chinese_characters_are_words_too() {
        assert_eq!(words("小猫, cat"), "小 猫");
    }

    #[test]
    fn plain_words_and_data_have_none() {
        for text in ["cat dogs ÄRGER", "", "--flag -x_ _", "2024-01-02", "a1-b2-c3-d4-e5-f6-g7"] {
            assert_eq!(words(text), "", "{text}");
        }
        assert_eq!(words("The CAT"), "the");
    }
}
