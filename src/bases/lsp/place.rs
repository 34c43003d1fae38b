//! Where the cursor stands in a script that is being written, told from its tokens: the
//! tree of an unfinished script says little.

use crate::{
    diag::Span,
    syntax::token::{Bracket, Lexed, Token, TokenKind, lex},
};

/// What may be written at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// After `>>`.
    Stage,
    /// At the head of a pipeline.
    Head,
    /// At the head of a pipeline in a block, where a `let` may stand too.
    Line,
    /// In an expression.
    Value,
    /// An argument of the call whose `(` is this token.
    Argument(usize),
    Type,
    /// A key of `within`.
    Bound,
    /// A pattern of the `match` whose `{` is this token.
    Pattern(usize),
    /// At the beginning of a statement of the file.
    Statement,
    /// At the beginning of a statement of a test.
    TestStatement,
    /// Behind something that is whole.
    More,
}

/// A place, and the words that are written there.
pub(super) struct Place<'a> {
    pub(super) text: &'a str,
    tokens: Vec<Token>,
    /// How many tokens stand before the name that is being written.
    before: usize,
    /// What is being written, perhaps nothing yet.
    pub(super) word: Span,
    /// The words before it, each with its dot: `rag` in `rag.ans`.
    pub(super) path: Vec<Span>,
    /// Where the whole name begins, with its first dot where it has no first word.
    pub(super) start: usize,
    /// Whether a dot stands right before the word.
    pub(super) is_member: bool,
    /// The string that it stands in.
    pub(super) string: Option<Span>,
}

impl<'a> Place<'a> {
    /// Nothing where no name can stand: in comments, numbers, and the text of strings that
    /// hold values.
    pub(super) fn at(text: &'a str, at: usize) -> Option<Self> {
        let Lexed { tokens, comments, .. } = lex(text);
        if comments.iter().any(|it| it.start < at && at <= it.end) {
            return None;
        }
        let first_behind = tokens.partition_point(|it| it.span.end < at);
        let around = tokens.get(first_behind).filter(|it| it.span.start <= at);
        let mut place = Self {
            text,
            before: around.map_or(first_behind, |it| {
                // What ends here is before, but for a word, which goes on.
                let is_before = it.kind != TokenKind::Word && it.span.end == at;
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
        let Some(token) = self.tokens.get(self.before).filter(|it| it.span.start <= at) else {
            let ends = self.before.checked_sub(1).map(|it| self.tokens[it]);
            let ends = ends.filter(|it| it.span.end == at);
            let in_number =
                ends.is_some_and(|it| matches!(it.kind, TokenKind::Number | TokenKind::Money));
            return (!in_number).then_some(());
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

    /// Whether the name is a member of something that is no name: `f(x).`, `xs[0].`.
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

    /// The brackets that are open where the name begins, the innermost last.
    pub(super) fn open(&self) -> Vec<usize> {
        open(&self.tokens[..self.before])
    }

    /// Where the name and the arguments behind it end.
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

    /// What closes the brackets that are open.
    pub(super) fn closers(&self) -> String {
        let close = |idx: usize| match self.tokens[idx].kind {
            TokenKind::Open(Bracket::Round) => ")",
            TokenKind::Open(Bracket::Square) => "]",
            TokenKind::Open(Bracket::Curly) => "}",
            _ => "}\"",
        };
        self.open().into_iter().rev().map(close).collect()
    }

    /// What may be written here.
    pub(super) fn due(&self) -> Option<Due> {
        let Some(last) = self.before.checked_sub(1) else { return Some(Due::Statement) };
        if self.is_type(last) {
            return Some(Due::Type);
        }
        let two_back = last.checked_sub(1).map_or("", |it| self.shown(it));
        match self.shown(last) {
            ">>" | "|>" => Some(Due::Stage),
            "fallback" | "=>" => Some(Due::Head),
            "=" => Some(Due::Head),
            "(" if self.is_call(last) => self.argument(last),
            "(" => Some(Due::Head),
            "{" => self.in_braces(last),
            "," | "|" => self.between(),
            ":" => Some(self.behind_colon()),
            "let" | "param" | "flow" | "secret" | "type" | "test" | "use" | "as" | "mock" => None,
            "if" | "match" | "until" | "expect" | "and" | "or" | "not" => Some(Due::Value),
            "." | "?." | "..." => Some(Due::Value).filter(|_| two_back != "use"),
            _ if self.ends_value(last) => Some(self.behind_value()),
            _ => Some(Due::Value),
        }
    }

    /// Whether what stands before is the end of something that has a value.
    fn ends_value(&self, last: usize) -> bool {
        let is_optional = self.shown(last) == "?";
        is_optional
            || matches!(
                self.tokens[last].kind,
                TokenKind::Word
                    | TokenKind::Number
                    | TokenKind::Money
                    | TokenKind::Text
                    | TokenKind::TextClose
                    | TokenKind::Close(_)
            )
    }

    fn behind_value(&self) -> Due {
        let gap = &self.text[self.tokens[self.before - 1].span.end..self.start];
        if !gap.contains('\n') {
            return Due::More;
        }
        match self.open().last() {
            None => Due::Statement,
            Some(open) if self.is_test(*open) => Due::TestStatement,
            Some(open) if self.shown(*open) == "{" => Due::Line,
            Some(_) => Due::More,
        }
    }

    fn behind_colon(&self) -> Due {
        let in_parallel = |open: &usize| {
            self.shown(*open) == "{" && *open > 0 && self.shown(*open - 1) == "parallel"
        };
        if self.open().last().is_some_and(in_parallel) { Due::Head } else { Due::Value }
    }

    /// Whether the `(` at a token opens the arguments of a call.
    fn is_call(&self, open: usize) -> bool {
        let Some(name) = open.checked_sub(1).map(|it| self.tokens[it]) else { return false };
        let adjoins = name.span.end == self.tokens[open].span.start;
        adjoins && (name.kind == TokenKind::Word || self.shown(open - 1) == ">")
    }

    /// An argument, unless the parameters of a flow or of inline code are declared there.
    fn argument(&self, open: usize) -> Option<Due> {
        let declares = self.shown(open - 1) == "rhai"
            || open.checked_sub(2).is_some_and(|it| self.shown(it) == "flow");
        (!declares).then_some(Due::Argument(open))
    }

    /// After `,` or `|`: what the bracket around holds.
    fn between(&self) -> Option<Due> {
        let open = *self.open().last()?;
        match self.shown(open) {
            "(" if self.is_call(open) => self.argument(open),
            "[" => Some(Due::Value),
            "{" => match self.in_braces(open)? {
                inside @ (Due::Bound | Due::Pattern(_)) => Some(inside),
                _ => None,
            },
            _ => None,
        }
    }

    /// What stands first in the braces that a token opens.
    fn in_braces(&self, open: usize) -> Option<Due> {
        let last = open.checked_sub(1)?;
        if self.is_test(open) {
            return Some(Due::TestStatement);
        }
        match self.shown(last) {
            "within" => return Some(Due::Bound),
            "where" | "sort" | "group" => return Some(Due::Value),
            "parallel" => return None,
            "each" | "else" => return Some(Due::Line),
            "?" if last > 0 && self.shown(last - 1) == "each" => return Some(Due::Line),
            _ => {}
        }
        match self.heads_block(last)? {
            "match" => Some(Due::Pattern(open)),
            "if" | "repeat" | "flow" => Some(Due::Line),
            _ => None,
        }
    }

    fn is_test(&self, open: usize) -> bool {
        open > 1 && self.shown(open) == "{" && self.shown(open - 2) == "test"
    }

    /// The keyword that a block's head begins with, from the head's last token.
    fn heads_block(&self, last: usize) -> Option<&'a str> {
        let mut depth = 0_usize;
        for idx in (0..=last).rev() {
            match self.tokens[idx].kind {
                TokenKind::Close(_) => depth += 1,
                TokenKind::Open(_) if depth == 0 => return None,
                TokenKind::Open(_) => depth -= 1,
                _ if depth > 0 => {}
                TokenKind::Word => {
                    let word = self.shown(idx);
                    if matches!(word, "match" | "if" | "repeat" | "flow") {
                        return Some(word);
                    }
                }
                TokenKind::Sign if matches!(self.shown(idx), ">>" | "=" | "=>" | ":") => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// Whether what follows a token is a type.
    fn is_type(&self, last: usize) -> bool {
        let back = |n: usize| last.checked_sub(n).map_or("", |it| self.shown(it));
        match self.shown(last) {
            "->" => true,
            "as" => back(2) != "use",
            "<" => self.adjoins(last) && self.tokens[last - 1].kind == TokenKind::Word,
            "=" => back(2) == "type",
            "[" | "{" => last > 0 && self.is_type(last - 1),
            ":" => match back(2) {
                "let" | "param" => true,
                _ => self.is_declared_field(last),
            },
            _ => false,
        }
    }

    /// Whether a colon stands in the fields of a type, or in the parameters of a flow.
    fn is_declared_field(&self, colon: usize) -> bool {
        let Some(open) = open(&self.tokens[..colon]).last().copied() else { return false };
        match self.shown(open) {
            "{" => open > 0 && self.is_type(open - 1),
            "(" => self.is_call(open) && self.argument(open).is_none(),
            _ => false,
        }
    }

    fn adjoins(&self, idx: usize) -> bool {
        idx > 0 && self.tokens[idx - 1].span.end == self.tokens[idx].span.start
    }

    /// The name before a `(`, and whether `>>` stands before it.
    pub(super) fn callee(&self, open: usize) -> (Span, bool) {
        callee(self.text, &self.tokens, open)
    }

    /// The names of the arguments that are written in a call already.
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

    /// The value of the `match` whose `{` is a token.
    pub(super) fn matched(&self, open: usize) -> Option<Span> {
        let word = (0..open).rev().find(|it| self.shown(*it) == "match")?;
        let (first, last) = (self.tokens.get(word + 1)?, self.tokens.get(open.checked_sub(1)?)?);
        Some(first.span.to(last.span))
    }
}

/// The brackets that some tokens leave open, the innermost last. A `${` is one.
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

/// The name before a `(`, and whether `>>` stands before it.
fn callee(text: &str, tokens: &[Token], open: usize) -> (Span, bool) {
    let shown = |idx: usize| &text[tokens[idx].span.range()];
    let mut first = open;
    // A type argument stands between the name and its arguments: `ask<Note>(`.
    if first > 0 && shown(first - 1) == ">" {
        first = (0..first).rev().find(|it| shown(*it) == "<").unwrap_or(first);
    }
    let end = first.checked_sub(1).map_or(0, |it| tokens[it].span.end);
    let adjoins = |idx: usize| tokens[idx - 1].span.end == tokens[idx].span.start;
    let is_part = |idx: usize| tokens[idx].kind == TokenKind::Word || shown(idx) == ".";
    while first > 0 && is_part(first - 1) && (end == tokens[first - 1].span.end || adjoins(first)) {
        first -= 1;
    }
    let start = tokens.get(first).map_or(end, |it| it.span.start);
    let is_stage = first.checked_sub(1).is_some_and(|it| matches!(shown(it), ">>" | "|>"));
    (Span::new(start.min(end), end), is_stage)
}

/// The call around a place: its name, and which argument is being written.
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) is_stage: bool,
    /// How many arguments stand before.
    pub(super) idx: usize,
    /// The name of the argument, where it has one.
    pub(super) argument: Option<&'a str>,
}

/// The innermost call around a place.
pub(super) fn call_at(text: &str, at: usize) -> Option<Call<'_>> {
    let tokens = lex(text).tokens;
    let before = &tokens[..tokens.partition_point(|it| it.span.start < at)];
    let shown = |idx: usize| &text[before[idx].span.range()];
    let is_call = |idx: &usize| {
        let adjoins = *idx > 0 && before[idx - 1].span.end == before[*idx].span.start;
        let named = adjoins && (before[idx - 1].kind == TokenKind::Word || shown(idx - 1) == ">");
        shown(*idx) == "(" && named && (*idx < 2 || shown(idx - 2) != "flow")
    };
    let open = open(before).into_iter().rev().find(is_call)?;
    let (mut depth, mut idx, mut begins) = (0_usize, 0, open + 1);
    for (at, token) in before.iter().enumerate().skip(open + 1) {
        match token.kind {
            TokenKind::Open(_) | TokenKind::TextOpen => depth += 1,
            TokenKind::Close(_) | TokenKind::TextClose => depth = depth.saturating_sub(1),
            TokenKind::Sign if depth == 0 && shown(at) == "," => (idx, begins) = (idx + 1, at + 1),
            _ => {}
        }
    }
    let is_named = begins + 1 < before.len() && shown(begins + 1) == ":";
    let (name, is_stage) = callee(text, before, open);
    Some(Call {
        name: &text[name.range()],
        is_stage,
        idx,
        argument: is_named.then(|| shown(begins)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may stand at the `|` of a script.
    fn due(script: &str) -> Option<Due> {
        let at = script.find('¦').unwrap();
        Place::at(&script.replace('¦', ""), at)?.due()
    }

    #[test]
    fn tokens_tell_what_may_stand() {
        for (script, wanted) in [
            ("x >> up¦", Some(Due::Stage)),
            ("x >> ¦upper", Some(Due::Stage)),
            ("let a = ¦", Some(Due::Head)),
            ("xs >> each { ¦ }", Some(Due::Line)),
            ("xs >> where { ¦ }", Some(Due::Value)),
            ("xs >> take(¦)", Some(Due::Argument(3))),
            ("xs >> take(n: ¦)", Some(Due::Value)),
            ("x >> f within { ¦ }", Some(Due::Bound)),
            ("x >> match .kind { ¦ }", Some(Due::Pattern(4))),
            ("param a: ¦", Some(Due::Type)),
            ("type T = { a: ¦ }", Some(Due::Type)),
            ("flow f(a: ¦) -> B { a }", Some(Due::Type)),
            ("flow f(a: B) -> ¦", Some(Due::Type)),
            ("param a: [¦]", Some(Due::Type)),
            ("ask<¦>(prompt: x)", Some(Due::Type)),
            ("flow f(¦) -> B { a }", None),
            ("x >> { a: ¦ }", Some(Due::Value)),
            ("x >> parallel { a: ¦ }", Some(Due::Head)),
            ("flow f(a: B) -> B { ¦ }", Some(Due::Line)),
            ("test \"a\" { ¦ }", Some(Due::TestStatement)),
            ("\"${¦}\"", Some(Due::Value)),
            ("x ¦", Some(Due::More)),
            ("param x: int\n¦", Some(Due::Statement)),
            ("# note ¦", None),
            ("take(n: 5¦)", None),
        ] {
            assert_eq!(due(script), wanted, "{script}");
        }
    }

    #[test]
    fn the_call_around_a_place_is_found() {
        let text = "x >> take(n: len(a, ";
        let call = call_at(text, text.len()).unwrap();
        assert_eq!((call.name, call.is_stage, call.idx), ("len", false, 1));
        let call = call_at(text, 13).unwrap();
        assert_eq!((call.name, call.is_stage, call.argument), ("take", true, Some("n")));
        assert!(call_at("x >> (a", 7).is_none());
        let typed = "x >> ask<Note>(";
        assert_eq!(call_at(typed, typed.len()).unwrap().name, "ask");
    }
}
