//! Reorders hits by their meaning, with a sentence encoder.

use std::collections::HashMap;

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Items, Limits, Max, Op, OpError,
        RecordDef as _, Scheme, Scope,
        documents::{self, Hit},
        params,
    },
    value::{Record, Slot, Text, Value},
};

use crate::meaning::{Given, cosine, titled};

params! {
    /// Reorders hits by how near their meaning is to that of the question, and keeps the best.
    ///
    /// A hit may say the same in other words. The score is the cosine of the vectors of the question
    /// and of the hit's title and text, from -1 to 1, by a model as for `vectors`. With an encoder, only the beginning of a long text counts, so cut long documents into
    /// passages first. A hit of 200 words takes a tenth of a second or more.
    ///
    /// Words and meaning together are better than each: fuse this ranking with the given one by
    /// `rerank.fuse(method: "combsum")`. Hits with equal scores keep their order.
    /// Fails as `vectors` does.
    pub(super) struct ByMeaning {
        /// The documents or passages, as returned by `search` and `rag_retrieval`.
        hits: Items<Hit>,
        /// The folder of a sentence encoder, or what `vectors.learn` returned.
        model: Given,
        /// The number of hits to keep.
        #[range(1..=1_000)]
        keep: i64 = 10,
        /// The question. By default each hit's own query.
        query: Option<Text> = None,
    }
}

impl Op for ByMeaning {
    const NAME: &'static str = "by_meaning";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::InputOr("keep"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("model"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "rank hits by meaning",
        "semantic reranking with local weights",
        "order passages by embedding similarity",
        "find what says the same in other words",
        "dense retrieval over the hits of a search",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("No hits", r#"[] >> by_meaning(model: "all-MiniLM-L6-v2")"#, "[]"),
        Example::err(
            "A folder that does not exist",
            r#"let hit = { id: "a", path: "x", title: "", text: "cats", query: "pets", score: 1.0, snippet: "", start: 0, end: 0 }
[hit] >> by_meaning(model: "nowhere")"#,
            "nowhere/config.json",
        ),
    ];
}

impl Compute for ByMeaning {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let hits = documents::records(&self.hits.0).collect::<Result<Vec<_>, _>>()?;
        if hits.is_empty() {
            return Ok(Value::List(Vec::new().into()));
        }
        let space = self.model.read(cx)?;
        let query_of = |it: &Record| self.query.clone().unwrap_or_else(|| text(it, "query"));
        let mut queries: Vec<Text> = hits.iter().map(|it| query_of(it)).collect();
        queries.sort();
        queries.dedup();
        let wanted = space.vectors(&queries, cx)?;
        let wanted: HashMap<&Text, Vec<f32>> = queries.iter().zip(wanted).collect();
        let texts: Vec<String> =
            hits.iter().map(|it| titled(&text(it, "title"), &text(it, "text"))).collect();
        let vectors = space.vectors(&texts, cx)?;
        let scored = hits.into_iter().zip(vectors).map(|(hit, vector)| {
            let query = query_of(hit);
            (cosine(&wanted[&query], &vector), query, hit)
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let keep = usize::try_from(self.keep).unwrap_or_default();
        Ok(Value::List(scored.into_iter().take(keep).map(with_score).collect()))
    }
}

fn text(hit: &Record, name: &str) -> Text {
    match hit.get(name) {
        Some(Value::Text(it)) => it.clone(),
        _ => Text::default(),
    }
}

/// A hit with a new score, and the query that it was found for.
fn with_score((score, query, hit): (f64, Text, &Record)) -> Value {
    let value = |name: &Text| match name.as_ref() {
        "score" => Slot::Ready(score.into()),
        "query" => Slot::Ready(query.clone().into()),
        "snippet" => {
            let hit = hit.clone();
            Slot::deferred(move || hit.get("snippet").cloned().unwrap_or_default())
        }
        other => Slot::Ready(hit.get(other).cloned().unwrap_or_default()),
    };
    let names = Hit::names();
    let slots = names.iter().map(value).collect();
    Value::Record(Record::of_slots(names, slots))
}
