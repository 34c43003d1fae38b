//! Literals: numbers with and without units, money, strings.

use pest::iterators::Pair;
use svc_contract::{
    registry::Advice,
    value::{Money, Text, Value, units},
};

use super::Builder;
use crate::{
    diag::{Code, Problem, Span},
    syntax::{
        Rule,
        ast::{Expr, ExprKind, Piece},
    },
};

/// Unknown units that people write, and the units they mean.
const WRONG_UNITS: [(&str, &str); 20] = [
    ("KB", "kB"),
    ("kb", "kB"),
    ("Kb", "kB"),
    ("mb", "MB"),
    ("Mb", "MB"),
    ("gb", "GB"),
    ("Gb", "GB"),
    ("b", "B"),
    ("bytes", "B"),
    ("kib", "KiB"),
    ("mib", "MiB"),
    ("sec", "s"),
    ("secs", "s"),
    ("seconds", "s"),
    ("min", "m"),
    ("mins", "m"),
    ("minutes", "m"),
    ("hr", "h"),
    ("hours", "h"),
    ("days", "d"),
];

/// A part of a string: plain text, an escaped character, a `${..}`.
enum Segment {
    Plain(String),
    Escaped(char),
    Value { expr: Expr, decimals: Option<usize> },
}

impl Builder<'_> {
    pub(super) fn literal(&mut self, pair: Pair<'_, Rule>) -> ExprKind {
        match pair.as_rule() {
            Rule::TRUE => ExprKind::Literal(Value::Bool(true)),
            Rule::FALSE => ExprKind::Literal(Value::Bool(false)),
            Rule::NULL => ExprKind::Literal(Value::Null),
            Rule::money => self.money(&pair),
            Rule::number => self.number(&pair),
            _ => self.string(pair),
        }
    }

    fn money(&mut self, pair: &Pair<'_, Rule>) -> ExprKind {
        match Money::parse(&pair.as_str()[1..]) {
            Some(it) => ExprKind::Literal(Value::Money(it)),
            None => self.wrong_literal(
                self.span(pair),
                format!("`{}` is not an amount of money", pair.as_str()),
                "write dollars with at most nine decimals: `$0.05`",
                None,
            ),
        }
    }

    fn number(&mut self, pair: &Pair<'_, Rule>) -> ExprKind {
        let text = pair.as_str();
        let plain = text.replace('_', "");
        if plain.bytes().all(|it| it.is_ascii_digit()) {
            if let Ok(it) = plain.parse() {
                return ExprKind::Literal(Value::Int(it));
            }
        } else if !plain.contains(|it: char| it.is_ascii_alphabetic() && it != 'e') {
            if let Some(it) = plain.parse::<f64>().ok().filter(|it| it.is_finite()) {
                return ExprKind::Literal(Value::Float(it));
            }
        } else if let Some(it) = units::parse_duration(text) {
            return ExprKind::Literal(Value::Duration(it));
        } else if let Some(it) = units::parse_size(text) {
            return ExprKind::Literal(Value::Size(it));
        }
        self.wrong_number(self.span(pair), text)
    }

    fn wrong_number(&mut self, span: Span, text: &str) -> ExprKind {
        let letters = text.find(|it: char| it.is_ascii_alphabetic()).unwrap_or(text.len());
        let (digits, unit) = text.split_at(letters);
        if unit.is_empty() || text.replace('_', "").parse::<f64>().is_ok() {
            let help =
                "use a whole number up to 9_223_372_036_854_775_807, or a decimal up to 1e308";
            return self.wrong_literal(span, format!("`{text}` is too large"), help, None);
        }
        let message = format!("unknown unit `{unit}`");
        if matches!(unit, "k" | "K") && !digits.contains('.') {
            let help = "write out the thousands, because k could mean 1,000 or 1,024";
            let broken = self.wrong_literal(span, message, help, Some(format!("{digits}_000")));
            self.leave_last_to_author();
            return broken;
        }
        match WRONG_UNITS.iter().find(|(wrong, _)| *wrong == unit) {
            Some((_, right)) => {
                let fix = format!("{digits}{right}");
                self.wrong_literal(span, message, format!("write `{fix}`"), Some(fix))
            }
            None => self.wrong_literal(
                span,
                message,
                "use a duration (ms s m h d), a size (B kB KiB MB MiB GB GiB) or money (`$0.05`)",
                None,
            ),
        }
    }

    fn leave_last_to_author(&mut self) {
        self.problems.pop().into_iter().for_each(|it| self.problems.push(it.suggested()));
    }

    fn wrong_literal(
        &mut self,
        span: Span,
        message: String,
        help: impl Into<Advice>,
        fix: Option<String>,
    ) -> ExprKind {
        let mut problem =
            Problem::error(Code::E105, span, message).label("invalid literal").help(help);
        if let Some(text) = fix {
            problem = problem.fix(span, text);
        }
        self.problems.push(problem);
        ExprKind::Broken
    }

    fn string(&mut self, pair: Pair<'_, Rule>) -> ExprKind {
        let mut pieces = self.pieces(pair);
        match pieces.as_mut_slice() {
            [] => ExprKind::Literal(Value::text("")),
            [Piece::Text(text)] => ExprKind::Literal(Value::Text(text.clone())),
            _ => ExprKind::Text(pieces),
        }
    }

    /// A string that must be constant, without `${..}`.
    pub(super) fn constant_text(&mut self, pair: Pair<'_, Rule>) -> Text {
        let span = self.span(&pair);
        match self.string(pair) {
            ExprKind::Literal(Value::Text(text)) => text,
            _ => {
                let message = "expected a string without `${..}`".to_owned();
                self.wrong_literal(span, message, "write out the string", None);
                "".into()
            }
        }
    }

    fn pieces(&mut self, pair: Pair<'_, Rule>) -> Vec<Piece> {
        let string = pair.into_inner().next().expect("a string is of one kind");
        match string.as_rule() {
            Rule::raw => plain_piece(&string.as_str()[1..string.as_str().len() - 1]),
            Rule::long_raw => {
                let inner = &string.as_str()[3..string.as_str().len() - 3];
                joined(without_indentation(vec![Segment::Plain(inner.to_owned())]))
            }
            Rule::long_text => {
                let segments = self.segments(string);
                joined(without_indentation(segments))
            }
            _ => joined(self.segments(string)),
        }
    }

    fn segments(&mut self, string: Pair<'_, Rule>) -> Vec<Segment> {
        string.into_inner().map(|it| self.segment(it)).collect()
    }

    fn segment(&mut self, pair: Pair<'_, Rule>) -> Segment {
        match pair.as_rule() {
            Rule::escape => Segment::Escaped(self.escape(&pair)),
            Rule::interpolation => {
                let mut inner = pair.into_inner();
                let expr = self.inner(inner.next().expect("an interpolation has a value"));
                let decimals = inner.next().and_then(|it| it.as_str()[2..].parse().ok());
                Segment::Value { expr, decimals: decimals.map(|it: usize| it.min(30)) }
            }
            _ => Segment::Plain(pair.as_str().to_owned()),
        }
    }

    fn escape(&mut self, pair: &Pair<'_, Rule>) -> char {
        let text = &pair.as_str()[1..];
        let known = match text {
            "n" => Some('\n'),
            "t" => Some('\t'),
            "r" => Some('\r'),
            "\"" => Some('"'),
            "\\" => Some('\\'),
            "$" => Some('$'),
            _ => text
                .strip_prefix("u{")
                .and_then(|it| u32::from_str_radix(it.trim_end_matches('}'), 16).ok())
                .and_then(char::from_u32),
        };
        known.unwrap_or_else(|| {
            let message = format!("unknown escape `\\{text}`");
            let help = "use \\n \\t \\r \\\" \\\\ \\$ \\u{..}, or '..' for text without escapes";
            // A backslash that escapes nothing is meant literally, as in `\d`.
            let fix = Some(format!("\\\\{text}")).filter(|_| !text.starts_with('u'));
            self.wrong_literal(self.span(pair), message, help, fix);
            char::REPLACEMENT_CHARACTER
        })
    }
}

fn plain_piece(text: &str) -> Vec<Piece> {
    if text.is_empty() { Vec::new() } else { vec![Piece::Text(text.into())] }
}

fn joined(segments: Vec<Segment>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    for segment in segments {
        match segment {
            Segment::Plain(it) => text.push_str(&it),
            Segment::Escaped(it) => text.push(it),
            Segment::Value { expr, decimals } => {
                pieces.extend(plain_piece(&std::mem::take(&mut text)));
                pieces.push(Piece::Value { expr, decimals });
            }
        }
    }
    pieces.extend(plain_piece(&text));
    pieces
}

/// Removes the first line if it is empty, the line of the closing quotes, and the
/// indentation that all lines share.
fn without_indentation(segments: Vec<Segment>) -> Vec<Segment> {
    let mut lines = lines(segments);
    if lines.len() > 1 && is_blank(&lines[0]) {
        lines.remove(0);
    }
    if lines.len() > 1 && lines.last().is_some_and(|it| is_blank(it)) {
        lines.pop();
    }
    let common = lines.iter().filter(|it| !is_blank(it)).map(|it| indentation(it)).min();
    let mut joined = Vec::new();
    for (idx, mut line) in lines.into_iter().enumerate() {
        if idx > 0 {
            joined.push(Segment::Plain("\n".to_owned()));
        }
        if let Some(Segment::Plain(first)) = line.first_mut() {
            let strip = common.unwrap_or(0).min(blanks(first));
            first.drain(..strip);
        }
        joined.extend(line);
    }
    joined
}

fn lines(segments: Vec<Segment>) -> Vec<Vec<Segment>> {
    let mut lines = vec![Vec::new()];
    for segment in segments {
        let Segment::Plain(text) = segment else {
            lines.last_mut().expect("there is a line").push(segment);
            continue;
        };
        for (idx, part) in text.split('\n').enumerate() {
            if idx > 0 {
                lines.push(Vec::new());
            }
            let part = part.strip_suffix('\r').unwrap_or(part);
            lines.last_mut().expect("there is a line").push(Segment::Plain(part.to_owned()));
        }
    }
    lines
}

fn is_blank(line: &[Segment]) -> bool {
    line.iter().all(|it| matches!(it, Segment::Plain(text) if text.trim().is_empty()))
}

fn indentation(line: &[Segment]) -> usize {
    match line.first() {
        Some(Segment::Plain(text)) => blanks(text),
        _ => 0,
    }
}

/// The number of spaces and tabs at the start of a text; other blanks belong to the text.
fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}
