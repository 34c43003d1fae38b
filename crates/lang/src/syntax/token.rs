//! The lexer: turns text into tokens, for code that reads a script before, or without, its
//! tree.
//!
//! It knows strings with `${..}` inside, comments and rhai bodies. It never fails: unreadable
//! text becomes a token too, and is reported as a [`Flaw`].

use std::{iter, ops::Range};

use crate::diag::Span;

/// A piece of a script's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// Whether a line ends between this token and the one before.
    pub starts_line: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Number,
    Money,
    /// A string without `${..}`, or a rhai body: one piece.
    Text,
    /// The part of a string up to a `${`, which it opens.
    TextOpen,
    /// The part of a string between two `${..}`.
    TextMiddle,
    /// The part of a string after its last `${..}`, which it closes.
    TextClose,
    Open(Bracket),
    Close(Bracket),
    /// Operators and punctuation.
    Sign,
    /// A character that is only allowed inside strings.
    Stray,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    Round,
    Square,
    Curly,
}

/// A problem of a single token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A string that is unterminated at the end of its line, or of the file.
    OpenText(Span),
    /// A `${` that is unclosed at the end of the line of its string.
    OpenValue(Span),
    /// A comment that begins with `//`.
    SlashComment(Span),
}

impl Flaw {
    pub fn span(self) -> Span {
        match self {
            Self::OpenText(span) | Self::OpenValue(span) | Self::SlashComment(span) => span,
        }
    }
}

/// The result of the lexer; each list is in the order of the text.
#[derive(Debug, Default)]
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Span>,
    pub flaws: Vec<Flaw>,
}

impl Lexed {
    /// Some tokens as the grammar reads them: with spaces for all that stands between them,
    /// byte for byte.
    pub(super) fn spaced(&self, text: &str, tokens: Range<usize>) -> String {
        let tokens = &self.tokens[tokens];
        let [first, .., last] = tokens else {
            return tokens.iter().map(|it| &text[it.span.range()]).collect();
        };
        let mut at = first.span.start;
        let mut piece = String::with_capacity(last.span.end - at);
        for token in tokens {
            piece.extend(iter::repeat_n(' ', token.span.start - at));
            piece.push_str(&text[token.span.range()]);
            at = token.span.end;
        }
        piece
    }
}

/// Reads the tokens of a text.
pub fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        at: 0,
        new_line: true,
        lexed: Lexed::default(),
        open: Vec::new(),
        values: Vec::new(),
        rhai: None,
        unended_bodies: 0,
    };
    while lexer.step() {}
    lexer.lexed.flaws.sort_by_key(|it| it.span());
    lexer.lexed
}

/// The context that the lexer returns to when a bracket closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Bracket,
    /// A `${` in a string of one line, or of many.
    Text {
        long: bool,
    },
}

/// The progress in the head of an inline rhai body, and the depth at which it began.
#[derive(Clone, Copy, Debug)]
struct RhaiHead {
    depth: usize,
    args_closed: bool,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    new_line: bool,
    lexed: Lexed,
    open: Vec<Within>,
    /// The starts of the values of the open `${`.
    values: Vec<usize>,
    rhai: Option<RhaiHead>,
    /// The number of rhai bodies that were scanned to the end of the text in vain.
    unended_bodies: usize,
}

const SIGNS: [&str; 21] = [
    "...", "===", "!==", "..", ">>", "->", "=>", "==", "!=", "<=", ">=", "??", "?.", "&&", "||",
    "|>", "=", "<", ">", "+", "-",
];

impl Lexer<'_> {
    /// Reads one token or gap; returns false at the end.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(next) = rest.chars().next() else { return false };
        match next {
            '\n' => {
                self.new_line = true;
                self.at += 1;
            }
            ' ' | '\t' | '\r' | '\u{FEFF}' => self.at += next.len_utf8(),
            '#' => self.comment(false),
            '/' if rest.starts_with("//") => self.comment(true),
            '"' => self.text_start(rest.starts_with("\"\"\"")),
            '\'' => self.raw_text(),
            '(' => self.open(Bracket::Round),
            '[' => self.open(Bracket::Square),
            '{' if self.at_rhai_body() => self.rhai_body(),
            '{' => self.open(Bracket::Curly),
            ')' => self.close(Bracket::Round),
            ']' => self.close(Bracket::Square),
            '}' => self.close_curly(),
            '0'..='9' => self.push(TokenKind::Number, number_len(rest)),
            '$' if rest[1..].starts_with(|it: char| it.is_ascii_digit()) => {
                self.push(TokenKind::Money, 1 + number_len(&rest[1..]));
            }
            '$' => self.push(TokenKind::Word, 1 + word_len(&rest[1..])),
            'a'..='z' | 'A'..='Z' | '_' => self.word(rest),
            '?' if self.begins_hole(rest) => {
                self.push(TokenKind::Word, 1 + word_len(&rest[1..]));
            }
            _ => self.sign(rest, next),
        }
        true
    }

    fn push(&mut self, kind: TokenKind, len: usize) {
        let span = Span::new(self.at, self.at + len);
        self.lexed.tokens.push(Token { kind, span, starts_line: self.new_line });
        self.new_line = false;
        self.at += len;
    }

    fn comment(&mut self, slashes: bool) {
        let len = self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
        let span = Span::new(self.at, self.at + len);
        self.lexed.comments.push(span);
        if slashes {
            self.lexed.flaws.push(Flaw::SlashComment(span));
        }
        self.at += len;
    }

    fn word(&mut self, rest: &str) {
        let len = word_len(rest);
        if &rest[..len] == "rhai" {
            self.rhai = Some(RhaiHead { depth: self.open.len(), args_closed: false });
        }
        self.push(TokenKind::Word, len);
    }

    fn sign(&mut self, rest: &str, next: char) {
        if let Some(sign) = SIGNS.iter().find(|it| rest.starts_with(**it)) {
            self.push(TokenKind::Sign, sign.len());
        } else if next.is_ascii_punctuation() {
            self.push(TokenKind::Sign, 1);
        } else {
            self.push(TokenKind::Stray, next.len_utf8());
        }
    }

    /// Whether `?name` begins here. A `?` behind a value or type belongs to it.
    fn begins_hole(&self, rest: &str) -> bool {
        let is_named = rest[1..].starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        let adjoins = self.lexed.tokens.last().is_some_and(|it| {
            let is_sign = matches!(it.kind, TokenKind::Sign | TokenKind::Open(_));
            let opens = matches!(it.kind, TokenKind::TextOpen | TokenKind::TextMiddle);
            it.span.end == self.at && !is_sign && !opens
        });
        is_named && !adjoins
    }

    fn open(&mut self, bracket: Bracket) {
        self.push(TokenKind::Open(bracket), 1);
        self.open.push(Within::Bracket);
    }

    fn close(&mut self, bracket: Bracket) {
        self.push(TokenKind::Close(bracket), 1);
        if self.open.last() == Some(&Within::Bracket) {
            self.open.pop();
        }
        if let Some(head) = &mut self.rhai
            && head.depth == self.open.len()
        {
            head.args_closed |= bracket == Bracket::Round;
        }
    }

    /// Reads a `}`, which ends an interpolation if that is the innermost open context.
    fn close_curly(&mut self) {
        match self.open.last() {
            Some(Within::Text { long }) => {
                let long = *long;
                self.open.pop();
                self.values.pop();
                self.text_rest(self.at + 1, long, true);
            }
            _ => self.close(Bracket::Curly),
        }
    }

    fn text_start(&mut self, long: bool) {
        let quote = if long { 3 } else { 1 };
        self.text_rest(self.at + quote, long, false);
    }

    /// Reads the rest of a string from `from`, up to its end or the next `${`.
    fn text_rest(&mut self, from: usize, long: bool, resumed: bool) {
        let bytes = self.text.as_bytes();
        let quote = if long { "\"\"\"" } else { "\"" };
        let mut at = from;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1 + self.text[at + 1..].chars().next().map_or(0, char::len_utf8),
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    let kind = if resumed { TokenKind::TextMiddle } else { TokenKind::TextOpen };
                    self.push(kind, at + 2 - self.at);
                    self.open.push(Within::Text { long });
                    self.values.push(self.at);
                    return;
                }
                b'"' if self.text[at..].starts_with(quote) => {
                    let kind = if resumed { TokenKind::TextClose } else { TokenKind::Text };
                    self.push(kind, at + quote.len() - self.at);
                    return;
                }
                b'\n' if !long => break,
                _ => at += 1,
            }
        }
        let kind = if resumed { TokenKind::TextClose } else { TokenKind::Text };
        let around = self.values.last().map(|at| Span::new(at - 2, *at));
        let own = Flaw::OpenText(Span::new(self.at, at));
        self.lexed.flaws.push(around.map_or(own, Flaw::OpenValue));
        self.push(kind, at - self.at);
    }

    fn raw_text(&mut self) {
        let rest = &self.text[self.at..];
        let (quote, limit) = if rest.starts_with("'''") {
            ("'''", rest.len())
        } else {
            ("'", rest.find('\n').unwrap_or(rest.len()))
        };
        let len = match rest[quote.len()..limit.max(quote.len())].find(quote) {
            Some(inner) => quote.len() * 2 + inner,
            None => {
                self.lexed.flaws.push(Flaw::OpenText(Span::new(self.at, self.at + limit)));
                limit
            }
        };
        self.push(TokenKind::Text, len);
    }

    /// Whether a `{` begins a rhai body: the head is complete, and it is not a record type.
    fn at_rhai_body(&self) -> bool {
        // Each unterminated body costs a scan of the whole text.
        const MOST_UNENDED: usize = 16;
        if self.unended_bodies == MOST_UNENDED {
            return false;
        }
        let after_arrow =
            self.lexed.tokens.last().is_some_and(|it| &self.text[it.span.range()] == "->");
        self.rhai.is_some_and(|it| it.args_closed && it.depth == self.open.len()) && !after_arrow
    }

    fn rhai_body(&mut self) {
        self.rhai = None;
        let len = rhai_body_len(&self.text[self.at..]);
        if len == self.text.len() - self.at && !self.text.ends_with('}') {
            self.unended_bodies += 1;
            self.open(Bracket::Curly);
        } else {
            self.push(TokenKind::Text, len);
        }
    }
}

fn word_len(text: &str) -> usize {
    text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len())
}

/// The length of a number: digits, a decimal point followed by digits, an exponent, and the
/// letters of a unit.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = word_len(text);
    while bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at += 1 + word_len(&text[at + 1..]);
    }
    let signed = matches!(bytes.get(at), Some(b'-' | b'+'));
    let exponent = at > 0 && bytes[at - 1] == b'e' && !text.starts_with("0x");
    if signed && exponent && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at += 1 + word_len(&text[at + 1..]);
    }
    at
}

/// The length of a rhai body with its braces, or of the whole text if it is unterminated.
fn rhai_body_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest[0] {
            b'{' => {
                depth += 1;
                1
            }
            b'}' if depth == 1 => return at + 1,
            b'}' => {
                depth -= 1;
                1
            }
            quote @ (b'"' | b'`') => quoted_len(rest, quote),
            b'\'' => char_len(rest),
            b'/' if rest.starts_with(b"//") => find(rest, b"\n"),
            b'/' if rest.starts_with(b"/*") => find(rest, b"*/"),
            _ => 1,
        };
    }
    bytes.len()
}

fn quoted_len(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 2,
            it if it == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn char_len(bytes: &[u8]) -> usize {
    match bytes {
        [_, b'\\', _, b'\'', ..] => 4,
        [_, _, b'\'', ..] => 3,
        _ => 1,
    }
}

fn find(bytes: &[u8], end: &[u8]) -> usize {
    let found = bytes.windows(end.len()).position(|it| it == end);
    found.map_or(bytes.len(), |it| it + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        lex(text).tokens.iter().map(|it| &text[it.span.range()]).collect()
    }

    #[test]
    fn strings_hold_expressions() {
        assert_eq!(pieces(r#""a${ f("}") }b""#), [r#""a${"#, "f", "(", r#""}""#, ")", r#"}b""#]);
        assert_eq!(pieces("1h30m 1e-5 1..5"), ["1h30m", "1e-5", "1", "..", "5"]);
    }

    #[test]
    fn a_rhai_body_is_one_piece() {
        let text = "rhai(x: int) -> { y: int } { #{ y: \"}\" } } >> a";
        assert_eq!(pieces(text).last(), Some(&"a"));
        assert!(pieces(text).contains(&"{ #{ y: \"}\" } }"));
    }
}
