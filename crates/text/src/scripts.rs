//! Words of any script, in the form in which they are compared: without case, width, ligatures and
//! the accents of Latin letters.

use std::{borrow::Cow, ops::Range};

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The words of `text`, as byte ranges: runs of letters, digits and marks. In scripts without
/// spaces between words, and in Korean, each pair of neighbouring characters is one (bigrams, as in
/// Lucene's `CJKBigramFilter`), and so is a character without neighbours.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, run_end: 0 }
}

/// The iterator of [`words`].
#[derive(Clone, Debug)]
pub struct Words<'a> {
    text: &'a str,
    at: usize,
    /// The end of the run of characters whose pairs are words; the next pair begins at `at`.
    run_end: usize,
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.at < self.run_end {
            return Some(self.pair());
        }
        let rest = self.text.get(self.at..)?;
        let start = self.at + rest.find(char::is_alphanumeric)?;
        let first = self.text[start..].chars().next()?;
        self.at = start;
        if is_dense(first) {
            self.run_end = self.end(start, is_dense);
            return Some(self.pair());
        }
        self.at = self.end(start, |it| it.is_alphanumeric() && !is_dense(it));
        Some(start..self.at)
    }
}

impl Words<'_> {
    /// The end of the run of `wanted` characters, each with its marks.
    fn end(&self, start: usize, wanted: impl Fn(char) -> bool) -> usize {
        let rest = &self.text[start..];
        let end = rest.find(|it| !wanted(it) && !is_mark(it));
        end.map_or(self.text.len(), |it| start + it)
    }

    /// The pair at the place, or the only character of its run.
    fn pair(&mut self) -> Range<usize> {
        let start = self.at;
        let next = self.next_character(start);
        let end = if next < self.run_end { self.next_character(next) } else { next };
        self.at = if end == self.run_end { end } else { next };
        start..end
    }

    /// Where the character behind the one at `start`, with its marks, begins.
    fn next_character(&self, start: usize) -> usize {
        let mut chars = self.text[start..self.run_end].char_indices().skip(1);
        let next = chars.find(|(_, it)| !is_mark(*it));
        next.map_or(self.run_end, |(at, _)| start + at)
    }
}

/// Whether words of the script of a letter are not apart, or are short and change their ends.
pub(crate) fn is_dense(it: char) -> bool {
    matches!(it,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{323af}')
        && it.is_alphanumeric()
}

/// Whether a letter stands for a word or a syllable: a Chinese character.
pub fn is_ideograph(it: char) -> bool {
    matches!(it, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

fn is_mark(it: char) -> bool {
    !it.is_ascii() && is_combining_mark(it)
}

/// A word as it is compared with others: in lower case, in the compatibility form of Unicode
/// (NFKC), without the accents of Latin letters. Vietnamese letters keep theirs.
pub fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        if !word.bytes().any(|it| it.is_ascii_uppercase()) {
            return word.into();
        }
        return word.to_ascii_lowercase().into();
    }
    let keeps = word.chars().any(is_vietnamese);
    let mut folded = String::with_capacity(word.len());
    let mut has_latin_base = false;
    for it in word.nfkd().flat_map(char::to_lowercase) {
        let is_accent = ('\u{300}'..='\u{36f}').contains(&it);
        if is_accent && has_latin_base && !keeps {
            continue;
        }
        if !is_accent {
            has_latin_base = it.is_ascii_alphabetic();
        }
        match it {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            it => folded.push(it),
        }
    }
    folded.nfc().collect::<String>().into()
}

/// Whether a letter occurs in Vietnamese only: there, accents make other words.
fn is_vietnamese(it: char) -> bool {
    matches!(it, 'ơ' | 'Ơ' | 'ư' | 'Ư' | 'đ' | 'Đ' | '\u{1ea0}'..='\u{1ef9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        words(text).map(|it| &text[it]).collect()
    }

    #[test]
    fn words_are_runs_of_letters_digits_and_marks() {
        assert_eq!(
            shown("Don't use `max_cost: $0.50`"),
            ["Don", "t", "use", "max", "cost", "0", "50"]
        );
        assert_eq!(shown("cafe\u{301} हिन्दी में"), ["cafe\u{301}", "हिन्दी", "में"]);
        assert_eq!(shown("?!,.-"), [""; 0]);
    }

    #[test]
    fn characters_without_spaces_are_pairs() {
        assert_eq!(shown("東京都は、x東 24次"), ["東京", "京都", "都は", "x", "東", "24", "次"]);
        assert_eq!(shown("한국어 책"), ["한국", "국어", "책"]);
        assert_eq!(shown("น้ำ"), ["น้ำ"]);
    }

    #[test]
    fn folded_words_are_equal() {
        for (one, other) in [
            ("CAFÉ", "cafe"),
            ("cafe\u{301}", "café"),
            ("ﬁnal", "final"),
            ("Ｆｕｌｌ", "full"),
            ("Straße", "STRASSE"),
            ("ø", "Ø"),
            ("한국", "한국"),
            ("Й", "й"),
            ("ｶﾞ", "ガ"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        assert_ne!(folded("й"), folded("и"));
        assert_ne!(folded("đường"), folded("đương"));
    }

    #[test]
    fn any_text_is_read_in_linear_time() {
        for text in [
            "東".repeat(300_000),
            "\u{301}".repeat(300_000),
            "a\u{301}".repeat(300_000),
            format!("東{}", "\u{301}".repeat(300_000)),
        ] {
            assert!(words(&text).count() <= 300_000);
        }
    }
}
