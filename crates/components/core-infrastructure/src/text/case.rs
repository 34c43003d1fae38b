//! Changes the case of letters, and trims the ends of a text.

use std::collections::HashSet;

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::super::test_text_len;

params! {
    /// Converts every letter to upper case.
    ///
    /// Follows the full Unicode mapping, so the result may be longer than the text.
    pub(super) struct Upper {
        /// The text to change.
        text: Text,
    }
}

impl Op for Upper {
    const NAME: &'static str = "upper";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "make text upper case",
        "shout in capital letters",
        "capitalise every letter",
        "uppercase the headings",
        "convert a string to all caps",
        "upcase, like toUpperCase",
        "make it loud",
        "big letters only",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Shout", r#""straße" >> upper"#, r#""STRASSE""#)];
}

impl Inline for Upper {
    fn run(self) -> Result<Value, OpError> {
        test_len(&self.text, char::to_uppercase)?;
        Ok(self.text.to_uppercase().into())
    }
}

params! {
    /// Converts every letter to lower case, by the full Unicode mapping.
    pub(super) struct Lower {
        /// The text to change.
        text: Text,
    }
}

impl Op for Lower {
    const NAME: &'static str = "lower";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "make text lower case",
        "write everything in small letters",
        "lowercase an email address",
        "get rid of capital letters",
        "normalise case before comparing",
        "downcase, like toLowerCase",
        "no capitals at all",
        "small letters only",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Whisper", r#""ÄRGER" >> lower"#, r#""ärger""#)];
}

impl Inline for Lower {
    fn run(self) -> Result<Value, OpError> {
        test_len(&self.text, char::to_lowercase)?;
        Ok(self.text.to_lowercase().into())
    }
}

/// Rejects text that would become too long: letters may become several times as long.
fn test_len<C: Iterator<Item = char>>(
    text: &str,
    changed: impl Fn(char) -> C,
) -> Result<(), OpError> {
    /// Shorter texts are harmless, however much longer they become.
    const LONG: usize = 1 << 20;
    if text.len() < LONG {
        return Ok(());
    }
    test_text_len(text.chars().flat_map(changed).map(char::len_utf8).sum())
}

params! {
    /// Strips white space, or the given characters, from both ends of a text.
    pub(super) struct Trim {
        /// The text to trim.
        text: Text,
        /// The characters to remove, in any order; Unicode white space by default.
        chars: Option<Text> = None,
    }
}

impl Op for Trim {
    const NAME: &'static str = "trim";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "strip white space from both ends",
        "remove leading and trailing spaces",
        "cut off blanks around a word",
        "peel the quotation marks off a string",
        "take the brackets off both ends",
        "chop surplus whitespace off the ends",
        "tidy what a user typed",
        "get rid of blanks around something",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("White space", r#""  to do\n" >> trim"#, r#""to do""#),
        Example::ok("Other characters", r#""[draft]" >> trim(chars: "[]")"#, r#""draft""#),
    ];
}

impl Inline for Trim {
    fn run(self) -> Result<Value, OpError> {
        let trimmed = match self.chars {
            None => self.text.trim(),
            Some(chars) => {
                // A set, so that the time does not depend on the number of characters to remove.
                let unwanted: HashSet<char> = chars.chars().collect();
                self.text.trim_matches(|it| unwanted.contains(&it))
            }
        };
        // A text with nothing to trim is returned without a copy.
        Ok(if trimmed.len() == self.text.len() {
            Value::Text(self.text)
        } else {
            Value::text(trimmed)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::gives;

    use super::*;

    #[test]
    fn case_follows_unicode() {
        gives::<Upper>(r#"["ǆ ŉ ß"]"#, r#""Ǆ ʼN SS""#);
        gives::<Lower>(r#"["İΣΑΣ"]"#, "\"i\u{307}σας\"");
        gives::<Upper>(r#"[""]"#, r#""""#);
    }

    #[test]
    fn only_the_ends_are_trimmed() {
        gives::<Trim>("[\"\\u00a0\\u2003a b\\r\\n\"]", r#""a b""#);
        gives::<Trim>(r#"["--a-b--", "-"]"#, r#""a-b""#);
        gives::<Trim>(r#"["  a  ", ""]"#, r#""  a  ""#);
        gives::<Trim>(r#"["   "]"#, r#""""#);
        gives::<Trim>(r#"["ééxé", "é"]"#, r#""x""#);
    }
}
