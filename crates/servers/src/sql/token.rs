//! The tokens of SQL, as far as the ends of statements, params with names and keywords need them.

use crate::address::System;

/// What a piece of a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Space, or a comment.
    Blank,
    Word,
    /// A param with a name: `:name`.
    Named,
    /// A param without one: `?` or `$1`.
    Mark,
    Semicolon,
    /// A comment that the server runs: `/*! .. */`.
    RunComment,
    /// A string, a quoted name, a number or a sign.
    Other,
}

/// The first token of a text that is not empty, and its length in bytes.
pub(super) fn token(text: &str, system: System) -> (Token, usize) {
    let is_postgres = system == System::Postgres;
    let bytes = text.as_bytes();
    let second = bytes.get(1).copied().unwrap_or_default();
    match bytes.first().copied().unwrap_or_default() {
        it if it.is_ascii_whitespace() => (Token::Blank, 1),
        b'-' if second == b'-' && (is_postgres || begins_blank(&text[2..])) => {
            (Token::Blank, line(text))
        }
        b'#' if !is_postgres => (Token::Blank, line(text)),
        b'/' if second == b'*' && is_postgres => (Token::Blank, nested_comment(text)),
        b'/' if second == b'*' => {
            let is_run = text[2..].starts_with('!') || text[2..].starts_with("M!");
            let len = text[2..].find("*/").map_or(text.len(), |it| it + 4);
            (if is_run { Token::RunComment } else { Token::Blank }, len)
        }
        b'\'' => (Token::Other, quoted(text, '\'', !is_postgres)),
        b'"' => (Token::Other, quoted(text, '"', !is_postgres)),
        b'`' if !is_postgres => (Token::Other, quoted(text, '`', false)),
        b'e' | b'E' if is_postgres && second == b'\'' => {
            (Token::Other, 1 + quoted(&text[1..], '\'', true))
        }
        b'$' if is_postgres && second.is_ascii_digit() => (Token::Mark, 1 + digits(&text[1..])),
        b'$' if is_postgres => (Token::Other, dollar_quoted(text)),
        b'?' if !is_postgres => (Token::Mark, 1),
        b';' => (Token::Semicolon, 1),
        b':' if second == b':' || second == b'=' => (Token::Other, 2),
        b':' => match word(&text[1..]) {
            0 => (Token::Other, 1),
            len => (Token::Named, 1 + len),
        },
        it if it.is_ascii_digit() => (Token::Other, number(text)),
        _ => match word(text) {
            0 => (Token::Other, text.chars().next().map_or(1, char::len_utf8)),
            len => (Token::Word, len),
        },
    }
}

fn begins_blank(text: &str) -> bool {
    text.bytes().next().is_none_or(|it| it.is_ascii_whitespace() || it.is_ascii_control())
}

fn line(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |it| it + 1)
}

fn nested_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of what is between two equal quotes; a doubled quote is a part of it.
fn quoted(text: &str, quote: char, escapes: bool) -> usize {
    let mut all = text.char_indices().skip(1).peekable();
    while let Some((at, it)) = all.next() {
        if it == '\\' && escapes {
            all.next();
        } else if it == quote && all.next_if(|(_, next)| *next == quote).is_none() {
            return at + it.len_utf8();
        }
    }
    text.len()
}

/// The length of `$tag$ .. $tag$`, or of a single `$`.
fn dollar_quoted(text: &str) -> usize {
    let tag = match text[1..].find('$') {
        Some(end) if word(&text[1..=end]) == end => &text[..end + 2],
        _ => return 1,
    };
    text[tag.len()..].find(tag).map_or(text.len(), |it| it + 2 * tag.len())
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn number(text: &str) -> usize {
    text.bytes().take_while(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_')).count()
}

/// The length of a word: letters, digits, `_` and, after the start, `$`.
fn word(text: &str) -> usize {
    let is_start = |it: char| it.is_alphabetic() || it == '_' || !it.is_ascii();
    let is_part = |it: char| is_start(it) || it.is_ascii_digit() || it == '$';
    if !text.starts_with(is_start) {
        return 0;
    }
    text.find(|it| !is_part(it)).unwrap_or(text.len())
}
