//! Text to expression.

use crate::{
    Text,
    error::TableError,
    expr::{Binary, Expr},
};

/// The most levels of nesting.
const DEEPEST: usize = 64;

/// Parses an expression.
///
/// # Errors
///
/// If the text is not an expression: what was found, and at which letter.
pub fn parse(text: &str) -> Result<Expr, TableError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expr = parser.expr(0)?;
    parser.space();
    if parser.at < text.len() { Err(parser.unexpected("an operator")) } else { Ok(expr) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Longer ones first.
const OPERATORS: [(&str, Binary, u8); 18] = [
    ("??", Binary::Else, 1),
    ("||", Binary::Or, 2),
    ("or", Binary::Or, 2),
    ("&&", Binary::And, 3),
    ("and", Binary::And, 3),
    ("==", Binary::Equal, 4),
    ("!=", Binary::Unequal, 4),
    ("<>", Binary::Unequal, 4),
    ("<=", Binary::LessEqual, 4),
    (">=", Binary::GreaterEqual, 4),
    ("<", Binary::Less, 4),
    (">", Binary::Greater, 4),
    ("=", Binary::Equal, 4),
    ("+", Binary::Plus, 5),
    ("-", Binary::Minus, 5),
    ("*", Binary::Times, 6),
    ("/", Binary::Divide, 6),
    ("%", Binary::Rest, 6),
];

fn is_name(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

/// The error of a comparison with `null`, whose result would be null in each row.
fn with_null(op: Binary) -> TableError {
    let help = match op {
        Binary::Unequal => "write `not is_null(x)`",
        _ => "write `is_null(x)`",
    };
    TableError::new("a comparison with null is never true").help(help)
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let Some(after) = self.rest().strip_prefix(token) else { return false };
        let is_word = token.starts_with(char::is_alphabetic);
        if is_word && after.starts_with(is_name) {
            return false;
        }
        self.at += token.len();
        true
    }

    fn unexpected(&mut self, expected: &str) -> TableError {
        self.space();
        let place = self.text[..self.at].chars().count() + 1;
        let found: String = self.rest().chars().take(12).collect();
        let found = if found.is_empty() { "its end".to_owned() } else { format!("`{found}`") };
        let text = self.text;
        let message = format!("expected {expected} at letter {place} of `{text}`, found {found}");
        TableError::new(message).help("write for example `price * qty > 10 and name != \"x\"`")
    }

    fn expr(&mut self, least: u8) -> Result<Expr, TableError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TableError::new(format!("too many levels of nesting (limit {DEEPEST})")));
        }
        let mut left = self.prefix()?;
        while let Some((op, power)) = self.operator(least) {
            let right = self.expr(power + 1)?;
            if op.compares() && (left == Expr::Null || right == Expr::Null) {
                return Err(with_null(op));
            }
            left = Expr::Binary(op, left.into(), right.into());
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&mut self, least: u8) -> Option<(Binary, u8)> {
        let found = OPERATORS.iter().find(|(token, ..)| {
            let before = self.at;
            let is_here = self.eat(token);
            self.at = before;
            is_here
        });
        let (token, op, power) = found.filter(|(_, _, power)| *power >= least)?;
        self.eat(token);
        Some((*op, *power))
    }

    fn prefix(&mut self) -> Result<Expr, TableError> {
        if self.eat("!") {
            return Ok(Expr::Not(self.expr(7)?.into()));
        }
        if self.eat("not") {
            return Ok(Expr::Not(self.expr(4)?.into()));
        }
        if self.eat("-") {
            return Ok(match self.expr(7)? {
                Expr::Int(it) => Expr::Int(-it),
                Expr::Float(it) => Expr::Float(-it),
                other => Expr::Minus(other.into()),
            });
        }
        if self.eat("(") {
            let inner = self.expr(0)?;
            return if self.eat(")") { Ok(inner) } else { Err(self.unexpected("`)`")) };
        }
        self.operand()
    }

    fn operand(&mut self) -> Result<Expr, TableError> {
        self.space();
        let is_field = self.rest().starts_with('.')
            && self.rest()[1..].starts_with(|it: char| is_name(it) && !it.is_ascii_digit());
        if is_field {
            self.at += 1;
            return Ok(Expr::Column(self.name()));
        }
        match self.rest().chars().next() {
            Some('`') => self.quoted('`').map(Expr::Column),
            Some(quote @ ('"' | '\'')) => self.quoted(quote).map(Expr::Text),
            Some('$') => {
                self.at += 1;
                self.money()
            }
            Some(it) if it.is_ascii_digit() || it == '.' => self.number(),
            Some(it) if is_name(it) => self.named(),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn name(&mut self) -> Text {
        let rest = self.rest();
        let end = rest.find(|it| !is_name(it)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].into()
    }

    /// A column, a function with its arguments, or a word with a meaning.
    fn named(&mut self) -> Result<Expr, TableError> {
        let name = self.name();
        match name.as_ref() {
            "true" => return Ok(Expr::Bool(true)),
            "false" => return Ok(Expr::Bool(false)),
            "null" => return Ok(Expr::Null),
            _ => {}
        }
        if !self.rest().starts_with('(') {
            return Ok(Expr::Column(name));
        }
        self.at += 1;
        let mut args = Vec::new();
        if self.eat(")") {
            return Ok(Expr::Call(name, args));
        }
        loop {
            args.push(self.expr(0)?);
            if self.eat(")") {
                return Ok(Expr::Call(name, args));
            }
            if !self.eat(",") {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Text, TableError> {
        let mut text = String::new();
        let mut letters = self.rest().char_indices().skip(1);
        while let Some((at, it)) = letters.next() {
            match it {
                '\\' if quote != '`' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, it)) => text.push(it),
                    None => break,
                },
                _ if it == quote => {
                    self.at += at + it.len_utf8();
                    return Ok(text.into());
                }
                _ => text.push(it),
            }
        }
        Err(self.unexpected("a closing quote"))
    }

    /// The letters of a number.
    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let mut end = 0;
        let bytes = rest.as_bytes();
        while let Some(it) = bytes.get(end) {
            let is_sign =
                matches!(it, b'+' | b'-') && matches!(bytes[end.saturating_sub(1)], b'e' | b'E');
            if !(it.is_ascii_digit()
                || matches!(it, b'.' | b'e' | b'E' | b'_')
                || (end > 0 && is_sign))
            {
                break;
            }
            end += 1;
        }
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self) -> Result<Expr, TableError> {
        let before = self.at;
        let digits = self.digits().replace('_', "");
        if let Ok(it) = digits.parse() {
            return Ok(Expr::Int(it));
        }
        match digits.parse::<f64>() {
            Ok(it) if it.is_finite() => Ok(Expr::Float(it)),
            _ => {
                self.at = before;
                Err(self.unexpected("a number"))
            }
        }
    }

    fn money(&mut self) -> Result<Expr, TableError> {
        let before = self.at;
        let digits = self.digits().to_owned();
        let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
        let nanos = (part.len() <= 9).then(|| format!("{whole}{part:0<9}"));
        match nanos.and_then(|it| it.parse().ok()) {
            Some(nanos) if !digits.is_empty() => Ok(Expr::Money(nanos)),
            _ => {
                self.at = before;
                Err(self.unexpected("an amount"))
            }
        }
    }
}
