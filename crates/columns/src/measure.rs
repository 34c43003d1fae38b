//! Numbers about the rows of each group.

use std::time::Duration;

use crate::{
    Groups,
    codes::groups,
    column::{Cell, Column, Data, Other},
    error::TableError,
    sort::ranks,
    total::FloatSum,
};

/// What is measured of the values of a group. Rows without a value do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// The number of values.
    Count,
    /// The number of distinct values.
    Distinct,
    Sum,
    Avg,
    Min,
    Max,
    First,
    Last,
    /// The value below which this share of the values is, interpolated.
    Quantile(f64),
    /// The variance of a sample.
    Variance,
    /// The standard deviation of a sample.
    Deviation,
}

impl Measure {
    /// The measure of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "distinct" => Self::Distinct,
            "sum" => Self::Sum,
            "avg" | "mean" => Self::Avg,
            "min" => Self::Min,
            "max" => Self::Max,
            "first" => Self::First,
            "last" => Self::Last,
            "median" => Self::Quantile(0.5),
            "variance" => Self::Variance,
            "stddev" => Self::Deviation,
            _ => return None,
        })
    }

    /// Its name, for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Distinct => "distinct",
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::First => "first",
            Self::Last => "last",
            Self::Quantile(0.5) => "median",
            Self::Quantile(_) => "quantile",
            Self::Variance => "variance",
            Self::Deviation => "stddev",
        }
    }

    /// All names.
    pub const NAMES: [&'static str; 11] = [
        "count", "distinct", "sum", "avg", "min", "max", "first", "last", "median", "variance",
        "stddev",
    ];
}

/// The measure of each group, in the order of the groups; null where a group has no value, but 0
/// for counts.
///
/// # Errors
///
/// If the column's kind has no such measure, or a sum is out of range.
pub fn measure<T: Other>(
    of: Measure,
    column: &Column<T>,
    by: &Groups,
) -> Result<Column<T>, TableError> {
    match of {
        Measure::Count => Ok(count(column, by)),
        Measure::Distinct => Ok(distinct(column, by)),
        Measure::Sum => sum(column, by),
        Measure::Avg => avg(column, by),
        Measure::Min => Ok(extreme(column, by, |new, old| new < old)),
        Measure::Max => Ok(extreme(column, by, |new, old| new > old)),
        Measure::First => Ok(chosen(column, by, false)),
        Measure::Last => Ok(chosen(column, by, true)),
        Measure::Quantile(share) => quantile(column, by, share),
        Measure::Variance | Measure::Deviation => variance(of, column, by),
    }
}

/// Rows with a value, with their groups.
fn rows<'a, T: Other>(
    column: &'a Column<T>,
    by: &'a Groups,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let codes = by.codes.iter().enumerate().map(|(row, it)| (row, *it as usize));
    codes.filter(|(row, _)| column.is_valid(*row))
}

fn counts<T: Other>(column: &Column<T>, by: &Groups) -> Vec<i64> {
    let mut all = vec![0; by.count()];
    rows(column, by).for_each(|(_, group)| all[group] += 1);
    all
}

fn count<T: Other>(column: &Column<T>, by: &Groups) -> Column<T> {
    Column::new(Data::Int(counts(column, by)))
}

fn distinct<T: Other>(column: &Column<T>, by: &Groups) -> Column<T> {
    let ids: Vec<i64> = by.codes.iter().map(|it| i64::from(*it)).collect();
    let ids = Column::new(Data::Int(ids));
    let pairs = groups(&[&ids, column], column.len());
    let mut all = vec![0; by.count()];
    for row in &pairs.firsts {
        if column.is_valid(*row as usize) {
            all[by.codes[*row as usize] as usize] += 1;
        }
    }
    Column::new(Data::Int(all))
}

/// A column of results, null for groups without a value.
fn filled<T: Other>(data: Data<T>, counts: &[i64]) -> Column<T> {
    Column::with_valid(data, counts.iter().map(|it| *it > 0).collect())
}

fn no_measure<T: Other>(what: &str, column: &Column<T>) -> TableError {
    no_numbers(what, column.kind_name())
}

/// A measure of numbers does not take values of this kind.
pub(crate) fn no_numbers(what: &str, found: &str) -> TableError {
    TableError::new(format!("expected numbers for `{what}`, found {found}"))
        .help("name a column of numbers, or convert it first")
}

/// The mean of durations, in nanoseconds.
fn mean_duration(sum: u128, count: i64) -> Duration {
    let nanos = sum / u128::try_from(count.max(1)).unwrap_or(1);
    Duration::from_nanos_u128(nanos)
}

fn too_large<T: Other>(what: &str, column: &Column<T>) -> TableError {
    let kind = column.kind_name();
    let error = TableError::new(format!("the result of `{what}` is too large for {kind}"));
    match column.data {
        Data::Int(_) => error.help("convert the column with `float(..)`"),
        _ => error.help("make smaller groups, or divide the values first"),
    }
}

/// Sums in a wider type, so that only the result can be out of range.
fn whole_sums<T: Other>(column: &Column<T>, all: &[i64], by: &Groups) -> Vec<i128> {
    let mut sums = vec![0_i128; by.count()];
    rows(column, by).for_each(|(row, group)| sums[group] += i128::from(all[row]));
    sums
}

fn float_sums<T: Other>(column: &Column<T>, all: &[f64], by: &Groups) -> Vec<f64> {
    let mut sums = vec![FloatSum::default(); by.count()];
    rows(column, by).for_each(|(row, group)| sums[group].add(all[row]));
    sums.into_iter().map(FloatSum::value).collect()
}

fn narrow<T: Other>(
    sums: Vec<i128>,
    what: &str,
    column: &Column<T>,
) -> Result<Vec<i64>, TableError> {
    sums.into_iter().map(|it| i64::try_from(it).map_err(|_| too_large(what, column))).collect()
}

fn sum<T: Other>(column: &Column<T>, by: &Groups) -> Result<Column<T>, TableError> {
    let data = match &column.data {
        Data::Int(all) => Data::Int(narrow(whole_sums(column, all, by), "sum", column)?),
        Data::Money(all) => Data::Money(narrow(whole_sums(column, all, by), "sum", column)?),
        Data::Float(all) => Data::Float(float_sums(column, all, by)),
        Data::Duration(all) => {
            let mut sums = vec![Duration::ZERO; by.count()];
            for (row, group) in rows(column, by) {
                let sum = sums[group].checked_add(all[row]);
                sums[group] = sum.ok_or_else(|| too_large("sum", column))?;
            }
            Data::Duration(sums)
        }
        _ if !column.has_values() => return Ok(Column::nulls(by.count())),
        _ => return Err(no_measure("sum", column)),
    };
    Ok(filled(data, &counts(column, by)))
}

#[expect(clippy::cast_precision_loss, reason = "an average is a float")]
fn avg<T: Other>(column: &Column<T>, by: &Groups) -> Result<Column<T>, TableError> {
    let counts = counts(column, by);
    let data = match &column.data {
        Data::Int(all) => {
            let sums = whole_sums(column, all, by);
            Data::Float(sums.iter().zip(&counts).map(|(sum, n)| *sum as f64 / *n as f64).collect())
        }
        Data::Float(all) => {
            let sums = float_sums(column, all, by);
            Data::Float(sums.iter().zip(&counts).map(|(sum, n)| sum / *n as f64).collect())
        }
        Data::Money(all) => {
            let sums = whole_sums(column, all, by).into_iter().zip(&counts);
            let avgs = sums.map(|(sum, n)| sum / i128::from((*n).max(1))).collect();
            Data::Money(narrow(avgs, "avg", column)?)
        }
        Data::Duration(all) => {
            let mut sums = vec![0_u128; by.count()];
            for (row, group) in rows(column, by) {
                sums[group] = sums[group].saturating_add(all[row].as_nanos());
            }
            Data::Duration(
                sums.into_iter().zip(&counts).map(|(sum, n)| mean_duration(sum, *n)).collect(),
            )
        }
        _ if !column.has_values() => return Ok(Column::nulls(by.count())),
        _ => return Err(no_measure("avg", column)),
    };
    Ok(filled(data, &counts))
}

/// The rows whose values are least or greatest; of equal ones the first.
fn extreme<T: Other>(
    column: &Column<T>,
    by: &Groups,
    is_better: impl Fn(u64, u64) -> bool,
) -> Column<T> {
    let ranks = ranks(column);
    let mut best: Vec<Option<u32>> = vec![None; by.count()];
    for (row, group) in rows(column, by) {
        // NaN counts only without another value.
        let is_nan = |row: usize| matches!(column.cell(row), Cell::Float(it) if it.is_nan());
        let is_new = best[group].is_none_or(|old| {
            let old = old as usize;
            (is_better(ranks[row], ranks[old]) && !is_nan(row)) || (is_nan(old) && !is_nan(row))
        });
        if is_new {
            best[group] = Some(crate::column::code(row));
        }
    }
    column.take_some(&best)
}

fn chosen<T: Other>(column: &Column<T>, by: &Groups, is_last: bool) -> Column<T> {
    let mut found: Vec<Option<u32>> = vec![None; by.count()];
    for (row, group) in rows(column, by) {
        if is_last || found[group].is_none() {
            found[group] = Some(crate::column::code(row));
        }
    }
    column.take_some(&found)
}

/// The values as floats, for statistics.
#[expect(clippy::cast_precision_loss, reason = "statistics are floats")]
pub(crate) fn floats<T: Other>(what: &str, column: &Column<T>) -> Result<Vec<f64>, TableError> {
    match &column.data {
        Data::Int(all) => Ok(all.iter().map(|it| *it as f64).collect()),
        Data::Float(all) => Ok(all.clone()),
        _ if !column.has_values() => Ok(vec![0.0; column.len()]),
        _ => Err(no_measure(what, column)),
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place between the first and the last value"
)]
fn quantile<T: Other>(
    column: &Column<T>,
    by: &Groups,
    share: f64,
) -> Result<Column<T>, TableError> {
    let values = floats(Measure::Quantile(share).name(), column)?;
    let (order, starts) = by.rows();
    let counts = counts(column, by);
    let mut of_group = Vec::new();
    let quantiles = starts.windows(2).map(|bounds| {
        of_group.clear();
        let rows = order[bounds[0] as usize..bounds[1] as usize].iter().map(|it| *it as usize);
        of_group.extend(rows.filter(|it| column.is_valid(*it)).map(|it| values[it]));
        let Some(last) = of_group.len().checked_sub(1) else { return 0.0 };
        let place = share * last as f64;
        let below = (place.floor() as usize).min(last);
        let (_, low, above) = of_group.select_nth_unstable_by(below, f64::total_cmp);
        let low = *low;
        let part = place - place.floor();
        let next = above.iter().copied().min_by(f64::total_cmp);
        next.map_or(low, |next| if part == 0.0 { low } else { (next - low).mul_add(part, low) })
    });
    Ok(filled(Data::Float(quantiles.collect()), &counts))
}

/// In two passes, so that large values with a small variance lose nothing. The mean is rounded, which the sum of
/// the differences corrects (Chan et al., 1983), as in `stdev` of lists.
#[expect(clippy::cast_precision_loss, reason = "a count is far below 2^53")]
fn variance<T: Other>(
    measure: Measure,
    column: &Column<T>,
    by: &Groups,
) -> Result<Column<T>, TableError> {
    let of = if measure == Measure::Deviation { f64::sqrt } else { |it| it };
    let values = floats(measure.name(), column)?;
    let counts = counts(column, by);
    let mut means = float_sums(column, &values, by);
    means.iter_mut().zip(&counts).for_each(|(it, n)| *it /= *n as f64);
    let mut parts = vec![(FloatSum::default(), FloatSum::default()); by.count()];
    for (row, group) in rows(column, by) {
        let difference = values[row] - means[group];
        parts[group].0.add(difference.powi(2));
        parts[group].1.add(difference);
    }
    let all = parts.iter().zip(&counts).map(|((squares, rest), n)| {
        let (squares, rest, n) = (squares.value(), rest.value(), *n as f64);
        let squares = squares - rest * rest / n;
        // Not `max`, which would hide that a value is not a number.
        of(if squares < 0.0 { 0.0 } else { squares } / (n - 1.0).max(1.0))
    });
    let data = Data::Float(all.collect());
    Ok(Column::with_valid(data, counts.iter().map(|it| *it > 1).collect()))
}

/// The correlation of two columns in each group, over the rows in which both have a value.
pub(crate) fn correlation<T: Other>(
    a: &Column<T>,
    b: &Column<T>,
    by: &Groups,
) -> Result<Column<T>, TableError> {
    let (xs, ys) = (floats("corr", a)?, floats("corr", b)?);
    let both = || rows(a, by).filter(|(row, _)| b.is_valid(*row));
    let mut sums = vec![(0.0_f64, 0.0_f64, 0.0_f64); by.count()];
    for (row, group) in both() {
        let it = &mut sums[group];
        *it = (it.0 + xs[row], it.1 + ys[row], it.2 + 1.0);
    }
    let mut parts = vec![(0.0_f64, 0.0_f64, 0.0_f64); by.count()];
    for (row, group) in both() {
        let (x_sum, y_sum, n) = sums[group];
        let (x, y) = (xs[row] - x_sum / n, ys[row] - y_sum / n);
        let it = &mut parts[group];
        *it = (x.mul_add(y, it.0), x.mul_add(x, it.1), y.mul_add(y, it.2));
    }
    let all: Vec<f64> = parts.iter().map(|(xy, xx, yy)| xy / (xx * yy).sqrt()).collect();
    let valid = all.iter().map(|it| it.is_finite()).collect();
    Ok(Column::with_valid(Data::Float(all), valid))
}
