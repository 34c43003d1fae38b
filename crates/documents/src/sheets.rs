//! Sheets of workbooks (XLSX, XLSB, XLS, ODS) as rows of values, by calamine.

use std::{
    collections::BTreeMap,
    io::Cursor,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use calamine::{
    CellErrorType, Data, ExcelDateTime, Ods, OdsError, Reader as _, SheetType, Xls, XlsError, Xlsb,
    XlsbError, Xlsx, XlsxError, open_workbook_from_rs,
};
use jiff::{SignedDuration, Timestamp, civil, tz::TimeZone};
use svc_contract::{
    host::Host,
    value::{Record, Text, Value, times},
};

use super::{Unreadable, office::Writer, worker};

/// The maximum number of cells of a sheet, those without content between others included.
const MOST_CELLS: usize = 10_000_000;

/// The sheet of a workbook to read.
#[derive(Clone, Debug)]
pub enum WhichSheet {
    First,
    /// The name, in upper or lower case.
    Named(Text),
    /// The number, from 1.
    Number(i64),
}

/// A part of a sheet: the first and last row and column, from 0. Without columns, it starts at the
/// first one with content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub rows: (u32, u32),
    pub columns: Option<(u32, u32)>,
}

impl Area {
    /// All cells.
    pub const ALL: Self = Self { rows: (0, u32::MAX), columns: None };

    fn has(&self, row: u32, column: u32) -> bool {
        let is_in = |(first, last): (u32, u32), it: u32| first <= it && it <= last;
        is_in(self.rows, row) && self.columns.is_none_or(|columns| is_in(columns, column))
    }
}

/// A sheet, or the part of it that was requested.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    pub name: Text,
    /// The number of its first column, from 0.
    pub column: usize,
    /// The rows with content, each with its number, from 1, and its cells. All have the same number
    /// of cells.
    pub rows: Vec<(i64, Vec<Value>)>,
}

/// Returns a sheet, or the names of all sheets if this one is missing.
pub fn sheet(
    content: &[u8],
    which: &WhichSheet,
    area: Area,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Result<Sheet, Vec<Text>>, Unreadable> {
    let wanted = fields([("sheet", asked(which)), ("area", numbers(area))]);
    let found = worker::read_value(worker::Reader::Sheet, content, &wanted, host, is_stopped)?;
    answered(&found).ok_or_else(|| {
        let why = "its reader returned an invalid answer";
        Unreadable::Unread(std::io::Error::other(why))
    })
}

fn fields<const N: usize>(all: [(&'static str, Value); N]) -> Value {
    let all = all.into_iter().map(|(name, it)| (Text::from(name), it));
    Value::Record(all.collect::<Record>())
}

fn asked(which: &WhichSheet) -> Value {
    match which {
        WhichSheet::First => Value::Null,
        WhichSheet::Named(name) => name.clone().into(),
        WhichSheet::Number(number) => (*number).into(),
    }
}

fn numbers(area: Area) -> Value {
    let pairs = std::iter::once(area.rows).chain(area.columns);
    let all = pairs.flat_map(|(first, last)| [first, last]);
    Value::List(all.map(|it| Value::Int(it.into())).collect())
}

fn area(value: &Value) -> Option<Area> {
    let number = |idx| match value.as_list()?.get(idx)? {
        Value::Int(it) => u32::try_from(*it).ok(),
        _ => None,
    };
    Some(Area { rows: (number(0)?, number(1)?), columns: number(2).zip(number(3)) })
}

/// Reads the answer of a worker, which may be compromised.
fn answered(found: &Value) -> Option<Result<Sheet, Vec<Text>>> {
    let found = found.as_record()?;
    let text = |it: &Value| it.as_str().map(Text::from);
    if let Some(names) = found.get("sheets") {
        return Some(Err(names.as_list()?.iter().map(text).collect::<Option<_>>()?));
    }
    let rows = found.get("rows")?.as_list()?.iter().map(|it| {
        let (Value::Int(number), cells) = (it.as_list()?.get(0)?, it.as_list()?.get(1)?) else {
            return None;
        };
        Some((*number, cells.as_list()?.iter().cloned().collect()))
    });
    let rows: Vec<(i64, Vec<Value>)> = rows.collect::<Option<_>>()?;
    let Value::Int(column) = found.get("column")? else { return None };
    let (name, column) = (text(found.get("name")?)?, usize::try_from(*column).ok()?);
    Some(Ok(Sheet { name, column, rows }))
}

/// Writes all sheets of a workbook: the name of each, and its rows.
pub(super) fn write(content: &[u8], writer: &mut Writer) -> Result<(), Unreadable> {
    let mut book = Book::open(content)?;
    for (idx, name) in book.names().iter().enumerate() {
        if idx > 0 {
            writer.page_break()?;
        }
        writer.heading(1, name)?;
        let mut cells = Cells { area: Area::ALL, rows: BTreeMap::new(), count: 0 };
        book.read(name, &mut cells)?;
        let Value::List(rows) = cells.rows()?.1 else { continue };
        let cells = |row: &Value| {
            let row = row.as_list()?.get(1)?.as_list()?.iter().cloned();
            Some(row.collect::<Vec<Value>>())
        };
        writer.sheet(name, rows.iter().filter_map(cells).collect())?;
    }
    Ok(())
}

/// Reads a sheet.
///
/// calamine trusts the declarations of a file, and uses many times the memory of the input: call
/// this in a worker only.
pub(super) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let read = catch_unwind(AssertUnwindSafe(|| read(content, wanted)));
    read.unwrap_or_else(|_| Err(damaged("it is too damaged to be read")))
}

fn damaged(why: impl Into<String>) -> Unreadable {
    Unreadable::Damaged(why.into())
}

fn read(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let wanted = wanted.as_record().ok_or_else(|| damaged("nothing is wanted"))?;
    let which = wanted.get("sheet").unwrap_or(&Value::Null);
    let area = wanted.get("area").and_then(area).unwrap_or(Area::ALL);
    let mut book = Book::open(content)?;
    let names = book.names();
    let Some(name) = chosen(which, &names) else {
        let names = names.into_iter().map(Value::from).collect();
        return Ok(fields([("sheets", Value::List(names))]));
    };
    let mut cells = Cells { area, rows: BTreeMap::new(), count: 0 };
    book.read(name, &mut cells)?;
    let (column, rows) = cells.rows()?;
    let column = i64::try_from(column).unwrap_or_default();
    Ok(fields([("name", Value::text(name)), ("column", Value::Int(column)), ("rows", rows)]))
}

fn chosen<'a>(which: &Value, names: &'a [String]) -> Option<&'a str> {
    match which {
        Value::Int(number) => {
            let idx = usize::try_from(*number).ok()?.checked_sub(1)?;
            names.get(idx)
        }
        Value::Text(name) => names.iter().find(|it| **it == **name).or_else(|| {
            let lower = name.to_lowercase();
            names.iter().find(|it| it.to_lowercase() == lower)
        }),
        _ => names.first(),
    }
    .map(String::as_str)
}

type Bytes<'a> = Cursor<&'a [u8]>;

/// A workbook of any format.
enum Book<'a> {
    Xlsx(Xlsx<Bytes<'a>>),
    Xlsb(Xlsb<Bytes<'a>>),
    Xls(Xls<Bytes<'a>>),
    Ods(Ods<Bytes<'a>>),
}

/// The start of a ZIP archive, and of a compound file.
const ZIP: &[u8] = b"PK\x03\x04";
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

impl<'a> Book<'a> {
    fn open(content: &'a [u8]) -> Result<Self, Unreadable> {
        let bytes = Cursor::new(content);
        if content.starts_with(COMPOUND) {
            // An encrypted workbook is a compound file, too.
            return match open_workbook_from_rs::<Xlsx<_>, _>(bytes.clone()) {
                Err(XlsxError::Password) => Err(Unreadable::Encrypted),
                _ => open_workbook_from_rs(bytes).map(Self::Xls).map_err(of_xls),
            };
        }
        if !content.starts_with(ZIP) {
            return Err(damaged("it is not a workbook of XLSX, XLSB, XLS or ODS"));
        }
        let has = |name: &str| content.windows(name.len()).any(|it| it == name.as_bytes());
        if has("xl/workbook.bin") {
            return open_workbook_from_rs(bytes).map(Self::Xlsb).map_err(of_xlsb);
        }
        if has("opendocument.spreadsheet") {
            return open_workbook_from_rs(bytes).map(Self::Ods).map_err(of_ods);
        }
        open_workbook_from_rs(bytes).map(Self::Xlsx).map_err(of_xlsx)
    }

    /// The names of the sheets with cells, in their order.
    fn names(&self) -> Vec<String> {
        let sheets = match self {
            Self::Xlsx(it) => it.sheets_metadata(),
            Self::Xlsb(it) => it.sheets_metadata(),
            Self::Xls(it) => it.sheets_metadata(),
            Self::Ods(it) => it.sheets_metadata(),
        };
        let sheets = sheets.iter().filter(|it| it.typ == SheetType::WorkSheet);
        sheets.map(|it| it.name.clone()).collect()
    }

    fn read(&mut self, name: &str, cells: &mut Cells) -> Result<(), Unreadable> {
        // The first two are read cell by cell, the others as a whole.
        let range = match self {
            Self::Xlsx(book) => {
                let mut reader = book.worksheet_cells_reader(name).map_err(of_xlsx)?;
                while let Some(cell) = reader.next_cell().map_err(of_xlsx)? {
                    cells.add(cell.get_position(), cell.get_value().clone().into())?;
                }
                return Ok(());
            }
            Self::Xlsb(book) => {
                let mut reader = book.worksheet_cells_reader(name).map_err(of_xlsb)?;
                while let Some(cell) = reader.next_cell().map_err(of_xlsb)? {
                    cells.add(cell.get_position(), cell.get_value().clone().into())?;
                }
                return Ok(());
            }
            Self::Xls(book) => book.worksheet_range(name).map_err(of_xls)?,
            Self::Ods(book) => book.worksheet_range(name).map_err(of_ods)?,
        };
        let (top, left) = range.start().unwrap_or_default();
        range.used_cells().try_for_each(|(row, column, it)| {
            let place = |start: u32, idx: usize| {
                u32::try_from(idx).map_or(u32::MAX, |idx| start.saturating_add(idx))
            };
            cells.add((place(top, row), place(left, column)), it.clone())
        })
    }
}

fn of_xlsx(err: XlsxError) -> Unreadable {
    match err {
        XlsxError::Password => Unreadable::Encrypted,
        err => unreadable(&err),
    }
}

fn of_xlsb(err: XlsbError) -> Unreadable {
    match err {
        XlsbError::Password => Unreadable::Encrypted,
        err => unreadable(&err),
    }
}

fn of_xls(err: XlsError) -> Unreadable {
    match err {
        XlsError::Password => Unreadable::Encrypted,
        err => unreadable(&err),
    }
}

fn of_ods(err: OdsError) -> Unreadable {
    match err {
        OdsError::Password => Unreadable::Encrypted,
        err => unreadable(&err),
    }
}

fn unreadable(err: &impl std::fmt::Display) -> Unreadable {
    damaged(format!("it is not a readable workbook ({err})"))
}

/// The cells with content that were read so far.
struct Cells {
    area: Area,
    rows: BTreeMap<u32, BTreeMap<u32, Value>>,
    count: usize,
}

impl Cells {
    fn add(&mut self, (row, column): (u32, u32), cell: Data) -> Result<(), Unreadable> {
        if matches!(cell, Data::Empty) || !self.area.has(row, column) {
            return Ok(());
        }
        self.count += 1;
        if self.count > MOST_CELLS {
            return Err(too_many());
        }
        self.rows.entry(row).or_default().insert(column, value(cell));
        Ok(())
    }

    /// The number of the first column, and the rows, whose cells start there.
    fn rows(self) -> Result<(usize, Value), Unreadable> {
        let columns = || self.rows.values().flat_map(BTreeMap::keys);
        let first = match self.area.columns {
            None => columns().min().copied().unwrap_or_default(),
            Some((first, _)) => first,
        };
        let width = columns().max().map_or(0, |last| (last - first) as usize + 1);
        if self.rows.len().saturating_mul(width) > MOST_CELLS {
            return Err(too_many());
        }
        let rows = self.rows.into_iter().map(|(row, cells)| {
            let mut all = vec![Value::Null; width];
            for (column, cell) in cells {
                all[(column - first) as usize] = cell;
            }
            Value::from(vec![Value::Int(i64::from(row) + 1), all.into()])
        });
        Ok((first as usize, Value::List(rows.collect())))
    }
}

fn too_many() -> Unreadable {
    damaged(format!("the sheet has too many cells (limit {MOST_CELLS})"))
}

fn value(cell: Data) -> Value {
    match cell {
        Data::Empty => Value::Null,
        Data::Int(it) => it.into(),
        Data::Float(it) => number(it),
        Data::String(it) => it.into(),
        Data::Bool(it) => it.into(),
        Data::DateTime(it) => moment(it).unwrap_or_else(|| number(it.as_f64())),
        Data::DateTimeIso(text) => iso_moment(&text).unwrap_or_else(|| text.into()),
        Data::DurationIso(text) => match text.parse::<SignedDuration>().map(Duration::try_from) {
            Ok(Ok(it)) => Value::Duration(it),
            _ => text.into(),
        },
        Data::Error(it) => error_text(&it).into(),
    }
}

fn error_text(error: &CellErrorType) -> String {
    error.to_string()
}

/// The largest number up to which all whole numbers are floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Workbooks do not distinguish `1` from `1.0`.
fn number(it: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
    if it.fract() == 0.0 && it.abs() <= EXACT { Value::Int(it as i64) } else { it.into() }
}

/// A number with the format of a date: a date, a time in UTC, or, without days, the duration since
/// midnight.
fn moment(it: ExcelDateTime) -> Option<Value> {
    let serial = it.as_f64();
    if !serial.is_finite() || serial < 0.0 {
        return None;
    }
    if it.is_duration() || serial < 1.0 {
        const MILLIS_PER_DAY: f64 = 86_400_000.0;
        let millis = (serial * MILLIS_PER_DAY).round();
        return Duration::try_from_secs_f64(millis / 1_000.0).ok().map(Value::Duration);
    }
    let (year, month, day, hour, minute, second, milli) = it.to_ymd_hms_milli();
    let small = |it: u8| i8::try_from(it).ok();
    let date = civil::Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok()?;
    if (hour, minute, second, milli) == (0, 0, 0, 0) {
        return Some(Value::Date(date));
    }
    let nanos = i32::from(milli) * 1_000_000;
    let time = civil::Time::new(small(hour)?, small(minute)?, small(second)?, nanos).ok()?;
    in_utc(date.to_datetime(time)).map(Value::Time)
}

fn iso_moment(text: &str) -> Option<Value> {
    if let Some(date) = times::parse_date(text) {
        return Some(Value::Date(date));
    }
    times::parse_time(text).or_else(|| times::completed_time(text)).map(Value::Time)
}

fn in_utc(local: civil::DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(local).ok()
}
