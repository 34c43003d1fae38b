//! Reads a table: which columns are numbers, which are categories, and what the target is.

use std::collections::{HashMap, HashSet};

use svc_contract::{
    registry::{Cx, OpError},
    value::{List, Text, Value},
};

use super::state::Label;

const MOST_ROWS: usize = 50_000;
const MOST_COLUMNS: usize = 200;
const MOST_CLASSES: usize = 100;
/// Up to so many different whole numbers are classes, if nothing else is said.
const FEW: usize = 10;

/// A column of a table.
pub(super) struct Cells {
    pub name: Text,
    pub of: CellsOf,
}

pub(super) enum CellsOf {
    /// Not a number where it is missing.
    Numbers(Vec<f64>),
    /// The place of each cell in the names; `None` where it is missing.
    Categories { codes: Vec<Option<u32>>, names: Vec<Text> },
}

/// What is to be predicted.
pub(super) enum Goal {
    Classes { labels: Vec<Label>, of: Vec<usize> },
    Numbers(Vec<f64>),
}

pub(super) struct Table {
    pub columns: Vec<Cells>,
    pub goal: Goal,
    pub rows: usize,
    /// How many rows were left out, as they have no target.
    pub left_out: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    Auto,
    Classes,
    Numbers,
}

/// A cell as a number or a text.
pub(super) enum Cell {
    Missing,
    Number(f64),
    Text(Text),
}

impl Cell {
    #[expect(clippy::cast_precision_loss, reason = "numbers are learnt from as floats")]
    pub(super) fn read(value: &Value, name: &str, row: usize) -> Result<Self, OpError> {
        Ok(match value {
            Value::Null => Self::Missing,
            Value::Text(it) if it.trim().is_empty() => Self::Missing,
            Value::Text(it) | Value::Path(it) => Self::Text(it.clone()),
            Value::Bool(it) => Self::Number(f64::from(u8::from(*it))),
            Value::Int(it) => Self::Number(*it as f64),
            Value::Float(it) if it.is_finite() => Self::Number(*it),
            Value::Float(_) => Self::Missing,
            Value::Duration(it) => Self::Number(it.as_secs_f64()),
            Value::Size(it) => Self::Number(*it as f64),
            Value::Money(it) => Self::Number(it.nanos() as f64 / 1e9),
            Value::Time(it) => Self::Number(it.as_millisecond() as f64 / 1e3),
            other => {
                let kind = other.kind();
                let message = format!(
                    "expected a number, a text or a boolean for `{name}` in row {row}, found {kind}"
                );
                return Err(OpError::invalid_input(message).help("leave this column out"));
            }
        })
    }

    pub(super) fn text(&self) -> Option<Text> {
        match self {
            Self::Missing => None,
            Self::Number(it) => Some(it.to_string().into()),
            Self::Text(it) => Some(it.clone()),
        }
    }
}

fn invalid(message: impl Into<String>) -> OpError {
    OpError::invalid_input(message.into())
}

impl Table {
    pub(super) fn read(
        data: &List,
        target: &str,
        wanted: Wanted,
        folds: usize,
        cx: &Cx,
    ) -> Result<Self, OpError> {
        if data.len() > MOST_ROWS {
            let message = format!("too many rows: {} (limit {MOST_ROWS})", data.len());
            return Err(invalid(message).help("take a sample: `list.sample`"));
        }
        if data.is_empty() {
            return Err(invalid("expected a table with rows, found an empty one"));
        }
        let names = names(data, cx)?;
        if !names.iter().any(|it| it.as_ref() == target) {
            let known: Vec<&str> = names.iter().take(20).map(AsRef::as_ref).collect();
            let message = format!("missing column `{target}`, which is the target");
            return Err(invalid(message).help(format!("use one of: {}", known.join(", "))));
        }
        if names.len() > MOST_COLUMNS + 1 {
            let message = format!("too many columns: {} (limit {MOST_COLUMNS})", names.len() - 1);
            return Err(invalid(message).help("keep those that may have to do with the target"));
        }
        let cells = |row: &Value, name: &str| row.as_record().and_then(|it| it.get(name)).cloned();
        let has_target = |row: &&Value| !cells(row, target).is_none_or(|it| it.is_null());
        let rows: Vec<&Value> = data.iter().filter(has_target).collect();
        let needed = folds.max(10);
        if rows.len() < needed {
            let found = rows.len();
            let message =
                format!("expected at least {needed} rows with a `{target}`, found {found}");
            return Err(invalid(message).help("add rows"));
        }
        let values: Vec<Value> = rows.iter().filter_map(|it| cells(it, target)).collect();
        let goal = Goal::read(&values, target, wanted)?;
        let mut columns = Vec::with_capacity(names.len());
        for name in names.iter().filter(|it| it.as_ref() != target) {
            let mut read = Vec::with_capacity(rows.len());
            for (idx, row) in rows.iter().enumerate() {
                cx.check()?;
                let value = row.as_record().and_then(|it| it.get(name));
                read.push(value.map_or(Ok(Cell::Missing), |it| Cell::read(it, name, idx + 1))?);
            }
            columns.push(Cells { name: name.clone(), of: CellsOf::new(&read) });
        }
        Ok(Self { columns, goal, rows: rows.len(), left_out: data.len() - rows.len() })
    }
}

/// The names of the columns, in the order in which they first occur.
fn names(data: &List, cx: &Cx) -> Result<Vec<Text>, OpError> {
    let mut names: Vec<Text> = Vec::new();
    let mut seen: HashSet<Text> = HashSet::new();
    for (idx, row) in data.iter().enumerate() {
        cx.check()?;
        let record = row.as_record().ok_or_else(|| {
            let message = format!("expected a record as row {}, found {}", idx + 1, row.kind());
            invalid(message).help("a table is a list of records")
        })?;
        for (name, _) in record.iter() {
            if seen.insert(name.clone()) {
                names.push(name.clone());
            }
        }
        // An error follows, so the others need not be read.
        if names.len() > 10 * MOST_COLUMNS {
            break;
        }
    }
    Ok(names)
}

impl CellsOf {
    /// Numbers, if all cells that are not missing are.
    fn new(cells: &[Cell]) -> Self {
        if cells.iter().all(|it| !matches!(it, Cell::Text(_))) {
            let number = |it: &Cell| if let Cell::Number(it) = it { *it } else { f64::NAN };
            return Self::Numbers(cells.iter().map(number).collect());
        }
        let mut places: HashMap<Text, u32> = HashMap::new();
        let mut names = Vec::new();
        let mut code = |it: Text| {
            *places.entry(it.clone()).or_insert_with(|| {
                names.push(it);
                u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
            })
        };
        let codes = cells.iter().map(|it| it.text().map(&mut code)).collect();
        Self::Categories { codes, names }
    }
}

impl Label {
    fn read(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Bool(it) => Self::Bool(*it),
            Value::Int(it) => Self::Int(*it),
            Value::Float(it) if it.is_finite() => Self::Float(*it),
            Value::Text(it) => Self::Text(it.to_string()),
            _ => return None,
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers are learnt from as floats")]
    fn number(&self) -> Option<f64> {
        match self {
            Self::Int(it) => Some(*it as f64),
            Self::Float(it) => Some(*it),
            Self::Bool(_) | Self::Text(_) => None,
        }
    }

    /// What is equal has the same key, and keys are in the order of the labels.
    fn key(&self) -> (u8, i64, String) {
        match self {
            Self::Bool(it) => (0, i64::from(*it), String::new()),
            Self::Int(it) => (1, *it, String::new()),
            // The order of the bits of numbers is their order, if negative ones are reversed.
            Self::Float(it) => {
                let bits = it.to_bits().cast_signed();
                (2, if bits < 0 { i64::MIN - bits } else { bits }, String::new())
            }
            Self::Text(it) => (3, 0, it.clone()),
        }
    }
}

impl Goal {
    fn read(values: &[Value], target: &str, wanted: Wanted) -> Result<Self, OpError> {
        let mut labels = Vec::with_capacity(values.len());
        for (idx, it) in values.iter().enumerate() {
            labels.push(Label::read(it).ok_or_else(|| {
                let message = format!(
                    "expected a number, a text or a boolean for `{target}` in row {}, found {}",
                    idx + 1,
                    it.kind()
                );
                invalid(message)
            })?);
        }
        let mut distinct = labels.clone();
        distinct.sort_by_cached_key(Label::key);
        distinct.dedup();
        let numbers: Option<Vec<f64>> = labels.iter().map(Label::number).collect();
        let is_class = match wanted {
            Wanted::Classes => true,
            Wanted::Numbers => false,
            Wanted::Auto => match &numbers {
                None => true,
                Some(all) => {
                    let are_whole = all.iter().all(|it| it.fract() == 0.0);
                    are_whole && distinct.len() <= FEW && values.len() >= 5 * distinct.len()
                }
            },
        };
        if distinct.len() < 2 {
            let message = format!("all rows have the same `{target}`: there is nothing to learn");
            return Err(invalid(message).help("add rows with another value"));
        }
        if !is_class {
            let missing = || {
                let message =
                    format!("expected only numbers for `{target}`, found texts or booleans");
                invalid(message).help("use `task: \"classification\"`")
            };
            let numbers = numbers.ok_or_else(missing)?;
            if numbers.iter().any(|it| it.abs() > 1e100) {
                return Err(invalid(format!("numbers of `{target}` are too large (limit 1e100)")));
            }
            return Ok(Self::Numbers(numbers));
        }
        if distinct.len() > MOST_CLASSES {
            let message = format!(
                "`{target}` has too many classes: {} (limit {MOST_CLASSES})",
                distinct.len()
            );
            let help = "use `task: \"regression\"` if they are numbers, or join rare classes";
            return Err(invalid(message).help(help));
        }
        let places: HashMap<_, usize> =
            distinct.iter().enumerate().map(|(idx, it)| (it.key(), idx)).collect();
        let of = labels.iter().map(|it| places[&it.key()]).collect();
        Ok(Self::Classes { labels: distinct, of })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Classes { of, .. } => of.len(),
            Self::Numbers(all) => all.len(),
        }
    }

    /// The number of outputs: the classes, or one.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Self::Classes { labels, .. } => labels.len(),
            Self::Numbers(_) => 1,
        }
    }

    /// The target of some rows.
    pub(super) fn of(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes { labels, of } => Self::Classes {
                labels: labels.clone(),
                of: rows.iter().map(|it| of[*it]).collect(),
            },
            Self::Numbers(all) => Self::Numbers(rows.iter().map(|it| all[*it]).collect()),
        }
    }
}
