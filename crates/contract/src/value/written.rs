//! Values as they are recorded: as JSON, and long tables as columns.

use std::borrow::Cow;

use svc_columns::{
    Table,
    bytes::{self, Codec, MAGIC},
};

use super::{
    List, Value,
    arithmetic::LONGEST_LIST,
    json,
    wire::{Reader, WireWriter},
};

/// A value as it is recorded. Equal values are written as equal bytes, however a list is kept.
///
/// A list of many records with the same fields is written as columns, which takes a fraction of the
/// time and of the space that JSON does, and keeps the kinds of its values. Everything else is JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    Json(String),
    /// What [`svc_columns::bytes`] writes.
    Columns(Vec<u8>),
}

/// Shorter lists are written as JSON, which people can read.
const SHORTEST: usize = 4096;

impl Written {
    pub fn of(value: &Value) -> Self {
        let columns = match value {
            Value::List(list) if list.len() >= SHORTEST => columns(list),
            _ => None,
        };
        columns.map_or_else(|| Self::Json(json::write(value)), Self::Columns)
    }

    /// What was recorded as these bytes; `None` if they are not UTF-8.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        if bytes.starts_with(MAGIC) {
            return Some(Self::Columns(bytes));
        }
        String::from_utf8(bytes).ok().map(Self::Json)
    }

    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Json(it) => it.as_bytes(),
            Self::Columns(it) => it,
        }
    }

    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Json(it) => it.into_bytes(),
            Self::Columns(it) => it,
        }
    }

    /// The value; one that was written as JSON is of the type `json`.
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Json(it) => json::read(it).ok(),
            Self::Columns(it) => {
                let table = bytes::from_bytes(it, LONGEST_LIST, &OfValues)?;
                Some(Value::List(List::from(table)))
            }
        }
    }

    /// The value as JSON.
    pub fn json(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Json(it) => Some(it.into()),
            Self::Columns(_) => self.value().map(|it| json::write(&it).into()),
        }
    }

    /// The same, without copying what is JSON.
    pub fn into_json(self) -> Option<String> {
        match self {
            Self::Json(it) => Some(it),
            columns @ Self::Columns(_) => columns.json().map(Cow::into_owned),
        }
    }
}

/// A list of records with the same fields as columns.
pub(super) fn columns(list: &List) -> Option<Vec<u8>> {
    if !list.is_columns() {
        let mut items = list.iter();
        let first = items.next()?.as_record()?;
        let is_alike = |it: &Value| it.as_record().is_some_and(|it| it.names() == first.names());
        if !items.all(is_alike) {
            return None;
        }
    }
    let table: Table<Value> = list.columns().ok()?;
    // It is cut short if the memory of the run is used up.
    (table.len() == list.len()).then(|| bytes::to_bytes(&table, &OfValues))?
}

struct OfValues;

impl Codec<Value> for OfValues {
    fn write(&self, value: &Value, out: &mut Vec<u8>) -> Option<()> {
        if !is_data(value, DEEPEST) {
            return None;
        }
        let mut writer = WireWriter(std::mem::take(out));
        writer.value(value);
        *out = writer.0;
        Some(())
    }

    fn read(&self, bytes: &mut &[u8]) -> Option<Value> {
        let mut reader = Reader(bytes);
        let value = reader.value()?;
        *bytes = reader.0;
        Some(value)
    }
}

/// Deeper values are written as JSON.
const DEEPEST: usize = 64;

/// Whether a value is data throughout: no secret, flow, model or value of the program.
fn is_data(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => false,
        Value::List(all) => all.iter().all(|it| is_data(it, depth)),
        Value::Record(record) => record.iter().all(|(_, it)| is_data(it, depth)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Record, Secret, Text};

    fn rows(len: i64, of: impl Fn(i64) -> Vec<Value>) -> Value {
        let names: std::sync::Arc<[Text]> = ["a".into(), "b".into()].into();
        let row = |it| Value::Record(Record::new(names.clone(), of(it)));
        Value::List((0..len).map(row).collect())
    }

    #[test]
    fn long_tables_are_columns_and_take_little_space() {
        let table = rows(5000, |it| vec![it.into(), format!("word {}", it % 7).into()]);
        let written = Written::of(&table);
        assert!(matches!(written, Written::Columns(_)));
        assert!(written.as_bytes().len() < json::write(&table).len() / 7);
        assert_eq!(written.value(), Some(table.clone()));
        assert_eq!(written.json().unwrap(), json::write(&table));
        assert_eq!(Written::from_bytes(written.clone().into_bytes()), Some(written));
    }

    #[test]
    fn the_bytes_of_columns_stay_as_they_are() {
        let table = rows(3, |it| {
            if it == 1 { vec![Value::Null, "x".into()] } else { vec![it.into(), "y".into()] }
        });
        let Value::List(list) = &table else { unreachable!() };
        let bytes = columns(list).unwrap();
        let eight = |it: u8| [it, 0, 0, 0, 0, 0, 0, 0];
        let expected = [
            b"columns/1\n".as_slice(),
            &eight(3),
            &eight(2),
            &eight(1),
            b"a",
            &[1, 1, 0b101],
            &[1, 0, 0, 2],
            &eight(1),
            b"b",
            &[7, 0],
            &eight(2),
            &eight(1),
            b"y",
            &eight(1),
            b"x",
            &[1, 0, 1, 0],
        ];
        assert_eq!(bytes, expected.concat());
    }

    #[test]
    fn what_is_no_table_of_data_is_json() {
        let secret = Value::Secret(Secret::new("canary"));
        for other in [
            rows(5000, |it| vec![it.into(), secret.clone()]),
            Value::List((0..5000_i64).map(Value::Int).collect()),
            rows(10, |it| vec![it.into(), it.into()]),
        ] {
            let Written::Json(json) = Written::of(&other) else { panic!("{other:?} is JSON") };
            assert!(!json.contains("canary"));
        }
    }
}
