//! Explains why a region could not be parsed, and what to write instead.

use super::{
    elsewhere::misread,
    quoted,
    token::{Bracket, Token, TokenKind},
};
use crate::diag::{Code, Problem, Span};

/// The reserved words, which cannot be names.
pub const RESERVED: [&str; 32] = [
    "svc", "param", "secret", "type", "use", "as", "flow", "test", "mock", "expect", "let",
    "parallel", "race", "each", "if", "else", "match", "repeat", "until", "within", "fallback",
    "rhai", "where", "sort", "group", "it", "and", "or", "not", "true", "false", "null",
];

/// Explains why parsing stopped at the byte `at`.
pub(super) fn explain(text: &str, tokens: &[Token], at: usize) -> Problem {
    let found = tokens.partition_point(|it| it.span.end <= at);
    let place = Place { text, tokens, found };
    place
        .loop_word()
        .or_else(|| place.reserved_name())
        .or_else(|| place.nameless_branch())
        .or_else(|| place.nameless_value())
        .or_else(|| place.form())
        .or_else(|| misread(text, tokens))
        .unwrap_or_else(|| place.anything())
}

/// The token at which parsing stopped, and the tokens around it.
pub(super) struct Place<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) found: usize,
}

/// Whether a word is reserved.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

impl Place<'_> {
    pub(super) fn word(&self, idx: usize) -> &str {
        self.tokens.get(idx).map_or("", |it| &self.text[it.span.range()])
    }

    fn here(&self) -> Span {
        let end = self.tokens.last().map_or(Span::default(), |it| it.span.after());
        self.tokens.get(self.found).map_or(end, |it| it.span)
    }

    pub(super) fn before(&self) -> &str {
        self.found.checked_sub(1).map_or("", |it| self.word(it))
    }

    /// `for x in xs`, `while c`
    fn loop_word(&self) -> Option<Problem> {
        let begins = |idx: usize| idx == 0 || matches!(self.word(idx - 1), ">>" | "=" | "{");
        let idx =
            (0..=self.found).find(|it| matches!(self.word(*it), "for" | "while") && begins(*it))?;
        if matches!(self.word(idx + 1), ":" | "(" | "." | ">>") {
            return None;
        }
        let help = match self.word(idx) {
            "for" => "run a pipeline for every item with `xs >> each { .. }`",
            _ => "repeat a bounded number of times with `repeat 3 { .. } until condition`",
        };
        let message = format!("unknown keyword `{}`", self.word(idx));
        let span = self.tokens[idx].span;
        let problem =
            Problem::error(Code::E113, span, message).label("loop of another language").help(help);
        Some(problem.fixed(self.fix_for(idx)))
    }

    /// `parallel { a, b }`, `race { a, b }`
    fn nameless_branch(&self) -> Option<Problem> {
        let open = self.opener()?;
        let word = open.checked_sub(1).map(|it| self.word(it))?;
        let begins = matches!(self.before(), "{" | ",") && self.is_value(self.found);
        if !matches!(word, "parallel" | "race")
            || !(begins || matches!(self.word(self.found), "," | "}" | ">>" | "("))
        {
            return None;
        }
        Some(
            Problem::error(Code::E114, self.here(), format!("missing branch name in `{word}`"))
                .label("branch without a name")
                .help(format!("write `{word} {{ name: pipeline, other: pipeline }}`"))
                .fixed(self.fix_branches(open)),
        )
    }

    /// `{ a, b }`, as in languages where a name alone is a field with its value.
    fn nameless_value(&self) -> Option<Problem> {
        let open = self.opener()?;
        let name = self.word(self.found);
        let (before, after) = (self.before(), self.word(self.found + 1));
        let owner = open.checked_sub(1).map_or("", |it| self.word(it));
        let is_record =
            self.word(open) == "{" && matches!(owner, "" | "(" | "[" | "," | ":" | ">>" | "=");
        let is_name = name.starts_with(|it: char| it.is_ascii_lowercase()) && !is_reserved(name);
        let is_alone = matches!((before, after), ("{" | ",", ",") | (",", "}"));
        if !(is_record && is_name && is_alone) {
            return None;
        }
        let message = format!("missing value of the field `{name}`");
        Some(
            Problem::error(Code::E101, self.here(), message)
                .label("field without a value")
                .help(format!("write `{name}: {name}`: every field has a name and a value"))
                .fixed(self.fix_branches(open)),
        )
    }

    /// `let match = ..`: a reserved word where a name is expected.
    fn reserved_name(&self) -> Option<Problem> {
        let word = self.word(self.found);
        // `flow f(group: int)`; an argument or a field may have any name.
        let is_param = matches!(self.before(), "(" | ",") && self.word(self.found + 1) == ":";
        let expected = is_param
            || matches!(self.before(), "let" | "param" | "flow" | "secret")
            || (self.before() == "as" && self.word(self.found - 2).starts_with(['"', '\'']));
        if !expected || !RESERVED.contains(&word) {
            return None;
        }
        self.tokens.get(self.found).map(|_| self.reserved(self.found))
    }

    pub(super) fn reserved(&self, idx: usize) -> Problem {
        let (word, span) = (self.word(idx), self.tokens[idx].span);
        Problem::error(Code::E116, span, format!("`{word}` is a reserved word"))
            .label("reserved word")
            .help(format!("choose another name, for example `{word}_`"))
            .suggest(span, format!("{word}_"))
    }

    fn anything(&self) -> Problem {
        let Some(token) = self.tokens.get(self.found) else {
            return Problem::error(Code::E101, self.here(), "unexpected end of the statement")
                .label("something is missing here")
                .help_opt(self.due_after().or_else(|| self.endless()));
        };
        let word = self.word(self.found);
        // A stray character may be white space of another kind, which would be trimmed.
        let is_stray = token.kind == TokenKind::Stray;
        let shown = if is_stray { word.to_owned() } else { quoted(word) };
        Problem::error(Code::E101, token.span, format!("unexpected `{shown}`"))
            .label("unexpected token")
            .help_opt(self.due_here(*token).or_else(|| self.due_after()))
            .fixed(self.fix())
            .suggested_if(self.is_guess())
    }

    /// Help that follows from the token before the place.
    fn due_after(&self) -> Option<String> {
        let expected = match self.before() {
            ">>" => {
                "write a stage after `>>`: a component, `.field`, `{ .. }`, or a block such as `each { .. }`"
            }
            "=" => "write a value or a pipeline after `=`",
            ":" => "write a value after `:`, or a type in a declaration",
            "->" => "write a type after `->`",
            "param" => "write `param name: type`, perhaps with `= default`",
            "let" => "write `let name = pipeline`",
            "type" => "write `type Name = type`, with a capital: `type Note = { title: string }`",
            "flow" => "write `flow name(input: type) -> type { pipeline }`",
            "within" => "write `within { timeout: 30s, max_retries: 2 }`",
            "each" => "write `each { pipeline }`",
            "parallel" => "write `parallel { name: pipeline, other: pipeline }`",
            "race" => "write `race { name: pipeline, other: pipeline }`",
            "if" => "write `if condition { pipeline } else { pipeline }`",
            "where" | "sort" | "group" => {
                "write `where { .score > 0.5 }`, `sort { .name }`, `group { .kind }`"
            }
            "{" if self.found > 1 && self.word(self.found - 2) == ">>" => {
                "write `{ name: value }` for a record and `( .. )` for a value, or remove the braces: other stages have none"
            }
            "{" if self.found > 1 && self.word(self.found - 2) == ":" => {
                "write `{ name: value }` for a record; a flow is passed by its name, as in `by: score`"
            }
            "{" if self.found > 1
                && self.is_word(self.found - 2)
                && !is_reserved(self.word(self.found - 2)) =>
            {
                return Some(format!(
                    "write `{}(..)`: a component has its arguments in parentheses",
                    self.word(self.found - 2)
                ));
            }
            "." if self.word(self.found) == "[" => "write `it[0]` for an item of the value",
            "(" | "[" | "," => "write a value here",
            "+" | "-" | "*" | "/" | "%" | "and" | "or" | "not" | "==" | "!=" | "<" | "<=" | ">"
            | ">=" | "??" => "write a value after the operator",
            _ => return None,
        };
        Some(expected.to_owned())
    }

    /// `"a".upper()`: a method of another language.
    pub(super) fn method(&self) -> Option<&str> {
        let [dot, name, open] = [3, 2, 1].map(|it| self.found.checked_sub(it));
        let called = self.word(open?) == "(" && matches!(self.word(dot?), "." | "?.");
        called.then(|| self.word(name.unwrap_or_default()))
    }

    /// Help that follows from the unexpected token itself.
    fn due_here(&self, token: Token) -> Option<String> {
        let word = self.word(self.found);
        if let Some(name) = self.method() {
            return Some(format!("write `value >> {name}`: values have no methods"));
        }
        if token.kind == TokenKind::Text
            && self.inside() == Some(Bracket::Curly)
            && self.word(self.found + 1) == ":"
        {
            return Some("write the key without quotes: `{ name: value }`".to_owned());
        }
        if let Some(help) = self.elsewhere() {
            return Some(help);
        }
        let after_value = self.after_value();
        let expected = match word {
            "where" | "sort" | "group" => format!(
                "write `{word} {{ .. }}`, with an expression in the braces: `sort {{ .title }}`, `where {{ .score > 0.5 }}`"
            ),
            "within" => "write `within { timeout: 30s }`".to_owned(),
            ">>" if self.opener().is_some() => {
                "put the pipeline inside brackets in parentheses: `( .. >> .. )`".to_owned()
            }
            ";" => "remove the `;`".to_owned(),
            "=" if after_value => {
                "write `==` to compare; `=` binds a name, as in `let x = 1`".to_owned()
            }
            ":" if after_value => {
                "write named values in the `( )` of a component, or in a record `{ name: value }`"
                    .to_owned()
            }
            "let" => {
                "move `let` to the start of the file, the flow or the block, before its pipeline"
                    .to_owned()
            }
            "+" | "-" | "*" | "/" | "%" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or"
            | "??" | "as"
                if after_value =>
            {
                format!(
                    "put the expression in parentheses, because an operator cannot follow a stage: `( .. {word} .. )`"
                )
            }
            _ if after_value && self.inside() == Some(Bracket::Round) => {
                "separate arguments with `,` and name them: `name: value`".to_owned()
            }
            _ if after_value && self.inside() == Some(Bracket::Square) => {
                "separate items with `,`".to_owned()
            }
            _ if after_value && matches!(token.kind, TokenKind::Word) => {
                "join stages with `>>`, and separate fields and branches with `,`".to_owned()
            }
            _ if token.kind == TokenKind::Stray => {
                "remove this character, or put it in a string".to_owned()
            }
            _ => return None,
        };
        Some(expected)
    }

    /// Help for a construct of another language, which has another name here.
    fn elsewhere(&self) -> Option<String> {
        if let Some(help) = self.endless() {
            return Some(help);
        }
        let open = self.opener()?;
        let owner = self.word(open.checked_sub(1)?);
        if owner == "fallback" {
            return Some(
                "write the alternative without braces: `fallback []`, `fallback (a >> b)`"
                    .to_owned(),
            );
        }
        let (_, here) = super::FOREIGN_BLOCKS.iter().find(|(it, _)| *it == owner)?;
        Some(format!("write `{here}` instead of `{owner}`"))
    }

    /// Help for a `repeat` without its condition.
    fn endless(&self) -> Option<String> {
        let region = |word: &str| (0..self.tokens.len()).any(|it| self.word(it) == word);
        (region("repeat") && !region("until"))
            .then(|| "write `repeat 3 { .. } until condition`".to_owned())
    }

    /// The innermost open bracket at the place.
    pub(super) fn opener(&self) -> Option<usize> {
        let mut depth = 0_usize;
        for idx in (0..self.found).rev() {
            match self.tokens[idx].kind {
                TokenKind::Close(_) | TokenKind::TextClose => depth += 1,
                TokenKind::Open(_) | TokenKind::TextOpen if depth > 0 => depth -= 1,
                TokenKind::Open(_) => return Some(idx),
                TokenKind::TextOpen => return None,
                _ => {}
            }
        }
        None
    }

    pub(super) fn after_value(&self) -> bool {
        self.found.checked_sub(1).is_some_and(|it| self.ends_value(it))
    }

    /// Whether a value may end with a token.
    pub(super) fn ends_value(&self, idx: usize) -> bool {
        match self.tokens[idx].kind {
            TokenKind::Word => {
                let word = self.word(idx);
                !RESERVED.contains(&word) || matches!(word, "it" | "true" | "false" | "null")
            }
            TokenKind::Number
            | TokenKind::Money
            | TokenKind::Text
            | TokenKind::TextClose
            | TokenKind::Close(_) => true,
            _ => false,
        }
    }

    /// The kind of the innermost bracket around the place.
    pub(super) fn inside(&self) -> Option<Bracket> {
        match self.tokens[self.opener()?].kind {
            TokenKind::Open(bracket) => Some(bracket),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_control_character_is_named() {
        let problems = crate::syntax::parse("\"a\" \u{b}>> upper").problems;
        assert_eq!(problems[0].message, "unexpected `\u{b}`");
    }

    #[test]
    fn what_is_unfinished_is_shown_whole() {
        for (text, help) in [
            ("1 >> repeat 3 { it + 1 }", "write `repeat 3 { .. } until condition`"),
            (
                "let a = nope { 1 }\na",
                "write `nope(..)`: a component has its arguments in parentheses",
            ),
        ] {
            let problems = crate::syntax::parse(text).problems;
            assert_eq!(problems[0].help.as_deref(), Some(help), "{text}");
        }
    }
}
