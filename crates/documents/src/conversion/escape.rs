//! Escapes text for Markdown: what is text stays text.

use std::iter::Peekable;

/// What a character means next to a delimiter of emphasis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Space,
    /// Punctuation or a symbol.
    Mark,
    Word,
}

impl Class {
    pub(super) fn of(letter: char) -> Self {
        if letter.is_whitespace() {
            Self::Space
        } else if letter.is_alphanumeric() {
            Self::Word
        } else {
            // Combining marks and the like count as words in the standard: a tag instead of
            // asterisks is right for both.
            Self::Mark
        }
    }
}

/// The maximum length of the name of a character such as `&nbsp;`.
const LONGEST_NAME: usize = 32;

/// Writes text inside a paragraph.
pub(super) fn text(text: &str, out: &mut String) {
    let mut before = None;
    for (at, letter) in text.char_indices() {
        let rest = &text[at + letter.len_utf8()..];
        let after = rest.chars().next();
        let is_apart = |it: Option<char>| it.is_some_and(char::is_whitespace);
        let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
        let is_escaped = match letter {
            '`' | '[' | ']' => true,
            '\\' => after.is_none_or(|it| it.is_ascii_punctuation()),
            '*' | '~' => !(is_apart(before) && is_apart(after)),
            '_' => !(is_word(before) && is_word(after)),
            '<' => after.is_none_or(|it| it.is_ascii_alphabetic() || "/!?".contains(it)),
            '&' => is_name(rest),
            _ => false,
        };
        if is_escaped {
            out.push('\\');
        }
        out.push(letter);
        before = Some(letter);
    }
}

/// Whether what follows a `&` makes it the name or number of a character.
fn is_name(rest: &str) -> bool {
    let start = &rest[..rest.floor_char_boundary(LONGEST_NAME)];
    let Some((name, _)) = start.split_once(';') else { return false };
    let name = name.strip_prefix('#').unwrap_or(name);
    !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric())
}

/// Writes code in as many backticks as it needs.
pub(super) fn code(code: &str, out: &mut String) {
    let code = code.replace(['\n', '\r'], " ");
    let ticks = "`".repeat(longest_run(&code, '`') + 1);
    // A fence is one backtick where none is inside.
    let both = code.starts_with(' ') && code.ends_with(' ') && !code.trim().is_empty();
    let pad = if code.starts_with('`') || code.ends_with('`') || both { " " } else { "" };
    out.extend([&ticks, pad, &code, pad, &ticks]);
}

/// The length of the longest run of a character.
pub(super) fn longest_run(text: &str, letter: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for it in text.chars() {
        run = if it == letter { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The text of a picture: on one line, without marks.
pub(super) fn label(label: &str) -> String {
    let mut out = String::new();
    let words = label.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    text(&words, &mut out);
    out
}

/// The address and the title of a link.
pub(super) fn target(url: &str, title: &str) -> String {
    let url: String = url.trim().chars().filter(|it| !matches!(it, '\n' | '\r' | '\t')).collect();
    let needs_brackets = url.starts_with('<')
        || url.contains(|it: char| it == ' ' || it.is_ascii_control())
        || !is_balanced(&url);
    let mut out = String::with_capacity(url.len() + title.len() + 4);
    if needs_brackets {
        out.push('<');
        escaped(&url, &['<', '>'], &mut out);
        out.push('>');
    } else {
        escaped(&url, &[], &mut out);
    }
    let title = title.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    if !title.is_empty() {
        if url.is_empty() {
            out.push_str("<>");
        }
        out.push_str(" \"");
        escaped(&title, &['"'], &mut out);
        out.push('"');
    }
    out
}

/// Escapes backslashes, names of characters and the given ones.
fn escaped(text: &str, more: &[char], out: &mut String) {
    for (at, letter) in text.char_indices() {
        let rest = &text[at + letter.len_utf8()..];
        let is_escaped = more.contains(&letter)
            || letter == '\\' && rest.chars().next().is_none_or(|it| it.is_ascii_punctuation())
            || letter == '&' && is_name(rest);
        if is_escaped {
            out.push('\\');
        }
        out.push(letter);
    }
}

/// Whether parentheses may stand in an address as they are: readers accept 32 inside each other.
fn is_balanced(url: &str) -> bool {
    let mut depth = 0_i32;
    for it in url.bytes() {
        match it {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if !(0..=30).contains(&depth) {
            return false;
        }
    }
    depth == 0
}

/// Escapes the beginning of each line of a paragraph where it would be a heading, an item, a rule
/// or the like.
pub(super) fn lines(paragraph: &str) -> String {
    let mut out = String::with_capacity(paragraph.len() + 2);
    for (idx, line) in paragraph.split('\n').enumerate() {
        if idx > 0 {
            out.push('\n');
        }
        let at = mark_at(line);
        out.push_str(&line[..at.unwrap_or(0)]);
        if at.is_some() {
            out.push('\\');
        }
        out.push_str(&line[at.unwrap_or(0)..]);
    }
    out
}

/// Where a line has the mark that makes it something else than text.
fn mark_at(line: &str) -> Option<usize> {
    let mut letters = line.bytes().peekable();
    let first = *letters.peek()?;
    let ends = |it: Option<&u8>| it.is_none_or(|it| *it == b' ');
    let is_mark = match first {
        b'>' => true,
        b'#' => (1..=6).contains(&run(&mut letters, b'#')) && ends(letters.peek()),
        b'-' | b'+' | b'*' => {
            letters.next();
            ends(letters.peek()) || first == b'-' && is_rule(line)
        }
        b'=' | b'|' | b':' => is_rule(line),
        b'0'..=b'9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let after = line.as_bytes().get(digits + 1);
            let is_dot = matches!(line.as_bytes().get(digits), Some(b'.' | b')'));
            return (digits <= 9 && is_dot && ends(after)).then_some(digits);
        }
        _ => false,
    };
    is_mark.then_some(0)
}

fn run(letters: &mut Peekable<impl Iterator<Item = u8>>, letter: u8) -> usize {
    let mut count = 0;
    while letters.next_if_eq(&letter).is_some() {
        count += 1;
    }
    count
}

/// Whether a line might underline a heading, or separate the header of a table.
fn is_rule(line: &str) -> bool {
    line.bytes().all(|it| b"-=:| *_\\".contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped_text(it: &str) -> String {
        let mut out = String::new();
        text(it, &mut out);
        out
    }

    #[test]
    fn text_is_escaped_only_where_needed() {
        for (given, expected) in [
            ("snake_case 2 * 3 ~ 4", "snake_case 2 * 3 ~ 4"),
            ("*a* _b_ `c`", "\\*a\\* \\_b\\_ \\`c\\`"),
            ("a < b <c> 1 & 2 &amp; &x", "a < b \\<c> 1 & 2 \\&amp; &x"),
            (r"C:\dir\*", r"C:\dir\\\*"),
        ] {
            assert_eq!(escaped_text(given), expected);
        }
    }

    #[test]
    fn beginnings_of_lines_are_text() {
        for (given, expected) in [
            ("# a", "\\# a"),
            ("#a", "#a"),
            ("1986. A year", "1986\\. A year"),
            ("1.5 l", "1.5 l"),
            ("- a\n+ b\n-1", "\\- a\n\\+ b\n-1"),
            ("a\n===", "a\n\\==="),
            ("> a", "\\> a"),
            ("|--|", "\\|--|"),
        ] {
            assert_eq!(lines(given), expected);
        }
    }

    #[test]
    fn addresses_and_code_are_kept() {
        assert_eq!(target("a b", ""), "<a b>");
        assert_eq!(target("a(b)", "x \"y\""), "a(b) \"x \\\"y\\\"\"");
        assert_eq!(target("a)", ""), "<a)>");
        assert_eq!(target("a?b&copy;=1", ""), "a?b\\&copy;=1");
        let mut out = String::new();
        code("`a``", &mut out);
        assert_eq!(out, "``` `a`` ```");
    }
}
