//! Lines in the form of another language that parse all the same, as several pipelines in a row.

use super::super::{
    for_foreign_call,
    token::{Token, TokenKind},
    unexpected::{Place, is_reserved},
};
use super::INFIX_WORDS;
use crate::diag::{Code, Fix, Problem, Span};

/// Words that import a file in other languages.
const IMPORTS: [&str; 5] = ["import", "include", "require", "source", "from"];

/// Words that stand before what a function gives back, or before what takes time.
const BEFORE_A_VALUE: [(&str, &str); 3] = [
    ("return", "remove it: the last pipeline of a flow is its result"),
    ("yield", "remove it: the last pipeline of a flow is its result"),
    ("await", "remove it: a stage waits for its input by itself"),
];

/// Letters that stand before the quotes of a string in other languages.
const PREFIXES: [&str; 5] = ["f", "r", "b", "s", "u"];

/// Units that other languages and people write as words, and how a number has them here.
const UNITS: [(&[&str], &str, &str); 8] = [
    (&["milliseconds", "millisecond", "millis", "msec", "ms"], "", "ms"),
    (&["seconds", "second", "secs", "sec", "s"], "", "s"),
    (&["minutes", "minute", "mins", "min", "m"], "", "m"),
    (&["hours", "hour", "hrs", "h"], "", "h"),
    (&["days", "day", "d"], "", "d"),
    (&["kilobytes", "kB", "KB"], "", "kB"),
    (&["megabytes", "MB"], "", "MB"),
    (&["dollars", "dollar", "USD"], "$", ""),
];

/// The problem of a line that parses, but is meant as something else.
pub(in crate::syntax) fn misread(text: &str, tokens: &[Token]) -> Option<Problem> {
    let last = tokens.len().checked_sub(1)?;
    let line = (0..last).find_map(|found| {
        let place = Place { text, tokens, found };
        match tokens[found].kind {
            TokenKind::Word => place.word_before_a_value(),
            TokenKind::Number => place.unit_as_a_word().or_else(|| place.bare_date()),
            TokenKind::Sign if place.word(found) == "." => place.method_with_arguments(),
            _ => None,
        }
    });
    line.or_else(|| operator_word(text, tokens))
}

/// The problem of an operator of another language: `a in b` can also be read as three pipelines.
fn operator_word(text: &str, tokens: &[Token]) -> Option<Problem> {
    let mut words = (1..tokens.len().saturating_sub(1)).filter(|it| {
        let word = &text[tokens[*it].span.range()];
        INFIX_WORDS.iter().any(|(it, _)| *it == word)
    });
    words.find_map(|word| {
        let place = Place { text, tokens, found: word };
        let found = if place.before() == "not" { word - 1 } else { word };
        let place = Place { found, ..place };
        // A call, and a name at the end of its line, are something else.
        let gap = |it: usize| &text[tokens[it - 1].span.end..tokens[it].span.start];
        let is_between = |it: usize| !gap(it).is_empty() && !gap(it).contains('\n');
        let is_flat = found > 0 && is_between(found) && is_between(word + 1);
        place.infix_word().filter(|_| is_flat && place.opener().is_none())
    })
}

impl Place<'_> {
    /// Whether a token stands on the line of the one before it.
    fn is_on_line(&self, idx: usize) -> bool {
        self.tokens.get(idx).is_some_and(|it| !it.starts_line)
    }

    /// Whether nothing stands between a token and the one before it.
    fn touches(&self, idx: usize) -> bool {
        self.tokens.get(idx).is_some_and(|it| it.span.start == self.tokens[idx - 1].span.end)
    }

    /// Whether a token is a text, a number or an amount.
    pub(in crate::syntax) fn is_value(&self, idx: usize) -> bool {
        self.tokens.get(idx).is_some_and(|it| {
            use TokenKind::{Money, Number, Text, TextOpen};
            matches!(it.kind, Text | TextOpen | Number | Money)
        })
    }

    /// `import "lib.svc"`, `return x`, `f"a {b}"`, `echo "a"`, `split ","`
    fn word_before_a_value(&self) -> Option<Problem> {
        let (word, next) = (self.word(self.found), self.found + 1);
        let begins = self.found == 0
            || (self.tokens[self.found].starts_line && self.ends_value(self.found - 1))
            || matches!(self.before(), ">>" | "{" | "(")
            || (self.before() == "=" && self.word(0) == "let");
        let may_follow = self.is_value(next)
            || self.is_word(next)
            || matches!(self.word(next), "[" | "{" | "(" | ".");
        if !may_follow || !self.is_on_line(next) || is_reserved(word) {
            return None;
        }
        if self.is_value(next) && self.touches(next) && PREFIXES.contains(&word) {
            return Some(self.prefixed_text(word));
        }
        if !begins || self.touches(next) {
            return None;
        }
        self.import(word)
            .or_else(|| self.needless_word(word))
            .or_else(|| self.foreign_call(word))
            .or_else(|| self.bare_arguments(word))
    }

    /// `import "lib.svc" as lib`, `from "lib.svc" import words`
    fn import(&self, word: &str) -> Option<Problem> {
        let next = self.found + 1;
        let is_module = self.is_word(next) && !is_reserved(self.word(next));
        let names_both = word != "from" || self.word(next + 1) == "import";
        if !IMPORTS.contains(&word) || !names_both || !(is_module || self.is_value(next)) {
            return None;
        }
        let given = self.word(next);
        let path = given.trim_matches(['"', '\'']);
        let stem = path.rsplit(['/', ':', '.']).find(|it| !matches!(*it, "svc" | "rhai"));
        let name = match self.word(next + 1) {
            "as" if self.is_word(next + 2) => self.word(next + 2),
            _ => stem.filter(|it| it.chars().all(|it| it.is_ascii_lowercase())).unwrap_or("lib"),
        };
        let file = if is_module { format!("\"{path}.svc\"") } else { given.to_owned() };
        let meant = format!("use {file} as {name}");
        let whole = (self.found..self.tokens.len())
            .take_while(|it| *it == self.found || self.is_on_line(*it))
            .last();
        let fix = whole.map(|last| self.replace(self.found, last, meant.clone()));
        let problem = self.unknown_keyword(Code::E101, word);
        Some(problem.help(format!("write `{meant}`")).fixed(fix).suggested())
    }

    /// `return x`, `await f()`
    fn needless_word(&self, word: &str) -> Option<Problem> {
        let (_, help) = BEFORE_A_VALUE.iter().find(|(it, _)| *it == word)?;
        let span = self.tokens[self.found].span;
        let rest = Span::new(span.start, self.tokens.get(self.found + 1)?.span.start);
        Some(self.unknown_keyword(Code::E113, word).help(*help).fix(rest, ""))
    }

    /// `echo "a"`
    fn foreign_call(&self, word: &str) -> Option<Problem> {
        let help = for_foreign_call(word)?;
        Some(self.unknown_keyword(Code::E101, word).help(help))
    }

    /// `split ","`, `len [1, 2]`
    fn bare_arguments(&self, word: &str) -> Option<Problem> {
        let next = self.found + 1;
        let is_list = self.word(next) == "[";
        // `let loud = text >> upper  "${loud}!"` is a `let` and a pipeline.
        let follows_let = (0..self.found).any(|it| self.word(it) == "let");
        if follows_let || super::TYPES.contains(&word) || !(is_list || self.is_value(next)) {
            return None;
        }
        let end = self.value_end(next)?;
        let value = self.between(next, end);
        let span = self.tokens[next].span.to(self.tokens[end - 1].span);
        let message = format!("expected the arguments of `{word}` in parentheses");
        let problem = Problem::error(Code::E101, span, message).label("argument without `( )`");
        if self.before() == ">>" {
            return Some(problem.help(format!("write `{word}(name: {value})`")));
        }
        let piped = format!("{value} >> {word}");
        let fix = self.replace(self.found, end - 1, piped.clone());
        Some(
            problem
                .help(format!("write `{piped}`, or `{word}(name: {value})`"))
                .fixed(Some(fix))
                .suggested(),
        )
    }

    /// `f"hello {name}"`
    fn prefixed_text(&self, prefix: &str) -> Problem {
        let text = self.found + 1;
        let span = self.tokens[self.found].span;
        let written = self.word(text);
        let is_template = prefix != "r" && prefix != "b" && written.contains('{');
        let meant = written.replace("${", "{").replace('{', "${");
        let fix = if is_template && self.tokens[text].kind == TokenKind::Text {
            self.replace(self.found, text, meant)
        } else {
            Fix { span, text: String::new() }
        };
        let help = match prefix {
            "r" | "b" => {
                format!("write the string without the `{prefix}`, with `\\\\` for a backslash")
            }
            _ => "write it without the letter: every string may have `${value}` in it".to_owned(),
        };
        Problem::error(Code::E101, span, format!("unexpected `{prefix}` before a string"))
            .label("string of another language")
            .help(help)
            .fixed(Some(fix))
            .suggested_if(is_template || matches!(prefix, "r" | "b"))
    }

    /// `5 minutes`, `20 USD`
    fn unit_as_a_word(&self) -> Option<Problem> {
        let unit = self.found + 1;
        let is_unit = self.is_word(unit) && self.is_on_line(unit) && !self.touches(unit);
        let word = self.word(unit);
        let (_, before, after) =
            UNITS.iter().find(|(names, ..)| names.contains(&word)).filter(|_| is_unit)?;
        // `5 m >> ..` is still a number and a name, but `5 m(..)` is a call.
        if self.word(unit + 1) == "(" {
            return None;
        }
        let meant = format!("{before}{}{after}", self.word(self.found));
        let span = self.tokens[self.found].span.to(self.tokens[unit].span);
        Some(
            Problem::error(Code::E105, span, format!("expected a unit, found `{word}`"))
                .label("a unit follows its number without a space")
                .help(format!("write `{meant}`"))
                .fix(span, meant),
        )
    }

    /// `2024-01-31`, which is also a difference.
    fn bare_date(&self) -> Option<Problem> {
        let parts = [self.found, self.found + 2, self.found + 4].map(|it| self.word(it));
        let signs = [self.found + 1, self.found + 3];
        let is_digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
        let is_date = parts.map(str::len) == [4, 2, 2]
            && parts.into_iter().all(is_digits)
            && signs.into_iter().all(|it| self.word(it) == "-")
            && (self.found + 1..=self.found + 4).all(|it| self.touches(it));
        // Where a date is expected, the check says so.
        let has_type = self.found > 1
            && (self.before() == "=" && matches!(self.word(self.found - 2), "date" | "?"));
        let is_arg = self.before() == ":" && self.opener().is_some_and(|it| self.word(it) == "(");
        if !is_date || has_type || is_arg {
            return None;
        }
        let [year, month, day] = parts;
        let span = self.tokens[self.found].span.to(self.tokens[self.found + 4].span);
        let meant = format!("(\"{year}-{month}-{day}\" as date)");
        Some(
            Problem::error(Code::E105, span, "expected a date in quotes")
                .label("three numbers and two `-`")
                .help(format!("write `{meant}`, or spaces around each `-` for a difference"))
                .suggest(span, meant),
        )
    }

    /// `"abc".contains("a")`
    fn method_with_arguments(&self) -> Option<Problem> {
        let (name, open) = (self.found + 1, self.found + 2);
        let base = self.found.checked_sub(1)?;
        let ends = matches!(
            self.tokens[base].kind,
            TokenKind::Text | TokenKind::TextClose | TokenKind::Number | TokenKind::Close(_)
        );
        let is_call = self.is_word(name) && self.word(open) == "(" && self.touches(open);
        if !ends || !is_call || !self.touches(self.found) || self.word(open + 1) == ")" {
            return None;
        }
        let name_span = self.tokens[name].span;
        let start = self.value_start(self.found)?;
        let (value, name) = (self.between(start, self.found), self.word(name));
        Some(
            Problem::error(Code::E101, name_span, format!("unexpected method `{name}`"))
                .label("values have no methods")
                .help(format!("write `{value} >> {name}(..)`, with names for the arguments")),
        )
    }

    fn unknown_keyword(&self, code: Code, word: &str) -> Problem {
        let span = self.tokens[self.found].span;
        Problem::error(code, span, format!("unknown keyword `{word}`"))
            .label("keyword of another language")
    }
}
