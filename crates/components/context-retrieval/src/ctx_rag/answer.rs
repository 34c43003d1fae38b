//! The sentences of passages that answer a question, each with its place.

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Items, Op, OpError, Scheme,
        documents::{self, Cite, Hit, Span},
        params, record,
    },
    value::{Record, Text, Value},
};

use super::{
    at_least_one,
    places::Place,
    sentences::{Candidate, Wanted, candidates, choose},
};

record! {
    /// A sentence of an answer, and what supports it.
    struct Sentence {
        /// The sentence, without markup.
        text: Text,
        /// Where it stands; more than one place if several documents say the same.
        sources: Vec<Cite>,
    }
}

record! {
    /// An answer of sentences from the documents.
    struct Found {
        /// The sentences, the one that answers best first.
        answer: Text,
        /// The words of `answer` that answer the question, if it asks for a number, a time, a name or
        /// a place. Its positions are bytes of `answer`.
        span: Option<Span>,
        /// How much of the question the first sentence covers, from 0 to 1.
        confidence: f64,
        /// Where the sentences stand.
        sources: Vec<Cite>,
        /// The sentences, each with its own sources.
        sentences: Vec<Sentence>,
    }
}

params! {
    /// Answers a question with sentences of passages, each with its place, without a model.
    ///
    /// A sentence counts by the words of the question in it (by idf over all sentences, less for those
    /// in its headings and in the sentence before it), by the score of its passage, and by whether it
    /// has what the question asks for: a number after `how many`, a date after `when`, a name after
    /// `who` and `where`. Repetitions are dropped, and so are sentences with less than half of the
    /// score of the best one.
    ///
    /// Every sentence has sources: `text` of a source is the piece of the document from `start` to
    /// `end`, in bytes. These are positions in the file if the document's text is the file's own, as
    /// with Markdown, and otherwise in the document's text, as with PDF. `page` is the page of it.
    /// `verify` accepts the result. No passage with a word of the question gives an empty answer.
    pub(super) struct Find {
        /// The passages or documents, as returned by `rag_retrieval` or `search`.
        hits: Items<Hit>,
        /// The question. By default the query of the best hit.
        query: Option<Text> = None,
        /// The maximum number of sentences.
        #[range(1..=20)]
        max_sentences: i64 = 3,
    }
}

impl Op for Find {
    const NAME: &'static str = "answer";
    const YIELDS: Scheme = Found::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "answer a question with exact quotes",
        "the sentences that answer, with their pages",
        "where in the documents does it say so",
        "an answer whose sentences cite their sources",
        "who, when or how many, from the documents",
        "short answer to a factual question",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The sentence, its place and the words that answer",
            r##"[{
  id: "bridge.md", title: "Bridge", path: "bridge.md", query: "when was the bridge opened?",
  text: "# History\nIt is red. The bridge was opened in May 1937.",
  score: 1.0, snippet: "", start: 0, end: 55,
}] >> ctx_rag.answer >> { answer: .answer, span: .span?.text, places: .sources >> each { [.start, .end] } }"##,
            r#"{"answer": "The bridge was opened in May 1937.", "span": "May 1937",
                "places": [[21, 55]]}"#,
        ),
        Example::ok(
            "No passages",
            "[] >> ctx_rag.answer >> { answer: .answer, confidence: .confidence }",
            r#"{"answer": "", "confidence": 0.0}"#,
        ),
    ];
}

impl Compute for Find {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let hits: Vec<&Record> = documents::records(&self.hits.0).collect::<Result<_, _>>()?;
        let wanted =
            Wanted::of(&self.query.map_or_else(|| first_query(&hits), |it| it.to_string()));
        let places: Vec<Place> = hits.iter().map(|it| Place::of(it).unwrap_or_default()).collect();
        let titles: Vec<&str> = hits.iter().map(|it| text(it, "title")).collect();
        let scores: Vec<f64> = hits.iter().map(|it| score(it)).collect();
        let all = candidates(&places, &titles, &scores, &wanted, cx)?;
        let chosen = choose(&all, at_least_one(self.max_sentences));
        Ok(answer(&chosen, &places, &wanted).encode())
    }
}

fn first_query(hits: &[&Record]) -> String {
    let best = hits.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
    best.map_or_else(String::new, |it| text(it, "query").to_owned())
}

fn text<'a>(record: &'a Record, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
fn score(record: &Record) -> f64 {
    match record.get("score") {
        Some(Value::Float(it)) if it.is_finite() => it.max(0.0),
        Some(Value::Int(it)) => (*it as f64).max(0.0),
        _ => 0.0,
    }
}

fn answer(chosen: &[Vec<&Candidate>], places: &[Place], wanted: &Wanted) -> Found {
    let cite = |it: &&Candidate| places[it.place].cite(it.range.clone());
    let sentences: Vec<Sentence> = chosen
        .iter()
        .filter_map(|same| {
            let sources = same.iter().map(cite).collect();
            Some(Sentence { text: same.first()?.text.as_str().into(), sources })
        })
        .collect();
    let texts: Vec<&str> = sentences.iter().map(|it| it.text.as_ref()).collect();
    let said = texts.join(" ");
    let span = texts.first().and_then(|it| wanted.span(it)).map(|range| Span {
        start: i64::try_from(range.start).unwrap_or(i64::MAX),
        end: i64::try_from(range.end).unwrap_or(i64::MAX),
        text: said.get(range).unwrap_or_default().into(),
    });
    let first = chosen.first().and_then(|it| it.first());
    Found {
        span,
        confidence: first.map_or(0.0, |it| (it.covered * 1_000.0).round() / 1_000.0),
        sources: sentences.iter().flat_map(|it| it.sources.clone()).collect(),
        answer: said.into(),
        sentences,
    }
}
