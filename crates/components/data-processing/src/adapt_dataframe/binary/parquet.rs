//! Files of Parquet.

use std::{path::Path, sync::Arc, time::Duration};

use parquet::{
    basic::{Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{Type as Schema, TypePtr},
};
use svc_columns::{Bits, Cell, Column, Data, Kind, Other as _, Words};
use svc_contract::{
    registry::{Cx, OpError},
    value::{RecordType, Text, Timestamp, Value, arithmetic::LONGEST_LIST, json, times},
};
use svc_documents::{ParquetCells, ParquetColumn};

use super::{Frame, Wanted};

/// The rows of a row group.
const GROUP: usize = 128 * 1024;

pub(super) fn read(
    cx: &Cx,
    path: &Path,
    content: &[u8],
    wanted: &Wanted<'_>,
) -> Result<Frame, OpError> {
    let is_stopped = || cx.check().is_err();
    // Where a type is given, a missing column is reported with its field.
    let fields = |row: &RecordType| row.fields.iter().map(|it| it.0.clone()).collect();
    let of_type: Option<Vec<Text>> = wanted.row.map(fields);
    let columns = (of_type.as_deref().or(wanted.columns), wanted.row.is_some());
    let found = svc_documents::parquet(content, columns, LONGEST_LIST, cx.host(), &is_stopped);
    cx.check()?;
    let (rows, columns) = found.map_err(|why| why.error(format_args!("`{}`", path.display())))?;
    let names = columns.iter().map(|it| it.name.clone()).collect();
    columns.iter().try_for_each(test_times)?;
    let columns = columns.into_iter().map(|it| Arc::new(column(it))).collect();
    Ok(Frame::new(names, columns, rows))
}

/// Refuses dates and times that the language does not have.
fn test_times(column: &ParquetColumn) -> Result<(), OpError> {
    let is_valid = |row: usize| column.valid.as_ref().is_none_or(|it| it[row]);
    let is_time = |nanos: i128| {
        (Timestamp::MIN.as_nanosecond()..=Timestamp::MAX.as_nanosecond()).contains(&nanos)
    };
    let wrong = match &column.cells {
        ParquetCells::Times(all, scale) => {
            let nanos = |it: i64| i128::from(it) * i128::from(*scale);
            (0..all.len()).find(|row| is_valid(*row) && !is_time(nanos(all[*row])))
        }
        ParquetCells::Dates(all) => {
            (0..all.len()).find(|row| is_valid(*row) && times::date_of_day(all[*row]).is_none())
        }
        _ => None,
    };
    let Some(row) = wrong else { return Ok(()) };
    let name = &column.name;
    let message =
        format!("row {}: column `{name}`: the time is outside of the years -9999 to 9999", row + 1);
    Err(OpError::invalid_input(message).help("leave the column out with `columns`"))
}

fn column(found: ParquetColumn) -> Column<Value> {
    let ParquetColumn { name: _, cells, valid } = found;
    let data = match cells {
        ParquetCells::Ints(all) => Data::Int(all),
        ParquetCells::Floats(all) => Data::Float(all),
        ParquetCells::Bools(all) => Data::Bool(all),
        ParquetCells::Times(all, scale) => {
            Data::Time(all.into_iter().map(|it| i128::from(it) * i128::from(scale)).collect())
        }
        ParquetCells::Durations(all, scale) => {
            let scale = u64::try_from(scale).unwrap_or(1);
            let of = |it: i64| Duration::from_nanos(u64::try_from(it).unwrap_or(0) * scale);
            Data::Duration(all.into_iter().map(of).collect())
        }
        ParquetCells::Texts(codes, words) => Data::Text(Words { codes, words: Arc::new(words) }),
        ParquetCells::Dates(all) => {
            let date = times::date_of_day;
            Data::Other(
                all.into_iter().map(|it| date(it).map_or(Value::Null, Value::Date)).collect(),
            )
        }
        ParquetCells::Bytes(codes, words) => {
            Data::Other(codes.iter().map(|it| Value::Bytes(words[*it as usize].clone())).collect())
        }
    };
    match valid {
        Some(valid) => Column::with_valid(data, valid.into_iter().collect::<Bits>()),
        None => Column::new(data),
    }
}

/// How a column is written.
#[derive(Clone, Copy, PartialEq)]
enum As {
    Int,
    Float,
    Bool,
    Text,
    Bytes,
    Date,
    Time(TimeUnit),
    /// Its text, as in CSV.
    Shown,
}

impl As {
    fn of(column: &Column<Value>) -> Self {
        let all = |is: fn(&Value) -> bool| match &column.data {
            Data::Other(items) => {
                (0..items.len()).all(|idx| !column.is_valid(idx) || is(&items[idx]))
            }
            _ => false,
        };
        match column.kind() {
            Kind::Int => Self::Int,
            Kind::Float => Self::Float,
            Kind::Bool => Self::Bool,
            Kind::Text => Self::Text,
            Kind::Time => Self::Time(unit(column)),
            Kind::Other if !column.has_values() => Self::Shown,
            Kind::Other if all(|it| matches!(it, Value::Date(_))) => Self::Date,
            Kind::Other if all(|it| matches!(it, Value::Bytes(_))) => Self::Bytes,
            Kind::Other | Kind::Money | Kind::Duration => Self::Shown,
        }
    }

    fn schema(self, name: &str) -> Result<Schema, ParquetError> {
        let (physical, logical) = match self {
            Self::Int => (Physical::INT64, None),
            Self::Float => (Physical::DOUBLE, None),
            Self::Bool => (Physical::BOOLEAN, None),
            Self::Bytes => (Physical::BYTE_ARRAY, None),
            Self::Text | Self::Shown => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Self::Date => (Physical::INT32, Some(LogicalType::Date)),
            Self::Time(unit) => (Physical::INT64, Some(LogicalType::timestamp(true, unit))),
        };
        Schema::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_converted_type(ConvertedType::NONE)
            .with_logical_type(logical)
            .build()
    }
}

/// Nanoseconds where they are needed and possible, else microseconds.
fn unit(column: &Column<Value>) -> TimeUnit {
    let Data::Time(all) = &column.data else { return TimeUnit::MICROS };
    let is_fine = all.iter().any(|it| it % 1000 != 0);
    if is_fine && all.iter().all(|it| i64::try_from(*it).is_ok()) {
        TimeUnit::NANOS
    } else {
        TimeUnit::MICROS
    }
}

pub(super) fn bytes(table: &Frame, cx: &Cx) -> Result<Vec<u8>, OpError> {
    if table.names.is_empty() {
        return Err(OpError::invalid_input("a file of Parquet needs at least one column")
            .help("an empty list has no columns"));
    }
    let kinds: Vec<As> = table.columns.iter().map(|it| As::of(it)).collect();
    written(table, &kinds, cx)?.map_err(|err| {
        OpError::failed(format!("cannot write the table as Parquet: {err}")).because(err)
    })
}

/// The bytes, or an error of the library, or of the call.
fn written(table: &Frame, kinds: &[As], cx: &Cx) -> Result<Result<Vec<u8>, ParquetError>, OpError> {
    let mut bytes = Vec::new();
    let mut write = || -> Result<(), ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by("svc".to_owned())
            .build();
        let schema = schema(table, kinds)?;
        let mut file = SerializedFileWriter::new(&mut bytes, schema, properties.into())?;
        let mut from = 0;
        while from < table.len() && cx.check().is_ok() {
            let to = (from + GROUP).min(table.len());
            let mut group = file.next_row_group()?;
            for (column, kind) in table.columns.iter().zip(kinds) {
                put(&mut group, column, *kind, from..to)?;
            }
            group.close()?;
            from = to;
        }
        file.close().map(|_| ())
    };
    let done = write();
    cx.check()?;
    Ok(done.map(|()| bytes))
}

fn schema(table: &Frame, kinds: &[As]) -> Result<TypePtr, ParquetError> {
    let fields: Result<Vec<TypePtr>, ParquetError> =
        table.names.iter().zip(kinds).map(|(name, kind)| Ok(kind.schema(name)?.into())).collect();
    Ok(Schema::group_type_builder("schema").with_fields(fields?).build()?.into())
}

fn put(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    column: &Column<Value>,
    kind: As,
    rows: std::ops::Range<usize>,
) -> Result<(), ParquetError> {
    match kind {
        As::Int => put_as::<Int64Type>(group, column, rows, |it| match it {
            Cell::Int(it) => it,
            _ => 0,
        }),
        As::Float => put_as::<DoubleType>(group, column, rows, |it| match it {
            Cell::Float(it) => it,
            _ => 0.0,
        }),
        As::Bool => put_as::<BoolType>(group, column, rows, |it| it == Cell::Bool(true)),
        As::Date => put_as::<Int32Type>(group, column, rows, |it| match it {
            Cell::Other(Value::Date(it)) => times::day_number(*it),
            _ => 0,
        }),
        As::Time(unit) => put_as::<Int64Type>(group, column, rows, |it| {
            let Cell::Time(nanos) = it else { return 0 };
            let nanos = if unit == TimeUnit::NANOS { nanos } else { nanos.div_euclid(1000) };
            i64::try_from(nanos).unwrap_or_default()
        }),
        As::Text => put_as::<ByteArrayType>(group, column, rows, |it| match it {
            Cell::Text(it) => ByteArray::from(it.as_bytes().to_vec()),
            _ => ByteArray::from(Vec::new()),
        }),
        As::Bytes => put_as::<ByteArrayType>(group, column, rows, |it| match it {
            Cell::Other(Value::Bytes(it)) => ByteArray::from(it.to_vec()),
            _ => ByteArray::from(Vec::new()),
        }),
        As::Shown => put_as::<ByteArrayType>(group, column, rows, |it| {
            let text = match Value::of(it) {
                Value::Text(it) | Value::Path(it) => it.as_ref().to_owned(),
                it @ (Value::List(_) | Value::Record(_)) => json::write(&it),
                it => it.to_string(),
            };
            ByteArray::from(text.into_bytes())
        }),
    }
}

fn put_as<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    column: &Column<Value>,
    rows: std::ops::Range<usize>,
    value: impl Fn(Cell<'_, Value>) -> T::T,
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else {
        return Err(ParquetError::General("a column without a place".to_owned()));
    };
    let levels: Vec<i16> = rows.clone().map(|it| i16::from(column.is_valid(it))).collect();
    let values: Vec<T::T> =
        rows.filter(|it| column.is_valid(*it)).map(|it| value(column.cell(it))).collect();
    writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    writer.close()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_the_language_lacks_are_refused() {
        let of = |cells: ParquetCells, valid: Option<Vec<bool>>| {
            test_times(&ParquetColumn { name: "t".into(), cells, valid }).map_err(|it| it.message)
        };
        let expected = "row 2: column `t`: the time is outside of the years -9999 to 9999";
        let far = || ParquetCells::Times(vec![1, i64::MAX], 1_000_000);
        assert_eq!(of(far(), None).unwrap_err(), expected);
        assert_eq!(of(far(), Some(vec![true, false])), Ok(()));
        assert_eq!(of(ParquetCells::Times(vec![1, i64::MAX], 1), None), Ok(()));
        let days = ParquetCells::Dates(vec![0, 10_000_000]);
        assert_eq!(of(days, None).unwrap_err(), expected);
        let exact = column(ParquetColumn {
            name: "t".into(),
            cells: ParquetCells::Times(vec![1_704_067_200_123_456_789], 1),
            valid: None,
        });
        assert_eq!(Value::of(exact.cell(0)).to_string(), "2024-01-01T00:00:00.123456789Z");
    }
}
