//! Records as columns, and columns as records.

use std::{cmp::Ordering, collections::HashMap, hash::Hasher, sync::Arc};

use jiff::Timestamp;
use svc_columns::{Builder, Cell, Column, Data, Other, Table};

use super::{Money, Record, Text, Type, Value, memory};

/// Why a list is not a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRows {
    /// An item that is not a record.
    #[error("expected a record as row {}, found {kind}", idx + 1)]
    Item { idx: usize, kind: &'static str },
    /// Nearly all cells are empty.
    #[error(
        "too many empty cells: {rows} rows × {columns} columns with {values} values (limit {MOST_CELLS} cells if fewer \
         than a tenth have a value)"
    )]
    Sparse { rows: usize, columns: usize, values: u64 },
    #[error(transparent)]
    Full(#[from] memory::Full),
    /// The caller does not need the table any more.
    #[error("cancelled")]
    Stopped,
}

/// The most cells of a table in which fewer than a tenth of the cells have a value: empty cells take memory, too.
const MOST_CELLS: u64 = 100_000_000;

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

/// Columns of every field that a record has, in the order of their first occurrence. It asks `stop` now and then.
///
/// The time is that of the fields that are there: the empty cells before a value are added in one step.
pub(super) fn of_rows(all: &[Value], stop: &dyn Fn() -> bool) -> Result<Table<Value>, NotRows> {
    let mut layout = Layout::default();
    let mut values = 0_u64;
    for (idx, it) in all.iter().enumerate() {
        let Value::Record(record) = it else {
            return Err(NotRows::Item { idx, kind: it.kind() });
        };
        let width = layout.places(record.names()).len() as u64;
        values = values.saturating_add(width);
        go_on(width, stop)?;
    }
    let (rows, columns) = (all.len(), layout.names.len());
    // Before anything is allocated.
    let cells = (rows as u64).saturating_mul(columns as u64);
    if cells > MOST_CELLS && values.saturating_mul(10) < cells {
        return Err(NotRows::Sparse { rows, columns, values });
    }
    let mut columns: Vec<Builder<Value>> = vec![Builder::default(); columns];
    for (row, it) in all.iter().enumerate() {
        let Value::Record(record) = it else { continue };
        let mut added = 0;
        for ((_, value), place) in record.iter().zip(layout.places(record.names())) {
            let column = &mut columns[*place];
            // Of fields with one name, the first one counts.
            let Some(missing) = row.checked_sub(column.len()) else { continue };
            column.push_nulls(missing);
            column.push(value.cell());
            added += missing as u64 + 1;
        }
        go_on(added, stop)?;
    }
    let mut made = Vec::with_capacity(columns.len());
    for mut column in columns {
        let missing = rows - column.len();
        go_on(missing as u64, stop)?;
        column.push_nulls(missing);
        made.push(Arc::new(column.finish()));
    }
    // Rows of the same origin share their names with the table.
    let first = all.first().and_then(Value::as_record).map(Record::names);
    let names = match first.filter(|it| ***it == *layout.names) {
        Some(names) => names.clone(),
        None => layout.names.into(),
    };
    Ok(Table::new(names, made, rows))
}

/// Counts work on cells, and looks now and then at the memory and whether to stop.
fn go_on(cells: u64, stop: &dyn Fn() -> bool) -> Result<(), NotRows> {
    // A cell is copied once.
    if memory::works(cells + 1) {
        memory::look()?;
        if stop() {
            return Err(NotRows::Stopped);
        }
    }
    Ok(())
}

/// The columns of records, in the order of their first occurrence.
#[derive(Default)]
struct Layout<'a> {
    names: Vec<Text>,
    by_name: HashMap<&'a str, usize>,
    /// The names of the last record, and the column of each.
    last: Option<&'a Arc<[Text]>>,
    places: Vec<usize>,
}

impl<'a> Layout<'a> {
    /// The column of each name of a record. Most records have the names of the one before.
    fn places(&mut self, names: &'a Arc<[Text]>) -> &[usize] {
        if self.last.is_none_or(|it| !Arc::ptr_eq(it, names) && it != names) {
            self.places.clear();
            for name in names.iter() {
                let place = *self.by_name.entry(name).or_insert_with(|| {
                    self.names.push(name.clone());
                    self.names.len() - 1
                });
                self.places.push(place);
            }
            self.last = Some(names);
        }
        &self.places
    }
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
