//! Parts of a text that are not words: addresses, paths, code.

use std::ops::Range;

/// The letters on each side of a word that are looked at: an address is seldom longer.
const AROUND: usize = 200;

/// Names of protocols, which also stand alone.
const PROTOCOLS: [&str; 6] = ["http", "https", "ftp", "sftp", "ssh", "mailto"];

/// The parts in backticks of a text, in order: each within a line.
pub(super) fn code(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        // Several in a row count as one.
        let is_first = |it: &(usize, &str)| !line[..it.0].ends_with('`');
        let ticks = line.match_indices('`').filter(is_first);
        let ticks: Vec<usize> = ticks.map(|it| start + it.0).collect();
        all.extend(ticks.chunks_exact(2).map(|it| it[0]..it[1]));
        start += line.len();
    }
    all
}

/// Whether a word is in one of some parts, which are in order.
pub(super) fn is_within(parts: &[Range<usize>], word: &Range<usize>) -> bool {
    let after = parts.partition_point(|it| it.end <= word.start);
    parts.get(after).is_some_and(|it| it.start < word.start)
}

/// Whether a word is part of an address, a path, or the name of something in a program.
pub(super) fn has(text: &str, word: &Range<usize>) -> bool {
    let is_sign = |it: char| matches!(it, '/' | '\\' | '@' | '_' | '#' | '$' | '=' | '<' | '>');
    let (before, after) = (&text[..word.start], &text[word.end..]);
    before.ends_with(is_sign)
        || after.starts_with(is_sign)
        || after.starts_with("()")
        || PROTOCOLS.contains(&&text[word.clone()])
        || is_address(around(text, word))
}

/// The word with what stands next to it, up to a space or bracket.
fn around<'a>(text: &'a str, word: &Range<usize>) -> &'a str {
    let is_end = |it: &char| it.is_whitespace() || "()[]{}<>\"`,;|".contains(*it);
    let before = text[..word.start].chars().rev().take(AROUND).take_while(|it| !is_end(it));
    let after = text[word.end..].chars().take(AROUND).take_while(|it| !is_end(it));
    let before: usize = before.map(char::len_utf8).sum();
    let after: usize = after.map(char::len_utf8).sum();
    &text[word.start - before..word.end + after]
}

fn is_address(part: &str) -> bool {
    let inner = part.trim_matches(|it: char| !it.is_alphanumeric());
    let has = |text: &str, signs: &[&str]| signs.iter().any(|it| text.contains(it));
    let is_path = part.starts_with("--") || has(part, &["/", "\\"]);
    is_path || has(inner, &["::", "@", "www."]) || is_dotted(inner)
}

/// Whether this is a name such as `example.org` or `main.rs`.
fn is_dotted(part: &str) -> bool {
    let Some((start, end)) = part.rsplit_once('.') else { return false };
    let is_name = |it: &str| {
        !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || matches!(it, '-' | '_'))
    };
    let is_ending = (2..=6).contains(&end.len()) && end.bytes().all(|it| it.is_ascii_lowercase());
    is_ending && start.split('.').all(is_name)
}
