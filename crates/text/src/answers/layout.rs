//! The layout of plain text: which line breaks separate statements, and which lines are headings.
//!
//! HTML and plain text reach the answers without marks. There, a line such as `Opening hours` above a
//! paragraph is a heading, and the lines of an address or a table are statements of their own, while
//! the lines of a wrapped paragraph are not.

use std::ops::Range;

use crate::sentences::split;

/// A narrower text is not wrapped.
const NARROWEST: usize = 50;

/// A wider text is not wrapped either: its lines are paragraphs.
const WIDEST: usize = 130;

/// A longer line is not a heading.
const LONGEST_HEADING: usize = 80;

/// A line from this length on is a sentence rather than a heading or an entry.
const SENTENCE: usize = 60;

/// The width at which the lines of a text are wrapped, if they are. Rows of tables are not wrapped,
/// nor are addresses of the web, however long.
pub(super) fn width(text: &str) -> Option<usize> {
    let is_whole = |it: &&str| it.trim_start().starts_with('|') || it.contains("://");
    let widest = text.lines().filter(|it| !is_whole(it)).map(letters).max().unwrap_or_default();
    (NARROWEST..=WIDEST).contains(&widest).then_some(widest)
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// The lines of a block that belong together, as one range each: a break separates them if the next
/// word had room before it.
pub(super) fn lines(text: &str, body: Range<usize>, width: Option<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = body.start;
    let mut last = 0;
    for line in text.get(body).unwrap_or_default().split_inclusive('\n') {
        let trimmed = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let range = start..start + trimmed.len();
        at += line.len();
        if trimmed.is_empty() {
            continue;
        }
        let first = trimmed.split_whitespace().next().map_or(0, letters);
        let is_wrapped = width.is_some_and(|width| last + 1 + first > width);
        match found.last_mut() {
            Some(before) if is_wrapped => before.end = range.end,
            _ => found.push(range),
        }
        last = letters(line.trim_end());
    }
    found
}

/// Whether a line can be a heading: short, beginning like a name, and without the end of a sentence.
pub(super) fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let begins = line.chars().find(|it| it.is_alphanumeric());
    letters(line) <= LONGEST_HEADING
        && line.split_whitespace().count() <= 12
        && line.contains(char::is_alphabetic)
        && begins.is_some_and(|it| it.is_uppercase() || it.is_numeric())
        && !line.ends_with(['.', ',', ';', ':', '!', '。', '：'])
        && !line.contains(": ")
}

/// Whether a line says something by itself, so that a heading may stand above it.
pub(super) fn is_statement(line: &str) -> bool {
    let line = line.trim();
    letters(line) >= SENTENCE || line.ends_with(['.', '!', '?', '。'])
}

/// The sentences of each line.
pub(super) fn sentences(text: &str, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let of_line = |it: &Range<usize>| {
        let mut found: Vec<Range<usize>> = Vec::new();
        for next in split(text, it.clone()) {
            match found.last_mut() {
                Some(last) if ends_with_number(text.get(last.clone()).unwrap_or_default()) => {
                    last.end = next.end;
                }
                _ => found.push(next),
            }
        }
        found
    };
    lines.iter().flat_map(of_line).collect()
}

/// Whether a text ends with the number of the next of several things, as in `first: 1.`
fn ends_with_number(text: &str) -> bool {
    let Some(before) = text.strip_suffix('.') else { return false };
    let rest = before.trim_end_matches(|it: char| it.is_ascii_digit());
    let digits = before.len() - rest.len();
    (1..3).contains(&digits) && rest.trim_end().ends_with([',', ';', ':', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        lines(text, 0..text.len(), width(text)).into_iter().map(|it| &text[it]).collect()
    }

    #[test]
    fn breaks_separate_where_the_next_word_had_room() {
        let wrapped = "The mill on the river was built by the monks of the old abbey in\n\
            1740 and grinds rye.";
        assert_eq!(shown(wrapped), [wrapped]);
        assert_eq!(shown("Ann Lee\n 4 Mill Road\nKiel"), ["Ann Lee", "4 Mill Road", "Kiel"]);
        let long = "A line that is a whole paragraph. ".repeat(9);
        let text = format!("Prices\n{long}");
        assert_eq!(shown(&text), ["Prices", long.trim()]);
        assert_eq!(shown(""), [""; 0]);
        // Letters count, and not bytes.
        let wrapped = "Мельница на холме была построена монахами старого аббатства у реки в\n\
            1740 году.";
        assert_eq!(shown(wrapped), [wrapped]);
        // An address of the web says nothing of the width.
        let address = format!("See https://example.org/{}", "a".repeat(200));
        let text = format!("{wrapped}\n{address}");
        assert_eq!(width(&text), width(wrapped));
    }

    #[test]
    fn the_numbers_of_a_list_in_the_line_do_not_end_sentences() {
        let text = "They wait: 1. Ann Lee (Kiel), 2. Bo, 3. Cid. Ask at mill no. 2. It is red.";
        let found = sentences(text, std::slice::from_ref(&(0..text.len())));
        let shown: Vec<&str> = found.into_iter().map(|it| &text[it]).collect();
        assert_eq!(shown[0], "They wait: 1. Ann Lee (Kiel), 2. Bo, 3. Cid.");
        assert_eq!(shown.last(), Some(&"It is red."));
    }

    #[test]
    fn headings_are_short_and_do_not_end() {
        for line in ["Opening hours", "2. Parking", "Where do I park?", "MONEY"] {
            assert!(is_heading(line), "{line}");
        }
        for line in ["It is red.", "Dear Ann,", "Price: 4", "and more", "12 345", ""] {
            assert!(!is_heading(line), "{line}");
        }
        assert!(is_statement("It is red."));
        assert!(!is_statement("Kiel"));
    }
}
