//! The sentences and tokens of a text.

use svc_contract::{
    registry::{
        Compute, Cx, ErrorKind, Example, Field, Items, Op, OpError, Scheme, Tool, Trained, params,
        record,
    },
    value::{Text, Value},
};
use svc_text::{
    language::{self, Language},
    snowball::Stems,
    tagger::{Tag, Tagger},
};

use super::{Sentence, Token, language_of, offset, state::Knowledge, tokens::Reader};

record! {
    /// What a text consists of.
    struct Analysis {
        /// The code of two letters of its language; `unknown` if that is not clear.
        language: Text,
        /// Its sentences, in order.
        sentences: Vec<Sentence>,
        /// Its words, numbers and signs, in order.
        tokens: Items<Token>,
    }
}

params! {
    /// Splits a text into sentences and tokens, with the stem of each word, and its part of speech
    /// if a model is given.
    ///
    /// Sentences end as in prose and Markdown, in many languages: full stops in abbreviations,
    /// numbers and code do not end one, and a heading, a list item, a table or a block of code is apart
    /// from what is around it. No sentence is longer than 1,000 bytes; text without a full stop is cut
    /// between words. Tokens are what is between two word boundaries of Unicode (UAX #29) and is not
    /// white space; a run of the same sign, such as `...`, is one token. In Chinese, Japanese and
    /// Thai most characters are tokens of their own.
    ///
    /// Stems are those of the Snowball project (release 3.1), for 20 languages: Arabic, Czech, Danish,
    /// Dutch, English, Finnish, French, German, Greek, Hungarian, Italian, Norwegian, Polish,
    /// Portuguese, Romanian, Russian, Spanish, Swedish, Tamil and Turkish.
    ///
    /// With a model, a token such as `don't` that the model has not seen is split into parts that it
    /// has seen, such as `do` and `n't`.
    pub(super) struct Infer {
        /// The text.
        text: Text,
        /// The language of the stems, as a code of two letters. By default it is detected.
        language: Option<Text> = None,
        /// What `analyze.learn` returned. It adds the tags.
        model: Option<Trained<Knowledge>> = None,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Analysis::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "split a text into sentences",
        "tokenize a text",
        "stem the words of a text",
        "part-of-speech tags",
        "nouns and verbs of a sentence",
        "sentence segmentation with offsets",
        "spacy or nltk for a string",
        "lowercase and stem tokens",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("analyze_text"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Sentences",
            r#""Dr. Smith paid $3.50. She left!" >> analyze >> .sentences"#,
            r#"[{"start":0,"end":21,"text":"Dr. Smith paid $3.50."},{"start":22,"end":31,"text":"She left!"}]"#,
        ),
        Example::ok(
            "Stems",
            r#""Running budgets" >> analyze(language: "en") >> .tokens >> each { .stem }"#,
            r#"["run","budget"]"#,
        ),
        Example::ok(
            "Nothing",
            r#"analyze("")"#,
            r#"{"language":"unknown","sentences":[],"tokens":[]}"#,
        ),
        Example::err(
            "An unknown language",
            r#"analyze("A text.", language: "xx")"#,
            "unknown language `xx`",
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let language = match &self.language {
            Some(code) => Some(language_of(code)?),
            None => language::certain(&self.text).map(|it| it.language),
        };
        let knowledge = self.model.as_ref().map(Trained::state).transpose()?;
        let mut reader = Reader::new(&self.text, language.map(Stems::of), knowledge.as_deref());
        let mut sentences = Vec::new();
        let mut tokens = Vec::new();
        for range in reader.sentences() {
            cx.check()?;
            let found = reader.tokens(range.clone());
            let tags = tags(&self.text, &found, knowledge.as_ref().and_then(|it| it.tagger()), cx)?;
            for (idx, token) in found.into_iter().enumerate() {
                tokens.push(reader.token(token, tags.get(idx).copied()).encode());
            }
            let text = self.text[range.clone()].into();
            let (start, end) = (offset(range.start), offset(range.end));
            sentences.push(Sentence { start, end, text });
        }
        let language = language.map_or("unknown", Language::code).into();
        // Counted as they are made, so that the check above sees when the memory is used up.
        let tokens = Items::decode(Value::List(tokens.into_iter().collect()))
            .ok_or_else(|| OpError::bug("the tokens are not a list"))?;
        Ok(Analysis { language, sentences, tokens }.encode())
    }
}

/// The tags of the tokens of a sentence; none without a tagger.
fn tags(
    text: &str,
    tokens: &[std::ops::Range<usize>],
    tagger: Option<&Tagger>,
    cx: &Cx,
) -> Result<Vec<Tag>, OpError> {
    let Some(tagger) = tagger else { return Ok(Vec::new()) };
    let words: Vec<&str> = tokens.iter().map(|it| &text[it.clone()]).collect();
    tagger.tag(&words, || cx.check())
}
