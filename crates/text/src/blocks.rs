//! The blocks of Markdown or plain text: headings, paragraphs, list items, code, tables.
//!
//! A scanner over lines, not a parser: it returns byte ranges, does not allocate, and reads every
//! line at most twice. Plain text is treated as Markdown without marks: paragraphs.

use std::ops::Range;

use super::lines::{Line, Lines, classify, is_table_rule};

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A heading of level 1 to 6.
    Heading(u8),
    Paragraph,
    /// One item of a list, without the items below it.
    Item,
    /// Fenced code, or the front matter of a file.
    Code,
    Table,
    /// An HTML block.
    Markup,
}

/// One block, as byte ranges of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    /// The whole block, without the white space around it.
    pub range: Range<usize>,
    /// The content: without list mark, heading marks and fences.
    pub body: Range<usize>,
}

impl Block {
    /// Whether it contains sentences.
    pub fn is_prose(&self) -> bool {
        matches!(self.kind, Kind::Paragraph | Kind::Item)
    }
}

/// Returns the blocks of `text` in order, without the blank lines and rules between them.
pub fn blocks(text: &str) -> Blocks<'_> {
    Blocks { lines: Lines::new(text) }
}

/// The iterator of [`blocks`].
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    lines: Lines<'a>,
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        loop {
            let range = self.lines.peek()?;
            if range.start == 0
                && let Some(end) = self.front_matter()
            {
                return Some(self.block(Kind::Code, 0..end, 0..end));
            }
            self.lines.next();
            let line = self.lines.text_of(&range);
            return Some(match classify(line) {
                Line::Blank | Line::Rule(_) => continue,
                Line::Fence(mark, count) => self.fenced(range, mark, count),
                Line::Heading(level) => self.heading(range, level),
                Line::Table => self.while_lines(range, Kind::Table, |it| it == Line::Table),
                Line::Markup => self.while_lines(range, Kind::Markup, |it| it != Line::Blank),
                Line::Item { mark, .. } => self.prose(range, Kind::Item, mark),
                Line::Text => self.prose(range, Kind::Paragraph, 0),
            });
        }
    }
}

impl Blocks<'_> {
    fn block(&self, kind: Kind, range: Range<usize>, body: Range<usize>) -> Block {
        Block { kind, range: self.lines.trim(range), body: self.lines.trim(body) }
    }

    /// Skips the lines between `---` and `---` at the start of a file, if they look like `key:
    /// value`; returns their end.
    fn front_matter(&mut self) -> Option<usize> {
        let mut ahead = self.lines.clone();
        let is_dashes = |it: &str| it.trim_end() == "---";
        ahead.next().filter(|it| is_dashes(self.lines.text_of(it)))?;
        ahead.peek().filter(|it| self.lines.text_of(it).contains(':'))?;
        let last = ahead.by_ref().find(|it| {
            let line = self.lines.text_of(it);
            is_dashes(line) || line.trim().is_empty()
        })?;
        if !is_dashes(self.lines.text_of(&last)) {
            return None;
        }
        self.lines = ahead;
        Some(last.end)
    }

    fn fenced(&mut self, first: Range<usize>, mark: u8, count: usize) -> Block {
        let body = first.end;
        let (mut inner, mut end) = (body, body);
        while let Some(line) = self.lines.next() {
            end = line.end;
            let text = self.lines.text_of(&line).trim();
            let marks = text.bytes().take_while(|it| *it == mark).count();
            if marks >= count && marks == text.len() {
                break;
            }
            inner = line.end;
        }
        self.block(Kind::Code, first.start..end, body..inner)
    }

    fn heading(&self, line: Range<usize>, level: u8) -> Block {
        let text = self.lines.text_of(&line);
        let start = text.find('#').map_or(0, |it| it + usize::from(level));
        let title = text.get(start..).unwrap_or_default().trim_end();
        let bare = title.trim_end_matches('#');
        // Closing marks are separated from the title by a space: `C#` keeps its `#`.
        let title = if bare.is_empty() || bare.ends_with([' ', '\t']) { bare } else { title };
        let body = line.start + start..line.start + start + title.len();
        self.block(Kind::Heading(level), line, body)
    }

    fn while_lines(
        &mut self,
        first: Range<usize>,
        kind: Kind,
        belongs: impl Fn(Line) -> bool,
    ) -> Block {
        let mut end = first.end;
        while let Some(line) = self.lines.peek()
            && belongs(classify(self.lines.text_of(&line)))
        {
            end = line.end;
            self.lines.next();
        }
        self.block(kind, first.start..end, first.start..end)
    }

    /// A paragraph or list item, which may turn out to be an underlined heading, or a table without
    /// bars at its sides.
    fn prose(&mut self, first: Range<usize>, kind: Kind, mark: usize) -> Block {
        let mut end = first.end;
        while let Some(line) = self.lines.peek() {
            let text = self.lines.text_of(&line);
            let is_second = end == first.end;
            if is_second && is_table_rule(text) && self.lines.text_of(&first).contains('|') {
                let is_row = |it| matches!(it, Line::Text | Line::Table | Line::Rule(_));
                return self.while_lines(first, Kind::Table, is_row);
            }
            match classify(text) {
                Line::Rule(b'=') if is_second && kind == Kind::Paragraph => {
                    return self.underlined(first, line, 1);
                }
                Line::Rule(b'-') if is_second && kind == Kind::Paragraph => {
                    return self.underlined(first, line, 2);
                }
                Line::Text => {}
                Line::Item { interrupts: false, .. } if kind == Kind::Paragraph => {}
                _ => break,
            }
            end = line.end;
            self.lines.next();
        }
        self.block(kind, first.start..end, first.start + mark..end)
    }

    fn underlined(&mut self, title: Range<usize>, line: Range<usize>, level: u8) -> Block {
        self.lines.next();
        self.block(Kind::Heading(level), title.start..line.end, title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(Kind, &str)> {
        blocks(text).map(|it| (it.kind, &text[it.body])).collect()
    }

    #[test]
    fn every_kind_is_distinguished() {
        let text = "---\ntitle: x\n---\n# One #\nA line\nand another.\n\n- item\n  more\n- [x] done\n\
                    ```rust\n# no heading\n\nlet x;\n```\n| a | b |\n|---|---|\n<p>\nhi\n\nTwo\n---\n1) last";
        assert_eq!(
            shown(text),
            [
                (Kind::Code, "---\ntitle: x\n---"),
                (Kind::Heading(1), "One"),
                (Kind::Paragraph, "A line\nand another."),
                (Kind::Item, "item\n  more"),
                (Kind::Item, "done"),
                (Kind::Code, "# no heading\n\nlet x;"),
                (Kind::Table, "| a | b |\n|---|---|"),
                (Kind::Markup, "<p>\nhi"),
                (Kind::Heading(2), "Two"),
                (Kind::Item, "last"),
            ]
        );
    }

    #[test]
    fn carriage_returns_and_open_fences_are_no_trouble() {
        assert_eq!(
            shown("# A\r\n\r\ntext\r\nmore\r\n~~~\r\nopen"),
            [(Kind::Heading(1), "A"), (Kind::Paragraph, "text\r\nmore"), (Kind::Code, "open")]
        );
        assert_eq!(shown(""), []);
        assert_eq!(shown("\n \n---\n\n***"), []);
    }

    #[test]
    fn what_only_looks_like_markdown_stays_text() {
        assert_eq!(shown("#tag and C#"), [(Kind::Paragraph, "#tag and C#")]);
        assert_eq!(
            shown("born in\n1984. A year\n<https://x.y>"),
            [(Kind::Paragraph, "born in\n1984. A year\n<https://x.y>")]
        );
        assert_eq!(
            shown("a | b\n--|--\n1 | 2\n\nend"),
            [(Kind::Table, "a | b\n--|--\n1 | 2"), (Kind::Paragraph, "end")]
        );
    }
}
