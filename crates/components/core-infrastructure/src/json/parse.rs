//! Parses JSON from text.

use svc_contract::{
    registry::{Example, Generic, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::super::read_json;

params! {
    /// Parses a value from JSON text.
    ///
    /// `parse_json<T>` also checks that the value is a `T`, which is then the type of the result;
    /// without a type, it is `json`. Numbers without a point that fit are ints, others floats. Text
    /// that is not JSON, an object with a duplicate key, and more than 127 levels of nesting are
    /// errors of kind `invalid_input`, with line and column.
    pub(super) struct ParseJson {
        /// The text: one JSON value and nothing else.
        text: Text,
    }
}

impl Op for ParseJson {
    const NAME: &'static str = "parse_json";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const SAYS: &'static [&'static str] = &[
        "parse json text",
        "decode a json string",
        "turn the reply of an api into data",
        "get a typed record out of json",
        "read a string of json into an object",
        "load json, like json.loads",
        "json text to structured data",
        "make an object of a json string",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Any JSON", r#"'{"a": [1, null]}' >> parse_json"#, r#"{"a":[1,null]}"#),
        Example::ok(
            "With a type",
            r#"'{"name": "Ann", "age": 7}' >> parse_json<{ name: string }>() >> .name"#,
            r#""Ann""#,
        ),
        Example::err("A missing comma", "'[1 2]' >> parse_json", "line 1, column 4"),
    ];
}

impl Inline for ParseJson {
    fn run(self) -> Result<Value, OpError> {
        read_json(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, fails_with, gives};

    use super::*;
    use svc_contract::registry::ErrorKind;

    fn message(text: &str) -> String {
        fails_with::<ParseJson>(vec![text.into()]).message
    }

    #[test]
    fn json_becomes_values() {
        gives::<ParseJson>(r#"["\ufeff 1 "]"#, "1");
        gives::<ParseJson>(
            r#"["[1.0, 1e2, 18446744073709551616]"]"#,
            "[1.0,100.0,1.8446744073709552e+19]",
        );
        gives::<ParseJson>(r#"["\"\\u00fc\""]"#, r#""ü""#);
    }

    #[test]
    fn the_place_is_reported() {
        assert_eq!(
            message("{\n  \"größe\": 1,\n  \"a\": tru\n}"),
            "invalid JSON: unknown word, at line 3, column 11, near `\"a\": tru`"
        );
        assert_eq!(message(" \n"), "invalid JSON: empty text");
        assert!(message("[1,").contains("the text ends while parsing a"));
        assert!(message("1 2").contains("trailing characters"));
        assert!(message("[1e999]").contains("out of range"));
        assert!(message(r#"{"a":1,"a":2}"#).contains("duplicate key `a`"));
        assert!(message("\"ä\n\"").contains("line 1, column 3"));
    }

    #[test]
    fn a_code_block_is_recognised() {
        let err = fails_with::<ParseJson>(vec!["```json\n{}\n```".into()]);
        assert!(err.help.unwrap().contains("code block"));
    }

    #[test]
    fn deep_and_long_input_is_no_danger() {
        assert!(message(&"[".repeat(100_000)).contains("recursion limit"));
        let garbage = format!("[{}", "é".repeat(1 << 20));
        assert!(message(&garbage).chars().count() < 120);
        let long = format!("[{}1]", "1,".repeat(200_000));
        assert!(call::<ParseJson>(vec![long.into()]).is_ok());
        assert_eq!(fails_with::<ParseJson>(vec!["{".into()]).kind, ErrorKind::InvalidInput);
    }
}
