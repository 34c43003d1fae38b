//! Reads a sheet of a workbook as typed records.

use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, Effect, ErrorKind, Example, Field, Generic, Max, Op, OpError,
        Scheme, Scope, Size, params,
    },
    value::{Columns, Text, Type, Value},
};
use svc_documents::{self as extract, Area, WhichSheet};

use super::range::area;
use crate::{Input, letters, names};

/// A workbook of two sheets, for examples: its parts are not compressed, so it is text.
pub(super) const SAMPLE: &str = include_str!("sample.xlsx");

/// A sheet by its name or number.
struct Which(WhichSheet);

impl Field for Which {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Text, Scheme::Int]);

    fn decode(value: Value) -> Option<Self> {
        Some(Self(match value {
            Value::Int(number) => WhichSheet::Number(number),
            other => WhichSheet::Named(Text::decode(other)?),
        }))
    }

    fn encode(self) -> Value {
        match self.0 {
            WhichSheet::First => Value::Null,
            WhichSheet::Named(name) => name.into(),
            WhichSheet::Number(number) => number.into(),
        }
    }
}

params! {
    /// Reads a table from a sheet of a workbook: XLSX, XLSB, XLS or ODS.
    ///
    /// `sheet<Row>` returns a list of `Row`, a record type. The first row with content names the
    /// columns, which may stand in any order; columns that are not fields are left out. Without a
    /// type, the result is a list of `json` objects of all columns; a column without a name has its
    /// letters. With `header: false`, the cells of a row are the fields of `Row` in their order, and
    /// objects have the letters of the columns. Rows without content are left out.
    ///
    /// A number with the format of a date is a `date`, or a `time` in UTC if it has a time of day,
    /// since workbooks know no time zones; a field of type `time` also takes a date, as its midnight.
    /// A time of day or a span of time is a `duration`. A formula has the value that was last
    /// computed, and an error of a formula is its text, such as `#DIV/0!`. An empty cell is null,
    /// and the cells of a merged one are empty, except its first.
    ///
    /// A missing sheet or column, a cell that cannot be converted, and a file that is not a workbook,
    /// is damaged, or is larger than `max_size` are errors of kind `invalid_input`; an encrypted
    /// workbook is one of kind `unsupported`. It is read in a process of its own with limits of memory and
    /// time, and may have 10,000,000 cells.
    pub(super) struct ReadSheet {
        /// The workbook: a path, a file in memory, or its content.
        from: Input,
        /// The sheet: its name, or its number from 1. By default, the first one.
        sheet: Option<Which> = None,
        /// The part of the sheet with the table, such as `B2:D20`, `A3:`, `A:C` or `3:40`.
        range: Option<Text> = None,
        /// Whether the first row names the columns.
        header: bool = true,
        /// The maximum size of the file.
        max_size: Size = Size(20 << 20),
    }
}

impl Op for ReadSheet {
    const NAME: &'static str = "sheet";
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);
    const CHECK: Option<CheckCall> = Some(|call| call.test("range", |it: Text| area(&it)));
    const GENERIC: Generic = Generic::Rows;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("from"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "read an excel file",
        "rows of an xlsx spreadsheet",
        "typed records from a sheet of a workbook",
        "import a table from excel by its header",
        "read the second tab of a workbook",
        "grab cells out of a workbook from microsoft excel",
        "columns of a .xlsx table",
        "get data out of a spreadsheet",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Typed records",
            r#"type Item = { name: string, price: float, since: date, stock: int? }
path("stock.xlsx") >> sheet<Item>"#,
            r#"[{"name":"pear","price":0.5,"since":"2026-01-31","stock":12},{"name":"fig","price":2.0,"since":"2026-02-01","stock":null}]"#,
        )
        .with(&[("stock.xlsx", SAMPLE)]),
        Example::ok(
            "Another sheet, with the letters of its columns",
            r#"path("stock.xlsx") >> sheet(sheet: "Notes", header: false)"#,
            r#"[{"A":"counted","B":"2026-02-03T09:30:00Z"}]"#,
        )
        .with(&[("stock.xlsx", SAMPLE)]),
        Example::err(
            "A cell of another type",
            r#"path("stock.xlsx") >> sheet<{ name: int }>()"#,
            "row 2 of the sheet `Stock`: column `name`: expected int, found \"pear\"",
        )
        .with(&[("stock.xlsx", SAMPLE)]),
        Example::err(
            "Not a workbook",
            r#"path("note.txt") >> sheet"#,
            "cannot read `note.txt`: it is not a workbook of XLSX, XLSB, XLS or ODS",
        )
        .with(&[("note.txt", "buy milk")]),
    ];
}

impl Compute for ReadSheet {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let area = self.range.as_deref().map_or(Ok(Area::ALL), area)?;
        let which = self.sheet.map_or(WhichSheet::First, |it| it.0);
        let (name, content) = self.from.read(self.max_size, cx)?;
        cx.check()?;
        let found = extract::sheet(&content, &which, area, cx.host(), &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let sheet = found
            .map_err(|why| why.error(&name))?
            .map_err(|sheets| missing(&name, &which, &sheets))?;
        rows(sheet, cx.wanted().unwrap_or(&Type::Json), self.header, cx)
    }
}

fn missing(name: &str, which: &WhichSheet, sheets: &[Text]) -> OpError {
    const SHOWN: usize = 10;
    let all: Vec<String> = sheets.iter().take(SHOWN).map(|it| format!("`{it}`")).collect();
    let found = match sheets.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{} and {more} more", all.join(", ")),
        _ if all.is_empty() => "no sheet with cells".to_owned(),
        _ => all.join(", "),
    };
    let message = match which {
        WhichSheet::First => format!("{name} has no sheet with cells"),
        WhichSheet::Named(sheet) => format!("{name} has no sheet `{sheet}`, found {found}"),
        WhichSheet::Number(number) => format!("{name} has no sheet {number}, found {found}"),
    };
    let error = OpError::invalid_input(message);
    match which {
        WhichSheet::Number(0) => error.help("sheets are numbered from 1"),
        _ => error,
    }
}

const ROWS_BETWEEN_CHECKS: usize = 1_000;

fn rows(sheet: extract::Sheet, ty: &Type, header: bool, cx: &Cx) -> Result<Value, OpError> {
    let extract::Sheet { name, column, rows } = sheet;
    let mut rows = rows.into_iter();
    let columns = if header {
        let Some((number, first)) = rows.next() else {
            let message = format!("the sheet `{name}` is empty, so it has no header");
            return Err(OpError::invalid_input(message));
        };
        Columns::named(&names(first, column), ty).map_err(|why| {
            let help =
                "name the columns in the first row; `range: \"A3:\"` leaves out what is above it";
            at_row(number, &name, &why).help(help)
        })?
    } else if matches!(ty, Type::Json) {
        let width = rows.as_slice().first().map_or(0, |(_, cells)| cells.len());
        let names: Vec<Text> = (column..column + width).map(|it| letters(it).into()).collect();
        Columns::named(&names, ty).map_err(OpError::invalid_input)?
    } else {
        Columns::in_order(ty).map_err(OpError::invalid_input)?
    };
    let mut records = Vec::new();
    for (number, cells) in rows {
        if records.len().is_multiple_of(ROWS_BETWEEN_CHECKS) {
            cx.check()?;
        }
        records.push(columns.record(&cells).map_err(|why| at_row(number, &name, &why))?);
    }
    Ok(records.into())
}

fn at_row(number: i64, sheet: &str, why: &str) -> OpError {
    OpError::invalid_input(format!("row {number} of the sheet `{sheet}`: {why}"))
}
