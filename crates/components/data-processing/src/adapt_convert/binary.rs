//! `MessagePack` and CBOR, by the crates `rmp-serde` and `ciborium`.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ciborium::Value as Item;
use serde::Deserialize as _;
use svc_contract::{
    registry::OpError,
    value::{Record, Text, Value, memory},
};

use super::{DEEPEST, too_deep};

/// Reads one item of CBOR (RFC 8949).
pub(super) fn read_cbor(bytes: &[u8]) -> Result<Value, OpError> {
    let mut rest = bytes;
    let item = ciborium::de::from_reader_with_recursion_limit(&mut rest, DEEPEST + 1);
    let at = bytes.len() - rest.len();
    let item = item.map_err(|err| {
        let why = match &err {
            ciborium::de::Error::Io(_) => "it ends too early".to_owned(),
            ciborium::de::Error::Syntax(_) => "expected an item".to_owned(),
            ciborium::de::Error::Semantic(_, why) => why.clone(),
            ciborium::de::Error::RecursionLimitExceeded => return too_deep(),
        };
        OpError::invalid_input(format!("invalid CBOR: {why}, at byte {at}"))
    })?;
    ended("CBOR", rest.len(), at)?;
    value(item, "CBOR")
}

/// Reads one object of `MessagePack`.
pub(super) fn read_msgpack(bytes: &[u8]) -> Result<Value, OpError> {
    let mut reader = rmp_serde::Deserializer::new(std::io::Cursor::new(bytes));
    reader.set_max_depth(DEEPEST + 2);
    let item = Item::deserialize(&mut reader);
    let at = usize::try_from(reader.position()).unwrap_or(bytes.len());
    let item = item.map_err(|err| match err {
        rmp_serde::decode::Error::DepthLimitExceeded => too_deep(),
        rmp_serde::decode::Error::InvalidMarkerRead(_)
        | rmp_serde::decode::Error::InvalidDataRead(_) => {
            OpError::invalid_input(format!("invalid MessagePack: it ends too early, at byte {at}"))
        }
        err => OpError::invalid_input(format!("invalid MessagePack: {err}, at byte {at}")),
    })?;
    ended("MessagePack", bytes.len() - at, at)?;
    value(item, "MessagePack")
}

fn ended(format: &str, rest: usize, at: usize) -> Result<(), OpError> {
    if rest == 0 {
        return Ok(());
    }
    let message = format!("invalid {format}: {rest} bytes follow the first item, at byte {at}");
    Err(OpError::invalid_input(message))
}

/// An item with what JSON does not have as what stands for it.
fn value(item: Item, format: &str) -> Result<Value, OpError> {
    memory::make(size_of::<Value>())?;
    let wrong = |why: &str| OpError::invalid_input(format!("cannot read {format}: {why}"));
    Ok(match item {
        Item::Null => Value::Null,
        Item::Bool(it) => Value::Bool(it),
        Item::Integer(it) => integer(it.into()),
        Item::Float(it) if it.is_finite() => Value::Float(it),
        Item::Float(_) => return Err(wrong("a number is infinite, or is not a number")),
        Item::Text(it) => Value::from(it),
        Item::Bytes(it) => Value::from(BASE64_STANDARD.encode(it)),
        Item::Tag(tag @ (2 | 3), it) if it.is_bytes() => large(tag, it.as_bytes()),
        Item::Tag(_, it) => value(*it, format)?,
        Item::Array(items) => {
            let items = items.into_iter().map(|it| value(it, format));
            Value::from(items.collect::<Result<Vec<_>, _>>()?)
        }
        Item::Map(entries) => Value::Record(record(entries, format)?),
        _ => return Err(wrong("it has an item of an unknown kind")),
    })
}

#[expect(clippy::cast_precision_loss, reason = "beyond i64, numbers are floats, as in JSON")]
fn integer(it: i128) -> Value {
    i64::try_from(it).map_or(Value::Float(it as f64), Value::Int)
}

/// A whole number of any length, which becomes a float.
fn large(tag: u64, bytes: Option<&Vec<u8>>) -> Value {
    let bytes = bytes.map_or(&[][..], Vec::as_slice);
    let size = bytes.iter().fold(0.0, |sum, it| sum * 256.0 + f64::from(*it)).min(f64::MAX);
    Value::Float(if tag == 3 { -1.0 - size } else { size })
}

fn record(entries: Vec<(Item, Item)>, format: &str) -> Result<Record, OpError> {
    let mut seen = std::collections::HashSet::new();
    let mut fields: Vec<(Text, Value)> = Vec::with_capacity(entries.len());
    for (name, it) in entries {
        let name: Text = match name {
            Item::Text(it) => it.into(),
            Item::Integer(it) => i128::from(it).to_string().into(),
            Item::Bool(it) => it.to_string().into(),
            Item::Bytes(it) => BASE64_STANDARD.encode(it).into(),
            _ => {
                let message = format!("cannot read {format}: a key is not a string or a number");
                return Err(OpError::invalid_input(message));
            }
        };
        if !seen.insert(name.clone()) {
            return Err(OpError::invalid_input(format!(
                "invalid {format}: duplicate key `{name}`"
            )));
        }
        fields.push((name, value(it, format)?));
    }
    Ok(fields.into_iter().collect())
}

/// Writes a value that is JSON.
pub(super) fn write_cbor(value: &Value) -> Result<Vec<u8>, OpError> {
    room(value)?;
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes)
        .map_err(|err| OpError::failed(format!("cannot write CBOR: {err}")))?;
    Ok(bytes)
}

/// Writes a value that is JSON.
pub(super) fn write_msgpack(value: &Value) -> Result<Vec<u8>, OpError> {
    room(value)?;
    rmp_serde::to_vec(value)
        .map_err(|err| OpError::failed(format!("cannot write MessagePack: {err}")))
}

fn room(value: &Value) -> Result<(), OpError> {
    let bytes = value.weight().saturating_mul(9);
    Ok(memory::room(usize::try_from(bytes).unwrap_or(usize::MAX))?)
}
