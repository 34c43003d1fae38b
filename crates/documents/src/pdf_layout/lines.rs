//! Tables whose cells have lines around them.
//!
//! Lines that cross belong to one table. All places of its lines make a grid; two neighbours of the
//! grid without a line between them are one cell, whose text is in each of its rows and columns.

use super::{
    Placed,
    grid::Sets,
    joined,
    places::{Edge, THIN, Word},
    without_empty,
};

/// The maximum number of lines of a page in one direction; a drawing has more.
const MOST: usize = 4_000;

/// The maximum number of rows times columns of a table.
const MOST_CELLS: usize = 200_000;

/// Finds the tables, and takes their words.
pub(super) fn tables(
    vertical: Vec<Edge>,
    horizontal: Vec<Edge>,
    words: &mut Vec<Word>,
) -> Vec<Placed> {
    let (vertical, horizontal) = (merged(vertical), merged(horizontal));
    if vertical.len() > MOST || horizontal.len() > MOST {
        return Vec::new();
    }
    let mut sets = Sets::new(vertical.len() + horizontal.len());
    for (v, one) in vertical.iter().enumerate() {
        for (h, other) in horizontal.iter().enumerate() {
            if reaches(other, one.at) && reaches(one, other.at) {
                sets.join(v, vertical.len() + h);
            }
        }
    }
    let mut groups: Vec<(usize, Vec<Edge>, Vec<Edge>)> = Vec::new();
    let mut add = |root: usize, edge: &Edge, is_vertical: bool| {
        let at = groups.iter().position(|it| it.0 == root).unwrap_or_else(|| {
            groups.push((root, Vec::new(), Vec::new()));
            groups.len() - 1
        });
        if is_vertical { groups[at].1.push(*edge) } else { groups[at].2.push(*edge) }
    };
    for (idx, edge) in vertical.iter().enumerate() {
        add(sets.root(idx), edge, true);
    }
    for (idx, edge) in horizontal.iter().enumerate() {
        add(sets.root(vertical.len() + idx), edge, false);
    }
    groups.into_iter().filter_map(|(_, v, h)| Lattice::of(v, h)?.table(words)).collect()
}

fn reaches(edge: &Edge, place: f64) -> bool {
    (edge.start - THIN..=edge.end + THIN).contains(&place)
}

/// Moves lines that are nearly in one place there, and joins those that touch.
fn merged(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut merged: Vec<Edge> = Vec::new();
    for near in edges.chunk_by_mut(|a, b| b.at - a.at <= THIN / 2.0) {
        let at = near[near.len() / 2].at;
        near.sort_by(|a, b| a.start.total_cmp(&b.start));
        let first = merged.len();
        for edge in near.iter() {
            match merged[first..].last_mut() {
                Some(it) if edge.start <= it.end + THIN => it.end = it.end.max(edge.end),
                _ => merged.push(Edge { at, ..*edge }),
            }
        }
    }
    merged.retain(|it| it.end - it.start >= THIN);
    merged
}

/// The grid of the lines of a table.
struct Lattice {
    /// From left to right.
    columns: Vec<f64>,
    /// From top to bottom.
    rows: Vec<f64>,
    vertical: Vec<Edge>,
    horizontal: Vec<Edge>,
}

impl Lattice {
    fn of(vertical: Vec<Edge>, horizontal: Vec<Edge>) -> Option<Self> {
        let columns = places(&vertical, &horizontal);
        let mut rows = places(&horizontal, &vertical);
        rows.reverse();
        let cells = columns.len().saturating_sub(1) * rows.len().saturating_sub(1);
        let is_table = columns.len() > 2 && rows.len() > 1 && cells <= MOST_CELLS;
        is_table.then_some(Self { columns, rows, vertical, horizontal })
    }

    /// Reads the cells, or nothing unless two rows have several cells.
    fn table(&self, words: &mut Vec<Word>) -> Option<Placed> {
        let (width, height) = (self.columns.len() - 1, self.rows.len() - 1);
        let mut cells = self.cells(width, height);
        let mut texts: Vec<Vec<&Word>> = vec![Vec::new(); width * height];
        for word in words.iter() {
            if let Some(slot) = self.slot(word, width) {
                texts[cells.root(slot)].push(word);
            }
        }
        let mut has_several = |row: usize| {
            let mut roots = (0..width).map(|it| cells.root(row * width + it));
            let Some(first) = roots.by_ref().find(|it| !texts[*it].is_empty()) else {
                return false;
            };
            roots.any(|it| it != first && !texts[it].is_empty())
        };
        if (0..height).filter(|it| has_several(*it)).count() < 2 {
            return None;
        }
        let texts: Vec<String> = texts.into_iter().map(joined).collect();
        let cell = |slot: usize, cells: &mut Sets| texts[cells.root(slot)].clone();
        let rows = (0..height)
            .map(|row| (0..width).map(|it| cell(row * width + it, &mut cells)).collect())
            .collect();
        let rows = without_empty(rows);
        if rows.first().map_or(0, Vec::len) < 2 {
            return None;
        }
        words.retain(|it| self.slot(it, width).is_none());
        Some(Placed { top: self.rows[0], left: self.columns[0], rows })
    }

    /// The cells as sets of places of the grid.
    fn cells(&self, width: usize, height: usize) -> Sets {
        let mut right = vec![false; width * height];
        let mut below = vec![false; width * height];
        for edge in &self.vertical {
            let Some(column) = near(&self.columns, edge.at).and_then(|it| it.checked_sub(1)) else {
                continue;
            };
            for row in 0..height {
                let middle = f64::midpoint(self.rows[row], self.rows[row + 1]);
                if column < width && (edge.start..=edge.end).contains(&middle) {
                    right[row * width + column] = true;
                }
            }
        }
        for edge in &self.horizontal {
            let Some(row) = near(&self.rows, edge.at).and_then(|it| it.checked_sub(1)) else {
                continue;
            };
            for column in 0..width {
                let middle = f64::midpoint(self.columns[column], self.columns[column + 1]);
                if row < height && (edge.start..=edge.end).contains(&middle) {
                    below[row * width + column] = true;
                }
            }
        }
        let mut cells = Sets::new(width * height);
        for row in 0..height {
            for column in 0..width {
                let slot = row * width + column;
                if column + 1 < width && !right[slot] {
                    cells.join(slot, slot + 1);
                }
                if row + 1 < height && !below[slot] {
                    cells.join(slot, slot + width);
                }
            }
        }
        cells
    }

    /// The place of the grid in which the middle of a word is.
    fn slot(&self, word: &Word, width: usize) -> Option<usize> {
        let (x, y) = word.middle();
        let column = self.columns.partition_point(|it| *it <= x).checked_sub(1)?;
        let row = self.rows.partition_point(|it| *it >= y).checked_sub(1)?;
        (column < width && row + 1 < self.rows.len()).then_some(row * width + column)
    }
}

/// The places of lines, and the ends of those that cross them: the sides of a table may be open.
fn places(edges: &[Edge], crossing: &[Edge]) -> Vec<f64> {
    let mut all: Vec<f64> = edges.iter().map(|it| it.at).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|next, it| *next - *it <= THIN / 2.0);
    if let (Some(first), Some(last)) = (all.first().copied(), all.last().copied()) {
        let start = crossing.iter().map(|it| it.start).fold(first, f64::min);
        let end = crossing.iter().map(|it| it.end).fold(last, f64::max);
        if start < first - 3.0 * THIN {
            all.insert(0, start);
        }
        if end > last + 3.0 * THIN {
            all.push(end);
        }
    }
    all
}

/// The index of the place of a line.
fn near(places: &[f64], place: f64) -> Option<usize> {
    places.iter().position(|it| (it - place).abs() <= THIN / 2.0)
}
