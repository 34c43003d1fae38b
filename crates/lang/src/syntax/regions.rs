//! Cuts a text where a statement must end, so that one mistake causes one problem.
//!
//! A statement must end where a line begins with a token that cannot continue it, or with
//! a declaration, at depth 0. Where brackets do not match, a declaration at the start of a
//! line ends it at any depth.

use std::ops::Range;

use super::{
    MAX_DEPTH, MAX_NAME,
    elsewhere::{foreign_list, quotient},
    token::{Bracket, Flaw, Lexed, Token, TokenKind},
};
use crate::diag::{Code, Fix, Problem, Span};

/// A piece of text that holds whole statements.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) tokens: Range<usize>,
    pub(super) span: Span,
    /// How deep its brackets are nested.
    pub(super) depth: usize,
    /// It cannot be parsed; the problem was reported.
    pub(super) broken: bool,
}

const DECLARATIONS: [&str; 8] = ["param", "secret", "type", "use", "flow", "test", "mock", "let"];

/// Words that continue the expression or stage before them.
const INFIX: [&str; 7] = ["and", "or", "as", "within", "fallback", "else", "until"];

/// Words that a value or stage cannot end with.
const OPENING: [&str; 24] = [
    "svc", "param", "secret", "type", "use", "flow", "test", "mock", "expect", "let", "parallel",
    "race", "each", "if", "match", "repeat", "rhai", "where", "sort", "group", "not", "and", "or",
    "as",
];

/// Words that are followed by an expression and then a block.
const BLOCK_AFTER: [&str; 6] = ["if", "match", "repeat", "flow", "test", "rhai"];

/// The regions of a text, and the problems of its brackets, strings and comments.
pub(super) fn split(text: &str, lexed: &Lexed) -> (Vec<Region>, Vec<Problem>) {
    let words = Words { text, tokens: &lexed.tokens };
    let mut problems: Vec<Problem> = lexed.flaws.iter().map(|it| flaw(text, *it)).collect();
    let mut regions = Vec::new();
    for tokens in words.ranges().0 {
        let (first, last) = (lexed.tokens[tokens.start], lexed.tokens[tokens.end - 1]);
        let span = first.span.to(last.span);
        let (depth, wrong) = words.match_brackets(tokens.clone());
        let wrong = wrong
            .or_else(|| words.long_name(tokens.clone()))
            .or_else(|| words.foreign_list(tokens.clone()));
        let torn = is_torn(&lexed.flaws, span);
        let broken = torn || wrong.is_some();
        if !torn {
            problems.extend(wrong);
        }
        regions.push(Region { tokens, span, depth, broken });
    }
    (regions, problems)
}

/// Whether a text may end after its last token.
pub(super) fn is_whole(text: &str, lexed: &Lexed) -> bool {
    let words = Words { text, tokens: &lexed.tokens };
    let is_open = |it: &Flaw| {
        let begun = &text[it.span().start..];
        matches!(it, Flaw::OpenText(_)) && (begun.starts_with("\"\"\"") || begun.starts_with("'''"))
    };
    if lexed.flaws.iter().any(is_open) {
        return false;
    }
    if lexed.tokens.is_empty() {
        return true;
    }
    let mut open = 0_isize;
    for token in &lexed.tokens {
        match token.kind {
            TokenKind::Open(_) | TokenKind::TextOpen => open += 1,
            TokenKind::Close(_) | TokenKind::TextClose => open -= 1,
            _ => {}
        }
    }
    open <= 0 && words.can_end(lexed.tokens.len()) && words.ranges().1 == 0
}

/// Whether an unterminated string or `${` begins in `span`.
fn is_torn(flaws: &[Flaw], span: Span) -> bool {
    let first = flaws.partition_point(|it| it.span().start < span.start);
    flaws[first..]
        .iter()
        .take_while(|it| it.span().start < span.end)
        .any(|it| matches!(it, Flaw::OpenText(_) | Flaw::OpenValue(_)))
}

fn flaw(text: &str, flaw: Flaw) -> Problem {
    match flaw {
        Flaw::OpenValue(span) => Problem::error(Code::E102, span, "`${` is never closed")
            .label("opens here")
            .help("close it with `}` before the string ends")
            .fixed(closing_brace(text, span))
            .suggested(),
        Flaw::OpenText(span) => {
            let quote = if text[span.start..].starts_with("\"\"\"") {
                "\"\"\""
            } else if text[span.start..].starts_with("'''") {
                "'''"
            } else if text[span.start..].starts_with('\'') {
                "'"
            } else {
                "\""
            };
            let help = match quote {
                "\"" | "'" => format!(
                    "end it with {quote} on the same line, or use {quote}{quote}{quote} for many lines"
                ),
                _ => format!("end it with {quote}"),
            };
            let shown = Span::new(span.start, span.start + quote.len());
            Problem::error(Code::E103, shown, "unterminated string")
                .label("starts here")
                .help(help)
                .fixed(closing_quote(text, span, quote))
                .suggested()
        }
        Flaw::SlashComment(span) => {
            let sign = Span::new(span.start, span.start + 2);
            let problem =
                Problem::error(Code::E110, sign, "expected `#` to start a comment, found `//`")
                    .label("comment of another language");
            match quotient(text, sign) {
                Some(fix) => problem
                    .help(format!("write `#` for a comment, or `{}` for a quotient", fix.text))
                    .suggest(fix.span, fix.text),
                None => problem.help("write `#` instead of `//`").fix(sign, "#"),
            }
        }
    }
}

/// A `}` before the quote at the end of the line.
fn closing_brace(text: &str, open: Span) -> Option<Fix> {
    let line = text[open.start..].lines().next()?.trim_end();
    let inside = line.strip_suffix('"').filter(|it| it.len() > "${".len())?;
    let at = open.start + inside.len();
    Some(Fix { span: Span::new(at, at), text: "}".to_owned() })
}

/// A quote at the end of the line, unless brackets end there that may not belong to the
/// text.
fn closing_quote(text: &str, open: Span, quote: &str) -> Option<Fix> {
    let line = text[open.start..].lines().next()?.trim_end();
    let is_plain = quote.len() == 1 && !line.ends_with([')', ']', '}', ',']);
    let at = open.start + line.len();
    is_plain.then(|| Fix { span: Span::new(at, at), text: quote.to_owned() })
}

struct Words<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl Words<'_> {
    /// `param xs: int[]`, which would be a param and a pipeline of an empty list.
    fn foreign_list(&self, tokens: Range<usize>) -> Option<Problem> {
        let tokens = &self.tokens[tokens];
        let [first, _, before, item, open, close, ..] = tokens else { return None };
        let shown = |it: &Token| &self.text[it.span.range()];
        let declares = matches!((shown(first), shown(before)), ("param", ":") | ("type", "="));
        let adjoins = item.span.end == open.span.start && open.span.end == close.span.start;
        let is_list = item.kind == TokenKind::Word && (shown(open), shown(close)) == ("[", "]");
        (declares && adjoins && is_list).then(|| {
            let (span, item) = (item.span.to(close.span), shown(item));
            foreign_list(span, &format!("{item}[]"), format!("[{item}]"))
        })
    }

    fn word(&self, idx: usize) -> &str {
        self.tokens.get(idx).map_or("", |it| &self.text[it.span.range()])
    }

    /// The tokens of each region, and the number of blocks still expected at the end.
    fn ranges(&self) -> (Vec<Range<usize>>, usize) {
        let whole = 0..self.tokens.len();
        let balanced = self.match_brackets(whole).1.is_none();
        let mut ranges = Vec::new();
        let mut start = 0;
        let mut depth = 0_usize;
        let mut blocks_due = 0_usize;
        for (idx, token) in self.tokens.iter().enumerate() {
            let consumes_block = depth == 0
                && blocks_due > 0
                && token.kind == TokenKind::Open(Bracket::Curly)
                && self.can_end(idx);
            let ends = depth == 0 && !consumes_block && self.can_end(idx) && self.can_start(idx);
            // Nothing continues with a declaration, and one at the start of a line is intended.
            let declares = self.is_declaration(idx) && (depth == 0 || !balanced);
            if idx > start && token.starts_line && (ends || declares) {
                ranges.push(start..idx);
                (start, depth, blocks_due) = (idx, 0, 0);
            }
            if consumes_block {
                blocks_due -= 1;
            } else if depth == 0
                && BLOCK_AFTER.contains(&self.word(idx))
                && self.word(idx + 1) != ":"
            {
                blocks_due += 1;
            }
            match token.kind {
                TokenKind::Open(_) | TokenKind::TextOpen => depth += 1,
                TokenKind::Close(_) | TokenKind::TextClose => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if start < self.tokens.len() {
            ranges.push(start..self.tokens.len());
        }
        (ranges, blocks_due)
    }

    /// Whether a value or stage may end before the token `idx`.
    fn can_end(&self, idx: usize) -> bool {
        let Some(before) = idx.checked_sub(1).map(|it| self.tokens[it]) else { return false };
        match before.kind {
            TokenKind::Word => {
                let word = self.word(idx - 1);
                !INFIX.contains(&word) && !OPENING.contains(&word)
            }
            TokenKind::Sign => match self.word(idx - 1) {
                "?" => self.word(idx.wrapping_sub(2)) != "each",
                ">" => self.ends_type(idx - 1),
                _ => false,
            },
            TokenKind::Open(_) | TokenKind::TextOpen | TokenKind::TextMiddle => false,
            _ => true,
        }
    }

    /// Whether a `>` ends the type of a call, as in `parse_json<[Row]>`: the `<` follows the name
    /// without a space, which no comparison that ends with `>` can.
    fn ends_type(&self, close: usize) -> bool {
        let open = (1..close).rev().find(|it| self.word(*it) == "<");
        open.is_some_and(|it| {
            let name = self.tokens[it - 1];
            name.kind == TokenKind::Word
                && name.span.end == self.tokens[it].span.start
                && (it + 1..close).all(|it| {
                    let is_sign = self.tokens[it].kind == TokenKind::Sign;
                    !is_sign || matches!(self.word(it), ":" | "," | ";" | "?")
                })
        })
    }

    /// Whether the token `idx` begins a statement rather than continuing one.
    fn can_start(&self, idx: usize) -> bool {
        match self.tokens[idx].kind {
            TokenKind::Word => !INFIX.contains(&self.word(idx)),
            TokenKind::Sign => matches!(self.word(idx), "." | "?." | "?" | "!"),
            TokenKind::Close(_) | TokenKind::TextClose | TokenKind::TextMiddle => false,
            _ => true,
        }
    }

    /// Whether a declaration begins at the very start of a line, so not inside brackets.
    fn is_declaration(&self, idx: usize) -> bool {
        let at = self.tokens[idx].span.start;
        let line_start = at == 0 || self.text.as_bytes()[at - 1] == b'\n';
        line_start
            && DECLARATIONS.contains(&self.word(idx))
            && self
                .tokens
                .get(idx + 1)
                .is_some_and(|it| matches!(it.kind, TokenKind::Word | TokenKind::Text))
    }

    /// Reports the first name that is too long.
    fn long_name(&self, tokens: Range<usize>) -> Option<Problem> {
        let is_long =
            |it: &&Token| it.kind == TokenKind::Word && it.span.end - it.span.start > MAX_NAME;
        self.tokens[tokens].iter().find(is_long).map(|it| too_long(it.span))
    }

    /// The nesting depth of the brackets of some tokens, and the first unmatched one.
    fn match_brackets(&self, tokens: Range<usize>) -> (usize, Option<Problem>) {
        let mut open: Vec<Token> = Vec::new();
        let mut deepest = 0;
        let mut else_ifs = 0;
        let last = tokens.end;
        let mut angles = 0_usize;
        for idx in tokens {
            let token = self.tokens[idx];
            match token.kind {
                TokenKind::Open(_) | TokenKind::TextOpen => open.push(token),
                TokenKind::Close(_) | TokenKind::TextClose => match open.pop() {
                    Some(partner) if pairs(partner.kind, token.kind) => {}
                    partner => return (deepest, Some(self.unmatched(partner, token))),
                },
                TokenKind::Word if self.word(idx) == "else" && self.word(idx + 1) == "if" => {
                    else_ifs += 1;
                }
                TokenKind::Word if matches!(self.word(idx), "secret" | "flow") => {
                    angles += usize::from(self.word(idx + 1) == "<");
                }
                TokenKind::Sign => match self.word(idx) {
                    ">" => angles = angles.saturating_sub(1),
                    ">>" => angles = angles.saturating_sub(2),
                    _ => {}
                },
                _ => {}
            }
            deepest = deepest.max(open.len() + else_ifs + angles);
            if deepest > MAX_DEPTH {
                return (deepest, Some(too_deep(token.span)));
            }
        }
        let last = last.checked_sub(1).map_or(Span::default(), |it| self.tokens[it].span);
        (deepest, open.last().map(|it| self.unclosed(*it, last)))
    }

    fn unmatched(&self, open: Option<Token>, close: Token) -> Problem {
        let sign = &self.text[close.span.range()];
        let Some(open) = open else {
            return Problem::error(Code::E102, close.span, format!("unmatched `{sign}`"))
                .label("no open bracket before this")
                .help("remove it, or add the opening bracket")
                .suggest(close.span, "");
        };
        let opened = self.sign(open);
        Problem::error(Code::E102, open.span, format!("`{opened}` is not closed before `{sign}`"))
            .label("opens here")
            .also(close.span, "this closes another bracket")
            .help(format!("close it with `{}`", partner(open.kind)))
            .suggest(Span::new(close.span.start, close.span.start), partner(open.kind))
    }

    fn unclosed(&self, open: Token, last: Span) -> Problem {
        let sign = self.sign(open);
        Problem::error(Code::E102, open.span, format!("`{sign}` is never closed"))
            .label("opens here")
            .help(format!("close it with `{}`", partner(open.kind)))
            .suggest(last.after(), partner(open.kind))
    }

    fn sign(&self, open: Token) -> &str {
        if open.kind == TokenKind::TextOpen { "${" } else { &self.text[open.span.range()] }
    }
}

fn pairs(open: TokenKind, close: TokenKind) -> bool {
    match (open, close) {
        (TokenKind::Open(a), TokenKind::Close(b)) => a == b,
        (TokenKind::TextOpen, TokenKind::TextClose) => true,
        _ => false,
    }
}

fn partner(open: TokenKind) -> char {
    match open {
        TokenKind::Open(Bracket::Round) => ')',
        TokenKind::Open(Bracket::Square) => ']',
        _ => '}',
    }
}

fn too_long(span: Span) -> Problem {
    // The whole name would fill the screen.
    let shown = Span::new(span.start, span.start + 1);
    let message = format!("name too long (limit {MAX_NAME} bytes)");
    Problem::error(Code::E120, shown, message)
        .label("begins here")
        .help("choose a shorter name, or write text between quotes")
}

fn too_deep(span: Span) -> Problem {
    Problem::error(
        Code::E104,
        span,
        format!("brackets nested too deeply (limit {MAX_DEPTH} levels)"),
    )
    .label("too deep here")
    .help("name inner parts with `let` or `flow`")
}
