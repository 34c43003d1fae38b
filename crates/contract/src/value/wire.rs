//! Values as bytes, for the worker processes of this program. Both ends are the same program,
//! so the format has no version.

use std::time::Duration;

use jiff::Timestamp;

use super::{List, Money, Record, Text, Value, times};

/// The tag before each kind of value.
mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const INT: u8 = 3;
    pub(super) const FLOAT: u8 = 4;
    pub(super) const DURATION: u8 = 5;
    pub(super) const MONEY: u8 = 6;
    pub(super) const SIZE: u8 = 7;
    pub(super) const TEXT: u8 = 8;
    pub(super) const PATH: u8 = 9;
    pub(super) const BYTES: u8 = 10;
    pub(super) const LIST: u8 = 11;
    pub(super) const RECORD: u8 = 12;
    pub(super) const TIME: u8 = 13;
    pub(super) const DATE: u8 = 14;
}

/// The maximum nesting of values; the sender may be compromised.
const DEEPEST: usize = 256;

/// Bytes that are written part by part.
#[derive(Default)]
pub struct WireWriter(pub Vec<u8>);

impl WireWriter {
    /// Starts with the purpose of the bytes.
    pub fn of(purpose: u8) -> Self {
        Self(vec![purpose])
    }

    pub fn number(&mut self, it: u64) {
        self.0.extend(it.to_le_bytes());
    }

    pub fn bytes(&mut self, it: &[u8]) {
        self.number(it.len() as u64);
        self.0.extend(it);
    }

    pub fn text(&mut self, it: &str) {
        self.bytes(it.as_bytes());
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Bool(false) => self.0.push(tag::FALSE),
            Value::Bool(true) => self.0.push(tag::TRUE),
            Value::Int(it) => self.tagged(tag::INT, it.cast_unsigned()),
            Value::Float(it) => self.tagged(tag::FLOAT, it.to_bits()),
            Value::Money(it) => self.tagged(tag::MONEY, it.nanos().cast_unsigned()),
            Value::Size(it) => self.tagged(tag::SIZE, *it),
            Value::Duration(it) => {
                self.tagged(tag::DURATION, it.as_secs());
                self.number(it.subsec_nanos().into());
            }
            Value::Time(it) => {
                self.tagged(tag::TIME, it.as_second().cast_unsigned());
                self.number(i64::from(it.subsec_nanosecond()).cast_unsigned());
            }
            Value::Date(it) => {
                self.tagged(tag::DATE, i64::from(times::day_number(*it)).cast_unsigned());
            }
            Value::Text(it) => self.tagged_bytes(tag::TEXT, it.as_bytes()),
            Value::Path(it) => self.tagged_bytes(tag::PATH, it.as_bytes()),
            Value::Bytes(it) => self.tagged_bytes(tag::BYTES, it),
            Value::List(list) => {
                self.tagged(tag::LIST, list.len() as u64);
                let Ok(()) = list.each(|it| {
                    self.value(it);
                    Ok::<(), std::convert::Infallible>(())
                });
            }
            Value::Record(record) => {
                self.tagged(tag::RECORD, record.len() as u64);
                for (name, it) in record.iter() {
                    self.text(name);
                    self.value(it);
                }
            }
            // The check ensures that only null gets here.
            Value::Null
            | Value::Secret(_)
            | Value::Flow(_)
            | Value::Model(_)
            | Value::Opaque(_) => {
                self.0.push(tag::NULL);
            }
        }
    }

    fn tagged(&mut self, tag: u8, it: u64) {
        self.0.push(tag);
        self.number(it);
    }

    fn tagged_bytes(&mut self, tag: u8, it: &[u8]) {
        self.0.push(tag);
        self.bytes(it);
    }
}

/// Reads bytes in the order in which they were written; returns `None` for bytes that a
/// [`WireWriter`] does not produce.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub fn place(&mut self) -> Option<usize> {
        self.number().and_then(|it| it.try_into().ok())
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.place()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub fn value(&mut self) -> Option<Value> {
        self.value_within(DEEPEST)
    }

    fn value_within(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let (tag, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(match *tag {
            tag::NULL => Value::Null,
            tag::FALSE => Value::Bool(false),
            tag::TRUE => Value::Bool(true),
            tag::INT => Value::Int(self.number()?.cast_signed()),
            tag::FLOAT => Value::Float(f64::from_bits(self.number()?)),
            tag::MONEY => Value::Money(Money::from_nanos(self.number()?.cast_signed())),
            tag::SIZE => Value::Size(self.number()?),
            tag::DURATION => {
                let (seconds, nanos) = (self.number()?, u32::try_from(self.number()?).ok()?);
                Value::Duration(
                    Duration::from_secs(seconds).checked_add(Duration::from_nanos(nanos.into()))?,
                )
            }
            tag::TIME => {
                let (second, nanos) = (self.number()?, self.number()?);
                let nanos = i32::try_from(nanos.cast_signed()).ok()?;
                Value::Time(Timestamp::new(second.cast_signed(), nanos).ok()?)
            }
            tag::DATE => Value::Date(times::date_of_day(self.number()?.cast_signed())?),
            tag::TEXT => Value::text(self.text()?),
            tag::PATH => Value::Path(self.text()?.into()),
            tag::BYTES => Value::Bytes(self.bytes()?.into()),
            tag::LIST => {
                let len = self.place()?;
                let items: Option<List> = (0..len).map(|_| self.value_within(depth)).collect();
                Value::List(items?)
            }
            tag::RECORD => {
                let len = self.place()?;
                let fields =
                    (0..len).map(|_| Some((Text::from(self.text()?), self.value_within(depth)?)));
                Value::Record(fields.collect::<Option<Record>>()?)
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_as_it_was() {
        let fields = [
            ("text".into(), "ü\n".into()),
            ("path".into(), Value::Path("./a".into())),
            ("money".into(), Value::Money(Money::cents(-5))),
            ("time".into(), Value::Duration(Duration::new(3, 7))),
            ("instant".into(), Value::Time(Timestamp::new(-2, -7).unwrap())),
            ("date".into(), Value::Date(jiff::civil::date(-44, 3, 15))),
            ("size".into(), Value::Size(u64::MAX)),
            (
                "list".into(),
                vec![Value::Null, Value::Bool(true), Value::Int(-1), Value::Float(-0.5)].into(),
            ),
            ("bytes".into(), Value::Bytes([0, 255].into())),
        ];
        let value = Value::Record(fields.into_iter().collect());
        let mut writer = WireWriter::default();
        writer.value(&value);
        assert_eq!(Reader(&writer.0).value(), Some(value));
        for len in 0..writer.0.len() {
            assert_eq!(Reader(&writer.0[..len]).value(), None, "{len} bytes are not a value");
        }
        assert_eq!(Reader(&[tag::LIST; 9]).value(), None);
    }
}
