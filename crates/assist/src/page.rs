//! Conversion between byte offsets and the positions of editors.

use std::sync::Arc;

use svc_lang::diag::Span;

/// A place as editors count: a line and a column in it, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    /// In units of the [`Encoding`]; a column after the end of its line means the end.
    pub column: usize,
}

impl Position {
    pub fn new(line: usize, column: usize) -> Self {
        Self { line, column }
    }
}

/// The unit in which an editor counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// That of browsers and, unless agreed otherwise, of the language server protocol.
    Utf16,
}

impl Encoding {
    /// The length of a text in this encoding.
    pub fn len(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }
}

/// A text and the offsets of its lines.
#[derive(Clone, Debug)]
pub struct Page {
    text: Arc<str>,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Page {
    pub fn new(text: impl Into<Arc<str>>, encoding: Encoding) -> Self {
        let text = text.into();
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        // A line ends with `\n`, `\r\n` or `\r`.
        let ends = |idx: usize| match bytes[idx] {
            b'\n' => true,
            b'\r' => bytes.get(idx + 1) != Some(&b'\n'),
            _ => false,
        };
        starts.extend((0..bytes.len()).filter(|idx| ends(*idx)).map(|idx| idx + 1));
        Self { text, starts, encoding }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// A line without its line ending, and its offset.
    fn line(&self, idx: usize) -> Option<(usize, &str)> {
        let start = *self.starts.get(idx)?;
        let end = self.starts.get(idx + 1).copied().unwrap_or(self.text.len());
        Some((start, self.text[start..end].trim_end_matches(['\r', '\n'])))
    }

    /// The byte offset of a position; `None` if the line does not exist. A character after the end
    /// of its line means the end.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let (start, line) = self.line(position.line)?;
        let wanted = position.column;
        let within = match self.encoding {
            Encoding::Utf8 => line.floor_char_boundary(wanted),
            Encoding::Utf16 => {
                let mut units = 0;
                let fits = |(_, it): &(usize, char)| {
                    units += it.len_utf16();
                    units <= wanted
                };
                let before = line.char_indices().take_while(fits);
                before.last().map_or(0, |(idx, it)| idx + it.len_utf8())
            }
        };
        Some(start + within)
    }

    /// The same, except that a line after the last one means the end of the text.
    pub fn clamped(&self, position: Position) -> usize {
        self.offset(position).unwrap_or(self.text.len())
    }

    /// The position of a byte offset; one after the end of the text means the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|it| *it <= offset).saturating_sub(1);
        Position { line, column: self.encoding.len(&self.text[self.starts[line]..offset]) }
    }

    /// The parts of a span, split at line ends.
    pub fn per_line(&self, span: Span) -> Vec<Span> {
        let first = self.starts.partition_point(|it| *it <= span.start).saturating_sub(1);
        let lines = (first..self.starts.len()).map_while(|idx| {
            let (start, line) = self.line(idx).filter(|(start, _)| *start < span.end)?;
            Some(Span::new(start.max(span.start), (start + line.len()).min(span.end)))
        });
        lines.filter(|it| it.start < it.end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_the_encoding() {
        let text = "a𝄞ß\r\nb\rc\n";
        let at = Position::new;
        let utf16 = Page::new(text, Encoding::Utf16);
        assert_eq!(utf16.line_count(), 4);
        assert_eq!(utf16.offset(at(0, 3)), Some(5));
        assert_eq!(utf16.position(5), at(0, 3));
        assert_eq!(utf16.offset(at(0, 2)), Some(1), "the middle of a character is its start");
        assert_eq!(utf16.offset(at(0, 99)), Some(7), "before what ends the line");
        let utf8 = Page::new(text, Encoding::Utf8);
        assert_eq!(utf8.position(5), at(0, 5));
        assert_eq!(utf8.offset(at(0, 3)), Some(1));
        assert_eq!(utf8.offset(at(2, 0)), Some(11));
        assert_eq!((utf8.offset(at(4, 0)), utf8.clamped(at(4, 0))), (None, text.len()));
        assert_eq!(utf8.position(99), at(3, 0));
    }

    #[test]
    fn long_pieces_are_cut_at_their_lines() {
        let page = Page::new("ab\n\ncd\r\ne", Encoding::Utf8);
        let parts = page.per_line(Span::new(1, 9));
        assert_eq!(parts, [Span::new(1, 2), Span::new(4, 6), Span::new(8, 9)]);
    }
}
