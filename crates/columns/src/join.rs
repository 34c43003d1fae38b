//! Rows of two tables that belong together.

use crate::{
    codes::groups,
    column::{Column, Other, code, meant},
    sort::ranks,
};

/// Which rows a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Each pair of rows that match.
    Inner,
    /// The same, and each row on the left that matches nothing.
    Left,
    /// The same, and each row on the right that matches nothing.
    Full,
    /// Each row on the left that matches something, once.
    Semi,
    /// Each row on the left that matches nothing.
    Anti,
}

/// The rows of a result: their place on the left, and on the right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pub left: Vec<Option<u32>>,
    pub right: Vec<Option<u32>>,
}

impl Pairs {
    fn push(&mut self, left: Option<u32>, right: Option<u32>) {
        self.left.push(left);
        self.right.push(right);
    }
}

/// Joins on columns that must be equal. Rows with a null in one of them match nothing.
///
/// The rows are in the order of the left table, those of one row in the order of the right one.
///
/// # Errors
///
/// If there would be more than `most` rows: how many.
pub fn join<T: Other>(
    left: &[&Column<T>],
    right: &[&Column<T>],
    (left_len, right_len): (usize, usize),
    how: How,
    most: usize,
) -> Result<Pairs, u64> {
    let keys = Keys::new(left, right, (left_len, right_len));
    let size = (0..left_len).fold(0_u64, |sum, row| {
        let matches = keys.matches(row).len() as u64;
        sum.saturating_add(match how {
            How::Inner => matches,
            How::Left | How::Full => matches.max(1),
            How::Semi => matches.min(1),
            How::Anti => u64::from(matches == 0),
        })
    });
    if size > most as u64 {
        return Err(size);
    }
    let mut pairs = Pairs::default();
    let mut is_used = vec![false; right_len];
    for row in 0..left_len {
        let (here, matches) = (Some(code(row)), keys.matches(row));
        match how {
            How::Semi if !matches.is_empty() => pairs.push(here, None),
            How::Anti if matches.is_empty() => pairs.push(here, None),
            How::Semi | How::Anti => {}
            How::Left | How::Full if matches.is_empty() => pairs.push(here, None),
            _ => matches.iter().for_each(|it| {
                is_used[*it as usize] = true;
                pairs.push(here, Some(*it));
            }),
        }
    }
    if how == How::Full {
        let rest = is_used.iter().enumerate().filter(|(_, is_used)| !**is_used);
        rest.for_each(|(row, _)| pairs.push(None, Some(code(row))));
        if pairs.left.len() > most {
            return Err(pairs.left.len() as u64);
        }
    }
    Ok(pairs)
}

/// For each row on the left, the last row on the right that is equal in the key columns, and not
/// above it in `at`. Rows without a value in one of them match nothing.
pub fn asof<T: Other>(
    (left, left_at): (&[&Column<T>], &Column<T>),
    (right, right_at): (&[&Column<T>], &Column<T>),
) -> Pairs {
    let (left_len, right_len) = (left_at.len(), right_at.len());
    let keys = Keys::new(left, right, (left_len, right_len));
    let ranks = ranks(&together(left_at, right_at));
    let (left_ranks, right_ranks) = ranks.split_at(left_len);
    let mut sorted = keys.rows.clone();
    for bounds in keys.starts.windows(2) {
        let of_key = &mut sorted[bounds[0] as usize..bounds[1] as usize];
        of_key.sort_by_key(|it| right_ranks[*it as usize]);
    }
    let mut pairs = Pairs::default();
    for (row, rank) in left_ranks.iter().enumerate() {
        let (from, to) = keys.bounds(row);
        let of_key = &sorted[from..to];
        // Nulls are first; they match nothing.
        let nulls = of_key.partition_point(|it| right_ranks[*it as usize] == 0);
        let below = of_key.partition_point(|it| right_ranks[*it as usize] <= *rank);
        let found = (*rank > 0 && below > nulls).then(|| of_key[below - 1]);
        pairs.push(Some(code(row)), found);
    }
    pairs
}

/// Both columns as one. Where one has texts and the other what JSON writes as texts, such as dates,
/// the texts are read as such.
fn together<T: Other>(a: &Column<T>, b: &Column<T>) -> Column<T> {
    let (a_read, b_read) = (meant(a, b), meant(b, a));
    a_read.as_ref().unwrap_or(a).concat(b_read.as_ref().unwrap_or(b))
}

/// The rows on the right by key.
struct Keys {
    /// For each row on the left its key, if none of its columns is null.
    left: Vec<Option<u32>>,
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Keys {
    fn new<T: Other>(
        left: &[&Column<T>],
        right: &[&Column<T>],
        (left_len, right_len): (usize, usize),
    ) -> Self {
        let both: Vec<Column<T>> = left.iter().zip(right).map(|(a, b)| together(a, b)).collect();
        let all = groups(&both.iter().collect::<Vec<_>>(), left_len + right_len);
        let is_whole = |columns: &[&Column<T>], row| columns.iter().all(|it| it.is_valid(row));
        let left = (0..left_len).map(|row| is_whole(left, row).then(|| all.codes[row])).collect();
        let right_of = |row: usize| is_whole(right, row).then(|| all.codes[left_len + row]);
        let mut starts = vec![0_u32; all.count() + 1];
        for it in (0..right_len).filter_map(right_of) {
            starts[it as usize + 1] += 1;
        }
        for idx in 1..starts.len() {
            starts[idx] += starts[idx - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts.last().map_or(0, |it| *it as usize)];
        for (row, it) in (0..right_len).filter_map(|row| Some((row, right_of(row)?))) {
            let place = &mut next[it as usize];
            rows[*place as usize] = code(row);
            *place += 1;
        }
        Self { left, rows, starts }
    }

    fn bounds(&self, row: usize) -> (usize, usize) {
        let Some(key) = self.left[row] else { return (0, 0) };
        let key = key as usize;
        (self.starts[key] as usize, self.starts[key + 1] as usize)
    }

    fn matches(&self, row: usize) -> &[u32] {
        let (from, to) = self.bounds(row);
        &self.rows[from..to]
    }
}
