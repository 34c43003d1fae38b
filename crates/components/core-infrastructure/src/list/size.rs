//! The length of a value, and the names of its fields.

use svc_contract::{
    registry::{Example, Field, Inline, Max, Op, OpError, Scheme, params},
    value::Value,
};

use super::super::{ANY_RECORD, Keyed};

/// A value with a length.
pub(super) struct Countable(Value);

impl Field for Countable {
    const SCHEME: Scheme = Scheme::OneOf(&[
        Scheme::Text,
        Scheme::List(&Scheme::Var('T'), Max::Unknown),
        ANY_RECORD,
        Scheme::Map(&Scheme::Var('T')),
        Scheme::Json,
    ]);

    fn decode(value: Value) -> Option<Self> {
        matches!(value, Value::Text(_) | Value::List(_) | Value::Record(_)).then_some(Self(value))
    }

    fn encode(self) -> Value {
        self.0
    }
}

params! {
    /// Counts the characters of a string, the items of a list, the keys of a map, or the fields of a record.
    ///
    /// Characters are Unicode scalar values. For a `json` value, its content is counted; a number,
    /// a boolean or null in it is an error of kind `invalid_input`.
    pub(super) struct Len {
        /// The value to measure.
        value: Countable,
    }
}

impl Op for Len {
    const NAME: &'static str = "len";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &[
        "count them",
        "how many entries are there",
        "number of characters in a text",
        "length of a string",
        "number of items to count",
        "how many there are",
        "size of an array, how big it is",
        "how large a list is",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Characters", r#"len("größer")"#, "6"),
        Example::ok("Items", "[1, 2, 3] >> len", "3"),
        Example::ok("Fields", "len({ a: 1, b: 2 })", "2"),
        Example::err("A number", r#""12" >> parse_json >> len"#, "found int"),
    ];
}

impl Inline for Len {
    fn run(self) -> Result<Value, OpError> {
        Ok(match &self.value.0 {
            Value::Text(text) => text.chars().count().encode(),
            Value::List(items) => items.len().encode(),
            Value::Record(record) => record.len().encode(),
            other => return Err(OpError::bug(format!("`len` of {}", other.kind()))),
        })
    }
}

params! {
    /// Returns the keys of a map, or the names of a record's fields, in order.
    ///
    /// A `json` value that is not an object is an error of kind `invalid_input`.
    pub(super) struct Keys {
        /// The map, the record, or the `json` object.
        record: Keyed,
    }
}

impl Op for Keys {
    const NAME: &'static str = "keys";
    const YIELDS: Scheme = Scheme::List(&Scheme::Text, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "the field names of a record",
        "list the keys of an object",
        "column names of a row",
        "properties of a json object",
        "names of the attributes",
        "what properties does this dictionary have",
        "attribute names as an array",
        "which columns are there",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A record", "keys({ b: 1, a: 2 })", r#"["b","a"]"#),
        Example::ok("An object", r#"'{"x": 1}' >> parse_json >> keys"#, r#"["x"]"#),
        Example::err("Not an object", "'[1]' >> parse_json >> keys", "found list"),
    ];
}

impl Inline for Keys {
    fn run(self) -> Result<Value, OpError> {
        Ok(Value::List(self.record.0.names().iter().cloned().map(Value::Text).collect()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn everything_with_parts_is_counted() {
        gives::<Len>(r#"[""]"#, "0");
        gives::<Len>(r#"["e\u0301😀"]"#, "3");
        gives::<Len>("[[]]", "0");
        gives::<Len>("[{}]", "0");
        assert!(fails::<Len>("[null]").message.contains("string, [T], record, map<T> or json"));
    }

    #[test]
    fn keys_keep_their_order() {
        gives::<Keys>("[{}]", "[]");
        gives::<Keys>(r#"[{"z": 1, "a": {"b": 2}}]"#, r#"["z","a"]"#);
        assert!(fails::<Keys>("[1]").message.contains("record, map<T> or json"));
    }
}
