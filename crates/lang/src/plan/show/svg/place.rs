//! The positions of the boxes of one block, and the routes of the arrows between them.

use std::collections::BTreeMap;

use super::{
    columns::Columns,
    layers::{Edges, Rows, rows},
    measure::Px,
};

/// The boxes and arrows inside a block, relative to its corner.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The upper left corner of each box.
    pub(super) at: Vec<(Px, Px)>,
    pub(super) wires: Vec<Wire>,
    pub(super) width: Px,
    pub(super) height: Px,
}

/// An arrow: down through lanes, from one to the next in a curve, or around into the next
/// column.
pub(super) type Wire = Vec<Fall>;

/// A straight downward piece of an arrow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fall {
    pub(super) x: Px,
    pub(super) top: Px,
    pub(super) bottom: Px,
    /// The route from another column: along its bottom, and up at its right.
    pub(super) around: Option<(Px, Px)>,
}

/// The gap between the boxes of a row.
pub(super) const GAP: Px = 18;

/// The gaps between rows, with and without arrows.
pub(super) const ROW_GAPS: (Px, Px) = (38, 18);

/// The width at which rows are wrapped, which grows with the number of boxes.
const ROOM: std::ops::RangeInclusive<Px> = 900..=1_500;

/// Puts boxes of these sizes below those that they use. Unconnected groups are side by side.
pub(super) fn layout(sizes: &[(Px, Px)], edges: &Edges) -> Layout {
    let groups = connected(sizes.len(), edges);
    if groups.len() <= 1 {
        return connected_layout(sizes, edges);
    }
    let layouts: Vec<Layout> = groups.iter().map(|it| group_layout(it, sizes, edges)).collect();
    let outer: Vec<(Px, Px)> = layouts.iter().map(|it| (it.width, it.height)).collect();
    let shelves = connected_layout(&outer, &Edges::new());
    let mut whole = Layout { at: vec![(0, 0); sizes.len()], wires: Vec::new(), ..shelves };
    for ((group, layout), (x, y)) in groups.iter().zip(layouts).zip(shelves.at) {
        for (part, at) in group.iter().zip(&layout.at) {
            whole.at[*part] = (at.0 + x, at.1 + y);
        }
        let moved = |it: Wire| it.into_iter().map(|it| it.moved(x, y)).collect();
        whole.wires.extend(layout.wires.into_iter().map(moved));
    }
    whole
}

/// The groups of connected boxes, each in the order of the script.
fn connected(count: usize, edges: &Edges) -> Vec<Vec<usize>> {
    // For each box, the first one of its group.
    let mut first: Vec<usize> = (0..count).collect();
    let root = |first: &[usize], mut it: usize| {
        while first[it] != it {
            it = first[it];
        }
        it
    };
    for (from, to) in edges {
        let (a, b) = (root(&first, *from), root(&first, *to));
        first[a.max(b)] = a.min(b);
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for part in 0..count {
        groups.entry(root(&first, part)).or_default().push(part);
    }
    groups.into_values().collect()
}

fn group_layout(group: &[usize], sizes: &[(Px, Px)], edges: &Edges) -> Layout {
    let place = |part: &usize| group.binary_search(part).ok();
    let own = edges.iter().filter_map(|(from, to)| Some((place(from)?, place(to)?)));
    let sizes: Vec<(Px, Px)> = group.iter().map(|it| sizes[*it]).collect();
    connected_layout(&sizes, &own.collect())
}

fn connected_layout(sizes: &[(Px, Px)], edges: &Edges) -> Layout {
    let area: Px = sizes.iter().map(|(width, height)| (width + GAP) * (height + GAP)).sum();
    let room = (area * 3 / 2).isqrt().clamp(*ROOM.start(), *ROOM.end());
    let widths: Vec<Px> = sizes.iter().map(|it| it.0).collect();
    let rows = rows(&widths, edges, GAP, room);
    let centres = centres(&rows);
    Columns::of(sizes, &rows, &centres).layout()
}

impl Fall {
    fn moved(self, x: Px, y: Px) -> Self {
        let around = self.around.map(|(right, bottom)| (right + x, bottom + y));
        Self { x: self.x + x, top: self.top + y, bottom: self.bottom + y, around }
    }
}

/// The centre of each slot, near the centres of the boxes that its arrows lead to.
fn centres(rows: &Rows) -> Vec<Px> {
    const SWEEPS: usize = 8;
    let mut centres = vec![0; rows.slots.len()];
    // No row gets wider than the widest one needs to be.
    let width = rows.lists.iter().map(|it| packed(rows, it, 0, &mut centres)).max().unwrap_or(0);
    if rows.links.is_empty() {
        return centres;
    }
    for row in &rows.lists {
        let own = packed(rows, row, 0, &mut centres);
        packed(rows, row, (width - own) / 2, &mut centres);
    }
    let (above, below) = rows.ends();
    for sweep in 0..SWEEPS {
        let near = if sweep % 2 == 0 { &above } else { &below };
        for row in ordered(rows, sweep % 2 == 0) {
            let wanted: Vec<(Px, Px)> =
                row.iter().map(|slot| wanted(rows, *slot, &near[*slot], &centres)).collect();
            settle(rows, row, &wanted, width, &mut centres);
        }
    }
    centres
}

fn ordered(rows: &Rows, is_down: bool) -> Vec<&Vec<usize>> {
    let all = rows.lists.iter();
    if is_down { all.collect() } else { all.rev().collect() }
}

/// The best position of a slot, and its weight.
fn wanted(rows: &Rows, slot: usize, near: &[usize], centres: &[Px]) -> (Px, Px) {
    // Boxes have more weight than lanes, which give way to them.
    let importance = if rows.slots[slot].part.is_some() { 8 } else { 1 };
    let count = Px::try_from(near.len()).unwrap_or(Px::MAX);
    match count {
        0 => (centres[slot], importance),
        _ => (near.iter().map(|it| centres[*it]).sum::<Px>().div_euclid(count), importance * count),
    }
}

/// The distance between the centres of two neighbours.
fn min_distance(rows: &Rows, left: usize, right: usize) -> Px {
    (rows.slots[left].width + rows.slots[right].width).div_euclid(2) + gap(rows, left, right)
}

/// The gap between two neighbours; lanes are closer together than boxes.
fn gap(rows: &Rows, left: usize, right: usize) -> Px {
    let are_lanes = rows.slots[left].part.is_none() && rows.slots[right].part.is_none();
    if are_lanes { GAP / 3 } else { GAP }
}

/// Places slots side by side from `start`, and returns the end of the last one.
fn packed(rows: &Rows, row: &[usize], start: Px, centres: &mut [Px]) -> Px {
    let mut end = start;
    for (idx, slot) in row.iter().enumerate() {
        let width = rows.slots[*slot].width;
        let left = if idx == 0 { start } else { end + gap(rows, row[idx - 1], *slot) };
        centres[*slot] = left + width / 2;
        end = left + width;
    }
    end
}

/// Places each slot as near as possible to its best position, in the order of the row and
/// without overlaps: isotonic regression, by pooling neighbours that are too close.
/// Clamping the result at both ends keeps it optimal.
fn settle(rows: &Rows, row: &[usize], wanted: &[(Px, Px)], width: Px, centres: &mut [Px]) {
    // The positions if all distances were zero; pools of (sum, weight, members).
    let mut offsets = vec![0; row.len()];
    let mut pools: Vec<(Px, Px, usize)> = Vec::new();
    for idx in 0..row.len() {
        if idx > 0 {
            offsets[idx] = offsets[idx - 1] + min_distance(rows, row[idx - 1], row[idx]);
        }
        let (want, weight) = wanted[idx];
        let mut pool = ((want - offsets[idx]) * weight, weight, 1);
        while let Some(last) = pools.pop_if(|it| it.0 * pool.1 >= pool.0 * it.1) {
            pool = (pool.0 + last.0, pool.1 + last.1, pool.2 + last.2);
        }
        pools.push(pool);
    }
    let ends = pools
        .iter()
        .flat_map(|(sum, weight, members)| std::iter::repeat_n(sum.div_euclid(*weight), *members));
    let (Some(first), Some(last), Some(length)) = (row.first(), row.last(), offsets.last()) else {
        return;
    };
    let least = rows.slots[*first].width / 2;
    let most = (width - length - rows.slots[*last].width / 2).max(least);
    for ((slot, offset), end) in row.iter().zip(&offsets).zip(ends) {
        centres[*slot] = end.clamp(least, most) + offset;
    }
}
