//! CSV as a list of objects.

use svc_columns::csv;
use svc_contract::{
    registry::{Cx, OpError},
    value::{
        List, NotRows, Value,
        arithmetic::{LONGEST_LIST, LONGEST_TEXT},
        memory,
    },
};

use super::too_long;
use crate::cells;

/// Reads a table whose first row has the names; the types of columns are guessed.
pub(super) fn read(text: &str, cx: &Cx) -> Result<Value, OpError> {
    let options = csv::Options {
        sep: cells::separator(text),
        most: LONGEST_LIST,
        wanted: &|_| csv::Wanted::Guess,
        stop: &|| cx.check().is_err() || memory::is_full(),
    };
    let table = csv::read::<Value>(text, &options).map_err(|err| match err {
        csv::CsvError::Stopped => cx
            .check()
            .err()
            .or_else(|| memory::check().err().map(Into::into))
            .unwrap_or_else(OpError::cancelled),
        csv::CsvError::TooLong => {
            OpError::invalid_input(format!("the CSV has too many rows (limit {LONGEST_LIST})"))
        }
        csv::CsvError::Table(err) => {
            let failed = OpError::invalid_input(format!("invalid CSV: {}", err.message));
            match err.help {
                Some(help) => failed.help(help),
                None => failed,
            }
        }
    })?;
    Ok(Value::List(List::from(table)))
}

/// Writes a list of objects. Objects and lists in cells are written as JSON.
pub(super) fn write(value: &Value, cx: &Cx) -> Result<String, OpError> {
    let Value::List(rows) = value else {
        let message =
            format!("cannot write CSV: a table is a list of objects, not {}", value.kind());
        return Err(OpError::invalid_input(message));
    };
    let table = rows.columns_unless(&|| cx.check().is_err()).map_err(|err| match err {
        NotRows::Item { .. } => OpError::invalid_input(format!("cannot write CSV: {err}"))
            .help("a table is a list of objects"),
        other => other.into(),
    })?;
    // What is written is copied once.
    memory::room(usize::try_from(value.weight()).unwrap_or(usize::MAX).saturating_mul(16))?;
    let mut bytes = Vec::new();
    cells::write(&mut bytes, &table, ',', cx).map_err(|err| {
        cx.check().err().unwrap_or_else(|| OpError::failed(format!("cannot write CSV: {err}")))
    })?;
    if bytes.len() > LONGEST_TEXT {
        return Err(too_long());
    }
    String::from_utf8(bytes).map_err(|err| OpError::bug(err.to_string()))
}
