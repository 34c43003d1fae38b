//! References inside a document: `#/components/schemas/Pet`.

use std::borrow::Cow;

use serde_json::Value;

/// The longest chain of references to references.
const LONGEST: usize = 32;

/// The document that references are resolved in.
#[derive(Clone, Copy)]
pub(crate) struct Document<'d>(pub(crate) &'d Value);

impl<'d> Document<'d> {
    /// The value, or what it refers to; `None` if that is elsewhere, missing or endless.
    pub(crate) fn resolve(self, value: &'d Value) -> Option<&'d Value> {
        let mut value = value;
        for _ in 0..LONGEST {
            match value.get("$ref").and_then(Value::as_str) {
                Some(pointer) => value = self.at(pointer)?,
                None => return Some(value),
            }
        }
        None
    }

    /// The value at a reference.
    pub(crate) fn at(self, reference: &str) -> Option<&'d Value> {
        let pointer = reference.strip_prefix('#')?;
        let pointer = if pointer.contains('%') { unescaped(pointer) } else { pointer.into() };
        self.0.pointer(&pointer)
    }
}

/// The text with its percent escapes replaced.
fn unescaped(text: &str) -> Cow<'_, str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let digits = others.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let byte = digits.and_then(|it| u8::from_str_radix(it, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}
