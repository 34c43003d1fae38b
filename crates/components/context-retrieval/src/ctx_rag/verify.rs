//! Which sentences of an answer its sources support.

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Max, Op, OpError, Scheme,
        documents::{Cite, Doc},
        params, record,
    },
    value::{List, Record, Text, Value},
};
use svc_text::claims::{Judged, SUPPORTED, Sources, claims_of};

use super::places::Place;

record! {
    /// A sentence, and whether its sources support it.
    struct Verified {
        /// The sentence.
        text: Text,
        /// Whether the sources say so.
        supported: bool,
        /// How much of it the sources support, from 0 to 1.
        score: f64,
        /// The one or two sentences of the sources that are nearest to it.
        sources: Vec<Cite>,
        /// What disagrees with the sources or is not in them; empty if there is nothing.
        why: Text,
    }
}

record! {
    /// A sentence, or several.
    struct Claim {
        /// The text.
        text: Text,
    }
}

record! {
    /// Sentences to check.
    struct Claims {
        /// The sentences.
        sentences: Vec<Claim>,
    }
}

params! {
    /// Checks which sentences of an answer its sources support, without a model.
    ///
    /// Each sentence is compared with the one or two sentences of the passages that have most of its
    /// words. Rare words count more than frequent ones. Numbers with their units, dates, names,
    /// negations (in English, German, Spanish, French and Chinese) and opposites must agree with what
    /// stands at the same place of the source: one that does not outweighs all words that do. So a
    /// changed number, a name that took the place of another one and a `not` more or less make a
    /// sentence unsupported, but a shorter sentence, two joined ones and another order do not.
    ///
    /// What only the meaning of words reveals is not seen: a sentence in quite other words counts as
    /// unsupported, and one that draws a wrong conclusion from the right words as supported.
    pub(super) struct Verify {
        /// The answer: a string, which is cut into sentences, the result of `answer` or `summary`, or
        /// a list of sentences.
        answer: Answered,
        /// The documents or passages that should support it, or their texts. By default those that
        /// the sentences of the answer cite.
        passages: Option<Passages> = None,
        /// The score from which on a sentence counts as supported.
        #[tune]
        #[range(0.0..=1.0)]
        support: f64 = SUPPORTED,
    }
}

impl Op for Verify {
    const NAME: &'static str = "verify";
    const YIELDS: Scheme = Scheme::List(&Verified::SCHEME, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "check an answer against its sources",
        "which sentences have no support",
        "find made-up facts in a text",
        "detect hallucinations of a language model",
        "is this claim in the documents",
        "fact-check a summary with the passages",
        "are the numbers and names those of the source",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A number that the source does not have",
            r#""The bridge opened in 1937. It is 2,000 metres long."
  >> verify(passages: ["The bridge, which opened in 1937, is 2,737 metres long."])
  >> each { { text: .text, supported: .supported } }"#,
            r#"[{"text": "The bridge opened in 1937.", "supported": true},
                {"text": "It is 2,000 metres long.", "supported": false}]"#,
        ),
        Example::ok(
            "The reason",
            r#""The bridge was not opened in 1937."
  >> verify(passages: ["The bridge was opened in 1937."])
  >> each { .why }"#,
            r#"["`not` is not in the source"]"#,
        ),
        Example::ok("Nothing to check", r#""" >> verify(passages: ["A text."])"#, "[]"),
        Example::err(
            "No sources",
            r#""The bridge opened in 1937." >> verify"#,
            "cites no passages",
        ),
    ];
}

impl Compute for Verify {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Answered { sentences, cited } = self.answer;
        let places = self.passages.map_or(cited, |it| it.0);
        if places.is_empty() && !sentences.is_empty() {
            return Err(OpError::invalid_input("the answer cites no passages")
                .help("add `passages:`, for example the result of `rag_retrieval`"));
        }
        let texts: Vec<&str> = places.iter().map(|it| it.text.as_ref()).collect();
        let sources = Sources::read(&texts, || cx.check())?;
        let mut verified = Vec::with_capacity(sentences.len());
        for text in sentences {
            cx.check()?;
            verified.push(Verified::of(text, self.support, &sources, &places));
        }
        Ok(Value::List(verified.into_iter().map(Verified::encode).collect()))
    }
}

impl Verified {
    fn of(text: Text, least: f64, sources: &Sources, places: &[Place]) -> Self {
        let Judged { score, support, faults } = sources.judge(&text);
        let cite = |it: usize| {
            let (at, range) = sources.place(it)?;
            Some(places.get(at)?.cite(range))
        };
        Self {
            text,
            supported: score >= least,
            score: (score * 1_000.0).round() / 1_000.0,
            sources: support.into_iter().filter_map(cite).collect(),
            why: faults.join("; ").into(),
        }
    }
}

/// The sentences of an answer, and what they cite.
#[derive(Clone, Debug, Default)]
struct Answered {
    sentences: Vec<Text>,
    cited: Vec<Place>,
}

impl Field for Answered {
    const SCHEME: Scheme = Scheme::OneOf(&[
        Scheme::Text,
        Claims::SCHEME,
        Claim::SCHEME,
        Scheme::List(&Claim::SCHEME, Max::Unknown),
        Scheme::List(&Scheme::Text, Max::Unknown),
    ]);

    fn decode(value: Value) -> Option<Self> {
        let mut answered = Self::default();
        match value {
            Value::Text(text) => answered.add_text(&text),
            Value::List(items) => answered.add_list(&items)?,
            Value::Record(it) => match (it.get("sentences"), it.get("text")) {
                (Some(Value::List(items)), _) => answered.add_list(items)?,
                (_, Some(Value::Text(text))) => answered.add_text(text),
                _ => return None,
            },
            _ => return None,
        }
        Some(answered)
    }

    fn encode(self) -> Value {
        Value::List(self.sentences.into_iter().map(Value::Text).collect())
    }
}

impl Answered {
    fn add_text(&mut self, text: &str) {
        self.sentences.extend(claims_of(text).into_iter().map(Text::from));
    }

    fn add_list(&mut self, items: &List) -> Option<()> {
        for item in items {
            match item {
                Value::Text(it) => self.sentences.push(it.clone()),
                Value::Record(it) => self.add_record(it)?,
                _ => return None,
            }
        }
        Some(())
    }

    fn add_record(&mut self, record: &Record) -> Option<()> {
        let Some(Value::Text(text)) = record.get("text") else { return None };
        self.sentences.push(text.clone());
        if let Some(Value::List(cites)) = record.get("sources") {
            let cited = cites.iter().filter_map(|it| Place::of(it.as_record()?));
            self.cited.extend(cited);
        }
        Some(())
    }
}

/// What should support an answer.
#[derive(Clone, Debug)]
struct Passages(Vec<Place>);

impl Field for Passages {
    const SCHEME: Scheme = Scheme::OneOf(&[
        Scheme::List(&Doc::SCHEME, Max::Unknown),
        Scheme::List(&Scheme::Text, Max::Unknown),
    ]);

    fn decode(value: Value) -> Option<Self> {
        let Value::List(items) = value else { return None };
        let place = |it: &Value| match it {
            Value::Text(text) => Some(Place::unnamed(text.clone())),
            other => Place::of(other.as_record()?),
        };
        items.iter().map(place).collect::<Option<_>>().map(Self)
    }

    fn encode(self) -> Value {
        let text = |it: Place| Value::Text(it.text);
        Value::List(self.0.into_iter().map(text).collect())
    }
}
