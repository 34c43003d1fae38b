//! The words of a text, as the rules and the tagger see them.

use std::ops::Range;

use svc_contract::registry::{Cx, OpError};
use svc_text::scripts::is_ideograph;

/// A few milliseconds of work.
const BETWEEN_CHECKS: usize = 1 << 13;

/// A run of letters and digits, or one other character that is not a space.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub range: Range<usize>,
    /// Whether it consists of letters and digits.
    pub is_letters: bool,
    /// Whether a sentence or a line begins with it.
    pub is_first: bool,
}

impl Word {
    pub(super) fn of<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.range.clone()).unwrap_or_default()
    }

    /// Whether it begins with a capital.
    pub(super) fn is_capital(&self, text: &str) -> bool {
        self.is_letters && self.of(text).starts_with(char::is_uppercase)
    }
}

/// The words of a text.
pub(super) fn words(text: &str, cx: &Cx) -> Result<Vec<Word>, OpError> {
    let mut all: Vec<Word> = Vec::new();
    let mut is_first = true;
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        if all.len().is_multiple_of(BETWEEN_CHECKS) {
            cx.check()?;
        }
        if letter.is_whitespace() {
            is_first |= letter == '\n';
            continue;
        }
        let mut end = start + letter.len_utf8();
        let is_letters = letter.is_alphanumeric();
        if is_letters && !is_ideograph(letter) {
            let mut count: usize = 0;
            while let Some((at, next)) =
                letters.next_if(|(_, it)| is_inside(*it) && !is_ideograph(*it))
            {
                end = at + next.len_utf8();
                count += 1;
                if count.is_multiple_of(BETWEEN_CHECKS) {
                    cx.check()?;
                }
            }
        }
        all.push(Word { range: start..end, is_letters, is_first });
        is_first =
            if is_letters { false } else { is_first || matches!(letter, '.' | '!' | '?' | ':') };
        // A point in an abbreviation does not end a sentence.
        if letter == '.' && is_abbreviated(text, &all) {
            is_first = false;
        }
    }
    Ok(all)
}

/// Whether a letter continues a word.
fn is_inside(it: char) -> bool {
    it.is_alphanumeric()
        || matches!(it, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}')
}

/// Whether the last point belongs to the word before it: `Dr.`, `J.`
fn is_abbreviated(text: &str, words: &[Word]) -> bool {
    let Some([before, point]) = words.last_chunk::<2>() else { return false };
    if before.range.end != point.range.start {
        return false;
    }
    let word = before.of(text);
    let is_initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    is_initial || ABBREVIATED.contains(&word)
}

const ABBREVIATED: [&str; 17] = [
    "Mr", "Mrs", "Ms", "Dr", "Prof", "Rev", "Hon", "Gen", "Col", "Capt", "Lt", "Sgt", "St", "Fr",
    "Jr", "Sr", "Mx",
];
