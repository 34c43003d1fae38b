//! Detects the language of a text.
//!
//! In Latin letters, the stop words of a sample decide: that is fast, and seldom wrong in prose.
//! For other scripts, and for texts without many stop words, the trigrams of whatlang do.

use std::{collections::HashMap, sync::LazyLock};

use super::{CODES, Language, lists, lower};
use crate::scripts::words;

/// A language, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detected {
    pub language: Language,
    /// From 0 to 1.
    pub confidence: f64,
}

/// The number of words of a sample, from the beginning and from the middle of a text.
const WORDS: usize = 80;

/// The length of a sample for trigrams, in bytes, and how many letters it must have.
const LONGEST: usize = 1_500;
const FEWEST_LETTERS: usize = 30;

/// The fewest letters of a text in a script that several languages share, each letter of which
/// stands for more than in others.
const FEWEST_DENSE: usize = 5;

/// The number of texts whose languages are counted.
const MOST_TEXTS: usize = 50;

/// The fewest stop words that decide, their share of all words, and how many times as many they
/// are as those of any other language.
const FEWEST: f64 = 3.0;
const SHARE: f64 = 0.15;
const TIMES: f64 = 1.4;

/// The languages in Latin letters that stop words distinguish, each with its bit.
const LATIN: [&str; 16] = [
    "ca", "da", "de", "en", "es", "fi", "fr", "hu", "id", "it", "nl", "no", "pt", "ro", "sv", "tr",
];

/// The language of a text; `None` if it is not clear, as in short texts, or without letters.
pub fn detect(text: &str) -> Option<Detected> {
    by_stop_words(text).or_else(|| by_trigrams(text))
}

/// The language of a text, only where it is certain: where scripts have several languages, also
/// trigrams must decide clearly, and both halves of a longer text must agree.
pub fn certain(text: &str) -> Option<Detected> {
    let found = detect(text)?;
    let is_shared = matches!(found.language.0, "zh" | "hi" | "mr" | "ne" | "he" | "yi" | "bn");
    if is_shared && !is_reliable(text) {
        return None;
    }
    let middle = text.ceil_char_boundary(text.len() / 2);
    let halves = [&text[..middle], &text[middle..]];
    let is_other = |it: &str| detect(it).is_some_and(|it| it.language != found.language);
    (!halves.into_iter().any(is_other)).then_some(found)
}

/// Whether trigrams find one language in a sample of enough letters.
fn is_reliable(text: &str) -> bool {
    let sample = &text[..text.floor_char_boundary(LONGEST)];
    let letters = sample.chars().filter(|it| it.is_alphabetic()).count();
    letters >= FEWEST_DENSE && whatlang::detect(sample).is_some_and(|it| it.is_reliable())
}

/// The language of most texts; English if none is clear.
pub fn most<'a>(texts: impl IntoIterator<Item = &'a str>) -> Language {
    let mut counts: Vec<(Language, usize)> = Vec::new();
    for found in texts.into_iter().take(MOST_TEXTS).filter_map(detect) {
        match counts.iter_mut().find(|it| it.0 == found.language) {
            Some((_, count)) => *count += 1,
            None => counts.push((found.language, 1)),
        }
    }
    // The first of equals.
    let best = counts.into_iter().rev().max_by_key(|it| it.1);
    best.map_or(Language::ENGLISH, |it| it.0)
}

fn by_stop_words(text: &str) -> Option<Detected> {
    let mut votes = [0.0; LATIN.len()];
    let mut total = 0.0;
    let middle = text.ceil_char_boundary(text.len() / 2);
    let halves = [&text[..middle], &text[middle..]];
    for word in halves.iter().flat_map(|half| words(half).take(WORDS).map(|it| &half[it])) {
        // A single letter is more often a name than a word.
        if word.len() < 2 {
            continue;
        }
        total += 1.0;
        let Some(languages) = stop_words().get(lower(word).as_ref()) else { continue };
        // A word of many languages says little about each.
        let vote = 2.0 / f64::from(1 + languages.count_ones());
        for (bit, votes) in votes.iter_mut().enumerate() {
            if languages >> bit & 1 == 1 {
                *votes += vote;
            }
        }
    }
    let best = (0..votes.len()).max_by(|a, b| votes[*a].total_cmp(&votes[*b]))?;
    let others = (0..votes.len()).filter(|it| *it != best).map(|it| votes[it]);
    let second = others.fold(0.0, f64::max);
    let is_clear = votes[best] >= FEWEST.max(SHARE * total) && votes[best] >= TIMES * second;
    let confidence = 1.0 - second / votes[best].max(f64::MIN_POSITIVE);
    is_clear.then(|| Detected { language: Language(LATIN[best]), confidence })
}

/// The languages of each stop word, as bits.
fn stop_words() -> &'static HashMap<&'static str, u32> {
    static ALL: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
        let mut all = HashMap::new();
        for (bit, code) in LATIN.iter().enumerate() {
            for word in lists().get(code).into_iter().flatten() {
                *all.entry(*word).or_insert(0) |= 1 << bit;
            }
        }
        all
    });
    &ALL
}

fn by_trigrams(text: &str) -> Option<Detected> {
    let sample = &text[..text.floor_char_boundary(LONGEST)];
    let letters = sample.chars().filter(|it| it.is_alphabetic()).count();
    let found = whatlang::detect(sample)?;
    let is_sure = match found.script() {
        // One language, or a few that differ much.
        whatlang::Script::Latin | whatlang::Script::Cyrillic | whatlang::Script::Arabic => {
            letters >= FEWEST_LETTERS && found.is_reliable()
        }
        _ => true,
    };
    let at = CODES.iter().position(|it| it.1 == found.lang().code())?;
    is_sure.then(|| Detected { language: Language(CODES[at].0), confidence: found.confidence() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        detect(text).map_or("none", |it| it.language.code())
    }

    #[test]
    fn sentences_have_their_language() {
        for (expected, text) in [
            ("en", "The budget of a run is enforced while the stages are running."),
            ("de", "Das Budget eines Laufs wird eingehalten, während die Stufen laufen."),
            ("fr", "Le budget d'une exécution est respecté pendant que les étapes tournent."),
            ("es", "El presupuesto de una ejecución se respeta mientras las etapas están activas."),
            ("it", "Il bilancio di una esecuzione è rispettato mentre le fasi sono attive."),
            ("nl", "Het budget van een run wordt bewaakt terwijl de stappen worden uitgevoerd."),
            ("pl", "Budżet przebiegu jest przestrzegany podczas wykonywania wszystkich etapów."),
            ("ru", "Бюджет запуска соблюдается, пока выполняются его этапы."),
            (
                "uk",
                "Її бюджет дотримується, поки ці етапи ще виконуються, і жоден із них не є зайвим.",
            ),
            ("el", "Ο προϋπολογισμός τηρείται όσο εκτελούνται τα στάδια."),
            ("ja", "予算は実行中に守られます。"),
            ("zh", "预算在运行期间得到遵守。"),
            ("ko", "예산은 실행 중에 지켜진다."),
            ("th", "งบประมาณ"),
            ("hi", "बजट का पालन किया जाता है"),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_have_none() {
        for text in ["", "42 ?! \u{301}", "svc", "max_cost: 0.50", "Ok."] {
            assert_eq!(code(text), "none", "{text}");
        }
    }

    #[test]
    fn what_fits_several_languages_is_not_certain() {
        let english = "The budget of a run is enforced while the stages are running. ";
        let german = "Das Budget eines Laufs wird eingehalten, während die Stufen laufen. ";
        let long = (english.repeat(20), german.repeat(20));
        let mixed = [long.0.as_str(), &long.1].concat();
        for text in ["", "Ok.", "東京", "हम", "שלום", "no", mixed.as_str()] {
            assert_eq!(certain(text), None, "{text}");
        }
        for (text, expected) in [
            (english, "en"),
            (german, "de"),
            (long.1.as_str(), "de"),
            ("予算は実行中に守られます。", "ja"),
            ("预算在运行期间得到遵守，所以不会超出。", "zh"),
            ("예산은 실행 중에 지켜진다.", "ko"),
        ] {
            let found = certain(text).map(|it| it.language.code());
            assert_eq!(found, Some(expected), "{text}");
        }
    }

    #[test]
    fn any_text_is_sampled() {
        for text in ["东".repeat(400_000), "a ".repeat(400_000), "\u{301}".repeat(400_000)] {
            assert!(detect(&text).is_none_or(|it| (0.0..=1.0).contains(&it.confidence)));
        }
    }
}
