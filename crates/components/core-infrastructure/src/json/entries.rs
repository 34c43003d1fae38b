//! Access to objects with unknown keys.

use std::sync::{Arc, LazyLock};

use super::super::Mapped;
use svc_contract::{
    registry::{Example, FieldScheme, Inline, Max, Op, OpError, Scheme, params},
    value::{Record, Text, Value},
};

params! {
    /// Lists the keys and values of a map or a JSON object: a record `{ key, value }` for each key, in
    /// order.
    ///
    /// Any other JSON is an error of kind `invalid_input`.
    pub(super) struct Entries {
        /// The map, or the object.
        object: Mapped,
    }
}

impl Op for Entries {
    const NAME: &'static str = "entries";
    const YIELDS: Scheme = Scheme::List(
        &Scheme::Record(
            "",
            &[
                FieldScheme { name: "key", doc: "The key.", scheme: Scheme::Text },
                FieldScheme {
                    name: "value",
                    doc: "The value of the key.",
                    scheme: Scheme::Var('T'),
                },
            ],
        ),
        Max::Unknown,
    );
    const SAYS: &'static [&'static str] = &[
        "keys and values of an object",
        "list the pairs of a map",
        "iterate over a dictionary",
        "turn an object with unknown keys into rows",
        "go over every property with its value",
        "loop over a dictionary as pairs",
        "turn a map into an array of key and value",
        "every key along with what it holds",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A map",
            r#"'{"x": 1, "y": 2}' >> parse_json >> entries"#,
            r#"[{"key":"x","value":1},{"key":"y","value":2}]"#,
        ),
        Example::ok(
            "A map of a known type",
            r#"'{"x": 1}' >> parse_json<map<int>>() >> entries >> each { .value + 1 }"#,
            "[2]",
        ),
        Example::err("Not an object", "'[1]' >> parse_json >> entries", "found list"),
    ];
}

impl Inline for Entries {
    fn run(self) -> Result<Value, OpError> {
        static NAMES: LazyLock<Arc<[Text]>> =
            LazyLock::new(|| ["key".into(), "value".into()].into());
        let entry = |(key, value): (&Text, &Value)| {
            let values = vec![Value::Text(key.clone()), value.clone()];
            Value::Record(Record::new(NAMES.clone(), values))
        };
        Ok(Value::List(self.object.0.iter().map(entry).collect()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn keys_keep_their_order() {
        gives::<Entries>(
            r#"[{"b": null, "a": 1}]"#,
            r#"[{"key":"b","value":null},{"key":"a","value":1}]"#,
        );
        gives::<Entries>("[{}]", "[]");
        assert!(fails::<Entries>("[null]").message.contains("found null"));
    }
}
