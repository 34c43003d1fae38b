//! A value as anything that serde can read.

use jiff::Timestamp;
use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
        Visitor,
        value::{SeqDeserializer, StringDeserializer},
    },
};

use super::{errors::one_of, native};
use crate::value::{
    List, Record, Text, Type, Value,
    misfit::{Misfit, Step},
};

/// Reads one value.
#[derive(Clone, Copy)]
pub(super) struct ValueReader<'a> {
    value: &'a Value,
    /// Whether the target is a [`Value`], which accepts every kind as it is.
    is_native: bool,
}

impl<'a> ValueReader<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        Self { value, is_native: false }
    }

    fn misfit<T>(self, wanted: &str) -> Result<T, Misfit> {
        Err(Misfit::of(wanted, self.value))
    }

    fn int(self) -> Result<i128, Misfit> {
        match self.value {
            Value::Int(it) => Ok((*it).into()),
            Value::Size(it) => Ok((*it).into()),
            _ => self.misfit("int"),
        }
    }

    fn text(self) -> Result<&'a str, Misfit> {
        self.value.as_str().map_or_else(|| self.misfit("string"), Ok)
    }

    fn list(self) -> Result<&'a List, Misfit> {
        self.value.as_list().map_or_else(|| self.misfit("list"), Ok)
    }

    fn record(self) -> Result<&'a Record, Misfit> {
        self.value.as_record().map_or_else(|| self.misfit("record"), Ok)
    }

    /// A time as the parts in which serde reads a `SystemTime`.
    fn system_time<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.native(&Type::Time)? {
            Value::Time(it) if it >= Timestamp::UNIX_EPOCH => {
                let parts = [it.as_second(), it.subsec_nanosecond().into()];
                visitor.visit_seq(SeqDeserializer::new(parts.into_iter()))
            }
            it => Err(Misfit::new("a time from 1970 on", it.to_string())),
        }
    }

    /// The value as one of the kinds that serde does not know. It may still be text, as in JSON.
    fn native(self, ty: &Type) -> Result<Value, Misfit> {
        self.value.clone().cast(ty).map_err(|it| Misfit::of(it.wanted, self.value))
    }
}

macro_rules! ints {
    ($($method:ident $visit:ident $ty:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
            match <$ty>::try_from(self.int()?) {
                Ok(it) => visitor.$visit(it),
                Err(_) => {
                    let wanted = format!("int {}..{}", <$ty>::MIN, <$ty>::MAX);
                    Err(Misfit::new(wanted, self.value.to_string()))
                }
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for ValueReader<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match (self.value, native::name(self.value)) {
            (Value::Null, _) => visitor.visit_unit(),
            (Value::Bool(it), _) => visitor.visit_bool(*it),
            (Value::Int(it), _) => visitor.visit_i64(*it),
            (Value::Float(it), _) => visitor.visit_f64(*it),
            (Value::Text(it), _) => visitor.visit_borrowed_str(it),
            (Value::List(it), _) => read_items(it, visitor),
            (Value::Record(it), _) => visitor.visit_map(fields(it)),
            (_, Some(native::OPAQUE)) => self.misfit("a value that can be read"),
            (it, Some(name)) if self.is_native => {
                visitor.visit_enum(Native { name, text: native::text(it) })
            }
            (Value::Size(it), _) => visitor.visit_u64(*it),
            (it, _) => visitor.visit_string(native::text(it)),
        }
    }

    ints! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Bool(it) => visitor.visit_bool(*it),
            _ => self.misfit("bool"),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_f64(visitor)
    }

    #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Float(it) => visitor.visit_f64(*it),
            Value::Int(it) => visitor.visit_f64(*it as f64),
            _ => self.misfit("float"),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            // Types of other crates read them from text.
            Value::Time(_) | Value::Date(_) => visitor.visit_string(native::text(self.value)),
            _ => visitor.visit_borrowed_str(self.text()?),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Bytes(it) => visitor.visit_borrowed_bytes(it),
            _ => self.misfit("bytes"),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            _ => self.misfit("null"),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if name == native::VALUE {
            return visitor.visit_newtype_struct(Self { is_native: true, ..self });
        }
        match native::ty(name) {
            Some(ty) => {
                let text = native::text(&self.native(&ty)?);
                let text: StringDeserializer<Misfit> = text.into_deserializer();
                visitor.visit_newtype_struct(text)
            }
            None => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Bytes(it) => visitor.visit_seq(SeqDeserializer::new(it.iter().copied())),
            _ => read_items(self.list()?, visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_map(fields(self.record()?))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if name == "SystemTime" && self.value.as_record().is_none() {
            return self.system_time(visitor);
        }
        let is_duration = name == "Duration" && fields == ["secs", "nanos"];
        if !is_duration || self.value.as_record().is_some() {
            return self.deserialize_map(visitor);
        }
        match self.native(&Type::Duration)? {
            Value::Duration(it) => {
                let parts = [it.as_secs(), it.subsec_nanos().into()];
                visitor.visit_seq(SeqDeserializer::new(parts.into_iter()))
            }
            _ => self.misfit("duration"),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Text(name) => visitor.visit_enum(Variant { name, content: None }),
            Value::Record(it) if it.len() == 1 => match it.iter().next() {
                Some((name, value)) => {
                    visitor.visit_enum(Variant { name, content: Some(Self::of(value)) })
                }
                None => self.misfit(&one_of(variants)),
            },
            _ => self.misfit(&one_of(variants)),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }
}

/// Reads all items of a list.
fn read_items<'de, V: Visitor<'de>>(list: &'de List, visitor: V) -> Result<V::Value, Misfit> {
    let mut items = Items { items: list.iter(), idx: 0 };
    let read = visitor.visit_seq(&mut items)?;
    match items.items.len() {
        0 => Ok(read),
        _ => {
            let wanted = format!("a list of {} items", items.idx);
            Err(Misfit::new(wanted, format!("a list of {} items", list.len())))
        }
    }
}

/// The items of a list.
struct Items<'de> {
    items: std::slice::Iter<'de, Value>,
    idx: usize,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let idx = self.idx;
        self.idx += 1;
        let item = seed.deserialize(ValueReader::of(item));
        item.map(Some).map_err(|it| it.inside(Step::Item(idx)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The fields of a record.
struct Fields<'de, I> {
    fields: I,
    current: Option<(&'de Text, &'de Value)>,
}

fn fields(record: &Record) -> Fields<'_, impl Iterator<Item = (&Text, &Value)>> {
    Fields { fields: record.iter(), current: None }
}

impl<'de, I: Iterator<Item = (&'de Text, &'de Value)>> MapAccess<'de> for Fields<'de, I> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        self.current = self.fields.next();
        let Some((name, _)) = self.current else { return Ok(None) };
        seed.deserialize(name.as_ref().into_deserializer()).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Misfit> {
        let (name, value) = self.current.take().ok_or_else(|| Misfit::new("a key", "nothing"))?;
        let read = seed.deserialize(ValueReader::of(value));
        read.map_err(|it| it.inside(Step::Field(name.clone())))
    }
}

/// A variant of an enum, with its content.
struct Variant<'de> {
    name: &'de Text,
    content: Option<ValueReader<'de>>,
}

impl<'de> Variant<'de> {
    /// Reads the content.
    fn read<T>(
        self,
        read: impl FnOnce(ValueReader<'de>) -> Result<T, Misfit>,
    ) -> Result<T, Misfit> {
        let name = self.name;
        match self.content {
            Some(content) => read(content).map_err(|it| it.inside(Step::Field(name.clone()))),
            None => {
                let wanted = format!("a record with the field `{name}`");
                Err(Misfit::new(wanted, format!("{name:?}")))
            }
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Misfit> {
        let name = seed.deserialize(self.name.as_ref().into_deserializer())?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        match self.content {
            None => Ok(()),
            Some(_) => self.read(|it| it.deserialize_unit(serde::de::IgnoredAny)).map(|_| ()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Misfit> {
        self.read(|it| seed.deserialize(it))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misfit> {
        self.read(|it| it.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.read(|it| it.deserialize_map(visitor))
    }
}

/// A kind that serde does not know, as the variant of an enum: other formats have no enum where a
/// value is read, so no document can pretend to contain one.
struct Native {
    name: &'static str,
    text: String,
}

impl<'de> EnumAccess<'de> for Native {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Misfit> {
        Ok((seed.deserialize(self.name.into_deserializer())?, self))
    }
}

impl<'de> VariantAccess<'de> for Native {
    type Error = Misfit;

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Misfit> {
        seed.deserialize(self.text.into_deserializer())
    }

    fn unit_variant(self) -> Result<(), Misfit> {
        Err(Misfit::new("a variant without content", self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Misfit> {
        Err(Misfit::new("a list", self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Misfit> {
        Err(Misfit::new("a record", self.name))
    }
}
