//! Parts of a text, measured in Unicode scalar values, like `len`.

use svc_contract::{
    registry::{Example, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

params! {
    /// Returns the characters from one position up to, not including, another.
    ///
    /// Positions count Unicode scalar values from 0; negative ones count from the end. Positions
    /// outside the text are not an error: the result is shorter or empty.
    pub(super) struct Slice {
        /// The text to slice.
        text: Text,
        /// The position of the first character.
        from: i64 = 0,
        /// The position after the last character; the end of the text by default.
        to: Option<i64> = None,
    }
}

impl Op for Slice {
    const NAME: &'static str = "slice";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "part of a text by position",
        "the first four characters of a string",
        "the last two letters of a code",
        "substring between two offsets",
        "the year at the start of a date",
        "substring from one index to another",
        "characters in a given range",
        "only some of the letters",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The start", r#""2024-05-01" >> slice(to: 4)"#, r#""2024""#),
        Example::ok("The end", r#""2024-05-01" >> slice(from: -2)"#, r#""01""#),
        Example::ok("The middle", r#"slice("2024-05-01", 5, 7)"#, r#""05""#),
    ];
}

impl Inline for Slice {
    fn run(self) -> Result<Value, OpError> {
        let text = &*self.text;
        let start = byte_of(text, self.from);
        let end = self.to.map_or(text.len(), |it| byte_of(text, it));
        Ok(Value::text(text.get(start..end).unwrap_or_default()))
    }
}

/// The byte offset at which the character `position` starts; for a position outside, the nearest
/// end of the text.
fn byte_of(text: &str, position: i64) -> usize {
    let steps = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
    if position >= 0 {
        return text.char_indices().nth(steps).map_or(text.len(), |(byte, _)| byte);
    }
    text.char_indices().rev().nth(steps - 1).map_or(0, |(byte, _)| byte)
}

params! {
    /// Shortens a text that is too long, and marks it as shortened.
    ///
    /// The result has at most `max_chars` characters (Unicode scalar values), including the ending.
    /// A text that is short enough stays unchanged.
    pub(super) struct Truncate {
        /// The text to shorten.
        text: Text,
        /// The maximum number of characters of the result.
        #[range(0..=1_000_000_000)]
        max_chars: i64,
        /// The end of a shortened text; it is cut itself if it does not fit.
        ending: Text = "…".into(),
    }
}

impl Op for Truncate {
    const NAME: &'static str = "truncate";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "shorten a text that is too long",
        "cut a title to fifty characters",
        "abbreviate with an ellipsis",
        "limit the length of a message",
        "clip a string and add dots",
        "make it fit within so many characters",
        "trim down an overlong caption",
        "too long, make it shorter",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Too long", r#""a long story" >> truncate(max_chars: 7)"#, r#""a long…""#),
        Example::ok("Short enough", r#"truncate("short", 7)"#, r#""short""#),
        Example::ok("Another ending", r#"truncate("abcdef", 5, ending: "..")"#, r#""abc..""#),
    ];
}

impl Inline for Truncate {
    fn run(self) -> Result<Value, OpError> {
        if byte_of(&self.text, self.max_chars) == self.text.len() {
            return Ok(Value::Text(self.text));
        }
        let ending = &self.ending[..byte_of(&self.ending, self.max_chars)];
        let room = usize::try_from(self.max_chars).unwrap_or(usize::MAX) - ending.chars().count();
        let kept: String = self.text.chars().take(room).chain(ending.chars()).collect();
        Ok(kept.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn slices_count_scalars() {
        gives::<Slice>(r#"["a😀é", 1, 2]"#, r#""😀""#);
        gives::<Slice>(r#"["a😀é", -2]"#, r#""😀é""#);
        gives::<Slice>(r#"["a😀é", -2, -1]"#, r#""😀""#);
        gives::<Slice>(r#"["abc"]"#, r#""abc""#);
    }

    #[test]
    fn slices_outside_are_empty() {
        gives::<Slice>(r#"["abc", 3]"#, r#""""#);
        gives::<Slice>(r#"["abc", 9, 12]"#, r#""""#);
        gives::<Slice>(r#"["abc", 2, 1]"#, r#""""#);
        gives::<Slice>(r#"["abc", -9, 9]"#, r#""abc""#);
        gives::<Slice>(r#"["abc", -9223372036854775808, 9223372036854775807]"#, r#""abc""#);
        gives::<Slice>(r#"["", 0, 1]"#, r#""""#);
    }

    #[test]
    fn truncated_text_has_room_for_its_ending() {
        gives::<Truncate>(r#"["abc", 3]"#, r#""abc""#);
        gives::<Truncate>(r#"["äöüß", 3]"#, r#""äö…""#);
        gives::<Truncate>(r#"["abc", 0]"#, r#""""#);
        gives::<Truncate>(r#"["abcdef", 2, "[...]"]"#, r#""[.""#);
        gives::<Truncate>(r#"["abcdef", 3, ""]"#, r#""abc""#);
        assert!(fails::<Truncate>(r#"["abc", -1]"#).message.contains("max_chars"));
    }
}
