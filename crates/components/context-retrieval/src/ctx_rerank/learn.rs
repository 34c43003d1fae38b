//! Learns the weights of the features from judged hits, by coordinate ascent on nDCG@10 (Metzler
//! & Croft 2007).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use svc_contract::{
    registry::{Cx, Example as Script, OpError, State, documents::Judged},
    value::{Metric, Text},
};

use super::{
    Candidate, NAME, VERSION,
    evidence::Reading,
    features::{self, COUNT, Features, Group, place},
};

/// The weights of what is in a hit, unless they are learnt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub(super) title: f64,
    pub(super) ordered: f64,
    pub(super) similar: f64,
}

impl Default for Own {
    fn default() -> Self {
        Self { title: super::TITLE, ordered: super::ORDERED, similar: super::SIMILAR }
    }
}

/// The weights of the features, and how hits are read.
#[expect(clippy::struct_field_names, reason = "stored models have this name")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Weights {
    pub(super) window: usize,
    pub(super) weights: Features,
    /// Whether the similarity to the first hits leaves the very first in its place. It presumes
    /// that this one is right.
    #[serde(skip)]
    keeps_first: bool,
}

impl State for Weights {
    const COMPONENT: &'static str = NAME;
    const VERSION: u32 = VERSION;
    const LAYOUT: u32 = 1;
    const EXAMPLE: Script = Script::ok(
        "Learn, save, load",
        r#"let hit = { path: "x", title: "", score: 1.0, snippet: "", start: 0, end: 0 }
let topics = "ant bee cat dog eel fox gnu hen ibis jay" >> split(sep: " ")
let good = topics >> each { { ...hit, id: "good", query: it, text: "All about ${it}." } }
let bad = topics >> each { { ...hit, id: "bad", query: it, text: "All about the rest." } }
let model = topics >> each { { query: it, id: "good", grade: 1 } } >> rerank.learn(hits: bad + good)
let loaded = model >> rerank.save(path: "rank.svcm") >> rerank.load
bad + good >> rerank(model: loaded, keep: 1) >> each { .id }"#,
        r#"["good"]"#,
    );
}

impl Weights {
    /// The weights without a model.
    pub(super) fn untrained(window: usize, given: f64, own: Own) -> Self {
        let mut weights = [0.0; COUNT];
        weights[place::GIVEN] = given;
        for (place, weight) in features::OWN {
            weights[place] = weight;
        }
        weights[place::TITLE] = own.title;
        weights[place::TOGETHER] = own.ordered;
        weights[place::SIMILAR] = own.similar;
        Self { window, weights, keeps_first: true }
    }

    pub(super) fn reading(&self) -> Reading {
        Reading { window: self.window, all: self.weights[place::SIMILAR] != 0.0 }
    }

    /// A score from 0 to 1 for each hit of a group.
    pub(super) fn scores(&self, group: &Group) -> Vec<f64> {
        let score = |it| dot(&self.weights, it);
        let mut scores: Vec<f64> = group.features.iter().map(score).collect();
        if self.keeps_first {
            let own = weights_with(&self.weights, place::SIMILAR, 0.0);
            raise(&mut scores, first(group.features.iter().map(|it| dot(&own, it))));
        }
        features::normal(scores)
    }
}

/// The index of the highest score, the first among equals.
fn first(scores: impl Iterator<Item = f64>) -> usize {
    let best = scores.enumerate().min_by(|(_, a), (_, b)| b.total_cmp(a));
    best.map_or(0, |it| it.0)
}

/// Makes a score the highest.
fn raise(scores: &mut [f64], idx: usize) {
    const LITTLE: f64 = 1e-9;
    let others = scores.iter().enumerate().filter(|it| it.0 != idx);
    let most = others.map(|it| *it.1).fold(0.0, f64::max);
    if let Some(score) = scores.get_mut(idx)
        && *score > 0.0
    {
        *score = score.max(most * (1.0 + LITTLE));
    }
}

fn dot(weights: &Features, features: &Features) -> f64 {
    weights.iter().zip(features).map(|(a, b)| a * b).sum()
}

/// The judged hits of one query.
struct Example {
    features: Vec<Features>,
    grades: Vec<f64>,
    /// The gain of the best possible order.
    ideal: f64,
}

/// The ranks that count.
const DEPTH: usize = 10;

/// The parts of a cross-validation, each of which is left out once.
const FOLDS: usize = 5;

/// The fewest queries to learn from: two in each part.
const FEWEST: usize = 2 * FOLDS;

/// The most rounds over all features.
const ROUNDS: usize = 8;

/// The samples that weights are the mean of.
const SAMPLES: usize = 8;

/// The factors by which a weight is changed.
const FACTORS: [f64; 8] = [0.0, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0, 8.0];

/// The weight that a feature without any is tried with.
const FIRST: f64 = 0.05;

/// What was learnt, from how many judged hits, and how good it is.
pub(super) struct Lesson {
    pub(super) weights: Weights,
    pub(super) rows: usize,
    pub(super) metrics: Vec<Metric>,
}

/// Learns weights from candidates and their judgements.
pub(super) fn learn(
    candidates: &[Candidate],
    judged: &[Judged],
    start: &Weights,
    seed: u64,
    cx: &Cx,
) -> Result<Lesson, OpError> {
    let reading = Reading { all: true, ..start.reading() };
    let groups = features::groups(candidates, reading, cx)?;
    let mut examples = examples(&groups, candidates, judged);
    if examples.len() < FEWEST {
        let given = examples.len();
        let message = format!(
            "learning needs hits of at least {FEWEST} queries, each with a relevant hit and \
             another one, and this has {given}"
        );
        return Err(OpError::invalid_input(message)
            .help("judge more queries, or search with a larger `top_k`"));
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    rng.shuffle(&mut examples);
    let all: Vec<&Example> = examples.iter().collect();
    let weights = bagged(&all, start.weights, &mut rng, cx)?;
    let mut before = Vec::new();
    let mut untrained = Vec::new();
    let mut learnt = Vec::new();
    for fold in 0..FOLDS {
        let is_held = |idx: &usize| idx % FOLDS == fold;
        let part = |held: bool| {
            let of = all.iter().enumerate().filter(move |(idx, _)| is_held(idx) == held);
            of.map(|(_, it)| *it).collect::<Vec<_>>()
        };
        let found = bagged(&part(false), start.weights, &mut rng, cx)?;
        let mut given = [0.0; COUNT];
        given[place::GIVEN] = 1.0;
        for it in part(true) {
            before.push(it.ndcg(&given));
            untrained.push(it.ndcg(&start.weights));
            learnt.push(it.ndcg(&found));
        }
    }
    let metrics = vec![
        metric("ndcg@10, cross-validated", &learnt),
        metric("ndcg@10 without a model", &untrained),
        metric("ndcg@10 as given", &before),
    ];
    let rows = all.iter().map(|it| it.grades.len()).sum();
    let weights = Weights { window: start.window, weights, keeps_first: false };
    Ok(Lesson { weights, rows, metrics })
}

/// The mean, with its interval of 95 % if the measurements are normally distributed.
#[expect(clippy::cast_precision_loss, reason = "there are few queries")]
fn metric(name: &str, values: &[f64]) -> Metric {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let margin = 1.96 * (variance / n).sqrt();
    let (low, high) = (Some(mean - margin), Some(mean + margin));
    Metric { name: name.into(), value: mean, low, high, n: values.len() as u64 }
}

/// The queries with something to learn: a relevant hit, and one that is not.
fn examples(groups: &[Group], candidates: &[Candidate], judged: &[Judged]) -> Vec<Example> {
    let mut grades: HashMap<&Text, HashMap<&Text, f64>> = HashMap::new();
    for it in judged {
        #[expect(clippy::cast_precision_loss, reason = "grades are small")]
        let grade = it.grade.max(0) as f64;
        grades.entry(&it.query).or_default().insert(&it.id, grade);
    }
    let example = |group: &Group| {
        let of = |idx: usize| &candidates[idx];
        let known = grades.get(&of(*group.members.first()?).query)?;
        let grade = |idx: &usize| known.get(&of(*idx).id).copied().unwrap_or_default();
        let found: Vec<f64> = group.members.iter().map(grade).collect();
        let mut best: Vec<f64> = known.values().copied().collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let has_both = found.iter().any(|it| *it > 0.0) && found.contains(&0.0);
        has_both.then(|| Example {
            features: group.features.clone(),
            grades: found,
            ideal: gain(best.into_iter()),
        })
    };
    groups.iter().filter_map(example).collect()
}

/// The discounted gain of grades in this order.
#[expect(clippy::cast_precision_loss, reason = "ranks are small")]
fn gain(grades: impl Iterator<Item = f64>) -> f64 {
    grades.take(DEPTH).enumerate().map(|(idx, it)| it / (idx as f64 + 2.0).log2()).sum()
}

impl Example {
    fn ndcg(&self, weights: &Features) -> f64 {
        self.ndcg_of(self.features.iter().map(|it| dot(weights, it)))
    }

    fn ndcg_of(&self, scores: impl Iterator<Item = f64>) -> f64 {
        let mut order: Vec<(f64, f64)> = scores.zip(self.grades.iter().copied()).collect();
        // A stable sort: equal scores keep the given order.
        order.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        gain(order.into_iter().map(|(_, grade)| grade)) / self.ideal
    }

    /// With one weight replaced, given the scores without it.
    fn ndcg_with(&self, others: &[f64], idx: usize, weight: f64) -> f64 {
        self.ndcg_of(others.iter().zip(&self.features).map(|(sum, it)| sum + weight * it[idx]))
    }
}

/// The mean of the weights learnt from several random samples, which hold better for other
/// queries than weights learnt from all (Breiman 1996).
#[expect(clippy::cast_precision_loss, reason = "there are few samples")]
fn bagged(
    examples: &[&Example],
    start: Features,
    rng: &mut fastrand::Rng,
    cx: &Cx,
) -> Result<Features, OpError> {
    let mut mean = [0.0; COUNT];
    for _ in 0..SAMPLES {
        let sample: Vec<&Example> =
            examples.iter().map(|_| examples[rng.usize(..examples.len())]).collect();
        let weights = ascend(&sample, start, cx)?;
        let sum = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        for (mean, weight) in mean.iter_mut().zip(weights) {
            *mean += weight / sum / SAMPLES as f64;
        }
    }
    Ok(mean)
}

/// Changes one weight after the other as long as the examples are ordered better.
fn ascend(examples: &[&Example], start: Features, cx: &Cx) -> Result<Features, OpError> {
    /// Smaller gains are noise.
    const LEAST: f64 = 1e-6;
    let mut weights = start;
    let mut best: f64 = examples.iter().map(|it| it.ndcg(&weights)).sum();
    for _ in 0..ROUNDS {
        let before = best;
        for idx in 0..COUNT {
            let old = weights[idx];
            let others = weights_with(&weights, idx, 0.0);
            let of = |it: &&Example| it.features.iter().map(|it| dot(&others, it)).collect();
            let sums: Vec<Vec<f64>> = examples.iter().map(of).collect();
            let base = if old == 0.0 { FIRST } else { old };
            for factor in FACTORS {
                cx.check()?;
                let weight = base * factor;
                let each = examples.iter().zip(&sums);
                let found: f64 = each.map(|(it, sums)| it.ndcg_with(sums, idx, weight)).sum();
                if found > best + LEAST {
                    (weights[idx], best) = (weight, found);
                }
            }
        }
        if best <= before + LEAST {
            break;
        }
    }
    Ok(weights)
}

fn weights_with(weights: &Features, idx: usize, weight: f64) -> Features {
    let mut changed = *weights;
    changed[idx] = weight;
    changed
}
