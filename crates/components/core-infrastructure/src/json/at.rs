//! Access to one place in a JSON value, by path.

use svc_contract::{
    registry::{CheckCall, Example, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::super::excerpt;

params! {
    /// Returns the value at a path in a JSON value, or null if there is none.
    ///
    /// A path is keys joined by `.`, and `[n]` for item `n` of a list, from 0, or from the end for
    /// negative `n`: `user.tags[0]`. A key with other characters is written as `[".."]`. A path of
    /// any other form is an error of kind `invalid_input`.
    pub(super) struct At {
        /// The JSON value to search.
        value: Value,
        /// The path of the value.
        path: Text,
    }
}

impl Op for At {
    const NAME: &'static str = "at";
    const YIELDS: Scheme = Scheme::Optional(&Scheme::Json);
    const CHECK: Option<CheckCall> =
        Some(|call| call.test("path", |it: Text| steps(&it).map(drop)));
    const SAYS: &'static [&'static str] = &[
        "get a nested field of an object",
        "look deep inside json",
        "third item under a key",
        "follow a dotted path",
        "dig a setting out of a configuration",
        "safe access to deeply nested data",
        "value at a path or null when absent",
        "something deep down in an object",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A value in a list",
            r#"'{"a": {"b": [5, 6]}}' >> parse_json >> at(path: "a.b[1]")"#,
            "6",
        ),
        Example::ok("No value", r#"'{"a": 1}' >> parse_json >> at(path: "b[0].c")"#, "null"),
        Example::err(
            "An invalid path",
            r#"'{}' >> parse_json >> at(path: "a..b")"#,
            "invalid JSON path `a..b`",
        ),
    ];
}

impl Inline for At {
    fn run(self) -> Result<Value, OpError> {
        let place = steps(&self.path)?.iter().try_fold(&self.value, |value, step| step.of(value));
        Ok(place.cloned().unwrap_or_default())
    }
}

enum Step<'a> {
    Key(&'a str),
    Item(i64),
}

impl Step<'_> {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.as_record()?.get(key),
            Self::Item(idx) => {
                let items = value.as_list()?;
                let steps = usize::try_from(idx.unsigned_abs()).ok()?;
                let idx = if *idx < 0 { items.len().checked_sub(steps)? } else { steps };
                items.get(idx)
            }
        }
    }
}

/// Parses a path; returns `None` if its form is invalid.
fn steps(path: &str) -> Result<Vec<Step<'_>>, OpError> {
    read(path).ok_or_else(|| {
        let message = format!("invalid JSON path `{}`", excerpt(path));
        OpError::invalid_input(message).help("write it like `a.b[0]` or `a[\"other key\"]`")
    })
}

fn read(path: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = path;
    let mut steps = Vec::new();
    loop {
        let (step, after) = match rest.strip_prefix('[') {
            Some(rest) => bracket(rest)?,
            None => key(rest)?,
        };
        steps.push(step);
        rest = match after.strip_prefix('.') {
            // A point is followed by a key.
            Some(after) if !after.starts_with('[') => after,
            None if after.starts_with('[') => after,
            None if after.is_empty() => return Some(steps),
            _ => return None,
        };
    }
}

fn key(text: &str) -> Option<(Step<'_>, &str)> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (key, after) = text.split_at(end);
    (!key.is_empty()).then_some((Step::Key(key), after))
}

/// Parses the text after a `[`: a number or a quoted key.
fn bracket(text: &str) -> Option<(Step<'_>, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (key, after) = quoted.split_once("\"]")?;
        return Some((Step::Key(key), after));
    }
    let (number, after) = text.split_once(']')?;
    Some((Step::Item(number.parse().ok()?), after))
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn places_are_found() {
        gives::<At>(r#"[{"a b": {"c.d": 1}}, "a b[\"c.d\"]"]"#, "1");
        gives::<At>(r#"[[[1, 2], [3]], "[0][-1]"]"#, "2");
        gives::<At>(r#"[{"größe": [{"x": 1}]}, "größe[0].x"]"#, "1");
    }

    #[test]
    fn absent_places_are_null() {
        gives::<At>(r#"[[1], "[1]"]"#, "null");
        gives::<At>(r#"[[1], "[-2]"]"#, "null");
        gives::<At>(r#"[[1], "[-9223372036854775808]"]"#, "null");
        gives::<At>(r#"[{"a": 1}, "a.b"]"#, "null");
        gives::<At>(r#"[{"a": 1}, "[0]"]"#, "null");
        gives::<At>(r#"["text", "len"]"#, "null");
    }

    #[test]
    fn other_paths_are_refused() {
        for wrong in ["", ".", "a.", ".a", "a[", "a[]", "a[x]", "a[0]b", "a.[0]", "a[\\\"x]"] {
            let err = fails::<At>(&format!(r#"[{{}}, "{wrong}"]"#));
            assert!(err.message.contains("invalid JSON path"), "{wrong}");
        }
    }
}
