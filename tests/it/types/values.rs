//! Random types, random values of them, and their literals.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use fastrand::Rng;
use svc_contract::value::{Date, EnumType, Money, Text, Timestamp, Type, Value, json};

/// Every script declares these enums.
pub(super) const ENUMS: &str = "type Few = \"a\" | \"b\"\ntype Many = \"a\" | \"b\" | \"c\"\n";

fn few() -> Type {
    choices("Few", &["a", "b"])
}

pub(super) fn many() -> Type {
    choices("Many", &["a", "b", "c"])
}

fn choices(name: &str, variants: &[&str]) -> Type {
    let variants = variants.iter().map(|it| (*it).into()).collect();
    Type::Enum(Arc::new(EnumType { name: Some(name.into()), variants }))
}

pub(super) fn pick<'a, T>(rng: &mut Rng, all: &'a [T]) -> &'a T {
    &all[rng.usize(0..all.len())]
}

pub(super) fn list(item: Type, max: Option<u64>) -> Type {
    Type::List(item.into(), max)
}

/// A type that a value from outside can have.
pub(super) fn ty(rng: &mut Rng, depth: usize) -> Type {
    if depth == 0 || rng.u8(0..3) == 0 {
        return plain(rng);
    }
    match rng.u8(0..6) {
        0 | 1 => list(ty(rng, depth - 1), [None, Some(1), Some(3)][rng.usize(0..3)]),
        2 => ty(rng, depth - 1).optional(),
        3 => record(rng, depth - 1),
        _ => plain(rng),
    }
}

pub(super) fn record(rng: &mut Rng, depth: usize) -> Type {
    let names = ["a", "b", "c"];
    let fields = names.iter().take(rng.usize(1..4));
    Type::record(fields.map(|name| ((*name).into(), ty(rng, depth))).collect())
}

pub(super) fn plain(rng: &mut Rng) -> Type {
    match rng.u8(0..16) {
        0 | 1 => Type::INT,
        2 | 3 => int_range(rng),
        4 => Type::FLOAT,
        5 => Type::Float(Some((-1.0, 2.5))),
        6 | 7 => Type::Text,
        8 => Type::Bool,
        9 => few(),
        10 => many(),
        11 => Type::Duration,
        12 => Type::Money,
        13 => Type::Time,
        14 => Type::Date,
        _ => Type::Size,
    }
}

fn int_range(rng: &mut Rng) -> Type {
    Type::Int(Some(*pick(rng, &[(0, 3), (1, 2), (1, 5), (-4, -1), (-2, 7), (0, 0)])))
}

/// A number, a duration, money or a size.
pub(super) fn amount(rng: &mut Rng) -> Type {
    let all = [Type::INT, Type::FLOAT, Type::Duration, Type::Money, Type::Size];
    match rng.u8(0..3) {
        0 => int_range(rng),
        1 => Type::Float(Some((-1.0, 2.5))),
        _ => pick(rng, &all).clone(),
    }
}

/// A value of a type; limits occur more often than other values.
pub(super) fn value(rng: &mut Rng, ty: &Type) -> Value {
    match ty {
        Type::Bool => rng.bool().into(),
        Type::Int(None) => Value::Int(*pick(rng, &[0, 1, 2, -1, 5, 9, -7, 100, 3, i64::MAX])),
        Type::Int(Some((low, high))) => Value::Int(rng.i64(*low..=*high)),
        Type::Float(None) => (*pick(rng, &[0.0, 0.5, -1.5, 2.0, 9.75, 1e6])).into(),
        Type::Float(Some((low, high))) => {
            let part = f64::from(rng.u8(0..5)) / 4.0;
            (low + (high - low) * part).into()
        }
        Type::Text => (*pick(rng, &["", "a", "b", "two words", "7", "é\n\"x\""])).into(),
        Type::Enum(of) => Value::Text(pick(rng, &of.variants).clone()),
        Type::Duration => Duration::from_millis(rng.u64(0..3_000)).into(),
        Type::Money => Money::cents(rng.i64(0..300)).into(),
        Type::Time => {
            let seconds = *pick(rng, &[0, -1, 1_795_420_800, 253_402_207_200, -377_705_023_201]);
            Timestamp::new(seconds, pick(rng, &[0, 500_000_000, 1]) * i32::from(seconds > 0))
                .unwrap()
                .into()
        }
        Type::Date => {
            let days = ["1970-01-01", "2024-02-29", "9999-12-31", "-009999-01-01", "2026-11-23"];
            pick(rng, &days).parse::<Date>().unwrap().into()
        }
        Type::Size => Value::Size(rng.u64(0..5_000)),
        Type::Path => Value::Path((*pick(rng, &["a.txt", "x/y", "note.md"])).into()),
        Type::Json => {
            let of = self::ty(rng, 1);
            // Values from JSON have no units.
            json::read(&json::write(&value(rng, &of))).unwrap()
        }
        Type::Bytes => Value::Bytes([1, 2, 3].into()),
        Type::Optional(inner) => match rng.u8(0..3) {
            0 => Value::Null,
            _ => value(rng, inner),
        },
        Type::List(item, max) => {
            let most = usize::try_from(max.unwrap_or(4).min(4)).unwrap();
            let count = if **item == Type::Never { 0 } else { rng.usize(0..=most) };
            (0..count).map(|_| value(rng, item)).collect::<Vec<_>>().into()
        }
        Type::Record(of) => {
            let fields = of.fields.iter().map(|(name, ty)| (name.clone(), value(rng, ty)));
            Value::Record(fields.collect::<Vec<_>>().into_iter().collect())
        }
        _ => Value::Null,
    }
}

/// The literal of a value where its type is expected.
pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::Int(it) if *it < 0 => format!("({it})"),
        Value::Float(it) if *it < 0.0 => format!("({it:?})"),
        Value::Float(it) => format!("{it:?}"),
        Value::Text(it) | Value::Path(it) => quoted(it),
        Value::Time(it) => format!("(\"{it}\" as time)"),
        Value::Date(it) => format!("(\"{it}\" as date)"),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Record(record) => {
            let fields: Vec<String> =
                record.iter().map(|(name, it)| format!("{name}: {}", literal(it))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

fn quoted(text: &Text) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' | '$' => write!(quoted, "\\{letter}").unwrap(),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

/// Why a value is strictly not of a type: an int is not a float, and ranges and maximum lengths
/// count.
pub(super) fn misfit(ty: &Type, value: &Value) -> Option<String> {
    let wrong = || Some(format!("{} is not of type {ty}", json::write(value)));
    let is_one = match (ty, value) {
        (Type::Optional(_), Value::Null) => true,
        (Type::Optional(inner), it) => return misfit(inner, it),
        (Type::Bool, Value::Bool(_))
        | (Type::Text, Value::Text(_))
        | (Type::Path, Value::Path(_))
        | (Type::Bytes, Value::Bytes(_))
        | (Type::Duration, Value::Duration(_))
        | (Type::Time, Value::Time(_))
        | (Type::Date, Value::Date(_))
        | (Type::Money, Value::Money(_))
        | (Type::Size, Value::Size(_)) => true,
        (Type::Int(range), Value::Int(it)) => {
            range.is_none_or(|(low, high)| (low..=high).contains(it))
        }
        (Type::Float(range), Value::Float(it)) => {
            it.is_finite() && range.is_none_or(|(low, high)| (low..=high).contains(it))
        }
        (Type::Enum(of), Value::Text(it)) => of.contains(it),
        (Type::List(item, max), Value::List(items)) => {
            if let Some(wrong) = items.iter().find_map(|it| misfit(item, it)) {
                return Some(wrong);
            }
            max.is_none_or(|max| items.len() as u64 <= max)
        }
        (Type::Map(item), Value::Record(record)) => {
            return record.iter().find_map(|(_, it)| misfit(item, it));
        }
        (Type::Record(of), Value::Record(record)) => {
            let wrong = of.fields.iter().find_map(|(name, ty)| match record.get(name) {
                Some(it) => misfit(ty, it).map(|why| format!("`{name}`: {why}")),
                None => (!ty.is_optional()).then(|| format!("`{name}` is missing")),
            });
            if wrong.is_some() {
                return wrong;
            }
            true
        }
        (
            Type::Json,
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Record(_),
        ) => true,
        _ => false,
    };
    if is_one { None } else { wrong() }
}
