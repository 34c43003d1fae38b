//! Reads the named groups of a pattern as records.

use std::sync::Arc;

use regex::{Captures as Found, Regex};
use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, ErrorKind, Example, Foreseen, Generic, KnownCall, Max, Op, OpError,
        Scheme, params,
    },
    value::{Columns, Text, Type, Value},
};

use super::{
    super::super::{excerpt, test_list_len},
    compiled,
};

params! {
    /// Returns the named groups of every match of a pattern, as records.
    ///
    /// A group is named in the pattern: `(?<year>\d+)`. The fields of a record are strings, or null
    /// for a group that took no part in the match. `captures<Row>` returns a list of `Row`, a
    /// record type whose fields are groups: their text is converted to numbers, booleans and units.
    /// Text that cannot be converted is an error of kind `invalid_input`. Fails beyond 10,000,000
    /// matches.
    pub(in super::super) struct Captures {
        /// The text to search.
        text: Text,
        /// The regular expression, with named groups.
        pattern: Text,
    }
}

impl Op for Captures {
    const NAME: &'static str = "captures";
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);
    const CHECK: Option<CheckCall> = Some(check);
    const GENERIC: Generic = Generic::Rows;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "records out of a text by a regular expression",
        "named groups of every match",
        "extract date and amount from each line of a log",
        "parse log lines into fields",
        "structured data from text without a model",
        "extract rows with named regex groups from a logfile",
        "regex into typed objects",
        "turn unstructured entries into a table",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Typed records",
            r#"type Item = { name: string, n: int }
"2 pears, 3 figs" >> captures<Item>(pattern: '(?<n>\d+) (?<name>\w+)')"#,
            r#"[{"name":"pears","n":2},{"name":"figs","n":3}]"#,
        ),
        Example::ok(
            "Without a type",
            r#""a=1" >> captures(pattern: '(?<key>\w)=(?<value>\d)')"#,
            r#"[{"key":"a","value":"1"}]"#,
        ),
        Example::err(
            "Not a number",
            r#""a=x" >> captures<{ a: int }>(pattern: 'a=(?<a>\w)')"#,
            "match 1: group `a`: expected int, found \"x\"",
        ),
        Example::err("No group", r#"captures("a", "a")"#, "the pattern has no named group"),
    ];
}

impl Compute for Captures {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let pattern = compiled(&self.pattern)?;
        let groups = Groups::of(&pattern, cx.wanted())?;
        let mut found = Vec::new();
        for captures in pattern.captures_iter(&self.text) {
            cx.check().and_then(|()| test_list_len(found.len()))?;
            let record = groups.record(&captures).map_err(|why| {
                OpError::invalid_input(format!("match {}: {why}", found.len() + 1))
            })?;
            found.push(record);
        }
        Ok(found.into())
    }
}

params! {
    /// Returns the named groups of a pattern that matches a whole text, as a record.
    ///
    /// White space around the text does not count. `parse_pattern<T>` returns a `T`, a record type
    /// whose fields are groups: their text is converted to numbers, booleans and units. Without a
    /// type, the fields are strings, or null. A text that the pattern does not match, and one
    /// that cannot be converted, is an error of kind `invalid_input`.
    pub(in super::super) struct ParsePattern {
        /// The text to read.
        text: Text,
        /// The regular expression, with named groups.
        pattern: Text,
    }
}

impl Op for ParsePattern {
    const NAME: &'static str = "parse_pattern";
    const YIELDS: Scheme = Scheme::Json;
    const CHECK: Option<CheckCall> = Some(check);
    const GENERIC: Generic = Generic::Read;
    const SAYS: &'static [&'static str] = &[
        "read a line of a fixed form into a record",
        "parse a version number into its parts",
        "take a code apart by a pattern",
        "turn a string with a known layout into fields",
        "scan a line with a template",
        "destructure one string with a regex",
        "typed pieces of an identifier",
        "sscanf",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A version",
            r#""v1.20" >> parse_pattern<{ major: int, minor: int }>(pattern: 'v(?<major>\d+)\.(?<minor>\d+)')"#,
            r#"{"major":1,"minor":20}"#,
        ),
        Example::err(
            "Another form",
            r#""1.20 beta" >> parse_pattern(pattern: '(?<major>\d+)\.(?<minor>\d+)')"#,
            "`1.20 beta` does not match the pattern",
        ),
    ];
}

impl Compute for ParsePattern {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let pattern = compiled(&self.pattern)?;
        let groups = Groups::of(&pattern, cx.wanted())?;
        let whole = whole(&self.pattern)?;
        let text = self.text.trim();
        let Some(found) = whole.captures(text) else {
            let message = format!("`{}` does not match the pattern", excerpt(text));
            let help = "the pattern must match the whole text; `captures` finds parts";
            return Err(OpError::invalid_input(message).help(help));
        };
        groups.record(&found).map_err(OpError::invalid_input)
    }
}

/// The pattern, which was compiled before, for a whole text.
fn whole(pattern: &str) -> Result<Arc<Regex>, OpError> {
    let around = |end: &str| compiled(&format!(r"\A(?:{pattern}{end})\z").into());
    // A comment at the end of a pattern with `(?x)` needs a line of its own.
    around("").or_else(|_| around("\n"))
}

/// Compiles the pattern of a call, and looks for its groups.
fn check(call: &KnownCall<'_>) -> Foreseen {
    call.test("pattern", |it: Text| group_names(&*compiled(&it)?))
}

/// The named groups of a pattern; at least one.
fn group_names(pattern: &Regex) -> Result<Arc<[Text]>, OpError> {
    let names: Arc<[Text]> = pattern.capture_names().flatten().map(Text::from).collect();
    if names.is_empty() {
        let message = "the pattern has no named group";
        return Err(OpError::invalid_input(message).help("name a group: `(?<year>\\d+)`"));
    }
    Ok(names)
}

/// The named groups of a pattern as the fields of records.
struct Groups {
    names: Arc<[Text]>,
    columns: Columns,
}

impl Groups {
    fn of(pattern: &Regex, wanted: Option<&Type>) -> Result<Self, OpError> {
        let names = group_names(pattern)?;
        let columns = Columns::named(&names, wanted.unwrap_or(&Type::Json))
            .map_err(|why| OpError::invalid_input(why.replace("column", "group")))?;
        Ok(Self { names, columns })
    }

    fn record(&self, found: &Found<'_>) -> Result<Value, String> {
        let text =
            |name: &Text| found.name(name).map_or(Value::Null, |it| Value::text(it.as_str()));
        let cells: Vec<Value> = self.names.iter().map(text).collect();
        self.columns.record(&cells).map_err(|why| why.replace("column", "group"))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{computes, fails_to_compute};

    use super::*;

    #[test]
    fn groups_are_fields() {
        computes::<Captures>(r#"["", "(?<a>x)"]"#, "[]");
        computes::<Captures>(
            r#"["ab b", "(?<x>a)?(?<y>b)"]"#,
            r#"[{"x":"a","y":"b"},{"x":null,"y":"b"}]"#,
        );
        computes::<ParsePattern>(r#"[" a\n", "(?<x>a|ab)"]"#, r#"{"x":"a"}"#);
        computes::<ParsePattern>(r#"["ab", "(?<x>a|ab)"]"#, r#"{"x":"ab"}"#);
        computes::<ParsePattern>(r#"["ab", "(?x)(?<x>a b) # all"]"#, r#"{"x":"ab"}"#);
    }

    #[test]
    fn mistakes_in_patterns_are_shown_as_written() {
        let err = fails_to_compute::<ParsePattern>(r#"["a", "(?<x>a"]"#);
        assert!(err.message.starts_with("invalid pattern `(?<x>a`"), "{err}");
        let err = fails_to_compute::<Captures>(r#"["a", "(a)"]"#);
        assert!(err.help.unwrap().contains("(?<year>"));
    }
}
