//! What can be written at a place, determined from the tokens before it.

use svc_lang::syntax::token::TokenKind;

use super::{Place, open};

/// What can be written at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// After `>>`.
    Stage,
    /// At the head of a pipeline.
    Head,
    /// At the head of a pipeline in a block, where a `let` is possible, too.
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
    /// The name of a file, inside quotes.
    File,
    /// After `mock`: a component that tests do not call.
    Mocked,
    /// After a complete expression.
    More,
}

impl<'a> Place<'a> {
    /// What can be written here.
    pub(crate) fn expected(&self) -> Option<Expected> {
        let Some(last) = self.before.checked_sub(1) else { return Some(Expected::Statement) };
        if self.is_type(last) {
            return Some(Expected::Type);
        }
        let two_back = last.checked_sub(1).map_or("", |it| self.shown(it));
        match self.shown(last) {
            ">>" | "|>" => Some(Expected::Stage),
            "fallback" | "=>" => Some(Expected::Head),
            "=" => Some(Expected::Head),
            "(" if self.is_call(last) => self.argument(last),
            "(" => Some(Expected::Head),
            "{" => self.in_braces(last),
            "," | "|" => self.between(),
            ":" => Some(self.behind_colon()),
            "use" if self.string.is_some() => Some(Expected::File),
            "mock" => Some(Expected::Mocked),
            "let" | "param" | "flow" | "secret" | "type" | "test" | "use" | "as" => None,
            "if" | "match" | "until" | "expect" | "and" | "or" | "not" => Some(Expected::Value),
            "." | "?." | "..." => Some(Expected::Value).filter(|_| two_back != "use"),
            _ if self.ends_value(last) => Some(self.behind_value()),
            _ => Some(Expected::Value),
        }
    }

    /// Whether the token before ends an expression.
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

    fn behind_value(&self) -> Expected {
        let gap = &self.text[self.tokens[self.before - 1].span.end..self.start];
        if !gap.contains('\n') {
            return Expected::More;
        }
        match self.open().last() {
            None => Expected::Statement,
            Some(open) if self.is_test(*open) => Expected::TestStatement,
            Some(open) if self.shown(*open) == "{" => Expected::Line,
            Some(_) => Expected::More,
        }
    }

    fn behind_colon(&self) -> Expected {
        let in_parallel = |open: &usize| {
            let word = open.checked_sub(1).map(|it| self.shown(it));
            self.shown(*open) == "{" && matches!(word, Some("parallel" | "race"))
        };
        if self.open().last().is_some_and(in_parallel) { Expected::Head } else { Expected::Value }
    }

    /// Whether the `(` at a token opens the arguments of a call.
    fn is_call(&self, open: usize) -> bool {
        let Some(name) = open.checked_sub(1).map(|it| self.tokens[it]) else { return false };
        let adjoins = name.span.end == self.tokens[open].span.start;
        adjoins && (name.kind == TokenKind::Word || self.shown(open - 1) == ">")
    }

    /// An argument, unless parameters of a flow or of an inline script are declared there.
    fn argument(&self, open: usize) -> Option<Expected> {
        let declares = self.shown(open - 1) == "rhai"
            || open.checked_sub(2).is_some_and(|it| self.shown(it) == "flow");
        (!declares).then_some(Expected::Argument(open))
    }

    /// After `,` or `|`: depends on the enclosing bracket.
    fn between(&self) -> Option<Expected> {
        let open = *self.open().last()?;
        match self.shown(open) {
            "(" if self.is_call(open) => self.argument(open),
            "[" => Some(Expected::Value),
            "{" => match self.in_braces(open)? {
                inside @ (Expected::Bound | Expected::Pattern(_)) => Some(inside),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first thing inside the braces that a token opens.
    fn in_braces(&self, open: usize) -> Option<Expected> {
        let last = open.checked_sub(1)?;
        if self.is_test(open) {
            return Some(Expected::TestStatement);
        }
        match self.shown(last) {
            "within" => return Some(Expected::Bound),
            "where" | "sort" | "group" => return Some(Expected::Value),
            "parallel" | "race" => return None,
            "each" | "else" => return Some(Expected::Line),
            "?" if last > 0 && self.shown(last - 1) == "each" => return Some(Expected::Line),
            _ => {}
        }
        match self.heads_block(last)? {
            "match" => Some(Expected::Pattern(open)),
            "if" | "repeat" | "flow" => Some(Expected::Line),
            _ => None,
        }
    }

    fn is_test(&self, open: usize) -> bool {
        open > 1 && self.shown(open) == "{" && self.shown(open - 2) == "test"
    }

    /// The keyword that begins the head of a block, from the head's last token.
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

    /// Whether a type follows a token.
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
                _ if back(1).starts_with('?') => true,
                _ => self.is_declared_field(last),
            },
            _ => false,
        }
    }

    /// Whether a colon belongs to a field of a type, or to a parameter of a flow.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What can be written at the `¦` of a script.
    fn expected(script: &str) -> Option<Expected> {
        let at = script.find('¦').unwrap();
        Place::at(&script.replace('¦', ""), at)?.expected()
    }

    #[test]
    fn tokens_tell_what_may_stand() {
        for (script, wanted) in [
            ("x >> up¦", Some(Expected::Stage)),
            ("x >> ¦upper", Some(Expected::Stage)),
            ("let a = ¦", Some(Expected::Head)),
            ("xs >> each { ¦ }", Some(Expected::Line)),
            ("xs >> where { ¦ }", Some(Expected::Value)),
            ("xs >> take(¦)", Some(Expected::Argument(3))),
            ("xs >> take(n: ¦)", Some(Expected::Value)),
            ("x >> f within { ¦ }", Some(Expected::Bound)),
            ("x >> match .kind { ¦ }", Some(Expected::Pattern(5))),
            ("param a: ¦", Some(Expected::Type)),
            ("type T = { a: ¦ }", Some(Expected::Type)),
            ("flow f(a: ¦) -> B { a }", Some(Expected::Type)),
            ("flow f(a: B) -> ¦", Some(Expected::Type)),
            ("param a: [¦]", Some(Expected::Type)),
            ("ask<¦>(prompt: x)", Some(Expected::Type)),
            ("flow f(¦) -> B { a }", None),
            ("x >> { a: ¦ }", Some(Expected::Value)),
            ("x >> parallel { a: ¦ }", Some(Expected::Head)),
            ("flow f(a: B) -> B { ¦ }", Some(Expected::Line)),
            ("test \"a\" { ¦ }", Some(Expected::TestStatement)),
            ("\"${¦}\"", Some(Expected::Value)),
            ("x ¦", Some(Expected::More)),
            ("param x: int\n¦", Some(Expected::Statement)),
            ("test \"a\" { mock ¦ }", Some(Expected::Mocked)),
            ("mock llm¦", Some(Expected::Mocked)),
            ("x >> ?a: ¦", Some(Expected::Type)),
            ("x >> ?a: [¦]", Some(Expected::Type)),
            ("x >> ?a: B -> ¦", Some(Expected::Type)),
            ("x >> ?a: [B] ¦", Some(Expected::More)),
            ("# note ¦", None),
            ("take(n: 5¦)", None),
        ] {
            assert_eq!(expected(script), wanted, "{script}");
        }
    }
}
