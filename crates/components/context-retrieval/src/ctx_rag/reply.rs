//! A reply to a question of a conversation: sentences of documents, or that they do not answer.

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Items, Op, OpError, Scheme,
        documents::{self, Cite, Hit},
        params, record,
    },
    value::{Record, Text, Value},
};
use svc_text::answers::{Library, Reply, Sentence, Source};

use super::{at_least_one, places::Place};

/// The confidence from which on a reply counts as an answer.
const LEAST: f64 = 0.68;

record! {
    /// A document that is near to a question.
    struct Near {
        /// The sentence that is nearest.
        text: Text,
        /// Its title, with the headings above the nearest sentence (`Guide › Budgets`).
        title: Text,
        /// The path of the file that contains it.
        path: Text,
    }
}

record! {
    /// A sentence of a document.
    struct Said {
        /// The sentence, without markup.
        text: Text,
        /// The title of its document, with the headings above it (`Guide › Budgets`).
        title: Text,
        /// The path of the file that contains it.
        path: Text,
        /// Where it stands.
        sources: Vec<Cite>,
    }
}

record! {
    /// What documents say to a question.
    struct Replied {
        /// The sentences that answer, as they stand in the documents; empty if none does.
        text: Text,
        /// Whether the documents answer the question.
        found: bool,
        /// The probability that the sentences answer, from 0 to 1.
        confidence: f64,
        /// The sentences, each with its place.
        sentences: Vec<Said>,
        /// The documents that are nearest to the question, the best first, at most three.
        nearest: Vec<Near>,
        /// The words of the question that no document has, in lower case.
        unknown: Vec<Text>,
    }
}

params! {
    /// Answers a question from documents with one to three of their sentences, or says that they do
    /// not answer it, without a model.
    ///
    /// The words of the question, their forms, usual synonyms and words with a typo are looked for
    /// in each sentence, its neighbours, its paragraph with the headings above it, and its document.
    /// Rare words, names and numbers count more. A sentence also counts by having what is asked for:
    /// a number with a unit after `how tall`, a time after `when`, a name after `who`. A heading comes
    /// with what is below it, a question with its answer, and a sentence with a colon with its list. A
    /// question such as `which is the cheapest?` finds the row of a table with the lowest number, and
    /// one that compares two things gets a sentence about each. Two logistic models choose the
    /// sentences and give the probability that they answer; they were fitted to questions in English
    /// with known answers, a third of which have none in the documents.
    ///
    /// A short question such as `and in 2019?` is read with the last question of `history`.
    /// `found` is false if the confidence is below `least`; then `text` is empty, and `nearest` has
    /// the nearest sentence of each document that is about the subject. Read whole documents, as `search` returns them:
    /// how rare a word is depends on all of them.
    pub(super) struct Respond {
        /// The documents or passages, as returned by `search` or `rag_retrieval`.
        hits: Items<Hit>,
        /// The question. By default the query of the best hit.
        query: Option<Text> = None,
        /// The earlier questions of the conversation, the last one last.
        history: Vec<Text> = Vec::new(),
        /// The maximum number of sentences.
        #[range(1..=10)]
        max_sentences: i64 = 3,
        /// The confidence from which on a reply counts as an answer: higher, fewer wrong answers;
        /// lower, fewer questions without one.
        #[tune]
        #[range(0.0..=1.0)]
        least: f64 = LEAST,
    }
}

impl Op for Respond {
    const NAME: &'static str = "reply";
    const YIELDS: Scheme = Replied::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "how sure is the answer from the documents",
        "decline a question that the documents do not answer",
        "say that nothing was found instead of guessing",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A question and its answer",
            r##"[{
  id: "bridge.md", title: "Bridge", path: "bridge.md", query: "when was the bridge opened?",
  text: "# History\nIt is red. The bridge was opened in May 1937. Cars pay a toll of $9.",
  score: 1.0, snippet: "", start: 0, end: 75,
}] >> ctx_rag.reply(max_sentences: 1) >> { text: .text, found: .found }"##,
            r#"{"text": "The bridge was opened in May 1937.", "found": true}"#,
        ),
        Example::ok(
            "A question that the documents do not answer",
            r##"[{
  id: "bridge.md", title: "Bridge", path: "bridge.md", query: "who painted the bridge?",
  text: "# History\nThe bridge was opened in May 1937. Cars pay a toll of $9.",
  score: 1.0, snippet: "", start: 0, end: 64,
}] >> ctx_rag.reply >> { found: .found, nearest: .nearest, unknown: .unknown }"##,
            r#"{"found": false, "unknown": ["painted"],
                "nearest": [{"text": "The bridge was opened in May 1937.",
                    "title": "Bridge › History", "path": "bridge.md"}]}"#,
        ),
        Example::ok(
            "No documents",
            r#"[] >> ctx_rag.reply(query: "why?") >> { found: .found, confidence: .confidence }"#,
            r#"{"found": false, "confidence": 0.0}"#,
        ),
    ];
}

impl Compute for Respond {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let hits: Vec<&Record> = documents::records(&self.hits.0).collect::<Result<_, _>>()?;
        let first = || hits.first().map(|it| text(it, "query"));
        let question = self.query.as_deref().or_else(first).unwrap_or_default();
        let sources: Vec<Source> = hits
            .iter()
            .map(|it| Source { title: text(it, "title"), text: text(it, "text") })
            .collect();
        let history: Vec<&str> = self.history.iter().map(AsRef::as_ref).collect();
        let library = Library::read(&sources, || cx.check())?;
        cx.check()?;
        let reply = library.answer(question, &history, at_least_one(self.max_sentences));
        Ok(replied(reply, &hits, self.least).encode())
    }
}

fn text<'a>(record: &'a Record, name: &str) -> &'a str {
    match record.get(name) {
        Some(Value::Text(it) | Value::Path(it)) => it,
        _ => "",
    }
}

fn replied(reply: Reply, hits: &[&Record], least: f64) -> Replied {
    let Reply { sentences, confidence, unknown, nearest } = reply;
    let found = confidence >= least && !sentences.is_empty();
    let shown = if found { sentences } else { Vec::new() };
    let title = |source: usize, headings: &[String]| -> Text {
        let title = text(hits[source], "title");
        let below = headings.iter().map(String::as_str).filter(|it| *it != title && !it.is_empty());
        std::iter::once(title).chain(below).collect::<Vec<_>>().join(" › ").into()
    };
    let near = |it: &Sentence| Near {
        text: with_heading(it).into(),
        title: title(it.source, &it.headings),
        path: text(hits[it.source], "path").into(),
    };
    let said = |it: &Sentence| Said {
        text: with_heading(it).into(),
        title: title(it.source, &it.headings),
        path: text(hits[it.source], "path").into(),
        sources: vec![Place::of(hits[it.source]).unwrap_or_default().cite(it.range.clone())],
    };
    let texts: Vec<String> = shown.iter().map(with_heading).collect();
    Replied {
        text: texts.join(" ").into(),
        found,
        confidence: (confidence * 1_000.0).round() / 1_000.0,
        sentences: shown.iter().map(said).collect(),
        nearest: nearest.iter().map(near).collect(),
        unknown: unknown.into_iter().map(Text::from).collect(),
    }
}

/// The fewest words of a sentence that is understood without its heading.
const WHOLE: usize = 6;

/// A sentence; an item of a list after its heading, as `Removed: Support for old browsers.`
fn with_heading(it: &Sentence) -> String {
    let is_part = it.text.split_whitespace().count() < WHOLE && !it.text.contains(": ");
    match it.headings.last().filter(|heading| is_part && **heading != it.text) {
        Some(heading) if heading.ends_with(['?', '!', '.', ':']) => {
            format!("{heading} {}", it.text)
        }
        Some(heading) => format!("{heading}: {}", it.text),
        None => it.text.clone(),
    }
}
