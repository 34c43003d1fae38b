//! Turns rows into numbers. What is learnt for it comes from the rows to learn from alone.

use std::collections::HashMap;

use super::{
    state::{Column, ColumnKind},
    table::{Cells, CellsOf},
};

/// The most columns that all categories become, and those of one column.
const MOST_ENCODED: usize = 400;
const MOST_OF_COLUMN: usize = 30;

/// Rows of numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrix {
    pub width: usize,
    /// Row after row.
    pub cells: Vec<f64>,
}

impl Matrix {
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        // A table without columns has rows, too: they are all equal.
        self.cells.chunks_exact(self.width.max(1))
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    /// The mean and the standard deviation of each column.
    #[expect(clippy::cast_precision_loss, reason = "there are at most 50,000 rows")]
    pub(super) fn scales(&self) -> Vec<(f64, f64)> {
        let n = self.len().max(1) as f64;
        let mut scales = vec![(0.0, 0.0); self.width];
        for row in self.rows() {
            scales.iter_mut().zip(row).for_each(|(it, cell)| it.0 += cell / n);
        }
        for row in self.rows() {
            let both = scales.iter_mut().zip(row);
            both.for_each(|(it, cell)| it.1 += (cell - it.0) * (cell - it.0) / n);
        }
        for it in &mut scales {
            it.1 = it.1.sqrt();
        }
        scales
    }

    /// Each column with the mean 0 and the standard deviation 1; a constant one is 0.
    pub(super) fn scaled(&self, scales: &[(f64, f64)]) -> Self {
        let cells = self.rows().flat_map(|row| scaled(row, scales)).collect();
        Self { width: self.width, cells }
    }
}

pub(super) fn scaled(row: &[f64], scales: &[(f64, f64)]) -> Vec<f64> {
    let is_spread = |(mean, sd): (f64, f64)| sd > 1e-12 * mean.abs().max(1e-100);
    let one =
        |(cell, it): (&f64, &(f64, f64))| if is_spread(*it) { (cell - it.0) / it.1 } else { 0.0 };
    row.iter().zip(scales).map(one).collect()
}

/// How these columns are encoded, as learnt from some rows.
pub(super) fn plan(columns: &[Cells], rows: &[usize]) -> Vec<Column> {
    let categories =
        columns.iter().filter(|it| matches!(it.of, CellsOf::Categories { .. })).count();
    let most = (MOST_ENCODED / categories.max(1)).clamp(2, MOST_OF_COLUMN);
    let kind = |it: &CellsOf| match it {
        CellsOf::Numbers(all) => {
            let mut known: Vec<f64> =
                rows.iter().map(|it| all[*it]).filter(|it| !it.is_nan()).collect();
            let has_missing = known.len() < rows.len();
            ColumnKind::Number { median: median(&mut known), has_missing }
        }
        CellsOf::Categories { codes, names } => {
            let mut counts: HashMap<u32, usize> = HashMap::new();
            rows.iter()
                .filter_map(|it| codes[*it])
                .for_each(|it| *counts.entry(it).or_default() += 1);
            // What occurs once says nothing about other rows.
            let mut common: Vec<(usize, &str)> = counts
                .into_iter()
                .filter(|it| it.1 > 1)
                .map(|(code, count)| (count, names[code as usize].as_ref()))
                .collect();
            common.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
            let values = common.into_iter().take(most).map(|it| it.1.to_owned()).collect();
            ColumnKind::Category { values }
        }
    };
    columns.iter().map(|it| Column { name: it.name.to_string(), kind: kind(&it.of) }).collect()
}

fn median(all: &mut [f64]) -> f64 {
    if all.is_empty() {
        return 0.0;
    }
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    if all.len() % 2 == 1 { all[middle] } else { all[middle - 1].midpoint(all[middle]) }
}

/// The number of encoded columns.
pub(super) fn width(plan: &[Column]) -> usize {
    let of = |it: &Column| match &it.kind {
        ColumnKind::Number { has_missing, .. } => 1 + usize::from(*has_missing),
        ColumnKind::Category { values } => values.len(),
    };
    plan.iter().map(of).sum()
}

/// Encodes a number that may be missing.
pub(super) fn push_number(cells: &mut Vec<f64>, median: f64, has_missing: bool, value: f64) {
    // So that differences of squares stay finite.
    let bounded = value.clamp(-1e100, 1e100);
    cells.push(if value.is_nan() { median } else { bounded });
    if has_missing {
        cells.push(f64::from(u8::from(value.is_nan())));
    }
}

/// Encodes a category: 1 in its own column.
pub(super) fn push_category(cells: &mut Vec<f64>, values: &[String], value: Option<&str>) {
    cells.extend(values.iter().map(|it| f64::from(u8::from(Some(it.as_str()) == value))));
}

/// Some rows of the columns, encoded.
pub(super) fn encode(columns: &[Cells], plan: &[Column], rows: &[usize]) -> Matrix {
    let width = width(plan);
    let mut cells = Vec::with_capacity(rows.len() * width);
    for row in rows {
        for (own, column) in columns.iter().zip(plan) {
            match (&own.of, &column.kind) {
                (CellsOf::Numbers(all), ColumnKind::Number { median, has_missing }) => {
                    push_number(&mut cells, *median, *has_missing, all[*row]);
                }
                (CellsOf::Categories { codes, names }, ColumnKind::Category { values }) => {
                    let name = codes[*row].map(|it| names[it as usize].as_ref());
                    push_category(&mut cells, values, name);
                }
                _ => {}
            }
        }
    }
    // A table whose columns say nothing has one that is 0.
    if width == 0 {
        return Matrix { width: 1, cells: vec![0.0; rows.len()] };
    }
    Matrix { width, cells }
}
