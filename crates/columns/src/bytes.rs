//! Tables as bytes, to keep and to hash: `columns/1`.
//!
//! The bytes are those of the content alone: tables with equal names and equal cells have equal bytes,
//! however their columns came to be. Whole numbers take as few bytes as the largest of their column
//! needs, and each text of a column is written once.
//!
//! ```text
//! "columns/1\n", rows, columns, then for each column: name, kind, validity, values
//! ```
//!
//! Numbers are little-endian; a count or a length takes eight bytes. `validity` is a byte 0 if each row
//! has a value, else 1 and a bit for each row. Rows without a value have the value 0.

use std::{collections::HashSet, sync::Arc, time::Duration};

use crate::{
    Bits, Builder, Table, Text,
    column::{Cell, Column, Data, Other, Words, code},
};

/// The first bytes of every such table.
pub const MAGIC: &[u8] = b"columns/1\n";

/// Writes and reads the values that have no buffer of their own.
pub trait Codec<T> {
    /// Appends a value; `None` if it cannot be written.
    fn write(&self, value: &T, out: &mut Vec<u8>) -> Option<()>;

    /// Takes a value from the start of the bytes.
    fn read(&self, bytes: &mut &[u8]) -> Option<T>;
}

mod kind {
    pub(super) const NULL: u8 = 0;
    pub(super) const INT: u8 = 1;
    pub(super) const FLOAT: u8 = 2;
    pub(super) const BOOL: u8 = 3;
    pub(super) const MONEY: u8 = 4;
    pub(super) const DURATION: u8 = 5;
    pub(super) const TIME: u8 = 6;
    pub(super) const TEXT: u8 = 7;
    pub(super) const OTHER: u8 = 8;
}

/// A table as bytes; `None` if a value of it cannot be written.
pub fn to_bytes<T: Other>(table: &Table<T>, codec: &impl Codec<T>) -> Option<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    number(table.len(), &mut out);
    number(table.names.len(), &mut out);
    for (name, column) in table.names.iter().zip(&table.columns) {
        text(name, &mut out);
        match &column.data {
            // Its values may be of one kind nevertheless.
            Data::Other(_) => write(&rebuilt(column), codec, &mut out)?,
            _ => write(column, codec, &mut out)?,
        }
    }
    Some(out)
}

/// The table of bytes that [`to_bytes`] returned; `None` for others. `longest` is the largest number of
/// rows.
pub fn from_bytes<T: Other>(
    bytes: &[u8],
    longest: usize,
    codec: &impl Codec<T>,
) -> Option<Table<T>> {
    let mut input = bytes.strip_prefix(MAGIC)?;
    let rows = take_number(&mut input).filter(|it| *it <= longest)?;
    let width = take_number(&mut input)?;
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    let mut seen: HashSet<Text> = HashSet::new();
    for _ in 0..width {
        let name = take_text(&mut input)?;
        if !seen.insert(name.clone()) {
            return None;
        }
        names.push(name);
        columns.push(Arc::new(read(&mut input, rows, codec)?));
    }
    input.is_empty().then(|| Table::new(names.into(), columns, rows))
}

fn rebuilt<T: Other>(column: &Column<T>) -> Column<T> {
    let mut builder = Builder::default();
    column.cells().for_each(|it| builder.push(it));
    builder.finish()
}

fn write<T: Other>(column: &Column<T>, codec: &impl Codec<T>, out: &mut Vec<u8>) -> Option<()> {
    if !column.has_values() {
        out.push(kind::NULL);
        return Some(());
    }
    out.push(match &column.data {
        Data::Int(_) => kind::INT,
        Data::Float(_) => kind::FLOAT,
        Data::Bool(_) => kind::BOOL,
        Data::Money(_) => kind::MONEY,
        Data::Duration(_) => kind::DURATION,
        Data::Time(_) => kind::TIME,
        Data::Text(_) => kind::TEXT,
        Data::Other(_) => kind::OTHER,
    });
    match &column.valid {
        None => out.push(0),
        Some(valid) => {
            out.push(1);
            bits(valid.iter(), out);
        }
    }
    let is_valid = |row: usize| column.is_valid(row);
    match &column.data {
        Data::Int(all) | Data::Money(all) => {
            whole(all.len(), |row| if is_valid(row) { i128::from(all[row]) } else { 0 }, out);
        }
        Data::Time(all) => whole(all.len(), |row| if is_valid(row) { all[row] } else { 0 }, out),
        Data::Duration(all) => {
            let nanos = |it: &Duration| i128::try_from(it.as_nanos()).unwrap_or(i128::MAX);
            whole(all.len(), |row| if is_valid(row) { nanos(&all[row]) } else { 0 }, out);
        }
        Data::Float(all) => {
            for (row, it) in all.iter().enumerate() {
                let it = if is_valid(row) { *it } else { 0.0 };
                out.extend(it.to_le_bytes());
            }
        }
        Data::Bool(all) => bits(all.iter().enumerate().map(|(row, it)| *it && is_valid(row)), out),
        Data::Text(words) => write_words(words, &is_valid, out),
        Data::Other(all) => {
            for (row, it) in all.iter().enumerate() {
                let null = T::of(Cell::Null);
                codec.write(if is_valid(row) { it } else { &null }, out)?;
            }
        }
    }
    Some(())
}

/// The texts in the order of their first rows, then the number of its text for each row.
fn write_words(words: &Words, is_valid: &dyn Fn(usize) -> bool, out: &mut Vec<u8>) {
    let mut places: Vec<Option<u32>> = vec![None; words.words.len()];
    let (mut used, mut codes) = (Vec::new(), Vec::with_capacity(words.codes.len()));
    for (row, old) in words.codes.iter().enumerate() {
        if !is_valid(row) {
            codes.push(0);
            continue;
        }
        let place = &mut places[*old as usize];
        codes.push(*place.get_or_insert_with(|| {
            used.push(&words.words[*old as usize]);
            code(used.len() - 1)
        }));
    }
    number(used.len(), out);
    for it in &used {
        text(it, out);
    }
    whole(codes.len(), |row| i128::from(codes[row]), out);
}

fn number(it: usize, out: &mut Vec<u8>) {
    out.extend((it as u64).to_le_bytes());
}

fn text(it: &str, out: &mut Vec<u8>) {
    number(it.len(), out);
    out.extend(it.as_bytes());
}

fn bits(all: impl Iterator<Item = bool>, out: &mut Vec<u8>) {
    let (mut byte, mut count) = (0_u8, 0);
    for it in all {
        byte |= u8::from(it) << count;
        count += 1;
        if count == 8 {
            out.push(byte);
            (byte, count) = (0, 0);
        }
    }
    if count > 0 {
        out.push(byte);
    }
}

/// Whole numbers, each in as many bytes as the one that needs most: 1, 2, 4, 8 or 16.
fn whole(len: usize, at: impl Fn(usize) -> i128, out: &mut Vec<u8>) {
    let (least, most) =
        (0..len).map(&at).fold((0, 0), |(a, b): (i128, i128), it| (a.min(it), b.max(it)));
    let fits = |width: u32| {
        let half = 1_i128 << (8 * width - 1);
        least >= -half && most < half
    };
    let width = [1, 2, 4, 8].into_iter().find(|it| fits(*it)).unwrap_or(16);
    out.push(width.try_into().unwrap_or(16));
    out.reserve(len * width as usize);
    for row in 0..len {
        out.extend(&at(row).to_le_bytes()[..width as usize]);
    }
}

fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(taken)
}

fn take_byte(input: &mut &[u8]) -> Option<u8> {
    take(input, 1).map(|it| it[0])
}

fn take_number(input: &mut &[u8]) -> Option<usize> {
    let bytes = take(input, 8)?.try_into().ok()?;
    usize::try_from(u64::from_le_bytes(bytes)).ok()
}

fn take_text(input: &mut &[u8]) -> Option<Text> {
    let len = take_number(input)?;
    std::str::from_utf8(take(input, len)?).ok().map(Text::from)
}

fn take_bits(input: &mut &[u8], len: usize) -> Option<Bits> {
    let bytes = take(input, len.div_ceil(8))?;
    Some((0..len).map(|row| bytes[row / 8] >> (row % 8) & 1 == 1).collect())
}

fn take_whole<A>(input: &mut &[u8], len: usize, of: impl Fn(i128) -> Option<A>) -> Option<Vec<A>> {
    let width = take_byte(input).filter(|it| matches!(it, 1 | 2 | 4 | 8 | 16))?;
    let bytes = take(input, len.checked_mul(width.into())?)?;
    let number = |bytes: &[u8]| {
        let is_negative = bytes.last().is_some_and(|it| it & 0x80 != 0);
        let mut all = [if is_negative { 0xFF } else { 0 }; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        of(i128::from_le_bytes(all))
    };
    bytes.chunks_exact(width.into()).map(number).collect()
}

fn read<T: Other>(input: &mut &[u8], rows: usize, codec: &impl Codec<T>) -> Option<Column<T>> {
    let kind = take_byte(input)?;
    if kind == kind::NULL {
        return Some(Column::nulls(rows));
    }
    let valid = match take_byte(input)? {
        0 => None,
        1 => Some(take_bits(input, rows)?),
        _ => return None,
    };
    let int = |it: i128| i64::try_from(it).ok();
    let data = match kind {
        kind::INT => Data::Int(take_whole(input, rows, int)?),
        kind::MONEY => Data::Money(take_whole(input, rows, int)?),
        kind::TIME => Data::Time(take_whole(input, rows, Some)?),
        kind::DURATION => Data::Duration(take_whole(input, rows, duration)?),
        kind::FLOAT => {
            let bytes = take(input, rows.checked_mul(8)?)?.as_chunks().0;
            Data::Float(bytes.iter().map(|it| f64::from_le_bytes(*it)).collect())
        }
        kind::BOOL => Data::Bool(take_bits(input, rows)?.iter().collect()),
        kind::TEXT => Data::Text(take_words(input, rows)?),
        kind::OTHER => {
            let mut all = Vec::new();
            for _ in 0..rows {
                all.push(codec.read(input)?);
            }
            Data::Other(all)
        }
        _ => return None,
    };
    Some(match valid {
        Some(valid) => Column::with_valid(data, valid),
        None => Column::new(data),
    })
}

fn duration(nanos: i128) -> Option<Duration> {
    let nanos = u128::try_from(nanos).ok()?;
    let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?))
}

fn take_words(input: &mut &[u8], rows: usize) -> Option<Words> {
    let count = take_number(input)?;
    let (mut words, mut seen) = (Vec::new(), HashSet::new());
    for _ in 0..count {
        let word = take_text(input)?;
        if !seen.insert(word.clone()) {
            return None;
        }
        words.push(word);
    }
    let codes = take_whole(input, rows, |it| u32::try_from(it).ok())?;
    let is_known = |it: &u32| (*it as usize) < words.len();
    codes.iter().all(is_known).then(|| Words { codes, words: Arc::new(words) })
}
