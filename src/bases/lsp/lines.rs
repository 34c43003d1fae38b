//! Conversion between byte offsets and positions of the protocol.

use std::sync::Arc;

use lsp_types::{Position, PositionEncodingKind, Range};
use svc_lang::diag::Span;

/// The unit in which a client counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// UTF-8 if the client supports it, otherwise UTF-16, which every client supports.
    pub(super) fn of(offered: Option<&[PositionEncodingKind]>) -> Self {
        if offered.is_some_and(|it| it.contains(&PositionEncodingKind::UTF8)) {
            Self::Utf8
        } else {
            Self::Utf16
        }
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// The length of a text in this encoding.
    pub(super) fn len(self, text: &str) -> u32 {
        let len = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        };
        u32::try_from(len).unwrap_or(u32::MAX)
    }
}

/// A text and the offsets of its lines.
#[derive(Debug)]
pub(super) struct Page {
    text: Arc<str>,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Page {
    pub(super) fn new(text: impl Into<Arc<str>>, encoding: Encoding) -> Self {
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

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(super) fn line_count(&self) -> usize {
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
    pub(super) fn offset(&self, position: Position) -> Option<usize> {
        let (start, line) = self.line(usize::try_from(position.line).ok()?)?;
        let wanted = usize::try_from(position.character).ok()?;
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
    pub(super) fn clamped(&self, position: Position) -> usize {
        self.offset(position).unwrap_or(self.text.len())
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let idx = self.starts.partition_point(|it| *it <= offset).saturating_sub(1);
        let character = self.encoding.len(&self.text[self.starts[idx]..offset]);
        Position { line: u32::try_from(idx).unwrap_or(u32::MAX), character }
    }

    pub(super) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end) }
    }

    /// The parts of a span, split at line ends.
    pub(super) fn per_line(&self, span: Span) -> Vec<Span> {
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

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn characters_are_counted_as_agreed() {
        let text = "a𝄞ß\r\nb\rc\n";
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
    }

    #[test]
    fn long_pieces_are_cut_at_their_lines() {
        let page = Page::new("ab\n\ncd\r\ne", Encoding::Utf8);
        let parts = page.per_line(Span::new(1, 9));
        assert_eq!(parts, [Span::new(1, 2), Span::new(4, 6), Span::new(8, 9)]);
    }
}
