//! Lays out a [`Doc`]: the only place that decides where lines end.

use super::{
    align::{self, Trailing},
    doc::{Breaks, Comment, Doc, Fold, Node},
};

/// The most columns of a line that can be broken. Comments are not counted.
const WIDTH: usize = 100;

/// The extra indentation of a line that begins only because a comment ended the previous one.
const CONTINUED: usize = 2;

/// The layout of the current group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// On one line, with all groups inside.
    Flat,
    /// On one line, but the groups inside decide for themselves.
    Loose,
    Broken,
}

/// A piece that is still to be laid out.
#[derive(Clone, Copy)]
struct Pending<'d, 'a> {
    indent: usize,
    mode: Mode,
    doc: &'d Doc<'a>,
}

/// The text so far, and the gap and comment before the next token.
#[derive(Default)]
pub(super) struct Page<'a> {
    text: String,
    column: usize,
    line: usize,
    /// The number of line ends before the next token.
    line_ends: usize,
    space: bool,
    /// The indentation of the next line.
    indent: usize,
    /// The comment after the last token. A comma may still be inserted before it.
    comment: Option<&'a str>,
    trailing: Vec<Trailing>,
}

impl<'a> Page<'a> {
    /// The finished text, without the end of its last line.
    pub(super) fn finish(mut self) -> String {
        self.end_comment();
        align::comments(self.text, &self.trailing)
    }

    /// Lays out a statement below the text so far.
    pub(super) fn add(&mut self, doc: &Doc<'a>) {
        let mut pending = vec![Pending { indent: 0, mode: Mode::Broken, doc }];
        while let Some(it) = pending.pop() {
            self.lay_out(it, &mut pending);
        }
    }

    fn lay_out<'d>(&mut self, it: Pending<'d, 'a>, pending: &mut Vec<Pending<'d, 'a>>) {
        let broken = it.mode == Mode::Broken;
        match &it.doc.node {
            Node::Text(text) => self.token(text, it.indent),
            Node::IfBroken(text) if broken => self.token(text, it.indent),
            Node::IfBroken(_) => {}
            Node::Space => self.space = true,
            Node::HardLine => self.end_line(it.indent),
            Node::Line | Node::SoftLine if broken => self.end_line(it.indent),
            Node::Line => self.space = true,
            Node::SoftLine => {}
            Node::Blank if self.line_ends > 0 => self.line_ends = 2,
            Node::Blank => {}
            Node::Comment(comment) => self.comment(*comment, it.indent),
            Node::Nest(columns, doc) => pending.push(it.nested(*columns, doc)),
            Node::Group(fold, _, doc) => {
                let mode = self.mode(it, *fold, doc, pending);
                pending.push(Pending { mode, doc, ..it });
            }
            Node::Seq(docs) => pending.extend(docs.iter().rev().map(|doc| Pending { doc, ..it })),
        }
    }

    fn mode<'d>(
        &self,
        it: Pending<'d, 'a>,
        fold: Fold,
        doc: &'d Doc<'a>,
        pending: &[Pending<'d, 'a>],
    ) -> Mode {
        if it.mode == Mode::Flat {
            return Mode::Flat;
        }
        let mode = match (fold, doc.shape.breaks) {
            (Fold::Open, _) | (_, Breaks::Here) | (Fold::Strict, Breaks::Inside) => {
                return Mode::Broken;
            }
            (Fold::Loose, Breaks::Inside) => Mode::Loose,
            (_, Breaks::No) => Mode::Flat,
        };
        let start = if self.line_ends > 0 { self.indent } else { self.column };
        let used = start + usize::from(self.space);
        if fits(used, Pending { mode, doc, ..it }, pending) { mode } else { Mode::Broken }
    }

    fn token(&mut self, text: &str, indent: usize) {
        let joins_comment = text == "," && self.line_ends == 0;
        if self.comment.is_some() && !joins_comment {
            self.end_comment();
            if self.line_ends == 0 {
                self.end_line(indent + CONTINUED);
            }
        }
        self.write_gap();
        self.write(text);
    }

    fn comment(&mut self, comment: Comment<'a>, indent: usize) {
        let starts_page = self.text.is_empty();
        if !comment.own_line && self.comment.is_none() && !starts_page {
            self.comment = Some(comment.text);
            return;
        }
        // Two comments cannot share a line.
        let indent = if comment.own_line { indent + CONTINUED } else { self.indent };
        self.end_comment();
        if self.line_ends == 0 && !starts_page {
            self.end_line(indent);
        }
        self.write_gap();
        self.write(comment.text);
        self.line_ends = 1;
    }

    fn end_line(&mut self, indent: usize) {
        self.line_ends = self.line_ends.max(1);
        self.indent = indent;
    }

    /// Writes the pending comment at the end of the line.
    fn end_comment(&mut self) {
        let Some(comment) = self.comment.take() else { return };
        self.trailing.push(Trailing { line: self.line, column: self.column, at: self.text.len() });
        self.write(comment);
    }

    fn write_gap(&mut self) {
        if self.line_ends > 0 && !self.text.is_empty() {
            self.text.extend(std::iter::repeat_n('\n', self.line_ends));
            self.text.extend(std::iter::repeat_n(' ', self.indent));
            self.line += self.line_ends;
            self.column = self.indent;
        } else if self.space {
            self.text.push(' ');
            self.column += 1;
        }
        self.line_ends = 0;
        self.space = false;
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
        self.line += text.matches('\n').count();
        self.column = column_after(self.column, text);
    }
}

impl<'d, 'a> Pending<'d, 'a> {
    fn nested(self, columns: usize, doc: &'d Doc<'a>) -> Self {
        let deeper = if self.mode == Mode::Broken { columns } else { 0 };
        Self { indent: self.indent + deeper, doc, ..self }
    }
}

fn column_after(column: usize, text: &str) -> usize {
    match text.rsplit_once('\n') {
        Some((_, last)) => last.chars().count(),
        None => column + text.chars().count(),
    }
}

/// Whether a piece, and the text after it up to the next possible line end, fits on its line.
fn fits<'d, 'a>(start: usize, piece: Pending<'d, 'a>, rest: &[Pending<'d, 'a>]) -> bool {
    let mut measured = vec![piece];
    let mut rest = rest.iter().rev();
    let mut column = start;
    while let Some(it) = measured.pop().or_else(|| rest.next().copied()) {
        let broken = it.mode == Mode::Broken;
        match &it.doc.node {
            Node::Text(text) => {
                let first = text.split('\n').next().unwrap_or_default();
                if column + first.chars().count() > WIDTH {
                    return false;
                }
                column = column_after(column, text);
            }
            Node::Line if !broken => column += 1,
            Node::Space => column += 1,
            Node::Line | Node::SoftLine if broken => return true,
            // A comment above the piece is not part of its first line.
            Node::Comment(comment) if comment.own_line && column == start => {}
            Node::HardLine | Node::Comment(_) => return true,
            Node::IfBroken(_) | Node::Line | Node::SoftLine | Node::Blank => {}
            Node::Nest(_, doc) => measured.push(Pending { doc, ..it }),
            Node::Group(fold, _, doc) => {
                measured.push(Pending { mode: measured_mode(it.mode, *fold, doc), doc, ..it });
            }
            Node::Seq(docs) => measured.extend(docs.iter().rev().map(|doc| Pending { doc, ..it })),
        }
        if column > WIDTH {
            return false;
        }
    }
    true
}

/// The layout of a group inside the measured piece, if there is room.
fn measured_mode(around: Mode, fold: Fold, doc: &Doc<'_>) -> Mode {
    match (around, fold, doc.shape.breaks) {
        (Mode::Flat, ..) => Mode::Flat,
        (_, Fold::Open, _) | (_, _, Breaks::Here) | (_, Fold::Strict, Breaks::Inside) => {
            Mode::Broken
        }
        (_, Fold::Loose, Breaks::Inside) => Mode::Loose,
        (Mode::Loose, _, Breaks::No) => Mode::Flat,
        (Mode::Broken, _, Breaks::No) => Mode::Broken,
    }
}
