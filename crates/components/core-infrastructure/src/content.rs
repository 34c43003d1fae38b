//! Content that is a string or bytes.

use svc_contract::{
    registry::{Field, Scheme},
    value::Value,
};

/// A string, as its UTF-8, or bytes.
pub(super) struct Content(Value);

impl Field for Content {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Text, Scheme::Bytes]);

    fn decode(value: Value) -> Option<Self> {
        matches!(value, Value::Text(_) | Value::Bytes(_)).then_some(Self(value))
    }

    fn encode(self) -> Value {
        self.0
    }
}

impl Content {
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Value::Bytes(bytes) => bytes,
            other => other.as_str().unwrap_or_default().as_bytes(),
        }
    }
}
