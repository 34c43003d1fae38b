//! How the values of a table differ from those of an earlier one.

use std::collections::HashMap;

use svc_columns::{Column, Other as _};
use svc_contract::{
    choices,
    registry::{
        AnyRows, Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, params, record,
    },
    value::{Text, Value},
};
use svc_learn::hypothesis::{Alternative, chi2_of_table, ks};

use crate::rows::unified;

/// The bins of numbers: tenths of the reference, as scorecards have them.
const BINS: usize = 10;

/// The most words that are compared one by one; the rest is one more.
const MOST_WORDS: usize = 30;

/// The least share of a bin: an empty one would make the index infinite.
const LEAST: f64 = 1e-4;

/// The least values of a column on both sides.
const FEWEST: usize = 5;

choices! {
    /// How far a column has moved.
    enum Moved {
        None = "none",
        Small = "small",
        Large = "large",
        Unknown = "unknown",
    }
}

record! {
    /// How far a column has moved.
    struct ColumnDrift {
        /// The column.
        column: Text,
        /// `none`, `small`, `large`, or `unknown`.
        drift: Moved,
        /// The population stability index.
        psi: Option<f64>,
        /// How the p-value was computed.
        test: Text,
        /// Its statistic.
        statistic: Option<f64>,
        /// How probable such a difference is by chance.
        p_value: Option<f64>,
        /// The share of missing values in the reference.
        missing_before: f64,
        /// The share of missing values now.
        missing_now: f64,
        /// What stands out.
        notes: Vec<Text>,
    }
}

params! {
    /// Compares the columns of a table with those of an earlier one, the reference.
    ///
    /// Of numbers, dates and times the population stability index (PSI) is that of the tenths of the reference, and the test is
    /// Kolmogorov and Smirnov's; of words it is that of the 30 most frequent ones, and the test chi-squared. Missing values are
    /// a bin of their own in the index. The drift is `large` from a PSI of 0.25 and `small` from 0.1, the usual limits of
    /// scorecards (Siddiqi 2006), if such a difference has a `p_value` below 0.01 by chance: in small tables the index
    /// is large without a reason (Yurdakul and Naranjo 2020). A column that is only in one of the tables, and one with fewer
    /// than 5 values, is `unknown`.
    pub(super) struct Drift {
        /// The rows of now.
        rows: AnyRows,
        /// The rows of the reference.
        reference: AnyRows,
        /// The index from which a drift is small.
        #[range(0.0..=10.0)]
        small: f64 = 0.1,
        /// The index from which it is large.
        #[range(0.0..=10.0)]
        large: f64 = 0.25,
        /// The probability above which a difference is chance.
        #[range(0.0..=1.0)]
        significance: f64 = 0.01,
    }
}

impl Op for Drift {
    const NAME: &'static str = "drift";
    const YIELDS: Scheme = Vec::<ColumnDrift>::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "data drift between two tables",
        "population stability index",
        "has the distribution of a column changed",
        "compare this month's data with last month's",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Prices that went up",
            r#"let before = range(0, 200) >> each { { price: it, kind: "a" } }
let now = range(0, 200) >> each { { price: it + 150, kind: "a" } }
now >> profile.drift(reference: before) >> each { { column: .column, drift: .drift } }"#,
            r#"[{"column":"price","drift":"large"},{"column":"kind","drift":"none"}]"#,
        ),
        Example::err(
            "Not a table",
            r#""[1]" >> parse_json >> profile.drift(reference: [{ a: 1 }])"#,
            "expected a record as row 1, found int",
        ),
    ];
}

impl Compute for Drift {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        if self.small > self.large {
            let message = format!("`small` ({}) is above `large` ({})", self.small, self.large);
            return Err(OpError::invalid_input(message));
        }
        let now = self.rows.columns()?;
        let before = self.reference.columns().map_err(|err| {
            let message = format!("`reference`: {}", err.message);
            OpError { message, ..err }
        })?;
        let mut found = Vec::new();
        for name in before.names.iter() {
            cx.check()?;
            found.push(match (before.get(name), now.get(name)) {
                (Some(before), Some(now)) => self.compared(name, before, now, cx)?,
                _ => alone(name, "the column is gone"),
            });
        }
        let is_new = |it: &&Text| before.get(it).is_none();
        found.extend(now.names.iter().filter(is_new).map(|it| alone(it, "the column is new")));
        Ok(found.encode())
    }
}

fn alone(name: &Text, why: &str) -> ColumnDrift {
    ColumnDrift {
        column: name.clone(),
        drift: Moved::Unknown,
        psi: None,
        test: "none".into(),
        statistic: None,
        p_value: None,
        missing_before: 0.0,
        missing_now: 0.0,
        notes: vec![why.into()],
    }
}

/// The counts of the same bins in both tables; the last one is of missing values.
struct Counts {
    before: Vec<f64>,
    now: Vec<f64>,
}

impl Drift {
    fn compared(
        &self,
        name: &Text,
        before: &std::sync::Arc<Column<Value>>,
        now: &std::sync::Arc<Column<Value>>,
        cx: &Cx,
    ) -> Result<ColumnDrift, OpError> {
        let (before, now) = (unified(before), unified(now));
        let mut drift = ColumnDrift {
            missing_before: share(before.null_count(), before.len()),
            missing_now: share(now.null_count(), now.len()),
            ..alone(name, "")
        };
        drift.notes.clear();
        let there = |it: &Column<Value>| it.len() - it.null_count();
        if there(&before).min(there(&now)) < FEWEST {
            drift.notes.push(format!("fewer than {FEWEST} values").into());
            return Ok(drift);
        }
        let counts = match (numbers(&before), numbers(&now)) {
            (Some(old), Some(new)) => {
                let tested = ks(&old, &new, Alternative::TwoSided).ok();
                cx.check()?;
                drift.test = "kolmogorov-smirnov".into();
                (drift.statistic, drift.p_value) =
                    tested.map_or((None, None), |it| (Some(it.statistic), Some(it.p)));
                drift.notes.extend(outside(&old, &new));
                binned(old, &new)
            }
            (None, None) => of_words(&before, &now, &mut drift),
            (old, _) => {
                let was =
                    if old.is_some() { "numbers are now words" } else { "words are now numbers" };
                drift.drift = Moved::Large;
                drift.notes.push(was.into());
                return Ok(drift);
            }
        };
        let mut counts = counts;
        counts.before.push(float(before.null_count()));
        counts.now.push(float(now.null_count()));
        let psi = index(&counts);
        // Missing values alone can move a column.
        let gaps = chi2_of_table(&[
            vec![float(there(&before)), float(before.null_count())],
            vec![float(there(&now)), float(now.null_count())],
        ]);
        let gaps = gaps.map_or(1.0, |it| if it.p.is_nan() { 1.0 } else { it.p });
        let least = drift.p_value.unwrap_or(1.0).min(gaps);
        drift.psi = Some(rounded(psi));
        drift.drift = match psi {
            _ if least >= self.significance => Moved::None,
            it if it >= self.large => Moved::Large,
            it if it >= self.small => Moved::Small,
            _ => Moved::None,
        };
        if gaps < self.significance {
            drift.notes.push("the share of missing values changed".into());
        }
        Ok(drift)
    }
}

/// The numbers of a column, if it has no other values: also dates and times, as seconds.
fn numbers(column: &Column<Value>) -> Option<Vec<f64>> {
    let mut all = Vec::with_capacity(column.len());
    for cell in column.cells() {
        let number = match Value::of(cell) {
            Value::Null => continue,
            Value::Money(it) => it.dollars(),
            Value::Duration(it) => it.as_secs_f64(),
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of a calendar")]
            Value::Time(it) => it.as_millisecond() as f64 / 1e3,
            Value::Date(it) => f64::from(svc_contract::value::times::day_number(it)) * 86_400.0,
            it @ (Value::Int(_) | Value::Float(_)) => f64::decode(it)?,
            _ => return None,
        };
        if number.is_finite() {
            all.push(number);
        }
    }
    (!all.is_empty()).then_some(all)
}

/// What lies outside of the range of the reference.
fn outside(before: &[f64], now: &[f64]) -> Option<Text> {
    let low = before.iter().copied().fold(f64::INFINITY, f64::min);
    let high = before.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let count = now.iter().filter(|it| **it < low || **it > high).count();
    (count > 0).then(|| format!("{count} values outside of {low} to {high}").into())
}

/// Counts by the tenths of the reference.
fn binned(mut before: Vec<f64>, now: &[f64]) -> Counts {
    before.sort_by(f64::total_cmp);
    let mut edges: Vec<f64> =
        (1..BINS).map(|it| before[(before.len() * it / BINS).min(before.len() - 1)]).collect();
    edges.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let counted = |all: &[f64]| {
        let mut counts = vec![0.0; edges.len() + 1];
        for it in all {
            counts[edges.partition_point(|edge| edge <= it)] += 1.0;
        }
        counts
    };
    Counts { before: counted(&before), now: counted(now) }
}

/// Counts by words, with the test of independence.
fn of_words(before: &Column<Value>, now: &Column<Value>, drift: &mut ColumnDrift) -> Counts {
    let counted = |column: &Column<Value>| {
        let mut counts: HashMap<String, f64> = HashMap::new();
        for cell in column.cells() {
            let value = Value::of(cell);
            if !value.is_null() {
                *counts.entry(value.to_string()).or_default() += 1.0;
            }
        }
        counts
    };
    let (old, new) = (counted(before), counted(now));
    let mut words: Vec<&String> =
        old.keys().chain(new.keys().filter(|it| !old.contains_key(*it))).collect();
    let of = |all: &HashMap<String, f64>, word: &String| all.get(word).copied().unwrap_or(0.0);
    let both = |it: &String| of(&old, it) + of(&new, it);
    words.sort_by(|a, b| both(b).total_cmp(&both(a)).then_with(|| a.cmp(b)));
    let (kept, rest) = words.split_at(words.len().min(MOST_WORDS));
    let counts = |all: &HashMap<String, f64>| {
        let mut counts: Vec<f64> = kept.iter().map(|it| of(all, it)).collect();
        if !rest.is_empty() {
            counts.push(rest.iter().map(|it| of(all, it)).sum());
        }
        counts
    };
    let counts = Counts { before: counts(&old), now: counts(&new) };
    drift.test = "chi-squared".into();
    let tested = chi2_of_table(&[counts.before.clone(), counts.now.clone()]).ok();
    if let Some(it) = tested.filter(|it| it.p.is_finite()) {
        (drift.statistic, drift.p_value) = (Some(it.statistic), Some(it.p));
    }
    drift.notes.extend(only_in(&new, &old, "new"));
    drift.notes.extend(only_in(&old, &new, "gone"));
    counts
}

/// The words that only one side has.
fn only_in(one: &HashMap<String, f64>, other: &HashMap<String, f64>, what: &str) -> Option<Text> {
    const SHOWN: usize = 3;
    let mut words: Vec<&String> = one.keys().filter(|it| !other.contains_key(*it)).collect();
    words.sort_by(|a, b| one[*b].total_cmp(&one[*a]).then_with(|| a.cmp(b)));
    if words.is_empty() {
        return None;
    }
    let cut = |it: &&String| format!("`{}`", it.chars().take(40).collect::<String>());
    let shown: Vec<String> = words.iter().take(SHOWN).map(cut).collect();
    let more = words.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{what}: {}{more}", shown.join(", ")).into())
}

/// The population stability index: the sum of (now - before) ln(now / before) over the shares of the bins.
fn index(counts: &Counts) -> f64 {
    let (old, new): (f64, f64) = (counts.before.iter().sum(), counts.now.iter().sum());
    let shares = counts.before.iter().zip(&counts.now);
    // A bin that is empty on both sides says nothing.
    let shares = shares.filter(|it| *it.0 + *it.1 > 0.0);
    shares
        .map(|(before, now)| {
            let (before, now) = ((before / old).max(LEAST), (now / new).max(LEAST));
            (now - before) * (now / before).ln()
        })
        .sum()
}

fn rounded(it: f64) -> f64 {
    (it * 1e6).round() / 1e6
}

fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { rounded(float(part) / float(of)) }
}

#[expect(clippy::cast_precision_loss, reason = "there are at most 10^7 rows")]
fn float(it: usize) -> f64 {
    it as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_that_of_the_definition() {
        // By hand: (0.5-0.25) ln 2 + (0.5-0.75) ln (2/3).
        let counts = Counts { before: vec![25.0, 75.0], now: vec![10.0, 10.0] };
        assert!((index(&counts) - 0.274_653_072_2).abs() < 1e-9, "{}", index(&counts));
        let same = Counts { before: vec![1.0, 2.0, 0.0], now: vec![10.0, 20.0, 0.0] };
        assert!(index(&same).abs() < 1e-12);
    }
}
