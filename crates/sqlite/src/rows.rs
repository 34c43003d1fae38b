//! The rows of a statement as a table.

use std::sync::Arc;

use rusqlite::{Statement, types::ValueRef};
use svc_columns::{Builder, Cell, Column, Kind, Other as _, Table};
use svc_contract::{
    registry::{OpError, nearest},
    value::{List, RecordType, Text, Type, Value, memory},
};

use crate::{bind::Given, session::Session};

const ROWS_PER_CHECK: usize = 4096;

/// A statement that may only read.
pub(crate) fn writes() -> OpError {
    OpError::invalid_input("the statement writes")
        .help("`database.execute` runs statements that write")
}

impl Session<'_> {
    /// The rows of one statement, at most `most`.
    pub fn query(&self, sql: &str, params: &Value, most: usize) -> Result<Table<Value>, OpError> {
        let given = Given::of(params)?;
        let mut statement = self.one(sql)?;
        if !statement.readonly() {
            return Err(writes());
        }
        let used = given.bind(&mut statement, self)?;
        given.test_used(&used)?;
        let names = names(&statement)?;
        self.collect(&mut statement, names, most)
    }

    fn collect(
        &self,
        statement: &mut Statement<'_>,
        names: Arc<[Text]>,
        most: usize,
    ) -> Result<Table<Value>, OpError> {
        let mut builders: Vec<Builder<Value>> = names.iter().map(|_| Builder::default()).collect();
        let (mut len, mut bytes) = (0, 0);
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|err| self.trouble(err))? {
            if len == most {
                return Err(too_many(most));
            }
            if len.is_multiple_of(ROWS_PER_CHECK) {
                self.cx.check()?;
                memory::room(bytes)?;
            }
            for (idx, builder) in builders.iter_mut().enumerate() {
                let cell = row.get_ref(idx).map_err(|err| self.trouble(err))?;
                bytes += size_of::<i64>()
                    + push(builder, cell).map_err(|why| {
                        let message = format!("row {}: column `{}`: {why}", len + 1, names[idx]);
                        OpError::invalid_input(message)
                    })?;
            }
            len += 1;
        }
        let columns = builders.into_iter().map(|it| Arc::new(it.finish())).collect();
        Ok(Table::new(names, columns, len))
    }
}

fn too_many(most: usize) -> OpError {
    OpError::invalid_input(format!("more than {most} rows (limit `max_rows`)"))
        .help("add `LIMIT` to the statement, or raise `max_rows`")
}

fn names(statement: &Statement<'_>) -> Result<Arc<[Text]>, OpError> {
    let mut names: Vec<Text> = Vec::with_capacity(statement.column_count());
    for name in statement.column_names() {
        if names.iter().any(|it| it.as_ref() == name) {
            let message = format!("duplicate column `{name}` in the result");
            return Err(
                OpError::invalid_input(message).help(format!("name one of them: `.. AS {name}_2`"))
            );
        }
        names.push(name.into());
    }
    Ok(names.into())
}

/// Adds a cell; returns the bytes of its text.
fn push(to: &mut Builder<Value>, cell: ValueRef<'_>) -> Result<usize, String> {
    match cell {
        ValueRef::Null => to.push_null(),
        ValueRef::Integer(it) => to.push(Cell::Int(it)),
        ValueRef::Real(it) => to.push(Cell::Float(it)),
        ValueRef::Text(it) => {
            let text = std::str::from_utf8(it).map_err(|err| {
                let at = err.valid_up_to();
                format!("not valid UTF-8 (invalid byte at offset {at}); select `CAST(.. AS BLOB)`")
            })?;
            to.push_text(text);
            return Ok(text.len());
        }
        ValueRef::Blob(it) => {
            to.push(Cell::Other(&Value::Bytes(it.into())));
            return Ok(it.len());
        }
    }
    Ok(0)
}

/// A table as the result of an op: of the type that the call asks for, if it does.
///
/// A database has neither booleans nor dates, so ints and texts are read as such where the type
/// says so.
pub fn typed(table: &Table<Value>, wanted: Option<&Type>) -> Result<Value, OpError> {
    let table = match wanted {
        Some(Type::Record(row)) => of_type(table, row)?,
        None | Some(Type::Json) => plain(table),
        Some(ty) => {
            let rows = Value::List(List::from(table.clone()));
            return rows
                .cast(&Type::list(ty.clone()))
                .map_err(|err| OpError::invalid_input(err.to_string()));
        }
    };
    Ok(Value::List(List::from(table)))
}

/// With the bytes of blobs in their form in JSON.
fn plain(table: &Table<Value>) -> Table<Value> {
    let columns = table.columns.iter().map(|column| {
        if column.kind() != Kind::Other {
            return column.clone();
        }
        let mut builder = Builder::default();
        for cell in column.cells() {
            match Value::of(cell) {
                it @ Value::Bytes(_) => {
                    let shown = it.cast(&Type::Json).unwrap_or_default();
                    builder.push(shown.cell());
                }
                it => builder.push(it.cell()),
            }
        }
        Arc::new(builder.finish())
    });
    Table::new(table.names.clone(), columns.collect(), table.len())
}

fn of_type(table: &Table<Value>, row: &RecordType) -> Result<Table<Value>, OpError> {
    let mut columns = Vec::with_capacity(row.fields.len());
    for (name, ty) in &row.fields {
        columns.push(match table.get(name) {
            Some(column) => of_field(name, column, ty)?,
            None if ty.is_optional() => Arc::new(Column::nulls(table.len())),
            None => return Err(missing(name, ty, table)),
        });
    }
    let names = row.fields.iter().map(|(name, _)| name.clone()).collect();
    Ok(Table::new(names, columns, table.len()))
}

fn missing(name: &str, ty: &Type, table: &Table<Value>) -> OpError {
    let all: Vec<String> = table.names.iter().map(|it| format!("`{it}`")).collect();
    let message = format!("missing column `{name}`, found {}", all.join(", "));
    let failed = OpError::invalid_input(message);
    match nearest(name, table.names.iter().map(AsRef::as_ref)) {
        Some(near) => failed.help(format!("did you mean `{near}`?")),
        None => failed.help(format!("rename it with `AS {name}`, or write `{name}: {ty}?`")),
    }
}

fn of_field(
    name: &str,
    column: &Arc<Column<Value>>,
    ty: &Type,
) -> Result<Arc<Column<Value>>, OpError> {
    let is_it = matches!(
        (column.kind(), ty.required()),
        (Kind::Int, Type::Int(None)) | (Kind::Float, Type::Float(None)) | (Kind::Text, Type::Text)
    );
    if is_it && (ty.is_optional() || column.null_count() == 0) {
        return Ok(column.clone());
    }
    let mut builder = Builder::default();
    for (idx, cell) in column.cells().enumerate() {
        let value = as_type(Value::of(cell), ty).map_err(|why| {
            let message = format!("row {}: column `{name}`: {why}", idx + 1);
            OpError::invalid_input(message)
                .help(format!("write `{name}: {ty}?` if a cell may be null"))
        })?;
        builder.push(value.cell());
    }
    Ok(Arc::new(builder.finish()))
}

fn as_type(value: Value, ty: &Type) -> Result<Value, String> {
    match (&value, ty.required()) {
        (Value::Null, _) if ty.is_optional() || *ty == Type::Json => Ok(Value::Null),
        (Value::Int(it @ (0 | 1)), Type::Bool) => Ok(Value::Bool(*it == 1)),
        // An empty text is a value in a database.
        (Value::Text(_), Type::Text) => Ok(value),
        _ => value.of_cell(ty).map_err(|err| err.to_string()),
    }
}
