//! Values of a row that depend on the rows around it.

use std::time::Duration;

use crate::{
    Groups,
    column::{Column, Data, Other},
    error::TableError,
    exact::ExactSum,
    measure::{Measure, floats, measure, no_numbers},
    sort::ranks,
    total::FloatSum,
};

/// What a row gets of its partition, in the order of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    /// Its place, from 1.
    RowNumber,
    /// Its place, the same for equal rows; places are left out after them.
    Rank,
    /// The same without leaving out any.
    DenseRank,
    /// The value of the row this many places before; after, if negative.
    Lag(i64),
    /// The sum of the values up to this row.
    RunningSum,
    /// A measure of the whole partition.
    Whole(Measure),
    /// The average of this many rows up to this one.
    MovingAvg(usize),
}

impl Window {
    /// Whether a row gets the same without the rows that follow it in its partition.
    pub fn looks_back(self) -> bool {
        match self {
            Self::Lag(rows) => rows >= 0,
            Self::Whole(_) => false,
            Self::RowNumber
            | Self::Rank
            | Self::DenseRank
            | Self::RunningSum
            | Self::MovingAvg(_) => true,
        }
    }
}

/// The values of `of` for the rows: `sorted` are the rows, in order within their partitions `by`, and
/// `is_tied` whether two rows are equal in that order.
pub fn window<T: Other>(
    of: Window,
    column: Option<&Column<T>>,
    by: &Groups,
    sorted: &[u32],
    is_tied: &dyn Fn(u32, u32) -> bool,
) -> Result<Column<T>, TableError> {
    let of_values = || column.ok_or_else(|| TableError::new("expected a column for this window"));
    match of {
        Window::Whole(it @ (Measure::First | Measure::Last)) => {
            Ok(outermost(of_values()?, by, sorted, it == Measure::Last))
        }
        Window::Whole(it) => {
            let whole = measure(it, of_values()?, by)?;
            Ok(whole.take(&by.codes))
        }
        Window::RowNumber | Window::Rank | Window::DenseRank => Ok(places(of, by, sorted, is_tied)),
        Window::Lag(by_rows) => Ok(lag(of_values()?, by, sorted, by_rows)),
        Window::RunningSum => running(of_values()?, by, sorted),
        Window::MovingAvg(rows) => moving(of_values()?, by, sorted, rows.max(1)),
    }
}

/// The first or last value of each partition, in its order.
fn outermost<T: Other>(
    column: &Column<T>,
    by: &Groups,
    sorted: &[u32],
    is_last: bool,
) -> Column<T> {
    let mut found: Vec<Option<u32>> = vec![None; by.count()];
    for row in sorted.iter().filter(|it| column.is_valid(**it as usize)) {
        let of = &mut found[by.codes[*row as usize] as usize];
        if is_last || of.is_none() {
            *of = Some(*row);
        }
    }
    column.take_some(&found).take(&by.codes)
}

fn places<T: Other>(
    of: Window,
    by: &Groups,
    sorted: &[u32],
    is_tied: &dyn Fn(u32, u32) -> bool,
) -> Column<T> {
    // Of each partition: the rows so far, the last row, its rank.
    let mut seen: Vec<(i64, u32, i64)> = vec![(0, 0, 0); by.count()];
    let mut all = vec![0; by.codes.len()];
    for row in sorted {
        let (count, last, rank) = &mut seen[by.codes[*row as usize] as usize];
        let is_tie = of != Window::RowNumber && *count > 0 && is_tied(*last, *row);
        *count += 1;
        *rank = match of {
            Window::RowNumber => *count,
            _ if is_tie => *rank,
            Window::Rank => *count,
            _ => *rank + 1,
        };
        *last = *row;
        all[*row as usize] = *rank;
    }
    Column::new(Data::Int(all))
}

/// The rows of each partition, in order.
fn partitions(by: &Groups, sorted: &[u32]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); by.count()];
    for row in sorted {
        all[by.codes[*row as usize] as usize].push(*row);
    }
    all
}

fn lag<T: Other>(column: &Column<T>, by: &Groups, sorted: &[u32], rows: i64) -> Column<T> {
    let mut places = vec![None; column.len()];
    for partition in partitions(by, sorted) {
        for (idx, row) in partition.iter().enumerate() {
            let from = i64::try_from(idx).ok().and_then(|it| it.checked_sub(rows));
            let from = from.and_then(|it| usize::try_from(it).ok());
            places[*row as usize] = from.and_then(|it| partition.get(it)).copied();
        }
    }
    column.take_some(&places)
}

fn running<T: Other>(
    column: &Column<T>,
    by: &Groups,
    sorted: &[u32],
) -> Result<Column<T>, TableError> {
    let overflow = || TableError::new("integer overflow in `running_sum`");
    let mut valid = crate::Bits::all(column.len(), false);
    let data = match &column.data {
        Data::Int(all) | Data::Money(all) => {
            let (mut sums, mut seen) = (vec![0_i64; by.count()], vec![false; by.count()]);
            let mut out = vec![0; column.len()];
            for row in sorted.iter().map(|it| *it as usize) {
                let group = by.codes[row] as usize;
                if column.is_valid(row) {
                    sums[group] = sums[group].checked_add(all[row]).ok_or_else(overflow)?;
                    seen[group] = true;
                }
                out[row] = sums[group];
                valid.set(row, seen[group]);
            }
            if matches!(column.data, Data::Money(_)) { Data::Money(out) } else { Data::Int(out) }
        }
        Data::Float(all) => {
            let mut sums = vec![FloatSum::default(); by.count()];
            let mut seen = vec![false; by.count()];
            let mut out = vec![0.0; column.len()];
            for row in sorted.iter().map(|it| *it as usize) {
                let group = by.codes[row] as usize;
                if column.is_valid(row) {
                    sums[group].add(all[row]);
                    seen[group] = true;
                }
                out[row] = sums[group].value();
                valid.set(row, seen[group]);
            }
            Data::Float(out)
        }
        Data::Duration(all) => {
            let mut sums: Vec<Option<Duration>> = vec![None; by.count()];
            let mut out = vec![Duration::ZERO; column.len()];
            for row in sorted.iter().map(|it| *it as usize) {
                let sum = &mut sums[by.codes[row] as usize];
                if column.is_valid(row) {
                    let before = sum.unwrap_or_default();
                    *sum = Some(before.checked_add(all[row]).ok_or_else(overflow)?);
                }
                out[row] = sum.unwrap_or_default();
                valid.set(row, sum.is_some());
            }
            Data::Duration(out)
        }
        _ if !column.has_values() => return Ok(Column::nulls(column.len())),
        _ => return Err(no_numbers("running_sum", column.kind_name())),
    };
    Ok(Column::with_valid(data, valid))
}

/// The sum of the values in a window, and their number.
trait Sliding: Default {
    type Value: Copy;

    fn add(&mut self, it: Self::Value);

    /// Takes a value that was added.
    fn take(&mut self, it: Self::Value);

    /// The mean of the values; `None` without one.
    fn mean(&mut self) -> Option<f64>;
}

impl Sliding for ExactSum {
    type Value = f64;

    fn add(&mut self, it: f64) {
        self.add(it);
    }

    fn take(&mut self, it: f64) {
        self.take(it);
    }

    fn mean(&mut self) -> Option<f64> {
        self.mean()
    }
}

/// The sum and number of ints.
#[derive(Default)]
struct WholeSum(i128, i64);

impl Sliding for WholeSum {
    type Value = i64;

    fn add(&mut self, it: i64) {
        self.0 += i128::from(it);
        self.1 += 1;
    }

    fn take(&mut self, it: i64) {
        self.0 -= i128::from(it);
        self.1 -= 1;
    }

    #[expect(clippy::cast_precision_loss, reason = "an average is a float")]
    fn mean(&mut self) -> Option<f64> {
        (self.1 > 0).then(|| self.0 as f64 / self.1 as f64)
    }
}

fn moving<T: Other>(
    column: &Column<T>,
    by: &Groups,
    sorted: &[u32],
    rows: usize,
) -> Result<Column<T>, TableError> {
    match &column.data {
        Data::Int(all) => Ok(means::<WholeSum, T>(column, all, by, sorted, rows)),
        _ => {
            let all = floats("moving_avg", column)?;
            Ok(means::<ExactSum, T>(column, &all, by, sorted, rows))
        }
    }
}

/// The mean of the last `rows` values up to each row. A value enters and leaves the window once, so the time does
/// not depend on its length.
fn means<S: Sliding, T: Other>(
    column: &Column<T>,
    values: &[S::Value],
    by: &Groups,
    sorted: &[u32],
    rows: usize,
) -> Column<T> {
    let mut out = vec![0.0; column.len()];
    let mut valid = crate::Bits::all(column.len(), false);
    let value = |row: usize| column.is_valid(row).then(|| values[row]);
    for partition in partitions(by, sorted) {
        let mut sum = S::default();
        for (idx, row) in partition.iter().enumerate() {
            let row = *row as usize;
            if let Some(it) = value(row) {
                sum.add(it);
            }
            let left = idx.checked_sub(rows).and_then(|it| value(partition[it] as usize));
            if let Some(it) = left {
                sum.take(it);
            }
            if let Some(mean) = sum.mean() {
                out[row] = mean;
                valid.set(row, true);
            }
        }
    }
    Column::with_valid(Data::Float(out), valid)
}

/// Whether rows are equal in all columns of an order.
pub fn ties<T: Other>(columns: &[&Column<T>]) -> impl Fn(u32, u32) -> bool + use<T> {
    let ranks: Vec<Vec<u64>> = columns.iter().map(|it| ranks(it)).collect();
    move |a, b| ranks.iter().all(|it| it[a as usize] == it[b as usize])
}
