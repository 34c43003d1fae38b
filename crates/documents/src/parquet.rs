//! Columns of Parquet files.
//!
//! The library trusts what a file declares, so it runs in a worker only. Its answer has a buffer for
//! each column.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use parquet::{
    basic::{ConvertedType, LogicalType, Repetition, TimeUnit},
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{AsBytes, DataType},
    errors::ParquetError,
    file::reader::{FileReader, SerializedFileReader},
    schema::types::ColumnDescriptor,
};
use svc_contract::{
    host::Host,
    value::{List, Record, Text, Value},
};

use super::{Unreadable, worker};

/// A column of a file.
#[derive(Clone, Debug)]
pub struct ParquetColumn {
    pub name: Text,
    /// The values, with any one where a row has none.
    pub cells: ParquetCells,
    /// The rows that have a value; none if all have.
    pub valid: Option<Vec<bool>>,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum ParquetCells {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    /// Days since 1970.
    Dates(Vec<i64>),
    /// Since 1970, in units of so many nanoseconds.
    Times(Vec<i64>, i64),
    /// Since midnight, in units of so many nanoseconds.
    Durations(Vec<i64>, i64),
    /// The number of a text for each row, and the texts.
    Texts(Vec<u32>, Vec<Text>),
    Bytes(Vec<u32>, Vec<Arc<[u8]>>),
}

/// Reads the columns of these names, or all, of a file of at most `most` rows. A name that is
/// missing is an error, unless `is_lenient`.
pub fn parquet(
    content: &[u8],
    (columns, is_lenient): (Option<&[Text]>, bool),
    most: usize,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(usize, Vec<ParquetColumn>), Unreadable> {
    let names = columns.map(|all| Value::List(all.iter().cloned().map(Value::Text).collect()));
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let wanted = fields([
        ("columns", names.unwrap_or_default()),
        ("lenient", Value::Bool(is_lenient)),
        ("most", Value::Int(most)),
    ]);
    let found = worker::read_value(worker::Reader::Parquet, content, &wanted, host, is_stopped)?;
    answered(&found).ok_or_else(worker::invalid_answer)
}

fn fields<const N: usize>(all: [(&'static str, Value); N]) -> Value {
    Value::Record(all.into_iter().map(|(name, it)| (Text::from(name), it)).collect::<Record>())
}

/// Reads the answer of a worker, which may be compromised.
fn answered(found: &Value) -> Option<(usize, Vec<ParquetColumn>)> {
    let found = found.as_record()?;
    let Value::Int(rows) = found.get("rows")? else { return None };
    let rows = usize::try_from(*rows).ok()?;
    let columns = found.get("columns")?.as_list()?;
    let columns: Option<Vec<ParquetColumn>> = columns.iter().map(|it| column(it, rows)).collect();
    Some((rows, columns?))
}

fn column(found: &Value, rows: usize) -> Option<ParquetColumn> {
    let found = found.as_record()?;
    let bytes = |name: &str| match found.get(name)? {
        Value::Bytes(it) => Some(it.clone()),
        _ => None,
    };
    let data = bytes("data")?;
    let wide = || -> Option<Vec<i64>> {
        (data.len() == rows * 8)
            .then(|| data.as_chunks::<8>().0.iter().map(|it| i64::from_le_bytes(*it)).collect())
    };
    let codes = |words: usize| -> Option<Vec<u32>> {
        let all: Vec<u32> =
            data.as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it)).collect();
        let is_known = |it: &u32| (*it as usize) < words;
        (data.len() == rows * 4 && all.iter().all(is_known)).then_some(all)
    };
    let scale = match found.get("scale")? {
        Value::Int(it) if *it > 0 => *it,
        _ => return None,
    };
    let words = found.get("words")?.as_list()?;
    let cells = match found.get("kind")?.as_str()? {
        "int" => ParquetCells::Ints(wide()?),
        "float" => ParquetCells::Floats(
            wide()?.into_iter().map(|it| f64::from_bits(it.cast_unsigned())).collect(),
        ),
        "bool" if data.len() == rows => {
            ParquetCells::Bools(data.iter().map(|it| *it != 0).collect())
        }
        "date" => ParquetCells::Dates(wide()?),
        "time" => ParquetCells::Times(wide()?, scale),
        "duration" => ParquetCells::Durations(wide()?, scale),
        "string" => {
            let texts = words.iter().map(|it| it.as_str().map(Text::from));
            ParquetCells::Texts(codes(words.len())?, texts.collect::<Option<_>>()?)
        }
        "bytes" => {
            let all = words.iter().map(|it| match it {
                Value::Bytes(it) => Some(it.clone()),
                _ => None,
            });
            ParquetCells::Bytes(codes(words.len())?, all.collect::<Option<_>>()?)
        }
        _ => return None,
    };
    let valid = match found.get("valid")? {
        Value::Null => None,
        Value::Bytes(it) if it.len() == rows => Some(it.iter().map(|it| *it != 0).collect()),
        _ => return None,
    };
    Some(ParquetColumn { name: found.get("name")?.as_str()?.into(), cells, valid })
}

/// Reads a file. Only in a worker: see the module.
pub(super) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let read = catch_unwind(AssertUnwindSafe(|| read(content, wanted)));
    read.unwrap_or_else(|_| Err(damaged("it is too damaged to be read")))
}

fn damaged(why: impl Into<String>) -> Unreadable {
    Unreadable::Damaged(why.into())
}

fn unreadable(err: ParquetError) -> Unreadable {
    match err {
        ParquetError::NYI(why) => {
            damaged(format!("it uses something that is not supported: {why}"))
        }
        err => damaged(format!("it is not a readable file of Parquet ({err})")),
    }
}

fn read(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    const MAGIC: &[u8] = b"PAR1";
    if !content.starts_with(MAGIC) {
        return Err(damaged("it is not a file of Parquet"));
    }
    let wanted = wanted.as_record().ok_or_else(|| damaged("nothing is wanted"))?;
    let file =
        SerializedFileReader::new(bytes::Bytes::copy_from_slice(content)).map_err(unreadable)?;
    let rows = file.metadata().file_metadata().num_rows();
    let most = match wanted.get("most") {
        Some(Value::Int(it)) => *it,
        _ => 0,
    };
    if rows > most {
        return Err(damaged(format!("it has {rows} rows (limit {most})")));
    }
    let rows = usize::try_from(rows).map_err(|_| damaged("its number of rows is wrong"))?;
    let is_lenient = matches!(wanted.get("lenient"), Some(Value::Bool(true)));
    let columns = chosen(&file, wanted.get("columns").and_then(Value::as_list), is_lenient)?;
    let mut all = Vec::with_capacity(columns.len());
    for idx in columns {
        all.push(one_column(&file, idx, rows)?);
    }
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    Ok(fields([("rows", Value::Int(rows)), ("columns", all.into())]))
}

type File = SerializedFileReader<bytes::Bytes>;

/// The leaves of the columns to read.
fn chosen(file: &File, names: Option<&List>, is_lenient: bool) -> Result<Vec<usize>, Unreadable> {
    let schema = file.metadata().file_metadata().schema_descr();
    let top: Vec<&str> = schema.root_schema().get_fields().iter().map(|it| it.name()).collect();
    let place = |name: &str| -> Result<usize, Unreadable> {
        let mut leaves = (0..schema.num_columns())
            .filter(|it| schema.column(*it).path().parts().first().is_some_and(|it| it == name));
        let first = leaves.next().ok_or_else(|| {
            let all: Vec<String> = top.iter().map(|it| format!("`{it}`")).collect();
            damaged(format!("missing column `{name}`, found {}", all.join(", ")))
        })?;
        let column = schema.column(first);
        if column.path().parts().len() > 1 || column.max_rep_level() > 0 {
            return Err(damaged(format!(
                "the column `{name}` is nested, which is not supported; name the others with `columns`"
            )));
        }
        Ok(first)
    };
    match names {
        Some(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names.filter(|it| !is_lenient || top.contains(it)).map(place).collect()
        }
        None => top.iter().map(|it| place(it)).collect(),
    }
}

/// A column while it is read.
struct Filling {
    rows: usize,
    valid: Vec<u8>,
    data: Vec<u8>,
    places: HashMap<Vec<u8>, u32>,
    words: Vec<Vec<u8>>,
}

impl Filling {
    fn wide(&mut self, it: i64) {
        self.data.extend(it.to_le_bytes());
    }

    fn float(&mut self, it: f64) {
        self.data.extend(it.to_bits().to_le_bytes());
    }

    fn word(&mut self, it: &[u8]) {
        let place = match self.places.get(it) {
            Some(place) => *place,
            None => {
                let place = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
                self.places.insert(it.to_vec(), place);
                self.words.push(it.to_vec());
                place
            }
        };
        self.data.extend(place.to_le_bytes());
    }

    /// Adds the values of a row group; `put` adds one, or something in the place of none.
    fn fill<T: DataType>(
        &mut self,
        mut from: ColumnReaderImpl<T>,
        is_optional: bool,
        mut put: impl FnMut(&mut Self, Option<&T::T>) -> Result<(), String>,
    ) -> Result<(), Unreadable> {
        const BATCH: usize = 8192;
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            values.clear();
            levels.clear();
            let to = is_optional.then_some(&mut levels);
            let (read, ..) = from.read_records(BATCH, to, None, &mut values).map_err(unreadable)?;
            if read == 0 {
                return Ok(());
            }
            if self.valid.len() + read > self.rows {
                return Err(damaged("it has more values than rows"));
            }
            let mut values = values.iter();
            for row in 0..read {
                let is_there = !is_optional || levels.get(row) == Some(&1);
                let value = if is_there { values.next() } else { None };
                self.valid.push(u8::from(value.is_some()));
                let at = self.valid.len();
                put(self, value).map_err(|why| damaged(format!("row {at}: {why}")))?;
            }
        }
    }
}

/// How the values of a column are meant.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    Plain,
    Unsigned,
    Decimal(i32),
    Date,
    Time(i64),
    SinceMidnight(i64),
    Text,
    Half,
    Uuid,
}

fn meaning(column: &ColumnDescriptor) -> Meaning {
    let nanos = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1_000_000,
        TimeUnit::MICROS => 1_000,
        TimeUnit::NANOS => 1,
    };
    match column.logical_type_ref() {
        Some(LogicalType::String | LogicalType::Enum | LogicalType::Json) => Meaning::Text,
        Some(LogicalType::Date) => Meaning::Date,
        Some(LogicalType::Timestamp(it)) => Meaning::Time(nanos(&it.unit)),
        Some(LogicalType::Time(it)) => Meaning::SinceMidnight(nanos(&it.unit)),
        Some(LogicalType::Decimal(it)) => Meaning::Decimal(it.scale),
        Some(LogicalType::Integer(it)) if !it.is_signed => Meaning::Unsigned,
        Some(LogicalType::Float16) => Meaning::Half,
        Some(LogicalType::Uuid) => Meaning::Uuid,
        Some(_) => Meaning::Plain,
        None => match column.converted_type() {
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Meaning::Text,
            ConvertedType::DATE => Meaning::Date,
            ConvertedType::TIMESTAMP_MILLIS => Meaning::Time(1_000_000),
            ConvertedType::TIMESTAMP_MICROS => Meaning::Time(1_000),
            ConvertedType::TIME_MILLIS => Meaning::SinceMidnight(1_000_000),
            ConvertedType::TIME_MICROS => Meaning::SinceMidnight(1_000),
            ConvertedType::DECIMAL => Meaning::Decimal(column.type_scale()),
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Meaning::Unsigned,
            _ => Meaning::Plain,
        },
    }
}

fn one_column(file: &File, idx: usize, rows: usize) -> Result<Value, Unreadable> {
    let column = file.metadata().file_metadata().schema_descr().column(idx);
    let name = column.name().to_owned();
    let meaning = meaning(&column);
    let is_optional = column.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
    let (places, words) = (HashMap::new(), Vec::new());
    let mut to = Filling { rows, valid: Vec::new(), data: Vec::new(), places, words };
    let mut kind = "int";
    for group in 0..file.num_row_groups() {
        let reader = file.get_row_group(group).map_err(unreadable)?;
        let reader = reader.get_column_reader(idx).map_err(unreadable)?;
        kind = fill(&mut to, reader, meaning, is_optional).map_err(|why| match why {
            Unreadable::Damaged(why) => damaged(format!("column `{name}`: {why}")),
            other => other,
        })?;
    }
    if to.valid.len() != rows {
        let found = to.valid.len();
        return Err(damaged(format!("column `{name}`: expected {rows} values, found {found}")));
    }
    Ok(finished(&name, kind, meaning, to))
}

fn finished(name: &str, kind: &'static str, meaning: Meaning, to: Filling) -> Value {
    let scale = match meaning {
        Meaning::Time(it) | Meaning::SinceMidnight(it) => it,
        _ => 1,
    };
    // A column without a declared meaning is of texts if all of them are.
    let texts: Option<Vec<Value>> = match kind {
        "bytes" => {
            to.words.iter().map(|it| std::str::from_utf8(it).ok().map(Value::text)).collect()
        }
        _ => None,
    };
    let (kind, words) = match texts {
        Some(texts) => ("string", texts),
        None => (kind, to.words.into_iter().map(|it| Value::Bytes(it.into())).collect()),
    };
    let valid = if to.valid.contains(&0) { Value::Bytes(to.valid.into()) } else { Value::Null };
    fields([
        ("name", Value::text(name)),
        ("kind", Value::text(kind)),
        ("scale", Value::Int(scale)),
        ("valid", valid),
        ("data", Value::Bytes(to.data.into())),
        ("words", words.into()),
    ])
}

/// Adds a row group; returns the kind of its values.
fn fill(
    to: &mut Filling,
    reader: ColumnReader,
    meaning: Meaning,
    is_optional: bool,
) -> Result<&'static str, Unreadable> {
    match reader {
        ColumnReader::BoolColumnReader(it) => {
            to.fill(it, is_optional, |to, it| {
                to.data.push(u8::from(it.copied().unwrap_or_default()));
                Ok(())
            })?;
            Ok("bool")
        }
        ColumnReader::Int32ColumnReader(it) => {
            to.fill(it, is_optional, |to, it| {
                let it = it.copied().unwrap_or_default();
                let it = if meaning == Meaning::Unsigned {
                    i64::from(it.cast_unsigned())
                } else {
                    i64::from(it)
                };
                put_whole(to, it, meaning);
                Ok(())
            })?;
            Ok(kind_of_whole(meaning))
        }
        ColumnReader::Int64ColumnReader(it) => {
            to.fill(it, is_optional, |to, it| {
                let it = it.copied().unwrap_or_default();
                if meaning == Meaning::Unsigned && it < 0 {
                    return Err(format!("{} is too large for an int", it.cast_unsigned()));
                }
                put_whole(to, it, meaning);
                Ok(())
            })?;
            Ok(kind_of_whole(meaning))
        }
        ColumnReader::Int96ColumnReader(it) => {
            to.fill(it, is_optional, |to, it| {
                to.wide(it.map_or(Ok(0), nanos_of_int96)?);
                Ok(())
            })?;
            Ok("time")
        }
        ColumnReader::FloatColumnReader(it) => {
            to.fill(it, is_optional, |to, it| {
                to.float(it.copied().unwrap_or_default().into());
                Ok(())
            })?;
            Ok("float")
        }
        ColumnReader::DoubleColumnReader(it) => {
            to.fill(it, is_optional, |to, it| {
                to.float(it.copied().unwrap_or_default());
                Ok(())
            })?;
            Ok("float")
        }
        ColumnReader::ByteArrayColumnReader(it) => {
            to.fill(it, is_optional, |to, it| put_bytes(to, it.map(AsBytes::as_bytes), meaning))?;
            Ok(kind_of_bytes(meaning))
        }
        ColumnReader::FixedLenByteArrayColumnReader(it) => {
            to.fill(it, is_optional, |to, it| put_bytes(to, it.map(AsBytes::as_bytes), meaning))?;
            Ok(kind_of_bytes(meaning))
        }
    }
}

/// The nanoseconds since 1970 of a day and a time of the day, as Spark and Impala write them.
fn nanos_of_int96(it: &parquet::data_type::Int96) -> Result<i64, String> {
    const NANOS_PER_DAY: i128 = 86_400_000_000_000;
    const JULIAN_DAY_OF_1970: i128 = 2_440_588;
    let [low, high, day] = it.data() else { return Err("a time has a wrong length".to_owned()) };
    let of_day = i128::from(u64::from(*high) << 32 | u64::from(*low));
    let nanos = (i128::from(*day) - JULIAN_DAY_OF_1970) * NANOS_PER_DAY + of_day;
    i64::try_from(nanos).map_err(|_| "a time is before 1677 or after 2262".to_owned())
}

fn kind_of_whole(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Decimal(_) => "float",
        Meaning::Date => "date",
        Meaning::Time(_) => "time",
        Meaning::SinceMidnight(_) => "duration",
        _ => "int",
    }
}

fn put_whole(to: &mut Filling, it: i64, meaning: Meaning) {
    match meaning {
        Meaning::Decimal(scale) => to.float(decimal(i128::from(it), scale)),
        _ => to.wide(it),
    }
}

fn kind_of_bytes(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Decimal(_) | Meaning::Half => "float",
        _ => "bytes",
    }
}

fn put_bytes(to: &mut Filling, it: Option<&[u8]>, meaning: Meaning) -> Result<(), String> {
    let bytes = it.unwrap_or_default();
    match meaning {
        Meaning::Decimal(_) | Meaning::Half if it.is_none() => to.float(0.0),
        Meaning::Decimal(scale) => to.float(decimal(big_endian(bytes)?, scale)),
        Meaning::Half => match bytes {
            [low, high] => to.float(half(u16::from_le_bytes([*low, *high]))),
            _ => return Err("expected 2 bytes of a float".to_owned()),
        },
        Meaning::Uuid if it.is_some() => to.word(uuid(bytes).as_bytes()),
        Meaning::Text if it.is_some() && std::str::from_utf8(bytes).is_err() => {
            return Err("a string is not valid UTF-8".to_owned());
        }
        _ => to.word(bytes),
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a float has 15 digits")]
fn decimal(unscaled: i128, scale: i32) -> f64 {
    unscaled as f64 / 10_f64.powi(scale)
}

/// A whole number of at most 16 bytes, in two's complement.
fn big_endian(bytes: &[u8]) -> Result<i128, String> {
    const MOST: usize = 16;
    if bytes.len() > MOST {
        return Err("a decimal of more than 38 digits is not supported".to_owned());
    }
    let is_negative = bytes.first().is_some_and(|it| *it >= 0x80);
    let mut all = [if is_negative { 0xFF } else { 0 }; MOST];
    all[MOST - bytes.len()..].copy_from_slice(bytes);
    Ok(i128::from_be_bytes(all))
}

/// A float of 16 bits (IEEE 754).
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1F if fraction == 0.0 => f64::INFINITY,
        0x1F => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (idx, it) in bytes.iter().enumerate() {
        if matches!(idx, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{it:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use parquet::data_type::Int96;

    use super::nanos_of_int96;

    #[test]
    fn old_times_are_exact_or_refused() {
        let of = |day: u32, nanos: u64| {
            let mut time = Int96::new();
            let low = u32::try_from(nanos & 0xFFFF_FFFF).unwrap();
            time.set_data(low, u32::try_from(nanos >> 32).unwrap(), day);
            nanos_of_int96(&time)
        };
        assert_eq!(of(2_440_588, 123_456_789), Ok(123_456_789));
        assert_eq!(of(2_440_587, 1), Ok(1 - 86_400_000_000_000));
        // The last day of the year 9999, which some programs write for no end.
        assert_eq!(of(5_373_484, 0), Err("a time is before 1677 or after 2262".to_owned()));
        assert!(of(0, 0).is_err());
    }
}
