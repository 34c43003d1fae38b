//! Finds the key phrases of texts.

mod phrases;
mod read;
mod words;

use svc_contract::{
    registry::{
        Bias, Cases, Component, Compute, Cx, Example, Field, Max, Op, OpError, Scheme, compute,
        documents::Doc, params, record,
    },
    value::{Text, Value},
};
use svc_text::language::{self, Language};

use phrases::phrases;
use read::Reading;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_keywords",
    cluster: "knowledge-grounding",
    summary: "Finds the key phrases of a text or of several documents.",
    version: 1,
    bias: Bias::new(
        "yake",
        &["key phrases stand early, often, and in few contexts", "spaces are between words"],
    )
    .judged_by(CASES),
    aliases: &[("keywords", "infer")],
    ops: &[compute::<Infer>()],
};

const CASES: Cases = Cases::new(include_str!("../../cases/ctx_keywords.jsonl"), &[]);

/// The texts to read.
#[derive(Clone, Debug)]
struct Input(Vec<Text>);

impl Field for Input {
    const SCHEME: Scheme =
        Scheme::OneOf(&[Scheme::Text, Doc::SCHEME, Scheme::List(&Doc::SCHEME, Max::Unknown)]);

    fn decode(value: Value) -> Option<Self> {
        let body = |it: &Value| match it.as_record()?.get("text")? {
            Value::Text(it) => Some(it.clone()),
            _ => None,
        };
        Some(Self(match value {
            Value::Text(it) => vec![it],
            Value::List(all) => all.iter().map(body).collect::<Option<_>>()?,
            other => vec![body(&other)?],
        }))
    }

    fn encode(self) -> Value {
        match <[Text; 1]>::try_from(self.0) {
            Ok([text]) => text.into(),
            Err(all) => all.join("\n\n").into(),
        }
    }
}

record! {
    /// A key phrase.
    struct KeyPhrase {
        /// Its words, as they stand where it comes first.
        phrase: Text,
        /// How much it says about the text, from 0 to 1: higher is better.
        score: f64,
        /// How often it occurs, in any form.
        count: i64,
    }
}

params! {
    /// Returns the key phrases of a text, a document or several documents, the best first.
    ///
    /// The method is YAKE (Campos et al. 2020), which needs nothing but the text: a word counts by
    /// its place, its frequency, its capitals, the variety of its neighbours and the sentences that
    /// have it; a phrase counts by its words and its frequency. Forms of a word are one word: `system`
    /// and `systems`. Unlike there, a phrase has no stop words inside, and one that is part of a better
    /// one is left out. The score is 1 / (1 + s) for the s of YAKE.
    ///
    /// Code and tables are not read. In languages without spaces between words, such as Chinese,
    /// what stands between two punctuation marks is taken for one word, so there are few good phrases.
    struct Infer {
        /// A string, a document, or a list of documents.
        from: Input,
        /// The maximum number of phrases.
        #[range(1..=200)]
        top_k: i64 = 10,
        /// The language of the stop words and word forms, as a code of two letters. By default that
        /// of most texts.
        language: Option<Text> = None,
        /// The number of words on each side of a word that are its neighbours.
        #[tune]
        #[range(1..=4)]
        window: i64 = 1,
        /// The maximum number of words of a phrase.
        #[tune]
        #[range(1..=5)]
        ngram: i64 = 3,
        /// The similarity of letters (1 minus the edit distance per letter of the longer phrase) above
        /// which a phrase repeats a better one.
        #[tune]
        #[range(0.5..=1)]
        dedup: f64 = 0.9,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&KeyPhrase::SCHEME, Max::Arg("top_k"));
    const SAYS: &'static [&'static str] = &[
        "key words and phrases of a text",
        "extract keywords from documents",
        "the most important terms of an article",
        "tags for a document",
        "what are these texts about, in keywords",
        "yake or rake for a text",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Key phrases of a text",
            r#""A neural network learns from data. The neural network is trained on a small machine." >> keywords(top_k: 2) >> each { .phrase }"#,
            r#"["neural network learns","data"]"#,
        ),
        Example::ok(
            "In another language",
            r#""Das neuronale Netz lernt aus Daten. Das neuronale Netz ist klein." >> keywords(language: "de", top_k: 1) >> each { .phrase }"#,
            r#"["neuronale Netz lernt"]"#,
        ),
        Example::ok("No words", r#""?!" >> keywords"#, "[]"),
        Example::err(
            "An unknown language",
            r#""A text." >> keywords(language: "xx")"#,
            "unknown language `xx`",
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let size = |it: i64| usize::try_from(it).unwrap_or_default();
        let texts = self.from.0;
        let language = match &self.language {
            Some(code) => known(code)?,
            None => language::most(texts.iter().map(AsRef::as_ref)),
        };
        let mut reading = Reading::new(language, size(self.window), size(self.ngram));
        for text in &texts {
            reading.read(text, cx)?;
        }
        let found = phrases(&reading, self.dedup, size(self.top_k), cx)?;
        let phrase = |it: phrases::Phrase| {
            let count = i64::try_from(it.count).unwrap_or(i64::MAX);
            KeyPhrase { phrase: it.text.into(), score: 1.0 / (1.0 + it.score), count }.encode()
        };
        Ok(Value::List(found.into_iter().map(phrase).collect()))
    }
}

fn known(code: &str) -> Result<Language, OpError> {
    Language::of_code(code).ok_or_else(|| {
        let code: String = code.chars().take(20).collect();
        OpError::invalid_input(format!("unknown language `{code}`"))
            .help("write a code of two letters, such as `en` or `de`, or leave it out")
    })
}
