//! Forms of other languages, with the form that they have here.

mod lines;
mod values;

pub(super) use lines::misread;

use super::{
    FOREIGN_BLOCKS,
    token::TokenKind,
    unexpected::{Place, is_reserved},
};
use crate::diag::{Code, Fix, Problem, Span};

/// Words that declare a flow in other languages.
const FLOWS: [&str; 6] = ["def", "fn", "func", "function", "fun", "proc"];

/// Words that declare a value in other languages.
const LETS: [&str; 4] = ["const", "var", "val", "local"];

/// Names of lists in other languages.
const LISTS: [&str; 6] = ["list", "List", "array", "Array", "Vec", "Sequence"];

/// The types with names in lower case.
const TYPES: [&str; 12] = [
    "string", "int", "float", "bool", "json", "bytes", "duration", "money", "size", "time", "date",
    "map",
];

/// Names of values that may be null in other languages.
const OPTIONS: [&str; 4] = ["Option", "Optional", "option", "optional"];

/// Writes what an operator of another language means between two values.
type Written = fn(&str, &str) -> String;

/// Operators of other languages that are words, and what they are here.
const INFIX_WORDS: [(&str, Written); 4] = [
    ("in", |a, b| format!("contains({b}, {a})")),
    ("contains", |a, b| format!("contains({a}, {b})")),
    ("div", |a, b| format!("div({a}, {b})")),
    ("mod", |a, b| format!("{a} % {b}")),
];

/// Whether a word declares something in another language.
pub(super) fn declares_elsewhere(word: &str) -> bool {
    FLOWS.contains(&word) || LETS.contains(&word)
}

/// `n // 2` as `div(n, 2)`: what stands around a `//`, if that may divide.
pub(super) fn quotient(text: &str, sign: Span) -> Option<Fix> {
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.');
    let line = text[..sign.start].rfind('\n').map_or(0, |it| it + 1);
    let before = text[line..sign.start].trim_end();
    let left = before
        .rfind(|it| !is_part(it))
        .map_or(0, |it| it + before[it..].chars().next().map_or(1, char::len_utf8));
    let rest = text[sign.end..].lines().next().unwrap_or_default();
    let right = rest.trim_start();
    let length = right.find(|it| !is_part(it)).unwrap_or(right.len());
    let (right, behind) = right.split_at(length);
    let is_whole = matches!(
        behind.trim_start().chars().next(),
        None | Some(')' | ']' | '}' | ',' | '+' | '-' | '*' | '/' | '%' | '#')
    );
    let start = line + left;
    let end = sign.end + (rest.len() - rest.trim_start().len()) + length;
    let left = &before[left..];
    let is_factor = text[..start].trim_end().ends_with(['*', '/', '%', ')', ']']);
    (is_whole && !left.is_empty() && !right.is_empty() && !is_factor)
        .then(|| Fix { span: Span::new(start, end), text: format!("div({left}, {right})") })
}

impl Place<'_> {
    /// The problem of a form of another language at the place.
    pub(super) fn foreign_form(&self) -> Option<Problem> {
        self.foreign_declaration()
            .or_else(|| self.then())
            .or_else(|| self.arrow_of_arm())
            .or_else(|| self.infix_word())
            .or_else(|| self.second_key())
            .or_else(|| self.nameless_use())
            .or_else(|| self.named_item())
            .or_else(|| self.lambda())
            .or_else(|| self.foreign_list())
            .or_else(|| self.bare_choices())
            .or_else(|| self.open_range())
            .or_else(|| self.foreign_value())
    }

    /// `def f(x) { .. }`, `const x = 5`
    fn foreign_declaration(&self) -> Option<Problem> {
        let word = self.word(0);
        let is_flow = FLOWS.contains(&word);
        if !declares_elsewhere(word) || !self.is_word(1) || (!is_flow && self.word(2) != "=") {
            return None;
        }
        let (name, keyword) = (self.word(1), if is_flow { "flow" } else { "let" });
        let form = match keyword {
            "flow" => format!("flow {name}(input: type) -> type {{ .. }}"),
            _ => format!("let {name} = .."),
        };
        Some(
            Problem::error(Code::E101, self.tokens[0].span, format!("unknown keyword `{word}`"))
                .label("declaration of another language")
                .help(format!("write `{form}`"))
                .suggest(self.tokens[0].span, keyword),
        )
    }

    /// `if a then b else c`
    fn then(&self) -> Option<Problem> {
        let is_if = (0..self.found).any(|it| self.word(it) == "if");
        if self.word(self.found) != "then" || !is_if {
            return None;
        }
        let span = self.tokens[self.found].span;
        Some(
            Problem::error(Code::E101, span, "expected `{` after the condition, found `then`")
                .label("expected `{`")
                .help("write `if condition { .. } else { .. }`"),
        )
    }

    /// `x in xs`, `x not in xs`, `n div 2`
    fn infix_word(&self) -> Option<Problem> {
        let is_not = self.word(self.found) == "not" && self.word(self.found + 1) == "in";
        let word = self.found + usize::from(is_not);
        let (_, write) = INFIX_WORDS.iter().find(|(it, _)| *it == self.word(word))?;
        let start = self.value_start(self.found)?;
        // Of `for x in xs`, and of a sum, the item is another one.
        let is_part = |it: usize| matches!(self.word(it), "for" | "+" | "-" | "*" | "/" | "%");
        if !self.after_value() || start.checked_sub(1).is_some_and(is_part) {
            return None;
        }
        let end = self.value_end(word + 1)?;
        let (left, right) = (self.between(start, self.found), self.between(word + 1, end));
        let meant = format!("{}{}", if is_not { "not " } else { "" }, write(left, right));
        let span = self.tokens[self.found].span.to(self.tokens[word].span);
        Some(
            Problem::error(
                Code::E101,
                span,
                format!("unknown operator `{}`", &self.text[span.range()]),
            )
            .label("operator of another language")
            .help(format!("write `{meant}`"))
            .fixed(Some(self.replace(start, end - 1, meant))),
        )
    }

    /// `match x { 1 -> "a" }`
    fn arrow_of_arm(&self) -> Option<Problem> {
        let open = self.opener()?;
        let begins = (0..open).rev().take_while(|it| !matches!(self.word(*it), ">>" | "{" | "="));
        let is_match = begins.into_iter().any(|it| self.word(it) == "match");
        let arrow = [self.found, self.found + 1].into_iter().find(|it| self.word(*it) == "->")?;
        if !is_match {
            return None;
        }
        let span = self.tokens[arrow].span;
        Some(
            Problem::error(Code::E101, span, "expected `=>` after the pattern, found `->`")
                .label("expected `=>`")
                .help("write an arm as `pattern => value`")
                .fix(span, "=>"),
        )
    }

    /// `sort { .a, .b }`
    fn second_key(&self) -> Option<Problem> {
        let open = self.opener().filter(|it| *it > 0)?;
        let block = self.word(open - 1);
        if self.word(self.found) != "," || !matches!(block, "where" | "sort" | "group") {
            return None;
        }
        let help = match block {
            "where" => "join conditions with `and`: `where { .a and .b }`",
            "sort" => "sort by the last key first: `sort { .b } >> sort { .a }`",
            _ => "make one value of both: `group { [show(.a), show(.b)] }`",
        };
        let message = format!("unexpected `,`: `{block}` takes one value");
        Some(
            Problem::error(Code::E101, self.tokens[self.found].span, message)
                .label("a second value")
                .help(help)
                .fixed(self.fix_keys(open).filter(|_| block == "sort")),
        )
    }

    /// Sorts by the second of two keys, and then by the first.
    fn fix_keys(&self, open: usize) -> Option<Fix> {
        let close = self.closer(open)?;
        let (first, second) =
            (self.between(open + 1, self.found), self.between(self.found + 1, close));
        let text = format!("{{ {second} }} >> sort {{ {first} }}");
        (!second.contains(',')).then(|| self.replace(open, close, text))
    }

    /// `use "std:cite"`
    fn nameless_use(&self) -> Option<Problem> {
        let file = self.found.checked_sub(1)?;
        let is_use = file > 0 && self.word(file - 1) == "use" && self.word(self.found) != "as";
        let path = self.word(file).strip_prefix(['"', '\''])?.strip_suffix(['"', '\'']);
        let stem = path?.rsplit(['/', ':', '\\']).next()?.trim_end_matches(".svc");
        let stem = stem.to_ascii_lowercase();
        let name: String =
            stem.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
        let is_name = name.starts_with(|it: char| it.is_ascii_lowercase()) && !is_reserved(&name);
        if !is_use || !is_name {
            return None;
        }
        let end = self.tokens[file].span.after();
        Some(
            Problem::error(Code::E101, end, "missing name of the file")
                .label("expected `as name`")
                .help(format!("write `use {} as {name}`", self.word(file)))
                .fix(end, format!(" as {name}")),
        )
    }

    /// `each(x) { x * 2 }`, `each { |x| x * 2 }`, `each { x => x * 2 }`
    fn named_item(&self) -> Option<Problem> {
        // `x -> x` may be read as two stages.
        let arrow = self.opener().filter(|it| self.begins_block(*it)).map(|it| it + 2);
        let found = arrow.filter(|it| matches!(self.word(*it), "=>" | "->")).unwrap_or(self.found);
        let place = Place { found, ..*self };
        place.named_item_here()
    }

    fn named_item_here(&self) -> Option<Problem> {
        let (name, first, last, body) = match self.word(self.found) {
            "(" | "|" if is_block(self.before()) && self.word(self.found + 3) == "{" => {
                (self.found + 1, self.found, self.found + 2, self.found + 4)
            }
            "|" if self.before() == "{" => {
                (self.found + 1, self.found, self.found + 2, self.found + 3)
            }
            "=>" | "->" if self.begins_block(self.found.checked_sub(2)?) => {
                (self.found - 1, self.found - 1, self.found, self.found + 1)
            }
            _ => return None,
        };
        if !self.is_word(name) || !matches!(self.word(last), ")" | "|" | "=>" | "->") {
            return None;
        }
        let is_outside = is_block(self.word(first - 1));
        let open = if is_outside { last + 1 } else { first - 1 };
        let close = self.closer(open)?;
        let (shown, start) = (self.word(name), open.min(first));
        let span = self.tokens[first].span.to(self.tokens[last].span);
        let fix = self.with_it(name, body, close).map(|inner| {
            let text = format!(" {{ {inner} }}");
            let text = if is_outside { text } else { text.trim_start().to_owned() };
            self.replace(start, close, text)
        });
        Some(
            Problem::error(Code::E101, span, format!("a block has no parameter `{shown}`"))
                .label("parameter of another language")
                .help(format!(
                    "write `it` instead of `{shown}`: it is the value that enters a block"
                ))
                .fixed(fix),
        )
    }

    /// Whether a token is the brace of a block such as `each { .. }`.
    fn begins_block(&self, open: usize) -> bool {
        self.word(open) == "{" && open > 0 && is_block(self.word(open - 1))
    }

    /// `map(x => x * 2)`
    fn lambda(&self) -> Option<Problem> {
        let arrow = self.found;
        let open =
            self.opener().filter(|it| self.word(*it) == "(" && *it > 0 && it + 2 == arrow)?;
        if !matches!(self.word(arrow), "=>" | "->") || !self.is_word(open + 1) {
            return None;
        }
        let word = self.word(open - 1);
        let (_, here) = FOREIGN_BLOCKS.iter().find(|(it, _)| *it == word)?;
        let block = here.strip_suffix(" { .. }")?;
        let (close, name) = (self.closer(open)?, self.word(open + 1));
        let inner = self.with_it(open + 1, arrow + 1, close)?;
        let span = self.tokens[open + 1].span.to(self.tokens[arrow].span);
        let follows = open > 1 && self.word(open - 2) == ">>";
        let fix = self.replace(open - 1, close, format!("{block} {{ {inner} }}"));
        Some(
            Problem::error(Code::E101, span, "unexpected function as an argument")
                .label("functions have names here")
                .help(format!(
                    "write `>> {block} {{ .. }}`, with `it` instead of `{name}`; or declare a flow and pass its name"
                ))
                .fixed(follows.then_some(fix))
                .suggested_if(word == "select"),
        )
    }

    /// The text of some tokens with `it` in place of a name; `None` if a string, another block or a
    /// later stage may mean something else.
    fn with_it(&self, name: usize, start: usize, end: usize) -> Option<String> {
        let named = self.word(name);
        if start >= end || (start..end).any(|it| matches!(self.word(it), "{" | "it")) {
            return None;
        }
        let stage = (start..end).find(|it| self.word(*it) == ">>").unwrap_or(end);
        if (stage..end).any(|it| self.word(it) == named) {
            return None;
        }
        let from = self.tokens[start].span.start;
        let mut text = self.between(start, end).to_owned();
        for idx in (start..end).rev() {
            let is_field = idx > start && matches!(self.word(idx - 1), "." | "?.");
            let is_name = self.word(idx + 1) == ":";
            if self.word(idx) == named && !is_field && !is_name {
                let span = self.tokens[idx].span;
                text.replace_range(span.start - from..span.end - from, "it");
            }
        }
        Some(text)
    }

    /// `list<string>`, `Option<string>`, `string[]`
    fn foreign_list(&self) -> Option<Problem> {
        let name = self.found.checked_sub(1).filter(|it| self.is_word(*it))?;
        let is_type = name > 0 && matches!(self.word(name - 1), ":" | "->" | "=" | "[" | "<");
        let (word, end, text) = match self.word(self.found) {
            "<" => {
                let end = (self.found..self.tokens.len()).find(|it| self.word(*it) == ">")?;
                let inner = self.between(self.found + 1, end);
                let word = self.word(name);
                let text = match word {
                    _ if inner.contains('<') => return None,
                    _ if LISTS.contains(&word) => format!("[{inner}]"),
                    _ if OPTIONS.contains(&word) => format!("{inner}?"),
                    _ => return None,
                };
                (format!("{word}<{inner}>"), end, text)
            }
            "[" if self.word(self.found + 1) == "]" && is_type => {
                let word = self.word(name);
                (format!("{word}[]"), self.found + 1, format!("[{word}]"))
            }
            _ => return None,
        };
        let span = self.tokens[name].span.to(self.tokens[end].span);
        is_type.then(|| foreign_list(span, &word, text))
    }

    /// `a?: int` for a field that may be missing, in a type or in the parameters of a flow.
    pub(super) fn optional_field(&self) -> Option<Problem> {
        let sign = [self.found, self.found + 1].into_iter().find(|it| self.word(*it) == "?")?;
        let name = sign.checked_sub(1).filter(|it| self.is_word(*it))?;
        let first = sign + 2;
        let is_type = |it: &str| {
            TYPES.contains(&it) || it == "[" || it.starts_with(|it: char| it.is_ascii_uppercase())
        };
        if self.word(sign + 1) != ":" || !is_type(self.word(first)) {
            return None;
        }
        let last = if self.word(first) == "[" { self.closer(first)? } else { first };
        let (field, ty) = (self.word(name), self.between(first, last + 1));
        let is_param = self.opener().is_some_and(|it| self.word(it) == "(");
        let (default, help) = if is_param {
            (" = null", "the callers may leave it out")
        } else {
            ("", "a value that may be null, or missing in JSON")
        };
        let text = format!("{field}: {ty}?{default}");
        let span = self.tokens[sign].span;
        Some(
            Problem::error(Code::E101, span, format!("unexpected `?` after `{field}`"))
                .label("the type says what may be missing")
                .help(format!("write `{text}`: {help}"))
                .fix(self.tokens[name].span.to(self.tokens[last].span), text),
        )
    }

    /// `int 0..`, `float ..5`: a range with one end.
    fn open_range(&self) -> Option<Problem> {
        let dots = [self.found, self.found.checked_sub(1)?];
        let dots = dots.into_iter().find(|it| self.word(*it) == "..")?;
        let is_number = |it: usize| {
            self.tokens.get(it).is_some_and(|it| it.kind == TokenKind::Number)
                && self.tokens.get(it).zip(self.tokens.get(dots)).is_some_and(|(it, dots)| {
                    it.span.end == dots.span.start || dots.span.end == it.span.start
                })
        };
        let low = dots.checked_sub(1).filter(|it| is_number(*it));
        let high = Some(dots + 1).filter(|it| is_number(*it));
        let first = low.unwrap_or(dots);
        let ty = first.checked_sub(1).map(|it| self.word(it))?;
        if !matches!(ty, "int" | "float") || low.is_some() == high.is_some() {
            return None;
        }
        let span = self.tokens[first].span.to(self.tokens[high.unwrap_or(dots)].span);
        let form = match (low, high) {
            (Some(low), _) => format!("{ty} {}..1000", self.word(low)),
            (_, Some(high)) => format!("{ty} 0..{}", self.word(high)),
            (None, None) => return None,
        };
        let missing = if low.is_some() { "upper" } else { "lower" };
        Some(
            Problem::error(Code::E101, span, format!("missing {missing} end of a range"))
                .label("a range has two ends")
                .help(format!("write both ends, such as `{form}`, or `{ty}` for any number")),
        )
    }

    /// `type Kind = bug | idea`
    fn bare_choices(&self) -> Option<Problem> {
        let first = self.found.checked_sub(1)?;
        let is_type = first > 0 && matches!(self.word(first - 1), "=" | ":" | "->");
        let is_choice = |it: usize| self.is_word(it) && !is_reserved(self.word(it));
        if self.word(self.found) != "|" || !is_type || !is_choice(first) || self.word(0) == "let" {
            return None;
        }
        let mut last = first;
        while self.word(last + 1) == "|" && is_choice(last + 2) {
            last += 2;
        }
        let all = (first..=last).step_by(2).map(|it| format!("\"{}\"", self.word(it)));
        let text = all.collect::<Vec<_>>().join(" | ");
        let span = self.tokens[first].span.to(self.tokens[last].span);
        Some(
            Problem::error(Code::E101, span, "expected the choices of an enum in quotes")
                .label("choices without quotes")
                .help(format!("write `{}`", super::quoted(&text)))
                .suggest(span, text),
        )
    }

    pub(super) fn is_word(&self, idx: usize) -> bool {
        self.tokens.get(idx).is_some_and(|it| it.kind == TokenKind::Word)
    }
}

/// The problem of the type `int[]` or `list<int>`.
pub(super) fn foreign_list(span: Span, written: &str, meant: String) -> Problem {
    Problem::error(Code::E101, span, format!("unknown type `{written}`"))
        .label("type of another language")
        .help(format!("write `{meant}`"))
        .fix(span, meant)
}

fn is_block(word: &str) -> bool {
    matches!(word, "each" | "where" | "sort" | "group")
}
