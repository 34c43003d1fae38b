//! The order of rows.

use std::cmp::Ordering;

use crate::{
    codes::Groups,
    column::{Column, Data, Other, amounts, code},
};

/// What rows are sorted by: nulls come first and NaN last, the other way round if it descends.
#[derive(Debug)]
pub struct Key<'a, T> {
    pub column: &'a Column<T>,
    pub descends: bool,
}

/// The rows in order; equal ones stay in their order.
pub fn order<T: Other>(keys: &[Key<'_, T>], len: usize) -> Vec<u32> {
    let ranks: Vec<Vec<u64>> = keys.iter().map(|it| ranked(it)).collect();
    let Some((first, rest)) = ranks.split_first() else { return (0..code(len)).collect() };
    // The first rank stands next to its row, so that most comparisons look at no other memory.
    let mut rows: Vec<(u64, u32)> = first.iter().copied().zip(0..code(len)).collect();
    sort(&mut rows, rest);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The rows of each group one after another, in order within it. Small groups are sorted one by one,
/// which is faster than a sort of all rows.
pub fn order_within<T: Other>(keys: &[Key<'_, T>], by: &Groups) -> Vec<u32> {
    let ranks: Vec<Vec<u64>> = keys.iter().map(|it| ranked(it)).collect();
    let Some((first, rest)) = ranks.split_first() else { return by.rows().0 };
    let (mut rows, starts) = by.arranged(|row| (first[row], code(row)));
    for bounds in starts.windows(2) {
        sort(&mut rows[bounds[0] as usize..bounds[1] as usize], rest);
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The first rows of each group in an order, in the order of the table. Few of them are found without
/// a sort.
pub fn first_within<T: Other>(keys: &[Key<'_, T>], by: &Groups, most: usize) -> Vec<u32> {
    let mut kept = match keys {
        [key] if most <= FEW => best(&ranked(key), by, most),
        _ => {
            let mut left = vec![most; by.count()];
            let is_first = |row: &u32| {
                let left = &mut left[by.codes[*row as usize] as usize];
                let is_first = *left > 0;
                *left -= usize::from(is_first);
                is_first
            };
            order_within(keys, by).into_iter().filter(is_first).collect()
        }
    };
    kept.sort_unstable();
    kept
}

/// As many rows of a group are found without a sort.
const FEW: usize = 16;

/// The rows of each group with the lowest ranks; of equal ones the first.
fn best(ranks: &[u64], by: &Groups, most: usize) -> Vec<u32> {
    let mut found = vec![(0, 0); by.count() * most];
    let mut counts = vec![0; by.count()];
    for ((rank, group), row) in ranks.iter().zip(&by.codes).zip(0..) {
        let (group, new) = (*group as usize, (*rank, row));
        let all = &mut found[group * most..(group + 1) * most];
        let count = &mut counts[group];
        // Rows come in order, so one of the same rank stays behind.
        let mut at = if *count < most {
            *count += 1;
            *count - 1
        } else if all.last().is_some_and(|it| new < *it) {
            most - 1
        } else {
            continue;
        };
        while at > 0 && new < all[at - 1] {
            all[at] = all[at - 1];
            at -= 1;
        }
        all[at] = new;
    }
    let groups = found.chunks(most.max(1)).zip(&counts);
    groups.flat_map(|(all, count)| all[..*count].iter().map(|(_, row)| *row)).collect()
}

/// Sorts rows by their ranks: the first one, which stands next to them, and then the others. Equal ones
/// are ordered by row, which makes the sort stable.
fn sort(rows: &mut [(u64, u32)], rest: &[Vec<u64>]) {
    if rest.is_empty() {
        rows.sort_unstable();
    } else {
        rows.sort_unstable_by(|(a_rank, a), (b_rank, b)| {
            let rest = || {
                let mut orders = rest.iter().map(|it| it[*a as usize].cmp(&it[*b as usize]));
                orders.find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
            };
            a_rank.cmp(b_rank).then_with(rest).then_with(|| a.cmp(b))
        });
    }
}

fn ranked<T: Other>(key: &Key<'_, T>) -> Vec<u64> {
    let mut all = ranks(key.column);
    if key.descends {
        for it in &mut all {
            *it = !*it;
        }
    }
    all
}

/// A number for each row, in the order of the values; 0 is null.
pub(crate) fn ranks<T: Other>(column: &Column<T>) -> Vec<u64> {
    const SIGN: u64 = 1 << 63;
    if matches!(column.data, Data::Text(_))
        && let Some(amounts) = amounts(column)
    {
        return ranks(&amounts);
    }
    let plain = |of: &dyn Fn(usize) -> u64| {
        let rank = |idx| if column.is_valid(idx) { of(idx) } else { 0 };
        (0..column.len()).map(rank).collect::<Vec<u64>>()
    };
    match &column.data {
        Data::Bool(all) => plain(&|idx| u64::from(all[idx]) + 1),
        Data::Int(all) | Data::Money(all) => {
            // The least number shares its rank with null, so such a column is ranked by comparing.
            if all.contains(&i64::MIN) {
                return compared(column, |a, b| all[a].cmp(&all[b]));
            }
            plain(&|idx| all[idx].cast_unsigned() ^ SIGN)
        }
        Data::Float(all) => plain(&|idx| float_rank(all[idx])),
        Data::Text(all) => {
            let mut words: Vec<u32> = (0..code(all.words.len())).collect();
            words.sort_by(|a, b| all.words[*a as usize].cmp(&all.words[*b as usize]));
            let mut of_word = vec![0; words.len()];
            for (rank, it) in words.iter().enumerate() {
                of_word[*it as usize] = rank as u64 + 1;
            }
            plain(&|idx| of_word[all.codes[idx] as usize])
        }
        Data::Duration(all) => compared(column, |a, b| all[a].cmp(&all[b])),
        Data::Time(all) => compared(column, |a, b| all[a].cmp(&all[b])),
        Data::Other(all) => compared(column, |a, b| all[a].order(&all[b])),
    }
}

/// In the order of the floats, both zeros equal, NaN last; never 0.
fn float_rank(it: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    if it.is_nan() {
        return u64::MAX - 1;
    }
    let bits = if it == 0.0 { 0 } else { it.to_bits() };
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn compared<T: Other>(column: &Column<T>, order: impl Fn(usize, usize) -> Ordering) -> Vec<u64> {
    let mut rows: Vec<usize> = (0..column.len()).filter(|it| column.is_valid(*it)).collect();
    rows.sort_by(|a, b| order(*a, *b));
    let mut all = vec![0; column.len()];
    let mut rank = 0;
    for (idx, row) in rows.iter().enumerate() {
        if idx == 0 || order(rows[idx - 1], *row).is_ne() {
            rank += 1;
        }
        all[*row] = rank;
    }
    all
}
