//! Which sentences of an answer its sources support.

use std::ops::Range;

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Max, Op, OpError, Scheme,
        documents::{Cite, Doc},
        params, record,
    },
    value::{List, Record, Text, Value},
};
use svc_text::{
    claims::{Evidence, Judged},
    language,
    plain::plain,
    sentences::sentences,
};

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
        support: f64 = 0.6,
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
        let sources = Sources::read(&places, cx)?;
        let mut verified = Vec::with_capacity(sentences.len());
        for text in sentences {
            cx.check()?;
            verified.push(sources.verified(text, self.support));
        }
        Ok(Value::List(verified.into_iter().map(Verified::encode).collect()))
    }
}

/// The sentences of the passages, ready to be compared.
struct Sources<'a> {
    places: &'a [Place],
    sentences: Vec<(usize, Range<usize>)>,
    evidence: Evidence,
}

impl<'a> Sources<'a> {
    fn read(places: &'a [Place], cx: &Cx) -> Result<Self, OpError> {
        /// A few milliseconds of work.
        const BETWEEN_CHECKS: usize = 64;
        let mut all = Vec::new();
        for (at, place) in places.iter().enumerate() {
            cx.check()?;
            all.extend(place.sentences().map(|it| (at, it)));
        }
        let text = |(at, range): &(usize, Range<usize>)| {
            plain(places[*at].text.get(range.clone()).unwrap_or_default())
        };
        let language = language::most(places.iter().map(|it| it.text.as_ref()));
        let mut evidence = Evidence::of(language);
        for (idx, sentence) in all.iter().enumerate() {
            if idx % BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            evidence.learn(&text(sentence));
        }
        for (idx, sentence) in all.iter().enumerate() {
            if idx % BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            evidence.add(sentence.0, &text(sentence));
        }
        Ok(Self { places, sentences: all, evidence })
    }

    fn verified(&self, text: Text, least: f64) -> Verified {
        let Judged { score, support, faults } = self.evidence.judge(&plain(&text));
        let cite = |it: usize| {
            let (at, range) = &self.sentences[it];
            self.places[*at].cite(range.clone())
        };
        Verified {
            text,
            supported: score >= least,
            score: (score * 1_000.0).round() / 1_000.0,
            sources: support.into_iter().map(cite).collect(),
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
        let without = without_numbers(text);
        let found = sentences(&without).filter_map(|it| without.get(it));
        self.sentences
            .extend(found.filter(|it| it.contains(char::is_alphanumeric)).map(Text::from));
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

/// The text without numbers of sources, such as `[1]`, so that they do not begin a sentence.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" [") {
        let number = after.split(']').next().unwrap_or_default();
        let is_number = number.len() < after.len()
            && !number.is_empty()
            && number.bytes().all(|it| it.is_ascii_digit());
        out.push_str(before);
        rest = if is_number {
            after.get(number.len() + 1..).unwrap_or_default()
        } else {
            out.push_str(" [");
            after
        };
    }
    out.push_str(rest);
    out
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
