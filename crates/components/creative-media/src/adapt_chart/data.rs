//! The columns of a table as a chart sees them: numbers, times, or words.

use std::collections::HashMap;

use svc_columns::{Cell, Column, Other as _, Table};
use svc_contract::{
    registry::OpError,
    value::{Date, Text, Timestamp, Value},
};

use super::scale::{self, Unit};

/// What is in a column.
pub(super) enum Values {
    /// Numbers, or seconds since 1970; not a number where there is none.
    Numbers(Vec<f64>, Unit),
    /// The places of words; none where there is none.
    Words { of: Vec<Option<usize>>, names: Vec<Text> },
}

pub(super) struct Axis {
    pub name: Text,
    pub values: Values,
}

impl Axis {
    /// Reads a column: `wants_words` also makes words of numbers.
    pub(super) fn read(
        table: &Table<Value>,
        name: &Text,
        wants_words: bool,
    ) -> Result<Self, OpError> {
        let column = table.column(name).map_err(|err| {
            let failed = OpError::invalid_input(err.message);
            match err.help {
                Some(help) => failed.help(help),
                None => failed,
            }
        })?;
        let values = match numbers(column) {
            Some((numbers, unit)) if !wants_words => Values::Numbers(numbers, unit),
            Some((numbers, unit)) => words_of_numbers(&numbers, unit),
            None => words(column),
        };
        Ok(Self { name: name.clone(), values })
    }

    /// The numbers of a column that must have them.
    pub(super) fn numbers(&self) -> Result<(&[f64], Unit), OpError> {
        match &self.values {
            Values::Numbers(all, unit) => Ok((all, *unit)),
            Values::Words { names, .. } => {
                let name = &self.name;
                let message = match names.first() {
                    Some(first) => {
                        let first: String = first.chars().take(40).collect();
                        format!("expected numbers in column `{name}`, found `{first}`")
                    }
                    None => format!("expected numbers in column `{name}`, found none"),
                };
                Err(OpError::invalid_input(message).help("name a column of numbers"))
            }
        }
    }
}

/// The cells as numbers, if all that are there are.
fn numbers(column: &Column<Value>) -> Option<(Vec<f64>, Unit)> {
    let mut all = Vec::with_capacity(column.len());
    let mut unit = None;
    for cell in column.cells() {
        let (number, own) = match cell {
            Cell::Null => {
                all.push(f64::NAN);
                continue;
            }
            cell => number(cell)?,
        };
        if *unit.get_or_insert(own) != own {
            return None;
        }
        all.push(if number.is_finite() { number } else { f64::NAN });
    }
    Some((all, unit.unwrap_or(Unit::Number)))
}

#[expect(clippy::cast_precision_loss, reason = "a picture has a few thousand pixels")]
fn number(cell: Cell<'_, Value>) -> Option<(f64, Unit)> {
    Some(match cell {
        Cell::Int(it) => (it as f64, Unit::Number),
        Cell::Float(it) => (it, Unit::Number),
        Cell::Money(it) => (it as f64 / 1e9, Unit::Number),
        Cell::Duration(it) => (it.as_secs_f64(), Unit::Number),
        Cell::Time(it) => (it as f64 / 1e9, Unit::Time),
        Cell::Text(it) => (moment(it)?, Unit::Time),
        Cell::Bool(_) | Cell::Null => return None,
        Cell::Other(it) => match it {
            Value::Int(it) => (*it as f64, Unit::Number),
            Value::Float(it) => (*it, Unit::Number),
            Value::Size(it) => (*it as f64, Unit::Number),
            Value::Date(it) => (scale::seconds(*it), Unit::Time),
            Value::Null => (f64::NAN, Unit::Number),
            _ => return None,
        },
    })
}

/// A text that is a date or a time.
fn moment(text: &str) -> Option<f64> {
    if !text.starts_with(|it: char| it.is_ascii_digit()) || text.len() < 7 {
        return None;
    }
    if text.len() == 10
        && let Ok(day) = text.parse::<Date>()
    {
        return Some(scale::seconds(day));
    }
    if text.len() == 7 {
        return format!("{text}-01").parse::<Date>().ok().map(scale::seconds);
    }
    let zoned = text.parse::<Timestamp>();
    let time = zoned.or_else(|_| format!("{text}Z").parse::<Timestamp>()).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "a picture has a few thousand pixels")]
    Some(time.as_millisecond() as f64 / 1e3)
}

/// Numbers as words, in their order.
fn words_of_numbers(numbers: &[f64], unit: Unit) -> Values {
    let mut distinct: Vec<f64> = numbers.iter().copied().filter(|it| !it.is_nan()).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let place = |it: &f64| distinct.binary_search_by(|other| other.total_cmp(it)).ok();
    let of = numbers.iter().map(place).collect();
    let name = |it: &f64| match unit {
        Unit::Time => scale::moment_alone(*it),
        Unit::Number => scale::plain(*it),
    };
    Values::Words { of, names: distinct.iter().map(|it| name(it).into()).collect() }
}

/// Cells as words, in the order in which they first occur.
fn words(column: &Column<Value>) -> Values {
    let mut places: HashMap<Text, usize> = HashMap::new();
    let mut names: Vec<Text> = Vec::new();
    let mut of = Vec::with_capacity(column.len());
    for cell in column.cells() {
        let word: Text = match cell {
            Cell::Null => {
                of.push(None);
                continue;
            }
            Cell::Text(it) => it.clone(),
            cell => Value::of(cell).to_string().into(),
        };
        let place = *places.entry(word.clone()).or_insert_with(|| {
            names.push(word);
            names.len() - 1
        });
        of.push(Some(place));
    }
    Values::Words { of, names }
}

/// The series of all words for which no colour is left.
pub(super) const OTHERS: &str = "others";

/// Series by the words of a column: the last one is of all words for which no colour is left.
pub(super) fn series(axis: Option<&Axis>, rows: usize, most: usize) -> (Vec<usize>, Vec<Text>) {
    let Some(Axis { values: Values::Words { of, names }, .. }) = axis else {
        return (vec![0; rows], vec![Text::from("")]);
    };
    let has_none = of.iter().any(Option::is_none);
    let mut kept: Vec<Text> = names.clone();
    if has_none {
        kept.push("none".into());
    }
    if kept.len() > most {
        kept.truncate(most - 1);
        kept.push(OTHERS.into());
    }
    let last = kept.len().saturating_sub(1);
    (of.iter().map(|it| it.unwrap_or(usize::MAX).min(last)).collect(), kept)
}
