//! Numbers of a model, as bytes.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Numbers of 32 bits; in a file, four little-endian bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Numbers(pub(super) Vec<f32>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|it| it.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl de::Visitor<'_> for Bytes {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers of four bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Numbers, E> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        Ok(Numbers(numbers.iter().map(|it| f32::from_le_bytes(*it)).collect()))
    }
}
