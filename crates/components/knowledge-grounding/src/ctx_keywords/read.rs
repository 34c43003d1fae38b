//! Reads texts into words and the phrases that they may form.

use std::collections::HashMap;

use svc_contract::registry::{Cx, OpError};
use svc_text::{
    blocks::{Kind, blocks},
    language::{Forms, Language, lower},
    sentences::split,
};

use super::words::Word;

/// A few milliseconds of work.
const BETWEEN_CHECKS: u32 = 256;

/// Longer words are data.
const LONGEST: usize = 64;

/// Shorter words are taken for stop words.
const SHORTEST: usize = 3;

/// What a phrase is, apart from its words.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// As it stands where it comes first.
    pub text: String,
    pub count: usize,
}

/// The words and phrases of the texts so far.
pub(super) struct Reading {
    forms: Forms,
    window: usize,
    ngram: usize,
    numbers: HashMap<String, usize>,
    pub words: Vec<Word>,
    /// By the numbers of their words.
    pub phrases: HashMap<Vec<usize>, Found>,
    pub sentences: u32,
}

/// A word at its place.
#[derive(Clone, Debug)]
struct Token<'a> {
    text: &'a str,
    word: usize,
    /// Whether it is a number or mixed of letters and digits, and not part of a phrase.
    is_data: bool,
}

impl Reading {
    pub(super) fn new(language: Language, window: usize, ngram: usize) -> Self {
        Self {
            forms: language.forms(),
            window,
            ngram,
            numbers: HashMap::new(),
            words: Vec::new(),
            phrases: HashMap::new(),
            sentences: 0,
        }
    }

    /// Reads one text.
    pub(super) fn read(&mut self, text: &str, cx: &Cx) -> Result<(), OpError> {
        let before = self.sentences;
        let is_read = |it: &Kind| matches!(it, Kind::Heading(_) | Kind::Paragraph | Kind::Item);
        for block in blocks(text).filter(|it| is_read(&it.kind)) {
            for sentence in split(text, block.body) {
                if self.sentences.is_multiple_of(BETWEEN_CHECKS) {
                    cx.check()?;
                }
                self.sentence(&text[sentence], self.sentences - before);
                self.sentences += 1;
            }
        }
        Ok(())
    }

    fn sentence(&mut self, text: &str, number: u32) {
        let mut chunk: Vec<Token<'_>> = Vec::new();
        let mut is_first = true;
        for (word, ends) in tokens(text) {
            if !word.is_empty() {
                let is_data = is_data(word);
                let token = Token { text: word, word: self.count(word, is_first, number), is_data };
                is_first = false;
                self.join(&chunk, &token);
                chunk.push(token);
                self.phrases_at_end(&chunk);
            }
            if ends {
                chunk.clear();
            }
        }
    }

    /// Counts a word, and returns its number.
    fn count(&mut self, text: &str, is_first: bool, sentence: u32) -> usize {
        let lower = lower(text);
        let plain = lower.replace('’', "'");
        let is_stop = !self.forms.is_keyword(&plain) || letters(&lower) < SHORTEST;
        let stem = self.forms.stem(&plain);
        let key = if is_stop { format!(" {plain}") } else { stem.into_owned() };
        let next = self.words.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.words.push(Word { is_stop, ..Word::default() });
        }
        let word = &mut self.words[number];
        word.count += 1.0;
        match case(text) {
            Case::Capitals => word.acronyms += 1.0,
            Case::Capital if !is_first => word.names += 1.0,
            _ => {}
        }
        if word.sentences.last() != Some(&sentence) {
            word.sentences.push(sentence);
        }
        number
    }

    /// Counts a word as the neighbour of those before it.
    fn join(&mut self, chunk: &[Token<'_>], token: &Token<'_>) {
        if token.is_data {
            return;
        }
        let start = chunk.len().saturating_sub(self.window);
        for other in chunk[start..].iter().filter(|it| !it.is_data) {
            *self.words[other.word].after.entry(token.word).or_default() += 1.0;
            *self.words[token.word].before.entry(other.word).or_default() += 1.0;
        }
    }

    /// Counts the phrases that end with the last word.
    fn phrases_at_end(&mut self, chunk: &[Token<'_>]) {
        for start in (chunk.len().saturating_sub(self.ngram)..chunk.len()).rev() {
            let tokens = &chunk[start..];
            if tokens[0].is_data || self.words[tokens[0].word].is_stop {
                return;
            }
            let key = tokens.iter().map(|it| it.word).collect();
            let text = || tokens.iter().map(|it| it.text).collect::<Vec<_>>().join(" ");
            let new = || Found { text: text(), count: 0 };
            self.phrases.entry(key).or_insert_with(new).count += 1;
        }
    }
}

/// The words of a sentence, each with whether a phrase ends behind it.
fn tokens(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split_whitespace().flat_map(parts)
}

/// The words of what stands between spaces: `(one/two)` has two.
fn parts(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let is_border = |it: char| !it.is_alphanumeric() && !is_inner(it) && !is_mark(it);
    text.split_inclusive(is_border).map(move |part| {
        let word = part.trim_matches(|it: char| !it.is_alphanumeric() && !is_mark(it));
        let ends = part.ends_with(|it: char| is_border(it) || is_inner(it));
        (word, ends)
    })
}

/// Whether a character may be inside a word.
fn is_inner(it: char) -> bool {
    matches!(it, '-' | '‐' | '‑' | '\'' | '’' | '.' | ',' | '_' | '&' | '@' | '+' | '#')
}

/// Whether a character belongs to the letter before it.
fn is_mark(it: char) -> bool {
    matches!(it,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{d7f}')
}

fn letters(word: &str) -> usize {
    word.chars().filter(|it| it.is_alphanumeric()).count()
}

/// Whether a word is a number, an address or a code.
fn is_data(word: &str) -> bool {
    let has_digit = word.contains(char::is_numeric);
    let marks = word.chars().filter(|it| is_inner(*it)).count();
    has_digit || marks > 2 || word.len() > LONGEST || !word.contains(char::is_alphabetic)
}

/// The capitals of a word.
enum Case {
    Capitals,
    Capital,
    Other,
}

fn case(word: &str) -> Case {
    let capitals = word.chars().filter(|it| it.is_uppercase()).count();
    let is_long = word.chars().nth(1).is_some();
    if is_long && !word.contains(char::is_lowercase) && capitals > 0 {
        return Case::Capitals;
    }
    if is_long && capitals == 1 && word.starts_with(char::is_uppercase) {
        return Case::Capital;
    }
    Case::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(&str, bool)> {
        tokens(text).filter(|it| !it.0.is_empty()).collect()
    }

    #[test]
    fn words_keep_their_inner_marks_and_phrases_end_at_others() {
        let found = cut("(Web-based) tools, and/or don't 'stop.");
        let wanted = [
            ("Web-based", true),
            ("tools", true),
            ("and", true),
            ("or", false),
            ("don't", false),
            ("stop", true),
        ];
        assert_eq!(found, wanted);
        assert_eq!(cut("... -- ?!"), []);
    }

    #[test]
    fn numbers_and_codes_are_data() {
        assert!(["3", "1,000", "x86", "a-b-c-d"].into_iter().all(is_data));
        assert!(!["word", "Web-based", "état"].into_iter().any(is_data));
    }
}
