//! How hard a text is to read.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_text::{
    language::{self, Language},
    readability::Counts,
};

use super::offset;

record! {
    /// How hard a text is to read.
    struct Ease {
        /// The reading ease of Flesch: from 100, very easy, to 0, very hard; it may be beyond.
        flesch: f64,
        /// The years of school that it needs (Flesch and Kincaid).
        grade: f64,
        /// The number of words.
        words: i64,
        /// The number of sentences of more than two words, at least one if there is a character.
        sentences: i64,
    }
}

params! {
    /// Returns how hard an English text is to read: the reading ease of Flesch and the grade of
    /// Flesch and Kincaid.
    ///
    /// The formulas are 206.835 - 1.015 w - 84.6 s and 0.39 w + 11.8 s - 15.59, for w words in a sentence
    /// and s syllables in a word. Words, sentences and syllables are counted as by the Python
    /// package textstat 0.7.13: words are between white space, and a sentence of at most two words does
    /// not count. Frequent words have the syllables of the Carnegie Mellon Pronouncing Dictionary,
    /// other words those of Liang's hyphenation patterns. A text without words has the scores 0.
    ///
    /// The formulas hold for English only. A text that is clearly in another language is `unsupported`;
    /// one whose language is not clear, such as a short one, is taken for English.
    pub(super) struct Readability {
        /// The text.
        text: Text,
    }
}

impl Op for Readability {
    const NAME: &'static str = "readability";
    const YIELDS: Scheme = Ease::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "readability score of a text",
        "how hard is a text to read",
        "flesch reading ease",
        "flesch kincaid grade level",
        "textstat for a string",
        "is my text easy to understand",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "An easy text",
            r#"readability("The cat sat on the mat. The dog ran off with the hat.")"#,
            r#"{"flesch":115.63750000000002,"grade":-1.254999999999999,"words":13,"sentences":2}"#,
        ),
        Example::ok(
            "No words",
            r#"readability("")"#,
            r#"{"flesch":0.0,"grade":0.0,"words":0,"sentences":0}"#,
        ),
        Example::err(
            "Another language",
            r#"readability("Das ist ein Satz, der in einer anderen Sprache geschrieben ist.")"#,
            "expected an English text, found one in `de`",
        ),
    ];
}

impl Compute for Readability {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let found = language::certain(&self.text).map(|it| it.language);
        if let Some(other) = found.filter(|it| *it != Language::ENGLISH) {
            let message = format!("expected an English text, found one in `{}`", other.code());
            return Err(OpError::new(ErrorKind::Unsupported, message)
                .help("pass English text: the formulas do not hold for other languages"));
        }
        let counts = Counts::of(&self.text, || cx.check())?;
        let ease = Ease {
            flesch: counts.flesch(),
            grade: counts.grade(),
            words: offset(counts.words),
            sentences: offset(counts.sentences),
        };
        Ok(ease.encode())
    }
}
