//! Patterns of names: `text.*`, `!payroll_*`; the last one that matches decides.

use std::fmt;

/// One pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Without the `!`; each `*` stands for any letters.
    text: String,
    refuses: bool,
}

/// Some patterns in order. What none of them matches is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns(Vec<Pattern>);

/// What patterns decide about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched<'a> {
    Allowed(&'a Pattern),
    Refused(&'a Pattern),
    /// No pattern matches.
    Unnamed,
}

impl Pattern {
    /// Reads a pattern, or returns why it is invalid.
    pub fn read(text: &str) -> Result<Self, String> {
        let (refuses, name) = match text.strip_prefix('!') {
            Some(name) => (true, name),
            None => (false, text),
        };
        let is_sign = |it: char| {
            it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, '_' | '.' | '*')
        };
        match name.chars().find(|it| !is_sign(*it)) {
            _ if name.is_empty() => Err("expected a name after `!`, found nothing".to_owned()),
            Some(sign) => Err(format!(
                "expected lower-case letters, digits, `_`, `.` and `*`, found `{}`",
                sign.escape_debug()
            )),
            None => Ok(Self { text: name.to_owned(), refuses }),
        }
    }

    /// Whether it matches a whole name.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.text.as_bytes(), name.as_bytes());
        let (mut at, mut from) = (0, 0);
        // The last `*`, and how far it reaches.
        let mut star = None;
        while from < name.len() {
            if pattern.get(at) == Some(&b'*') {
                star = Some((at + 1, from));
                at += 1;
            } else if pattern.get(at) == Some(&name[from]) {
                (at, from) = (at + 1, from + 1);
            } else if let Some((after, reach)) = star {
                star = Some((after, reach + 1));
                (at, from) = (after, reach + 1);
            } else {
                return false;
            }
        }
        pattern[at..].iter().all(|it| *it == b'*')
    }

    /// The name, if it stands for one only.
    pub fn name(&self) -> Option<&str> {
        (!self.text.contains('*')).then_some(self.text.as_str())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.refuses { "!" } else { "" }, self.text)
    }
}

impl Patterns {
    pub fn new(all: Vec<Pattern>) -> Self {
        Self(all)
    }

    /// Patterns that allow every name.
    pub fn all() -> Self {
        Self(vec![Pattern { text: "*".to_owned(), refuses: false }])
    }

    pub fn iter(&self) -> impl Iterator<Item = &Pattern> {
        self.0.iter()
    }

    /// What the last pattern that matches decides.
    pub fn of(&self, name: &str) -> Matched<'_> {
        match self.0.iter().rev().find(|it| it.matches(name)) {
            Some(it) if it.refuses => Matched::Refused(it),
            Some(it) => Matched::Allowed(it),
            None => Matched::Unnamed,
        }
    }
}

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn patterns(all: &[&str]) -> Patterns {
        Patterns::new(all.iter().map(|it| Pattern::read(it).unwrap()).collect())
    }

    #[test]
    fn the_last_match_decides() {
        let all = patterns(&["*", "!payroll_*", "payroll_help"]);
        assert!(matches!(all.of("search"), Matched::Allowed(it) if it.to_string() == "*"));
        assert!(matches!(all.of("payroll_pay"), Matched::Refused(it) if it.name().is_none()));
        assert!(matches!(all.of("payroll_help"), Matched::Allowed(it) if it.name().is_some()));
        assert_eq!(patterns(&[]).of("search"), Matched::Unnamed);
        assert_eq!(patterns(&["text.*"]).of("textual.infer"), Matched::Unnamed);
    }

    #[test]
    fn invalid_patterns_say_why() {
        for (text, why) in [
            ("", "found nothing"),
            ("!", "found nothing"),
            ("!!a", "found `!`"),
            ("a b", "found ` `"),
            ("Search", "found `S`"),
            ("a\n", "found `\\n`"),
            ("[a]", "found `[`"),
        ] {
            assert!(Pattern::read(text).unwrap_err().ends_with(why), "{text}");
        }
    }

    #[test]
    fn many_stars_take_no_long_time() {
        let pattern = Pattern::read(&"*a".repeat(2_000)).unwrap();
        assert!(!pattern.matches(&"a".repeat(1_999)));
        assert!(pattern.matches(&"a".repeat(5_000)));
    }

    proptest! {
        #[test]
        fn stars_match_as_regular_expressions_do(
            pattern in "[ab*]{1,8}",
            name in "[ab]{0,10}",
        ) {
            // By definition: the parts in order, the first at the start and the last at the end.
            fn matches(pattern: &[u8], name: &[u8]) -> bool {
                match pattern.split_first() {
                    None => name.is_empty(),
                    Some((b'*', rest)) => {
                        (0..=name.len()).any(|it| matches(rest, &name[it..]))
                    }
                    Some((sign, rest)) => {
                        name.first() == Some(sign) && matches(rest, &name[1..])
                    }
                }
            }
            let expected = matches(pattern.as_bytes(), name.as_bytes());
            prop_assert_eq!(Pattern::read(&pattern).unwrap().matches(&name), expected);
        }
    }
}
