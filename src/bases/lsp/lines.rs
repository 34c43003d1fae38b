//! Conversion between byte offsets and positions of the protocol.

use std::sync::Arc;

use lsp_types::{Position, PositionEncodingKind, Range};
use svc_assist::Encoding;
use svc_lang::diag::Span;

/// UTF-8 if the client supports it, otherwise UTF-16, which every client supports.
pub(super) fn agreed(offered: Option<&[PositionEncodingKind]>) -> Encoding {
    if offered.is_some_and(|it| it.contains(&PositionEncodingKind::UTF8)) {
        Encoding::Utf8
    } else {
        Encoding::Utf16
    }
}

pub(super) fn kind(encoding: Encoding) -> PositionEncodingKind {
    match encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
    }
}

/// A number as the protocol has it.
pub(super) fn number(it: usize) -> u32 {
    u32::try_from(it).unwrap_or(u32::MAX)
}

/// A text with positions of the protocol.
#[derive(Debug)]
pub(super) struct Page(svc_assist::Page);

impl Page {
    pub(super) fn new(text: impl Into<Arc<str>>, encoding: Encoding) -> Self {
        Self(svc_assist::Page::new(text, encoding))
    }

    pub(super) fn text(&self) -> &Arc<str> {
        self.0.text()
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.0.encoding()
    }

    pub(super) fn line_count(&self) -> usize {
        self.0.line_count()
    }

    /// The byte offset of a position; `None` if the line does not exist. A character after the end
    /// of its line means the end.
    pub(super) fn offset(&self, position: Position) -> Option<usize> {
        self.0.offset(at(position))
    }

    /// The same, except that a line after the last one means the end of the text.
    pub(super) fn clamped(&self, position: Position) -> usize {
        self.0.clamped(at(position))
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        let svc_assist::Position { line, column } = self.0.position(offset);
        Position { line: number(line), character: number(column) }
    }

    pub(super) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end) }
    }

    /// The parts of a span, split at line ends.
    pub(super) fn per_line(&self, span: Span) -> Vec<Span> {
        self.0.per_line(span)
    }
}

fn at(position: Position) -> svc_assist::Position {
    let whole = |it: u32| usize::try_from(it).unwrap_or(usize::MAX);
    svc_assist::Position::new(whole(position.line), whole(position.character))
}
