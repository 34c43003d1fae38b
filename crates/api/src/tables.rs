//! A table in a file, as `svc table` shows it: its columns with types, counts, ranges and shapes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use svc_columns::{Cell, Column, Other as _};
use svc_contract::value::{List, Record, Text, Value};
use svc_engine::{Engine, Error};

const READ: &str = "param file: path  param sheet: string?
table.read(path: file, sheet: sheet) >> { rows: it, columns: (it >> table.describe) }";

/// The bars of a shape, from none to the highest one.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The number of bars.
const WIDTH: usize = 12;

/// A table, and what is in its columns.
pub struct TableView {
    pub rows: List,
    pub overview: TableJson,
}

/// A table in `svc table --json`.
#[derive(JsonSchema, Serialize)]
pub struct TableJson {
    file: String,
    rows: usize,
    columns: Vec<TableColumnJson>,
}

/// A column of it.
#[derive(JsonSchema, Serialize)]
struct TableColumnJson {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// The number of rows without a value.
    nulls: usize,
    /// The number of different values.
    distinct: usize,
    /// The smallest value.
    min: Option<String>,
    /// The largest value.
    max: Option<String>,
    /// How the values are spread, as bars: numbers from the smallest to the largest, others by how
    /// often they occur.
    shape: String,
}

/// Reads the table in a file with `table.read`, and describes it with `table.describe`.
pub async fn read(engine: &Engine, file: &str, sheet: Option<&str>) -> Result<TableView, Error> {
    let sheet = sheet.map_or(Value::Null, Value::text);
    let request = engine.run(READ).param("file", Value::Path(file.into())).param("sheet", sheet);
    let read = request.await?.value;
    let list = |name: &str| read.as_record()?.get(name)?.as_list().cloned();
    let (rows, described) = (list("rows").unwrap_or_default(), list("columns").unwrap_or_default());
    // What `table.read` returns are records.
    let columns = rows.columns().map_or_else(|_| Vec::new(), |it| it.columns);
    let columns = described.iter().zip(&columns);
    let columns = columns.filter_map(|(described, column)| of_column(described, column));
    let overview =
        TableJson { file: file.to_owned(), rows: rows.len(), columns: columns.collect() };
    Ok(TableView { rows, overview })
}

/// What `table.describe` says of a column, with its shape.
fn of_column(described: &Value, column: &Column<Value>) -> Option<TableColumnJson> {
    let of = described.as_record()?;
    let text = |name: &str| of.get(name)?.as_str().map(str::to_owned);
    let count = |name: &str| match of.get(name)? {
        Value::Int(it) => usize::try_from(*it).ok(),
        _ => None,
    };
    let shown = |name: &str| match of.get(name)? {
        Value::Null => None,
        Value::Text(it) => Some(it.as_ref().to_owned()),
        it => Some(it.to_string()),
    };
    let numbers: Vec<f64> = column.cells().filter_map(number).collect();
    let shape = if numbers.is_empty() { frequencies(column) } else { histogram(&numbers) };
    Some(TableColumnJson {
        name: text("column")?,
        kind: text("type")?,
        nulls: count("nulls")?,
        distinct: count("distinct")?,
        min: shown("min"),
        max: shown("max"),
        shape,
    })
}

#[expect(clippy::cast_precision_loss, reason = "for a bar of a histogram")]
fn number(cell: Cell<'_, Value>) -> Option<f64> {
    match cell {
        Cell::Int(it) | Cell::Money(it) => Some(it as f64),
        Cell::Float(it) => it.is_finite().then_some(it),
        Cell::Duration(it) => Some(it.as_secs_f64()),
        Cell::Time(it) => Some(it as f64),
        _ => None,
    }
}

/// How many numbers are in each part of their range.
fn histogram(numbers: &[f64]) -> String {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut counts = vec![0; if high > low { WIDTH } else { 1 }];
    let last = counts.len() - 1;
    for it in numbers {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "from 0 up to the number of bars"
        )]
        let place =
            if high > low { ((it - low) / (high - low) * WIDTH as f64) as usize } else { 0 };
        counts[place.min(last)] += 1;
    }
    bars(&counts)
}

/// How often the most frequent values occur.
fn frequencies(column: &Column<Value>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for cell in column.cells() {
        if !matches!(cell, Cell::Null) {
            *counts.entry(Value::of(cell).to_string()).or_default() += 1;
        }
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.truncate(WIDTH);
    bars(&counts)
}

fn bars(counts: &[usize]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    // A bar is empty only where there is nothing.
    counts.iter().map(|it| BARS[(it * (BARS.len() - 1)).div_ceil(most)]).collect()
}

impl TableJson {
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns as rows of a table.
    pub fn columns(&self) -> Value {
        let all = self.columns.iter().map(|it| {
            let text = |it: &Option<String>| it.as_deref().map_or(Value::Null, |it| cut(it).into());
            let count = |it: usize| Value::Int(it.try_into().unwrap_or(i64::MAX));
            let fields: [(&str, Value); 7] = [
                ("column", it.name.as_str().into()),
                ("type", it.kind.as_str().into()),
                ("nulls", count(it.nulls)),
                ("distinct", count(it.distinct)),
                ("min", text(&it.min)),
                ("max", text(&it.max)),
                ("shape", it.shape.as_str().into()),
            ];
            let fields = fields.into_iter().map(|(name, it)| (Text::from(name), it));
            Value::Record(fields.collect::<Record>())
        });
        Value::List(all.collect())
    }
}

/// The start of a value.
fn cut(text: &str) -> String {
    const SHOWN: usize = 20;
    svc_text::cut::start(text, SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_one_bar() {
        assert_eq!(histogram(&[2.0, 2.0]), "█");
        assert_eq!(bars(&[1, 1000]), "▁█");
    }
}
