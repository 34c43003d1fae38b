//! Converts text to the terms that are indexed and searched.

use std::sync::LazyLock;

use svc_text::scripts::{self, folded};
use tantivy::tokenizer::{
    Language, RemoveLongFilter, Stemmer, StopWordFilter, TextAnalyzer, Token, TokenStream,
    Tokenizer,
};

/// The name of the analyzer in an index.
pub(super) const NAME: &str = "english";

/// Longer words, in bytes, are not words but keys and encoded data.
const LONGEST_WORD: usize = 64;

/// English words without meaning for a search, after the list of the Snowball project. Compared to
/// Lucene's list of 33, they raise the mean average precision on Cranfield, CISI and CACM by .008
/// to .014.
pub(super) const STOP_WORDS: &str = "\
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she \
    her hers herself it its itself they them their theirs themselves what which who whom this that \
    these those am is are was were be been being have has had having do does did doing would should \
    could ought a an the and but if or because as until while of at by for with about against \
    between into through during before after above below to from up down in out on off over under \
    again further then once here there when where why how all any both each few more most other \
    some such no nor not only own same so than too very";

/// Splits text into the words of any script, drops stop words, and reduces words to stems.
pub(super) fn analyzer() -> TextAnalyzer {
    static ANALYZER: LazyLock<TextAnalyzer> = LazyLock::new(|| {
        let stop_words = STOP_WORDS.split_whitespace().map(str::to_owned);
        TextAnalyzer::builder(Words::default())
            .filter(RemoveLongFilter::limit(LONGEST_WORD))
            .filter(StopWordFilter::remove(stop_words))
            .filter(Stemmer::new(Language::English))
            .build()
    });
    ANALYZER.clone()
}

/// The words of a text, folded.
#[derive(Clone, Default)]
struct Words {
    token: Token,
}

struct WordsOf<'a> {
    text: &'a str,
    words: scripts::Words<'a>,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordsOf<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordsOf<'a> {
        self.token.reset();
        WordsOf { text, words: scripts::words(text), token: &mut self.token }
    }
}

impl TokenStream for WordsOf<'_> {
    fn advance(&mut self) -> bool {
        let Some(range) = self.words.next() else { return false };
        self.token.position = self.token.position.wrapping_add(1);
        self.token.text.clear();
        self.token.text.push_str(&folded(&self.text[range.clone()]));
        (self.token.offset_from, self.token.offset_to) = (range.start, range.end);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
