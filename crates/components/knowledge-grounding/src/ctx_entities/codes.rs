//! Finds IBANs, cards, phone numbers, numbers of social security and other codes.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    checksums::{is_iban, is_isbn, is_luhn},
    found::{Found, Source},
    patterns::{ends, pattern, rest},
};

/// Adds the codes that begin at a place, where no word ends.
pub(super) fn find(text: &str, start: usize, all: &mut Vec<Found>) {
    let rest = rest(text, start);
    let Some(first) = rest.chars().next() else { return };
    if first.is_ascii_digit() || matches!(first, '+' | '(') {
        let sure = card(text, start, rest).or_else(|| ssn(text, start, rest));
        if let Some(found) = sure {
            all.push(found);
            return;
        }
        all.extend(phone(text, start, rest));
    }
    if first.is_ascii_alphanumeric() {
        let code = iban(text, start, rest)
            .or_else(|| uuid(text, start, rest))
            .or_else(|| isbn(text, start, rest));
        all.extend(code.or_else(|| code_of(text, start, rest)));
    }
}

fn found(
    text: &str,
    start: usize,
    len: usize,
    kind: &'static str,
    score: f64,
    source: Source,
) -> Option<Found> {
    ends(text, start + len).then(|| Found::new(start..start + len, kind, score, source))
}

/// The letters and digits of a code with single spaces or hyphens between them, and where each ends.
fn packed(rest: &str, most: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut code, mut places) = (Vec::new(), Vec::new());
    let mut is_gap = false;
    for (at, it) in rest.bytes().enumerate() {
        match it {
            _ if it.is_ascii_alphanumeric() && code.len() < most => {
                code.push(it.to_ascii_uppercase());
                places.push(at + 1);
                is_gap = false;
            }
            b' ' | b'-' if !is_gap => is_gap = true,
            _ => break,
        }
    }
    (code, places)
}

fn iban(text: &str, start: usize, rest: &str) -> Option<Found> {
    let head = rest.as_bytes().get(..4)?;
    if !head[..2].iter().all(u8::is_ascii_alphabetic) || !head[2..].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (code, places) = packed(rest, 34);
    (15..=code.len())
        .rev()
        .filter(|len| is_iban(&code[..*len]))
        .find_map(|len| found(text, start, places[len - 1], "iban", 1.0, Source::Sure))
}

fn card(text: &str, start: usize, rest: &str) -> Option<Found> {
    let (code, places) = packed(rest, 19);
    let digits = code.iter().take_while(|it| it.is_ascii_digit()).count();
    let is_card = |len: usize| {
        let code = &code[..len];
        let is_issued = matches!(code[0], b'3'..=b'6') || matches!(&code[..2], [b'2', b'2'..=b'7']);
        is_issued && is_luhn(code) && code.iter().any(|it| *it != code[0])
    };
    let goes_on = |end: usize| {
        let after = text.as_bytes().get(end..end + 2);
        after.is_some_and(|it| matches!(it, [b'-' | b'.', b'0'..=b'9']))
    };
    (12..=digits)
        .rev()
        .filter(|len| is_card(*len) && !goes_on(start + places[len - 1]))
        .find_map(|len| found(text, start, places[len - 1], "card", 1.0, Source::Sure))
}

static SSN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{3}([- ])\d{2}[- ]\d{4}"));

/// A number that the social security of the United States may have given.
fn ssn(text: &str, start: usize, rest: &str) -> Option<Found> {
    if !rest.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    let end = SSN.find(rest)?.end();
    let (area, group, serial) = (&rest[..3], &rest[4..6], &rest[7..11]);
    let is_given = !matches!(area, "000" | "666")
        && !area.starts_with('9')
        && group != "00"
        && serial != "0000";
    let is_alike = rest.as_bytes()[3] == rest.as_bytes()[6];
    let score = if rest.as_bytes()[3] == b'-' { 0.85 } else { 0.5 };
    (is_given && is_alike).then(|| found(text, start, end, "ssn", score, Source::Pattern)).flatten()
}

static PHONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\+\d{1,3}[ .-]?)?(?:\(\+?\d{1,5}\)[ .-]?)?\d{1,5}(?:[ ./-]{1,2}\(?\d{1,5}\)?){0,5}\d{0,8}(?: ?(?i:x|ext\.?) ?\d{1,5})?",
    )
});

static CALLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:phone|telephone|tel|call|called|calling|mobile|cell|fax|dial|number|ring|whatsapp|sms|text|reach)\b[^\n]{0,30}$")
        .expect("the pattern is valid")
});

/// A phone number: with a country or in groups, or a number after a word such as `phone`.
fn phone(text: &str, start: usize, rest: &str) -> Option<Found> {
    let is_continued = text[..start].ends_with(['.', ',', '$', '€', '£', '/', '-', '+', ':']);
    if is_continued {
        return None;
    }
    let given = PHONE.find(rest)?.as_str();
    let given = given.trim_end_matches([' ', '.', '/', '-', '(']);
    let number = given.split(['x', 'X', 'e', 'E']).next().unwrap_or(given).trim_end();
    let groups: Vec<&str> =
        number.split(|it: char| !it.is_ascii_digit()).filter(|it| !it.is_empty()).collect();
    let digits: usize = groups.iter().map(|it| it.len()).sum();
    if !(7..=15).contains(&digits) || given.matches('(').count() != given.matches(')').count() {
        return None;
    }
    let has_gaps = groups.len() > 1;
    let is_date = groups.len() == 3
        && groups.iter().all(|it| matches!(it.len(), 1 | 2 | 4))
        && digits <= 8
        && number.contains(['.', '/', '-'])
        && !number.contains(' ');
    let is_decimal = groups.len() == 2 && number.contains('.');
    let sizes: Vec<usize> = groups.iter().map(|it| it.len()).collect();
    let score = if number.starts_with('+') || (number.starts_with('(') && has_gaps) {
        0.9
    } else if is_date || is_decimal || sizes == [3, 2, 4] {
        0.0
    } else if sizes == [3, 3, 4] || (number.starts_with('0') && has_gaps && digits >= 9) {
        0.8
    } else {
        let before = text.floor_char_boundary(start.saturating_sub(60));
        let is_called = CALLED.is_match(&text[before..start]);
        match (is_called, has_gaps) {
            (true, _) => 0.7,
            (false, true) if groups.len() > 2 && digits >= 8 && sizes.iter().all(|it| *it > 1) => {
                0.5
            }
            _ => 0.0,
        }
    };
    (score > 0.0)
        .then(|| found(text, start, given.len(), "phone", score, Source::Pattern))
        .flatten()
}

static UUID: LazyLock<Regex> =
    LazyLock::new(|| pattern("[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"));

fn uuid(text: &str, start: usize, rest: &str) -> Option<Found> {
    (rest.as_bytes().get(8) == Some(&b'-'))
        .then(|| UUID.find(rest))
        .flatten()
        .and_then(|it| found(text, start, it.end(), "code", 0.95, Source::Sure))
}

/// An ISBN after the word `ISBN`.
fn isbn(text: &str, start: usize, rest: &str) -> Option<Found> {
    let before = text.floor_char_boundary(start.saturating_sub(12));
    let is_named = text[before..start].to_ascii_uppercase().contains("ISBN");
    let (code, places) = packed(rest, 13);
    [13, 10]
        .into_iter()
        .filter(|len| is_named && *len <= code.len() && is_isbn(&code[..*len]))
        .find_map(|len| found(text, start, places[len - 1], "code", 1.0, Source::Sure))
}

/// Capitals and digits in one piece, such as `INV-2024-001` or `B07XJ8C8F5`.
fn code_of(text: &str, start: usize, rest: &str) -> Option<Found> {
    if text[..start].ends_with(['-', '/', '_', '.', '#', '@', '&'])
        && !text[..start].ends_with(" #")
    {
        return None;
    }
    let is_inside = |it: char| {
        it.is_ascii_uppercase() || it.is_ascii_digit() || matches!(it, '-' | '/' | '_' | '.')
    };
    let run = &rest[..rest.find(|it| !is_inside(it)).unwrap_or(rest.len())];
    let run = run.trim_end_matches(['-', '/', '_', '.']);
    let letters = run.bytes().filter(u8::is_ascii_uppercase).count();
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let is_code = letters > 0 && digits > 1 && letters + digits > 4 && run.len() <= 40;
    let is_time = run.starts_with(|it: char| it.is_ascii_digit())
        && run.contains('T')
        && letters < 3
        && run.contains('-');
    (is_code && !is_time)
        .then(|| found(text, start, run.len(), "code", 0.6, Source::Pattern))
        .flatten()
}
