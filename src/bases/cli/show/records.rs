//! Records: their fields one below the other, and many of them as a table.

use comfy_table::{Attribute, Cell, ContentArrangement, Row, Table, presets};
use svc_contract::value::{Record, Text, Value};
use svc_lang::diag::visible_line;

use super::{Reader, lines, one_line};

/// A column narrower than this, whose content is wider, is no pleasure to read.
const LEGIBLE: usize = 16;

/// The columns between two cells.
const GAP: usize = 2;

/// How many lines of a field are shown where records stand below each other.
const LINES_OF_MANY: usize = 3;

/// No more than this of a text can be seen in a cell.
const VISIBLE: usize = 2_000;

/// The fields of one record, whole.
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

/// Many records, none of which need have the same fields.
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

/// The names of all fields, in the order in which they are first met.
fn columns<'a>(rows: &[&'a Record]) -> Vec<&'a Text> {
    let mut columns: Vec<&Text> = Vec::new();
    let mut last = None;
    for row in rows {
        // Rows of one origin share their names.
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

/// Many records as one table, with the columns that fit. The names of the others stand below
/// it.
pub(super) fn brief(rows: &[&Record], reader: Reader, width: u16, colour: bool) -> String {
    /// A column that has this much room tells enough.
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

/// The room that a column wants, up to a limit.
fn wanted(name: &str, rows: &[&Record], reader: Reader, most: usize) -> usize {
    /// How many rows say how wide a column is.
    const LOOKED_AT: usize = 50;
    let cells = rows.iter().take(LOOKED_AT).map(|it| row_cell(it, name, reader));
    let widest = cells.map(|it| it.chars().take(most).count()).max().unwrap_or(0);
    widest.max(name.chars().count()) + GAP
}

/// Whether each column has the room that it wants, or enough to be legible.
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

/// What stands beside the name of a field.
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

/// A value on one line; for a terminal, no more of it than can be seen.
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

/// A table without lines, as wide as the terminal.
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
