//! The language of a text.

use svc_contract::{
    registry::{Compute, Cx, Example, Field, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_text::language;

record! {
    /// A language, and how sure that is.
    struct Spoken {
        /// Its code of two letters (ISO 639-1), such as `en`; `unknown` if it is not clear.
        language: Text,
        /// From 0, not clear, to 1.
        confidence: f64,
    }
}

params! {
    /// Returns the language of a text, one of 70, or `unknown`.
    ///
    /// Frequent words decide in 16 languages with Latin letters, and sequences of three letters in the
    /// others (whatlang). A text that is short, has no letters, or fits several languages alike is
    /// `unknown`, with confidence 0: no language is guessed. A text that is mostly in one language has
    /// that one.
    pub(super) struct DetectLanguage {
        /// The text.
        text: Text,
    }
}

impl Op for DetectLanguage {
    const NAME: &'static str = "detect_language";
    const YIELDS: Scheme = Spoken::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "detect the language of a text",
        "which language is this written in",
        "is the text english or german",
        "language identification",
        "langdetect for a string",
        "iso code of a text's language",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "German",
            r#""Das ist ein Satz, der in einer Sprache geschrieben ist." >> detect_language >> .language"#,
            r#""de""#,
        ),
        Example::ok(
            "Not clear",
            r#"detect_language("Ok.")"#,
            r#"{"language":"unknown","confidence":0.0}"#,
        ),
    ];
}

impl Compute for DetectLanguage {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.check()?;
        let spoken = match language::certain(&self.text) {
            Some(it) => Spoken {
                language: it.language.code().into(),
                confidence: it.confidence.clamp(0.0, 1.0),
            },
            None => Spoken { language: "unknown".into(), confidence: 0.0 },
        };
        Ok(spoken.encode())
    }
}
