//! Finds and replaces literal parts of a text.

use svc_contract::{
    registry::{
        CheckCall, ErrorKind, Example, Field, Inline, Max, Op, OpError, Scheme, Var, params,
    },
    value::{List, Text, Value},
};

use super::super::test_text_len;

/// The value that `contains` searches: the parts of a string are strings, the items of a list have
/// the list's item type.
pub(super) enum Haystack {
    Text(Text),
    List(List),
}

impl Field for Haystack {
    const SCHEME: Scheme =
        Scheme::OneOf(&[Scheme::TextOf('T'), Scheme::List(&Scheme::Var('T'), Max::Unknown)]);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Text(it) => Some(Self::Text(it)),
            Value::List(it) => Some(Self::List(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        match self {
            Self::Text(it) => Value::Text(it),
            Self::List(it) => Value::List(it),
        }
    }
}

params! {
    /// Returns whether a string contains a part, or a list an item.
    ///
    /// Upper and lower case differ. Items are compared with `==`. Every string contains the empty
    /// string.
    pub(super) struct Contains {
        /// The string or list to search.
        within: Haystack,
        /// The part or item to find.
        item: Var<'T'>,
    }
}

impl Op for Contains {
    const NAME: &'static str = "contains";
    const YIELDS: Scheme = Scheme::Bool;
    const SAYS: &'static [&'static str] = &[
        "does the text contain a word",
        "check whether a list has an item",
        "does the message mention a refund",
        "is a value among the allowed ones",
        "whether a substring occurs",
        "is a needle somewhere in a haystack",
        "includes or has it, yes or no",
        "is a certain word anywhere in there",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A part of a string", r#"contains("svc check", "check")"#, "true"),
        Example::ok("An item of a list", r#"["bug", "wontfix"] >> contains(item: "bug")"#, "true"),
        Example::err("Not a part of a string", r#"contains("abc", 1)"#, "expects string"),
    ];
}

impl Inline for Contains {
    fn run(self) -> Result<Value, OpError> {
        let wanted = self.item.0;
        let found = match self.within {
            Haystack::List(items) => items.iter().any(|it| *it == wanted),
            Haystack::Text(text) => text.contains(part(&wanted)?),
        };
        Ok(found.into())
    }
}

fn part(wanted: &Value) -> Result<&str, OpError> {
    wanted.as_str().ok_or_else(|| {
        let kind = wanted.kind();
        OpError::invalid_input(format!("expected a string as a part of a string, found {kind}"))
            .help("use `show` to convert the value to a string")
    })
}

params! {
    /// Returns whether a text starts with another. Upper and lower case differ.
    pub(super) struct StartsWith {
        /// The text to test.
        text: Text,
        /// The expected start.
        prefix: Text,
    }
}

impl Op for StartsWith {
    const NAME: &'static str = "starts_with";
    const YIELDS: Scheme = Scheme::Bool;
    const SAYS: &'static [&'static str] = &[
        "does the text begin with a prefix",
        "check how a string starts",
        "lines starting with a hash",
        "test the first letters of a name",
        "does one string come at the front of another",
        "does it open with http",
        "check a prefix",
        "what comes at the very front of a text",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("A heading", r##"starts_with("# Title", "# ")"##, "true")];
}

impl Inline for StartsWith {
    fn run(self) -> Result<Value, OpError> {
        Ok(self.text.starts_with(&*self.prefix).into())
    }
}

params! {
    /// Returns whether a text ends with another. Upper and lower case differ.
    pub(super) struct EndsWith {
        /// The text to test.
        text: Text,
        /// The expected end.
        suffix: Text,
    }
}

impl Op for EndsWith {
    const NAME: &'static str = "ends_with";
    const YIELDS: Scheme = Scheme::Bool;
    const SAYS: &'static [&'static str] = &[
        "does the text finish with a suffix",
        "whether a name has the extension .md",
        "file names ending in .pdf",
        "whether a sentence closes with a question mark",
        "test the last letters of a word",
        "check a suffix",
        "what a string finishes with, such as .txt",
        "what comes at the very end of a text",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("A file type", r#"ends_with("notes.md", ".md")"#, "true")];
}

impl Inline for EndsWith {
    fn run(self) -> Result<Value, OpError> {
        Ok(self.text.ends_with(&*self.suffix).into())
    }
}

params! {
    /// Replaces a part of a text wherever it appears, from left to right.
    ///
    /// The part is matched literally; `replace_pattern` takes a regular expression. Fails if the
    /// result would be larger than 256 MiB.
    pub(super) struct Replace {
        /// The text to change.
        text: Text,
        /// The part to replace; not empty.
        from: Text,
        /// The replacement.
        to: Text,
    }
}

impl Op for Replace {
    const NAME: &'static str = "replace";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| call.test("from", |it: Text| test_from(&it)));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "replace a word with another",
        "swap every comma for a semicolon",
        "find and replace in a text",
        "delete all dashes from a number",
        "change each occurrence of a term",
        "turn one substring into another everywhere",
        "strip all occurrences of a symbol",
        "put another word instead",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Every occurrence", r#""a-b-c" >> replace(from: "-", to: "+")"#, r#""a+b+c""#),
        Example::ok("Removing", r#"replace("1,000,000", ",", "")"#, r#""1000000""#),
        Example::err("Nothing to replace", r#"replace("abc", "", "-")"#, "`from` is empty"),
    ];
}

fn test_from(from: &str) -> Result<(), OpError> {
    if from.is_empty() {
        return Err(OpError::invalid_input("`from` is empty, so there is nothing to replace"));
    }
    Ok(())
}

impl Inline for Replace {
    fn run(self) -> Result<Value, OpError> {
        test_from(&self.from)?;
        let growth = self.to.len().saturating_sub(self.from.len());
        if growth > 0 {
            let places = self.text.matches(&*self.from).count();
            test_text_len(self.text.len().saturating_add(growth.saturating_mul(places)))?;
        }
        Ok(self.text.replace(&*self.from, &self.to).into())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives};

    use super::*;

    #[test]
    fn strings_and_lists_contain() {
        gives::<Contains>(r#"["", ""]"#, "true");
        gives::<Contains>(r#"["naïve", "ï"]"#, "true");
        gives::<Contains>(r#"["Abc", "a"]"#, "false");
        gives::<Contains>("[[], 1]", "false");
        gives::<Contains>("[[1, 2.0], 2]", "true");
        gives::<Contains>(r#"[[{"a": 1, "b": null}], {"b": null, "a": 1.0}]"#, "true");
        assert!(fails::<Contains>(r#"["a", null]"#).message.contains("found null"));
        assert!(fails::<Contains>("[5, 5]").message.contains("string or [T]"));
    }

    #[test]
    fn ends_are_compared_as_they_are() {
        gives::<StartsWith>(r#"["abc", ""]"#, "true");
        gives::<StartsWith>(r#"["abc", "abcd"]"#, "false");
        gives::<EndsWith>(r#"["é", "\u0301"]"#, "false");
    }

    #[test]
    fn places_do_not_overlap() {
        gives::<Replace>(r#"["aaa", "aa", "b"]"#, r#""ba""#);
        gives::<Replace>(r#"["", "a", "b"]"#, r#""""#);
        gives::<Replace>(r#"["ab", "a", "aa"]"#, r#""aab""#);
    }

    #[test]
    fn growing_too_much_fails_before_memory_does() {
        let (text, to) = ("a".repeat(1 << 20), "b".repeat(1 << 20));
        let err = fails_with::<Replace>(vec![text.into(), "a".into(), to.into()]);
        assert_eq!(err.kind, ErrorKind::Failed);
    }
}
