//! The lines of a text, and their meaning in Markdown.

use std::ops::Range;

/// The meaning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Blank,
    /// A line of only this character: `---`, `***`, `===`.
    Rule(u8),
    /// A code fence: its character, and their number.
    Fence(u8, usize),
    Heading(u8),
    Table,
    Markup,
    Item {
        /// The length of the list mark, in bytes.
        mark: usize,
        /// Whether it may end the previous paragraph without a blank line.
        interrupts: bool,
    },
    Text,
}

/// The byte ranges of a text's lines, each with its line break.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..).filter(|it| !it.is_empty())?;
        let len = rest.find('\n').map_or(rest.len(), |it| it + 1);
        Some(self.at..self.at + len)
    }

    pub(super) fn text_of(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The range without white space at its ends.
    pub(super) fn trim(&self, range: Range<usize>) -> Range<usize> {
        trim(self.text, range)
    }
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let line = self.peek()?;
        self.at = line.end;
        Some(line)
    }
}

/// Returns `range` without white space at its ends.
pub(super) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// Returns the meaning of `line` in Markdown, without context.
pub(super) fn classify(line: &str) -> Line {
    let bare = line.trim();
    let Some(first) = bare.bytes().next() else { return Line::Blank };
    if is_rule(bare, first) {
        return Line::Rule(first);
    }
    let found = match first {
        b'#' => heading(bare),
        b'`' | b'~' => fence(bare, first),
        b'|' => Some(Line::Table),
        b'<' => is_markup(bare).then_some(Line::Markup),
        b'-' | b'*' | b'+' | b'0'..=b'9' => item(line),
        _ => None,
    };
    found.unwrap_or(Line::Text)
}

/// Whether the line is like `--|:-:`, which makes the previous line the head of a table.
pub(super) fn is_table_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('|') && line.contains('-') && line.bytes().all(|it| b"|-: \t".contains(&it))
}

fn is_rule(bare: &str, first: u8) -> bool {
    let all_are = |it: u8| it == first || it == b' ';
    b"-*_=".contains(&first) && bare.bytes().all(all_are) && bare.len() >= 3
}

fn heading(bare: &str) -> Option<Line> {
    let level = bare.bytes().take_while(|it| *it == b'#').count();
    let level = u8::try_from(level).ok().filter(|it| *it <= 6)?;
    let rest = bare.get(usize::from(level)..)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(Line::Heading(level))
}

fn fence(bare: &str, mark: u8) -> Option<Line> {
    let count = bare.bytes().take_while(|it| *it == mark).count();
    let info = bare.get(count..)?;
    // "```like this```" is inline code.
    let is_fence = count >= 3 && !(mark == b'`' && info.contains('`'));
    is_fence.then_some(Line::Fence(mark, count))
}

/// Whether the line starts with a tag, and not with a link such as `<https://..>`.
fn is_markup(bare: &str) -> bool {
    let inner = bare.get(1..).unwrap_or_default();
    let name = inner.trim_start_matches('/');
    let rest = name.trim_start_matches(|it: char| it.is_ascii_alphanumeric() || it == '-');
    let is_tag = name.starts_with(|it: char| it.is_ascii_alphabetic())
        && (rest.is_empty() || rest.starts_with([' ', '>', '/']));
    is_tag || inner.starts_with("!--")
}

fn item(line: &str) -> Option<Line> {
    let indent = line.len() - line.trim_start().len();
    let bare = line.get(indent..)?;
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let sign = if digits == 0 { "-*+" } else { ".)" };
    let after = bare.get(digits..)?;
    let rest = after.strip_prefix(|it| sign.contains(it)).filter(|_| digits <= 9)?;
    if !rest.starts_with([' ', '\t', '\r', '\n']) {
        return None;
    }
    let said = rest.trim_start();
    let said = ["[ ] ", "[x] ", "[X] "].iter().find_map(|it| said.strip_prefix(it)).unwrap_or(said);
    let interrupts = digits == 0 || bare.get(..digits) == Some("1");
    Some(Line::Item { mark: line.len() - said.len(), interrupts })
}
