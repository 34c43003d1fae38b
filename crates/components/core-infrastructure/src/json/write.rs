//! Writes values as JSON text.

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Op, OpError, Scheme, Var, params},
    value::{Value, arithmetic::LONGEST_TEXT, json, memory},
};

use super::super::too_long;

params! {
    /// Writes any value as JSON text.
    ///
    /// Durations and money are strings as the language writes them (`"1m30s"`, `"$0.05"`), sizes
    /// are numbers of bytes, and bytes are strings in base 16.
    pub(super) struct ToJson {
        /// The value to write.
        value: Var<'T'>,
        /// Whether to write several lines, indented by two spaces.
        pretty: bool = false,
    }
}

impl Op for ToJson {
    const NAME: &'static str = "to_json";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "write a value as json text",
        "serialise a record",
        "pretty-print data",
        "encode a list as json",
        "json for the body of a request",
        "dump a value for another program",
        "encode an object with indentation",
        "json.dumps or json.stringify",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("One line", "to_json({ a: [1, 2.5] })", r#""{\"a\":[1.0,2.5]}""#),
        Example::ok("Indented", "[1] >> to_json(pretty: true)", r#""[\n  1\n]""#),
    ];
}

impl Inline for ToJson {
    fn run(self) -> Result<Value, OpError> {
        let text = json::write_within(&self.value.0, self.pretty, LONGEST_TEXT);
        match text {
            Some(text) => Ok(text.into()),
            None => memory::check().map_err(OpError::from).and_then(|()| Err(too_long())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::testing::{gives, gives_with};

    use super::*;

    #[test]
    fn every_value_is_written() {
        gives::<ToJson>(r#"["a\"\u0001"]"#, r#""\"a\\\"\\u0001\"""#);
        gives::<ToJson>("[null]", r#""null""#);
        gives::<ToJson>("[{}, true]", r#""{}""#);
        gives_with::<ToJson>(&[Duration::from_secs(90).into()], r#""\"1m30s\"""#);
        gives_with::<ToJson>(&[Value::Size(1000)], r#""1000""#);
        gives_with::<ToJson>(&[Value::Bytes([0, 255].into())], r#""\"00ff\"""#);
    }
}
