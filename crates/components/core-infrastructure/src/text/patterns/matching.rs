//! Finds matches of a pattern.

use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, ErrorKind, Example, Inline, Max, Op, OpError, Scheme, params,
    },
    value::{Text, Value},
};

use super::{super::super::test_list_len, compiled};

params! {
    /// Returns whether a pattern matches anywhere in a text.
    ///
    /// `^` and `$` match the ends of the text, and with `(?m)` the ends of a line; `(?i)` ignores
    /// case. Patterns are easiest to read in raw strings: `'\d+'`.
    pub(in super::super) struct Matches {
        /// The text to search.
        text: Text,
        /// The regular expression.
        pattern: Text,
    }
}

impl Op for Matches {
    const NAME: &'static str = "matches";
    const YIELDS: Scheme = Scheme::Bool;
    const CHECK: Option<CheckCall> = Some(super::check);
    const SAYS: &'static [&'static str] = &[
        "does the text match a regular expression",
        "check that a string looks like a date",
        "is this a valid postcode",
        "whether an email address has the right form",
        "whether a code follows a pattern",
        "regex test, true or false",
        "validate the shape of an input",
        "is it written the right way",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A whole text", r#"matches("v1.20", '^v\d+\.\d+$')"#, "true"),
        Example::ok("Ignoring case", r#""An Error" >> matches(pattern: '(?i)error')"#, "true"),
        Example::err("An invalid pattern", r#"matches("a", "(")"#, "invalid pattern `(`"),
    ];
}

impl Inline for Matches {
    fn run(self) -> Result<Value, OpError> {
        Ok(compiled(&self.pattern)?.is_match(&self.text).into())
    }
}

params! {
    /// Returns every part of a text that a pattern matches, from left to right, without overlaps.
    ///
    /// With `group`, returns that group of each match instead; a match without that group is left
    /// out. Fails beyond 10,000,000 matches.
    pub(in super::super) struct FindAll {
        /// The text to search.
        text: Text,
        /// The regular expression.
        pattern: Text,
        /// The group to return: 0 is the whole match, 1 the first `( )`.
        #[range(0..=1_000)]
        group: i64 = 0,
    }
}

impl Op for FindAll {
    const NAME: &'static str = "find_all";
    const YIELDS: Scheme = Scheme::List(&Scheme::Text, Max::Unknown);
    const CHECK: Option<CheckCall> = Some(super::check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "extract all numbers from a text",
        "pull the email addresses out of a message",
        "collect the hashtags of a post",
        "list all the links in a page",
        "grep for a pattern",
        "scan a string for everything that fits a regex",
        "extract urls, numbers or mentions",
        "dig all phone numbers out of a text",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Numbers", r#""3 of 12" >> find_all(pattern: '\d+')"#, r#"["3","12"]"#),
        Example::ok(
            "A group",
            r#""to @ann and @bob" >> find_all(pattern: '@(\w+)', group: 1)"#,
            r#"["ann","bob"]"#,
        ),
        Example::err(
            "A missing group",
            r#""ab" >> find_all(pattern: "a", group: 1)"#,
            "the pattern has no group 1",
        ),
    ];
}

impl Compute for FindAll {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let pattern = compiled(&self.pattern)?;
        let group = usize::try_from(self.group).unwrap_or_default();
        if group >= pattern.captures_len() {
            let message = format!("the pattern has no group {group}");
            return Err(OpError::invalid_input(message)
                .help("put groups in `( )`; they are numbered from 1"));
        }
        let mut found = Vec::new();
        // Each search is linear, but all of them together need not be: hence a check for each.
        let mut keep = |part: Option<regex::Match<'_>>| {
            found.extend(part.map(|it| Value::text(it.as_str())));
            cx.check().and_then(|()| test_list_len(found.len()))
        };
        if group == 0 {
            pattern.find_iter(&self.text).try_for_each(|it| keep(Some(it)))?;
        } else {
            pattern.captures_iter(&self.text).try_for_each(|it| keep(it.get(group)))?;
        }
        Ok(found.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{computes, fails, fails_to_compute, gives};

    use super::*;

    #[test]
    fn a_pattern_is_found_anywhere() {
        gives::<Matches>(r#"["", ""]"#, "true");
        gives::<Matches>(r#"["äöü", "^\\w{3}$"]"#, "true");
        gives::<Matches>(r#"["a\nb", "^b"]"#, "false");
        gives::<Matches>(r#"["a\nb", "(?m)^b"]"#, "true");
        assert_eq!(fails::<Matches>(r#"["a", "["]"#).kind, ErrorKind::InvalidInput);
    }

    #[test]
    fn an_evil_pattern_is_linear() {
        let text = "a".repeat(100_000);
        gives::<Matches>(&format!(r#"["{text}", "^(a+)+$b"]"#), "false");
    }

    #[test]
    fn all_matches_are_found() {
        computes::<FindAll>(r#"["aXbX", "[a-z]"]"#, r#"["a","b"]"#);
        computes::<FindAll>(r#"["é", ""]"#, r#"["",""]"#);
        computes::<FindAll>(r#"["ab b", "(a)?b", 1]"#, r#"["a"]"#);
        computes::<FindAll>(r#"["", "a"]"#, "[]");
        let err = fails_to_compute::<FindAll>(r#"["a", "(a)", 2]"#);
        assert_eq!(err.message, "the pattern has no group 2");
    }
}
