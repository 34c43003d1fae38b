//! Reorders hits by their meaning, with a sentence encoder.

use std::{collections::HashMap, path::PathBuf};

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Items, Limits, Max, Op, OpError,
        Scheme, Scope, documents::Hit, params,
    },
    value::{Text, Value},
};

use super::{Candidate, candidates, size};
use crate::ctx_vectors::encoder;

params! {
    /// Reorders hits by how near their meaning is to that of the question, and keeps the best.
    ///
    /// A hit may say the same in other words. The score is the cosine of the vectors of the question
    /// and of the hit's title and text, from -1 to 1, by a sentence encoder on this machine: `model` is
    /// a folder as for `vectors`. Only the beginning of a long text counts, so cut long documents into
    /// passages first. A hit of 200 words takes a tenth of a second or more.
    ///
    /// Words and meaning together are better than each: fuse this ranking with the given one by
    /// `rerank.fuse(method: "combsum")`. Duplicate hits are merged, and hits with equal scores keep
    /// their order. Fails as `vectors` does.
    pub(super) struct ByMeaning {
        /// The documents or passages, as returned by `search` and `rag_retrieval`.
        hits: Items<Hit>,
        /// The folder of the model.
        model: PathBuf,
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
        Example::ok("No hits", r#"[] >> rerank.by_meaning(model: "all-MiniLM-L6-v2")"#, "[]"),
        Example::err(
            "A folder that does not exist",
            r#"let hit = { id: "a", path: "x", title: "", text: "cats", query: "pets", score: 1.0, snippet: "", start: 0, end: 0 }
[hit] >> rerank.by_meaning(model: "nowhere")"#,
            "nowhere/config.json",
        ),
    ];
}

impl Compute for ByMeaning {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut candidates = candidates(&self.hits.0, self.query.as_ref())?;
        if candidates.is_empty() {
            return Ok(Value::List(Vec::new().into()));
        }
        let encoder = encoder::read(&self.model, cx)?;
        let mut queries: Vec<Text> = candidates.iter().map(|it| it.query.clone()).collect();
        queries.sort();
        queries.dedup();
        let wanted = encoder::vectors(&encoder, &queries, cx)?;
        let wanted: HashMap<&Text, Vec<f32>> = queries.iter().zip(wanted).collect();
        let texts: Vec<String> = candidates.iter().map(titled).collect();
        let vectors = encoder::vectors(&encoder, &texts, cx)?;
        for (candidate, vector) in candidates.iter_mut().zip(vectors) {
            let query = wanted.get(&candidate.query).map_or(&[][..], Vec::as_slice);
            let cosine: f32 = query.iter().zip(&vector).map(|(a, b)| a * b).sum();
            candidate.score = f64::from(cosine).clamp(-1.0, 1.0);
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Value::List(candidates.into_iter().take(size(self.keep)).map(Candidate::hit).collect()))
    }
}

/// The text of a hit with its title before it, unless it begins with it.
fn titled(candidate: &Candidate) -> String {
    let (title, text) = (candidate.title.trim(), candidate.text.trim_start_matches(['#', ' ']));
    if text.starts_with(title) { text.to_owned() } else { format!("{title}\n{text}") }
}
