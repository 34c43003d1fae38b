//! Reads the columns of a table as numbers, categories and events.

use svc_columns::{Cell, Column, Table};
use svc_contract::{
    registry::{AnyRows, Cx, OpError, nearest},
    value::Value,
};
use svc_learn::{Stop, Trouble, formula::Data};

/// The most rows.
const MOST_ROWS: usize = 1_000_000;

/// A table whose columns are read by name.
pub(super) struct Input<'a> {
    table: Table<Value>,
    cx: &'a Cx,
}

/// A column; `None` where a row has no value.
pub(super) enum Cells {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

impl Cells {
    pub(super) fn has(&self, row: usize) -> bool {
        match self {
            Self::Numbers(it) => it[row].is_some(),
            Self::Texts(it) => it[row].is_some(),
        }
    }
}

/// A text that an argument has in a notation of its own, such as a formula, is wrong.
#[cfg(feature = "learn")]
pub(super) fn in_param(param: &str, trouble: Trouble) -> OpError {
    let failed = OpError::invalid_input(format!("`{param}`: {}", trouble.message));
    trouble.help.into_iter().fold(failed, OpError::help)
}

/// An error of the library as one of the op.
pub(super) fn wrong(trouble: Trouble, cx: &Cx) -> OpError {
    if let (true, Err(stopped)) = (trouble.is_stopped, cx.check()) {
        return stopped;
    }
    let failed = OpError::invalid_input(trouble.message);
    match trouble.help {
        Some(help) => failed.help(help),
        None => failed,
    }
}

/// Calls the library with a way to stop it.
pub(super) fn computed<T>(
    cx: &Cx,
    compute: impl FnOnce(&Stop<'_>) -> Result<T, Trouble>,
) -> Result<T, OpError> {
    compute(&Stop(&|| cx.check().is_err())).map_err(|err| wrong(err, cx))
}

impl<'a> Input<'a> {
    pub(super) fn read(rows: &AnyRows, cx: &'a Cx) -> Result<Self, OpError> {
        if rows.0.is_empty() {
            return Err(OpError::invalid_input("expected a table with rows, found an empty one"));
        }
        if rows.0.len() > MOST_ROWS {
            let message = format!("too many rows: {} (limit {MOST_ROWS})", rows.0.len());
            return Err(OpError::invalid_input(message).help("take a sample: `table.sample`"));
        }
        Ok(Self { table: rows.columns()?, cx })
    }

    pub(super) fn rows(&self) -> usize {
        self.table.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.table.names.iter().map(AsRef::as_ref)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.table.get(name).is_some()
    }

    fn column(&self, name: &str) -> Result<&Column<Value>, OpError> {
        self.table.get(name).map(AsRef::as_ref).ok_or_else(|| {
            let shown: String = name.chars().take(60).collect();
            let help = match nearest(name, self.names()) {
                Some(it) => format!("did you mean `{it}`?"),
                None => {
                    let known: Vec<&str> = self.names().take(20).collect();
                    format!("use one of: {}", known.join(", "))
                }
            };
            OpError::invalid_input(format!("missing column `{shown}`")).help(help)
        })
    }

    /// A column as it is: numbers if all of its values are, texts otherwise. Booleans are texts if `is_category`.
    pub(super) fn cells(&self, name: &str, is_category: bool) -> Result<Cells, OpError> {
        let column = self.column(name)?;
        let mut numbers = Vec::with_capacity(column.len());
        let mut texts: Vec<Option<String>> = Vec::new();
        let mut is_number = true;
        for (row, cell) in column.cells().enumerate() {
            self.cx.check()?;
            match read(&cell, is_category) {
                Ok(Read::Number(it)) if is_number => numbers.push(it),
                Ok(Read::Number(it)) => texts.push(it.map(|it| it.to_string())),
                Ok(Read::Text(it)) => {
                    if is_number {
                        is_number = false;
                        texts = numbers.drain(..).map(|it| it.map(|it| it.to_string())).collect();
                    }
                    texts.push(Some(it));
                }
                Err(kind) => {
                    let message = format!(
                        "expected a number, a text or a boolean for `{name}` in row {}, found {kind}",
                        row + 1
                    );
                    return Err(OpError::invalid_input(message)
                        .help("choose another column, or scale its numbers"));
                }
            }
        }
        Ok(if is_number { Cells::Numbers(numbers) } else { Cells::Texts(texts) })
    }

    /// A column that must have numbers.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<Option<f64>>, OpError> {
        match self.cells(name, false)? {
            Cells::Numbers(it) => Ok(it),
            Cells::Texts(all) => {
                let is_text =
                    |it: &&Option<String>| it.as_ref().is_some_and(|it| it.parse::<f64>().is_err());
                let found = all.iter().find(is_text).cloned().flatten().unwrap_or_default();
                let row = all.iter().position(|it| it.as_deref() == Some(&*found)).unwrap_or(0) + 1;
                let shown: String = found.chars().take(40).collect();
                let message =
                    format!("expected numbers in column `{name}`, found `{shown}` in row {row}");
                Err(OpError::invalid_input(message)
                    .help("choose another column, or filter such rows"))
            }
        }
    }

    /// The values of several columns in the rows that have all of them.
    pub(super) fn complete_numbers(&self, names: &[&str]) -> Result<Vec<Vec<f64>>, OpError> {
        let all: Vec<Vec<Option<f64>>> =
            names.iter().map(|it| self.numbers(it)).collect::<Result<_, _>>()?;
        let rows: Vec<usize> =
            (0..self.rows()).filter(|row| all.iter().all(|it| it[*row].is_some())).collect();
        self.left_out(self.rows() - rows.len(), names);
        Ok(all.iter().map(|it| rows.iter().filter_map(|row| it[*row]).collect()).collect())
    }

    /// Says how many rows do not count.
    pub(super) fn left_out(&self, count: usize, names: &[&str]) {
        if count > 0 {
            let rows =
                if count == 1 { "1 row has".to_owned() } else { format!("{count} rows have") };
            self.cx.notice(format!(
                "{rows} no value in {}, and {} left out",
                names.join(", "),
                if count == 1 { "is" } else { "are" }
            ));
        }
    }

    /// Several columns as data of a formula, in the rows that have all of them.
    pub(super) fn data(&self, names: &[&str]) -> Result<(usize, Vec<(String, Data)>), OpError> {
        let all: Vec<Cells> =
            names.iter().map(|it| self.cells(it, false)).collect::<Result<_, _>>()?;
        let rows: Vec<usize> =
            (0..self.rows()).filter(|row| all.iter().all(|it| it.has(*row))).collect();
        self.left_out(self.rows() - rows.len(), names);
        let data = all.iter().map(|it| match it {
            Cells::Numbers(it) => Data::Numbers(rows.iter().filter_map(|row| it[*row]).collect()),
            Cells::Texts(it) => leveled(rows.iter().filter_map(|row| it[*row].as_deref())),
        });
        Ok((rows.len(), names.iter().map(|it| (*it).to_owned()).zip(data).collect()))
    }
}

/// Texts as levels in their order.
fn leveled<'a>(all: impl Iterator<Item = &'a str> + Clone) -> Data {
    let mut levels: Vec<String> = all.clone().map(str::to_owned).collect();
    levels.sort();
    levels.dedup();
    let code = |it: &str| levels.binary_search_by(|own| own.as_str().cmp(it)).unwrap_or(0);
    Data::Levels(all.map(code).collect(), levels.clone())
}

enum Read {
    Number(Option<f64>),
    Text(String),
}

/// Sums of fourth powers of larger numbers are not finite.
const LARGEST: f64 = 1e70;

#[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
fn read(cell: &Cell<'_, Value>, is_category: bool) -> Result<Read, &'static str> {
    let number = match cell {
        Cell::Null => return Ok(Read::Number(None)),
        Cell::Text(it) if it.trim().is_empty() => return Ok(Read::Number(None)),
        Cell::Text(it) => return Ok(Read::Text(it.to_string())),
        Cell::Bool(it) if is_category => return Ok(Read::Text(it.to_string())),
        Cell::Bool(it) => f64::from(u8::from(*it)),
        Cell::Int(it) => *it as f64,
        Cell::Float(it) => *it,
        Cell::Money(it) => *it as f64 / 1e9,
        Cell::Duration(it) => it.as_secs_f64(),
        Cell::Time(it) => *it as f64 / 1e9,
        Cell::Other(Value::Size(it)) => *it as f64,
        Cell::Other(Value::Int(it)) => *it as f64,
        Cell::Other(Value::Float(it)) => *it,
        Cell::Other(Value::Bool(it)) if is_category => return Ok(Read::Text(it.to_string())),
        Cell::Other(Value::Bool(it)) => f64::from(u8::from(*it)),
        Cell::Other(Value::Null) => return Ok(Read::Number(None)),
        Cell::Other(Value::Text(it)) if it.trim().is_empty() => return Ok(Read::Number(None)),
        Cell::Other(Value::Text(it)) => return Ok(Read::Text(it.to_string())),
        Cell::Other(Value::Date(it)) => return Ok(Read::Text(it.to_string())),
        Cell::Other(it) => return Err(it.kind()),
    };
    if number.is_finite() && number.abs() > LARGEST {
        return Err("a number beyond 1e70");
    }
    Ok(Read::Number(number.is_finite().then_some(number)))
}
