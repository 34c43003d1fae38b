//! Expressions over named numbers, with exact derivatives.

use crate::Trouble;

/// The most levels of nesting, and the longest expression.
const DEEPEST: usize = 100;
const LONGEST: usize = 10_000;

/// A parsed expression. Names are places in [`Expression::names`].
#[derive(Clone, Debug)]
pub struct Expression {
    pub names: Vec<String>,
    root: Node,
}

#[derive(Clone, Debug)]
enum Node {
    Number(f64),
    Name(usize),
    Call(Function, Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Divide,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Minus,
    Same,
    Abs,
    Sqrt,
    Exp,
    Ln,
    Log10,
    Log2,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
}

/// All functions by their names; `log` is the natural one, as in R and Python.
const FUNCTIONS: [(&str, Function); 21] = [
    ("I", Function::Same),
    ("abs", Function::Abs),
    ("sqrt", Function::Sqrt),
    ("exp", Function::Exp),
    ("ln", Function::Ln),
    ("log", Function::Ln),
    ("log10", Function::Log10),
    ("log2", Function::Log2),
    ("sin", Function::Sin),
    ("cos", Function::Cos),
    ("tan", Function::Tan),
    ("asin", Function::Asin),
    ("acos", Function::Acos),
    ("atan", Function::Atan),
    ("arcsin", Function::Asin),
    ("arccos", Function::Acos),
    ("arctan", Function::Atan),
    ("sinh", Function::Sinh),
    ("cosh", Function::Cosh),
    ("tanh", Function::Tanh),
    ("neg", Function::Minus),
];

impl Function {
    /// The value and the derivative.
    fn at(self, x: f64) -> (f64, f64) {
        match self {
            Self::Minus => (-x, -1.0),
            Self::Same => (x, 1.0),
            Self::Abs => (x.abs(), x.signum()),
            Self::Sqrt => (x.sqrt(), 0.5 / x.sqrt()),
            Self::Exp => (x.exp(), x.exp()),
            Self::Ln => (x.ln(), 1.0 / x),
            Self::Log10 => (x.log10(), 1.0 / (x * std::f64::consts::LN_10)),
            Self::Log2 => (x.log2(), 1.0 / (x * std::f64::consts::LN_2)),
            Self::Sin => (x.sin(), x.cos()),
            Self::Cos => (x.cos(), -x.sin()),
            Self::Tan => (x.tan(), 1.0 + x.tan() * x.tan()),
            Self::Asin => (x.asin(), 1.0 / (1.0 - x * x).sqrt()),
            Self::Acos => (x.acos(), -1.0 / (1.0 - x * x).sqrt()),
            Self::Atan => (x.atan(), 1.0 / (1.0 + x * x)),
            Self::Sinh => (x.sinh(), x.cosh()),
            Self::Cosh => (x.cosh(), x.sinh()),
            Self::Tanh => (x.tanh(), 1.0 - x.tanh() * x.tanh()),
        }
    }
}

impl Operator {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Plus => a + b,
            Self::Minus => a - b,
            Self::Times => a * b,
            Self::Divide => a / b,
            Self::Power => a.powf(b),
        }
    }

    /// The derivatives by both sides.
    fn slopes(self, a: f64, b: f64) -> (f64, f64) {
        match self {
            Self::Plus => (1.0, 1.0),
            Self::Minus => (1.0, -1.0),
            Self::Times => (b, a),
            Self::Divide => (1.0 / b, -a / (b * b)),
            Self::Power => {
                let by_base = if b == 0.0 { 0.0 } else { b * a.powf(b - 1.0) };
                let by_exponent = if a > 0.0 { a.powf(b) * a.ln() } else { 0.0 };
                (by_base, by_exponent)
            }
        }
    }
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// What was found, and at which letter.
    pub fn parse(text: &str) -> Result<Self, Trouble> {
        let mut parser = Parser::new(text)?;
        let root = parser.sum()?;
        parser.space();
        if parser.at < text.len() {
            return Err(parser.unexpected("an operator"));
        }
        Ok(Self { names: parser.names, root })
    }

    /// The value, with a number for each name.
    pub fn value(&self, numbers: &[f64]) -> f64 {
        self.root.value(numbers)
    }

    /// The value, and the derivative by each name, which is added to `slopes`.
    pub fn slopes(&self, numbers: &[f64], slopes: &mut [f64]) -> f64 {
        self.root.slopes(numbers, 1.0, slopes);
        self.root.value(numbers)
    }

    /// The name, if the expression is one.
    pub fn as_name(&self) -> Option<&str> {
        match self.root {
            Node::Name(it) => Some(&self.names[it]),
            _ => None,
        }
    }
}

impl Node {
    fn value(&self, numbers: &[f64]) -> f64 {
        match self {
            Self::Number(it) => *it,
            Self::Name(it) => numbers[*it],
            Self::Call(function, it) => function.at(it.value(numbers)).0,
            Self::Binary(operator, a, b) => operator.of(a.value(numbers), b.value(numbers)),
        }
    }

    /// Goes down with the derivative of the whole by this node.
    fn slopes(&self, numbers: &[f64], by: f64, slopes: &mut [f64]) {
        match self {
            Self::Number(_) => {}
            Self::Name(it) => slopes[*it] += by,
            Self::Call(function, it) => {
                it.slopes(numbers, by * function.at(it.value(numbers)).1, slopes);
            }
            Self::Binary(operator, a, b) => {
                let (by_a, by_b) = operator.slopes(a.value(numbers), b.value(numbers));
                a.slopes(numbers, by * by_a, slopes);
                b.slopes(numbers, by * by_b, slopes);
            }
        }
    }
}

pub(crate) struct Parser<'a> {
    text: &'a str,
    pub at: usize,
    depth: usize,
    names: Vec<String>,
}

pub(crate) fn is_name(it: char) -> bool {
    it.is_alphanumeric() || it == '_' || it == '.'
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, Trouble> {
        if text.len() > LONGEST {
            return Err(Trouble::new(format!(
                "the expression is too long (limit {LONGEST} bytes)"
            )));
        }
        Ok(Self { text, at: 0, depth: 0, names: Vec::new() })
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a piece of text if it comes next.
    pub(crate) fn take(&mut self, piece: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(piece);
        self.at += if found { piece.len() } else { 0 };
        found
    }

    pub(crate) fn unexpected(&mut self, wanted: &str) -> Trouble {
        self.space();
        let letter = self.text[..self.at].chars().count() + 1;
        let found = match self.rest().chars().next() {
            Some(it) => format!("`{it}`"),
            None => "the end".to_owned(),
        };
        Trouble::new(format!("expected {wanted}, found {found} at letter {letter}"))
    }

    fn sum(&mut self) -> Result<Node, Trouble> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Trouble::new(format!("nested too deeply (limit {DEEPEST})")));
        }
        let mut left = self.product()?;
        loop {
            let operator = match () {
                () if self.take("+") => Operator::Plus,
                () if self.take("-") => Operator::Minus,
                () => break,
            };
            left = Node::Binary(operator, left.into(), self.product()?.into());
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, Trouble> {
        let mut left = self.signed()?;
        loop {
            let operator = match () {
                () if self.take("*") => Operator::Times,
                () if self.take("/") => Operator::Divide,
                () => return Ok(left),
            };
            left = Node::Binary(operator, left.into(), self.signed()?.into());
        }
    }

    fn signed(&mut self) -> Result<Node, Trouble> {
        let mut is_minus = false;
        loop {
            if self.take("-") {
                is_minus = !is_minus;
            } else if !self.take("+") {
                break;
            }
        }
        let power = self.power()?;
        Ok(if is_minus { Node::Call(Function::Minus, power.into()) } else { power })
    }

    fn power(&mut self) -> Result<Node, Trouble> {
        let base = self.primary()?;
        self.after_base(base)
    }

    fn after_base(&mut self, base: Node) -> Result<Node, Trouble> {
        if !self.take("**") && !self.take("^") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Trouble::new(format!("nested too deeply (limit {DEEPEST})")));
        }
        let exponent = self.signed()?;
        self.depth -= 1;
        Ok(Node::Binary(Operator::Power, base.into(), exponent.into()))
    }

    fn primary(&mut self) -> Result<Node, Trouble> {
        if self.take("(") {
            let inner = self.sum()?;
            return if self.take(")") { Ok(inner) } else { Err(self.unexpected("`)`")) };
        }
        if let Some(number) = self.number() {
            return Ok(Node::Number(number));
        }
        let (start, is_quoted) = (self.at, self.rest().starts_with('`'));
        let Some(name) = self.name()? else {
            return Err(self.unexpected("a number or a name"));
        };
        if !is_quoted && self.take("(") {
            let Some((_, function)) = FUNCTIONS.iter().find(|it| it.0 == name) else {
                self.at = start;
                self.space();
                let letter = self.text[..self.at].chars().count() + 1;
                let known: Vec<&str> =
                    FUNCTIONS.iter().map(|it| it.0).filter(|it| *it != "neg").collect();
                return Err(Trouble::new(format!("unknown function `{name}` at letter {letter}"))
                    .help(format!("use one of: {}", known.join(", "))));
            };
            let inner = self.sum()?;
            if !self.take(")") {
                return Err(self.unexpected("`)`"));
            }
            return Ok(Node::Call(*function, inner.into()));
        }
        if !is_quoted && name == "pi" {
            return Ok(Node::Number(std::f64::consts::PI));
        }
        Ok(Node::Name(self.place(name)))
    }

    fn place(&mut self, name: String) -> usize {
        self.names.iter().position(|it| *it == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    pub(crate) fn number(&mut self) -> Option<f64> {
        self.space();
        let rest = self.rest().as_bytes();
        let digits = |from: usize| rest[from..].iter().take_while(|it| it.is_ascii_digit()).count();
        let mut len = digits(0);
        let mut count = len;
        if rest.get(len) == Some(&b'.') {
            let after = digits(len + 1);
            count += after;
            len += 1 + after;
        }
        if count == 0 {
            return None;
        }
        if matches!(rest.get(len), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(len + 1), Some(b'+' | b'-')));
            let exponent = digits(len + 1 + sign);
            len += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        let number = self.rest()[..len].parse().ok()?;
        self.at += len;
        Some(number)
    }

    /// A name, or any text between backticks.
    pub(crate) fn name(&mut self) -> Result<Option<String>, Trouble> {
        self.space();
        if self.take("`") {
            let Some(end) = self.rest().find('`') else {
                self.at = self.text.len();
                return Err(self.unexpected("a closing backtick"));
            };
            let name = self.rest()[..end].to_owned();
            self.at += end + 1;
            return Ok(Some(name));
        }
        let rest = self.rest();
        let len = rest.find(|it| !is_name(it)).unwrap_or(rest.len());
        let starts = rest.chars().next().is_some_and(|it| it.is_alphabetic() || it == '_');
        if !starts {
            return Ok(None);
        }
        self.at += len;
        Ok(Some(rest[..len].to_owned()))
    }

    /// A piece of a formula that is an expression: a name, a call, a power of one of them, or an
    /// expression in parentheses. Returns it with its text.
    pub(crate) fn piece(&mut self) -> Result<(Expression, &'a str), Trouble> {
        self.space();
        let start = self.at;
        self.names.clear();
        let base = self.primary()?;
        let root = self.after_base(base)?;
        let names = std::mem::take(&mut self.names);
        Ok((Expression { names, root }, self.text[start..self.at].trim()))
    }

    /// A whole sum, up to what cannot be part of it.
    pub(crate) fn whole(&mut self) -> Result<Expression, Trouble> {
        self.names.clear();
        let root = self.sum()?;
        Ok(Expression { names: std::mem::take(&mut self.names), root })
    }
}
