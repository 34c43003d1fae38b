//! Tables as text with a letter between the cells, such as CSV.

use std::io;

use svc_columns::{Cell, Other as _, Table};
use svc_contract::{
    registry::Cx,
    value::{Text, Value, json},
};

/// The letter between the cells: the one of `,`, `;`, a tab and `|` that is most often in the first line.
pub(super) fn separator(text: &str) -> u8 {
    let line = text.lines().find(|it| !it.is_empty()).unwrap_or_default();
    let mut is_open = false;
    let mut counts = [(b',', 0_usize), (b';', 0), (b'\t', 0), (b'|', 0)];
    for it in line.bytes() {
        is_open ^= it == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(sep, _)| !is_open && *sep == it) {
            *count += 1;
        }
    }
    // The first one, if several are there as often.
    let most = counts.iter().map(|it| it.1).max().unwrap_or(0);
    counts.iter().find(|it| it.1 == most).map_or(b',', |it| it.0)
}

/// Looks now and then whether the table is still wanted.
pub(super) fn check(row: usize, cx: &Cx) -> io::Result<()> {
    const ROWS_PER_CHECK: usize = 4096;
    if row.is_multiple_of(ROWS_PER_CHECK) {
        cx.check().map_err(|_| io::ErrorKind::Other.into())
    } else {
        Ok(())
    }
}

/// Writes a table, with the names of its columns in the first row.
pub(super) fn write(
    out: &mut impl io::Write,
    table: &Table<Value>,
    sep: char,
    cx: &Cx,
) -> io::Result<()> {
    let is_single = table.names.len() == 1;
    for (idx, name) in table.names.iter().enumerate() {
        cell(out, idx, name, sep, is_single)?;
    }
    if !table.names.is_empty() {
        out.write_all(b"\n")?;
    }
    for row in 0..table.len() {
        check(row, cx)?;
        for (idx, column) in table.columns.iter().enumerate() {
            match column.cell(row) {
                // Most cells of a wide table may be empty.
                Cell::Null if idx > 0 => write!(out, "{sep}")?,
                Cell::Null => cell(out, idx, "", sep, is_single)?,
                Cell::Text(it) => text(out, idx, it, sep)?,
                other => cell(out, idx, &shown(other), sep, is_single)?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn shown(cell: Cell<'_, Value>) -> Text {
    match Value::of(cell) {
        Value::Path(it) => it,
        it @ (Value::List(_) | Value::Record(_)) => json::write(&it).into(),
        it => it.to_string().into(),
    }
}

/// A text; an empty one is quoted, so that it is not read as null.
fn text(out: &mut impl io::Write, idx: usize, it: &str, sep: char) -> io::Result<()> {
    cell(out, idx, it, sep, it.is_empty())
}

fn cell(
    out: &mut impl io::Write,
    idx: usize,
    it: &str,
    sep: char,
    quotes_empty: bool,
) -> io::Result<()> {
    if idx > 0 {
        write!(out, "{sep}")?;
    }
    let needs_quotes = it.contains([sep, '"', '\n', '\r', '\u{feff}']);
    if needs_quotes || (quotes_empty && it.is_empty()) {
        write!(out, "\"{}\"", it.replace('"', "\"\""))
    } else {
        out.write_all(it.as_bytes())
    }
}
