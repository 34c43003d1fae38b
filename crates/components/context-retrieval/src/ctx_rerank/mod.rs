//! Reorders hits by a closer look at each.

mod evidence;
mod features;
mod fuse;
mod learn;

use svc_contract::{
    registry::{
        Bias, Cases, Component, Compute, Cx, Example, Field, Items, Limits, Max, Op, OpError,
        RecordDef as _, Scheme, State as _, Tool, Trained, compute,
        documents::{self, Hit, Judged},
        load, params, save,
    },
    value::{List, Record, Slot, Text, Value},
};

use learn::{Own, Weights};

const NAME: &str = "ctx_rerank";
const VERSION: u32 = 4;

/// The weights of the incoming score, of the title, of words next to each other and of the likeness to
/// the best hits, unless they are set or learnt.
const GIVEN: f64 = 0.7;
const TITLE: f64 = 0.0125;
const ORDERED: f64 = 0.035;
const SIMILAR: f64 = 0.28;

pub(super) const COMPONENT: Component = Component {
    name: NAME,
    cluster: "context-retrieval",
    summary: "Reorders hits by a closer look at each, and fuses rankings.",
    version: VERSION,
    bias: Bias::new(
        "given score and likeness to the best hits",
        &[
            "the search before it is mostly right",
            "answers to one question resemble each other",
            "words side by side in the question stay so in answers",
        ],
    )
    .judged_by(CASES),
    aliases: &[("rerank", "infer")],
    ops: &[
        compute::<Infer>(),
        compute::<fuse::Fuse>(),
        compute::<Learn>(),
        save::<Weights>(),
        load::<Weights>(),
    ],
};

/// Questions about the ops of this program, whose documentation is searched.
const CASES: Cases = cases!("ctx_rerank.jsonl", "ops.jsonl");

params! {
    /// Reorders documents or passages by a closer look at each, and keeps the best.
    ///
    /// A search looks at many documents briefly; this op looks at few of them closely. Besides the
    /// score of a hit, it counts how much its words resemble those of the best fifteen, each by its
    /// score (relevance feedback, Rocchio 1971); the first hit keeps its place. It also counts, much
    /// less, how much of the question the hit covers, how often words that are adjacent in the
    /// question also are in the text, in order or within a window (the sequential dependence of
    /// Metzler & Croft 2005), and which of the words are in the title. These decide where the
    /// given scores are nearly equal. Words are compared by their stems, and rare ones count more,
    /// judged by these hits.
    ///
    /// How much each of these counts is fixed, or taken from a model that `rerank.learn` returned.
    /// A model also knows what the words at the beginning of a text say.
    ///
    /// The hits are returned best first, unchanged except for `score`, which is from 0 to 1 within
    /// a query. Duplicate hits are merged. Hits with equal scores keep their order, and so do all
    /// hits if no word of the question is found.
    struct Infer {
        /// The documents or passages, as returned by `search` and `rag_retrieval`.
        hits: Items<Hit>,
        /// The number of hits to keep.
        #[range(1..=1_000)]
        keep: i64 = 5,
        /// The question. By default each hit's own query.
        query: Option<Text> = None,
        /// What `rerank.learn` returned. It replaces `given`, `title`, `window`, `ordered` and `similar`.
        model: Option<Trained<Weights>> = None,
        /// The weight of the incoming score.
        #[tune]
        #[range(0.0..=1.0)]
        given: f64 = GIVEN,
        /// The weight of words in the title.
        #[tune]
        #[range(0.0..=2.0)]
        title: f64 = TITLE,
        /// Words up to this far apart count as being together.
        #[tune]
        #[range(2..=32)]
        window: i64 = 8,
        /// The weight of words that are adjacent in the question and together in the text.
        #[tune]
        #[range(0.0..=1.0)]
        ordered: f64 = ORDERED,
        /// The weight of the likeness to the best hits.
        #[tune]
        #[range(0.0..=1.0)]
        similar: f64 = SIMILAR,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::InputOr("keep"));
    const SAYS: &'static [&'static str] = &[
        "put search results in a better order",
        "rank the hits again",
        "sort passages by how well they fit the question",
        "improve the ranking of a search",
        "a second look at the candidates",
        "most relevant results first",
        "narrow the hits down to the best",
        "reorder candidates with a slower, better score",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("rerank_results"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Adjacent words",
            r#"let hit = { path: "x", query: "wind tunnel", score: 1.0, snippet: "", start: 0, end: 0 }
[
  { ...hit, id: "a", title: "", text: "The tunnel is long. There was no wind in the valley below." },
  { ...hit, id: "b", title: "", text: "Measured in a wind tunnel. The valley is long." },
] >> rerank(keep: 1) >> each { .id }"#,
            r#"["b"]"#,
        ),
        Example::ok("No hits", "[] >> rerank", "[]"),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let weights = match &self.model {
            Some(model) => model.state()?.as_ref().clone(),
            None => {
                let Self { title, ordered, similar, .. } = self;
                Weights::untrained(size(self.window), self.given, Own { title, ordered, similar })
            }
        };
        let candidates = candidates(&self.hits.0, self.query.as_ref())?;
        let ranked = rank(candidates, &weights, cx)?;
        Ok(Value::List(ranked.into_iter().take(size(self.keep)).map(Candidate::hit).collect()))
    }
}

params! {
    /// Learns from judged hits how much each kind of evidence counts.
    ///
    /// For every judged query, search as you will search later, and pass all hits: `rerank` learns
    /// which order would have been better, by coordinate ascent on nDCG@10 (Metzler & Croft 2007).
    /// Hits without a judgement count as not relevant. The model contains nothing but weights, and
    /// how good they are: nDCG@10 by cross-validation in five parts, next to that of the given
    /// order and that without a model.
    ///
    /// At least ten queries are necessary, each with a relevant hit and another one.
    struct Learn {
        /// The judgements: `query`, `id` of the document, and `grade`, from 0.
        judged: Vec<Judged>,
        /// The hits of these queries.
        hits: Items<Hit>,
        /// Words up to this far apart count as being together.
        #[tune]
        #[range(2..=32)]
        window: i64 = 8,
        /// The order of the queries in the cross-validation follows from it.
        seed: i64 = 1,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Trained::<Weights>::SCHEME;
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "train the reranker on relevance judgements",
        "learn to rank from judged search results",
        "improve the order of hits with feedback",
        "fit ranking weights",
        "tune the ranker with clicks or labels",
        "teach the ranking which hits were good",
    ];
    const EXAMPLES: &'static [Example] = &[
        Weights::EXAMPLE,
        Example::err(
            "Too few judgements",
            r#"[{ query: "heat", id: "a", grade: 1 }] >> rerank.learn(hits: [])"#,
            "needs hits of at least 10 queries",
        ),
    ];
}

impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let candidates = candidates(&self.hits.0, None)?;
        let start = Weights::untrained(size(self.window), GIVEN, Own::default());
        let seed = self.seed.cast_unsigned();
        let lesson = learn::learn(&candidates, &self.judged, &start, seed, cx)?;
        Ok(Trained::learn(&lesson.weights, lesson.rows, lesson.metrics)?.encode())
    }
}

/// A param that is never negative.
fn size(param: i64) -> usize {
    usize::try_from(param).unwrap_or_default()
}

/// All candidates, best first, with new scores.
fn rank(
    mut candidates: Vec<Candidate>,
    weights: &Weights,
    cx: &Cx,
) -> Result<Vec<Candidate>, OpError> {
    for group in features::groups(&candidates, weights.reading(), cx)? {
        let scores = weights.scores(&group);
        for (idx, score) in group.members.into_iter().zip(scores) {
            candidates[idx].score = score;
        }
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(candidates)
}

/// A hit being reordered.
#[derive(Clone, Debug)]
struct Candidate {
    record: Record,
    id: Text,
    query: Text,
    title: Text,
    text: Text,
    /// The score of the incoming hit.
    given: f64,
    score: f64,
}

fn candidates(hits: &List, query: Option<&Text>) -> Result<Vec<Candidate>, OpError> {
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::with_capacity(hits.len());
    for record in documents::records(hits) {
        let record = record?;
        let candidate = Candidate::new(record, query);
        if seen.insert((candidate.query.clone(), candidate.identity())) {
            found.push(candidate);
        }
    }
    Ok(found)
}

/// The score of a hit; 0 if it is not a number.
fn score_of(record: &Record) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
    match record.get("score") {
        Some(Value::Float(it)) if it.is_finite() => *it,
        Some(Value::Int(it)) => *it as f64,
        _ => 0.0,
    }
}

impl Candidate {
    fn new(record: &Record, query: Option<&Text>) -> Self {
        let text = |name| match record.get(name) {
            Some(Value::Text(it) | Value::Path(it)) => it.clone(),
            _ => Text::default(),
        };
        let given = score_of(record).max(0.0);
        let query = query.cloned().unwrap_or_else(|| text("query"));
        let (id, title, text) = (text("id"), text("title"), text("text"));
        Self { record: record.clone(), id, query, title, text, given, score: 0.0 }
    }

    /// Two hits of a query with the same one are the same hit.
    fn identity(&self) -> [Text; 4] {
        let part = |name| self.record.get(name).map(ToString::to_string).unwrap_or_default().into();
        ["path", "id", "start", "end"].map(part)
    }

    /// The hit with its new score. The snippet is created when it is first read.
    fn hit(self) -> Value {
        let Self { record, query, score, .. } = self;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cancelled, cx, decode, hit};
    use svc_contract::registry::ErrorKind;

    fn ids(hits: Vec<Value>, args: &[(&str, Value)]) -> Vec<String> {
        let ranked = decode::<Infer>(hits.into(), args).run(&cx()).unwrap();
        let id = |it: &Value| it.as_record().unwrap().get("id").unwrap().to_string();
        ranked.as_list().unwrap().iter().map(id).collect()
    }

    fn scores(hits: Vec<Value>) -> Vec<f64> {
        let ranked = decode::<Infer>(hits.into(), &[]).run(&cx()).unwrap();
        let score = |it: &Value| match it.as_record().unwrap().get("score") {
            Some(Value::Float(it)) => *it,
            other => panic!("{other:?}"),
        };
        ranked.as_list().unwrap().iter().map(score).collect()
    }

    #[test]
    fn what_covers_more_of_the_question_comes_first() {
        let hits = || {
            vec![
                hit("some", "", "Budgets, budgets and again budgets.", "budget of a run", 1.0),
                hit("all", "", "A run has a budget that it keeps.", "budget of a run", 0.98),
                hit("none", "", "Colours of the sky.", "budget of a run", 0.96),
            ]
        };
        assert_eq!(ids(hits(), &[]), ["all", "some", "none"]);
        assert_eq!(ids(hits(), &[("keep", 1.into())]), ["all"]);
        assert_eq!(ids(hits(), &[("query", "sky colours".into())])[0], "none");
    }

    #[test]
    fn where_the_given_scores_differ_much_they_decide() {
        let hits = vec![
            hit("first", "", "Budgets, budgets and again budgets.", "budget of a run", 1.0),
            hit("covers", "", "A run has a budget that it keeps.", "budget of a run", 0.5),
        ];
        assert_eq!(ids(hits, &[]), ["first", "covers"]);
    }

    #[test]
    fn what_resembles_the_best_hits_comes_before_what_does_not() {
        let hits = vec![
            hit("a", "", "Heat moves through copper pipes and copper plates.", "heat", 1.0),
            hit("b", "", "Copper pipes give their heat to copper plates.", "heat", 0.9),
            hit("far", "", "The heat of the debate in parliament rose.", "heat", 0.62),
            hit("near", "", "Copper plates and pipes lose their heat.", "heat", 0.6),
        ];
        assert_eq!(ids(hits, &[]), ["a", "b", "near", "far"]);
    }

    #[test]
    fn words_side_by_side_and_in_the_title_count() {
        let far = "The heat of the day went. Much later came the transfer to the coast.";
        let near = "On the heat transfer. Much later came the day of the coast.";
        let query = "heat transfer";
        let both = vec![hit("far", "", far, query, 1.0), hit("near", "", near, query, 1.0)];
        assert_eq!(ids(both, &[]), ["near", "far"]);
        let titled = vec![hit("a", "Notes", far, query, 1.0), hit("b", "Heat", far, query, 1.0)];
        assert_eq!(ids(titled, &[]), ["b", "a"]);
    }

    #[test]
    fn where_nothing_is_found_the_order_stays() {
        let hits = vec![hit("b", "", "x", "zebra", 0.5), hit("a", "", "y", "zebra", 0.5)];
        assert_eq!(ids(hits, &[]), ["b", "a"]);
        let given = vec![hit("b", "", "x", "zebra", 0.2), hit("a", "", "y", "zebra", 0.4)];
        assert_eq!(ids(given, &[]), ["a", "b"]);
    }

    #[test]
    fn scores_go_from_0_to_1_and_repeated_hits_are_one() {
        let one = || hit("a", "", "heat in a pipe", "heat", 7.0);
        let all = scores(vec![one(), one(), hit("b", "", "cold", "heat", f64::NAN)]);
        assert_eq!(all.len(), 2);
        assert!((all[0] - 1.0).abs() < 1e-9, "{all:?}");
        assert!(all.iter().all(|it| (0.0..=1.0).contains(it)), "{all:?}");
    }

    #[test]
    fn hits_of_several_queries_are_scored_each_within_its_own() {
        let hits = vec![
            hit("a", "", "heat in a pipe", "heat", 100.0),
            hit("b", "", "the sky is blue", "sky", 0.1),
        ];
        assert!(scores(hits).iter().all(|it| (*it - 1.0).abs() < 1e-9));
    }

    #[test]
    fn hostile_hits_and_cancelling_are_survived() {
        let long = "heat transfer ".repeat(200_000);
        let query = "heat transfer ".repeat(5_000);
        assert_eq!(ids(vec![hit("a", "", &long, &query, 1.0)], &[]), ["a"]);
        assert_eq!(ids(vec![hit("", "", "", "", -1.0)], &[]), [""]);
        let op = decode::<Infer>(vec![hit("a", "", &long, "heat", 1.0)].into(), &[]);
        assert_eq!(op.run(&cancelled()).unwrap_err().kind, ErrorKind::Cancelled);
    }
}
