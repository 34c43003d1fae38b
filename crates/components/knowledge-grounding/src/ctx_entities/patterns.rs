//! Finds what has a form of its own: addresses, codes, quantities and dates.

use core::net::IpAddr;
use std::{ops::Range, sync::LazyLock};

use regex::Regex;
use svc_contract::registry::{Cx, OpError};

use super::{
    codes, dates,
    found::{Found, Source},
    numbers,
    words::Word,
};

/// A few milliseconds of work.
const BETWEEN_CHECKS: usize = 1 << 10;

/// The most bytes of a piece, except for addresses on the web.
const LONGEST: usize = 160;
const LONGEST_URL: usize = 2_048;

/// A compiled pattern that begins where it is tried.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(&format!("^(?:{text})")).expect("the pattern is valid")
}

/// The text from a place on, as far as a piece may reach.
pub(super) fn rest(text: &str, start: usize) -> &str {
    let end = text.floor_char_boundary(start.saturating_add(LONGEST));
    text.get(start..end).unwrap_or_default()
}

/// Whether a piece that ends here does not end inside a word.
pub(super) fn ends(text: &str, end: usize) -> bool {
    let after = text.get(end..).and_then(|it| it.chars().next());
    let before = text.get(..end).and_then(|it| it.chars().next_back());
    !(before.is_some_and(char::is_alphanumeric)
        && after.is_some_and(|it| it.is_alphanumeric() || it == '_'))
}

/// Adds all pieces of a text.
pub(super) fn find(
    text: &str,
    words: &[Word],
    all: &mut Vec<Found>,
    cx: &Cx,
) -> Result<(), OpError> {
    let mut after_address = 0;
    for (idx, word) in words.iter().enumerate() {
        if idx % BETWEEN_CHECKS == 0 {
            cx.check()?;
        }
        let start = word.range.start;
        if start < after_address {
            continue;
        }
        let is_inside = text[..start].ends_with(|it: char| it.is_alphanumeric() || it == '_');
        if is_inside {
            continue;
        }
        if word.is_letters {
            let address =
                url(text, start).or_else(|| mail(text, start)).or_else(|| ip(text, start));
            if let Some(found) = address {
                after_address = found.range.end;
                all.push(found);
                continue;
            }
        } else if text[start..].starts_with(':') {
            all.extend(ip(text, start));
        }
        codes::find(text, start, all);
        numbers::find(text, start, all);
        dates::find(text, start, all);
    }
    Ok(())
}

static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[\w!#$%&'*+/=?^{|}~-]+(?:\.[\w!#$%&'*+/=?^{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}",
    )
});

fn mail(text: &str, start: usize) -> Option<Found> {
    let rest = rest(text, start);
    let end = rest.find(|it: char| it.is_whitespace() || matches!(it, '<' | '>' | ',' | ';'));
    let run = &rest[..end.unwrap_or(rest.len())];
    let at = run.find('@')?;
    if at > 64 {
        return None;
    }
    let range = of(start, MAIL.find(run)?.range());
    ends(text, range.end).then(|| Found::new(range, "email", 1.0, Source::Sure))
}

fn of(start: usize, range: Range<usize>) -> Range<usize> {
    start + range.start..start + range.end
}

/// What begins like an address on the web.
fn url(text: &str, start: usize) -> Option<Found> {
    const BEGINNINGS: [&str; 4] = ["https://", "http://", "ftp://", "www."];
    let limit = text.floor_char_boundary(start.saturating_add(LONGEST_URL));
    let rest = text.get(start..limit)?;
    let begins = |it: &&&str| rest.get(..it.len()).is_some_and(|got| got.eq_ignore_ascii_case(it));
    let beginning = BEGINNINGS.iter().find(begins)?;
    let is_border = |it: char| {
        it.is_whitespace()
            || it.is_control()
            || matches!(
                it,
                '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^' | '“' | '”' | '«' | '»'
            )
    };
    let mut url = &rest[..rest.find(is_border).unwrap_or(rest.len())];
    // What ends a sentence, and a bracket that was opened before.
    while let Some(last) = url.chars().next_back() {
        let is_open = |open, close| url.matches(open).count() >= url.matches(close).count();
        let belongs = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '…' | '’' => false,
            ')' => is_open('(', ')'),
            ']' => is_open('[', ']'),
            _ => true,
        };
        if belongs {
            break;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    let host = url.get(beginning.len()..)?;
    let has_host =
        host.starts_with(char::is_alphanumeric) && (beginning.ends_with('/') || host.contains('.'));
    has_host.then(|| Found::new(start..start + url.len(), "url", 1.0, Source::Sure))
}

/// An address of version 4 or 6, as the parser of the standard library reads it.
fn ip(text: &str, start: usize) -> Option<Found> {
    /// The longest address of version 6, with the last part as in version 4.
    const MOST: usize = 45;
    let before = text[..start].strip_suffix('.').unwrap_or_default();
    if before.ends_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let rest = text.get(start..text.floor_char_boundary(start + MOST + 1))?;
    let is_inside = |it: char| it.is_ascii_hexdigit() || matches!(it, '.' | ':');
    let run = &rest[..rest.find(|it| !is_inside(it)).unwrap_or(rest.len())];
    let run = run.trim_end_matches('.');
    let run = if run.ends_with("::") { run } else { run.trim_end_matches(':') };
    let has_port = run.split_once(':').filter(|(before, _)| before.contains('.'));
    let run = has_port.map_or(run, |(before, _)| before);
    let is_long = run.matches('.').count() == 3 || run.matches(':').count() > 1;
    if !is_long || run.parse::<IpAddr>().is_err() || run == "::" {
        return None;
    }
    let range = start..start + run.len();
    let goes_on = text[range.end..].starts_with('.')
        && text[range.end + 1..].starts_with(|it: char| it.is_ascii_digit());
    (ends(text, range.end) && !goes_on).then(|| Found::new(range, "ip", 1.0, Source::Sure))
}
