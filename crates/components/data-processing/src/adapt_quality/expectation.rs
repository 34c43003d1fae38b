//! A rule of what is expected of a table, as it is written.

use std::{cmp::Ordering, fmt};

use regex::Regex;
use svc_columns::{Other as _, expr};
use svc_contract::{
    registry::{OpError, nearest},
    value::{Date, List, Text, Timestamp, Value},
};

/// The tests of a column, for messages.
const TESTS: [&str; 11] = [
    "not_null", "unique", "in", "not_in", "between", "matches", "type", "length", "mean", "sum",
    "distinct",
];

/// The field next to them.
const SHARE: &str = "share";

/// The largest regular expression when it is compiled, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

/// A rule.
pub(super) struct Expectation {
    pub column: Option<Text>,
    pub test: Test,
    /// The share of the rows that must keep it.
    pub share: f64,
    /// The test as it is written, for messages.
    written: String,
}

/// What is tested.
pub(super) enum Test {
    NotNull,
    Unique,
    In(List),
    NotIn(List),
    Between(Range),
    Matches(Regex),
    Type(KindOf),
    Length(Range),
    Mean(Range),
    Sum(Range),
    Distinct(Range),
    Row(expr::Expr),
}

/// From a value to another one; null is an open end.
pub(super) struct Range {
    low: Value,
    high: Value,
}

impl Range {
    fn read(name: &str, value: &Value) -> Result<Self, OpError> {
        let ends: Option<[Value; 2]> =
            value.as_list().and_then(|it| it.iter().cloned().collect::<Vec<_>>().try_into().ok());
        let Some([low, high]) = ends else {
            let message = format!("expected two values for `{name}`, found {}", shown(value));
            return Err(OpError::invalid_input(message)
                .help(format!("write `{name}: [0, 100]`; null is an open end")));
        };
        // Null comes before everything else in an order, and is an open end here.
        if !high.is_null() && low.order(&high) == Some(Ordering::Greater) {
            let message = format!("`{name}` goes from {low} down to {high}");
            return Err(OpError::invalid_input(message).help("write the smaller value first"));
        }
        Ok(Self { low, high })
    }

    /// Whether a value is inside; one that cannot be compared is not.
    pub(super) fn holds(&self, value: &Value) -> bool {
        let is = |it: Option<Ordering>, not: Ordering| it.is_some_and(|it| it != not);
        (self.low.is_null() || is(order(value, &self.low), Ordering::Less))
            && (self.high.is_null() || is(order(value, &self.high), Ordering::Greater))
    }
}

/// The order of a value and one of a rule. JSON has dates, times, money and durations as texts: such
/// a text is compared with a value of that kind.
fn order(value: &Value, rule: &Value) -> Option<Ordering> {
    value.order(rule).or_else(|| match (value, rule) {
        (Value::Text(it), like) => Value::read(it, like)?.order(like),
        (like, Value::Text(it)) => like.order(&Value::read(it, like)?),
        _ => None,
    })
}

/// Whether a value is one of a rule's.
pub(super) fn is_one_of(value: &Value, all: &List) -> bool {
    all.iter().any(|it| it == value || order(value, it) == Some(Ordering::Equal))
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low.is_null(), self.high.is_null()) {
            (true, true) => f.write_str("any value"),
            (false, true) => write!(f, "at least {}", self.low),
            (true, false) => write!(f, "at most {}", self.high),
            (false, false) => write!(f, "between {} and {}", self.low, self.high),
        }
    }
}

/// The kind of a value, also of a text that is written as one.
#[derive(Clone, Copy)]
pub(super) enum KindOf {
    Int,
    Float,
    Number,
    String,
    Bool,
    Date,
    Time,
}

impl KindOf {
    const ALL: [(&'static str, Self); 7] = [
        ("int", Self::Int),
        ("float", Self::Float),
        ("number", Self::Number),
        ("string", Self::String),
        ("bool", Self::Bool),
        ("date", Self::Date),
        ("time", Self::Time),
    ];

    fn read(value: &Value) -> Result<Self, OpError> {
        let name = value.as_str().unwrap_or_default();
        Self::ALL.iter().find(|it| it.0 == name).map(|it| it.1).ok_or_else(|| {
            let all = Self::ALL.map(|it| format!("`{}`", it.0)).join(", ");
            OpError::invalid_input(format!("unknown `type` {}", shown(value)))
                .help(format!("use one of {all}"))
        })
    }

    pub(super) fn is(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Int | Self::Number | Self::Float, Value::Int(_))
            | (Self::Float | Self::Number, Value::Float(_))
            | (Self::String, Value::Text(_) | Value::Path(_))
            | (Self::Bool, Value::Bool(_))
            | (Self::Date, Value::Date(_))
            | (Self::Time, Value::Time(_)) => true,
            (Self::Date, Value::Text(it)) => it.len() == 10 && it.parse::<Date>().is_ok(),
            (Self::Time, Value::Text(it)) => it.parse::<Timestamp>().is_ok(),
            _ => false,
        }
    }
}

impl Expectation {
    /// The rules of a column: `{ unique: true, between: [0, 120], share: 0.99 }`.
    pub(super) fn of_column(column: &Text, value: &Value) -> Result<Vec<Self>, OpError> {
        let Value::Record(rules) = value else {
            let message = format!("expected a record of tests, found {}", shown(value));
            return Err(OpError::invalid_input(message)
                .help(format!("write `{column}: {{ not_null: true }}`")));
        };
        let share = share(rules.get(SHARE).filter(|it| !it.is_null()))?;
        let mut found = Vec::new();
        for (name, of) in rules.iter().filter(|it| it.0.as_ref() != SHARE && !it.1.is_null()) {
            if !TESTS.contains(&name.as_ref()) {
                let failed = OpError::invalid_input(format!("unknown test `{name}`"));
                return Err(match nearest(name, TESTS.into_iter().chain([SHARE])) {
                    Some(near) => failed.help(format!("did you mean `{near}`?")),
                    None => failed.help(format!("the tests are {}", TESTS.join(", "))),
                });
            }
            let (column, test) = (Some(column.clone()), test(name, of)?);
            found.push(Self { column, test, share, written: written(name, of) });
        }
        if found.is_empty() {
            return Err(OpError::invalid_input("missing test")
                .help(format!("add one of {}", TESTS.join(", "))));
        }
        Ok(found)
    }

    /// A condition over each row.
    pub(super) fn of_row(condition: &Text) -> Result<Self, OpError> {
        let parsed = expr::parse(condition).map_err(|err| {
            let failed = OpError::invalid_input(err.message);
            match err.help {
                Some(help) => failed.help(help),
                None => failed,
            }
        })?;
        let (column, written) = (None, condition.to_string());
        Ok(Self { column, test: Test::Row(parsed), share: 1.0, written })
    }
}

fn share(given: Option<&Value>) -> Result<f64, OpError> {
    let share = match given {
        None => Some(1.0),
        Some(Value::Int(it)) => i32::try_from(*it).ok().map(f64::from),
        Some(Value::Float(it)) => Some(*it),
        Some(_) => None,
    };
    share.filter(|it| (0.0..=1.0).contains(it)).ok_or_else(|| {
        let found = given.map(shown).unwrap_or_default();
        OpError::invalid_input(format!("expected a number from 0 to 1 for `share`, found {found}"))
    })
}

fn test(name: &str, of: &Value) -> Result<Test, OpError> {
    let is_true = |test: Test| match of {
        Value::Bool(true) => Ok(test),
        other => {
            let message = format!("expected true for `{name}`, found {}", shown(other));
            Err(OpError::invalid_input(message).help("remove a rule that does not apply"))
        }
    };
    let list = || {
        of.as_list().cloned().ok_or_else(|| {
            let message = format!("expected a list for `{name}`, found {}", shown(of));
            OpError::invalid_input(message)
        })
    };
    Ok(match name {
        "not_null" => is_true(Test::NotNull)?,
        "unique" => is_true(Test::Unique)?,
        "in" => Test::In(list()?),
        "not_in" => Test::NotIn(list()?),
        "between" => Test::Between(Range::read(name, of)?),
        "matches" => Test::Matches(pattern(of)?),
        "type" => Test::Type(KindOf::read(of)?),
        "length" => Test::Length(Range::read(name, of)?),
        "mean" => Test::Mean(Range::read(name, of)?),
        "sum" => Test::Sum(Range::read(name, of)?),
        _ => Test::Distinct(Range::read(name, of)?),
    })
}

fn pattern(of: &Value) -> Result<Regex, OpError> {
    let text = of.as_str().ok_or_else(|| {
        OpError::invalid_input(format!("expected a string for `matches`, found {}", shown(of)))
    })?;
    let built = regex::RegexBuilder::new(text).size_limit(LARGEST_PATTERN).build();
    built.map_err(|err| {
        let why = err.to_string();
        let last = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
        OpError::invalid_input(format!("invalid regular expression `{text}`: {last}"))
    })
}

/// A test in words.
fn written(name: &str, of: &Value) -> String {
    let range = || Range::read(name, of).map_or_else(|_| shown(of), |it| it.to_string());
    match name {
        "not_null" => "is not null".to_owned(),
        "unique" => "is unique".to_owned(),
        "in" => format!("in {}", shown(of)),
        "not_in" => format!("not in {}", shown(of)),
        "between" => range(),
        "length" | "mean" | "sum" | "distinct" => format!("{name} {}", range()),
        _ => format!("{name} {}", shown(of)),
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = &self.column {
            write!(f, "{column} ")?;
        }
        f.write_str(&self.written)?;
        if self.share < 1.0 {
            write!(f, ", in {} % of the rows", (self.share * 1e4).round() / 1e2)?;
        }
        Ok(())
    }
}

/// The beginning of a value, for a message.
fn shown(value: &Value) -> String {
    const SHOWN: usize = 60;
    let text = match value {
        Value::Text(it) => format!("`{it}`"),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
