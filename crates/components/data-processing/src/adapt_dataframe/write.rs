//! Writes a table to a file.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use svc_columns::Other as _;
use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, Size, params,
        record,
    },
    value::{Value, json, memory},
};

use super::{
    Frame, Rows, binary,
    input::{Format, io_error},
};
use crate::{cells, rows::unified};

record! {
    /// A file that was written.
    struct Written {
        /// The file.
        path: PathBuf,
        /// The number of rows.
        rows: i64,
        /// Its size.
        bytes: Size,
    }
}

params! {
    /// Writes a table to a file as CSV, TSV, JSON lines, a workbook of Excel (XLSX), or Parquet.
    ///
    /// In CSV, the first row has the names of the columns, null is an empty cell, and units are written as
    /// the language writes them; cells are quoted where that is needed, so `table.read` reads the same
    /// texts. Floats that are not finite are `NaN`, `inf` and `-inf`. In a workbook, an empty string is an empty cell, which is read as null, times have milliseconds, dates and times have formats, an int beyond 2^53 is a text, and floats that are not
    /// finite are errors. Parquet has types for ints, floats, booleans, strings, bytes, dates and times; times have nanoseconds from 1677 to 2262, and microseconds before and after. A table without rows
    /// keeps its columns where they are known; a list without rows and columns is an empty file, or an error for Parquet. A text file whose name ends in `.gz`
    /// is compressed by gzip. Missing folders are created, and an existing file is replaced atomically.
    pub(super) struct Write {
        /// The rows.
        rows: Rows,
        /// The file to write to.
        to: PathBuf,
        /// The format; by default that of the file's name.
        format: Format = Format::Auto,
    }
}

impl Op for Write {
    const NAME: &'static str = "write";
    const YIELDS: Scheme = Written::SCHEME;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("to"), idempotent: true }];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed, ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "save a table as a csv file",
        "export rows to csv or tsv",
        "write records as json lines",
        "store a data frame on disk",
        "table to a file for a spreadsheet",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Write and read",
            r#"let file = [{ a: 1, b: "x, y" }] >> table.write(to: "out/x.csv")
{ rows: file.rows, text: (read_text(path: "out/x.csv")) }"#,
            r#"{"rows":1,"text":"a,b\n1,\"x, y\"\n"}"#,
        ),
        Example::err(
            "An unknown format",
            r#"[{ a: 1 }] >> table.write(to: "x.xyz")"#,
            "unknown format of `x.xyz`",
        ),
    ];
}

impl Compute for Write {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let format = self.format.of(&self.to)?;
        let table = self.rows.columns()?;
        if !format.is_text() {
            return whole(self.to, format, &table, cx);
        }
        let mut bytes = 0;
        let mut fill = |out: &mut dyn io::Write| {
            let mut out = Counted { out: io::BufWriter::new(out), bytes: 0 };
            if is_packed(&self.to) {
                let mut packed = GzEncoder::new(&mut out, Compression::default());
                text(&mut packed, format, &table, cx)?;
                packed.finish()?;
            } else {
                text(&mut out, format, &table, cx)?;
            }
            out.out.flush()?;
            bytes = out.bytes;
            Ok(())
        };
        let written = cx.host().write_with(&self.to, &mut fill);
        written.map_err(|err| {
            let stopped = cx.check().err().or_else(|| memory::check().err().map(Into::into));
            stopped.unwrap_or_else(|| io_error(err, &self.to))
        })?;
        let rows = table.len().try_into().unwrap_or(i64::MAX);
        Ok(Written { path: self.to, rows, bytes: Size(bytes) }.encode())
    }
}

/// Whether a file is compressed by gzip, by its name.
fn is_packed(to: &Path) -> bool {
    to.extension().is_some_and(|it| it.eq_ignore_ascii_case("gz"))
}

/// Writes the rows in a format that is text.
fn text(out: &mut impl io::Write, format: Format, table: &Frame, cx: &Cx) -> io::Result<()> {
    match format {
        Format::Jsonl => lines(out, table, cx),
        Format::Tsv => cells::write(out, table, '\t', cx),
        _ => cells::write(out, table, ',', cx),
    }
}

/// Writes a file whose format is not text.
fn whole(to: PathBuf, format: Format, table: &Frame, cx: &Cx) -> Result<Value, OpError> {
    if is_packed(&to) {
        let message = format!("cannot write `{}`: only text is compressed", to.display());
        return Err(OpError::invalid_input(message).help("leave `.gz` out of the name"));
    }
    let is_old = to.extension().is_some_and(|it| it != "xlsx") && format == Format::Xlsx;
    if is_old {
        let message = format!("cannot write `{}`: workbooks are written as XLSX", to.display());
        return Err(OpError::invalid_input(message).help("name a file that ends in `.xlsx`"));
    }
    let columns = table.columns.iter().map(unified).collect();
    let table = &Frame::new(table.names.clone(), columns, table.len());
    let content = binary::bytes(format, table, cx)?;
    cx.host().write(&to, &content).map_err(|err| io_error(err, &to))?;
    let rows = table.len().try_into().unwrap_or(i64::MAX);
    Ok(Written { path: to, rows, bytes: Size(content.len() as u64) }.encode())
}

struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: io::Write> io::Write for Counted<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let written = self.out.write(piece)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn lines(out: &mut impl io::Write, table: &Frame, cx: &Cx) -> io::Result<()> {
    for row in 0..table.len() {
        cells::check(row, cx)?;
        let values = table.columns.iter().map(|it| Value::of(it.cell(row))).collect();
        let record = Value::Record(svc_contract::value::Record::new(table.names.clone(), values));
        writeln!(out, "{}", json::write(&record))?;
    }
    Ok(())
}
