//! The fields of a record in JSON, read as far as there is room.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use svc_contract::value::Value;

use super::{AROUND, DEEPEST, Fields, Room};

/// Reads a value as far as there is room; `None` if there is none.
pub(in super::super) struct Bounded<'a> {
    pub(in super::super) room: &'a mut Room,
    pub(in super::super) depth: usize,
}

impl Bounded<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "the result of a visitor")]
    fn small<E>(self, value: impl Into<Value>) -> Result<Option<Value>, E> {
        Ok(self.room.take(AROUND).then(|| value.into()))
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        self.small(Value::Null)
    }

    fn visit_bool<E: Error>(self, it: bool) -> Result<Self::Value, E> {
        self.small(it)
    }

    fn visit_i64<E: Error>(self, it: i64) -> Result<Self::Value, E> {
        self.small(it)
    }

    /// Beyond `i64` it is a float, as everywhere in JSON.
    #[expect(clippy::cast_precision_loss, reason = "a larger number is a float in the language")]
    fn visit_u64<E: Error>(self, it: u64) -> Result<Self::Value, E> {
        match i64::try_from(it) {
            Ok(it) => self.small(it),
            Err(_) => self.small(it as f64),
        }
    }

    fn visit_f64<E: Error>(self, it: f64) -> Result<Self::Value, E> {
        self.small(it)
    }

    fn visit_str<E: Error>(self, it: &str) -> Result<Self::Value, E> {
        Ok(self.room.text(it))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let Self { room, depth } = self;
        let mut is_wanted = depth < DEEPEST && room.take(AROUND);
        let (mut kept, was_wanted) = (Vec::new(), is_wanted);
        while is_wanted {
            let item = Bounded { room: &mut *room, depth: depth + 1 };
            match items.next_element_seed(item)? {
                None => return Ok(Some(kept.into())),
                Some(Some(item)) => kept.push(item),
                Some(None) => is_wanted = false,
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(was_wanted.then(|| kept.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let Self { room, depth } = self;
        let is_wanted = depth < DEEPEST && room.take(AROUND);
        let mut kept = Fields::default();
        while let Some(name) = entries.next_key::<String>()? {
            if is_wanted {
                field(&mut entries, &name, (&mut *room, depth + 1), &mut kept)?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(is_wanted.then(|| kept.end()))
    }
}

/// Reads the value of a field.
pub(in super::super) fn field<'de, A: MapAccess<'de>>(
    entries: &mut A,
    name: &str,
    (room, depth): (&mut Room, usize),
    fields: &mut Fields,
) -> Result<(), A::Error> {
    if !room.has_for(name) {
        return entries.next_value::<IgnoredAny>().map(drop);
    }
    if let Some(value) = entries.next_value_seed(Bounded { room: &mut *room, depth })? {
        room.take(name.len());
        fields.set(name, value);
    }
    Ok(())
}
