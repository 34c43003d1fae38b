//! The tokens of a text in order, each with the comments around it.
//!
//! A comment on the line of a token belongs to that token; a comment on a line of its own
//! belongs to the token below.

use std::{borrow::Cow, ops::Range};

use super::doc::{Comment, Doc};
use crate::{
    diag::Span,
    syntax::{elsewhere::misread, token::Lexed},
};

/// The position of the printer in the text.
#[derive(Clone)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    lexed: &'a Lexed,
    /// The end of the last token and of the comment on its line.
    at: usize,
    /// Whether the last token was an opening bracket.
    opened: bool,
    /// Whether a token was not where the grammar expects it.
    lost: bool,
}

/// The text between two tokens, without the comment that belongs to the first.
struct Gap<'a> {
    comments: Vec<Above<'a>>,
    end: usize,
    line_ends: usize,
}

/// A comment on its own line, and the number of line ends before it.
struct Above<'a> {
    text: &'a str,
    line_ends: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str, lexed: &'a Lexed) -> Self {
        Self { text, lexed, at: 0, opened: false, lost: false }
    }

    /// Some tokens as the grammar reads them.
    pub(super) fn spaced(&self, tokens: Range<usize>) -> String {
        self.lexed.spaced(self.text, tokens)
    }

    /// Whether some tokens parse, but are meant as something else.
    pub(super) fn are_misread(&self, tokens: Range<usize>) -> bool {
        misread(self.text, &self.lexed.tokens[tokens]).is_some()
    }

    pub(super) fn are_lost(&self) -> bool {
        self.lost
    }

    /// Whether the next token is this sign.
    pub(super) fn next_is(&self, sign: &str) -> bool {
        self.text[self.gap().end..].starts_with(sign)
    }

    /// Whether a line ends before the next token.
    pub(super) fn breaks_here(&self) -> bool {
        let gap = self.gap();
        self.text[self.at..gap.end].contains('\n')
    }

    /// A sign or a word of the language.
    pub(super) fn sign(&mut self, sign: &str) -> Doc<'a> {
        let end = self.gap().end;
        self.token(end, end + sign.len(), Some(sign))
    }

    /// An opening bracket.
    pub(super) fn open(&mut self, bracket: &str) -> Doc<'a> {
        let doc = self.sign(bracket);
        self.opened = true;
        doc
    }

    /// A comma between two items, and the end of its line. Comments before it move after it.
    pub(super) fn comma(&mut self) -> Doc<'a> {
        let (behind, above) = self.swallow();
        Doc::seq(vec![Doc::text(","), behind, Doc::line(), self.blank(), above])
    }

    /// An optional comma after the last item; it is printed if the group is broken.
    pub(super) fn last_comma(&mut self) -> Doc<'a> {
        let comma = Doc::if_broken(",");
        if !self.next_is(",") {
            return comma;
        }
        let (behind, above) = self.swallow();
        let line = if above.is_empty() { Doc::empty() } else { Doc::hard_line() };
        Doc::seq(vec![comma, behind, line, above])
    }

    /// Skips the next sign and returns its comments: those that may follow it on its line, and
    /// those below it.
    fn swallow(&mut self) -> (Doc<'a>, Doc<'a>) {
        let gap = self.gap();
        let above = self.lines(&gap.comments);
        self.lost |= !self.text[gap.end..].starts_with(',');
        self.at = (gap.end + 1).min(self.text.len());
        let own_line = !gap.comments.is_empty();
        let Some(text) = self.rest_of_line() else { return (Doc::empty(), above) };
        let behind = Doc::comment(Comment { text, own_line });
        if own_line { (Doc::empty(), Doc::seq(vec![above, behind])) } else { (behind, above) }
    }

    /// The tokens of a place, printed without gaps.
    pub(super) fn joined(&mut self, span: Span) -> Doc<'a> {
        let lexed = self.lexed;
        let first = lexed.tokens.partition_point(|it| it.span.start < span.start);
        let mut parts = Vec::new();
        for token in lexed.tokens[first..].iter().take_while(|it| it.span.start < span.end) {
            parts.push(self.token(token.span.start, token.span.end.min(span.end), None));
        }
        self.lost |= parts.is_empty();
        Doc::seq(parts)
    }

    /// A place as written.
    pub(super) fn verbatim(&mut self, span: Span) -> Doc<'a> {
        self.token(span.start, span.end, None)
    }

    /// A token that replaces the one in the text.
    pub(super) fn replaced(&mut self, span: Span, text: String) -> Doc<'a> {
        self.put(span, text.into())
    }

    /// A place as written, with the indentation of its first line.
    pub(super) fn as_it_stands(&mut self, span: Span) -> Doc<'a> {
        let before = self.at;
        let above = self.above();
        let line = self.text[..span.start].rfind('\n').map_or(0, |it| it + 1);
        let indented = line >= before && self.text[line..span.start].trim().is_empty();
        let start = if indented { line } else { span.start };
        self.at = span.end;
        self.opened = false;
        let text = Doc::text(self.text[start..span.end].trim_start_matches('\u{FEFF}'));
        let mut parts = vec![above, text];
        parts.extend(self.behind());
        Doc::seq(parts)
    }

    fn token(&mut self, start: usize, end: usize, expected: Option<&str>) -> Doc<'a> {
        let text = self.text.get(start..end).unwrap_or_default();
        if text.is_empty() || expected.is_some_and(|it| it != text) {
            self.lost = true;
            return Doc::empty();
        }
        self.put(Span::new(start, end), text.into())
    }

    /// Puts a text in the place of a token, between the comments of that token.
    fn put(&mut self, span: Span, text: Cow<'a, str>) -> Doc<'a> {
        let gap = self.gap();
        self.lost |= gap.end != span.start;
        let above = if gap.comments.is_empty() { None } else { Some(self.above()) };
        self.at = span.end;
        self.opened = false;
        let behind = self.behind();
        if above.is_none() && behind.is_none() {
            return Doc::text(text);
        }
        Doc::seq(above.into_iter().chain([Doc::text(text)]).chain(behind).collect())
    }

    /// The gap between two statements, or two items on separate lines: at most one empty line,
    /// and none after a bracket.
    pub(super) fn next_statement(&self) -> Doc<'a> {
        Doc::seq(vec![Doc::hard_line(), self.blank()])
    }

    /// The empty line before the next token or comment.
    pub(super) fn blank(&self) -> Doc<'a> {
        let gap = self.gap();
        let line_ends = gap.comments.first().map_or(gap.line_ends, |it| it.line_ends);
        if line_ends > 1 && !self.opened { Doc::blank() } else { Doc::empty() }
    }

    /// The comments before a closing bracket or the end.
    pub(super) fn closing_comments(&mut self) -> Doc<'a> {
        let gap = self.gap();
        let comments = self.lines(&gap.comments);
        self.at = gap.end;
        if comments.is_empty() {
            return comments;
        }
        Doc::seq(vec![Doc::hard_line(), comments])
    }

    /// The comments above the next token.
    fn above(&mut self) -> Doc<'a> {
        let gap = self.gap();
        let comments = self.lines(&gap.comments);
        let blank = !gap.comments.is_empty() && gap.line_ends > 1;
        self.at = gap.end;
        if blank { Doc::seq(vec![comments, Doc::blank()]) } else { comments }
    }

    fn lines(&self, comments: &[Above<'a>]) -> Doc<'a> {
        let mut parts = Vec::new();
        for (idx, comment) in comments.iter().enumerate() {
            if comment.line_ends > 1 && !(self.opened && idx == 0) {
                parts.push(Doc::blank());
            }
            parts.push(Doc::comment(Comment { text: comment.text, own_line: true }));
        }
        Doc::seq(parts)
    }

    /// The comment on the line of the token that was just read.
    fn behind(&mut self) -> Option<Doc<'a>> {
        self.rest_of_line().map(|text| Doc::comment(Comment { text, own_line: false }))
    }

    fn rest_of_line(&mut self) -> Option<&'a str> {
        let rest = self.text[self.at..].trim_start_matches(is_space);
        let start = self.text.len() - rest.len();
        let text = comment(rest)?;
        self.at = start + text.len();
        Some(text.trim_end())
    }

    fn gap(&self) -> Gap<'a> {
        let mut gap = Gap { comments: Vec::new(), end: self.at, line_ends: 0 };
        loop {
            let rest = &self.text[gap.end..];
            if let Some(text) = comment(rest) {
                gap.comments.push(Above { text: text.trim_end(), line_ends: gap.line_ends });
                gap.line_ends = 0;
                gap.end += text.len();
            } else if let Some(first) =
                rest.chars().next().filter(|it| is_space(*it) || *it == '\n')
            {
                gap.line_ends += usize::from(first == '\n');
                gap.end += first.len_utf8();
            } else {
                return gap;
            }
        }
    }

    /// A place shortened to end with a token.
    pub(super) fn trimmed(&self, span: Span) -> Span {
        let tokens = &self.lexed.tokens;
        let next = tokens.partition_point(|it| it.span.start < span.end);
        let last = next.checked_sub(1).map_or(span.end, |it| tokens[it].span.end);
        Span::new(span.start, last.min(span.end))
    }
}

/// The comment at the start of a text, up to the end of its line.
fn comment(text: &str) -> Option<&str> {
    let begins = text.starts_with('#') || text.starts_with("//");
    begins.then(|| &text[..text.find('\n').unwrap_or(text.len())])
}

fn is_space(it: char) -> bool {
    matches!(it, ' ' | '\t' | '\r' | '\u{FEFF}')
}
