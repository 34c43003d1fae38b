//! Languages: which one a text is written in, which words of it carry no meaning, and the form in
//! which a word is compared with others.
//!
//! Stemmers are those of the Snowball project; the lists of stop words are those of NLTK, most of
//! them from the same project.

mod detect;
mod grammar;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use crate::{scripts::folded, stop_words};

pub use detect::{Detected, certain, detect, most};

/// A language, by its ISO 639-1 code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(&'static str);

/// The languages that can be detected: their codes in ISO 639-1 and 639-3.
pub(crate) const CODES: [(&str, &str); 70] = [
    ("af", "afr"),
    ("ak", "aka"),
    ("am", "amh"),
    ("ar", "ara"),
    ("az", "aze"),
    ("be", "bel"),
    ("bg", "bul"),
    ("bn", "ben"),
    ("ca", "cat"),
    ("cs", "ces"),
    ("cy", "cym"),
    ("da", "dan"),
    ("de", "deu"),
    ("el", "ell"),
    ("en", "eng"),
    ("eo", "epo"),
    ("es", "spa"),
    ("et", "est"),
    ("fa", "pes"),
    ("fi", "fin"),
    ("fr", "fra"),
    ("gu", "guj"),
    ("he", "heb"),
    ("hi", "hin"),
    ("hr", "hrv"),
    ("hu", "hun"),
    ("hy", "hye"),
    ("id", "ind"),
    ("it", "ita"),
    ("ja", "jpn"),
    ("jv", "jav"),
    ("ka", "kat"),
    ("km", "khm"),
    ("kn", "kan"),
    ("ko", "kor"),
    ("la", "lat"),
    ("lt", "lit"),
    ("lv", "lav"),
    ("mk", "mkd"),
    ("ml", "mal"),
    ("mr", "mar"),
    ("my", "mya"),
    ("ne", "nep"),
    ("nl", "nld"),
    ("no", "nob"),
    ("or", "ori"),
    ("pa", "pan"),
    ("pl", "pol"),
    ("pt", "por"),
    ("ro", "ron"),
    ("ru", "rus"),
    ("si", "sin"),
    ("sk", "slk"),
    ("sl", "slv"),
    ("sn", "sna"),
    ("sr", "srp"),
    ("sv", "swe"),
    ("ta", "tam"),
    ("te", "tel"),
    ("th", "tha"),
    ("tk", "tuk"),
    ("tl", "tgl"),
    ("tr", "tur"),
    ("uk", "ukr"),
    ("ur", "urd"),
    ("uz", "uzb"),
    ("vi", "vie"),
    ("yi", "yid"),
    ("zh", "cmn"),
    ("zu", "zul"),
];

impl Language {
    pub const ENGLISH: Self = Self("en");

    /// The language of a code of two letters.
    pub fn of_code(code: &str) -> Option<Self> {
        let at = CODES.binary_search_by(|it| it.0.cmp(code)).ok()?;
        Some(Self(CODES[at].0))
    }

    /// Its code in ISO 639-1.
    pub fn code(self) -> &'static str {
        self.0
    }

    /// The words of the language.
    pub fn forms(self) -> Forms {
        let stop_words = lists().get(self.0);
        let stemmer = self.algorithm().map(Stemmer::create);
        Forms { stop_words, stemmer, is_english: self == Self::ENGLISH }
    }

    fn algorithm(self) -> Option<Algorithm> {
        Some(match self.0 {
            "ar" => Algorithm::Arabic,
            "da" => Algorithm::Danish,
            "de" => Algorithm::German,
            "el" => Algorithm::Greek,
            "en" => Algorithm::English,
            "es" => Algorithm::Spanish,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "hu" => Algorithm::Hungarian,
            "it" => Algorithm::Italian,
            "nl" => Algorithm::Dutch,
            "no" => Algorithm::Norwegian,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "sv" => Algorithm::Swedish,
            "ta" => Algorithm::Tamil,
            "tr" => Algorithm::Turkish,
            _ => return None,
        })
    }
}

/// The words of a language: which carry no meaning, and what their forms share.
pub struct Forms {
    stop_words: Option<&'static HashSet<&'static str>>,
    stemmer: Option<Stemmer>,
    /// Its stemmer knows no letters with accents, and its stop words are few.
    is_english: bool,
}

impl Forms {
    /// Whether a word, as [`lower`] gives it, carries no meaning for the topic of a text.
    pub fn is_stop_word(&self, lower: &str) -> bool {
        self.stop_words.is_some_and(|it| it.contains(lower))
    }

    /// Whether a word, as [`lower`] gives it, can be a keyword: not a stop word, and in English
    /// not a word of grammar either.
    pub fn is_keyword(&self, lower: &str) -> bool {
        !(self.is_stop_word(lower) || self.is_english && grammar::is_grammar(lower))
    }

    /// The stem of a word, as [`lower`] gives it, folded.
    pub fn stem<'a>(&self, lower: &'a str) -> Cow<'a, str> {
        let Some(stemmer) = &self.stemmer else { return folded(lower) };
        if self.is_english && !lower.is_ascii() {
            return stemmer.stem(&folded(lower)).into_owned().into();
        }
        match stemmer.stem(lower) {
            Cow::Borrowed(stem) => folded(stem),
            Cow::Owned(stem) if stem.is_ascii() => stem.into(),
            Cow::Owned(stem) => folded(&stem).into_owned().into(),
        }
    }
}

/// The lists of stop words.
fn lists() -> &'static HashMap<&'static str, HashSet<&'static str>> {
    static LISTS: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
        // Pairs of Chinese characters are not words of a list.
        let others = CODES.iter().filter(|it| !matches!(it.0, "en" | "zh"));
        let lists = others.filter_map(|it| Some((it.0, ::stop_words::lookup(it.0)?)));
        let lists = lists.chain([("en", stop_words::WORDS)]);
        lists.map(|(code, words)| (code, words.iter().copied().collect())).collect()
    });
    &LISTS
}

/// A word in lower case, in the compatibility form of Unicode (NFKC), with its accents.
pub fn lower(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        if !word.bytes().any(|it| it.is_ascii_uppercase()) {
            return word.into();
        }
        return word.to_ascii_lowercase().into();
    }
    let mut lower = String::with_capacity(word.len());
    for it in word.nfkc().flat_map(char::to_lowercase) {
        match it {
            // Mostly typed without its dots.
            'ё' => lower.push('е'),
            // The stemmer and the list of Romanian have the old letters.
            'ș' => lower.push('ş'),
            'ț' => lower.push('ţ'),
            it => lower.push(it),
        }
    }
    lower.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(code: &str, word: &str) -> String {
        Language::of_code(code).unwrap().forms().stem(&lower(word)).into_owned()
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (code, one, other) in [
            ("de", "Häuser", "Haus"),
            ("de", "STRASSE", "Straßen"),
            ("es", "naciones", "nación"),
            ("fr", "chevaux", "cheval"),
            ("ru", "книгами", "Книга"),
            ("ru", "ещё", "еще"),
            ("ro", "națiunile", "naţiunilor"),
            ("en", "Budgets", "budgeting"),
            ("tr", "kitaplar", "kitap"),
            ("pl", "Łódź", "lodz"),
        ] {
            assert_eq!(stem(code, one), stem(code, other), "{code}");
        }
    }

    #[test]
    fn codes_are_sorted_and_known_to_the_detector() {
        assert!(CODES.is_sorted());
        assert_eq!(whatlang::Lang::all().len(), CODES.len());
        for it in whatlang::Lang::all() {
            assert!(CODES.iter().any(|(_, code)| *code == it.code()), "{it}");
        }
        assert_eq!(Language::of_code("xx"), None);
    }

    #[test]
    fn stop_words_are_those_of_the_language() {
        let is_stop_word = |code, it| Language::of_code(code).unwrap().forms().is_stop_word(it);
        assert!(is_stop_word("de", "die") && !is_stop_word("en", "die"));
        assert!(is_stop_word("en", "the") && !is_stop_word("th", "the"));
        let is_keyword = |code, it| Language::of_code(code).unwrap().forms().is_keyword(it);
        assert!(!is_keyword("en", "will") && !is_keyword("en", "the"));
        assert!(is_keyword("de", "per") && is_keyword("en", "budget"));
    }
}
