//! The tokens of a text: words, numbers, signs and symbols, by the word boundaries of Unicode
//! (UAX #29).

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// The tokens of `text`, as byte ranges: everything between two word boundaries that is not white
/// space. A run of the same sign, such as `...`, is one token. In Chinese, Japanese and Thai, most
/// characters are tokens of their own, as their words cannot be seen.
pub fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut parts = text.split_word_bound_indices().peekable();
    std::iter::from_fn(move || {
        let (start, part) = parts.find(|(_, it)| !is_space(it))?;
        let mut end = start + part.len();
        if is_sign(part) {
            while parts.next_if(|(_, it)| *it == part).is_some() {
                end += part.len();
            }
        }
        Some(start..end)
    })
}

/// Whether a token is a word or a number.
pub fn is_word(token: &str) -> bool {
    token.contains(char::is_alphanumeric)
}

fn is_space(part: &str) -> bool {
    part.chars().all(|it| it.is_whitespace() || it.is_control())
}

fn is_sign(part: &str) -> bool {
    matches!(part, "." | "-" | "!" | "?" | "*" | "=" | "_" | "~" | "+" | "#" | "…" | "–" | "—")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        tokens(text).map(|it| &text[it]).collect()
    }

    #[test]
    fn tokens_are_words_numbers_and_signs() {
        assert_eq!(
            shown("Don't pay $3.50... (ok)!"),
            ["Don't", "pay", "$", "3.50", "...", "(", "ok", ")", "!"]
        );
        assert_eq!(shown("a-b  c\r\n\td"), ["a", "-", "b", "c", "d"]);
        assert_eq!(shown("東京 कि 👨‍👩‍👧👍🏽"), ["東", "京", "कि", "👨‍👩‍👧", "👍🏽"]);
        assert_eq!(shown(" \n\u{0}"), [""; 0]);
    }

    #[test]
    fn hostile_texts_are_done_quickly() {
        for text in [
            "a".repeat(1 << 20),
            "👍".repeat(1 << 18),
            ".".repeat(1 << 20),
            "\u{301}".repeat(1 << 19),
            "a'".repeat(1 << 19),
            "🇩".repeat(1 << 18),
        ] {
            let mut end = 0;
            for it in tokens(&text) {
                assert!(end <= it.start && it.start < it.end);
                end = it.end;
            }
        }
    }
}
