//! Values of the language as params, and cells of a result as values.

use mysql_async::{Column, Row, Value as Sql, consts::ColumnType};
use svc_contract::value::{Value, json};

use crate::params::{amount, unkept};

/// A value as a param. Lists and records are kept as JSON.
pub(super) fn param(value: &Value) -> Result<Sql, String> {
    Ok(match value {
        Value::Null => Sql::NULL,
        Value::Bool(it) => Sql::Int((*it).into()),
        Value::Int(it) => Sql::Int(*it),
        Value::Float(it) if !it.is_finite() => {
            return Err(format!("a database of MySQL has no {it}; give null instead"));
        }
        Value::Float(it) => Sql::Double(*it),
        Value::Text(it) | Value::Path(it) => Sql::Bytes(it.as_bytes().to_vec()),
        Value::Bytes(it) => Sql::Bytes(it.to_vec()),
        Value::Size(it) => Sql::UInt(*it),
        Value::Money(it) => Sql::Bytes(amount(it.nanos()).into_bytes()),
        Value::Date(it) => {
            Sql::Date(year(it.year())?, part(it.month()), part(it.day()), 0, 0, 0, 0)
        }
        Value::Time(it) => {
            let at = it.to_zoned(jiff::tz::TimeZone::UTC).datetime();
            let micros = u32::try_from(at.subsec_nanosecond() / 1000).unwrap_or(0);
            Sql::Date(
                year(at.year())?,
                part(at.month()),
                part(at.day()),
                part(at.hour()),
                part(at.minute()),
                part(at.second()),
                micros,
            )
        }
        Value::Duration(it) => {
            let seconds = it.as_secs();
            let days = u32::try_from(seconds / 86_400).map_err(|_| "the duration is too long")?;
            let of_day = |it: u64| u8::try_from(it).unwrap_or(0);
            let hours = of_day(seconds / 3600 % 24);
            Sql::Time(
                false,
                days,
                hours,
                of_day(seconds / 60 % 60),
                of_day(seconds % 60),
                it.subsec_micros(),
            )
        }
        Value::List(_) | Value::Record(_) => Sql::Bytes(json::write(value).into_bytes()),
        Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => {
            return Err(unkept(value));
        }
    })
}

fn year(it: i16) -> Result<u16, String> {
    u16::try_from(it).map_err(|_| "a database of MySQL has no years before 0".to_owned())
}

/// A month, a day or a part of the time of day, which are never negative.
fn part(it: i8) -> u8 {
    it.unsigned_abs()
}

/// A cell of a row.
pub(super) fn read(row: &Row, idx: usize) -> Result<Value, String> {
    match (row.as_ref(idx), row.columns_ref().get(idx)) {
        (Some(cell), Some(column)) => value(cell, column),
        _ => Err("the server sent no such cell".to_owned()),
    }
}

fn value(cell: &Sql, column: &Column) -> Result<Value, String> {
    Ok(match cell {
        Sql::NULL => Value::Null,
        Sql::Int(it) => Value::Int(*it),
        // An int has 63 bits; a larger number is exact as a string.
        Sql::UInt(it) => {
            i64::try_from(*it).map_or_else(|_| Value::from(it.to_string()), Value::Int)
        }
        Sql::Float(it) => Value::Float(it.to_string().parse().unwrap_or_else(|_| (*it).into())),
        Sql::Double(it) => Value::Float(*it),
        Sql::Date(year, month, day, hour, minute, second, micros) => {
            let date = format!("{year:04}-{month:02}-{day:02}");
            if column.column_type() == ColumnType::MYSQL_TYPE_DATE {
                return Ok(Value::from(date));
            }
            // The session has the zone UTC, so a point in time has it, too.
            let is_point = column.column_type() == ColumnType::MYSQL_TYPE_TIMESTAMP;
            let zone = if is_point { "Z" } else { "" };
            let fraction = fraction(*micros);
            Value::from(format!("{date}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}"))
        }
        Sql::Time(is_negative, days, hours, minutes, seconds, micros) => {
            let (sign, hours) =
                (if *is_negative { "-" } else { "" }, days * 24 + u32::from(*hours));
            let fraction = fraction(*micros);
            Value::from(format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{fraction}"))
        }
        Sql::Bytes(it) => bytes(it, column)?,
    })
}

fn fraction(micros: u32) -> String {
    if micros == 0 {
        return String::new();
    }
    format!(".{micros:06}").trim_end_matches('0').to_owned()
}

fn bytes(raw: &[u8], column: &Column) -> Result<Value, String> {
    /// The character set of bytes that are not text.
    const BINARY: u16 = 63;
    match column.column_type() {
        ColumnType::MYSQL_TYPE_BIT => Ok(raw
            .iter()
            .try_fold(0_i64, |all, it| all.checked_mul(256)?.checked_add((*it).into())))
        .map(|it| it.map_or_else(|| Value::Bytes(raw.into()), Value::Int)),
        ColumnType::MYSQL_TYPE_JSON => json::read(&utf8(raw)?).map_err(|err| err.to_string()),
        ColumnType::MYSQL_TYPE_DECIMAL | ColumnType::MYSQL_TYPE_NEWDECIMAL => {
            Ok(Value::from(utf8(raw)?))
        }
        ColumnType::MYSQL_TYPE_GEOMETRY => Ok(Value::Bytes(raw.into())),
        _ if column.character_set() == BINARY => Ok(Value::Bytes(raw.into())),
        _ => Ok(Value::from(utf8(raw)?)),
    }
}

fn utf8(raw: &[u8]) -> Result<String, String> {
    String::from_utf8(raw.to_vec()).map_err(|err| {
        let at = err.utf8_error().valid_up_to();
        format!("not valid UTF-8 (invalid byte at offset {at})")
    })
}
