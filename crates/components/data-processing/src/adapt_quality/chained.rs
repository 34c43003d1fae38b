//! Missing values by models: each column is predicted from the others, round after round.
//!
//! These are chained equations as in MICE (van Buuren and Groothuis-Oudshoorn 2011), with the best of four
//! models for each column: its typical value, its nearest rows, a ridge regression, or the mean of the last
//! two. Which one is best is found on cells that are known and held out.

use std::collections::HashMap;

use svc_columns::{Column, Other as _, groups};
use svc_contract::{
    registry::{Cx, Field, OpError},
    value::{Text, Value},
};

use super::{
    impute::{Scaled, is_number, neighbours, number, of_neighbours, typical, with},
    ridge::Ridge,
};
use crate::rows::Frame;

/// The most values of a column of words that differ as a target, and as features.
const MOST_LEVELS: usize = 50;
const MOST_FEATURES: usize = 12;

/// The most features of all columns together.
const WIDEST: usize = 100;

/// The most rows that a regression is fitted to, and that neighbours are looked for in.
const MOST_FITTED: usize = 20_000;
const MOST_NEAR: usize = 4_000;

/// The comparisons of cells for the neighbours of a column, and the rows that are looked at in any case.
const MOST_COMPARED: usize = 500_000_000;
const FEWEST_NEAR: usize = 200;

/// The known cells that decide between the models, and their parts.
const HELD_OUT: usize = 600;
const FOLDS: usize = 5;

const ROUNDS: usize = 5;

/// Below this change in units of deviations, the rounds end.
const SETTLED: f64 = 0.01;

/// A model of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelOf {
    Typical,
    Near,
    Regression,
    /// The mean of both.
    Both,
}

impl ModelOf {
    const ALL: [Self; 4] = [Self::Typical, Self::Near, Self::Regression, Self::Both];

    fn name(self) -> &'static str {
        match self {
            Self::Typical => "the typical value",
            Self::Near => "the nearest rows",
            Self::Regression => "a ridge regression",
            Self::Both => "the nearest rows and a ridge regression",
        }
    }
}

/// A column with its gaps filled, as numbers.
enum Filled {
    Numbers {
        all: Vec<f64>,
        mean: f64,
        deviation: f64,
    },
    /// The levels from the most frequent one; `None` is any other value.
    Words {
        all: Vec<Option<usize>>,
        levels: usize,
    },
    /// Too many different values to be of any use.
    Other,
}

impl Filled {
    fn new(column: &Column<Value>) -> Self {
        if is_number(column) {
            let typical = f64::decode(typical(column)).unwrap_or(0.0);
            let of = |it| f64::decode(Value::of(it)).filter(|it| it.is_finite());
            let all: Vec<f64> = column.cells().map(|it| of(it).unwrap_or(typical)).collect();
            let count = float(all.len().max(1));
            let mean = all.iter().sum::<f64>() / count;
            let variance = all.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / count;
            let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
            return Self::Numbers { all, mean, deviation };
        }
        let found = groups(&[column], column.len());
        let is_missing = |group: usize| !column.is_valid(found.firsts[group] as usize);
        let mut counts: Vec<(usize, usize)> = (0..found.count()).map(|it| (0, it)).collect();
        found.codes.iter().for_each(|it| counts[*it as usize].0 += 1);
        counts.retain(|it| !is_missing(it.1));
        counts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        if counts.len() > MOST_LEVELS.max(column.len() / 20) {
            return Self::Other;
        }
        counts.truncate(MOST_LEVELS);
        let places: HashMap<usize, usize> =
            counts.iter().enumerate().map(|(place, it)| (it.1, place)).collect();
        // A gap begins as the most frequent value.
        let place = |group: u32| {
            let group = group as usize;
            if is_missing(group) { Some(0) } else { places.get(&group).copied() }
        };
        Self::Words { all: found.codes.iter().map(|it| place(*it)).collect(), levels: counts.len() }
    }

    fn width(&self) -> usize {
        match self {
            Self::Numbers { .. } => 1,
            Self::Words { levels, .. } => (*levels).min(MOST_FEATURES),
            Self::Other => 0,
        }
    }

    fn features(&self, row: usize, into: &mut Vec<f64>) {
        match self {
            Self::Numbers { all, mean, deviation } => {
                into.push(((all[row] - mean) / deviation).clamp(-10.0, 10.0));
            }
            Self::Words { all, .. } => {
                let one = |level| if all[row] == Some(level) { 1.0 } else { 0.0 };
                into.extend((0..self.width()).map(one));
            }
            Self::Other => {}
        }
    }
}

/// The state of a table between the rounds.
struct Chain<'a> {
    table: &'a Frame,
    filled: Vec<Filled>,
    scaled: Vec<Scaled>,
}

/// A column to fill in.
struct Target {
    at: usize,
    model: ModelOf,
    known: Vec<usize>,
    gaps: Vec<usize>,
    /// The predictions of the neighbours, which do not change between the rounds.
    near: Vec<Prediction>,
}

/// What is predicted for a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Prediction {
    Number(f64),
    Level(usize),
}

/// The columns of these names with their gaps filled.
pub(super) fn filled(
    table: &Frame,
    wanted: &[Text],
    cx: &Cx,
) -> Result<Vec<(Text, Column<Value>)>, OpError> {
    let filled = table.columns.iter().map(|it| Filled::new(it)).collect();
    let scaled = table.columns.iter().map(|it| Scaled::new(it)).collect();
    let mut chain = Chain { table, filled, scaled };
    let mut targets = Vec::new();
    for (at, name) in table.names.iter().enumerate() {
        let column = &table.columns[at];
        if wanted.contains(name) && column.null_count() > 0 && column.has_values() {
            targets.push(chain.target(at, name, cx)?);
        }
    }
    // A column with few gaps says most about the others.
    targets.sort_by_key(|it| it.gaps.len());
    for _ in 0..ROUNDS {
        let mut change = 0.0_f64;
        for target in &targets {
            change = change.max(chain.round(target, cx)?);
        }
        if change < SETTLED {
            break;
        }
    }
    Ok(targets.iter().map(|it| (table.names[it.at].clone(), chain.column(it))).collect())
}

impl Chain<'_> {
    /// Chooses the model of a column.
    fn target(&self, at: usize, name: &Text, cx: &Cx) -> Result<Target, OpError> {
        let column = &self.table.columns[at];
        let (known, gaps): (Vec<usize>, Vec<usize>) =
            (0..self.table.len()).partition(|it| column.is_valid(*it));
        let mut target = Target { at, model: ModelOf::Typical, known, gaps, near: Vec::new() };
        if matches!(self.filled[at], Filled::Other) || self.table.columns.len() < 2 {
            return Ok(target);
        }
        let errors = self.errors(&target, cx)?;
        let best = ModelOf::ALL.into_iter().zip(errors).min_by(|a, b| a.1.total_cmp(&b.1));
        target.model = best.map_or(ModelOf::Typical, |it| it.0);
        let share = best.map_or(1.0, |it| it.1) / errors[0];
        if target.model != ModelOf::Typical {
            let name = format!("`{name}` is filled in by {}", target.model.name());
            cx.notice(format!("{name}: {:.0} % of the error of the typical value", share * 100.0));
        }
        if matches!(target.model, ModelOf::Near | ModelOf::Both) {
            let cells = target.gaps.len() * self.table.columns.len();
            let most = (MOST_COMPARED / cells.max(1)).clamp(FEWEST_NEAR, MOST_NEAR);
            let among = spread(&target.known, most);
            for row in &target.gaps {
                cx.check()?;
                target.near.push(self.near(at, *row, &among));
            }
        }
        Ok(target)
    }

    /// The error of each model on known cells that are held out.
    fn errors(&self, target: &Target, cx: &Cx) -> Result<[f64; 4], OpError> {
        let held = spread(&target.known, HELD_OUT);
        let mut errors = [0.0; 4];
        if held.len() < 2 * FOLDS {
            return Ok(errors);
        }
        let known = spread(&target.known, MOST_FITTED);
        for fold in 0..FOLDS {
            let tested: Vec<usize> = held.iter().skip(fold).step_by(FOLDS).copied().collect();
            let is_tested: std::collections::HashSet<usize> = tested.iter().copied().collect();
            let rest: Vec<usize> =
                known.iter().filter(|it| !is_tested.contains(it)).copied().collect();
            let ridge = self.regression(target.at, &rest, cx)?;
            let typical = self.typical(target.at, &rest);
            let among = spread(&rest, MOST_NEAR);
            for row in tested {
                cx.check()?;
                let near = self.near(target.at, row, &among);
                let regression = self.predicted(target.at, row, &ridge);
                let both = mean(near, regression);
                for (error, it) in errors.iter_mut().zip([typical, near, regression, both]) {
                    *error += self.error(target.at, row, it);
                }
            }
        }
        Ok(errors)
    }

    fn error(&self, at: usize, row: usize, it: Prediction) -> f64 {
        match (&self.filled[at], it) {
            (Filled::Numbers { all, .. }, Prediction::Number(it)) => (all[row] - it).powi(2),
            (Filled::Words { all, .. }, Prediction::Level(it)) if all[row] == Some(it) => 0.0,
            _ => 1.0,
        }
    }

    /// The median, or the most frequent level, of these rows.
    fn typical(&self, at: usize, rows: &[usize]) -> Prediction {
        match &self.filled[at] {
            Filled::Numbers { all, .. } => {
                let mut values: Vec<f64> = rows.iter().map(|it| all[*it]).collect();
                values.sort_by(f64::total_cmp);
                Prediction::Number(values.get(values.len() / 2).copied().unwrap_or(0.0))
            }
            _ => Prediction::Level(0),
        }
    }

    fn near(&self, at: usize, row: usize, among: &[usize]) -> Prediction {
        let others = self.scaled.iter().enumerate().filter(|it| it.0 != at).map(|it| it.1);
        let near = neighbours(&others.collect::<Vec<_>>(), row, among);
        match &self.filled[at] {
            Filled::Numbers { .. } => {
                let value = of_neighbours(&self.table.columns[at], &near);
                Prediction::Number(f64::decode(value).unwrap_or(0.0))
            }
            Filled::Words { all, levels } => {
                let mut counts = vec![0_usize; *levels];
                near.iter().filter_map(|it| all[it.1]).for_each(|it| counts[it] += 1);
                let most = counts.iter().copied().max().unwrap_or(0);
                Prediction::Level(counts.iter().position(|it| *it == most).unwrap_or(0))
            }
            Filled::Other => Prediction::Level(0),
        }
    }

    /// The features of a row for a column: those of all others.
    fn features(&self, at: usize, row: usize) -> Vec<f64> {
        let mut all = vec![1.0];
        for (_, it) in self.filled.iter().enumerate().filter(|it| it.0 != at) {
            if all.len() + it.width() <= WIDEST {
                it.features(row, &mut all);
            }
        }
        all
    }

    /// A regression for a number, or one for each level.
    fn regression(&self, at: usize, rows: &[usize], cx: &Cx) -> Result<Ridge, OpError> {
        let rows = spread(rows, MOST_FITTED);
        let outputs = match &self.filled[at] {
            Filled::Words { levels, .. } => *levels,
            _ => 1,
        };
        let mut ridge = Ridge::new(outputs);
        for row in rows {
            cx.check()?;
            let of = match &self.filled[at] {
                Filled::Numbers { all, mean, deviation } => vec![(all[row] - mean) / deviation],
                Filled::Words { all, levels } => {
                    (0..*levels).map(|it| if all[row] == Some(it) { 1.0 } else { 0.0 }).collect()
                }
                Filled::Other => vec![0.0],
            };
            ridge.add(&self.features(at, row), &of);
        }
        ridge.solve();
        Ok(ridge)
    }

    fn predicted(&self, at: usize, row: usize, ridge: &Ridge) -> Prediction {
        let found = ridge.predicted(&self.features(at, row));
        match &self.filled[at] {
            Filled::Numbers { mean, deviation, .. } => {
                Prediction::Number(found.first().map_or(*mean, |it| it * deviation + mean))
            }
            _ => {
                let best = found.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
                Prediction::Level(best.map_or(0, |it| it.0))
            }
        }
    }

    /// Predicts the gaps of a column again, and returns how far they moved.
    fn round(&mut self, target: &Target, cx: &Cx) -> Result<f64, OpError> {
        let at = target.at;
        let ridge = match target.model {
            ModelOf::Regression | ModelOf::Both => Some(self.regression(at, &target.known, cx)?),
            _ => None,
        };
        let mut moved = 0.0_f64;
        for (idx, row) in target.gaps.iter().enumerate() {
            let near = target.near.get(idx).copied();
            let regression = ridge.as_ref().map(|it| self.predicted(at, *row, it));
            let found = match (near, regression) {
                (Some(near), Some(regression)) => mean(near, regression),
                (Some(it), None) | (None, Some(it)) => it,
                (None, None) => return Ok(0.0),
            };
            moved = moved.max(self.set(at, *row, found));
        }
        Ok(moved)
    }

    fn set(&mut self, at: usize, row: usize, to: Prediction) -> f64 {
        match (&mut self.filled[at], to) {
            (Filled::Numbers { all, deviation, .. }, Prediction::Number(it)) => {
                let change = (all[row] - it).abs() / *deviation;
                all[row] = it;
                change
            }
            (Filled::Words { all, .. }, Prediction::Level(it)) => {
                let change = if all[row] == Some(it) { 0.0 } else { 1.0 };
                all[row] = Some(it);
                change
            }
            _ => 0.0,
        }
    }

    /// The column with the values of the last round, which stay in the range of the known ones.
    fn column(&self, target: &Target) -> Column<Value> {
        let column = &self.table.columns[target.at];
        match &self.filled[target.at] {
            Filled::Numbers { all, .. } => {
                let known = || target.known.iter().map(|it| all[*it]);
                let low = known().fold(f64::INFINITY, f64::min);
                let high = known().fold(f64::NEG_INFINITY, f64::max);
                with(column, |row| number(column, all[row].clamp(low, high)))
            }
            Filled::Words { all, levels } => {
                let mut values = vec![Value::Null; *levels];
                for row in &target.known {
                    if let Some(level) = all[*row]
                        && values[level].is_null()
                    {
                        values[level] = Value::of(column.cell(*row));
                    }
                }
                with(column, |row| all[row].map_or(Value::Null, |it| values[it].clone()))
            }
            Filled::Other => {
                let value = typical(column);
                with(column, |_| value.clone())
            }
        }
    }
}

/// The mean of two numbers; of two levels, that of the regression, as there is none between.
fn mean(near: Prediction, regression: Prediction) -> Prediction {
    match (near, regression) {
        (Prediction::Number(a), Prediction::Number(b)) => Prediction::Number(f64::midpoint(a, b)),
        (_, it) => it,
    }
}

/// At most so many of these rows, evenly spread.
fn spread(rows: &[usize], most: usize) -> Vec<usize> {
    if rows.len() <= most {
        return rows.to_vec();
    }
    (0..most).map(|it| rows[it * rows.len() / most]).collect()
}

#[expect(clippy::cast_precision_loss, reason = "there are at most 10^7 rows")]
fn float(it: usize) -> f64 {
    it as f64
}
