//! Renders records: one with its fields below each other, many as a table.

use comfy_table::{Attribute, Cell, ContentArrangement, Row, Table, presets};
use svc_contract::value::{Record, Text, Value};
use svc_lang::diag::visible_line;

use super::{Reader, lines, one_line};

/// The minimum width of a legible column with wider content.
const LEGIBLE: usize = 16;

/// The space between two cells, in columns.
const GAP: usize = 2;

/// The maximum number of lines per field when records are shown below each other.
const LINES_OF_MANY: usize = 3;

/// The maximum number of characters of a text in a cell.
const VISIBLE: usize = 2_000;

/// The fields of one record, uncut.
pub(super) fn fields(record: &Record, reader: Reader) -> String {
    let names = record.iter().map(|(name, _)| name.chars().count());
    let indent = names.max().unwrap_or(0) + GAP;
    let cells = record.iter().map(|(name, value)| (name, cell(value, reader.narrower(indent))));
    match reader {
        Reader::Terminal { width, colour } => {
            let mut table = grid(width, colour);
            for (name, value) in cells {
                table.add_row([name_cell(name), Cell::new(value)]);
            }
            drawn(&mut table)
        }
        Reader::Pipe => cells
            .map(|(name, value)| {
                let below = format!("\n{}", " ".repeat(indent));
                let line = format!("{name:<indent$}{}", value.replace('\n', &below));
                line.trim_end().to_owned() + "\n"
            })
            .collect(),
    }
}

/// Many records, which may have different fields.
pub(super) fn table(rows: &[&Record], reader: Reader) -> String {
    let columns = columns(rows);
    match reader {
        Reader::Pipe => tab_separated(&columns, rows),
        Reader::Terminal { width, colour } => {
            if fits(&columns, rows, reader, usize::from(width)) {
                aligned(&columns, rows, reader, grid(width, colour))
            } else {
                below_each_other(rows, reader, width, colour)
            }
        }
    }
}

/// The names of all fields, in order of first occurrence.
fn columns<'a>(rows: &[&'a Record]) -> Vec<&'a Text> {
    let mut columns: Vec<&Text> = Vec::new();
    let mut last = None;
    for row in rows {
        // Rows from the same source share the list of names.
        if last.is_some_and(|it| std::sync::Arc::ptr_eq(it, row.names())) {
            continue;
        }
        last = Some(row.names());
        for name in row.names().iter() {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
    }
    columns
}

fn tab_separated(columns: &[&Text], rows: &[&Record]) -> String {
    let head = columns.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\t");
    let mut text = head + "\n";
    for row in rows {
        let cells: Vec<String> = columns.iter().map(|it| row_cell(row, it, Reader::Pipe)).collect();
        text.push_str(&cells.join("\t"));
        text.push('\n');
    }
    text
}

/// Many records as one table with the columns that fit, followed by the names of the other columns.
pub(super) fn brief(rows: &[&Record], reader: Reader, width: u16, colour: bool) -> String {
    /// The maximum width of a column in an overview.
    const WIDEST: usize = 32;
    let columns = columns(rows);
    let mut left = usize::from(width) + GAP;
    let wanted = columns.iter().map(|it| wanted(it, rows, reader, WIDEST));
    let fitting = wanted.take_while(|it| left.checked_sub(*it).map(|it| left = it).is_some());
    let count = fitting.count().max(1);
    let (shown, hidden) = columns.split_at(count);
    let mut table = aligned(shown, rows, reader, grid(width, colour));
    if !hidden.is_empty() {
        let names: Vec<_> = hidden.iter().map(|it| visible_line(it)).collect();
        table += &format!("and {}\n", names.join(", "));
    }
    table
}

/// The preferred width of a column, up to a limit.
fn wanted(name: &str, rows: &[&Record], reader: Reader, most: usize) -> usize {
    /// The number of rows that determine the width.
    const LOOKED_AT: usize = 50;
    let cells = rows.iter().take(LOOKED_AT).map(|it| row_cell(it, name, reader));
    let widest = cells.map(|it| it.chars().take(most).count()).max().unwrap_or(0);
    widest.max(name.chars().count()) + GAP
}

/// Whether each column has its preferred width, or at least a legible one.
fn fits(columns: &[&Text], rows: &[&Record], reader: Reader, width: usize) -> bool {
    let wanted = columns.iter().map(|it| wanted(it, rows, reader, LEGIBLE));
    wanted.sum::<usize>() <= width + GAP
}

fn aligned(columns: &[&Text], rows: &[&Record], reader: Reader, mut table: Table) -> String {
    table.set_header(columns.iter().map(|it| name_cell(it)));
    for row in rows {
        let cells = columns.iter().map(|it| Cell::new(row_cell(row, it, reader)));
        let mut row = Row::from(cells.collect::<Vec<_>>());
        row.max_height(1);
        table.add_row(row);
    }
    drawn(&mut table)
}

fn below_each_other(rows: &[&Record], reader: Reader, width: u16, colour: bool) -> String {
    let shown = rows.iter().map(|record| {
        let mut table = grid(width, colour);
        for (name, value) in record.iter() {
            let mut row = Row::from(vec![name_cell(name), Cell::new(one_cell(value, reader))]);
            row.max_height(LINES_OF_MANY);
            table.add_row(row);
        }
        drawn(&mut table)
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// The text next to the name of a field.
fn cell(value: &Value, reader: Reader) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::List(items) if items.is_empty() => "[]".to_owned(),
        other => lines(other, reader).trim_end().to_owned(),
    }
}

fn row_cell(row: &Record, name: &str, reader: Reader) -> String {
    row.get(name).map(|it| one_cell(it, reader)).unwrap_or_default()
}

/// A value on one line, cut to the visible part on a terminal.
fn one_cell(value: &Value, reader: Reader) -> String {
    match (value.as_str(), reader) {
        (Some(text), Reader::Terminal { .. }) if text.len() > VISIBLE => {
            let seen: String = text.chars().take(VISIBLE).collect();
            one_line(&Value::from(seen), reader)
        }
        _ => one_line(value, reader),
    }
}

fn name_cell(name: &str) -> Cell {
    Cell::new(visible_line(name)).add_attribute(Attribute::Bold)
}

/// A table without borders, as wide as the terminal.
fn grid(width: u16, colour: bool) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .force_no_tty()
        .set_width(width)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_truncation_indicator("…");
    if colour {
        table.enforce_styling().style_text_only();
    }
    table
}

fn drawn(table: &mut Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt() + "\n"
}
