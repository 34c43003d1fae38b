//! Replaces the matches of a pattern.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use svc_contract::{
    registry::{CheckCall, Compute, Cx, ErrorKind, Example, Op, OpError, Scheme, params},
    value::{Text, Value, arithmetic::LONGEST_TEXT},
};

use super::{
    super::super::{excerpt, test_text_len},
    compiled,
};

params! {
    /// Replaces every part of a text that a pattern matches.
    ///
    /// In the replacement, `$1` is the first group, `$name` a named group, `$0` the whole match,
    /// and `$$` a dollar sign; write `${1}` if a letter, a digit or `_` follows (in a raw string,
    /// as other strings interpolate it). Fails if the result would be larger than 256 MiB.
    pub(in super::super) struct ReplacePattern {
        /// The text to change.
        text: Text,
        /// The regular expression.
        pattern: Text,
        /// The replacement.
        with: Text,
    }
}

impl Op for ReplacePattern {
    const NAME: &'static str = "replace_pattern";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| {
        super::check(call)?;
        let test = |with: Text, pattern: Text| test_groups(&with, &*compiled(&pattern)?);
        call.test_with("with", "pattern", test)
    });
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "replace with a regular expression",
        "rewrite dates in another format",
        "swap first and last name by regex groups",
        "mask every digit of a card number",
        "collapse runs of spaces into one",
        "substitute whatever fits a pattern",
        "replace by a regex and its groups, like sed",
        "redact by a pattern",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A slug",
            r#""War  of the Worlds" >> lower >> replace_pattern(pattern: '[^a-z]+', with: "-")"#,
            r#""war-of-the-worlds""#,
        ),
        Example::ok(
            "Groups",
            r#""Doe, Ann" >> replace_pattern(pattern: '(\w+), (\w+)', with: '$2 $1')"#,
            r#""Ann Doe""#,
        ),
        Example::err(
            "A missing group",
            r#""a" >> replace_pattern(pattern: '(a)', with: '$1_x')"#,
            "the pattern has no group `1_x`",
        ),
    ];
}

impl Compute for ReplacePattern {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let pattern = compiled(&self.pattern)?;
        test_groups(&self.with, &pattern)?;
        let mut changed = String::with_capacity(self.text.len());
        let mut copied = 0;
        for found in pattern.captures_iter(&self.text) {
            cx.check()?;
            let place = found.get_match();
            changed.push_str(&self.text[copied..place.start()]);
            expand(&found, &self.with, &mut changed)?;
            copied = place.end();
        }
        changed.push_str(&self.text[copied..]);
        Ok(changed.into())
    }
}

/// Appends the replacement, after checking that it cannot be too large: a group is at most as long
/// as its match.
fn expand(found: &Captures<'_>, with: &str, changed: &mut String) -> Result<(), OpError> {
    let groups = with.bytes().filter(|it| *it == b'$').count();
    let most = with.len().saturating_add(groups.saturating_mul(found.get_match().len()));
    let len = changed.len().saturating_add(most);
    if len > changed.capacity() {
        test_text_len(len)?;
        test_text_len(changed.capacity().saturating_mul(2).min(LONGEST_TEXT))?;
        changed.reserve(most);
    }
    found.expand(with, changed);
    Ok(())
}

/// Rejects a replacement that uses a missing group, which would be replaced by nothing.
fn test_groups(with: &str, pattern: &Regex) -> Result<(), OpError> {
    static GROUP: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\$(?:\$|\{([^}]*)\}|([0-9A-Za-z_]+))").expect("the pattern is constant")
    });
    let names = GROUP.captures_iter(with).filter_map(|it| it.get(1).or_else(|| it.get(2)));
    for name in names.map(|it| it.as_str()) {
        let known = match name.parse::<usize>() {
            Ok(idx) => idx < pattern.captures_len(),
            Err(_) => pattern.capture_names().flatten().any(|it| it == name),
        };
        if !known {
            let message = format!("the pattern has no group `{}`", excerpt(name));
            let help = "write '${1}_x' if a letter, digit or `_` follows the group";
            return Err(OpError::invalid_input(message).help(help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{computes, fails_to_compute, fails_to_compute_with};

    use super::*;

    #[test]
    fn every_match_is_replaced() {
        computes::<ReplacePattern>(r##"["a1b22", "\\d+", "#"]"##, r#""a#b#""#);
        computes::<ReplacePattern>(r#"["ab", "", "-"]"#, r#""-a-b-""#);
        computes::<ReplacePattern>(r#"["5", "\\d", "$$$0"]"#, r#""$5""#);
        computes::<ReplacePattern>(r#"["ab", "(?<x>a)", "${x}_"]"#, r#""a_b""#);
        computes::<ReplacePattern>(r#"["none", "x", "$0"]"#, r#""none""#);
        computes::<ReplacePattern>(r#"["a", "a", "100 $"]"#, r#""100 $""#);
    }

    #[test]
    fn unknown_groups_are_named() {
        let err = fails_to_compute::<ReplacePattern>(r#"["a", "(a)", "$2"]"#);
        assert_eq!(err.message, "the pattern has no group `2`");
        fails_to_compute::<ReplacePattern>(r#"["a", "(a)", "${}"]"#);
    }

    #[test]
    fn growing_too_much_fails_before_memory_does() {
        let (text, with) = ("a".repeat(1 << 20), "$0".repeat(1 << 10));
        let args = vec![text.into(), "a+".into(), with.into()];
        assert_eq!(fails_to_compute_with::<ReplacePattern>(args).kind, ErrorKind::Failed);
    }
}
