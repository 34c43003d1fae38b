//! Rows for boxes that use one another: used boxes are above, wide rows are wrapped, and an
//! arrow that passes a row has a lane in it.

use std::collections::{BTreeMap, BTreeSet};

use super::measure::Px;

/// The dependencies among the boxes of a block, as indices in their list.
pub(super) type Edges = BTreeSet<(usize, usize)>;

/// A slot of a row: a box, or a lane that arrows pass through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) part: Option<usize>,
    pub(super) width: Px,
    pub(super) row: usize,
}

/// Boxes and lanes in rows.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) slots: Vec<Slot>,
    /// The slots of each row, from left to right.
    pub(super) lists: Vec<Vec<usize>>,
    /// The links from one row to the next.
    pub(super) links: BTreeSet<(usize, usize)>,
    /// The slots that each edge passes, including its boxes.
    pub(super) routes: Vec<Vec<usize>>,
}

/// The width of a lane.
const LANE: Px = 6;

/// Puts boxes of these widths into rows that are at most `room` wide, if possible.
pub(super) fn rows(widths: &[Px], edges: &Edges, gap: Px, room: Px) -> Rows {
    let edges = reduced(widths.len(), edges);
    let mut rows = Rows::default();
    for level in levels(widths.len(), &edges) {
        let mut used = room;
        for part in level {
            if used + widths[part] > room {
                rows.lists.push(Vec::new());
                used = 0;
            }
            used += widths[part] + gap;
            rows.add(Some(part), widths[part], rows.lists.len() - 1);
        }
    }
    rows.route(widths.len(), &edges);
    rows.order();
    rows
}

/// The edges that are not implied by others.
fn reduced(count: usize, edges: &Edges) -> Edges {
    let mut reached: Vec<Vec<u64>> = vec![vec![0; count.div_ceil(64)]; count];
    let mut kept = Edges::new();
    for from in (0..count).rev() {
        let mut all = vec![0_u64; count.div_ceil(64)];
        for (_, to) in edges.range((from, 0)..(from + 1, 0)) {
            if all[to / 64] >> (to % 64) & 1 == 0 {
                kept.insert((from, *to));
                all[to / 64] |= 1 << (to % 64);
                all.iter_mut().zip(&reached[*to]).for_each(|(all, it)| *all |= it);
            }
        }
        reached[from] = all;
    }
    kept
}

/// The boxes in levels, each below everything that it uses.
fn levels(count: usize, edges: &Edges) -> Vec<Vec<usize>> {
    let mut level = vec![0; count];
    // Used boxes come first in the list, and so in the edges.
    for (from, to) in edges {
        level[*to] = level[*to].max(level[*from] + 1);
    }
    let mut levels = vec![Vec::new(); level.iter().max().map_or(0, |it| it + 1)];
    level.iter().enumerate().for_each(|(part, level)| levels[*level].push(part));
    levels
}

impl Rows {
    fn add(&mut self, part: Option<usize>, width: Px, row: usize) -> usize {
        self.slots.push(Slot { part, width, row });
        self.lists[row].push(self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// Finds a route for each edge. The edges of a box with many of them share lanes.
    fn route(&mut self, count: usize, edges: &Edges) {
        let mut slot_of = vec![0; count];
        for (slot, it) in self.slots.iter().enumerate() {
            slot_of[it.part.unwrap_or_default()] = slot;
        }
        let (mut outgoing, mut incoming) = (vec![0; count], vec![0; count]);
        for (from, to) in edges {
            outgoing[*from] += 1;
            incoming[*to] += 1;
        }
        let mut lanes = BTreeMap::new();
        for (from, to) in edges {
            let shared_by = if outgoing[*from] >= incoming[*to] { *from } else { *to };
            let mut route = vec![slot_of[*from]];
            for row in self.slots[slot_of[*from]].row + 1..self.slots[slot_of[*to]].row {
                let lane = lanes.entry((shared_by, row));
                route.push(*lane.or_insert_with(|| self.add(None, LANE, row)));
            }
            route.push(slot_of[*to]);
            self.links.extend(route.windows(2).map(|it| (it[0], it[1])));
            self.routes.push(route);
        }
    }

    /// Moves every slot near those that it is linked with, so that few arrows cross.
    fn order(&mut self) {
        const SWEEPS: usize = 6;
        let (above, below) = self.neighbours();
        for sweep in 0..SWEEPS {
            let place = self.places();
            let near = if sweep % 2 == 0 { &above } else { &below };
            for row in &mut self.lists {
                let wanted = |slot: &usize| match near[*slot].as_slice() {
                    [] => place[*slot],
                    all => all.iter().map(|it| place[*it]).sum::<usize>() / all.len(),
                };
                row.sort_by_key(wanted);
            }
        }
    }

    /// The position of each slot, in thousandths of its row.
    fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.slots.len()];
        for row in &self.lists {
            for (idx, slot) in row.iter().enumerate() {
                place[*slot] = (2 * idx + 1) * 500 / row.len();
            }
        }
        place
    }

    /// For each slot, the boxes above and below where its arrows begin and end.
    pub(super) fn ends(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let none = vec![Vec::new(); self.slots.len()];
        let (mut above, mut below) = (none.clone(), none);
        for route in &self.routes {
            let [first, .., last] = route.as_slice() else { continue };
            route[1..].iter().for_each(|it| above[*it].push(*first));
            route[..route.len() - 1].iter().for_each(|it| below[*it].push(*last));
        }
        (above, below)
    }

    /// For each slot, the linked slots in the row above and in the row below.
    fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let none = vec![Vec::new(); self.slots.len()];
        let (mut above, mut below) = (none.clone(), none);
        for (from, to) in &self.links {
            below[*from].push(*to);
            above[*to].push(*from);
        }
        (above, below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(count: usize, edges: &[(usize, usize)], room: Px) -> Rows {
        rows(&vec![100; count], &edges.iter().copied().collect(), 10, room)
    }

    #[test]
    fn what_is_used_stands_above() {
        let it = laid(4, &[(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)], 1_000);
        assert_eq!(it.lists.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1]);
        // The edge from the first to the last follows from the others.
        assert_eq!(it.routes.len(), 4);
    }

    #[test]
    fn wide_rows_wrap_and_share_a_lane() {
        let edges: Vec<(usize, usize)> = (1..=9).map(|it| (0, it)).collect();
        let it = laid(10, &edges, 330);
        let parts =
            |row: &Vec<usize>| row.iter().filter(|it_| it.slots[**it_].part.is_some()).count();
        assert_eq!(it.lists.iter().map(parts).collect::<Vec<_>>(), [1, 3, 3, 3]);
        assert_eq!(it.slots.iter().filter(|it| it.part.is_none()).count(), 2);
        assert!(it.links.iter().all(|(a, b)| it.slots[*a].row + 1 == it.slots[*b].row));
    }

    #[test]
    fn arrows_do_not_cross_where_they_need_not() {
        let it = laid(4, &[(0, 3), (1, 2)], 1_000);
        assert_eq!(
            it.lists[1].iter().map(|slot| it.slots[*slot].part).collect::<Vec<_>>(),
            [Some(3), Some(2)]
        );
    }
}
