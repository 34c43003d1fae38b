//! Finds the passages of documents that answer a question.

mod answer;
mod chunk;
mod passages;
mod places;
mod rank;
mod reply;
mod select;
mod sentences;
mod sources;
#[cfg(test)]
mod tests;
mod verify;

use svc_contract::{
    registry::{
        Bias, Cases, Component, Compute, Cx, Example, Field, Items, Max, Op, OpError,
        RecordDef as _, Scheme, Tool, compute, documents::Hit, params,
    },
    value::{Record, Slot, Text, Value},
};
use svc_text::{snippets::snippet, tokens::bytes};

use answer::Find;
use chunk::Chunk;
use passages::{Sizes, passages};
use rank::{Around, Candidate, Questions};
use reply::Respond;
use select::{Choice, Chosen, select};
use sources::{Source, sources};
use verify::Verify;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_rag",
    cluster: "context-retrieval",
    summary: "Finds the passages of documents that answer a question.",
    version: 6,
    bias: Bias::new(
        "passages by BM25 and MMR",
        &[
            "answers stand in one passage",
            "headings name the subject",
            "the best documents have the best passages",
            "what a source supports, it says in mostly the same words",
        ],
    )
    .judged_by(CASES),
    aliases: &[("rag_retrieval", "infer"), ("verify", "verify")],
    ops: &[
        compute::<Infer>(),
        compute::<Chunk>(),
        compute::<Find>(),
        compute::<Respond>(),
        compute::<Verify>(),
    ],
};

const CASES: Cases = cases!(
    "ctx_rag.jsonl",
    "rag/api.jsonl",
    "rag/camino.jsonl",
    "rag/events.jsonl",
    "rag/garten.jsonl",
    "rag/hut.jsonl",
    "rag/long.jsonl",
    "rag/pumps.jsonl",
    "rag/town.jsonl",
    "rag/velo.jsonl"
);

params! {
    /// Finds the passages that answer a question, in the documents that a search found.
    ///
    /// Documents are cut at headings, blocks and sentences; code and tables stay whole where they
    /// fit. Passages are ranked by BM25 (k1 1.2, b 0.75) over all of them. The title and the
    /// headings above a passage count as part of it, and the rank of the document counts a little;
    /// passages below a tenth of the best score are dropped. So are those that nearly repeat a better
    /// one (`dedupe` says what that means), with a notice. Maximal marginal relevance (Carbonell & Goldstein
    /// 1998) then prefers passages that say something else.
    ///
    /// The results are hits whose `text` is the passage: `id` is the document's with `#` and the
    /// number of the passage, `title` includes the headings (`Guide › Budgets`), `score` is from 0
    /// to 1, and `start` and `end` locate the passage in the file, or the document if its text is
    /// not the file's own, as with PDF. If no word of the question is found, the results are the
    /// beginnings of the best documents, with score 0.
    struct Infer {
        /// The documents to look through, as returned by `search`. Passages work as well.
        hits: Items<Hit>,
        /// The question. By default each hit's own query.
        query: Option<Text> = None,
        /// The maximum number of passages.
        #[range(1..=100)]
        top_k: i64 = 5,
        /// The maximum number of tokens of all passages together, estimated at four bytes per
        /// token.
        #[range(50..=100_000)]
        max_tokens: i64 = 2_000,
        /// The target length of a passage, in tokens. A passage with code or a table may be three
        /// times as long.
        #[tune]
        #[range(30..=2_000)]
        passage_tokens: i64 = 200,
        /// The penalty for similarity to passages already chosen: 0 ranks by relevance alone and
        /// keeps repetitions, 1 by difference alone.
        #[tune]
        #[range(0..=1)]
        diversity: f64 = 0.3,
        /// How much a word in the title and the headings counts, compared to one of the passage.
        #[tune]
        #[range(0.0..=4.0)]
        heading_weight: f64 = 1.0,
        /// How much the score of a long document counts for its passages; their own words count the
        /// rest. In a short document, it counts more.
        #[tune]
        #[range(0.0..=1.0)]
        document_weight: f64 = 0.3,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::Arg("top_k"));
    const SAYS: &'static [&'static str] = &[
        "find the passage that answers a question",
        "relevant excerpts from long reports",
        "paragraphs about a subject",
        "cut documents into passages and pick the best",
        "evidence for an answer",
        "retrieve context for a question",
        "quotes from the documents that were found",
        "pull the parts of a manual that bear on my question",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("retrieve_passages"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The passage that answers a question",
            r##"[{
  id: "guide.md", title: "Guide", path: "guide.md", query: "how are budgets enforced?",
  text: "# Caps\nA budget is enforced by a ledger.\n\n# Colours\nThe sky is blue.",
  score: 1.0, snippet: "", start: 0, end: 68,
}] >> rag_retrieval(top_k: 1) >> each { { id: .id, title: .title, text: .text } }"##,
            r#"[{"id": "guide.md#1", "title": "Guide › Caps",
                 "text": "A budget is enforced by a ledger."}]"#,
        ),
        Example::ok("No documents", "[] >> rag_retrieval", "[]"),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let sources = sources(&self.hits.0, self.query.as_ref())?;
        let choice = Choice {
            top_k: at_least_one(self.top_k),
            max_tokens: at_least_one(self.max_tokens),
            diversity: self.diversity,
        };
        let target = bytes(at_least_one(self.passage_tokens).min(choice.max_tokens));
        let most = target.saturating_mul(3).min(bytes(choice.max_tokens));
        let around = Around { headings: self.heading_weight, document: self.document_weight };
        let candidates = candidates(&sources, Sizes { target, most }, around, cx)?;
        let Chosen { passages, too_long, repeated } = select(candidates, &sources, choice);
        if too_long > 0 {
            cx.notice(format!(
                "{too_long} of the best {} passages were left out: they do not fit in \
                 `max_tokens: {}`",
                passages.len().max(too_long),
                choice.max_tokens
            ));
        }
        match repeated {
            0 => {}
            1 => cx.notice("1 passage was left out: it nearly repeats a better one"),
            _ => cx.notice(format!(
                "{repeated} passages were left out: they nearly repeat better ones"
            )),
        }
        Ok(Value::List(passages.iter().map(|it| it.hit(&sources[it.source])).collect()))
    }
}

fn at_least_one(arg: i64) -> usize {
    usize::try_from(arg).unwrap_or_default().max(1)
}

/// All passages of all documents, scored.
fn candidates(
    sources: &[Source],
    sizes: Sizes,
    around: Around,
    cx: &Cx,
) -> Result<Vec<Candidate>, OpError> {
    /// A few milliseconds of work.
    const BETWEEN_CHECKS: usize = 64;
    let mut questions = Questions::new(sources, around);
    let mut all = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        cx.check()?;
        for (idx, passage) in passages(&source.text, sizes, cx)?.into_iter().enumerate() {
            if idx % BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            all.push(questions.read(at, source, idx + 1, passage));
        }
    }
    questions.score(&mut all, sources);
    Ok(all)
}

impl Candidate {
    fn text<'a>(&self, sources: &'a [Source]) -> &'a str {
        sources[self.source].text.get(self.passage.range.clone()).unwrap_or_default()
    }

    fn hit(&self, source: &Source) -> Value {
        let range = self.passage.range.clone();
        let (start, end) = source.place(range.start, range.end);
        let page = source.page_at(range.start);
        let title = title(source, &self.passage.headings);
        let text: Text = source.text.get(range).unwrap_or_default().into();
        let (shown, query) = (text.clone(), source.query.clone());
        let ready = |it: Value| Slot::Ready(it);
        Value::Record(Record::of_slots(
            Hit::names(),
            vec![
                ready(format!("{}#{}", source.id, self.number).into()),
                ready(title.into()),
                ready(source.path.clone().into()),
                ready(text.into()),
                ready(source.query.clone().into()),
                ready(self.score.into()),
                Slot::deferred(move || snippet(&shown, &query).into()),
                ready(start.into()),
                ready(end.into()),
                ready(page.map_or(Value::Null, Value::Int)),
                ready(source.meta.clone()),
            ],
        ))
    }
}

/// The document's title and the headings above a passage.
fn title(source: &Source, headings: &[Text]) -> String {
    let headings = headings.iter().filter(|it| **it != source.title);
    let parts: Vec<&str> = std::iter::once(&source.title)
        .chain(headings)
        .map(AsRef::as_ref)
        .filter(|it| !it.is_empty())
        .collect();
    parts.join(" › ")
}
