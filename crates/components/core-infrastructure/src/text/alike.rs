//! How alike texts are.

use svc_contract::{
    choices,
    registry::{ErrorKind, Example, Field, Inline, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};

choices! {
    /// A measure of how alike two texts are.
    pub(super) enum Measure {
        Edits = "edits",
        Jaro = "jaro",
        JaroWinkler = "jaro_winkler",
        Pairs = "letter_pairs",
    }
}

/// The most pairs of characters that are compared: about a second of work.
const MOST_PAIRS: usize = 100_000_000;

impl Measure {
    /// How alike two texts are, from 0 to 1.
    fn of(self, a: &str, b: &str) -> Result<f64, OpError> {
        let pairs = a.chars().count().saturating_mul(b.chars().count());
        if pairs > MOST_PAIRS {
            return Err(too_long());
        }
        Ok(match self {
            Self::Edits => part_kept(a, b),
            Self::Jaro => strsim::jaro(a, b),
            Self::JaroWinkler => strsim::jaro_winkler(a, b),
            Self::Pairs => strsim::sorensen_dice(a, b),
        })
    }
}

/// One minus the number of edits for each character of the longer text.
#[expect(clippy::cast_precision_loss, reason = "texts to compare are short")]
fn part_kept(a: &str, b: &str) -> f64 {
    let len = a.chars().count().max(b.chars().count());
    if len == 0 { 1.0 } else { 1.0 - strsim::osa_distance(a, b) as f64 / len as f64 }
}

fn too_long() -> OpError {
    OpError::invalid_input(
        "the texts are too long to compare (limit 100000000 pairs of characters)",
    )
    .help("compare parts of them, such as their lines")
}

params! {
    /// Returns how alike two texts are, from 0 (nothing in common) to 1 (equal).
    ///
    /// `edits` is 1 minus the `edit_distance`, divided by the length of the longer text. `jaro`
    /// and `jaro_winkler` suit short names; the latter prefers an equal start. `letter_pairs` is the
    /// Sørensen-Dice coefficient of neighbouring letters, for texts in another order. Case and space
    /// count, except that `letter_pairs` ignores space. Texts with more than 100,000,000 pairs of
    /// characters are an error of kind `invalid_input`.
    pub(super) struct Similarity {
        /// The text to compare.
        text: Text,
        /// The other text.
        other: Text,
        /// The measure.
        by: Measure = Measure::Edits,
    }
}

impl Op for Similarity {
    const NAME: &'static str = "similarity";
    const YIELDS: Scheme = Scheme::FloatRange(0.0, 1.0);
    const SAYS: &'static [&'static str] = &[
        "how alike two strings are",
        "fuzzy comparison of names",
        "levenshtein ratio of two texts",
        "jaro winkler similarity",
        "are these two spellings the same person",
        "score from zero to one for how close two names are",
        "do these look nearly the same",
        "nearly the same name or not",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("One letter of four", r#"similarity("word", "wort")"#, "0.75"),
        Example::ok(
            "Names",
            r#""Martha" >> similarity(other: "Marhta", by: "jaro") >> round(digits: 3)"#,
            "0.944",
        ),
    ];
}

impl Inline for Similarity {
    fn run(self) -> Result<Value, OpError> {
        self.by.of(&self.text, &self.other).map(Value::Float)
    }
}

params! {
    /// Counts the edits that turn a text into another one.
    ///
    /// An edit inserts, deletes or replaces a character, or swaps two neighbours: the Damerau-
    /// Levenshtein distance without a second edit of what was swapped (optimal string alignment). Texts with more than 100,000,000 pairs of characters are an
    /// error of kind `invalid_input`.
    pub(super) struct EditDistance {
        /// The text to change.
        text: Text,
        /// The text that it becomes.
        other: Text,
    }
}

impl Op for EditDistance {
    const NAME: &'static str = "edit_distance";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &[
        "levenshtein distance",
        "how many typing mistakes apart",
        "number of changed letters between two words",
        "edits from one string to another",
        "count insertions, deletions and substitutions",
        "how many keystrokes turn one word into another",
        "number of typos",
        "letters changed, added or removed at least",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Three edits", r#"edit_distance("kitten", "sitting")"#, "3")];
}

impl Inline for EditDistance {
    fn run(self) -> Result<Value, OpError> {
        let pairs = self.text.chars().count().saturating_mul(self.other.chars().count());
        if pairs > MOST_PAIRS {
            return Err(too_long());
        }
        Ok(strsim::osa_distance(&self.text, &self.other).encode())
    }
}

record! {
    /// The text that is most alike.
    struct Closest {
        /// The text.
        text: Text,
        /// Its position in the list, from 0.
        index: i64,
        /// How alike it is, from 0 to 1.
        score: f64,
    }
}

params! {
    /// Returns the text of a list that is most like a text, with its score from 0 to 1.
    ///
    /// Of equally similar texts, the first is returned. Fails if the list is empty. See `similarity`
    /// for the measures.
    pub(super) struct FindClosest {
        /// The text to compare.
        text: Text,
        /// The texts to choose from.
        among: Vec<Text>,
        /// The measure.
        by: Measure = Measure::Edits,
    }
}

impl Op for FindClosest {
    const NAME: &'static str = "closest";
    const YIELDS: Scheme = Closest::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the nearest match in a list of names",
        "did you mean",
        "correct a misspelled city",
        "map a free answer to one of the options",
        "best candidate for a misspelt option",
        "what did they probably mean",
        "guess the right spelling from a list",
        "which entry did I mean",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A typing mistake",
            r#""Belrin" >> closest(among: ["Bern", "Berlin", "Paris"]) >> .text"#,
            r#""Berlin""#,
        ),
        Example::err("An empty list", r#"closest("a", [])"#, "the list is empty"),
    ];
}

impl Inline for FindClosest {
    fn run(self) -> Result<Value, OpError> {
        let mut best: Option<Closest> = None;
        for (index, text) in self.among.into_iter().enumerate() {
            let score = self.by.of(&self.text, &text)?;
            if best.as_ref().is_none_or(|it| score > it.score) {
                let index = i64::try_from(index).unwrap_or(i64::MAX);
                best = Some(Closest { text, index, score });
            }
        }
        best.map(Closest::encode).ok_or_else(|| {
            OpError::failed("the list is empty, so it has no closest text")
                .help("write `if len(xs) > 0 { closest(text, xs) } else { null }`")
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives};

    use super::*;

    #[test]
    fn characters_count_not_bytes() {
        gives::<Similarity>(r#"["", ""]"#, "1.0");
        gives::<Similarity>(r#"["é", "e"]"#, "0.0");
        gives::<Similarity>(r#"["ab", ""]"#, "0.0");
        gives::<Similarity>(r#"["New York", "York New", "letter_pairs"]"#, "0.8333333333333334");
        gives::<EditDistance>(r#"["größe", "grosse"]"#, "3");
        gives::<EditDistance>(r#"["form", "from"]"#, "1");
    }

    #[test]
    fn the_first_of_equals_is_closest() {
        gives::<FindClosest>(r#"["a", ["b", "c"]]"#, r#"{"text":"b","index":0,"score":0.0}"#);
        assert_eq!(fails::<FindClosest>(r#"["a", []]"#).kind, ErrorKind::Failed);
    }

    #[test]
    fn long_texts_are_refused() {
        let long = "a".repeat(20_000);
        let err = fails_with::<EditDistance>(vec![long.as_str().into(), long.as_str().into()]);
        assert!(err.message.contains("too long"));
    }
}
