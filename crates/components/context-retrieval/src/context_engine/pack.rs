//! Fits hits into a budget of tokens.

use std::{collections::HashSet, ops::Range};

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Items, Max, Op, OpError, Scheme, choices,
        documents::{self, Hit},
        params, record,
    },
    value::{List, Record, Text, Value},
};
use svc_text::{language, near::Known, pages, stems::Vocabulary, tokens::tokens};

use super::{
    choose::{Passage, Worth, choose},
    cut::cut,
    dedupe::BETWEEN_CHECKS,
    int, text,
};

/// A passage is not cut to fewer tokens than this.
const LEAST: usize = 20;

choices! {
    enum Why { NearDuplicate = "near-duplicate", Budget = "budget", Cut = "cut" }
}

record! {
    /// A hit that was left out, or a part of it.
    struct Dropped {
        /// The identifier of the hit.
        id: Text,
        /// The tokens that were left out.
        tokens: i64,
        /// `near-duplicate`: it repeats another hit; `budget`: it is worth less than the others, or too
        /// long; `cut`: its other sentences are among the passages.
        why: Why,
        /// The identifier of the hit that a near-duplicate repeats.
        repeats: Option<Text>,
    }
}

/// Hits as they came in.
#[derive(Clone, Debug)]
struct Passages(List);

impl Field for Passages {
    const SCHEME: Scheme = Scheme::List(&Hit::SCHEME, Max::Unknown);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::List(it) => Some(Self(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::List(self.0)
    }
}

record! {
    /// Hits that fit into a budget, and those that do not.
    struct Packed {
        /// The hits that fit, in their order.
        passages: Passages,
        /// Their tokens together.
        tokens: i64,
        /// The other hits, in their order.
        dropped: Vec<Dropped>,
    }
}

params! {
    /// Chooses the hits that say most about a question within a budget of tokens, and returns
    /// what was left out and why.
    ///
    /// A hit that nearly repeats an earlier one is left out first (see `dedupe`). Among the others,
    /// the greedy algorithm of Lin & Bilmes (2011) takes those that add most per token: their own
    /// scores, and what they say that those before them do not, by the rarity of its words; words
    /// of the question count more. If there is room left, the best of the other hits is cut to the
    /// sentences with the most words of the question. A token is estimated at four bytes.
    ///
    /// Hits are kept whole and in their order, so long documents belong through `rag_retrieval`
    /// first. Titles and paths do not count for the budget.
    pub(super) struct Infer {
        /// The hits, the best first.
        hits: Items<Hit>,
        /// The maximum number of tokens of all texts together.
        #[range(1..=10_000_000)]
        budget: i64,
        /// The question. By default each hit's own query.
        query: Option<Text> = None,
        /// The share of the hits' scores in what a choice is worth: 0 covers most words, 1 takes the best
        /// scores.
        #[tune]
        #[range(0..=1)]
        relevance: f64 = 0.6,
        /// The similarity from which a text repeats another one.
        #[tune]
        #[range(0.5..=1)]
        near: f64 = 0.8,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Packed::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "fit search results into a token budget",
        "pack the context window of a model",
        "choose passages for a prompt of limited length",
        "what was left out of a prompt",
        "most informative passages under a token limit",
        "squeeze documents into a context of a certain size",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "What fits, and what does not",
            r#"let found = ["A budget is kept by a ledger.", "A budget is kept by a ledger!", "The sky is blue in the morning."]
  >> each { { id: it, title: "", path: "", text: it, query: "who keeps a budget?", score: 1.0, snippet: "", start: 0, end: 0 } }
let packed = found >> pack(budget: 10)
{ kept: packed.passages >> each { .text }, tokens: packed.tokens, dropped: packed.dropped >> each { .why } }"#,
            r#"{"kept":["A budget is kept by a ledger."],"tokens":8,"dropped":["near-duplicate","budget"]}"#,
        ),
        Example::ok(
            "No hits",
            "[] >> pack(budget: 100)",
            r#"{"passages":[],"tokens":0,"dropped":[]}"#,
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let hits: Vec<&Record> = documents::records(&self.hits.0).collect::<Result<_, _>>()?;
        let texts: Vec<Text> = hits.iter().map(|it| text(it, "text")).collect();
        let mut words = Vocabulary::of(language::most(texts.iter().map(AsRef::as_ref)));
        let asked = words.question(&question(&hits, self.query.as_ref()));
        let mut fates = repeated(&hits, self.near, cx)?;
        let kept: Vec<usize> = (0..hits.len()).filter(|it| fates[*it] == Fate::Budget).collect();
        let passages = passages(&hits, &kept, &mut words, cx)?;
        let worth = Worth::new(&passages, &asked, self.relevance);
        let budget = usize::try_from(self.budget).unwrap_or_default();
        let mut left = budget;
        for idx in choose(&passages, &worth, budget, cx)? {
            fates[kept[idx]] = Fate::Whole;
            left -= passages[idx].tokens;
        }
        // What is left of the budget is for a part of the best of the other hits.
        let rest = kept.iter().zip(&passages).filter(|it| fates[*it.0] == Fate::Budget);
        let best = rest.min_by(|a, b| b.1.relevance.total_cmp(&a.1.relevance)).map(|it| *it.0);
        if let Some(idx) = best.filter(|_| left >= LEAST)
            && let Some(range) = cut(&text(hits[idx], "text"), &asked, left, &mut words)
        {
            fates[idx] = Fate::Cut(range);
        }
        Ok(packed(&hits, fates).encode())
    }
}

/// What becomes of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Whole,
    /// Only this part is kept.
    Cut(Range<usize>),
    /// It is left out, because others are worth more.
    Budget,
    /// It is left out, because it repeats this one.
    Repeats(usize),
}

/// Says which hits nearly repeat earlier ones. The others have no place yet.
fn repeated(hits: &[&Record], near: f64, cx: &Cx) -> Result<Vec<Fate>, OpError> {
    let mut known = Known::new(near);
    let mut kept = Vec::new();
    let mut fates = Vec::with_capacity(hits.len());
    for (idx, hit) in hits.iter().enumerate() {
        if idx % BETWEEN_CHECKS == 0 {
            cx.check()?;
        }
        fates.push(match known.add_unless_known(&text(hit, "text")) {
            Some((other, _)) => Fate::Repeats(kept[other]),
            None => {
                kept.push(idx);
                Fate::Budget
            }
        });
    }
    Ok(fates)
}

/// The question, or those of the hits, each once.
fn question(hits: &[&Record], query: Option<&Text>) -> String {
    if let Some(query) = query {
        return query.as_ref().to_owned();
    }
    let mut seen = HashSet::new();
    let queries = hits.iter().map(|it| text(it, "query"));
    let queries: Vec<Text> = queries.filter(|it| seen.insert(it.clone())).collect();
    queries.join(" ")
}

fn passages(
    hits: &[&Record],
    kept: &[usize],
    words: &mut Vocabulary,
    cx: &Cx,
) -> Result<Vec<Passage>, OpError> {
    let most = hits.iter().map(|it| score(it)).fold(0.0, f64::max);
    let mut all = Vec::with_capacity(kept.len());
    for (place, idx) in kept.iter().enumerate() {
        if place % BETWEEN_CHECKS == 0 {
            cx.check()?;
        }
        let text = text(hits[*idx], "text");
        let mut terms = words.terms(&text);
        terms.sort_unstable();
        terms.dedup();
        // Without scores, the order says what is best.
        #[expect(clippy::cast_precision_loss, reason = "numbers of hits are small")]
        let by_order = 1.0 - place as f64 / kept.len() as f64;
        let relevance = if most > 0.0 { score(hits[*idx]).max(0.0) / most } else { by_order };
        all.push(Passage { relevance, tokens: tokens(&text), terms });
    }
    Ok(all)
}

fn score(hit: &Record) -> f64 {
    match hit.get("score") {
        Some(Value::Float(it)) if it.is_finite() => *it,
        Some(Value::Int(it)) => {
            #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
            let score = *it as f64;
            score
        }
        _ => 0.0,
    }
}

fn packed(hits: &[&Record], fates: Vec<Fate>) -> Packed {
    let (mut kept, mut dropped, mut used) = (Vec::new(), Vec::new(), 0);
    for (hit, fate) in hits.iter().zip(fates) {
        let own = text(hit, "text");
        let all = count(&own);
        let mut drop = |tokens, why, repeats| {
            dropped.push(Dropped { id: text(hit, "id"), tokens, why, repeats });
        };
        match fate {
            Fate::Whole => {
                used += all;
                kept.push(Value::Record((*hit).clone()));
            }
            Fate::Cut(range) => {
                let part = count(&own[range.clone()]);
                used += part;
                drop(all - part, Why::Cut, None);
                kept.push(part_of(hit, &own, range));
            }
            Fate::Budget => drop(all, Why::Budget, None),
            Fate::Repeats(other) => {
                drop(all, Why::NearDuplicate, Some(text(hits[other], "id")));
            }
        }
    }
    Packed { passages: Passages(kept.into_iter().collect()), tokens: used, dropped }
}

fn count(text: &str) -> i64 {
    i64::try_from(tokens(text)).unwrap_or(i64::MAX)
}

/// The hit with a part of its text, and the place of the part where the text is the file's own.
fn part_of(hit: &Record, own: &str, range: Range<usize>) -> Value {
    let start = int(hit, "start").unwrap_or_default();
    let end = int(hit, "end").unwrap_or_default();
    let offset = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
    let is_aligned = end.checked_sub(start) == Some(offset(own.len()));
    let page = int(hit, "page").map(|first| pages::at(first, own, range.start));
    let fields = hit.iter().map(|(name, it)| {
        let value = match name.as_ref() {
            "text" => own[range.clone()].into(),
            "start" if is_aligned => start.saturating_add(offset(range.start)).into(),
            "end" if is_aligned => start.saturating_add(offset(range.end)).into(),
            "page" => page.map_or_else(|| it.clone(), Value::Int),
            _ => it.clone(),
        };
        (name.clone(), value)
    });
    Value::Record(fields.collect())
}
