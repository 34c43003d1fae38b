//! Converts text to the terms that are indexed and searched: the stems of its words, without stop
//! words, in the language of the text.

use std::ops::Range;

use svc_text::{
    language::{Forms, Language, detect, lower},
    scripts,
};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

/// The name of the analyzer in an index.
pub(super) const NAME: &str = "words";

/// Longer words, in bytes, are not words but keys and encoded data.
const LONGEST_WORD: usize = 64;

/// Stands between the code of a language and a text in it.
const MARK: char = '\u{1f}';

/// The language in which a text is read. A text whose language is not clear counts as English.
pub(super) fn language(text: &str) -> Language {
    detect(text).map_or(Language::ENGLISH, |it| it.language)
}

/// A text of an index, with its language for the analyzer.
pub(super) fn marked(language: Language, text: &str) -> String {
    format!("{}{MARK}{text}", language.code())
}

/// The language of a marked text, and the text.
pub(super) fn unmarked(text: &str) -> Option<(Language, &str)> {
    let (code, text) = text.split_at_checked(2)?;
    Some((Language::of_code(code)?, text.strip_prefix(MARK)?))
}

/// The terms of a text.
pub(super) fn terms(
    language: Language,
    text: &str,
) -> impl Iterator<Item = (Range<usize>, String)> {
    let forms = language.forms();
    scripts::words(text)
        .filter_map(move |place| term(&forms, &text[place.clone()]).map(|term| (place, term)))
}

/// The term of a word; none if it is not searched.
pub(super) fn term(forms: &Forms, word: &str) -> Option<String> {
    let mut term = String::new();
    read(forms, word, &mut term).then_some(term)
}

/// Writes the term of a word. Returns false for words that are not searched.
fn read(forms: &Forms, word: &str, term: &mut String) -> bool {
    term.clear();
    let lower = lower(word);
    if lower.len() > LONGEST_WORD || forms.is_stop_word(&lower) {
        return false;
    }
    term.push_str(&forms.stem(&lower));
    true
}

/// The analyzer of texts in their language, and of texts without a mark in another.
pub(super) fn analyzer(unmarked: Language) -> TextAnalyzer {
    TextAnalyzer::builder(Terms { unmarked, token: Token::default() }).build()
}

#[derive(Clone)]
struct Terms {
    unmarked: Language,
    token: Token,
}

struct TermsOf<'a> {
    text: &'a str,
    words: scripts::Words<'a>,
    forms: Forms,
    token: &'a mut Token,
}

impl Tokenizer for Terms {
    type TokenStream<'a> = TermsOf<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermsOf<'a> {
        let (language, text) = unmarked(text).unwrap_or((self.unmarked, text));
        self.token.reset();
        let (words, forms) = (scripts::words(text), language.forms());
        TermsOf { text, words, forms, token: &mut self.token }
    }
}

impl TokenStream for TermsOf<'_> {
    fn advance(&mut self) -> bool {
        for range in self.words.by_ref() {
            self.token.position = self.token.position.wrapping_add(1);
            if read(&self.forms, &self.text[range.clone()], &mut self.token.text) {
                (self.token.offset_from, self.token.offset_to) = (range.start, range.end);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
