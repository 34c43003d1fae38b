//! Linkage of records after Fellegi and Sunter (1969): which pairs are candidates, how much each level
//! of agreement weighs, and which records belong together.

use std::collections::{HashMap, HashSet};

use svc_contract::{
    registry::{Cx, OpError},
    value::{Text, Value},
};

use super::compare::{LEVELS, MISSING, level, normal, sound};

/// The most candidate pairs.
const MOST_PAIRS: usize = 5_000_000;

/// The most rows with the same key in one pass of blocking; larger groups say little.
const LARGEST_BLOCK: usize = 200;

/// The probabilities of the levels of one column.
#[derive(Clone, Debug)]
pub(super) struct Chances {
    /// Of pairs of the same thing.
    pub same: [f64; LEVELS],
    /// Of other pairs.
    pub other: [f64; LEVELS],
}

/// The columns to compare, normalized.
pub(super) struct Columns {
    /// For each column the cell of each row.
    pub cells: Vec<Vec<Option<Text>>>,
    pub rows: usize,
    /// How often each text is in its column, as a share.
    shares: Vec<HashMap<Text, f64>>,
}

impl Columns {
    pub(super) fn new(columns: impl Iterator<Item = Vec<Value>>, rows: usize) -> Self {
        let cells: Vec<Vec<Option<Text>>> =
            columns.map(|it| it.iter().map(normal).collect()).collect();
        #[expect(clippy::cast_precision_loss, reason = "there are at most 10^7 rows")]
        let shares = |column: &Vec<Option<Text>>| {
            let mut counts: HashMap<Text, f64> = HashMap::new();
            let present = column.iter().flatten().count().max(1) as f64;
            for it in column.iter().flatten() {
                *counts.entry(it.clone()).or_default() += 1.0;
            }
            // Of the other rows, as if there were some more: in a small table each value is frequent.
            let share = |(text, count)| (text, (count - 1.0) / (present + 20.0));
            counts.into_iter().map(share).collect()
        };
        let shares = cells.iter().map(shares).collect();
        Self { cells, rows, shares }
    }

    fn levels(&self, a: usize, b: usize) -> Vec<u8> {
        self.cells.iter().map(|it| level(it[a].as_ref(), it[b].as_ref())).collect()
    }

    /// The pairs of rows that agree in some key: a whole cell, or the sound or start of one together
    /// with the start of another column.
    pub(super) fn candidates(&self, prefix: usize, cx: &Cx) -> Result<Vec<(u32, u32)>, OpError> {
        let mut pairs = HashSet::new();
        let count = self.cells.len();
        let start = |it: &Text| it.chars().take(prefix).collect::<String>();
        for first in 0..count {
            self.pass(&mut pairs, cx, |row| {
                self.cells[first][row].as_ref().map(ToString::to_string)
            })?;
            for second in (0..count).filter(|it| *it != first) {
                self.pass(&mut pairs, cx, |row| {
                    let (a, b) =
                        (self.cells[first][row].as_ref()?, self.cells[second][row].as_ref()?);
                    let key = sound(a)
                        .map_or_else(|| start(a), |it| String::from_utf8_lossy(&it).into_owned());
                    Some(format!("{key}\0{}", start(b)))
                })?;
            }
        }
        // Rows that are equal in all columns may be many: each is compared with the next one only.
        let mut last: HashMap<Vec<Option<&Text>>, u32> = HashMap::new();
        for row in 0..self.rows {
            let Ok(number) = u32::try_from(row) else { continue };
            let key: Vec<Option<&Text>> = self.cells.iter().map(|it| it[row].as_ref()).collect();
            if key.iter().any(Option::is_some)
                && let Some(before) = last.insert(key, number)
            {
                pairs.insert((before, number));
            }
        }
        let mut pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        Ok(pairs)
    }

    fn pass(
        &self,
        pairs: &mut HashSet<(u32, u32)>,
        cx: &Cx,
        key: impl Fn(usize) -> Option<String>,
    ) -> Result<(), OpError> {
        cx.check()?;
        let mut blocks: HashMap<String, Vec<u32>> = HashMap::new();
        for row in 0..self.rows {
            if let (Some(key), Ok(row)) = (key(row), u32::try_from(row)) {
                blocks.entry(key).or_default().push(row);
            }
        }
        for rows in blocks.values().filter(|it| it.len() <= LARGEST_BLOCK) {
            for (at, a) in rows.iter().enumerate() {
                pairs.extend(rows[at + 1..].iter().map(|b| (*a, *b)));
            }
            if pairs.len() > MOST_PAIRS {
                let message =
                    format!("more than {MOST_PAIRS} pairs of rows would have to be compared");
                return Err(OpError::invalid_input(message)
                    .help("name more `keys`, raise `block`, or group the rows before"));
            }
        }
        Ok(())
    }

    /// The levels of all candidate pairs, one after the other.
    pub(super) fn compared(&self, pairs: &[(u32, u32)], cx: &Cx) -> Result<Vec<u8>, OpError> {
        let mut all = Vec::with_capacity(pairs.len() * self.cells.len());
        for (idx, (a, b)) in pairs.iter().enumerate() {
            if idx.is_multiple_of(4096) {
                cx.check()?;
            }
            all.extend(self.levels(*a as usize, *b as usize));
        }
        Ok(all)
    }

    /// How often the levels occur among pairs at random, which are nearly all of different things.
    pub(super) fn at_random(&self) -> Vec<[f64; LEVELS]> {
        const PAIRS: u64 = 100_000;
        let mut counts = vec![AT_RANDOM.map(|it| it * 100.0); self.cells.len()];
        let rows = self.rows as u64;
        let mut state = 1_u64;
        let mut draw = || {
            // SplitMix64, so that equal arguments give equal results.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut it = state;
            it = (it ^ (it >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            it = (it ^ (it >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            usize::try_from((it ^ (it >> 31)) % rows.max(1)).unwrap_or(0)
        };
        for _ in 0..PAIRS.min(rows.saturating_mul(rows)) {
            let (a, b) = (draw(), draw());
            if a != b {
                for (counts, it) in counts.iter_mut().zip(self.levels(a, b)) {
                    if it != MISSING {
                        counts[usize::from(it)] += 1.0;
                    }
                }
            }
        }
        counts.into_iter().map(shares).collect()
    }

    /// The logarithm of how much more likely this agreement is for the same thing. Agreement in a
    /// rare text weighs more than in a frequent one.
    fn weight(&self, column: usize, row: usize, level: u8, chances: &Chances) -> f64 {
        if level == MISSING {
            return 0.0;
        }
        let level = usize::from(level);
        let mut other = chances.other[level];
        if level == 0 {
            let share = self.cells[column][row].as_ref().and_then(|it| self.shares[column].get(it));
            other = share.map_or(other, |it| it.max(other / 100.0));
        }
        (chances.same[level] / other).ln()
    }

    /// The weight of each candidate pair, without the prior.
    pub(super) fn weights(
        &self,
        pairs: &[(u32, u32)],
        levels: &[u8],
        chances: &[Chances],
    ) -> Vec<f64> {
        let width = chances.len().max(1);
        let of = |((row, _), levels): (&(u32, u32), &[u8])| {
            let columns = levels.iter().zip(chances).enumerate();
            columns.map(|(at, (it, own))| self.weight(at, *row as usize, *it, own)).sum()
        };
        pairs.iter().zip(levels.chunks(width)).map(of).collect()
    }
}

pub(super) fn shares(counts: [f64; LEVELS]) -> [f64; LEVELS] {
    let sum: f64 = counts.iter().sum();
    counts.map(|it| it / sum)
}

/// The levels of pairs at random in most tables, which count as a hundred of them.
const AT_RANDOM: [f64; LEVELS] = [0.02, 0.02, 0.06, 0.9];

/// What the chances of pairs of the same thing are taken for before anything is known.
pub(super) const GUESS: [f64; LEVELS] = [0.85, 0.08, 0.04, 0.03];

/// Expectation maximization: the chances of pairs of the same thing, and the share of such pairs
/// among all pairs of `rows`. The chances of other pairs stay as they are: those of pairs at random.
///
/// Candidates agree in some column because they were chosen so. Therefore the share is one of all pairs,
/// not of candidates: an agreement that many pairs have must not count twice.
pub(super) fn fit(
    levels: &[u8],
    other: &[[f64; LEVELS]],
    rows: usize,
    cx: &Cx,
) -> Result<(Vec<Chances>, f64), OpError> {
    const ROUNDS: usize = 50;
    #[expect(clippy::cast_precision_loss, reason = "there are at most 10^7 rows")]
    let rows = rows as f64;
    let all = (rows * (rows - 1.0) / 2.0).max(1.0);
    let mut chances: Vec<Chances> =
        other.iter().map(|it| Chances { same: GUESS, other: *it }).collect();
    // Every tenth row has a double.
    let mut prior = share(rows / 10.0, all);
    // Equal patterns count once.
    let mut patterns: HashMap<&[u8], f64> = HashMap::new();
    for it in levels.chunks(other.len().max(1)) {
        *patterns.entry(it).or_default() += 1.0;
    }
    let mut patterns: Vec<(&[u8], f64)> = patterns.into_iter().collect();
    patterns.sort_unstable_by_key(|it| it.0);
    for _ in 0..ROUNDS {
        cx.check()?;
        let mut counts = vec![[0.0; LEVELS]; other.len()];
        let mut matches = 0.0;
        for (pattern, count) in &patterns {
            let weight: f64 = pattern
                .iter()
                .zip(&chances)
                .filter(|(it, _)| **it != MISSING)
                .map(|(it, own)| (own.same[usize::from(*it)] / own.other[usize::from(*it)]).ln())
                .sum();
            let share = count * probability(weight, prior);
            matches += share;
            for (counts, it) in counts.iter_mut().zip(*pattern) {
                if *it != MISSING {
                    counts[usize::from(*it)] += share;
                }
            }
        }
        let before = prior;
        prior = share(matches, all);
        for (own, counts) in chances.iter_mut().zip(counts) {
            // As if some pairs more had been seen, which agree as usual.
            own.same = shares(std::array::from_fn(|at| counts[at] + 5.0 * GUESS[at]));
        }
        if (prior - before).abs() < 1e-5 * before {
            break;
        }
    }
    Ok((chances, prior))
}

/// A share of pairs, as if ten more had been seen with one of the same thing.
fn share(matches: f64, total: f64) -> f64 {
    ((matches + 1.0) / (total + 10.0)).clamp(1e-12, 0.999)
}

/// The probability that a pair with this weight is of the same thing.
pub(super) fn probability(weight: f64, prior: f64) -> f64 {
    1.0 / (1.0 + (-(weight + (prior / (1.0 - prior)).ln())).exp())
}

/// The share of pairs of the same thing among pairs with these weights.
pub(super) fn prior(weights: &[f64]) -> f64 {
    let mut prior = 0.1;
    #[expect(clippy::cast_precision_loss, reason = "there are at most 2 * 10^7 pairs")]
    for _ in 0..30 {
        let sum: f64 = weights.iter().map(|it| probability(*it, prior)).sum();
        prior = share(sum, weights.len() as f64);
    }
    prior
}

/// The row that stands for the cluster of a row.
fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// Rows that belong together, each with the mean probability of its pairs.
pub(super) fn clusters(rows: usize, links: &[((u32, u32), f64)]) -> Vec<(Vec<usize>, f64)> {
    let mut parents: Vec<usize> = (0..rows).collect();
    for ((a, b), _) in links {
        let (a, b) = (root(&mut parents, *a as usize), root(&mut parents, *b as usize));
        // The first row stands for its cluster.
        let (low, high) = (a.min(b), a.max(b));
        parents[high] = low;
    }
    let mut sums: HashMap<usize, (f64, f64)> = HashMap::new();
    for ((a, _), score) in links {
        let sum = sums.entry(root(&mut parents, *a as usize)).or_default();
        *sum = (sum.0 + score, sum.1 + 1.0);
    }
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for row in 0..rows {
        let of = root(&mut parents, row);
        if sums.contains_key(&of) {
            members.entry(of).or_default().push(row);
        }
    }
    let mut all: Vec<(usize, Vec<usize>)> = members.into_iter().collect();
    all.sort_unstable();
    let score = |of: usize| sums.get(&of).map_or(0.0, |(sum, count)| sum / count);
    all.into_iter().map(|(of, rows)| (rows, score(of))).collect()
}
