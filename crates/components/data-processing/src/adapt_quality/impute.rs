//! Fills in missing values.

use std::sync::Arc;

use svc_columns::{Builder, Cell, Column, Data, Kind, Measure, Other as _, groups, measure};
use svc_contract::{
    choices,
    registry::{
        AnyRows, CheckCall, Compute, Cx, ErrorKind, Example, Field, Generic, Op, OpError, Scheme,
        check_columns, params,
    },
    value::{List, Text, Type, Value},
};

use super::chained;
use crate::rows::{Frame, ROWS_OUT, unified};

/// The most rows for `knn`, which compares each gap with all rows.
const MOST_NEIGHBOURS: usize = 50_000;

/// How many neighbours decide.
const K: usize = 5;

choices! {
    /// What a missing value becomes.
    enum Method {
        Median = "median",
        Knn = "knn",
        Model = "model",
    }
}

params! {
    /// Fills in the missing values of a table.
    ///
    /// `median` takes the median of the other numbers of a column, or its most frequent value. `knn` looks at the five rows
    /// that are nearest in the other columns (Gower's distance), and takes their mean, or their most frequent value; at most
    /// 50,000 rows. `model` predicts each column from the others, round after round (chained equations), by the model that is best on known cells that are held out: the typical value,
    /// the nearest rows, a ridge regression, or the mean of both; a notice names it. Whole numbers stay whole, and become floats in a column that has both. A column without any value stays as it is.
    pub(super) struct Impute {
        /// The rows.
        rows: AnyRows,
        /// How the values are found.
        method: Method = Method::Median,
        /// The columns to fill in; by default all.
        columns: Vec<Text> = Vec::new(),
    }
}

impl Op for Impute {
    const NAME: &'static str = "impute";
    const YIELDS: Scheme = ROWS_OUT;
    const CHECK: Option<CheckCall> = Some(|call| check_columns(call, "rows", &["columns"]));
    const GENERIC: Generic = Generic::Tested;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "fill in missing values",
        "impute gaps of a data set",
        "replace missing numbers by the median",
        "nearest neighbours for missing cells",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A number and a text",
            r#"[{ n: 1, s: "a" }, { n: null, s: "a" }, { n: 3, s: null }] >> profile.impute"#,
            r#"[{"n":1,"s":"a"},{"n":2,"s":"a"},{"n":3,"s":"a"}]"#,
        ),
        Example::err(
            "A column that is not there",
            r#"[{ n: 1 }] >> profile.impute(columns: ["m"])"#,
            "column `m`",
        ),
    ];
}

impl Compute for Impute {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = self.rows.columns()?;
        let wanted = if self.columns.is_empty() { table.names.to_vec() } else { self.columns };
        for name in &wanted {
            table.column(name).map_err(|err| {
                let failed = OpError::invalid_input(err.message);
                match err.help {
                    Some(help) => failed.help(help),
                    None => failed,
                }
            })?;
        }
        if self.method == Method::Knn && table.len() > MOST_NEIGHBOURS {
            let message =
                format!("too many rows for `knn` ({}, limit {MOST_NEIGHBOURS})", table.len());
            return Err(OpError::invalid_input(message).help("use `median`"));
        }
        let columns = table.columns.iter().map(unified).collect();
        let table = Frame::new(table.names.clone(), columns, table.len());
        let mut filled = table.clone();
        if self.method == Method::Model {
            for (name, column) in chained::filled(&table, &wanted, cx)? {
                filled = filled.with_column(name, Arc::new(column));
            }
            return given(filled, cx);
        }
        for name in &wanted {
            cx.check()?;
            let Some(column) = table.get(name) else { continue };
            if column.null_count() == 0 || !column.has_values() {
                continue;
            }
            let column = match self.method {
                Method::Median | Method::Model => {
                    let value = typical(column);
                    with(column, |_| value.clone())
                }
                Method::Knn => nearest(&table, name, column, cx)?,
            };
            filled = filled.with_column(name.clone(), Arc::new(column));
        }
        given(filled, cx)
    }
}

/// The rows as the result: of the type that the call asks for, if it does.
fn given(table: Frame, cx: &Cx) -> Result<Value, OpError> {
    let rows = Value::List(List::from(table));
    match cx.wanted() {
        None | Some(Type::Json) => Ok(rows),
        Some(ty) => rows
            .cast(&Type::list(ty.clone()))
            .map_err(|err| OpError::invalid_input(err.to_string())),
    }
}

/// The column with a value for each gap.
pub(super) fn with(column: &Column<Value>, value: impl Fn(usize) -> Value) -> Column<Value> {
    let mut builder = Builder::default();
    for row in 0..column.len() {
        match column.cell(row) {
            Cell::Null => builder.push(value(row).cell()),
            cell => builder.push(cell),
        }
    }
    builder.finish()
}

pub(super) fn is_number(column: &Column<Value>) -> bool {
    column.kind().is_number()
}

/// A number of the column's kind.
pub(super) fn number(column: &Column<Value>, it: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "it is between two ints of the column")]
    if column.kind() == Kind::Int { Value::Int(it.round() as i64) } else { Value::Float(it) }
}

/// The median of numbers, else the most frequent value; the first one of several.
pub(super) fn typical(column: &Column<Value>) -> Value {
    if is_number(column) {
        let whole = svc_columns::Groups { codes: vec![0; column.len()], firsts: vec![0] };
        let median = measure(Measure::Quantile(0.5), column, &whole).ok();
        let median = median.and_then(|it| f64::decode(Value::of(it.cell(0))));
        return median.map_or(Value::Null, |it| number(column, it));
    }
    let found = groups(&[column], column.len());
    let mut counts = vec![0_usize; found.count()];
    found.codes.iter().for_each(|it| counts[*it as usize] += 1);
    let mut best: Option<(usize, Cell<'_, Value>)> = None;
    for (row, count) in found.firsts.iter().zip(counts) {
        let cell = column.cell(*row as usize);
        if !matches!(cell, Cell::Null) && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, cell));
        }
    }
    best.map_or(Value::Null, |it| Value::of(it.1))
}

/// A column as it is compared: numbers between 0 and 1, or codes of equal values.
pub(super) enum Scaled {
    Numbers(Vec<f64>),
    Codes(Vec<Option<u32>>),
}

impl Scaled {
    pub(super) fn new(column: &Column<Value>) -> Self {
        if !is_number(column) {
            let codes = groups(&[column], column.len()).codes.into_iter().enumerate();
            return Self::Codes(
                codes.map(|(row, it)| column.is_valid(row).then_some(it)).collect(),
            );
        }
        let cells = column.cells().map(|it| f64::decode(Value::of(it)).unwrap_or(f64::NAN));
        let mut all: Vec<f64> = match &column.data {
            Data::Float(_) | Data::Int(_) => cells.collect(),
            _ => vec![f64::NAN; column.len()],
        };
        let finite = || all.iter().copied().filter(|it| it.is_finite());
        let (low, high) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let width = if high > low { high - low } else { 1.0 };
        for it in &mut all {
            *it = (*it - low) / width;
        }
        Self::Numbers(all)
    }

    /// How far two rows are from each other, from 0 to 1; none if one has no value.
    fn distance(&self, a: usize, b: usize) -> Option<f64> {
        match self {
            Self::Numbers(all) => Some((all[a] - all[b]).abs()).filter(|it| it.is_finite()),
            Self::Codes(all) => Some(if all[a]? == all[b]? { 0.0 } else { 1.0 }),
        }
    }
}

fn nearest(
    table: &Frame,
    name: &Text,
    column: &Column<Value>,
    cx: &Cx,
) -> Result<Column<Value>, OpError> {
    let others = table.names.iter().zip(&table.columns).filter(|it| it.0 != name);
    let others: Vec<Scaled> = others.map(|it| Scaled::new(it.1)).collect();
    let others: Vec<&Scaled> = others.iter().collect();
    let known: Vec<usize> = (0..table.len()).filter(|it| column.is_valid(*it)).collect();
    let mut values = std::collections::HashMap::new();
    for row in (0..table.len()).filter(|it| !column.is_valid(*it)) {
        cx.check()?;
        values.insert(row, of_neighbours(column, &neighbours(&others, row, &known)));
    }
    Ok(with(column, |row| values.get(&row).cloned().unwrap_or_default()))
}

/// The nearest ones of some rows, with their distances.
pub(super) fn neighbours(columns: &[&Scaled], row: usize, among: &[usize]) -> Vec<(f64, usize)> {
    let mut near: Vec<(f64, usize)> =
        among.iter().map(|it| (gower(columns, row, *it), *it)).collect();
    let k = K.min(near.len());
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if k > 0 {
        near.select_nth_unstable_by(k - 1, order);
    }
    near.truncate(k);
    near.sort_by(order);
    near
}

/// The mean distance in the columns in which both rows have a value; 1 if there is none.
fn gower(columns: &[&Scaled], a: usize, b: usize) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for it in columns.iter().filter_map(|it| it.distance(a, b)) {
        sum += it;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 1.0 }
}

pub(super) fn of_neighbours(column: &Column<Value>, near: &[(f64, usize)]) -> Value {
    let cells: Vec<Value> = near.iter().map(|it| Value::of(column.cell(it.1))).collect();
    if is_number(column) {
        let all: Vec<f64> = cells.into_iter().filter_map(f64::decode).collect();
        #[expect(clippy::cast_precision_loss, reason = "there are at most five")]
        return number(column, all.iter().sum::<f64>() / all.len().max(1) as f64);
    }
    let count = |it: &Value| cells.iter().filter(|other| *other == it).count();
    let most = cells.iter().map(count).max().unwrap_or(0);
    cells.iter().find(|it| count(it) == most).cloned().unwrap_or_default()
}
