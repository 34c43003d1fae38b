//! Records as columns, and columns as records.

use std::{cmp::Ordering, hash::Hasher, sync::Arc};

use jiff::Timestamp;
use svc_columns::{Builder, Cell, Column, Data, Other, Table};

use super::{Money, Record, Text, Type, Value, memory};

/// An item of a list that is not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a record as row {}, found {kind}", idx + 1)]
pub struct NotRows {
    pub idx: usize,
    pub kind: &'static str,
}

impl Other for Value {
    fn of(cell: Cell<'_, Self>) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Int(it) => Self::Int(it),
            Cell::Float(it) => Self::Float(it),
            Cell::Bool(it) => Self::Bool(it),
            Cell::Money(it) => Self::Money(Money::from_nanos(it)),
            Cell::Duration(it) => Self::Duration(it),
            // A column of times holds nothing but the nanoseconds of timestamps.
            Cell::Time(it) => Timestamp::from_nanosecond(it).map_or(Self::Null, Self::Time),
            Cell::Text(it) => Self::Text(it.clone()),
            Cell::Other(it) => it.clone(),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        total(self, other)
    }

    fn hash(&self) -> u64 {
        let mut hasher = Fnv::default();
        hash(self, &mut hasher);
        hasher.finish()
    }

    fn is_null(&self) -> bool {
        self.is_null()
    }

    fn cell(&self) -> Cell<'_, Self> {
        match self {
            Self::Null => Cell::Null,
            Self::Int(it) => Cell::Int(*it),
            Self::Float(it) => Cell::Float(*it),
            Self::Bool(it) => Cell::Bool(*it),
            Self::Money(it) => Cell::Money(it.nanos()),
            Self::Duration(it) => Cell::Duration(*it),
            Self::Time(it) => Cell::Time(it.as_nanosecond()),
            Self::Text(it) => Cell::Text(it),
            other => Cell::Other(other),
        }
    }

    fn text(cell: Cell<'_, Self>) -> Option<Text> {
        match Self::of(cell) {
            Self::Text(it) | Self::Path(it) => Some(it),
            it @ (Self::Money(_)
            | Self::Duration(_)
            | Self::Time(_)
            | Self::Date(_)
            | Self::Size(_)) => Some(it.to_string().into()),
            _ => None,
        }
    }

    fn read(text: &Text, like: &Self) -> Option<Self> {
        let ty = match like {
            Self::Money(_) => Type::Money,
            Self::Duration(_) => Type::Duration,
            Self::Time(_) => Type::Time,
            Self::Date(_) => Type::Date,
            Self::Size(_) => Type::Size,
            Self::Path(_) => Type::Path,
            _ => return None,
        };
        Self::Text(text.clone()).cast(&ty).ok()
    }

    fn amount(text: &Text) -> Option<Self> {
        let ty = match text.as_bytes() {
            [b'$', ..] | [b'-', b'$', ..] => Type::Money,
            [b'0'..=b'9', .., b'Z'] => Type::Time,
            [b'0'..=b'9', .., b'a'..=b'z'] => Type::Duration,
            _ => return None,
        };
        let read = Self::Text(text.clone()).cast(&ty).ok()?;
        (read.to_string() == **text).then_some(read)
    }

    fn kind_name(&self) -> &'static str {
        self.kind()
    }
}

/// The order among kinds that have none.
fn class(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Float(_) => 2,
        Value::Money(_) => 3,
        Value::Size(_) => 4,
        Value::Duration(_) => 5,
        Value::Date(_) => 6,
        Value::Time(_) => 7,
        Value::Text(_) | Value::Path(_) => 8,
        Value::Bytes(_) => 9,
        Value::List(_) => 10,
        Value::Record(_) => 11,
        Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => 12,
    }
}

/// A total order that finds equal what `==` does, and NaN equal to itself, after all numbers.
fn total(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            let orders = a.iter().zip(b).map(|(a, b)| total(a, b));
            let first = { orders }.find(|it| it.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Record(a), Value::Record(b)) => {
            let (a, b) = (fields(a), fields(b));
            let order = |((a, x), (b, y)): (&(&Text, &Value), &(&Text, &Value))| {
                a.cmp(b).then_with(|| total(x, y))
            };
            let first = a.iter().zip(&b).map(order).find(|it| it.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        _ if class(a) != class(b) => class(a).cmp(&class(b)),
        _ => a.order(b).unwrap_or_else(|| match (is_nan(a), is_nan(b)) {
            (false, false) if a == b => Ordering::Equal,
            (false, false) => a.to_string().cmp(&b.to_string()),
            (a, b) => a.cmp(&b),
        }),
    }
}

/// The fields that have a value, by name: a missing field equals null.
fn fields(record: &Record) -> Vec<(&Text, &Value)> {
    let mut all: Vec<_> = record.iter().filter(|(_, it)| !it.is_null()).collect();
    all.sort_by(|a, b| a.0.cmp(b.0));
    all
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(it) if it.is_nan())
}

/// FNV-1a: the same in every process.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for it in bytes {
            self.0 = (self.0 ^ u64::from(*it)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn hash(value: &Value, hasher: &mut Fnv) {
    hasher.write_u8(class(value));
    match value {
        Value::Null | Value::Secret(_) | Value::Flow(_) | Value::Opaque(_) | Value::Model(_) => {}
        Value::Int(it) => hash_number(float_of(*it), hasher),
        Value::Float(it) => hash_number(*it, hasher),
        Value::Text(it) | Value::Path(it) => hasher.write(it.as_bytes()),
        Value::Bytes(it) => hasher.write(it),
        Value::List(all) => all.iter().for_each(|it| hash(it, hasher)),
        Value::Record(record) => {
            for (name, it) in fields(record) {
                hasher.write(name.as_bytes());
                hash(it, hasher);
            }
        }
        other => hasher.write(other.to_string().as_bytes()),
    }
}

/// Equal numbers of both kinds have the same nearest float.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
fn float_of(it: i64) -> f64 {
    it as f64
}

fn hash_number(it: f64, hasher: &mut Fnv) {
    let it = if it == 0.0 { 0.0 } else { it };
    let it = if it.is_nan() { f64::NAN } else { it };
    hasher.write_u64(it.to_bits());
}

/// A row as a record.
pub(super) fn row(table: &Table<Value>, row: usize) -> Value {
    let values = table.columns.iter().map(|it| Value::of(it.cell(row))).collect();
    Value::Record(Record::new(table.names.clone(), values))
}

/// Columns of every field that a record has, in the order of their first occurrence.
pub(super) fn of_rows(all: &[Value]) -> Result<Table<Value>, NotRows> {
    let mut names: Arc<[Text]> = Arc::new([]);
    for (idx, it) in all.iter().enumerate() {
        let Value::Record(record) = it else { return Err(NotRows { idx, kind: it.kind() }) };
        if !Arc::ptr_eq(record.names(), &names) && record.names() != &names {
            names = merged(names, record.names());
        }
    }
    let mut columns: Vec<Builder<Value>> = names.iter().map(|_| Builder::default()).collect();
    for it in all {
        let Value::Record(record) = it else { continue };
        if memory::is_full() {
            break;
        }
        let is_same = Arc::ptr_eq(record.names(), &names) || record.names() == &names;
        if is_same {
            let fields = record.iter().zip(&mut columns);
            fields.for_each(|((_, value), column)| column.push(value.cell()));
        } else {
            for (name, column) in names.iter().zip(&mut columns) {
                column.push(record.get(name).map_or(Cell::Null, Value::cell));
            }
        }
    }
    let len = columns.first().map_or(all.len(), Builder::len);
    let columns = columns.into_iter().map(|it| Arc::new(it.finish())).collect();
    Ok(Table::new(names, columns, len))
}

fn merged(names: Arc<[Text]>, more: &Arc<[Text]>) -> Arc<[Text]> {
    if names.is_empty() {
        return more.clone();
    }
    let new: Vec<Text> = more.iter().filter(|it| !names.contains(it)).cloned().collect();
    if new.is_empty() { names } else { names.iter().cloned().chain(new).collect() }
}

/// The weight of all rows as records.
pub(super) fn weight(table: &Table<Value>) -> u64 {
    let rows = table.len() as u64;
    table.columns.iter().map(|it| weight_of(it)).fold(rows, u64::saturating_add)
}

fn weight_of(column: &Column<Value>) -> u64 {
    let of_row = |row: usize, weight: u64| if column.is_valid(row) { weight } else { 1 };
    match &column.data {
        Data::Text(words) => {
            let weights: Vec<u64> = words.words.iter().map(|it| it.len() as u64 / 8 + 1).collect();
            let all = words.codes.iter().enumerate();
            all.map(|(row, it)| of_row(row, weights[*it as usize])).sum()
        }
        Data::Other(all) => {
            let all = all.iter().enumerate().map(|(row, it)| of_row(row, it.weight()));
            all.fold(0, u64::saturating_add)
        }
        _ => column.len() as u64,
    }
}

/// Whether all rows are as `is` says for `ty`, without making them.
pub(super) fn all_are(table: &Table<Value>, ty: &Type, is: fn(&Type, &Value) -> bool) -> bool {
    if table.is_empty() {
        return true;
    }
    match ty {
        Type::Optional(inner) => all_are(table, inner, is),
        Type::Json | Type::Unknown => table.columns.iter().all(|it| column_is(it, ty, is)),
        // Whether the fields are those of the type is seen in one row; each column then has its type.
        Type::Record(of) => {
            is(ty, &row(table, 0))
                && of
                    .fields
                    .iter()
                    .all(|(name, ty)| table.get(name).is_none_or(|it| column_is(it, ty, is)))
        }
        _ => (0..table.len()).all(|it| is(ty, &row(table, it))),
    }
}

fn column_is(column: &Column<Value>, ty: &Type, is: fn(&Type, &Value) -> bool) -> bool {
    let is_plain = |value: Value| is(ty, &value);
    if column.null_count() > 0 && !is_plain(Value::Null) {
        return false;
    }
    let has_range = matches!(ty.required(), Type::Int(Some(_)) | Type::Enum(_) | Type::Float(_));
    let is_by_kind = match &column.data {
        _ if has_range || !column.has_values() => None,
        Data::Int(_) => Some(Value::Int(0)),
        Data::Bool(_) => Some(Value::Bool(true)),
        Data::Money(_) => Some(Value::Money(Money::from_nanos(0))),
        Data::Duration(_) => Some(Value::Duration(std::time::Duration::ZERO)),
        Data::Time(_) => Some(Value::Time(Timestamp::UNIX_EPOCH)),
        Data::Text(_) => Some(Value::Text("".into())),
        Data::Float(_) if matches!(ty, Type::Json | Type::Unknown) => Some(Value::Float(0.0)),
        // Each float may be NaN, and each value of another kind.
        Data::Float(_) | Data::Other(_) => None,
    };
    match is_by_kind {
        Some(value) => is_plain(value),
        None => column.cells().all(|it| is(ty, &Value::of(it))),
    }
}
