//! Rows with equal values in some columns get the same number.

use std::{collections::HashMap, hash::Hasher};

use crate::column::{Column, Data, Other, code};

/// A quick hash for numbers and texts, the same on every machine and in every run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quick(u64);

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl Quick {
    fn mix(&mut self, it: u64) {
        self.0 = (self.0.rotate_left(23) ^ it).wrapping_mul(FACTOR);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        self.mix(bytes.len() as u64);
    }

    fn write_u8(&mut self, it: u8) {
        self.mix(u64::from(it));
    }

    fn write_u64(&mut self, it: u64) {
        self.mix(it);
    }

    fn finish(&self) -> u64 {
        // The upper bits are the good ones, and tables look at the lower ones.
        self.0 ^ (self.0 >> 32)
    }
}

/// A number for each row, below `count`, and for each number the first row that has it. The numbers
/// are in the order of these rows.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    pub codes: Vec<u32>,
    pub firsts: Vec<u32>,
}

impl Groups {
    pub fn count(&self) -> usize {
        self.firsts.len()
    }

    /// The rows ordered by group, each group's in their order, and where each group starts; the
    /// last start is the number of rows.
    pub fn rows(&self) -> (Vec<u32>, Vec<u32>) {
        self.arranged(code)
    }

    /// What `of` says of the rows, in that order, and where each group starts.
    pub(crate) fn arranged<A: Copy + Default>(
        &self,
        of: impl Fn(usize) -> A,
    ) -> (Vec<A>, Vec<u32>) {
        let mut starts = vec![0_u32; self.count() + 1];
        for it in &self.codes {
            starts[*it as usize + 1] += 1;
        }
        for idx in 1..starts.len() {
            starts[idx] += starts[idx - 1];
        }
        let mut next = starts.clone();
        let mut all = vec![A::default(); self.codes.len()];
        for (row, it) in self.codes.iter().enumerate() {
            let place = &mut next[*it as usize];
            all[*place as usize] = of(row);
            *place += 1;
        }
        (all, starts)
    }
}

/// Numbers that stand for values: equal for equal ones, all below `bound`.
struct Raw {
    codes: Vec<u64>,
    bound: u64,
}

/// The groups of rows that are equal in all these columns, of which each has `len` rows. Nulls are
/// equal to each other, and so are NaNs; without columns, all rows are one group.
pub fn groups<T: Other>(columns: &[&Column<T>], len: usize) -> Groups {
    let Some((first, rest)) = columns.split_first() else {
        let firsts = if len == 0 { vec![] } else { vec![0] };
        return Groups { codes: vec![0; len], firsts };
    };
    let mut all = raw(first);
    for column in rest {
        let next = raw(column);
        if all.bound.checked_mul(next.bound).is_none() {
            all = dense(&all).into();
        }
        // Both are below 2^32 after `dense`, or the product fits.
        for (code, it) in all.codes.iter_mut().zip(&next.codes) {
            *code = *code * next.bound + it;
        }
        all.bound = all.bound.saturating_mul(next.bound);
    }
    dense(&all)
}

impl From<Groups> for Raw {
    fn from(of: Groups) -> Self {
        let bound = of.count() as u64;
        Self { codes: of.codes.into_iter().map(u64::from).collect(), bound: bound.max(1) }
    }
}

/// The numbers of one column: 0 is null.
fn raw<T: Other>(column: &Column<T>) -> Raw {
    let with_nulls = |bound: u64, of: &dyn Fn(usize) -> u64| {
        let is_valid = |idx| if column.is_valid(idx) { of(idx) + 1 } else { 0 };
        let codes = match &column.valid {
            None => (0..column.len()).map(|idx| of(idx) + 1).collect(),
            Some(_) => (0..column.len()).map(is_valid).collect(),
        };
        Raw { codes, bound: bound + 1 }
    };
    match &column.data {
        Data::Bool(all) => with_nulls(2, &|idx| u64::from(all[idx])),
        Data::Text(all) => with_nulls(all.words.len() as u64, &|idx| u64::from(all.codes[idx])),
        Data::Int(all) | Data::Money(all) => {
            let (low, high) = range(column, all);
            let width = high.wrapping_sub(low).cast_unsigned();
            if width < u64::from(u32::MAX) {
                return with_nulls(width + 1, &|idx| all[idx].wrapping_sub(low).cast_unsigned());
            }
            hashed(column, |idx| all[idx].cast_unsigned())
        }
        Data::Float(all) => hashed(column, |idx| float_key(all[idx])),
        Data::Duration(all) => hashed_by(
            column,
            |idx| {
                let mut quick = Quick::default();
                quick.mix(all[idx].as_secs());
                quick.mix(u64::from(all[idx].subsec_nanos()));
                quick.finish()
            },
            |a, b| all[a] == all[b],
        ),
        Data::Time(all) => hashed_by(
            column,
            |idx| {
                let mut quick = Quick::default();
                quick.write(&all[idx].to_le_bytes());
                quick.finish()
            },
            |a, b| all[a] == all[b],
        ),
        Data::Other(all) => {
            hashed_by(column, |idx| all[idx].hash(), |a, b| all[a].order(&all[b]).is_eq())
        }
    }
}

fn range<T: Other>(column: &Column<T>, all: &[i64]) -> (i64, i64) {
    let mut found: Option<(i64, i64)> = None;
    for (idx, it) in all.iter().enumerate() {
        if column.is_valid(idx) {
            let (low, high) = found.unwrap_or((*it, *it));
            found = Some((low.min(*it), high.max(*it)));
        }
    }
    found.unwrap_or((0, 0))
}

/// Equal floats have equal keys: both zeros, and all NaNs.
pub(crate) fn float_key(it: f64) -> u64 {
    if it == 0.0 {
        0
    } else if it.is_nan() {
        f64::NAN.to_bits()
    } else {
        it.to_bits()
    }
}

fn hashed<T: Other>(column: &Column<T>, key: impl Fn(usize) -> u64) -> Raw {
    let mut places = Places::new(column.len());
    let mut next = 1_u64;
    let codes = (0..column.len()).map(|idx| {
        if !column.is_valid(idx) {
            return 0;
        }
        let (place, is_new) = places.find(key(idx), code(idx));
        if is_new {
            places.values[place] = u32::try_from(next).unwrap_or(u32::MAX);
            next += 1;
        }
        u64::from(places.values[place])
    });
    let codes = codes.collect();
    Raw { codes, bound: next }
}

/// The same for values whose hashes may be equal.
fn hashed_by<T: Other>(
    column: &Column<T>,
    hash: impl Fn(usize) -> u64,
    is_same: impl Fn(usize, usize) -> bool,
) -> Raw {
    let mut found: HashMap<u64, Vec<(usize, u64)>> = HashMap::new();
    let mut next = 1_u64;
    let codes = (0..column.len()).map(|idx| {
        if !column.is_valid(idx) {
            return 0;
        }
        let all = found.entry(hash(idx)).or_default();
        if let Some((_, code)) = all.iter().find(|(first, _)| is_same(*first, idx)) {
            return *code;
        }
        all.push((idx, next));
        next += 1;
        next - 1
    });
    let codes = codes.collect();
    Raw { codes, bound: next }
}

/// The numbers in order of their first rows, without gaps.
fn dense(raw: &Raw) -> Groups {
    let len = raw.codes.len() as u64;
    if raw.bound <= (4 * len).max(1 << 16) {
        return dense_direct(raw);
    }
    let mut places = Places::new(raw.codes.len().min(1 << 12));
    let mut groups = Groups { codes: Vec::with_capacity(raw.codes.len()), firsts: vec![] };
    for (row, it) in raw.codes.iter().enumerate() {
        let (place, is_new) = places.find(*it, code(groups.firsts.len()));
        groups.codes.push(places.values[place]);
        if is_new {
            groups.firsts.push(code(row));
        }
    }
    groups
}

fn dense_direct(raw: &Raw) -> Groups {
    let bound = usize::try_from(raw.bound).unwrap_or(usize::MAX);
    let mut numbers = vec![u32::MAX; bound];
    let mut groups = Groups { codes: Vec::with_capacity(raw.codes.len()), firsts: vec![] };
    for (row, it) in raw.codes.iter().enumerate() {
        let place = usize::try_from(*it).unwrap_or(usize::MAX);
        if numbers[place] == u32::MAX {
            numbers[place] = code(groups.firsts.len());
            groups.firsts.push(code(row));
        }
        groups.codes.push(numbers[place]);
    }
    groups
}

/// A map from numbers to numbers, in one array.
struct Places {
    keys: Vec<u64>,
    values: Vec<u32>,
    len: usize,
}

const FREE: u32 = u32::MAX;

impl Places {
    fn new(expected: usize) -> Self {
        let size = (expected.saturating_mul(2)).next_power_of_two().max(16);
        Self { keys: vec![0; size], values: vec![FREE; size], len: 0 }
    }

    /// The place of a key, and whether it is new: it then has the value `new`.
    fn find(&mut self, key: u64, new: u32) -> (usize, bool) {
        if self.len * 2 >= self.keys.len() {
            self.grow();
        }
        let place = self.place(key);
        if self.values[place] != FREE {
            return (place, false);
        }
        (self.keys[place], self.values[place]) = (key, new);
        self.len += 1;
        (place, true)
    }

    fn place(&self, key: u64) -> usize {
        let mask = self.keys.len() - 1;
        let hash = key.wrapping_mul(FACTOR);
        let mut place = usize::try_from(hash >> 32).unwrap_or(0) & mask;
        while self.values[place] != FREE && self.keys[place] != key {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let mut larger = Self::new(self.keys.len());
        for (key, value) in self.keys.iter().zip(&self.values) {
            if *value != FREE {
                let place = larger.place(*key);
                (larger.keys[place], larger.values[place]) = (*key, *value);
            }
        }
        larger.len = self.len;
        *self = larger;
    }
}
