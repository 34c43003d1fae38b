//! Reads a table from a file.

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use svc_columns::{
    Builder, Cell, Column, Data, Kind, Other as _,
    csv::{self, CsvError, Options, Wanted},
};
use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Generic, Op, OpError, Scheme, Scope,
        columns_of_call, params,
    },
    value::{List, RecordType, Text, Type, Value, arithmetic::LONGEST_LIST, json, memory},
};

use super::{
    Frame, ROWS_OUT,
    binary::{self, Wanted as WantedPart},
    finite, given,
    input::{self, Format},
    wrong,
};

params! {
    /// Reads a table from a file: CSV, TSV, JSON lines, a workbook of Excel, or Parquet.
    ///
    /// Text may be compressed by gzip.
    /// The first row of CSV names the columns; the cells are separated by `,`, `;`, tabs or `|`, whichever
    /// the first line has most. A column whose cells are all ints is one of ints; others are of floats,
    /// booleans, or strings. `NaN`, `inf` and `-inf`, in any case where other cells are numbers, are floats that
    /// are not finite, as `table.write` writes them; in JSON they are null. A number with zeros in front, such
    /// as `007`, is a code and so a string; an empty cell is null.
    ///
    /// `table.read<Row>` reads the cells as the types of the fields of `Row`, and leaves other columns out. There,
    /// floats are finite: NaN is null in a field of type `float?`, and an error otherwise.
    ///
    /// An empty file is a table without rows, which a note says. `columns` reads only these. The first row with content of a sheet names its columns; workbooks are XLSX,
    /// XLSB, XLS and ODS. A decimal of Parquet is a float, and nested columns are errors. Both formats are read
    /// in a worker process, up to 64 MiB; without a type, dates, times and durations in them are strings. A row with more or fewer cells than the header, a cell that is not of
    /// its type and text that is not UTF-8 are errors of kind `invalid_input` with their line. So are more
    /// than 10,000,000 rows: `table.scan` groups larger files. JSON lines have a column for each field of any line, and are
    /// refused if that makes more than 100,000,000 cells of which fewer than a tenth have a value: `read_jsonl` reads them.
    pub(super) struct Read {
        /// The file to read.
        path: PathBuf,
        /// The format; by default that of the file's name.
        format: Format = Format::Auto,
        /// The columns to read; by default all.
        columns: Option<Vec<Text>> = None,
        /// The sheet of a workbook; by default the first one.
        sheet: Option<Text> = None,
    }
}

impl Op for Read {
    const NAME: &'static str = "read";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed, ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "load a csv file as a table",
        "read a csv with guessed types",
        "read json lines as rows",
        "load a compressed csv.gz",
        "rows of a spreadsheet export with semicolons",
        "read a parquet file",
        "load an excel workbook as a data frame",
        "data frame from a file",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Guessed types",
            r#"table.read(path: "x.csv")"#,
            r#"[{"id":1,"zip":"0150","price":2.5},{"id":2,"zip":"5003","price":null}]"#,
        )
        .with(&[("x.csv", "id;zip;price\n1;0150;2.5\n2;5003;\n")]),
        Example::ok(
            "Typed rows",
            r#"type Row = { price: money, day: date }
table.read<Row>(path: "x.csv") >> each { "${.day}: ${.price}" }"#,
            r#"["2026-01-31: $2.50"]"#,
        )
        .with(&[("x.csv", "day,price,note\n2026-01-31,$2.50,x\n")]),
        Example::err(
            "A ragged row",
            r#"table.read(path: "x.csv")"#,
            "line 3: expected 2 cells, found 3",
        )
        .with(&[("x.csv", "a,b\n1,2\n3,4,5\n")]),
        Example::err(
            "A cell of another type",
            r#"table.read<{ n: int }>(path: "x.csv")"#,
            "line 3: column `n`: expected int, found \"x\"",
        )
        .with(&[("x.csv", "n\n1\nx\n")]),
        Example::err("No file", r#"table.read(path: "x.csv")"#, "it does not exist"),
    ];
}

impl Compute for Read {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let format = self.format.of(&self.path)?;
        let row = match cx.wanted() {
            Some(Type::Record(of)) => Some(of.as_ref()),
            _ => None,
        };
        let at = |err: OpError| {
            let message = format!("`{}`, {}", self.path.display(), err.message);
            OpError { message, ..err }
        };
        let columns = self.columns.as_deref();
        if self.sheet.is_some() && format != Format::Xlsx {
            return Err(OpError::invalid_input("`sheet` is for workbooks of Excel"));
        }
        if !format.is_text() {
            let wanted = WantedPart { sheet: self.sheet.as_ref(), columns, row };
            let table = binary::read(cx, &self.path, format, &wanted)?;
            let table = match (columns, row) {
                (Some(names), None) => chosen(&table, names)?,
                _ => table,
            };
            return given(table, cx);
        }
        let text = input::text(cx, &self.path)?;
        let table = match format {
            // This is how a list without rows, whose columns nothing says, is written.
            _ if text.is_empty() => {
                let path = self.path.display();
                cx.notice(format!("`{path}` is empty, so the table has no rows"));
                Frame::new([].into(), Vec::new(), 0)
            }
            Format::Jsonl => lines(&text, cx).map_err(at)?,
            _ => {
                let sep = input::separator(&text, format);
                cells(&text, sep, columns, row, cx).map_err(at)?
            }
        };
        let table = match (columns, row) {
            (Some(names), None) if !table.names.is_empty() => chosen(&table, names)?,
            _ => table,
        };
        given(table, cx)
    }
}

fn chosen(table: &Frame, names: &[Text]) -> Result<Frame, OpError> {
    table.select(names).map_err(wrong)
}

fn lines(text: &str, cx: &Cx) -> Result<Frame, OpError> {
    let mut rows = Vec::new();
    for (idx, line) in text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty()) {
        cx.check()?;
        if rows.len() == LONGEST_LIST {
            return Err(too_long());
        }
        let at = |why: String| OpError::invalid_input(format!("line {}: {why}", idx + 1));
        let value = json::read(line).map_err(|err| {
            at(format!("invalid JSON: {err}")).because(err).help("write one JSON object a line")
        })?;
        if value.as_record().is_none() {
            return Err(at(format!("expected an object, found {}", value.kind()))
                .help("a table is an object a line; `read_jsonl` reads any values"));
        }
        rows.push(value);
    }
    columns_of_call(&List::from(rows), cx).map_err(|err| match err.kind {
        ErrorKind::InvalidInput => err.help(
            "read the lines with `read_jsonl`, or write the names that change as values: `{ name: .., value: .. }`",
        ),
        _ => err,
    })
}

fn too_long() -> OpError {
    OpError::invalid_input(format!(
        "more than {LONGEST_LIST} rows; `table.scan` groups larger files"
    ))
    .help("write `table.scan(path: .., by: .., measures: ..)`")
}

/// What a column is read as, for a field of this type.
fn kind_for(ty: &Type) -> Wanted {
    match ty.required() {
        Type::Int(_) => Wanted::Is(Kind::Int),
        Type::Float(_) => Wanted::Is(Kind::Float),
        Type::Bool => Wanted::Is(Kind::Bool),
        Type::Json => Wanted::Guess,
        _ => Wanted::Is(Kind::Text),
    }
}

fn cells(
    text: &str,
    sep: u8,
    columns: Option<&[Text]>,
    row: Option<&RecordType>,
    cx: &Cx,
) -> Result<Frame, OpError> {
    if let Some(row) = row {
        test_columns(text, sep, row, cx)?;
    }
    let columns: Option<HashSet<&str>> = columns.map(|all| all.iter().map(AsRef::as_ref).collect());
    let wanted = |name: &str| match (row.map(|it| it.get(name)), &columns) {
        (Some(Some(ty)), _) => kind_for(ty),
        (Some(None), _) => Wanted::Skip,
        (None, Some(names)) if !names.contains(name) => Wanted::Skip,
        (None, _) => Wanted::Guess,
    };
    let table = parsed(text, sep, &wanted, cx)?;
    match row {
        Some(row) => typed(&table, row),
        None => Ok(table),
    }
}

fn parsed(text: &str, sep: u8, wanted: &dyn Fn(&str) -> Wanted, cx: &Cx) -> Result<Frame, OpError> {
    let stop = || cx.check().is_err();
    let options = Options { sep, most: LONGEST_LIST, wanted, stop: &stop };
    let table = csv::read(text, &options).map_err(csv_error(cx))?;
    memory::room(table.bytes())?;
    Ok(table)
}

pub(super) fn csv_error(cx: &Cx) -> impl Fn(CsvError) -> OpError {
    move |err| match err {
        CsvError::Table(it) => wrong(it),
        CsvError::TooLong => too_long(),
        CsvError::Stopped => cx.check().err().unwrap_or_else(OpError::cancelled),
    }
}

fn test_columns(text: &str, sep: u8, row: &RecordType, cx: &Cx) -> Result<(), OpError> {
    let header = csv::header(text, sep, &|| cx.check().is_err());
    let names = header.map_err(csv_error(cx))?.names;
    for (name, ty) in &row.fields {
        if !names.contains(name) && !ty.is_optional() {
            let all: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
            let message = format!("line 1: missing column `{name}`, found {}", all.join(", "));
            return Err(OpError::invalid_input(message)
                .help(format!("rename the field, or make it optional: `{name}: {ty}?`")));
        }
    }
    Ok(())
}

/// The columns as the fields of a type, in its order.
fn typed(table: &Frame, row: &RecordType) -> Result<Frame, OpError> {
    let mut columns = Vec::with_capacity(row.fields.len());
    for (name, ty) in &row.fields {
        columns.push(match table.get(name) {
            None => Arc::new(Column::nulls(table.len())),
            Some(column) => finite(name, &column_of(name, column, ty)?, ty)?,
        });
    }
    let names = row.fields.iter().map(|(name, _)| name.clone()).collect();
    Ok(Frame::new(names, columns, table.len()))
}

fn column_of(
    name: &Text,
    column: &Arc<Column<Value>>,
    ty: &Type,
) -> Result<Arc<Column<Value>>, OpError> {
    let at = |row: usize, why: String| {
        OpError::invalid_input(format!("row {}: column `{name}`: {why}", row + 1))
            .help(format!("write `{name}: {ty}?` if a cell may be empty"))
    };
    let is_text = matches!(ty.required(), Type::Text);
    let missing = (0..column.len()).find(|it| !column.is_valid(*it));
    match missing.filter(|_| !ty.is_optional() && *ty != Type::Json) {
        // An empty cell is an empty text where a text is expected.
        Some(_) if is_text => {
            let mut filled = Builder::default();
            for cell in column.cells() {
                match cell {
                    Cell::Text(it) => filled.push_text(it),
                    _ => filled.push_text(""),
                }
            }
            return Ok(Arc::new(filled.finish()));
        }
        Some(row) => return Err(at(row, format!("expected {ty}, found an empty cell"))),
        None => {}
    }
    let Data::Text(words) = &column.data else { return Ok(column.clone()) };
    if is_text {
        return Ok(column.clone());
    }
    // Each text is converted once.
    let made: Vec<_> = words.words.iter().map(|it| Value::Text(it.clone()).of_cell(ty)).collect();
    let mut builder = Builder::default();
    for (row, code) in words.codes.iter().enumerate() {
        if !column.is_valid(row) {
            builder.push_null();
            continue;
        }
        match &made[*code as usize] {
            Ok(value) => builder.push(value.cell()),
            Err(err) => return Err(at(row, err.to_string())),
        }
    }
    Ok(Arc::new(builder.finish()))
}
