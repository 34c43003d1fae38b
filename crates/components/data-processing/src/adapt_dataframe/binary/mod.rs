//! Formats of tables that are not text: workbooks of Excel, and Parquet.

mod excel;
mod parquet;

use std::path::Path;

use svc_columns::{Builder, Cell, Column, Kind, Other as _};
use svc_contract::{
    registry::{Cx, OpError, nearest},
    value::{RecordType, Text, Type, Value, memory},
};
use svc_documents::LARGEST_FILE;

use super::{Frame, finite, input};

use super::input::Format;

/// What of a file is read.
pub(super) struct Wanted<'a> {
    /// The sheet of a workbook.
    pub(super) sheet: Option<&'a Text>,
    pub(super) columns: Option<&'a [Text]>,
    pub(super) row: Option<&'a RecordType>,
}

pub(super) fn read(
    cx: &Cx,
    path: &Path,
    format: Format,
    wanted: &Wanted<'_>,
) -> Result<Frame, OpError> {
    let content = content(cx, path)?;
    let table = match format {
        Format::Parquet => parquet::read(cx, path, &content, wanted)?,
        _ => excel::read(cx, path, &content, wanted)?,
    };
    cx.check()?;
    memory::room(table.bytes())?;
    match wanted.row {
        Some(row) if !table.names.is_empty() => typed(&table, row),
        _ => Ok(plain(&table)),
    }
}

/// A table as the bytes of a file.
pub(super) fn bytes(format: Format, table: &Frame, cx: &Cx) -> Result<Vec<u8>, OpError> {
    match format {
        Format::Parquet => parquet::bytes(table, cx),
        _ => excel::bytes(table, cx),
    }
}

fn content(cx: &Cx, path: &Path) -> Result<Vec<u8>, OpError> {
    let file = cx.host().open(path).map_err(|err| input::io_error(err, path))?;
    svc_contract::host::read_all(file, LARGEST_FILE).map_err(|err| {
        let failed = OpError::io(err, path);
        failed.help("write it as CSV, which `table.scan` reads in parts")
    })
}

/// The columns as the fields of a type, in its order.
fn typed(table: &Frame, row: &RecordType) -> Result<Frame, OpError> {
    let mut columns = Vec::with_capacity(row.fields.len());
    for (name, ty) in &row.fields {
        columns.push(match table.get(name) {
            Some(column) => of_field(name, &finite(name, column, ty)?, ty)?,
            None if ty.is_optional() => Column::nulls(table.len()).into(),
            None => return Err(missing(table, name, ty)),
        });
    }
    let names = row.fields.iter().map(|(name, _)| name.clone()).collect();
    Ok(Frame::new(names, columns, table.len()))
}

fn missing(table: &Frame, name: &str, ty: &Type) -> OpError {
    let all: Vec<String> = table.names.iter().map(|it| format!("`{it}`")).collect();
    let failed =
        OpError::invalid_input(format!("missing column `{name}`, found {}", all.join(", ")));
    match nearest(name, table.names.iter().map(AsRef::as_ref)) {
        Some(near) => failed.help(format!("did you mean `{near}`?")),
        None => failed.help(format!("rename the field, or make it optional: `{name}: {ty}?`")),
    }
}

type Shared = std::sync::Arc<Column<Value>>;

fn of_field(name: &str, column: &Shared, ty: &Type) -> Result<Shared, OpError> {
    let is_it = matches!(
        (column.kind(), ty.required()),
        (Kind::Int, Type::Int(None))
            | (Kind::Float, Type::Float(None))
            | (Kind::Text, Type::Text)
            | (Kind::Bool, Type::Bool)
            | (Kind::Time, Type::Time)
            | (Kind::Duration, Type::Duration)
    );
    if is_it && (ty.is_optional() || column.null_count() == 0) {
        return Ok(column.clone());
    }
    let mut builder = Builder::default();
    for (idx, cell) in column.cells().enumerate() {
        let value = match Value::of(cell) {
            Value::Null if ty.is_optional() || *ty == Type::Json => Value::Null,
            it => it.of_cell(ty).map_err(|err| {
                OpError::invalid_input(format!("row {}: column `{name}`: {err}", idx + 1))
                    .help(format!("write `{name}: {ty}?` if a cell may be empty"))
            })?,
        };
        builder.push(value.cell());
    }
    Ok(builder.finish().into())
}

/// Without a type, rows are JSON: dates, times, durations and bytes are their texts.
fn plain(table: &Frame) -> Frame {
    let columns = table.columns.iter().map(|column| match column.kind() {
        Kind::Int | Kind::Float | Kind::Bool | Kind::Text => column.clone(),
        Kind::Money | Kind::Duration | Kind::Time | Kind::Other => {
            let mut builder = Builder::default();
            for cell in column.cells() {
                match cell {
                    Cell::Null => builder.push_null(),
                    cell => {
                        let plain = Value::of(cell).cast(&Type::Json).unwrap_or_default();
                        builder.push(plain.cell());
                    }
                }
            }
            builder.finish().into()
        }
    });
    Frame::new(table.names.clone(), columns.collect(), table.len())
}
