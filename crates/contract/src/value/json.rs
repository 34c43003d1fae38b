//! Reading and writing values as JSON.
//!
//! Units are written as in the language (`"30s"`, `"$0.05"`), times and dates as in RFC 3339, in
//! UTC, bytes as hex digits. Values that
//! are read have type `json` until a component or `as` gives them another one.

use std::{collections::HashSet, fmt, io};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor},
    ser::{SerializeMap, SerializeSeq},
};

use super::{
    BoundedText, Record, Text, Value, convert::native, memory, show::unsigned_zero, units,
};

/// Reads a value from JSON text. Field order is kept; numbers beyond `i64` are floats.
pub fn read(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

/// Writes a value as JSON on one line.
pub fn write(value: &Value) -> String {
    serde_json::to_string(value).expect("a value has only string keys and cannot fail to write")
}

/// The number of bytes that [`write()`] returns.
pub fn len(value: &Value) -> u64 {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value)
        .expect("a value has only string keys and cannot fail to write");
    count.0
}

/// Counts what is written.
struct Count(u64);

impl io::Write for Count {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0 += piece.len() as u64;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a value as JSON, if it takes at most `most` bytes and the memory is available.
///
/// Values share their parts, so a small value may be endless when written.
pub fn write_within(value: &Value, is_pretty: bool, most: usize) -> Option<String> {
    let mut text = BoundedText::new(most);
    let written = if is_pretty {
        serde_json::to_writer_pretty(&mut text, value)
    } else {
        serde_json::to_writer(&mut text, value)
    };
    written.ok().map(|()| text.into_string())
}

/// Writes a value as JSON on one line, until `out` returns an error.
///
/// Values share their parts, so a small value may be endless when written.
pub fn write_to(out: &mut dyn fmt::Write, value: &Value) -> fmt::Result {
    serde_json::to_writer(Pieces(out), value).map_err(|_| fmt::Error)
}

/// Forwards text as serde writes it: every piece has whole characters.
struct Pieces<'a>(&'a mut dyn fmt::Write);

impl io::Write for Pieces<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(piece).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a value as indented JSON.
pub fn write_pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value)
        .expect("a value has only string keys and cannot fail to write")
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(it) => serializer.serialize_bool(*it),
            Self::Int(it) => serializer.serialize_i64(*it),
            Self::Float(it) => serializer.serialize_f64(unsigned_zero(*it)),
            Self::Text(it) => serializer.serialize_str(it),
            Self::List(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                items.each(|it| seq.serialize_element(it))?;
                seq.end()
            }
            Self::Record(record) => {
                let mut map = serializer.serialize_map(Some(record.len()))?;
                for (name, value) in record.iter() {
                    map.serialize_entry(name.as_ref(), value)?;
                }
                map.end()
            }
            other => match native::name(other) {
                Some(name) => serializer.serialize_newtype_struct(name, &Plain(other)),
                None => Plain(other).serialize(serializer),
            },
        }
    }
}

/// A value of a kind that JSON does not have, as the text or the number that stands for it.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Duration(it) => serializer.serialize_str(&units::show_duration(*it)),
            // JSON readers have whole numbers up to here.
            Value::Size(it) if *it <= i64::MAX.unsigned_abs() => serializer.serialize_u64(*it),
            Value::Path(it) => serializer.serialize_str(it),
            Value::Bytes(it) => serializer.collect_str(&Hex(it)),
            other => serializer.collect_str(other),
        }
    }
}

/// Reads bytes from hex digits.
pub(super) fn read_bytes(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|it| it.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = (0..text.len()).step_by(2).map(|at| text.get(at..at + 2));
    pairs.map(|it| u8::from_str_radix(it?, 16).ok()).collect()
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(native::VALUE, JsonVisitor)
    }
}

struct JsonVisitor;

/// The memory of a field's name and slot, while the record is read.
const FIELD: usize = 128;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, it: bool) -> Result<Value, E> {
        Ok(Value::Bool(it))
    }

    fn visit_i64<E>(self, it: i64) -> Result<Value, E> {
        Ok(Value::Int(it))
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond i64, JSON numbers are floats")]
    fn visit_u64<E>(self, it: u64) -> Result<Value, E> {
        Ok(i64::try_from(it).map_or(Value::Float(it as f64), Value::Int))
    }

    fn visit_f64<E: serde::de::Error>(self, it: f64) -> Result<Value, E> {
        if it.is_finite() { Ok(Value::Float(it)) } else { Err(E::custom("number out of range")) }
    }

    fn visit_str<E>(self, it: &str) -> Result<Value, E> {
        Ok(Value::text(it))
    }

    fn visit_string<E>(self, it: String) -> Result<Value, E> {
        Ok(Value::from(it))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    /// A kind that JSON does not have, from another value.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let (name, content) = access.variant::<String>()?;
        let text = Value::from(content.newtype_variant::<String>()?);
        let ty = native::ty(&name).ok_or_else(|| A::Error::unknown_variant(&name, &[]))?;
        text.cast(&ty).map_err(A::Error::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items: Vec<Value> = Vec::new();
        while let Some(item) = seq.next_element()? {
            memory::make(size_of::<Value>()).map_err(A::Error::custom)?;
            items.push(item);
        }
        Ok(Value::from(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut names: Vec<Text> = Vec::new();
        let mut seen: HashSet<Text> = HashSet::new();
        let mut values = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            memory::make(name.len() + FIELD).map_err(A::Error::custom)?;
            let name = Text::from(name);
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(format!("duplicate key `{name}`")));
            }
            names.push(name);
            values.push(value);
        }
        Ok(Value::Record(Record::new(names.into(), values)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_goes_in_and_out() {
        let text = r#"{"b":[1,2.5,null],"a":{"x":"ü"}}"#;
        assert_eq!(write(&read(text).unwrap()), text);
        assert!(read("{").is_err());
    }
}
