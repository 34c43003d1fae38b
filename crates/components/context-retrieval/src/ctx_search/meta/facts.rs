//! The metadata of a document as *facts*: the bytes of one column of the index.
//!
//! A fact is the path of a field, a zero byte, the kind of its value, and the value in a form whose
//! bytes have its order. So the values of a field are neighbours in the sorted dictionary of the
//! column, and every condition is a few ranges of numbers there.

use std::ops::Range;

use svc_contract::value::{Record, Timestamp, Value, times};
use tantivy::f64_to_u64;

/// A range of facts: those from the first one, before the second one.
pub(super) type Bounds = Range<Vec<u8>>;

/// The first float after all ints.
const END: f64 = 9_223_372_036_854_775_808.0;

/// The kind of a value. A text that is a date is also a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Kind {
    Bool = b'b',
    Date = b'd',
    Number = b'n',
    Text = b's',
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Bool, Self::Date, Self::Number, Self::Text];

    /// Its values, for messages.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Bool => "true and false",
            Self::Date => "dates",
            Self::Number => "numbers",
            Self::Text => "text",
        }
    }
}

/// The facts of a document, sorted, each once. Null, empty lists and empty objects have none.
pub(in super::super) fn of(meta: &Value) -> Vec<Vec<u8>> {
    let mut facts = Vec::new();
    if let Value::Record(fields) = meta {
        collect("", fields, &mut facts);
    }
    facts.sort_unstable();
    facts.dedup();
    facts
}

fn collect(path: &str, fields: &Record, facts: &mut Vec<Vec<u8>>) {
    for (name, value) in fields.iter() {
        let name = name.replace('\0', " ");
        let path = if path.is_empty() { name } else { format!("{path}.{name}") };
        add(&path, value, facts);
    }
}

fn add(path: &str, value: &Value, facts: &mut Vec<Vec<u8>>) {
    match value {
        Value::List(items) => items.iter().for_each(|it| add(path, it, facts)),
        Value::Record(fields) => collect(path, fields, facts),
        Value::Null => {}
        value => {
            if let Some(date) = value.as_str().and_then(date) {
                facts.push(fact(path, Kind::Date, &of_time(date.start)));
            }
            facts.extend(scalar(value).map(|(kind, it)| fact(path, kind, &it)));
        }
    }
}

/// The kind and the form of a value that is not a list, an object or null.
pub(super) fn scalar(value: &Value) -> Option<(Kind, Vec<u8>)> {
    match value {
        Value::Bool(it) => Some((Kind::Bool, vec![u8::from(*it)])),
        Value::Int(_) | Value::Float(_) => Some((Kind::Number, of_number(value))),
        other => other.as_str().map(|it| (Kind::Text, it.as_bytes().to_vec())),
    }
}

/// The form of a number: as a float, and for equal floats as an int.
#[expect(clippy::cast_precision_loss, reason = "the int itself follows")]
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn of_number(value: &Value) -> Vec<u8> {
    let (float, int) = match value {
        Value::Int(it) => (*it as f64, Some(*it)),
        Value::Float(it) if it.fract() == 0.0 && (-END..END).contains(it) => {
            (*it + 0.0, Some(*it as i64))
        }
        Value::Float(it) => (*it, (*it >= END).then_some(i64::MAX)),
        _ => (0.0, None),
    };
    let int = int.map_or(0, |it| it.cast_unsigned() ^ (1 << 63));
    [f64_to_u64(float).to_be_bytes(), int.to_be_bytes()].concat()
}

/// The form of a time.
pub(super) fn of_time(it: Timestamp) -> Vec<u8> {
    (it.as_nanosecond().cast_unsigned() ^ (1 << 127)).to_be_bytes().to_vec()
}

/// The times that a text means: one, as in RFC 3339, or a day in UTC.
pub(super) fn date(text: &str) -> Option<Range<Timestamp>> {
    if text.len() < 10 || !text.starts_with(|it: char| it.is_ascii_digit() || "+-".contains(it)) {
        return None;
    }
    if let Some(time) = times::parse_time(text) {
        let next = Timestamp::from_nanosecond(time.as_nanosecond() + 1);
        return Some(time..next.unwrap_or(Timestamp::MAX));
    }
    let day = times::parse_date(text)?;
    let midnight = |it: &str| times::completed_time(&format!("{it}T00:00:00"));
    let next = day.tomorrow().ok().and_then(|it| midnight(&it.to_string()));
    Some(midnight(text)?..next.unwrap_or(Timestamp::MAX))
}

pub(super) fn fact(path: &str, kind: Kind, value: &[u8]) -> Vec<u8> {
    [path.as_bytes(), &[0, kind as u8], value].concat()
}

/// All facts of a field, or those of one kind.
pub(super) fn of_field(path: &str, kind: Option<Kind>) -> Bounds {
    match kind {
        Some(kind) => fact(path, kind, &[])..[path.as_bytes(), &[0, kind as u8 + 1]].concat(),
        None => [path.as_bytes(), &[0]].concat()..[path.as_bytes(), &[1]].concat(),
    }
}

/// All facts of the fields in a field.
pub(super) fn inside(path: &str) -> Bounds {
    [path.as_bytes(), b"."].concat()..[path.as_bytes(), b"/"].concat()
}

/// The path of a fact.
pub(super) fn path(fact: &[u8]) -> Option<&str> {
    let end = fact.iter().position(|it| *it == 0)?;
    std::str::from_utf8(&fact[..end]).ok()
}

/// The kind of a fact, and its value.
pub(super) fn read(fact: &[u8]) -> Option<(Kind, Value)> {
    let at = fact.iter().position(|it| *it == 0)? + 1;
    let (kind, value) = (fact.get(at)?, fact.get(at + 1..)?);
    let kind = *Kind::ALL.iter().find(|it| **it as u8 == *kind)?;
    let value = match kind {
        Kind::Bool => Value::Bool(value.first()? == &1),
        Kind::Text => Value::from(std::str::from_utf8(value).ok()?),
        Kind::Date => {
            let nanos = u128::from_be_bytes(value.try_into().ok()?) ^ (1 << 127);
            Timestamp::from_nanosecond(nanos.cast_signed()).ok()?.to_string().into()
        }
        Kind::Number => {
            let (float, int) = value.split_first_chunk()?;
            let float = tantivy::u64_to_f64(u64::from_be_bytes(*float));
            let int = u64::from_be_bytes(int.try_into().ok()?) ^ (1 << 63);
            if float.fract() == 0.0 && (-END..=END).contains(&float) {
                Value::Int(int.cast_signed())
            } else {
                Value::Float(float)
            }
        }
    };
    Some((kind, value))
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    #[test]
    fn facts_have_the_order_of_values() {
        let number = |text: &str| of_number(&json::read(text).unwrap());
        let ordered = [
            "-1e300",
            "-9223372036854775808",
            "-9223372036854775807",
            "-2.5",
            "-2",
            "0",
            "1e-9",
            "1",
            "2.5",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
            "1e19",
            "1e300",
        ];
        for pair in ordered.windows(2) {
            assert!(number(pair[0]) < number(pair[1]), "{pair:?}");
        }
        assert_eq!(number("2"), number("2.0"));
        assert_eq!(number("0"), number("-0.0"));
        for text in ordered {
            let read = read(&fact("a", Kind::Number, &number(text))).unwrap().1;
            assert_eq!(read, json::read(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn every_scalar_of_a_document_is_a_fact() {
        let of = |text: &str| -> Vec<String> {
            let facts = of(&json::read(text).unwrap());
            let shown = |it: &Vec<u8>| {
                let (kind, value) = read(it).unwrap();
                format!("{} {kind:?} {value}", path(it).unwrap())
            };
            facts.iter().map(shown).collect()
        };
        assert_eq!(
            of(r#"{"a":[1,[2,1]],"b":{"c":"x","d":[{"e":true},{"e":null}]},"f":[],"g":{}}"#),
            ["a Number 1", "a Number 2", "b.c Text x", "b.d.e Bool true"]
        );
        assert_eq!(
            of(r#"{"d":"2020-01-31"}"#),
            ["d Date 2020-01-31T00:00:00Z", "d Text 2020-01-31"]
        );
        assert_eq!(of("null"), [""; 0]);
    }
}
