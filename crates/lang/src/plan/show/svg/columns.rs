//! Rows from top to bottom; a picture much taller than wide continues in the next column.

use super::{
    layers::Rows,
    measure::Px,
    place::{Fall, Layout, ROW_GAPS, Wire},
};

/// Rows that are taller than this in total are split into columns.
const TALL: Px = 2_400;

/// The gap between columns, where arrows go up.
const GUTTER: Px = 44;

/// The gap above and below columns, where arrows go around.
const BEND: Px = 16;

/// Rows with their places.
pub(super) struct Columns<'a> {
    sizes: &'a [(Px, Px)],
    rows: &'a Rows,
    centres: &'a [Px],
    /// The horizontal extent of the boxes of a column.
    left: Px,
    width: Px,
    spans: Vec<Span>,
}

/// The position of a row.
#[derive(Clone, Copy, Debug)]
struct Span {
    column: usize,
    top: Px,
    bottom: Px,
}

impl<'a> Columns<'a> {
    pub(super) fn of(sizes: &'a [(Px, Px)], rows: &'a Rows, centres: &'a [Px]) -> Self {
        let mut columns = Self { sizes, rows, centres, left: 0, width: 0, spans: Vec::new() };
        let slots = 0..centres.len();
        let right = |slot| columns.slot_left(slot) + rows.slots[slot].width;
        columns.width = slots.clone().map(right).max().unwrap_or(0);
        columns.left = slots.map(|it| columns.slot_left(it)).min().unwrap_or(0);
        columns.width -= columns.left;
        columns.spans = columns.spans();
        columns
    }

    fn slot_left(&self, slot: usize) -> Px {
        self.centres[slot] - self.rows.slots[slot].width / 2
    }

    fn slot_height(&self, slot: usize) -> Px {
        self.rows.slots[slot].part.map_or(0, |it| self.sizes[it].1)
    }

    fn spans(&self) -> Vec<Span> {
        let gap = if self.rows.links.is_empty() { ROW_GAPS.1 } else { ROW_GAPS.0 };
        let height = |row: &Vec<usize>| row.iter().map(|it| self.slot_height(*it)).max();
        let heights: Vec<Px> = self.rows.lists.iter().map(|it| height(it).unwrap_or(0)).collect();
        let tallest = self.tallest(heights.iter().map(|it| it + gap).sum());
        let start = if tallest == Px::MAX { 0 } else { BEND };
        let (mut column, mut top) = (0, start);
        let mut spans = Vec::new();
        for (row, height) in heights.iter().enumerate() {
            if top > tallest && self.is_foldable(row) {
                (column, top) = (column + 1, start);
            }
            spans.push(Span { column, top, bottom: top + height });
            top += height + gap;
        }
        spans
    }

    /// The height of a column before the next one begins, if all rows have this total height.
    fn tallest(&self, all: Px) -> Px {
        if all < TALL || all < 3 * self.width {
            return Px::MAX;
        }
        let columns = (all / (self.width + GUTTER)).isqrt().max(1);
        all / columns
    }

    /// Whether all arrows into a row can go around together.
    fn is_foldable(&self, row: usize) -> bool {
        let into = || self.rows.links.iter().filter(|(_, to)| self.rows.slots[*to].row == row);
        let is_one = |mut all: Vec<usize>| {
            all.sort_unstable();
            all.dedup();
            all.len() <= 1
        };
        is_one(into().map(|it| it.0).collect()) || is_one(into().map(|it| it.1).collect())
    }

    /// The left edge of a column.
    fn column_left(&self, column: usize) -> Px {
        let column = Px::try_from(column).unwrap_or(Px::MAX);
        column.saturating_mul(self.width + GUTTER)
    }

    fn bottom(&self, column: usize) -> Px {
        let own = self.spans.iter().filter(|it| it.column == column);
        own.map(|it| it.bottom).max().unwrap_or(0)
    }

    pub(super) fn layout(&self) -> Layout {
        let last = self.spans.last().map_or(0, |it| it.column);
        let mut layout = Layout {
            at: vec![(0, 0); self.sizes.len()],
            wires: self.rows.routes.iter().map(|it| self.wire(it)).collect(),
            width: self.column_left(last) + self.width,
            height: (0..=last).map(|it| self.bottom(it)).max().unwrap_or(0),
        };
        if last > 0 {
            layout.height += BEND;
        }
        for (slot, it) in self.rows.slots.iter().enumerate() {
            if let Some(part) = it.part {
                let Span { column, top, .. } = self.spans[it.row];
                layout.at[part] =
                    (self.slot_left(slot) - self.left + self.column_left(column), top);
            }
        }
        layout
    }

    fn wire(&self, route: &[usize]) -> Wire {
        let column = |slot: usize| self.spans[self.rows.slots[slot].row].column;
        let last = route.len() - 1;
        let fall = |(nth, slot): (usize, &usize)| {
            let Span { column: own, top, bottom } = self.spans[self.rows.slots[*slot].row];
            let before = nth.checked_sub(1).map(|it| column(route[it])).filter(|it| *it != own);
            Fall {
                x: self.centres[*slot] - self.left + self.column_left(own),
                top: if nth == 0 { top + self.slot_height(*slot) } else { top },
                bottom: if nth == last { top } else { bottom },
                around: before
                    .map(|it| (self.column_left(own) - GUTTER / 2, self.bottom(it) + BEND)),
            }
        };
        route.iter().enumerate().map(fall).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{layers::Edges, place::layout};

    #[test]
    fn a_long_chain_stands_in_columns() {
        let edges: Edges = (1..100).map(|it| (it - 1, it)).collect();
        let it = layout(&[(150, 60); 100], &edges);
        assert!(it.height < 3_000 && it.width < 2_000, "{} x {}", it.width, it.height);
        let around = it.wires.iter().flatten().filter(|it| it.around.is_some());
        assert!(around.count() > 1);
    }

    #[test]
    fn what_is_not_connected_stands_side_by_side() {
        let edges: Edges = [(0, 1), (2, 3)].into();
        let it = layout(&[(100, 50); 4], &edges);
        assert_eq!(it.at, [(0, 0), (0, 88), (118, 0), (118, 88)]);
    }

    #[test]
    fn boxes_never_overlap() {
        for seed in 0..60_usize {
            let count = 3 + seed;
            let size = |it: usize| {
                let wide = i64::try_from((it * 37 + seed * 11) % 190).unwrap();
                (60 + wide, 40 + wide % 50)
            };
            let sizes: Vec<(i64, i64)> = (0..count).map(size).collect();
            let edges: Edges = (1..count).map(|it| ((it * seed) % it, it)).collect();
            let laid = layout(&sizes, &edges);
            for (a, (at, size)) in laid.at.iter().zip(&sizes).enumerate() {
                assert!(at.0 >= 0 && at.0 + size.0 <= laid.width && at.1 + size.1 <= laid.height);
                for (other, it) in laid.at.iter().zip(&sizes).skip(a + 1) {
                    let apart = at.0 + size.0 <= other.0
                        || other.0 + it.0 <= at.0
                        || at.1 + size.1 <= other.1
                        || other.1 + it.1 <= at.1;
                    assert!(apart, "seed {seed}: {at:?} {other:?}");
                }
            }
        }
    }
}
