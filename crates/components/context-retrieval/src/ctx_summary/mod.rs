//! Condenses documents to their most important sentences.

mod candidates;
mod choose;
mod headline;
mod input;
mod lexrank;
mod pattern;
mod question;
mod show;
#[cfg(test)]
mod tests;

use svc_contract::{
    registry::{
        Bias, Cases, Component, Compute, Cx, Example, Field, Op, OpError, Scheme, Tool, choices,
        compute, params, record,
    },
    value::{Text, Value},
};
use svc_text::{
    language,
    stems::{Term, Vocabulary},
    vectors::vectors,
};

use candidates::{Sentence, candidates};
use choose::{Room, choose};
use headline::Headline;
use input::Input;
use lexrank::lexrank;
use question::{question, walk};
use show::show;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_summary",
    cluster: "context-retrieval",
    summary: "Condenses documents to their most important sentences.",
    version: 2,
    bias: Bias::new(
        "lexrank",
        &[
            "what many sentences say matters",
            "headings name the subject of their sentences",
            "a sentence is clear without those around it",
        ],
    )
    .judged_by(CASES),
    aliases: &[("summary", "infer")],
    ops: &[compute::<Infer>(), compute::<Headline>()],
};

const CASES: Cases = cases!("ctx_summary.jsonl");

record! {
    /// A summary and its sources.
    struct Summary {
        /// The sentences, taken from the documents verbatim, without their markup.
        text: Text,
        /// The meaning of the numbers in brackets: `path (title)` of each document, in the order in
        /// which they are cited. A string has no source.
        sources: Vec<Text>,
    }
}

choices! {
    enum Style { Paragraph = "paragraph", Bullets = "bullets", Short = "short" }
}

params! {
    /// Takes the most important sentences from a text, a document or several documents.
    ///
    /// The method is `LexRank` (Erkan & Radev 2004: continuous, idf-modified cosine, power
    /// iteration to 1e-6). With a question it is biased `LexRank` (Otterbacher et al. 2005), and
    /// the summary begins with the sentence that answers best; sentences unrelated to the question
    /// are left out. A near-duplicate of another sentence is dropped: the cosine is above `redundancy`, or they
    /// differ only in numbers, or in one of at least six words. Sentences of a document keep their
    /// order. Of more than 1,000 sentences, those with words of the
    /// question are considered first, then the first ones of each document.
    ///
    /// Headings, code, tables, lists of links and boilerplate are never chosen. Empty input returns
    /// an empty text and no sources. The same input always returns the same summary.
    struct Infer {
        /// What to summarise: a string, a document, or a list of documents or hits.
        from: Input,
        /// The maximum number of sentences.
        #[range(1..=50)]
        max_sentences: i64 = 5,
        /// The maximum number of words. A single longer sentence is cut.
        #[range(10..=5_000)]
        max_words: i64 = 150,
        /// One paragraph, a list with one sentence per line, or a paragraph of at most two
        /// sentences.
        style: Style = Style::Paragraph,
        /// Adds the number of the source, such as `[1]`, after each sentence. The sources are
        /// listed in any case.
        cite: bool = true,
        /// The question that the summary should answer. By default the query of the incoming hits;
        /// documents and strings have none.
        query: Option<Text> = None,
        /// The similarity (cosine) from which on two sentences support each other.
        #[tune]
        #[range(0.0..=0.5)]
        threshold: f64 = 0.0,
        /// How much a sentence counts more the earlier it is in its document: the first one this
        /// share more than the last one.
        #[tune]
        #[range(0.0..=1.0)]
        position: f64 = 0.0,
        /// The similarity (cosine) above which a sentence repeats another one.
        #[tune]
        #[range(0.0..=1.0)]
        redundancy: f64 = 0.6,
        /// How much the words of the question count; what other sentences say counts the rest.
        #[tune]
        #[range(0.0..=1.0)]
        question: f64 = 0.7,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Summary::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "summarise a document",
        "the gist of a long text",
        "condense several articles",
        "boil a report down to a few sentences",
        "tl;dr",
        "the essence of a paper",
        "sum up a long article in a nutshell",
        "make a long text short",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("summarize_text"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The sentence that answers comes first",
            r##"[{ id: "guide.md", title: "Guide", path: "guide.md",
   text: "# Caps\nThe sky above the sea is blue. A budget is enforced by a ledger." }]
  >> summary(query: "how are budgets enforced?", max_sentences: 1)"##,
            r#"{"text": "A budget is enforced by a ledger. [1]",
                "sources": ["guide.md (Guide)"]}"#,
        ),
        Example::ok(
            "A string has no sources",
            r#""Cats sleep all day long. Dogs bark." >> summary(max_sentences: 1)"#,
            r#"{"text": "Cats sleep all day long.", "sources": []}"#,
        ),
        Example::ok("No documents", "[] >> summary", r#"{"text": "", "sources": []}"#),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let docs = &self.from.0;
        let mut words = Vocabulary::of(language::most(docs.iter().map(|it| it.text.as_ref())));
        let asked = words.question(&question(docs, self.query.as_ref()));
        let sentences = candidates(docs, &asked, &mut words, cx)?;
        let terms: Vec<Vec<Term>> = sentences.iter().map(|it| it.terms.clone()).collect();
        let vectors = vectors(&terms);
        let walk = walk(&sentences, docs, &asked, self.question);
        let mut ranks = lexrank(&vectors, &walk, self.threshold, cx)?;
        for (rank, it) in ranks.iter_mut().zip(&sentences) {
            *rank *= it.bearing(walk.is_answer) * self.earliness(it, &docs[it.doc].text);
        }
        let chosen = choose(&sentences, &vectors, &ranks, self.room(walk.is_answer));
        Ok(show(docs, &sentences, &chosen, &self).encode())
    }
}

impl Infer {
    /// What a sentence counts by its place in a text.
    #[expect(clippy::cast_precision_loss, reason = "places are not exact")]
    fn earliness(&self, sentence: &Sentence, text: &str) -> f64 {
        1.0 + self.position * (1.0 - sentence.at as f64 / text.len().max(1) as f64)
    }

    fn room(&self, is_answer: bool) -> Room {
        let count = |it: i64| usize::try_from(it).unwrap_or_default();
        let sentences = match self.style {
            Style::Short => count(self.max_sentences).min(2),
            Style::Paragraph | Style::Bullets => count(self.max_sentences),
        };
        Room { sentences, words: count(self.max_words), is_answer, redundancy: self.redundancy }
    }
}
