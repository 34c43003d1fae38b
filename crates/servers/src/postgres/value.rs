//! Cells of a result, from their binary form.

use std::{error::Error, time::Duration};

use jiff::{
    SignedDuration, Span, ToSpan as _,
    civil::{Date, DateTime, Time, date},
};
use svc_contract::value::{List, Value, json, units};
use tokio_postgres::{
    Row,
    types::{FromSql, Kind, Type},
};

/// A cell as it comes.
struct Raw<'a>(&'a [u8], Type);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw, ty.clone()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A cell of a row.
pub(super) fn read(row: &Row, idx: usize) -> Result<Value, String> {
    let raw: Option<Raw<'_>> = row.try_get(idx).map_err(|err| err.to_string())?;
    raw.map_or(Ok(Value::Null), |Raw(bytes, ty)| value(&ty, bytes))
}

/// Refuses a type that this crate cannot read.
pub(super) fn test_type(ty: &Type) -> Result<(), String> {
    match ty.kind() {
        Kind::Array(item) => test_type(item),
        Kind::Domain(base) => test_type(base),
        Kind::Enum(_) => Ok(()),
        _ if IS_TEXT.contains(ty) || IS_OTHER.contains(ty) || is_citext(ty) => Ok(()),
        _ => Err(format!(
            "a value of the type `{ty}` cannot be read; select it as text: `.. ::text`"
        )),
    }
}

const IS_TEXT: [Type; 7] =
    [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME, Type::UNKNOWN, Type::XML, Type::CHAR];

const IS_OTHER: [Type; 19] = [
    Type::BOOL,
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::OID,
    Type::FLOAT4,
    Type::FLOAT8,
    Type::NUMERIC,
    Type::BYTEA,
    Type::DATE,
    Type::TIME,
    Type::TIMETZ,
    Type::TIMESTAMP,
    Type::TIMESTAMPTZ,
    Type::INTERVAL,
    Type::UUID,
    Type::JSON,
    Type::JSONB,
    Type::VOID,
];

fn is_citext(ty: &Type) -> bool {
    ty.name() == "citext"
}

fn value(ty: &Type, raw: &[u8]) -> Result<Value, String> {
    let text = |it: String| Ok(Value::from(it));
    match *ty {
        Type::BOOL => Ok(Value::Bool(raw.first() == Some(&1))),
        Type::INT2 => Ok(Value::Int(i16::from_be_bytes(fixed(raw)?).into())),
        Type::INT4 => Ok(Value::Int(i32::from_be_bytes(fixed(raw)?).into())),
        Type::INT8 => Ok(Value::Int(i64::from_be_bytes(fixed(raw)?))),
        Type::OID => Ok(Value::Int(u32::from_be_bytes(fixed(raw)?).into())),
        Type::FLOAT4 => Ok(Value::Float(widened(f32::from_be_bytes(fixed(raw)?)))),
        Type::FLOAT8 => Ok(Value::Float(f64::from_be_bytes(fixed(raw)?))),
        Type::NUMERIC => text(numeric(raw)?),
        Type::BYTEA => Ok(Value::Bytes(raw.into())),
        Type::DATE => text(day(i32::from_be_bytes(fixed(raw)?))?),
        Type::TIME => text(time(i64::from_be_bytes(fixed(raw)?))?),
        Type::TIMETZ => text(zoned_time(raw)?),
        Type::TIMESTAMP => text(moment(i64::from_be_bytes(fixed(raw)?), "")?),
        Type::TIMESTAMPTZ => text(moment(i64::from_be_bytes(fixed(raw)?), "Z")?),
        Type::INTERVAL => text(interval(raw)?),
        Type::UUID => text(uuid(&fixed(raw)?)),
        Type::JSON => parsed(utf8(raw)?),
        // The first byte is the version of the format.
        Type::JSONB => parsed(utf8(raw.get(1..).unwrap_or_default())?),
        Type::CHAR => text(raw.iter().filter(|it| **it != 0).map(|it| char::from(*it)).collect()),
        Type::VOID => Ok(Value::Null),
        _ => match ty.kind() {
            Kind::Array(item) => array(item, raw),
            Kind::Domain(base) => value(base, raw),
            _ => Ok(Value::text(utf8(raw)?)),
        },
    }
}

fn fixed<const N: usize>(raw: &[u8]) -> Result<[u8; N], String> {
    raw.try_into().map_err(|_| format!("expected {N} bytes, found {}", raw.len()))
}

/// The first bytes, which are taken away.
fn taken<const N: usize>(raw: &mut &[u8]) -> Result<[u8; N], String> {
    let (first, rest) = raw.split_first_chunk().ok_or("the value ends too early")?;
    *raw = rest;
    Ok(*first)
}

fn utf8(raw: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(raw)
        .map_err(|err| format!("not valid UTF-8 (invalid byte at offset {})", err.valid_up_to()))
}

fn parsed(text: &str) -> Result<Value, String> {
    json::read(text).map_err(|err| err.to_string())
}

/// The float with the same decimal digits: `0.1` and not `0.10000000149011612`.
fn widened(it: f32) -> f64 {
    it.to_string().parse().unwrap_or_else(|_| it.into())
}

/// Digits of base 10,000, as an exact decimal number.
fn numeric(mut raw: &[u8]) -> Result<String, String> {
    let count = u16::from_be_bytes(taken(&mut raw)?);
    let weight = i16::from_be_bytes(taken(&mut raw)?);
    let sign = u16::from_be_bytes(taken(&mut raw)?);
    let scale = usize::from(u16::from_be_bytes(taken(&mut raw)?));
    let sign = match sign {
        0x0000 => "",
        0x4000 => "-",
        0xC000 => return Ok("NaN".to_owned()),
        0xD000 => return Ok("Infinity".to_owned()),
        0xF000 => return Ok("-Infinity".to_owned()),
        _ => return Err("an unknown sign of a number".to_owned()),
    };
    let mut digits = Vec::with_capacity(count.into());
    for _ in 0..count {
        digits.push(u16::from_be_bytes(taken(&mut raw)?));
    }
    // The group at an exponent of 10,000.
    let group = |exponent: i32| {
        let idx = usize::try_from(i32::from(weight) - exponent).ok();
        idx.and_then(|it| digits.get(it)).copied().unwrap_or(0)
    };
    let mut text = String::new();
    for exponent in (0..=i32::from(weight).max(0)).rev() {
        let group = group(exponent);
        text.push_str(&if text.is_empty() { group.to_string() } else { format!("{group:04}") });
    }
    if scale > 0 {
        let groups = i32::try_from(scale.div_ceil(4)).unwrap_or(0);
        let whole = text.len() + 1;
        text.push('.');
        for exponent in 1..=groups {
            text.push_str(&format!("{:04}", group(-exponent)));
        }
        text.truncate(whole + scale);
    }
    Ok(format!("{sign}{text}"))
}

const EPOCH: Date = date(2000, 1, 1);

fn outside(what: &str) -> String {
    format!("a {what} outside of the years -9999 to 9999; select it as text: `.. ::text`")
}

fn day(days: i32) -> Result<String, String> {
    match days {
        i32::MAX => return Ok("infinity".to_owned()),
        i32::MIN => return Ok("-infinity".to_owned()),
        _ => {}
    }
    let span = Span::new().try_days(days).map_err(|_| outside("date"))?;
    EPOCH.checked_add(span).map(|it| it.to_string()).map_err(|_| outside("date"))
}

fn moment(micros: i64, zone: &str) -> Result<String, String> {
    match micros {
        i64::MAX => return Ok("infinity".to_owned()),
        i64::MIN => return Ok("-infinity".to_owned()),
        _ => {}
    }
    let since = SignedDuration::from_micros(micros);
    let at = EPOCH.to_datetime(Time::midnight()).checked_add(since);
    at.map(|it: DateTime| format!("{it}{zone}")).map_err(|_| outside("time"))
}

fn time(micros: i64) -> Result<String, String> {
    // `24:00:00` is a time of the server.
    let at = Time::midnight().checked_add(micros.microseconds());
    at.map(|it| it.to_string()).or_else(|_| Ok("24:00:00".to_owned()))
}

fn zoned_time(mut raw: &[u8]) -> Result<String, String> {
    let at = time(i64::from_be_bytes(taken(&mut raw)?))?;
    let west = i32::from_be_bytes(taken(&mut raw)?);
    let (sign, all) = (if west > 0 { '-' } else { '+' }, west.unsigned_abs());
    Ok(format!("{at}{sign}{:02}:{:02}", all / 3600, all / 60 % 60))
}

/// As the language writes durations; with months or a negative part, in the form of ISO 8601.
fn interval(mut raw: &[u8]) -> Result<String, String> {
    let micros = i64::from_be_bytes(taken(&mut raw)?);
    let days = i32::from_be_bytes(taken(&mut raw)?);
    let months = i32::from_be_bytes(taken(&mut raw)?);
    let whole = i128::from(days) * 86_400_000_000 + i128::from(micros);
    match u64::try_from(whole) {
        Ok(micros) if months == 0 => Ok(units::show_duration(Duration::from_micros(micros))),
        _ => {
            let seconds = SignedDuration::from_micros(micros).as_secs_f64();
            Ok(format!("P{months}M{days}DT{seconds}S"))
        }
    }
}

fn uuid(raw: &[u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(*raw));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn array(item: &Type, mut raw: &[u8]) -> Result<Value, String> {
    let raw = &mut raw;
    let dimensions = i32::from_be_bytes(taken(raw)?);
    // Whether there are nulls, and the type of the items, which is known.
    taken::<8>(raw)?;
    let mut lens = Vec::new();
    for _ in 0..dimensions {
        lens.push(usize::try_from(i32::from_be_bytes(taken(raw)?)).unwrap_or(0));
        // The number of the first item.
        taken::<4>(raw)?;
    }
    if lens.is_empty() { Ok(Value::List(List::from_iter([]))) } else { items(item, raw, &lens) }
}

fn items(item: &Type, raw: &mut &[u8], lens: &[usize]) -> Result<Value, String> {
    let Some((len, inner)) = lens.split_first() else {
        let len = i32::from_be_bytes(taken(raw)?);
        let Ok(len) = usize::try_from(len) else { return Ok(Value::Null) };
        let (own, rest) = raw.split_at_checked(len).ok_or("the value ends too early")?;
        *raw = rest;
        return value(item, own);
    };
    let mut all = Vec::new();
    for _ in 0..*len {
        all.push(items(item, raw, inner)?);
    }
    Ok(Value::List(all.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(weight: i16, sign: u16, scale: u16, digits: &[u16]) -> String {
        let head = [u16::try_from(digits.len()).unwrap(), weight.cast_unsigned(), sign, scale];
        let raw: Vec<u8> = head.iter().chain(digits).flat_map(|it| it.to_be_bytes()).collect();
        numeric(&raw).unwrap()
    }

    #[test]
    fn decimal_numbers_are_exact() {
        assert_eq!(number(0, 0, 0, &[]), "0");
        assert_eq!(number(0, 0, 2, &[]), "0.00");
        assert_eq!(number(0, 0, 2, &[12, 5000]), "12.50");
        assert_eq!(number(1, 0x4000, 0, &[1, 1]), "-10001");
        assert_eq!(number(2, 0, 0, &[5]), "500000000");
        assert_eq!(number(-1, 0, 4, &[1]), "0.0001");
        assert_eq!(number(-2, 0, 7, &[10]), "0.0000001");
        assert_eq!(number(0, 0xC000, 0, &[]), "NaN");
        assert!(numeric(&[0, 1]).is_err());
    }

    #[test]
    fn times_are_read() {
        assert_eq!(day(0).unwrap(), "2000-01-01");
        assert_eq!(day(9556).unwrap(), "2026-03-01");
        assert_eq!(day(-1).unwrap(), "1999-12-31");
        assert!(day(i32::MAX - 1).is_err());
        assert_eq!(moment(-1_500_000, "Z").unwrap(), "1999-12-31T23:59:58.5Z");
        assert_eq!(moment(i64::MAX, "").unwrap(), "infinity");
        assert!(moment(i64::MAX - 1, "").is_err());
        assert_eq!(time(86_400_000_000).unwrap(), "24:00:00");
        let span = |micros: i64, days: i32, months: i32| {
            let raw =
                [&micros.to_be_bytes()[..], &days.to_be_bytes(), &months.to_be_bytes()].concat();
            interval(&raw).unwrap()
        };
        assert_eq!(span(5_400_000_000, 1, 0), "1d1h30m");
        assert_eq!(span(1_500_000, 2, 14), "P14M2DT1.5S");
        assert_eq!(span(-1_000_000, 0, 0), "P0M0DT-1S");
    }
}
