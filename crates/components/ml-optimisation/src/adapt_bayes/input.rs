//! Reads data and priors, which are JSON, and says what is wrong with them and where.

use svc_contract::{
    registry::OpError,
    value::{Record, Text, Value},
};

/// The largest number: squares of it, and sums of them, are finite.
const LARGEST: f64 = 1e100;

/// The most numbers in a list.
pub(super) const MOST_VALUES: usize = 1_000_000;

pub(super) fn invalid(message: impl Into<String>) -> OpError {
    OpError::invalid_input(message.into())
}

fn expected(what: &str, place: &str, found: &Value) -> OpError {
    invalid(format!("expected {what} for `{place}`, found {}", found.kind()))
}

/// An object with its place, such as `data.a`.
#[derive(Clone, Copy)]
pub(super) struct Object<'a> {
    record: &'a Record,
    pub place: &'a str,
}

impl<'a> Object<'a> {
    /// The object at a place; it has no other fields than `known`, of which an empty list allows all.
    pub(super) fn new(value: &'a Value, place: &'a str, known: &[&str]) -> Result<Self, OpError> {
        let record = value.as_record().ok_or_else(|| expected("an object", place, value))?;
        let unknown = record.iter().map(|it| it.0.as_ref()).find(|it| !known.contains(it));
        if let Some(unknown) = unknown.filter(|_| !known.is_empty()) {
            let shown: String = unknown.chars().take(40).collect();
            let message = format!("unknown field `{shown}` in `{place}`");
            return Err(invalid(message).help(format!("use {}", listed(known))));
        }
        Ok(Self { record, place })
    }

    /// A field that is there and not null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.record.get(name).filter(|it| !it.is_null())
    }

    pub(super) fn need(&self, name: &str) -> Result<&'a Value, OpError> {
        let missing = || invalid(format!("missing field `{name}` in `{}`", self.place));
        self.get(name).ok_or_else(missing)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a Text, &'a Value)> {
        self.record.iter()
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, OpError> {
        self.get(name).map(|it| number(it, &format!("{}.{name}", self.place))).transpose()
    }

    /// A number above 0 from `least`.
    pub(super) fn positive(&self, name: &str, least: f64) -> Result<Option<f64>, OpError> {
        let found = self.number(name)?;
        match found {
            Some(it) if !(least..=1e12).contains(&it) => {
                let place = self.place;
                Err(invalid(format!("expected {least}..1e12 for `{place}.{name}`, found {it}")))
            }
            _ => Ok(found),
        }
    }

    /// A whole number from 0.
    pub(super) fn count(&self, name: &str) -> Result<f64, OpError> {
        count(self.need(name)?, &format!("{}.{name}", self.place))
    }

    /// A list of numbers.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<f64>, OpError> {
        numbers(self.need(name)?, &format!("{}.{name}", self.place))
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
pub(super) fn number(value: &Value, place: &str) -> Result<f64, OpError> {
    let found = match value {
        Value::Float(it) => *it,
        Value::Int(it) => *it as f64,
        other => return Err(expected("a number", place, other)),
    };
    if found.abs() <= LARGEST {
        return Ok(found);
    }
    Err(invalid(format!("expected a number of at most {LARGEST:e} for `{place}`, found {found}")))
}

fn count(value: &Value, place: &str) -> Result<f64, OpError> {
    let found = number(value, place)?;
    if found < 0.0 || found.fract() != 0.0 || found > 1e12 {
        let message =
            format!("expected a whole number from 0 to 1e12 for `{place}`, found {found}");
        return Err(invalid(message));
    }
    Ok(found)
}

pub(super) fn list<'a>(value: &'a Value, place: &str) -> Result<&'a [Value], OpError> {
    let items = value.as_list().ok_or_else(|| expected("a list", place, value))?;
    if items.len() > MOST_VALUES {
        let message = format!("too many values in `{place}` (limit {MOST_VALUES})");
        return Err(invalid(message).help("summarise them first"));
    }
    Ok(items.iter().as_slice())
}

/// A list of numbers, in order: sums over them do not depend on the order in which they came.
pub(super) fn numbers(value: &Value, place: &str) -> Result<Vec<f64>, OpError> {
    let mut all: Vec<f64> = Vec::new();
    for (idx, it) in list(value, place)?.iter().enumerate() {
        all.push(number(it, &format!("{place}[{idx}]"))?);
    }
    all.sort_by(f64::total_cmp);
    Ok(all)
}

/// A list of whole numbers from 0, in order.
pub(super) fn counts(value: &Value, place: &str) -> Result<Vec<f64>, OpError> {
    let mut all = Vec::new();
    for (idx, it) in list(value, place)?.iter().enumerate() {
        all.push(count(it, &format!("{place}[{idx}]"))?);
    }
    all.sort_by(f64::total_cmp);
    Ok(all)
}

/// How often something happened, and how often it could have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trials {
    pub successes: f64,
    pub trials: f64,
}

impl Trials {
    /// `{ successes, trials }`, or a list of `true`, `false`, 1 and 0.
    pub(super) fn read(value: &Value, place: &str) -> Result<Self, OpError> {
        if value.as_list().is_none() {
            let object = Object::new(value, place, &["successes", "trials"])?;
            let (successes, trials) = (object.count("successes")?, object.count("trials")?);
            if successes > trials {
                let message = format!("`{place}` has {successes} successes in {trials} trials");
                return Err(invalid(message).help("count every success as a trial, too"));
            }
            return Ok(Self { successes, trials });
        }
        let (mut successes, mut trials) = (0.0, 0.0);
        for (idx, it) in list(value, place)?.iter().enumerate() {
            successes += match it {
                Value::Bool(true) | Value::Int(1) => 1.0,
                Value::Bool(false) | Value::Int(0) => 0.0,
                other => {
                    return Err(expected("true, false, 1 or 0", &format!("{place}[{idx}]"), other));
                }
            };
            trials += 1.0;
        }
        Ok(Self { successes, trials })
    }
}
