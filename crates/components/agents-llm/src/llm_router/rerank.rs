//! Hits in the order of a provider's reranking model.

use std::{collections::HashSet, time::Duration};

use serde::{Deserialize, Serialize};
use svc_contract::{
    host::http::Request,
    registry::{
        Asking, Cx, Effect, ErrorKind, Example, Field as _, Io, Items, Known, Limits, Max, Op,
        OpError, Price, Quote, RecordDef as _, Scheme, Scope, Takes,
        documents::{self, Hit},
        params,
    },
    value::{List, Record, Slot, Text, Value},
};

use super::{
    bill::{self, Bill, Bounds, PER_TEXT},
    failure,
    model::{Model, Provider, Task},
    openai,
    question::body,
    talk,
};

/// The most documents, and bytes of documents, of one request.
const MOST_DOCUMENTS: usize = 256;
const MOST_BYTES: usize = 1 << 20;

const TASK: Task = Task {
    what: "reranking model",
    variable: "SVC_MODEL_RERANK",
    example: "openai/BAAI/bge-reranker-v2-m3",
    providers: &[Provider::OpenAi],
};

params! {
    /// Reorders hits by a provider's reranking model, and keeps the best.
    ///
    /// The model reads the question together with each hit. It is asked at `/rerank` of
    /// `OPENAI_BASE_URL`, as Cohere, Jina, vLLM and others serve it; `OPENAI_API_KEY` has its key.
    /// The environment variable `SVC_MODEL_RERANK` names the default model, as `openai/MODEL`.
    ///
    /// The hits are returned best first, unchanged except for `score`, which is the model's. Hits of
    /// several queries are scored each for its own. Hits with equal scores keep their order. An
    /// answer that does not have each hit once is an error. A provider that reports no tokens is
    /// charged as much as was reserved.
    pub(super) struct Rerank {
        /// The documents or passages, as returned by `search` and `rag_retrieval`.
        hits: Items<Hit>,
        /// The number of hits to keep.
        #[range(1..=1_000)]
        keep: i64 = 5,
        /// The question. By default each hit's own query.
        query: Option<Text> = None,
        /// `default`, `provider/model`, or a model's bare name.
        model: Text = "default".into(),
    }
}

impl Op for Rerank {
    const NAME: &'static str = "rerank";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::InputOr("keep"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("llm")), Effect::Spends];
    const PRICE: Price = Price::Quoted(quote);
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const LIMITS: Limits = Limits {
        max_tokens: Some(4_000_000),
        timeout: Some(Duration::from_mins(10)),
        ..Limits::DEFAULT
    };
    const TAKES: Takes = Takes::Usually(Duration::from_secs(1));
    const SAYS: &'static [&'static str] = &[
        "rerank with cohere or jina",
        "rerank hits through a provider",
        "a cross encoder api orders the results",
        "call the rerank endpoint of vllm",
        "reranking scores from an online service",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The model's order",
            r#"let hit = { title: "", path: "x", query: "heat", score: 1.0, snippet: "", start: 0, end: 0 }
[{ ...hit, id: "a", text: "The sky" }, { ...hit, id: "b", text: "Heat in pipes" }]
  >> llm_router.rerank(keep: 1)
  >> each { .id }"#,
            r#"["b"]"#,
        )
        .answered(SERVER, &[BEST]),
        Example::err(
            "A hit that was not sent",
            r#"let hit = { title: "", path: "x", query: "heat", score: 1.0, snippet: "", start: 0, end: 0 }
([{ ...hit, id: "a", text: "The sky" }] >> llm_router.rerank) within { max_retries: 0 }"#,
            "the index 1 for 1 documents",
        )
        .answered(SERVER, &[BEST]),
        Example::err(
            "No model is configured",
            r#"let hit = { title: "", path: "x", query: "heat", score: 1.0, snippet: "", start: 0, end: 0 }
[{ ...hit, id: "a", text: "The sky" }] >> llm_router.rerank"#,
            "no reranking model is configured",
        ),
    ];
}

/// The environment of the examples, and the answer of its server.
const SERVER: &[(&str, &str)] =
    &[("SVC_MODEL_RERANK", "openai/bge"), ("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")];
const BEST: &str = r#"{"results":[{"index":1,"relevance_score":0.9}],"usage":{"total_tokens":12}}"#;

/// A hit as the model reads it.
struct Document<'a> {
    record: &'a Record,
    text: String,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    query: &'a str,
    documents: Vec<&'a str>,
    top_n: usize,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Scored>,
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct Scored {
    index: usize,
    relevance_score: f64,
}

#[derive(Deserialize)]
struct Counted {
    total_tokens: Option<u64>,
}

impl Io for Rerank {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let model = Model::find_for(&TASK, cx.host(), &self.model)?;
        let mut bill = Bill::open(&model, cx)?;
        let keep = usize::try_from(self.keep).unwrap_or_default();
        let mut best: Vec<(f64, Value)> = Vec::new();
        for (query, documents) in queries(&self.hits.0, self.query.as_ref())? {
            let size = |it: &Document<'_>| it.text.len();
            for batch in bill::batches(&documents, MOST_DOCUMENTS, MOST_BYTES, size) {
                let top_n = keep.min(batch.len());
                let request = request(&model, &query, batch, top_n);
                let body = talk::whole(&model, request, bill.usage(cx)?, cx).await?;
                let answer = read(&model, &body, batch.len(), top_n)?;
                let bytes = batch.iter().map(|it| it.text.len()).sum();
                bill.add(answer.usage.and_then(|it| it.total_tokens), bytes);
                best.extend(answer.results.into_iter().map(|it| {
                    let score = it.relevance_score;
                    (score, with_score(batch[it.index].record, &query, score))
                }));
            }
        }
        bill.settle(cx)?;
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(Value::List(best.into_iter().take(keep).map(|(_, hit)| hit).collect()))
    }
}

/// The hits of each query, in their order.
fn queries<'a>(
    hits: &'a List,
    query: Option<&Text>,
) -> Result<Vec<(Text, Vec<Document<'a>>)>, OpError> {
    let mut all: Vec<(Text, Vec<Document<'a>>)> = Vec::new();
    for record in documents::records(hits) {
        let record = record?;
        let own = query.cloned().unwrap_or_else(|| text_of(record, "query"));
        if own.trim().is_empty() {
            let message = "cannot rerank the hits: a hit has no query";
            return Err(OpError::invalid_input(message).help("pass the question as `query`"));
        }
        let (title, text) = (text_of(record, "title"), text_of(record, "text"));
        let text = match title.trim() {
            "" => text.to_string(),
            title if text.starts_with(title) => text.to_string(),
            title => format!("{title}\n{text}"),
        };
        let document = Document { record, text };
        match all.iter_mut().find(|(it, _)| *it == own) {
            Some((_, documents)) => documents.push(document),
            None => all.push((own, vec![document])),
        }
    }
    Ok(all)
}

fn text_of(record: &Record, name: &str) -> Text {
    match record.get(name) {
        Some(Value::Text(it) | Value::Path(it)) => it.clone(),
        _ => Text::default(),
    }
}

fn request(model: &Model, query: &str, batch: &[Document<'_>], top_n: usize) -> Request {
    let documents = batch.iter().map(|it| it.text.as_str()).collect();
    openai::post(model, "rerank", body(&Body { model: &model.name, query, documents, top_n }))
}

/// Reads the scores, in the order of the documents.
fn read(model: &Model, body: &[u8], count: usize, top_n: usize) -> Result<Answer, OpError> {
    let wrong = |why: String| failure::of_protocol(model, &why, &String::from_utf8_lossy(body));
    let mut answer: Answer = serde_json::from_slice(body)
        .map_err(|err| wrong(format!("an answer without scores ({err})")))?;
    let found = answer.results.len();
    // Some servers ignore `top_n`.
    if found != top_n && found != count {
        return Err(wrong(format!("{found} scores for {top_n} of {count} documents")));
    }
    let mut seen = HashSet::new();
    for Scored { index, .. } in &answer.results {
        if *index >= count {
            return Err(wrong(format!("the index {index} for {count} documents")));
        }
        if !seen.insert(*index) {
            return Err(wrong(format!("the index {index} twice")));
        }
    }
    answer.results.sort_by_key(|it| it.index);
    Ok(answer)
}

/// The hit with its new score. The snippet is created when it is first read.
fn with_score(record: &Record, query: &Text, score: f64) -> Value {
    let slot = |name: &Text| match name.as_ref() {
        "score" => Slot::Ready(score.into()),
        "query" => Slot::Ready(query.clone().into()),
        "snippet" => {
            let record = record.clone();
            Slot::deferred(move || record.get("snippet").cloned().unwrap_or_default())
        }
        other => Slot::Ready(record.get(other).cloned().unwrap_or_default()),
    };
    let names = Hit::names();
    let slots = names.iter().map(slot).collect();
    Value::Record(Record::of_slots(names, slots))
}

/// Estimates the usage of a call, if the hits are known and if they are not.
fn quote(asking: &Asking<'_>) -> Result<Quote, OpError> {
    let [hits, _, query, Known::Value(Value::Text(model))] = asking.args else {
        return Err(OpError::invalid_input("`model` is only known at run time"));
    };
    let model = Model::find_for(&TASK, asking.host, model)?;
    Ok(bill::quote(asking, &model, &bounds(hits, query)))
}

/// The question is read once for each hit, which contains it if it is not an argument.
fn bounds(hits: &Known<'_>, query: &Known<'_>) -> Bounds {
    /// The fewest bytes of a hit besides its texts: the names of its fields.
    const AROUND: u64 = 64;
    let sizes = hits.sizes();
    let most_hits = |bytes: u64| match hits {
        Known::Value(Value::List(hits)) => hits.len() as u64,
        _ => bytes / AROUND + 1,
    };
    let most = sizes.most.zip(query.sizes().most).map(|(bytes, query)| {
        let each = query.saturating_add(PER_TEXT);
        bytes.saturating_add(each.saturating_mul(most_hits(bytes)))
    });
    let least = if matches!(hits, Known::Value(_)) { most.unwrap_or_default() } else { 0 };
    Bounds { least, usual_bytes: sizes.usual, most }
}
