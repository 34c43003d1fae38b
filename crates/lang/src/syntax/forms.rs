//! Explains forms that lack a part: declarations, type arguments, code, forms inside a value.

use super::{
    token::TokenKind,
    unexpected::{Place, is_reserved},
};
use crate::diag::{Code, Fix, Problem, Span};

/// Forms that a pipeline may begin with, but that a value contains only in parentheses.
const HEADS: [&str; 4] = ["if", "match", "parallel", "race"];

impl Place<'_> {
    /// The problem of a form that lacks a part, if the place is in one.
    pub(super) fn form(&self) -> Option<Problem> {
        self.optional_field()
            .or_else(|| self.declaration())
            .or_else(|| self.foreign_form())
            .or_else(|| self.bare_type_argument())
            .or_else(|| self.bare_code())
            .or_else(|| self.form_in_a_value())
            .or_else(|| self.unknown_block())
    }

    /// A declaration at or around the place that lacks a part.
    fn declaration(&self) -> Option<Problem> {
        let first = (0..=self.found).rev().find(|it| self.declares(*it))?;
        let name = first + 1;
        let keyword = self.word(first);
        let begins = self.word(name).chars().next()?;
        if keyword != "type" && begins.is_ascii_uppercase() {
            return Some(self.wrong_case(first, begins.to_ascii_lowercase()));
        }
        if keyword == "type" && begins.is_ascii_lowercase() {
            return Some(self.wrong_case(first, begins.to_ascii_uppercase()));
        }
        match keyword {
            "param" => self.param(name),
            "let" => self.bind(name),
            "type" => self.typedef(name),
            _ => self.flow(name),
        }
    }

    fn declares(&self, idx: usize) -> bool {
        let is_inside = idx > 0 && matches!(self.word(idx - 1), "." | "?." | "(" | "," | ":");
        matches!(self.word(idx), "param" | "let" | "type" | "flow")
            && !is_inside
            && self.is_word(idx + 1)
            && !is_reserved(self.word(idx + 1))
    }

    /// `let X = 5`, `type note = ..`
    fn wrong_case(&self, first: usize, letter: char) -> Problem {
        let (keyword, name) = (self.word(first), self.word(first + 1));
        let renamed = format!("{letter}{}", &name[1..]);
        let (case, what) = match keyword {
            "type" => ("an upper-case", "a type"),
            "flow" => ("a lower-case", "a flow"),
            _ => ("a lower-case", "a value"),
        };
        let message = format!("expected {case} letter to begin the name of {what}, found `{name}`");
        Problem::error(Code::E101, self.tokens[first + 1].span, message)
            .label(format!("not a name of {what}"))
            .help(format!("write `{keyword} {renamed} ..`, and the same where it is used"))
            .suggest(self.tokens[first + 1].span, renamed)
    }

    /// `param who string`, `param n = 5`
    fn param(&self, name: usize) -> Option<Problem> {
        let (shown, next) = (self.word(name), name + 1);
        match self.word(next) {
            ":" => None,
            "" => Some(self.missing_type(name, "param", &format!("param {shown}: string"))),
            "=" => {
                let ty = self.type_of_literal(next + 1);
                let value = ty.map_or("..", |_| self.word(next + 1));
                let form = format!("param {shown}: {} = {value}", ty.unwrap_or("type"));
                let problem = self.missing_type(name, "param", &form);
                Some(problem.fixed(ty.map(|ty| self.insert_after(name, format!(": {ty}")))))
            }
            _ => Some(self.missing_colon(name, &format!("param {shown}: {}", self.word(next)))),
        }
    }

    /// `let x 5`, `let x int = 5`
    fn bind(&self, name: usize) -> Option<Problem> {
        let (shown, next) = (self.word(name), name + 1);
        match self.word(next) {
            "=" | ":" => None,
            _ if shown == "mut" && self.is_word(next) => {
                let mut_ = self.tokens[name].span;
                let problem = Problem::error(Code::E101, mut_, "unexpected `mut`")
                    .label("a `let` never changes")
                    .help(format!("write `let {} = ..`", self.word(next)));
                let span = Span::new(mut_.start, self.tokens[next].span.start);
                Some(problem.fix(span, ""))
            }
            "" => {
                let message = format!("expected `=` and a value after `{shown}`");
                let problem = Problem::error(Code::E101, self.tokens[name].span.after(), message)
                    .label("missing value");
                Some(problem.help(format!("write `let {shown} = ..`")))
            }
            _ if self.is_word(next) && self.word(next + 1) == "=" => {
                Some(self.missing_colon(name, &format!("let {shown}: {} = ..", self.word(next))))
            }
            found => Some(
                self.expected_after("`=`", name, next)
                    .help(format!("write `let {shown} = {found}`"))
                    .fixed(Some(self.insert_after(name, " =".to_owned()))),
            ),
        }
    }

    /// `type A { n: int }`, `type Count<K> = ..`
    fn typedef(&self, name: usize) -> Option<Problem> {
        let (shown, next) = (self.word(name), name + 1);
        match self.word(next) {
            "=" => None,
            "<" => Some(
                Problem::error(
                    Code::E101,
                    self.tokens[next].span,
                    format!("the type `{shown}` cannot have type parameters"),
                )
                .label("only flows have type parameters")
                .help(format!(
                    "declare a type for each use, such as `type {shown} = {{ key: string }}`, or \
                     write the record in the signature of a flow: `flow f<K>(of: {{ key: K }}) -> K`"
                )),
            ),
            "" => {
                let message = format!("expected `=` and a type after `{shown}`");
                Some(
                    Problem::error(Code::E101, self.tokens[name].span.after(), message)
                        .label("missing type")
                        .help(format!("write `type {shown} = {{ title: string }}`")),
                )
            }
            ":" => Some(
                self.expected_after("`=`", name, next)
                    .help(format!("write `type {shown} = ..`"))
                    .fix(self.tokens[next].span, " ="),
            ),
            _ => Some(
                self.expected_after("`=`", name, next)
                    .help(format!("write `type {shown} = ..`"))
                    .fixed(Some(self.insert_after(name, " =".to_owned()))),
            ),
        }
    }

    /// `flow f(a int) -> int { .. }`, `flow f(a: int) { .. }`
    fn flow(&self, name: usize) -> Option<Problem> {
        let mut open = name + 1;
        if self.word(open) == "<" {
            open = (open..self.tokens.len()).find(|it| self.word(*it) == ">")? + 1;
        }
        if self.word(open) != "(" {
            let shown = self.word(name);
            let form = format!("flow {shown}() -> type {{ .. }}");
            let problem = match self.tokens.get(open) {
                Some(_) => self.expected_after("`(`", open - 1, open),
                None => {
                    let end = self.tokens[open - 1].span.after();
                    let message = format!("expected `(` after `{shown}`");
                    Problem::error(Code::E101, end, message).label("missing parameters")
                }
            };
            let has_type = self.word(open) == "->";
            let fix = has_type.then(|| self.insert_after(open - 1, "()".to_owned()));
            return Some(problem.help(format!("write `{form}`")).fixed(fix));
        }
        let close = self.closer(open)?;
        self.flow_params(open, close).or_else(|| self.flow_result(name, close))
    }

    /// The first parameter of a flow without `:`; its fix adds that to all that have a type.
    fn flow_params(&self, open: usize, close: usize) -> Option<Problem> {
        let commas = self.level(open, close).into_iter().filter(|it| self.word(*it) == ",");
        let starts = std::iter::once(open).chain(commas).map(|it| it + 1);
        let is_bare = |it: &usize| self.is_word(*it) && self.word(*it + 1) != ":";
        let bare: Vec<usize> = starts.filter(|it| *it < close).filter(is_bare).collect();
        let first = *bare.first()?;
        if let Some(reserved) = bare.iter().find(|it| is_reserved(self.word(**it))) {
            return Some(self.reserved(*reserved));
        }
        let ends = |it: usize| it + 1 == close || matches!(self.word(it + 1), "," | "=");
        let shown = self.word(first);
        if ends(first) {
            let ty = self.type_of_literal(first + 2).filter(|_| self.word(first + 1) == "=");
            let form = format!("{shown}: {}", ty.unwrap_or("string"));
            let problem = self.missing_type(first, "parameter", &form);
            return Some(problem.fixed(ty.map(|ty| self.insert_after(first, format!(": {ty}")))));
        }
        let problem = self.missing_colon(first, &format!("{shown}: {}", self.word(first + 1)));
        let others = bare.into_iter().skip(1).filter(|it| !ends(*it));
        Some(others.fold(problem, |problem, it| {
            problem.fixed(Some(self.insert_after(it, ":".to_owned())))
        }))
    }

    fn flow_result(&self, name: usize, close: usize) -> Option<Problem> {
        let (shown, next) = (self.word(name), close + 1);
        let help = format!("write `flow {shown}(..) -> type {{ .. }}`");
        let at = self.tokens.get(next)?.span;
        match self.word(next) {
            found @ (":" | "=>") => {
                let message =
                    format!("expected `->` before the type of the result, found `{found}`");
                Some(
                    Problem::error(Code::E101, at, message)
                        .label("expected `->`")
                        .help(help)
                        .fix(Span::new(self.tokens[close].span.end, at.end), " ->"),
                )
            }
            "=" if self.word(next + 1) == ">" => None,
            found @ ("{" | "within" | "=") => {
                let message = format!(
                    "expected `->` and the type of the result of `{shown}`, found `{found}`"
                );
                Some(Problem::error(Code::E101, at, message).label("missing type").help(help))
            }
            _ => None,
        }
    }

    /// `parse_json<int>` without `()`
    fn bare_type_argument(&self) -> Option<Problem> {
        // It may have been read as an operator.
        let is_before = self.before() == ">";
        let close = if is_before { self.found - 1 } else { self.found };
        if self.word(close) != ">" {
            return None;
        }
        let open = self.angle_before(close)?;
        let touches = |a: usize, b: usize| self.tokens[a].span.end == self.tokens[b].span.start;
        let name = open.checked_sub(1).filter(|it| self.is_word(*it))?;
        let is_one = !is_reserved(self.word(name))
            && touches(name, open)
            && touches(open, open + 1)
            && touches(close - 1, close);
        let ends = matches!(
            self.word(close + 1),
            "" | ">>" | ")" | "}" | "]" | "," | "within" | "fallback"
        );
        if !is_one || !ends {
            return None;
        }
        let call = super::quoted(self.between(name, close + 1));
        let span = self.tokens[name].span.to(self.tokens[close].span);
        Some(
            Problem::error(Code::E101, span, format!("expected `()` after `{call}`"))
                .label("a call without `()`")
                .help(format!(
                    "write `{call}()`: the `()` may only be omitted after the name of a declared type"
                ))
                .fixed(Some(self.insert_after(close, "()".to_owned()))),
        )
    }

    /// The `<` of a type that ends with this `>`.
    fn angle_before(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for idx in (0..close).rev() {
            match self.word(idx) {
                ">" => depth += 1,
                "<" if depth == 0 => return Some(idx),
                "<" => depth -= 1,
                ">>" | "=" | "==" | "(" | ")" => return None,
                _ => {}
            }
        }
        None
    }

    /// `rhai { .. }` without its types
    fn bare_code(&self) -> Option<Problem> {
        let word = (0..=self.found).rev().find(|it| self.word(*it) == "rhai")?;
        let (expected, found) = match self.word(word + 1) {
            "(" => ("`->` and the type of the result", self.closer(word + 1)? + 1),
            _ => ("`(` and the parameters", word + 1),
        };
        if !self.word(found).starts_with('{') {
            return None;
        }
        let start = self.tokens[found].span.start;
        let brace = Span::new(start, start + 1);
        Some(
            Problem::error(Code::E101, brace, format!("expected {expected}, found `{{`"))
                .label("the code begins here")
                .also(self.tokens[word].span, "this code")
                .help("write `rhai(x: int) -> int { .. }`: code has a type for its input and for its result"),
        )
    }

    /// `1 + if a { b } else { c }`
    fn form_in_a_value(&self) -> Option<Problem> {
        let word = self.word(self.found);
        if !HEADS.contains(&word) || !self.begins_a_value() {
            return None;
        }
        let message = format!("expected a value, found `{word}`");
        let problem = Problem::error(Code::E101, self.tokens[self.found].span, message)
            .label(format!("`{word}` is a stage, not a value"))
            .help(format!("put it in parentheses, `({word} ..)`, or name it before with a `let`"));
        let end = self.form_end(self.found);
        Some(problem.fixed(end.map(|end| self.in_parentheses(self.found, end))))
    }

    /// Whether an operand is expected here, and not a pipeline.
    fn begins_a_value(&self) -> bool {
        const OPERATORS: [&str; 15] =
            ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "??", "and", "or", "not"];
        OPERATORS.contains(&self.before())
    }

    /// The token after `if a { .. } else { .. }` and the like, unless more of it follows.
    fn form_end(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            let open = (at..self.tokens.len()).find(|it| self.word(*it) == "{")?;
            at = self.closer(open)? + 1;
            if self.word(start) != "if" || self.word(at) != "else" {
                break;
            }
        }
        (!matches!(self.word(at), "within" | "fallback" | ">>")).then_some(at)
    }

    /// `xs >> maap { it }`
    fn unknown_block(&self) -> Option<Problem> {
        let open = self.opener().filter(|it| self.word(*it) == "{")?;
        let owner = open.checked_sub(1).filter(|it| self.is_word(*it))?;
        let word = self.word(owner);
        let is_stage = owner > 0 && self.word(owner - 1) == ">>";
        if !is_stage || is_reserved(word) || open + 1 != self.found {
            return None;
        }
        Some(
            Problem::error(
                Code::E101,
                self.tokens[owner].span,
                format!("`{word}` is not a block, but `{{` follows it"),
            )
            .label("cannot have a `{ .. }`")
            .also(self.tokens[open].span, "unexpected `{`")
            .help(format!(
                "write arguments in `( )`, as in `{word}(name: value)`; the blocks of items are \
                 `each`, `where`, `sort` and `group`"
            )),
        )
    }

    fn missing_type(&self, name: usize, what: &str, form: &str) -> Problem {
        let message = format!("missing type of the {what} `{}`", self.word(name));
        Problem::error(Code::E101, self.tokens[name].span, message)
            .label("has no type")
            .help(format!("write `{form}`"))
    }

    fn missing_colon(&self, name: usize, form: &str) -> Problem {
        self.expected_after("`:`", name, name + 1)
            .help(format!("write `{}`", super::quoted(form)))
            .fixed(Some(self.insert_after(name, ":".to_owned())))
    }

    fn expected_after(&self, expected: &str, before: usize, found: usize) -> Problem {
        let shown = super::quoted(self.word(found));
        let message = format!("expected {expected} after `{}`, found `{shown}`", self.word(before));
        Problem::error(Code::E101, self.tokens[found].span, message)
            .label(format!("expected {expected} before this"))
    }

    /// The type of a literal at a token.
    fn type_of_literal(&self, idx: usize) -> Option<&'static str> {
        let token = self.tokens.get(idx)?;
        let word = self.word(idx);
        let is_alone = matches!(self.word(idx + 1), "" | "," | ")");
        match token.kind {
            _ if !is_alone => None,
            TokenKind::Text => Some("string"),
            TokenKind::Money => Some("money"),
            TokenKind::Number if word.parse::<i64>().is_ok() => Some("int"),
            TokenKind::Number if word.parse::<f64>().is_ok() => Some("float"),
            TokenKind::Word if matches!(word, "true" | "false") => Some("bool"),
            _ => None,
        }
    }

    fn in_parentheses(&self, start: usize, end: usize) -> Fix {
        self.replace(start, end - 1, format!("({})", self.between(start, end)))
    }

    fn insert_after(&self, idx: usize, text: String) -> Fix {
        let at = self.tokens[idx].span.end;
        Fix { span: Span::new(at, at), text }
    }
}
