//! The position of the cursor in an unfinished script, determined from its tokens: the syntax
//! tree of an unfinished script is of little use.

mod call;
mod expected;

pub use call::{Call, call_at};
pub(super) use expected::Expected;

use svc_lang::{
    diag::Span,
    syntax::token::{Bracket, Lexed, Token, TokenKind, lex},
};

/// A place, and the words written there.
pub(super) struct Place<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    tokens: Vec<Token>,
    /// The number of tokens before the name that is being written.
    before: usize,
    /// The word that is being written, possibly empty.
    pub(super) word: Span,
    /// The words before it, each with its dot: `rag` in `rag.ans`.
    pub(super) path: Vec<Span>,
    /// The start of the whole name, including a leading dot.
    pub(super) start: usize,
    /// Whether a dot directly precedes the word.
    pub(super) is_member: bool,
    /// The string around the place.
    pub(super) string: Option<Span>,
}

impl<'a> Place<'a> {
    /// Returns `None` where no name is possible: in comments, in numbers, and in the text of
    /// strings.
    pub(super) fn at(text: &'a str, at: usize) -> Option<Self> {
        // The cursor of an editor may be ahead of its text, or inside a character.
        let at = text.floor_char_boundary(at);
        let Lexed { tokens, comments, flaws } = lex(text);
        if comments.iter().any(|it| it.start < at && at <= it.end) {
            return None;
        }
        let first_behind = tokens.partition_point(|it| it.span.end < at);
        let around = tokens.get(first_behind).filter(|it| it.span.start <= at);
        let mut place = Self {
            text,
            at,
            before: around.map_or(first_behind, |it| {
                // A token that ends here is complete, except a word, which continues, and an
                // open string.
                let is_open = flaws.iter().any(|flaw| flaw.span().start == it.span.start);
                let is_before = it.kind != TokenKind::Word && it.span.end == at && !is_open;
                first_behind + usize::from(is_before)
            }),
            word: Span::new(at, at),
            path: Vec::new(),
            start: at,
            is_member: false,
            string: None,
            tokens,
        };
        place.find_word(at)?;
        place.find_path();
        Some(place)
    }

    fn find_word(&mut self, at: usize) -> Option<()> {
        let is_number = |it: &Token| {
            matches!(it.kind, TokenKind::Number | TokenKind::Money) && it.span.end == at
        };
        if self.token_back(1).as_ref().is_some_and(is_number) {
            return None;
        }
        let Some(token) = self.tokens.get(self.before).filter(|it| it.span.start <= at) else {
            return Some(());
        };
        match token.kind {
            TokenKind::Word => self.word = token.span,
            TokenKind::Text if token.span.start < at => {
                (self.word, self.string) = (token.span, Some(token.span));
            }
            _ if token.span.start == at => {}
            _ => return None,
        }
        self.start = self.word.start;
        Some(())
    }

    /// Goes back over `a.b.`.
    fn find_path(&mut self) {
        while let Some(dot) = self.token_back(1)
            && dot.span.end == self.start
            && matches!(&self.text[dot.span.range()], "." | "?.")
        {
            self.is_member = true;
            (self.before, self.start) = (self.before - 1, dot.span.start);
            let word = self.token_back(1).filter(|it| it.span.end == self.start);
            let Some(word) = word.filter(|it| it.kind == TokenKind::Word) else { break };
            (self.before, self.start) = (self.before - 1, word.span.start);
            self.path.insert(0, word.span);
        }
    }

    fn token_back(&self, n: usize) -> Option<Token> {
        self.before.checked_sub(n).map(|it| self.tokens[it])
    }

    /// Whether the name is a member of an expression other than a name: `f(x).`, `xs[0].`.
    pub(super) fn is_selection(&self) -> bool {
        let ends = self.token_back(1).filter(|it| it.span.end == self.start);
        self.is_member
            && self.path.is_empty()
            && ends.is_some_and(|it| matches!(it.kind, TokenKind::Close(_) | TokenKind::Text))
    }

    pub(super) fn words(&self) -> Vec<&'a str> {
        self.path.iter().map(|it| &self.text[it.range()]).collect()
    }

    fn shown(&self, idx: usize) -> &'a str {
        self.tokens.get(idx).map_or("", |it| &self.text[it.span.range()])
    }

    /// The brackets that are open at the start of the name, the innermost last.
    pub(super) fn open(&self) -> Vec<usize> {
        open(&self.tokens[..self.before])
    }

    /// The end of the name and of its arguments.
    pub(super) fn end_of_call(&self) -> usize {
        let behind = self.tokens.partition_point(|it| it.span.start < self.word.end);
        let opens = self.tokens.get(behind).filter(|it| {
            it.kind == TokenKind::Open(Bracket::Round) && it.span.start == self.word.end
        });
        let Some(_) = opens.filter(|_| self.string.is_none()) else { return self.word.end };
        let mut depth = 0_usize;
        for token in &self.tokens[behind..] {
            match token.kind {
                TokenKind::Open(_) => depth += 1,
                TokenKind::Close(_) if depth == 1 => return token.span.end,
                TokenKind::Close(_) => depth -= 1,
                _ => {}
            }
        }
        self.word.end
    }

    /// The text that closes the open brackets.
    pub(super) fn closers(&self) -> String {
        let close = |idx: usize| match self.tokens[idx].kind {
            TokenKind::Open(Bracket::Round) => ")",
            TokenKind::Open(Bracket::Square) => "]",
            TokenKind::Open(Bracket::Curly) => "}",
            _ => "}\"",
        };
        self.open().into_iter().rev().map(close).collect()
    }

    /// The name before a `(`, and whether `>>` precedes it.
    pub(super) fn callee(&self, open: usize) -> (Span, bool) {
        call::callee(self.text, &self.tokens, open)
    }

    /// The names of the arguments already written in a call.
    pub(super) fn given(&self, open: usize) -> Vec<&'a str> {
        let mut depth = 0_usize;
        let mut given = Vec::new();
        for (idx, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                TokenKind::Open(_) => depth += 1,
                TokenKind::Close(_) if depth == 1 => break,
                TokenKind::Close(_) => depth -= 1,
                TokenKind::Word if depth == 1 && self.shown(idx + 1) == ":" => {
                    given.push(self.shown(idx));
                }
                _ => {}
            }
        }
        given
    }

    /// The number of arguments without a name before the place.
    pub(super) fn positional(&self, open: usize) -> usize {
        let (mut depth, mut count, mut begins) = (0_usize, 0, open + 1);
        for idx in open + 1..self.before {
            match self.tokens[idx].kind {
                TokenKind::Open(_) | TokenKind::TextOpen => depth += 1,
                TokenKind::Close(_) | TokenKind::TextClose => depth = depth.saturating_sub(1),
                TokenKind::Sign if depth == 0 && self.shown(idx) == "," => {
                    count += usize::from(self.shown(begins + 1) != ":");
                    begins = idx + 1;
                }
                _ => {}
            }
        }
        count
    }

    /// The value of the `match` whose `{` is a token.
    pub(super) fn matched(&self, open: usize) -> Option<Span> {
        let word = (0..open).rev().find(|it| self.shown(*it) == "match")?;
        let (first, last) = (self.tokens.get(word + 1)?, self.tokens.get(open.checked_sub(1)?)?);
        Some(first.span.to(last.span))
    }
}

/// The brackets that some tokens leave open, the innermost last. A `${` counts as one.
fn open(tokens: &[Token]) -> Vec<usize> {
    let mut open = Vec::new();
    for (idx, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open(_) | TokenKind::TextOpen => open.push(idx),
            TokenKind::Close(_) | TokenKind::TextClose => drop(open.pop()),
            _ => {}
        }
    }
    open
}
