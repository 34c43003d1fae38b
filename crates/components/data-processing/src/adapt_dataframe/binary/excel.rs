//! Workbooks of Excel.

use std::{collections::HashSet, path::Path};

use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format as Style, Workbook, Worksheet, XlsxError,
};
use svc_columns::{Builder, Cell, Column, Other as _};
use svc_contract::{
    registry::{Cx, OpError},
    value::{Text, Value, json},
};
use svc_documents::{Area, Sheet, WhichSheet};

use super::{Frame, Wanted};

const ROWS_PER_CHECK: usize = 1024;

/// The rows and columns of a sheet.
const MOST_ROWS: usize = 1_048_576;
const MOST_COLUMNS: usize = 16_384;

/// Excel keeps numbers as floats: from here on, they do not keep every digit of an int.
const EXACT: u64 = 1 << 53;

pub(super) fn read(
    cx: &Cx,
    path: &Path,
    content: &[u8],
    wanted: &Wanted<'_>,
) -> Result<Frame, OpError> {
    let which = wanted.sheet.map_or(WhichSheet::First, |it| WhichSheet::Named(it.clone()));
    let is_stopped = || cx.check().is_err();
    let found = svc_documents::sheet(content, &which, Area::ALL, cx.host(), &is_stopped);
    cx.check()?;
    let sheet = found.map_err(|why| why.error(format_args!("`{}`", path.display())))?.map_err(
        |sheets| {
            let all: Vec<String> = sheets.iter().map(|it| format!("`{it}`")).collect();
            let path = path.display();
            let message = match wanted.sheet {
                Some(name) => format!("`{path}` has no sheet `{name}`, found {}", all.join(", ")),
                None => format!("`{path}` has no sheet with cells"),
            };
            OpError::invalid_input(message)
        },
    )?;
    frame(sheet, wanted.sheet.is_some()).map_err(|err| {
        let message = format!("`{}`, {}", path.display(), err.message);
        OpError { message, ..err }
    })
}

/// The rows below the first one, which names the columns.
fn frame(sheet: Sheet, is_named: bool) -> Result<Frame, OpError> {
    let Sheet { name, column, rows } = sheet;
    let mut rows = rows.into_iter();
    let (number, header) = match rows.next() {
        Some(it) => it,
        // This is how a list without rows, whose columns nothing says, is written.
        None if !is_named => return Ok(Frame::new([].into(), Vec::new(), 0)),
        None => {
            return Err(OpError::invalid_input(format!("the sheet `{name}` is empty"))
                .help("name the columns in the first row"));
        }
    };
    let rows: Vec<Vec<Value>> = rows.map(|it| it.1).collect();
    let mut names: Vec<Text> = Vec::with_capacity(header.len());
    let mut seen: HashSet<Text> = HashSet::with_capacity(header.len());
    let mut columns = Vec::with_capacity(header.len());
    for (idx, cell) in header.iter().enumerate() {
        let name = match cell {
            Value::Null => letters(column + idx).into(),
            Value::Text(it) if it.trim().is_empty() => letters(column + idx).into(),
            Value::Text(it) => it.trim().into(),
            other => Text::from(other.to_string()),
        };
        if !seen.insert(name.clone()) {
            let message = format!("row {number}: duplicate column `{name}`");
            return Err(OpError::invalid_input(message)
                .help("give each column of the sheet a name of its own"));
        }
        names.push(name);
        columns.push(of_cells(rows.iter().map(|it| it.get(idx).unwrap_or(&Value::Null))).into());
    }
    Ok(Frame::new(names.into(), columns, rows.len()))
}

/// A workbook does not distinguish `1` from `1.0`: where both are in a column, it is one of floats.
fn of_cells<'a>(cells: impl Iterator<Item = &'a Value> + Clone) -> Column<Value> {
    let is_number = |it: &Value| matches!(it, Value::Int(_) | Value::Float(_) | Value::Null);
    let is_float =
        cells.clone().any(|it| matches!(it, Value::Float(_))) && cells.clone().all(is_number);
    let mut builder = Builder::default();
    for cell in cells {
        match cell {
            #[expect(clippy::cast_precision_loss, reason = "it was a float in the workbook")]
            Value::Int(it) if is_float => builder.push(Cell::Float(*it as f64)),
            it => builder.push(it.cell()),
        }
    }
    builder.finish()
}

/// The letters of a column, from 0.
fn letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or_default();
        letters.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    letters.into_iter().collect()
}

/// The formats of cells.
struct Styles {
    header: Style,
    date: Style,
    time: Style,
    duration: Style,
}

pub(super) fn bytes(table: &Frame, cx: &Cx) -> Result<Vec<u8>, OpError> {
    test_size(table)?;
    let styles = Styles {
        header: Style::new().set_bold(),
        date: Style::new().set_num_format("yyyy-mm-dd"),
        time: Style::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
        duration: Style::new().set_num_format("[h]:mm:ss"),
    };
    let mut book = Workbook::new();
    // The same table gives the same bytes.
    if let Ok(time) = ExcelDateTime::from_ymd(2000, 1, 1) {
        book.set_properties(&DocProperties::new().set_creation_datetime(&time));
    }
    let sheet = book.add_worksheet();
    for (idx, name) in table.names.iter().enumerate() {
        sheet
            .write_string_with_format(0, place(idx), name.as_ref(), &styles.header)
            .map_err(|err| at(0, name, &err))?;
    }
    // The header stays visible. It fails only outside of the sheet.
    let _ = sheet.set_freeze_panes(1, 0);
    for row in 0..table.len() {
        if row.is_multiple_of(ROWS_PER_CHECK) {
            cx.check()?;
        }
        for (idx, column) in table.columns.iter().enumerate() {
            let to = (u32::try_from(row + 1).unwrap_or(u32::MAX), place(idx));
            write(sheet, to, column.cell(row), &styles).map_err(|why| {
                let name = &table.names[idx];
                OpError::invalid_input(format!("row {}: column `{name}`: {why}", row + 1))
            })?;
        }
    }
    book.save_to_buffer()
        .map_err(|err| OpError::failed(format!("cannot write the workbook: {err}")))
}

fn place(idx: usize) -> u16 {
    u16::try_from(idx).unwrap_or(u16::MAX)
}

fn at(row: usize, name: &str, err: &XlsxError) -> OpError {
    OpError::invalid_input(format!("row {row}: column `{name}`: {err}"))
}

fn test_size(table: &Frame) -> Result<(), OpError> {
    let message = if table.len() >= MOST_ROWS {
        format!("a sheet of Excel has at most {} rows, found {}", MOST_ROWS - 1, table.len())
    } else if table.names.len() > MOST_COLUMNS {
        let found = table.names.len();
        format!("a sheet of Excel has at most {MOST_COLUMNS} columns, found {found}")
    } else {
        return Ok(());
    };
    Err(OpError::invalid_input(message).help("write the table as CSV or Parquet"))
}

fn write(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    cell: Cell<'_, Value>,
    styles: &Styles,
) -> Result<(), String> {
    let shown = |err: XlsxError| err.to_string();
    match cell {
        Cell::Null => {}
        Cell::Bool(it) => drop(sheet.write_boolean(row, column, it).map_err(shown)?),
        #[expect(clippy::cast_precision_loss, reason = "larger ones are texts")]
        Cell::Int(it) if it.unsigned_abs() <= EXACT => {
            sheet.write_number(row, column, it as f64).map_err(shown)?;
        }
        Cell::Float(it) if !it.is_finite() => {
            return Err(format!("a sheet of Excel cannot keep {it}; give null instead"));
        }
        Cell::Float(it) => drop(sheet.write_number(row, column, it).map_err(shown)?),
        Cell::Duration(it) => {
            const SECONDS_PER_DAY: f64 = 86_400.0;
            let days = it.as_secs_f64() / SECONDS_PER_DAY;
            sheet.write_number_with_format(row, column, days, &styles.duration).map_err(shown)?;
        }
        Cell::Text(it) => drop(sheet.write_string(row, column, it.as_ref()).map_err(shown)?),
        it => {
            let value = Value::of(it);
            match moment(&value, styles) {
                Some((time, style)) => {
                    sheet.write_datetime_with_format(row, column, &time, style).map_err(shown)?;
                }
                None => drop(sheet.write_string(row, column, text(&value)).map_err(shown)?),
            }
        }
    }
    Ok(())
}

/// A date or time, if it is in the range of Excel. Its day 0, the last one of 1899, has only times
/// without a date.
fn moment<'a>(value: &Value, styles: &'a Styles) -> Option<(ExcelDateTime, &'a Style)> {
    const FIRST_YEAR: i16 = 1900;
    let of_date = |date: jiff::civil::Date| {
        if date.year() < FIRST_YEAR {
            return None;
        }
        let [month, day] = [date.month(), date.day()].map(|it| u8::try_from(it).ok());
        ExcelDateTime::from_ymd(u16::try_from(date.year()).ok()?, month?, day?).ok()
    };
    match value {
        Value::Date(it) => Some((of_date(*it)?, &styles.date)),
        Value::Time(it) => {
            let local = jiff::tz::TimeZone::UTC.to_datetime(*it);
            let hour = u16::try_from(local.hour()).ok()?;
            let minute = u8::try_from(local.minute()).ok()?;
            let second = f64::from(local.second()) + f64::from(local.subsec_nanosecond()) / 1e9;
            Some((of_date(local.date())?.and_hms(hour, minute, second).ok()?, &styles.time))
        }
        _ => None,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Path(it) => it.as_ref().to_owned(),
        Value::List(_) | Value::Record(_) => json::write(value),
        other => other.to_string(),
    }
}
