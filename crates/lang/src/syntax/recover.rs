//! Fixes for regions that could not be parsed, if it is clear what was meant.

use super::{
    FOREIGN_BLOCKS,
    token::{Bracket, TokenKind},
    unexpected::{Place, is_reserved},
};
use crate::diag::{Fix, Span};

impl Place<'_> {
    /// The fix that makes the text at the place parse.
    pub(super) fn fix(&self) -> Option<Fix> {
        self.tokens.get(self.found)?;
        self.method_call()
            .or_else(|| self.braces_of_a_stage())
            .or_else(|| self.quoted_key())
            .or_else(|| self.foreign_block())
            .or_else(|| self.bare_sort())
            .or_else(|| self.bare_within())
            .or_else(|| self.bare_pipeline())
            .or_else(|| self.operator_after_stage())
            .or_else(|| self.missing_sign())
    }

    /// Whether the fix chooses between several meanings: `select` takes some items in one
    /// language, and some of their fields in another.
    pub(super) fn is_guess(&self) -> bool {
        let owner = self.opener().and_then(|it| it.checked_sub(1));
        owner.is_some_and(|it| self.word(it) == "select")
    }

    /// `"a".upper()` as `("a" >> upper)`
    fn method_call(&self) -> Option<Fix> {
        let name = self.method()?;
        let dot = self.found.checked_sub(3)?;
        let start = self.value_start(dot)?;
        if self.word(self.found) != ")" {
            return None;
        }
        let receiver = self.between(start, dot);
        Some(self.replace(start, self.found, format!("({receiver} >> {name})")))
    }

    /// The first token of the value that ends before a token: words, fields, brackets.
    pub(super) fn value_start(&self, end: usize) -> Option<usize> {
        let mut at = end.checked_sub(1)?;
        loop {
            if matches!(self.tokens[at].kind, TokenKind::Close(_) | TokenKind::TextClose) {
                at = self.opener_before(at)?;
                let is_call = at > 0 && self.tokens[at - 1].kind == TokenKind::Word;
                if is_call && self.word(at) == "(" && !is_reserved(self.word(at - 1)) {
                    at -= 1;
                }
            }
            match at.checked_sub(1).filter(|it| matches!(self.word(*it), "." | "?.")) {
                // `.name` is a field of `it`.
                Some(dot) => match dot.checked_sub(1).filter(|it| self.ends_value(*it)) {
                    Some(base) => at = base,
                    None => return Some(dot),
                },
                None => return Some(at),
            }
        }
    }

    /// The token after the value that begins with a token: words, fields, brackets.
    pub(super) fn value_end(&self, start: usize) -> Option<usize> {
        let is_dot = |it: usize| matches!(self.word(it), "." | "?.");
        let mut at = if is_dot(start) { start + 1 } else { start };
        loop {
            at = match self.tokens.get(at)?.kind {
                TokenKind::Open(_) | TokenKind::TextOpen => self.closer(at)? + 1,
                TokenKind::Word if is_reserved(self.word(at)) && self.word(at) != "it" => {
                    return None;
                }
                TokenKind::Word | TokenKind::Number | TokenKind::Money | TokenKind::Text => at + 1,
                _ => return None,
            };
            match self.tokens.get(at) {
                Some(_) if is_dot(at) => at += 1,
                Some(it)
                    if self.word(at) == "(" && it.span.start == self.tokens[at - 1].span.end => {}
                _ => return Some(at),
            }
        }
    }

    /// `>> { upper }`: after `>>`, braces build a record.
    fn braces_of_a_stage(&self) -> Option<Fix> {
        let open = self.opener()?;
        let before = self.word(open.checked_sub(1)?);
        if self.word(open) != "{" || !matches!(before, ">>" | "fallback") {
            return None;
        }
        let close = self.closer(open)?;
        let has_entries = (open + 1..close).any(|it| matches!(self.word(it), ":" | "," | "..."));
        if has_entries || close == open + 1 {
            return None;
        }
        let inner = self.between(open + 1, close);
        Some(self.replace(open, close, format!("({inner})")))
    }

    /// `{ "a": 1 }`
    fn quoted_key(&self) -> Option<Fix> {
        if self.inside() != Some(Bracket::Curly) || self.word(self.found + 1) != ":" {
            return None;
        }
        let quoted = self.word(self.found);
        let key = quoted.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?;
        let is_word = key.starts_with(|it: char| it.is_ascii_lowercase() || it == '_')
            && key.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
        (is_word && !is_reserved(key)).then(|| self.replace(self.found, self.found, key.to_owned()))
    }

    /// `map { .. }`
    fn foreign_block(&self) -> Option<Fix> {
        let owner = self.opener()?.checked_sub(1)?;
        let word = self.word(owner);
        let (_, here) = FOREIGN_BLOCKS.iter().find(|(it, _)| *it == word)?;
        let here = here.strip_suffix(" { .. }").filter(|it| !it.contains(' '))?;
        Some(self.replace(owner, owner, here.to_owned()))
    }

    /// `sort` without a key, which sorts by the items themselves.
    fn bare_sort(&self) -> Option<Fix> {
        let is_bare = self.word(self.found) == "sort"
            && self.before() == ">>"
            && !matches!(self.word(self.found + 1), "{" | "(");
        is_bare.then(|| self.replace(self.found, self.found, "sort { it }".to_owned()))
    }

    /// `within timeout: 5s`
    fn bare_within(&self) -> Option<Fix> {
        if self.word(self.found) != "within" {
            return None;
        }
        let first = self.found + 1;
        let mut end = first;
        while self.word(end + 1) == ":" && end + 2 < self.tokens.len() {
            end += 2;
            if self.word(end + 1) != "," {
                break;
            }
            end += 2;
        }
        let is_whole = end > first && end + 1 >= self.tokens.len();
        is_whole.then(|| {
            let bounds = self.between(first, end + 1);
            self.replace(first, end, format!("{{ {bounds} }}"))
        })
    }

    /// `where { a >> b > 1 }`: a pipeline without parentheses where only an expression stands.
    fn bare_pipeline(&self) -> Option<Fix> {
        let open = self.opener().filter(|_| self.word(self.found) == ">>")?;
        let close = self.closer(open)?;
        let start = self.start_of_item(open);
        // Nothing stands before the `>>`, so parentheses do not help.
        if start == self.found {
            return None;
        }
        let end = self
            .level(open, close)
            .into_iter()
            .find(|it| *it > self.found && self.word(*it) == ",");
        let end = end.unwrap_or(close);
        let inner = self.between(start, end);
        Some(self.replace(start, end - 1, format!("({inner})")))
    }

    /// The first token behind the last comma or colon between this bracket and the problem.
    fn start_of_item(&self, open: usize) -> usize {
        let mut signs = self.level(open, self.found).into_iter();
        signs.rfind(|it| matches!(self.word(*it), "," | ":")).unwrap_or(open) + 1
    }

    /// `a >> b + 1` as `(a >> b) + 1`
    fn operator_after_stage(&self) -> Option<Fix> {
        const OPERATORS: [&str; 14] =
            ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "??"];
        if !OPERATORS.contains(&self.word(self.found)) {
            return None;
        }
        let bound = (0..self.found).find(|it| self.word(*it) == "=");
        let start = match (self.opener(), self.word(0), bound) {
            (Some(open), ..) => self.start_of_item(open),
            (None, "let", Some(sign)) => sign + 1,
            (None, "let" | "flow" | "param" | "type", _) => return None,
            (None, ..) => 0,
        };
        let has_stage = (start..self.found).any(|it| self.word(it) == ">>");
        (has_stage && self.after_value()).then(|| {
            let inner = self.between(start, self.found);
            self.replace(start, self.found - 1, format!("({inner})"))
        })
    }

    /// `,` between two values in brackets, `>>` between two stages.
    fn missing_sign(&self) -> Option<Fix> {
        let token = self.tokens[self.found];
        if self.word(self.found) == ";" {
            return Some(self.replace(self.found, self.found, String::new()));
        }
        let begins = matches!(
            token.kind,
            TokenKind::Word | TokenKind::Number | TokenKind::Money | TokenKind::Text
        );
        if !begins || !self.after_value() || is_reserved(self.word(self.found)) {
            return None;
        }
        let named = self.word(self.found + 1) == ":";
        let behind = self.tokens[self.found - 1].span.end;
        match self.inside() {
            Some(Bracket::Square) if !named => Some(insert(behind, ",")),
            Some(Bracket::Round | Bracket::Curly) if named => Some(insert(behind, ",")),
            None if token.kind == TokenKind::Word && self.follows_stage() => {
                Some(insert(token.span.start, ">> "))
            }
            _ => None,
        }
    }

    fn follows_stage(&self) -> bool {
        (0..self.found).any(|it| self.word(it) == ">>") && self.word(self.found + 1) != ":"
    }

    /// `for x in xs { .. }` as `xs >> each { .. }`
    pub(super) fn fix_for(&self, at: usize) -> Option<Fix> {
        let (name, list) = (at + 1, at + 3);
        if self.word(at) != "for" || self.word(at + 2) != "in" {
            return None;
        }
        let open = (list..self.tokens.len()).find(|it| self.word(*it) == "{")?;
        let close = self.closer(open)?;
        let variable = self.word(name);
        let mentions = (open..close).any(|it| self.word(it) == variable);
        let bind = if mentions && variable != "it" {
            format!("let {variable} = it ")
        } else {
            String::new()
        };
        let (list, body) = (self.between(list, open), self.between(open + 1, close));
        Some(self.replace(at, close, format!("{list} >> each {{ {bind}{body} }}")))
    }

    /// `parallel { upper, lower }` as `parallel { upper: upper, lower: lower }`
    pub(super) fn fix_branches(&self, open: usize) -> Option<Fix> {
        let close = self.closer(open)?;
        let commas = self.level(open, close).into_iter().filter(|it| self.word(*it) == ",");
        let mut names: Vec<String> = Vec::new();
        let mut branches = Vec::new();
        let mut start = open + 1;
        for end in commas.chain([close]) {
            if start == end {
                break;
            }
            let has_name = matches!(self.word(start + 1), ":" | "?");
            let name = self.word(start).to_owned();
            let is_name = name.starts_with(|it: char| it.is_ascii_lowercase() || it == '_');
            if !is_name || is_reserved(&name) || names.contains(&name) {
                return None;
            }
            let branch = self.between(start, end);
            let named = format!("{name}: {branch}");
            branches.push(if has_name { branch.to_owned() } else { named });
            names.push(name);
            start = end + 1;
        }
        Some(self.replace(open, close, format!("{{ {} }}", branches.join(", "))))
    }

    /// The text of the tokens from `start` up to, but not including, `end`.
    pub(super) fn between(&self, start: usize, end: usize) -> &str {
        let Some(last) = end.checked_sub(1).filter(|it| *it >= start) else { return "" };
        &self.text[self.tokens[start].span.to(self.tokens[last].span).range()]
    }

    pub(super) fn replace(&self, first: usize, last: usize, text: String) -> Fix {
        Fix { span: self.tokens[first].span.to(self.tokens[last].span), text }
    }

    /// The tokens between two others, except those in inner brackets.
    pub(super) fn level(&self, open: usize, end: usize) -> Vec<usize> {
        let mut depth = 0_usize;
        let mut level = Vec::new();
        for idx in open + 1..end {
            match self.tokens[idx].kind {
                TokenKind::Open(_) | TokenKind::TextOpen => depth += 1,
                TokenKind::Close(_) | TokenKind::TextClose => depth = depth.saturating_sub(1),
                _ if depth == 0 => level.push(idx),
                _ => {}
            }
        }
        level
    }

    /// The closing bracket of an opening one.
    pub(super) fn closer(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (open..self.tokens.len()).find(|idx| {
            match self.tokens[*idx].kind {
                TokenKind::Open(_) | TokenKind::TextOpen => depth += 1,
                TokenKind::Close(_) | TokenKind::TextClose => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }

    /// The opening bracket of a closing one.
    fn opener_before(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (0..=close).rev().find(|idx| {
            match self.tokens[*idx].kind {
                TokenKind::Close(_) | TokenKind::TextClose => depth += 1,
                TokenKind::Open(_) | TokenKind::TextOpen => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    }
}

fn insert(at: usize, text: &str) -> Fix {
    Fix { span: Span::new(at, at), text: text.to_owned() }
}
