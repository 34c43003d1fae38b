//! How alike two cells are, in levels.

use std::borrow::Cow;

use svc_contract::value::{Text, Value};
use svc_text::scripts::folded;

/// The levels of a comparison, from equal to different.
pub(super) const LEVELS: usize = 4;

/// One cell is missing, so that the comparison says nothing.
pub(super) const MISSING: u8 = u8::MAX;

/// A cell as it is compared: lower case, without accents, marks and double space; none if it is empty.
pub(super) fn normal(value: &Value) -> Option<Text> {
    let text: Cow<'_, str> = match value {
        Value::Null => return None,
        Value::Text(it) | Value::Path(it) => Cow::Borrowed(it),
        Value::Float(it) if it.fract() == 0.0 => Cow::Owned(format!("{it:.0}")),
        other => Cow::Owned(other.to_string()),
    };
    let mut out = String::with_capacity(text.len());
    for letter in folded(&text).chars() {
        match letter {
            it if it.is_alphanumeric() => out.push(it),
            '\'' | '.' | '’' => {}
            _ if out.is_empty() || out.ends_with(' ') => {}
            _ => out.push(' '),
        }
    }
    let kept = out.trim_end();
    if kept.is_empty() { None } else { Some(kept.into()) }
}

/// How alike two cells are: 0 is equal, and the last level different.
pub(super) fn level(a: Option<&Text>, b: Option<&Text>) -> u8 {
    let (Some(a), Some(b)) = (a, b) else { return MISSING };
    if a == b {
        return 0;
    }
    let has_letter = |it: &str| it.chars().any(char::is_alphabetic);
    if has_letter(a) || has_letter(b) {
        let level = match strsim::jaro_winkler(a, b) {
            it if it >= 0.92 => 1,
            it if it >= 0.8 => 2,
            _ => 3,
        };
        // Volumes, versions, sizes and house numbers: another number is seldom a slip.
        return if numbers(a).eq(numbers(b)) { level } else { level.max(2) };
    }
    // Numbers, dates, codes: one digit, or two neighbours swapped.
    match strsim::osa_distance(a, b) {
        1 => 1,
        2 if a.chars().count().min(b.chars().count()) > 3 => 2,
        _ => 3,
    }
}

/// The numbers in a text, as they are written.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_numeric()).filter(|it| !it.is_empty())
}

/// The American Soundex code of the first word with letters; none if it has none.
pub(super) fn sound(text: &str) -> Option<[u8; 4]> {
    let code = |letter: u8| match letter {
        b'b' | b'f' | b'p' | b'v' => Some(b'1'),
        b'c' | b'g' | b'j' | b'k' | b'q' | b's' | b'x' | b'z' => Some(b'2'),
        b'd' | b't' => Some(b'3'),
        b'l' => Some(b'4'),
        b'm' | b'n' => Some(b'5'),
        b'r' => Some(b'6'),
        _ => None,
    };
    let mut letters = text.bytes().filter(u8::is_ascii_lowercase);
    let first = letters.next()?;
    let mut out = [first, b'0', b'0', b'0'];
    let (mut len, mut last) = (1, code(first));
    for letter in letters {
        let now = code(letter);
        if let Some(digit) = now.filter(|_| now != last) {
            out[len] = digit;
            len += 1;
            if len == out.len() {
                break;
            }
        }
        if !matches!(letter, b'h' | b'w') {
            last = now;
        }
    }
    Some(out)
}
