//! Decision trees over binned columns: forests, extremely randomised trees, and boosting.
//!
//! `smartcore` has forests, but they cannot be stopped, return votes instead of probabilities, have no
//! boosting, and their trees are readable only through serde. One builder serves all here, as their
//! measures of a split are the same: with the sum of slopes `G` and of weights `H` of the rows of a
//! node it is `G² / (H + l2)`. For `G` the counts of classes it is that of Gini, for numbers
//! that of variance (Breiman et al. 1984), and for gradients that of Chen & Guestrin (2016).

use svc_contract::registry::{Cx, OpError};

use super::{
    encode::Matrix,
    state::{LEAF, Tree},
};

const MOST_BINS: usize = 255;
/// Nodes with fewer rows are sorted instead of counted in bins.
const FEW_ROWS: usize = 96;

/// The columns as places between borders, column after column.
pub(super) struct Bins {
    rows: usize,
    borders: Vec<Vec<f64>>,
    codes: Vec<u8>,
}

impl Bins {
    pub(super) fn new(x: &Matrix, cx: &Cx) -> Result<Self, OpError> {
        let rows = x.len();
        let mut borders = Vec::with_capacity(x.width);
        let mut codes = Vec::with_capacity(x.cells.len());
        for at in 0..x.width {
            cx.check()?;
            let column: Vec<f64> = x.rows().map(|it| it[at]).collect();
            let own = borders_of(column.clone());
            let code = |it: &f64| own.partition_point(|border| border < it);
            codes.extend(column.iter().map(|it| u8::try_from(code(it)).unwrap_or(u8::MAX)));
            borders.push(own);
        }
        Ok(Self { rows, borders, codes })
    }

    fn column(&self, at: usize) -> &[u8] {
        &self.codes[at * self.rows..][..self.rows]
    }
}

/// Numbers between the values of a column, at most so many that a place fits a byte.
fn borders_of(mut column: Vec<f64>) -> Vec<f64> {
    column.sort_by(f64::total_cmp);
    let mut distinct = column.clone();
    distinct.dedup();
    let between = |a: f64, b: f64| {
        let middle = a.midpoint(b);
        if middle < b { middle } else { a }
    };
    if distinct.len() <= MOST_BINS {
        return distinct.windows(2).map(|it| between(it[0], it[1])).collect();
    }
    let mut borders: Vec<f64> = (1..MOST_BINS)
        .map(|it| it * column.len() / MOST_BINS)
        .filter(|it| column[it - 1] < column[*it])
        .map(|it| between(column[it - 1], column[it]))
        .collect();
    borders.dedup();
    borders
}

/// What is learnt.
#[derive(Clone, Copy)]
pub(super) enum Slopes<'a> {
    /// The class of each row.
    Classes { of: &'a [usize], count: usize },
    /// The slope and the weight of each row.
    Numbers { slopes: &'a [f64], weights: &'a [f64] },
}

impl Slopes<'_> {
    fn outputs(self) -> usize {
        match self {
            Self::Classes { count, .. } => count,
            Self::Numbers { .. } => 1,
        }
    }

    /// Adds a row: its slopes, its weight, and how often it was drawn.
    fn add(self, to: &mut [f64], row: usize, times: f64) {
        let outputs = to.len() - 2;
        let weight = match self {
            Self::Classes { of, .. } => {
                to[of[row]] += times;
                1.0
            }
            Self::Numbers { slopes, weights } => {
                to[0] += times * slopes[row];
                weights[row]
            }
        };
        to[outputs] += times * weight;
        to[outputs + 1] += times;
    }
}

/// How trees grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub depth: usize,
    pub least_in_leaf: usize,
    /// How many columns are looked at for a split.
    pub columns: usize,
    /// Whether the border of a split is drawn instead of searched.
    pub is_drawn: bool,
    pub l2: f64,
}

pub(super) struct Grower<'a> {
    pub bins: &'a Bins,
    pub slopes: Slopes<'a>,
    pub shape: Shape,
}

struct Split {
    column: usize,
    /// Up to this place, a row goes to the left.
    code: usize,
    gain: f64,
}

/// A node to be grown: its rows, its depth, and the node whose right child it is.
struct Open {
    from: usize,
    to: usize,
    depth: usize,
    parent: Option<usize>,
}

impl Grower<'_> {
    /// Grows a tree on rows that were drawn `times` often. `leaf` of each of these rows becomes its
    /// leaf.
    pub(super) fn grow(
        &self,
        times: &[f64],
        leaf: &mut [u32],
        rng: &mut fastrand::Rng,
        cx: &Cx,
    ) -> Result<Tree, OpError> {
        let mut rows: Vec<u32> = (0..).zip(times).filter(|it| *it.1 > 0.0).map(|it| it.0).collect();
        let mut tree = Tree::default();
        let mut columns: Vec<usize> = (0..self.bins.borders.len()).collect();
        let mut open = vec![Open { from: 0, to: rows.len(), depth: 0, parent: None }];
        while let Some(node) = open.pop() {
            cx.check()?;
            let place = tree.features.len();
            if let Some(parent) = node.parent {
                tree.links[parent] = u32::try_from(place).unwrap_or(u32::MAX);
            }
            let own = &mut rows[node.from..node.to];
            let sums = self.sums(own, times);
            let split = if node.depth < self.shape.depth {
                self.split(own, times, &sums, &mut columns, rng)
            } else {
                None
            };
            let Some(split) = split else {
                let number =
                    u32::try_from(tree.values.len() / self.slopes.outputs()).unwrap_or(u32::MAX);
                for it in &*own {
                    leaf[*it as usize] = number;
                }
                tree.features.push(LEAF);
                tree.thresholds.push(0.0);
                tree.links.push(number);
                tree.values.extend(self.values(&sums));
                continue;
            };
            let codes = self.bins.column(split.column);
            own.sort_by_key(|it| usize::from(codes[*it as usize]) > split.code);
            let left = own.partition_point(|it| usize::from(codes[*it as usize]) <= split.code);
            let middle = node.from + left;
            tree.features.push(u16::try_from(split.column).unwrap_or(LEAF));
            tree.thresholds.push(self.bins.borders[split.column][split.code]);
            tree.links.push(0);
            let depth = node.depth + 1;
            open.push(Open { from: middle, to: node.to, depth, parent: Some(place) });
            open.push(Open { from: node.from, to: middle, depth, parent: None });
        }
        Ok(tree)
    }

    fn sums(&self, rows: &[u32], times: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.slopes.outputs() + 2];
        for it in rows {
            self.slopes.add(&mut sums, *it as usize, times[*it as usize]);
        }
        sums
    }

    #[expect(clippy::cast_possible_truncation, reason = "predictions need no more digits")]
    fn values(&self, sums: &[f64]) -> impl Iterator<Item = f32> {
        let outputs = self.slopes.outputs();
        let weight = sums[outputs] + self.shape.l2;
        sums[..outputs].iter().map(move |it| if weight > 0.0 { (it / weight) as f32 } else { 0.0 })
    }

    /// How much the slopes of a node agree.
    fn score(&self, sums: &[f64]) -> f64 {
        let outputs = sums.len() - 2;
        let weight = sums[outputs] + self.shape.l2;
        let squares: f64 = sums[..outputs].iter().map(|it| it * it).sum();
        if weight > 0.0 { squares / weight } else { 0.0 }
    }

    fn split(
        &self,
        rows: &[u32],
        times: &[f64],
        sums: &[f64],
        columns: &mut [usize],
        rng: &mut fastrand::Rng,
    ) -> Option<Split> {
        if rows.len() < 2 * self.shape.least_in_leaf.max(1) {
            return None;
        }
        let before = self.score(sums);
        let is_all = self.shape.columns >= columns.len();
        let mut best: Option<Split> = None;
        let mut looked = 0;
        let mut right = vec![0.0; sums.len()];
        for at in 0..columns.len() {
            if looked == self.shape.columns {
                break;
            }
            if !is_all {
                let other = rng.usize(at..columns.len());
                columns.swap(at, other);
            }
            let column = columns[at];
            let codes = self.bins.column(column);
            let all = rows.iter().map(|it| codes[*it as usize]);
            let (low, high) = all.fold((u8::MAX, 0), |(low, high), it| (low.min(it), high.max(it)));
            if low >= high {
                continue;
            }
            looked += 1;
            let mut keep = |code: usize, left: &[f64]| {
                let both = sums.iter().zip(left);
                right.iter_mut().zip(both).for_each(|(to, (all, it))| *to = all - it);
                #[expect(clippy::cast_precision_loss, reason = "there are at most 50,000 rows")]
                let least = self.shape.least_in_leaf as f64;
                let counts = left.len() - 1;
                if left[counts] < least || right[counts] < least {
                    return;
                }
                let gain = self.score(left) + self.score(&right) - before;
                let floor = best.as_ref().map_or(1e-12 * before.abs().max(1e-300), |it| it.gain);
                if gain > floor {
                    best = Some(Split { column, code, gain });
                }
            };
            let (low, high) = (usize::from(low), usize::from(high));
            if self.shape.is_drawn {
                let code = self.drawn(column, low, high, rng);
                let left: Vec<u32> = rows
                    .iter()
                    .copied()
                    .filter(|it| usize::from(codes[*it as usize]) <= code)
                    .collect();
                keep(code, &self.sums(&left, times));
            } else if rows.len() < FEW_ROWS {
                self.scan_sorted(rows, times, codes, &mut keep);
            } else {
                self.scan_bins(rows, times, codes, (low, high), &mut keep);
            }
        }
        best
    }

    /// A place between the lowest and the highest value of a node.
    fn drawn(&self, column: usize, low: usize, high: usize, rng: &mut fastrand::Rng) -> usize {
        let borders = &self.bins.borders[column];
        let (from, to) = (borders[low], borders[high - 1]);
        let at = from + rng.f64() * (to - from);
        borders.partition_point(|it| *it < at).clamp(low, high - 1)
    }

    fn scan_sorted(
        &self,
        rows: &[u32],
        times: &[f64],
        codes: &[u8],
        keep: &mut impl FnMut(usize, &[f64]),
    ) {
        let mut sorted: Vec<(u8, u32)> = rows.iter().map(|it| (codes[*it as usize], *it)).collect();
        sorted.sort_unstable();
        let mut left = vec![0.0; self.slopes.outputs() + 2];
        for pair in sorted.windows(2) {
            let row = pair[0].1 as usize;
            self.slopes.add(&mut left, row, times[row]);
            let (low, high) = (usize::from(pair[0].0), usize::from(pair[1].0));
            if low < high {
                // In the middle between both values, as places go.
                keep(low.midpoint(high - 1), &left);
            }
        }
    }

    fn scan_bins(
        &self,
        rows: &[u32],
        times: &[f64],
        codes: &[u8],
        (low, high): (usize, usize),
        keep: &mut impl FnMut(usize, &[f64]),
    ) {
        let width = self.slopes.outputs() + 2;
        let mut bins = vec![0.0; (high - low + 1) * width];
        for row in rows {
            let row = *row as usize;
            let at = (usize::from(codes[row]) - low) * width;
            self.slopes.add(&mut bins[at..at + width], row, times[row]);
        }
        let mut left = vec![0.0; width];
        for (code, bin) in (low..high).zip(bins.chunks_exact(width)) {
            if bin[width - 1] > 0.0 {
                left.iter_mut().zip(bin).for_each(|(sum, it)| *sum += it);
                keep(code, &left);
            }
        }
    }
}

impl Tree {
    /// The values of the leaf of a row; a damaged tree has none.
    pub(super) fn of(&self, row: &[f64], outputs: usize) -> Option<&[f32]> {
        let mut at = 0;
        loop {
            let feature = *self.features.get(at)?;
            let link = *self.links.get(at)? as usize;
            if feature == LEAF {
                let start = link.checked_mul(outputs)?;
                return self.values.get(start..start.checked_add(outputs)?);
            }
            let is_left = *row.get(usize::from(feature))? <= *self.thresholds.get(at)?;
            let next = if is_left { at + 1 } else { link };
            // Children come later, so that this ends.
            at = Some(next).filter(|it| *it > at)?;
        }
    }
}
