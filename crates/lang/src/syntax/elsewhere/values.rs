//! Values in the form of another language, which do not parse.

use super::super::{
    token::TokenKind,
    unexpected::{Place, is_reserved},
};
use crate::diag::{Code, Problem};

/// Words that declare a type in other languages.
const TYPES: [&str; 6] = ["struct", "enum", "class", "interface", "record", "typedef"];

impl Place<'_> {
    /// The problem of a value of another language at the place.
    pub(super) fn foreign_value(&self) -> Option<Problem> {
        self.range_pattern()
            .or_else(|| self.ternary())
            .or_else(|| self.walrus())
            .or_else(|| self.doubled_operator())
            .or_else(|| self.comprehension())
            .or_else(|| self.field_with_equals())
            .or_else(|| self.percent())
            .or_else(|| self.range_or_slice())
            .or_else(|| self.backticks())
            .or_else(|| self.typed_declaration())
            .or_else(|| self.switch())
            .or_else(|| self.piped_match())
    }

    fn unexpected(&self, idx: usize, label: &'static str) -> Problem {
        let shown = super::super::quoted(self.word(idx));
        Problem::error(Code::E101, self.tokens[idx].span, format!("unexpected `{shown}`"))
            .label(label)
    }

    /// `a > b ? "x" : "y"`
    fn ternary(&self) -> Option<Problem> {
        if self.word(self.found) != ":" {
            return None;
        }
        let least = self.opener().map_or(0, |it| it + 1);
        let mark = (least..self.found).rev().find(|it| self.word(*it) == "?")?;
        let begins = |it: &usize| matches!(self.word(*it), ">>" | "=" | "," | ":");
        let start = (least..mark).rev().find(begins).map_or(least, |it| it + 1);
        let (end, cond) = (self.value_end(self.found + 1)?, self.between(start, mark));
        let (yes, no) = (self.between(mark + 1, self.found), self.between(self.found + 1, end));
        if cond.is_empty() || yes.is_empty() {
            return None;
        }
        let meant = format!("if {cond} {{ {yes} }} else {{ {no} }}");
        let is_whole = end == self.tokens.len() || self.tokens[end].starts_line;
        let fix = is_whole.then(|| self.replace(start, end - 1, meant.clone()));
        Some(
            self.unexpected(mark, "operator of another language")
                .help(format!("write `{meant}`"))
                .fixed(fix)
                .suggested(),
        )
    }

    /// `x := 5`
    fn walrus(&self) -> Option<Problem> {
        let name = self.found.checked_sub(1).filter(|it| self.is_word(*it))?;
        let is_sign = self.word(self.found) == ":" && self.word(self.found + 1) == "=";
        let starts = name == 0 || self.tokens[name].starts_line || self.word(name - 1) == "let";
        if !is_sign || !starts || is_reserved(self.word(name)) {
            return None;
        }
        let first = if name > 0 && self.word(name - 1) == "let" { name - 1 } else { name };
        let meant = format!("let {} =", self.word(name));
        let span = self.tokens[self.found].span.to(self.tokens[self.found + 1].span);
        let message = "expected `=` after the name, found `:=`";
        Some(
            Problem::error(Code::E101, span, message)
                .label("expected `=`")
                .help(format!("write `{meant} ..`"))
                .fixed(Some(self.replace(first, self.found + 1, meant))),
        )
    }

    /// `a ++ b`, `a ** b`, `a ^ b`
    fn doubled_operator(&self) -> Option<Problem> {
        let (word, before) = (self.word(self.found), self.before());
        let first = match (before, word) {
            ("+", "+") | ("*", "*") => self.found - 1,
            (_, "^") => self.found,
            _ => return None,
        };
        let start =
            self.value_start(first).filter(|it| self.ends_value(first - 1) && *it < first)?;
        let end = self.value_end(self.found + 1)?;
        let (left, right) = (self.between(start, first), self.between(self.found + 1, end));
        let span = self.tokens[first].span.to(self.tokens[self.found].span);
        let operator = &self.text[span.range()];
        let meant =
            if word == "+" { format!("{left} + {right}") } else { format!("pow({left}, {right})") };
        Some(
            Problem::error(Code::E101, span, format!("unknown operator `{operator}`"))
                .label("operator of another language")
                .help(format!("write `{meant}`"))
                .suggest(self.tokens[start].span.to(self.tokens[end - 1].span), meant),
        )
    }

    /// `[x * 2 for x in xs if x > 1]`
    fn comprehension(&self) -> Option<Problem> {
        let open = self.opener().filter(|it| self.word(*it) == "[")?;
        let (word, name) = (self.found, self.found + 1);
        if self.word(word) != "for" || !self.is_word(name) || self.word(name + 1) != "in" {
            return None;
        }
        let close = self.closer(open)?;
        let filter = (name + 2..close).find(|it| self.word(*it) == "if").unwrap_or(close);
        let items = self.between(name + 2, filter);
        let body = self.with_it(name, open + 1, word)?;
        let kept = match filter {
            it if it == close => String::new(),
            it => format!(" >> where {{ {} }}", self.with_it(name, it + 1, close)?),
        };
        let meant = format!("({items}{kept} >> each {{ {body} }})");
        Some(
            self.unexpected(word, "list of another language")
                .help(format!("write `{meant}`"))
                .suggest(self.tokens[open].span.to(self.tokens[close].span), meant),
        )
    }

    /// `{ name = "x" }`
    fn field_with_equals(&self) -> Option<Problem> {
        let name = [self.found, self.found.checked_sub(1)?];
        let name = name.into_iter().find(|it| self.word(it + 1) == "=" && self.is_word(*it))?;
        let open = self.opener().filter(|it| self.word(*it) == "{")?;
        let owner = open.checked_sub(1).map_or("", |it| self.word(it));
        let is_record = matches!(owner, "" | "=" | "(" | "[" | "," | ":" | ">>");
        if !is_record || !matches!(self.word(name - 1), "{" | ",") {
            return None;
        }
        let span = self.tokens[name + 1].span;
        let message = format!("expected `:` after the field `{}`, found `=`", self.word(name));
        Some(
            Problem::error(Code::E101, span, message)
                .label("expected `:`")
                .help(format!("write `{}: value`", self.word(name)))
                .fix(self.tokens[name].span.after().to(span), ":"),
        )
    }

    /// `50%`
    fn percent(&self) -> Option<Problem> {
        let sign = self.found.checked_sub(1).filter(|it| self.word(*it) == "%")?;
        let number = sign.checked_sub(1)?;
        let touches = self.tokens[number].span.end == self.tokens[sign].span.start;
        let share = self.word(number).replace('_', "").parse::<f64>().ok()? / 100.0;
        if !touches || self.tokens[number].kind != TokenKind::Number {
            return None;
        }
        let span = self.tokens[number].span.to(self.tokens[sign].span);
        Some(
            Problem::error(Code::E101, span, "unexpected `%` after a number")
                .label("a share is a number here")
                .help(format!("write `{share}`"))
                .suggest(span, share.to_string()),
        )
    }

    /// `1..10`, `xs[0..2]`
    fn range_or_slice(&self) -> Option<Problem> {
        let dots = self.found;
        if self.word(dots) != ".." {
            return None;
        }
        let index = self.opener().filter(|it| {
            self.word(*it) == "[" && *it > 0 && self.ends_value(it - 1) && !self.is_apart(*it)
        });
        let problem = self.unexpected(dots, "range of another language");
        if index.is_some() {
            let help = "write `text >> slice(from: 0, to: 2)` for a part of a string, and `list >> skip(n: 1) >> take(n: 2)` for one of a list";
            return Some(problem.help(help));
        }
        let start = self.value_start(dots).filter(|_| self.after_value())?;
        let end = self.value_end(dots + 1)?;
        let (low, high) = (self.between(start, dots), self.between(dots + 1, end));
        let meant = format!("range({low}, {high})");
        Some(
            problem
                .help(format!("write `{meant}`, which ends before `{high}`"))
                .suggest(self.tokens[start].span.to(self.tokens[end - 1].span), meant),
        )
    }

    /// `match n { 1..3 => "few" }`
    fn range_pattern(&self) -> Option<Problem> {
        let open = self.opener()?;
        let dots = [self.found, self.found + 1].into_iter().find(|it| self.word(*it) == "..")?;
        let is_match = (0..open)
            .rev()
            .take_while(|it| !matches!(self.word(*it), ">>" | "{" | "="))
            .any(|it| self.word(it) == "match");
        let is_number =
            |it: usize| self.tokens.get(it).is_some_and(|it| it.kind == TokenKind::Number);
        let (low, high) = (dots.checked_sub(1)?, dots + 1);
        if !is_match || !is_number(low) || !is_number(high) {
            return None;
        }
        let (low, high) = (self.word(low), self.word(high));
        Some(
            self.unexpected(dots, "a pattern is one value")
                .help(format!("write `if n >= {low} and n <= {high} {{ .. }} else {{ .. }}`")),
        )
    }

    /// Whether there is a space before a token.
    fn is_apart(&self, idx: usize) -> bool {
        self.tokens[idx - 1].span.end < self.tokens[idx].span.start
    }

    /// `` `hello ${name}` ``
    fn backticks(&self) -> Option<Problem> {
        let token = self.tokens.get(self.found)?;
        if self.word(self.found) != "`" {
            return None;
        }
        let help = "write a string in double quotes: `\"hello ${name}\"`";
        Some(
            Problem::error(Code::E101, token.span, "unexpected ```")
                .label("string of another language")
                .help(help),
        )
    }

    /// `struct A { x: int }`, `enum Color { Red, Green }`
    fn typed_declaration(&self) -> Option<Problem> {
        let word = (0..=self.found).rev().find(|it| TYPES.contains(&self.word(*it)))?;
        let starts = word == 0 || self.tokens[word].starts_line;
        if !starts || !self.is_word(word + 1) || word + 1 < self.found.saturating_sub(2) {
            return None;
        }
        let (keyword, name) = (self.word(word), self.word(word + 1));
        let form = match keyword {
            "enum" => format!("type {name} = \"one\" | \"two\""),
            _ => format!("type {name} = {{ field: string, other: int }}"),
        };
        let span = self.tokens[word].span;
        Some(
            Problem::error(Code::E101, span, format!("unknown keyword `{keyword}`"))
                .label("declaration of another language")
                .help(format!("write `{form}`")),
        )
    }

    /// `switch x { case 1: .. }`, `loop { .. }`
    fn switch(&self) -> Option<Problem> {
        let begins = |it: usize| {
            it == 0 || self.tokens[it].starts_line || matches!(self.word(it - 1), ">>" | "=" | "{")
        };
        let word = (0..self.found).rev().find(|it| {
            begins(*it) && matches!(self.word(*it), "switch" | "case" | "when" | "loop" | "async")
        })?;
        let block = (word..=self.found).find(|it| self.word(*it) == "{")?;
        let (code, help) = match self.word(word) {
            "loop" if block == word + 1 => (
                Code::E113,
                "repeat a bounded number of times with `repeat 3 { .. } until condition`",
            ),
            "async" if block == word + 1 => (
                Code::E113,
                "remove it: what does not depend on one another is written as `parallel { a: .., b: .. }`",
            ),
            "loop" | "async" => return None,
            _ => (Code::E101, "write `match value { pattern => result, _ => other }`"),
        };
        let span = self.tokens[word].span;
        let message = format!("unknown keyword `{}`", self.word(word));
        Some(Problem::error(code, span, message).label("keyword of another language").help(help))
    }

    /// `x >> match { "a" => 1, _ => 2 }`
    fn piped_match(&self) -> Option<Problem> {
        let word = self.opener().and_then(|it| it.checked_sub(1))?;
        if self.word(word) != "match" || self.found != word + 2 {
            return None;
        }
        let end = self.tokens[word].span.after();
        Some(
            Problem::error(Code::E101, end, "missing value of `match`")
                .label("expected a value")
                .help("write `match it { .. }` for the value that enters the stage")
                .fix(end, " it"),
        )
    }
}
