//! The stems of the Snowball project, as its current release defines them.
//!
//! A search compares words by [`Forms`](crate::language::Forms), which are of an earlier release and
//! without accents: what was indexed with them must stay comparable.

use std::borrow::Cow;

use snowstem::{Algorithm, Stemmer};

use crate::language::Language;

/// The stems of a language.
pub struct Stems(Option<Stemmer>);

impl Stems {
    /// The stems of a language; of one without a stemmer, the words themselves.
    pub fn of(language: Language) -> Self {
        Self(algorithm(language).map(Stemmer::create))
    }

    /// The stem of a word in lower case.
    pub fn stem<'a>(&self, lower: &'a str) -> Cow<'a, str> {
        match &self.0 {
            Some(stemmer) => stemmer.stem(lower),
            None => lower.into(),
        }
    }
}

fn algorithm(language: Language) -> Option<Algorithm> {
    Some(match language.code() {
        "ar" => Algorithm::Arabic,
        "cs" => Algorithm::Czech,
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
        "pl" => Algorithm::Polish,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of the vocabularies of the Snowball project.
    #[test]
    fn stems_are_those_of_the_current_release() {
        for (code, word, expected) in [
            ("en", "added", "add"),
            ("de", "abgebildet", "abgebild"),
            ("nl", "aalmoezen", "aalmoes"),
            ("ro", "abația", "abaț"),
            ("fr", "aiguë", "aigu"),
            ("sv", "aftonbladet", "aftonblad"),
            ("tr", "aa'nın", "aa"),
            ("ja", "予算", "予算"),
        ] {
            let language = Language::of_code(code).unwrap();
            assert_eq!(Stems::of(language).stem(word), expected, "{code}");
        }
    }

    #[test]
    fn any_letters_can_be_stemmed() {
        let odd =
            ["", "'", "ﬁes", "ǅed", "\u{1e9e}ly", "éééé", "\u{301}", "👍", "y'y's", "ς", "ий"];
        for (code, _) in crate::language::CODES {
            let stems = Stems::of(Language::of_code(code).unwrap());
            for word in odd {
                assert!(stems.stem(word).len() <= word.len() + 4, "{code} {word}");
            }
        }
    }
}
