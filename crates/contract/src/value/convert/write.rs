//! Anything that serde can write, as a value.

use std::{collections::HashSet, time::Duration};

use jiff::Timestamp;
use serde::{
    Serialize, Serializer,
    ser::{
        SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};

use super::native;
use crate::value::{
    Record, Text, Value,
    misfit::{Misfit, Step},
};

/// Writes one value.
pub(super) struct ValueWriter;

macro_rules! ints {
    ($($method:ident $ty:ty;)*) => {$(
        fn $method(self, it: $ty) -> Result<Value, Misfit> {
            i64::try_from(it).map(Value::Int).map_err(|_| beyond_int(&it))
        }
    )*};
}

fn beyond_int(it: &impl ToString) -> Misfit {
    Misfit::new(format!("int {}..{}", i64::MIN, i64::MAX), it.to_string())
}

impl Serializer for ValueWriter {
    type Ok = Value;
    type Error = Misfit;
    type SerializeSeq = ItemsWriter;
    type SerializeTuple = ItemsWriter;
    type SerializeTupleStruct = ItemsWriter;
    type SerializeTupleVariant = ItemsWriter;
    type SerializeMap = FieldsWriter;
    type SerializeStruct = FieldsWriter;
    type SerializeStructVariant = FieldsWriter;

    ints! {
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_i128 i128;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_u128 u128;
    }

    fn serialize_bool(self, it: bool) -> Result<Value, Misfit> {
        Ok(Value::Bool(it))
    }

    fn serialize_f32(self, it: f32) -> Result<Value, Misfit> {
        self.serialize_f64(it.into())
    }

    fn serialize_f64(self, it: f64) -> Result<Value, Misfit> {
        if it.is_finite() {
            Ok(Value::Float(it))
        } else {
            Err(Misfit::new("a finite float", it.to_string()))
        }
    }

    fn serialize_char(self, it: char) -> Result<Value, Misfit> {
        Ok(Value::from(it.to_string()))
    }

    fn serialize_str(self, it: &str) -> Result<Value, Misfit> {
        Ok(Value::text(it))
    }

    fn serialize_bytes(self, it: &[u8]) -> Result<Value, Misfit> {
        Ok(Value::Bytes(it.into()))
    }

    fn serialize_none(self) -> Result<Value, Misfit> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, it: &T) -> Result<Value, Misfit> {
        it.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Misfit> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Misfit> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, Misfit> {
        Ok(Value::text(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        it: &T,
    ) -> Result<Value, Misfit> {
        if name == native::OPAQUE {
            return Err(Misfit::new("a value that can be written", "a secret or a flow"));
        }
        let value = it.serialize(self)?;
        match native::ty(name) {
            Some(ty) => value.cast(&ty).map_err(|it| Misfit::new(it.wanted, it.given)),
            None => Ok(value),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        it: &T,
    ) -> Result<Value, Misfit> {
        let value = it.serialize(self).map_err(|it| it.inside(Step::Field(variant.into())))?;
        Ok(tagged(Some(variant), value))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<ItemsWriter, Misfit> {
        Ok(ItemsWriter::new(None, len))
    }

    fn serialize_tuple(self, len: usize) -> Result<ItemsWriter, Misfit> {
        Ok(ItemsWriter::new(None, Some(len)))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<ItemsWriter, Misfit> {
        Ok(ItemsWriter::new(None, Some(len)))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ItemsWriter, Misfit> {
        Ok(ItemsWriter::new(Some(variant), Some(len)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<FieldsWriter, Misfit> {
        Ok(FieldsWriter::new("", None))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<FieldsWriter, Misfit> {
        Ok(FieldsWriter::new(name, None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<FieldsWriter, Misfit> {
        Ok(FieldsWriter::new("", Some(variant)))
    }
}

/// The content of an enum's variant as a record of one field.
fn tagged(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => Value::Record([(variant.into(), value)].into_iter().collect()),
        None => value,
    }
}

/// Adds the variant of an enum to the path of a misfit.
fn in_variant(variant: Option<&'static str>, misfit: Misfit) -> Misfit {
    match variant {
        Some(variant) => misfit.inside(Step::Field(variant.into())),
        None => misfit,
    }
}

/// Writes the items of a list.
pub(super) struct ItemsWriter {
    variant: Option<&'static str>,
    items: Vec<Value>,
}

/// The most items for which memory is reserved because the program announces them.
const MOST_RESERVED: usize = 1 << 16;

impl ItemsWriter {
    fn new(variant: Option<&'static str>, len: Option<usize>) -> Self {
        Self { variant, items: Vec::with_capacity(len.unwrap_or_default().min(MOST_RESERVED)) }
    }

    fn push<T: Serialize + ?Sized>(&mut self, it: &T) -> Result<(), Misfit> {
        let item = it
            .serialize(ValueWriter)
            .map_err(|it| in_variant(self.variant, it.inside(Step::Item(self.items.len()))))?;
        self.items.push(item);
        Ok(())
    }

    fn into_value(self) -> Value {
        tagged(self.variant, Value::from(self.items))
    }
}

macro_rules! items {
    ($($of:ident $method:ident;)*) => {$(
        impl $of for ItemsWriter {
            type Ok = Value;
            type Error = Misfit;

            fn $method<T: Serialize + ?Sized>(&mut self, it: &T) -> Result<(), Misfit> {
                self.push(it)
            }

            fn end(self) -> Result<Value, Misfit> {
                Ok(self.into_value())
            }
        }
    )*};
}

items! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

/// Writes the fields of a record.
pub(super) struct FieldsWriter {
    /// The name of the struct; empty for a map and for a variant.
    name: &'static str,
    variant: Option<&'static str>,
    fields: Vec<(Text, Value)>,
    /// The keys of a map, whose last one may lack its value.
    keys: HashSet<Text>,
    key: Option<Text>,
}

impl FieldsWriter {
    fn new(name: &'static str, variant: Option<&'static str>) -> Self {
        Self { name, variant, fields: Vec::new(), keys: HashSet::new(), key: None }
    }

    fn push<T: Serialize + ?Sized>(&mut self, name: Text, it: &T) -> Result<(), Misfit> {
        let value = it
            .serialize(ValueWriter)
            .map_err(|it| in_variant(self.variant, it.inside(Step::Field(name.clone()))))?;
        self.fields.push((name, value));
        Ok(())
    }

    fn into_value(self) -> Value {
        match self.known() {
            Some(value) => value,
            None => tagged(self.variant, Value::Record(Record::from_iter(self.fields))),
        }
    }

    /// The value that a [`Duration`] or a `SystemTime` describes to serde.
    fn known(&self) -> Option<Value> {
        let [(secs, Value::Int(whole)), (nanos, Value::Int(rest))] = self.fields.as_slice() else {
            return None;
        };
        let rest = u32::try_from(*rest).ok().filter(|it| *it < 1_000_000_000)?;
        match (self.name, secs.as_ref(), nanos.as_ref()) {
            ("Duration", "secs", "nanos") => {
                u64::try_from(*whole).ok().map(|it| Value::Duration(Duration::new(it, rest)))
            }
            ("SystemTime", "secs_since_epoch", "nanos_since_epoch") => {
                Timestamp::new(*whole, i32::try_from(rest).ok()?).ok().map(Value::Time)
            }
            _ => None,
        }
    }
}

impl SerializeMap for FieldsWriter {
    type Ok = Value;
    type Error = Misfit;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Misfit> {
        let key = match key.serialize(ValueWriter)? {
            Value::Text(it) => it,
            other => return Err(Misfit::of("a string as the key of a map", &other)),
        };
        if !self.keys.insert(key.clone()) {
            return Err(Misfit::new("one value", "two").inside(Step::Field(key)));
        }
        self.key = Some(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, it: &T) -> Result<(), Misfit> {
        let key = self.key.take().ok_or_else(|| Misfit::new("a key", "nothing"))?;
        self.push(key, it)
    }

    fn end(self) -> Result<Value, Misfit> {
        Ok(self.into_value())
    }
}

macro_rules! fields {
    ($($of:ident;)*) => {$(
        impl $of for FieldsWriter {
            type Ok = Value;
            type Error = Misfit;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                it: &T,
            ) -> Result<(), Misfit> {
                self.push(name.into(), it)
            }

            fn end(self) -> Result<Value, Misfit> {
                Ok(self.into_value())
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}
